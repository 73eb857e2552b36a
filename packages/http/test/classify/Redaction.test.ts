import { HttpClientError, HttpClientRequest } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc, Schema } from "effect"
import * as Redaction from "../../src/classify/Redaction.ts"

describe("Redaction.url", () => {
  it.each([
    ["http://host/path", "http://host/path"],
    ["http://host:8080/users/@me", "http://host:8080/users/@me"],
    ["http://user@host/", "http://REDACTED@host/"],
    ["http://user:password@host:8080/path", "http://REDACTED@host:8080/path"],
    ["http://user:pass@word@host/", "http://REDACTED@host/"],
    ["http://user:pass word@host/", "http://REDACTED@host/"],
    ["http:user:password@host/", "http:REDACTED@host/"],
    ["http:\\\\user:password@host/", "http:\\\\REDACTED@host/"],
    ["//user:password@host/", "//REDACTED@host/"],
    ["/users/@me", "/users/@me"],
    ["http://host/?api_key=secret", "http://host/?api_key=REDACTED"],
    ["http://host/?page=2&api_key=a=b#c", "http://host/?page=REDACTED&api_key=REDACTED#REDACTED"],
    ["http://host/?secret", "http://host/?REDACTED"],
    ["http://host/?q=(a b)'c\"", "http://host/?q=REDACTED"],
    ["http://host/#access_token=secret", "http://host/#REDACTED"],
    ["/path?api_key=secret", "/path?api_key=REDACTED"],
    ["/users/@me", "/users/@me"],
    ["/at:12/@noon", "/at:12/@noon"],
    ["/at:noon@host", "/at:noon@host"],
    ["http://host/?=value&=", "http://host/?=REDACTED&=REDACTED"],
    ["http://host/?a#b?c#d", "http://host/?REDACTED#REDACTED"],
    ["", ""]
  ])("shows %s as %s", (given, shown) => {
    expect(Redaction.url(given)).toBe(shown)
  })
})

describe("Redaction.text", () => {
  it.each([
    ["no URL at all, user@host", "no URL at all, user@host"],
    ["Transport error (GET http://host/)", "Transport error (GET http://host/)"],
    ["error (GET http://u:p@host/?k=v)", "error (GET http://REDACTED@host/?k=REDACTED)"],
    ["was it https://host/?k=v!).", "was it https://host/?k=REDACTED!)."],
    ["from https://host/?k=v, to <https://u:p@other/>.", "from https://host/?k=REDACTED, to <https://REDACTED@other/>."]
  ])("shows %j as %j", (given, shown) => {
    expect(Redaction.text(given)).toBe(shown)
  })

  it("shows no user, no password and no value of a query, whatever they are", () => {
    const secret = fc.stringMatching(/^[a-z0-9%+_.~-]{1,20}$/).map((secret) => `S3CRET${secret}`)
    fc.assert(
      fc.property(secret, secret, secret, (user, password, value) => {
        const shown = Redaction.text(`error (GET https://${user}:${password}@host/?key=${value}&other=${value})`)
        expect(shown).not.toContain("S3CRET")
      })
    )
  })
})

describe("Redaction.error", () => {
  const failed = (url: string) =>
    new HttpClientError.RequestError({
      request: HttpClientRequest.get(url),
      reason: "Transport",
      description: "broken"
    })

  it("answers an error whose message has no credentials itself", () => {
    const given = failed("http://host/path")
    expect(Redaction.error(given)).toBe(given)
  })

  it("keeps class, tag and request of an error with another message, and leaves the error as it is", () => {
    const given = failed("http://u:p@host/?q=(a b)")
    const { message } = given
    const shown = Redaction.error(given)
    expect(shown).toBeInstanceOf(HttpClientError.RequestError)
    expect(shown).toMatchObject({
      _tag: "RequestError",
      message: "Transport: broken (GET http://REDACTED@host/?q=REDACTED)",
      request: given.request
    })
    expect(String((shown as Error).stack)).not.toContain("u:p@")
    expect(given.message).toBe(message)
  })

  it("has a stack without credentials, or none where the error has none", () => {
    const at = "http://u:p@host/"
    const given = Object.assign(new Error(`broken at ${at}`), { stack: `Error: broken at ${at}\n  in ${at}` })
    expect(Redaction.error(given)).toMatchObject({
      message: "broken at http://REDACTED@host/",
      stack: "Error: broken at http://REDACTED@host/\n  in http://REDACTED@host/"
    })
    const stackless = Object.assign(new Error(`broken at ${at}`), { stack: undefined })
    expect(Redaction.error(stackless)).toMatchObject({ message: "broken at http://REDACTED@host/", stack: undefined })
  })

  it("finds the URL of the request also where blanks and quotes are in it", () => {
    const url = "http://host/?q=a 'b' c"
    const given = new Error(`broken at ${url}, undefined`)
    expect(Redaction.error(given, () => ({ url, secrets: [] }))).toMatchObject({
      message: "broken at http://host/?q=REDACTED, undefined"
    })
    expect(Redaction.error(Object.assign(given, { request: { url } }))).toMatchObject({
      message: "broken at http://host/?q=REDACTED, undefined"
    })
    const own = Object.assign(new Error("undefined at http://u@host/"), { request: { url: undefined } })
    expect(Redaction.error(own)).toMatchObject({ message: "undefined at http://REDACTED@host/" })
  })

  it("shows no secret, the longest first where one is a part of another", () => {
    const known = () => ({ url: "", secrets: ["token", "", "token-of-mine"] })
    const shown = (message: string) => (Redaction.error(new Error(message), known) as Error).message
    expect(shown("refused token-of-mine and token")).toBe("refused REDACTED and REDACTED")
    expect(shown("refused")).toBe("refused")
  })

  it("asks for what is known of the request only where there is a message", () => {
    const ask = () => {
      throw new Error("it was asked")
    }
    const given = new Error("")
    expect(Redaction.error(given, ask)).toBe(given)
    expect(() => Redaction.error(new Error("broken"), ask)).toThrow("it was asked")
  })

  it("shows no value of a body that does not fit its schema", () => {
    const parsed = Schema.decodeUnknownEither(Schema.Struct({ id: Schema.Number }))({ id: "secret" })
    const given = Either.getOrThrow(Either.flip(parsed))
    const shown = Redaction.error(given)
    expect(given.message).toContain("secret")
    expect(shown).toMatchObject({ _tag: "ParseError", message: "a value does not fit its schema" })
    expect([String(shown), (shown as Error).stack]).toEqual([
      "a value does not fit its schema",
      "a value does not fit its schema"
    ])
  })

  it("answers what is no error, and errors that cannot be read, themselves", () => {
    const throwing = Object.defineProperty(new Error("first"), "message", {
      get: () => {
        throw new Error("it was read")
      }
    })
    for (const given of [undefined, null, "http://u:p@host/", 7, { message: "http://u:p@host/" }, throwing]) {
      expect(Redaction.error(given)).toBe(given)
    }
  })
})
