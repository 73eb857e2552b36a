import * as Untrusted from "@effect-retry/core/unstable/Untrusted"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"

describe("Untrusted.url", () => {
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
    expect(Untrusted.url(given)).toBe(shown)
  })
})

describe("Untrusted.message", () => {
  it.each([
    "connect ECONNREFUSED 127.0.0.1:1",
    "getaddrinfo ENOTFOUND nope.invalid",
    "can't reach 'db-1.example' now",
    "Transport error (GET http://host/)",
    'relation "users" does not exist',
    "WRONGPASS invalid username-password pair or user is disabled.",
    "the bucket: tokens of a grant must be a finite number >= 0, got NaN",
    "attempt 2 took longer than 76ms",
    "bad token in it",
    "a < b and b > c",
    "ENOENT: no such file or directory, open '/etc/app.json'",
    "one\ntwo",
    ""
  ])("shows %j as it is", (text) => {
    expect(Untrusted.message(text)).toBe(text)
  })

  it.each([
    ["error (GET http://u:p@host/?k=v)", "error (GET http://REDACTED@host/?k=REDACTED)"],
    ["was it https://host/?k=v!).", "was it https://host/?k=REDACTED!)."],
    [
      "from https://host/?k=v, to <https://u:p@other/>.",
      "from https://host/?k=REDACTED, to <https://REDACTED@other/>."
    ],
    ["at /upload?uploadType=resumable&upload_id=ABP%2fx", "at /upload?uploadType=REDACTED&upload_id=REDACTED"],
    ["at upload_id=ABPtc", "at upload_id=REDACTED"],
    ["at https://h/upload/ABPtcPoSECRETx1234567/o", "at https://h/upload/REDACTED/o"],
    ["redis://:hunter2@h:6379/0 is away", "redis://REDACTED@h:6379/0 is away"],
    ["bad DSN postgres://me:pw@db/orders?sslmode=on", "bad DSN postgres://REDACTED@db/orders?sslmode=REDACTED"],
    ["bad DSN host=db user=me password=pw", "bad DSN host=REDACTED user=REDACTED password=REDACTED"],
    ["me:pw@db:5432/orders", "REDACTED@db:5432/orders"],
    ["Authorization: Bearer abc", "Authorization: REDACTED"],
    ["refused Bearer abc-def", "refused Bearer REDACTED"],
    ["Basic dXNlcjpwdw== is refused", "Basic REDACTED is refused"],
    ["password: correct horse\nnext", "password: REDACTED\nnext"],
    ["x-api-key:abc", "x-api-key:REDACTED"],
    ["with token A1b2", "with token REDACTED"],
    [
      'Headers.append: "Bearer abc" is an invalid header value.',
      'Headers.append: "REDACTED" is an invalid header value.'
    ],
    ["key AKIAIOSFODNN7EXAMPLE", "key REDACTED"],
    ["used wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY.", "used REDACTED."],
    ["hash 9e107d9d372bb6826bd81d3542a419d6", "hash REDACTED"],
    ['not fit: {"name":"Bob"} it was', "not fit: REDACTED"],
    ["answered <html>Bob", "answered REDACTED"],
    ['got "two words"', 'got "REDACTED"'],
    ["got 'two words", "got 'REDACTED"],
    [`long ${"x".repeat(101)}`, "long REDACTED"]
  ])("shows %j as %j", (given, shown) => {
    expect(Untrusted.message(given)).toBe(shown)
  })

  it("shows no user, no password and no value of a query, whatever they are", () => {
    const secret = fc.stringMatching(/^[a-z0-9%+_.~:;,!-]{0,20}$/).map((secret) => `S3CRET${secret}`)
    fc.assert(
      fc.property(secret, secret, secret, (user, password, value) => {
        const shown = Untrusted.message(`error (GET https://${user}:${password}@host/?key=${value}&other=${value})`)
        expect(shown).not.toContain("S3CRET")
      })
    )
  })

  it("finds a known URL even when it has blanks and quotes", () => {
    const url = "http://u:p w@host/?q=a 'b' c"
    expect(Untrusted.message(`broken at ${url}, too`, { urls: ["", url] })).toBe(
      "broken at http://REDACTED@host/?q=REDACTED, too"
    )
  })

  it("shows no known secret, and removes the longest first when one contains another", () => {
    const known = { secrets: ["token", "", "token-of-mine"] }
    expect(Untrusted.message("refused token-of-mine and token", known)).toBe("refused REDACTED and REDACTED")
  })

  it("reads only as much of a text as is shown, and leaves out a word that was cut", () => {
    const long = `${"word ".repeat(204)}abc A1b2C3d4`
    expect(Untrusted.message(`${"w ".repeat(600)}`)).toBe("w ".repeat(100))
    expect(Untrusted.message(`${"w".repeat(1020)} A1b2C3d4E5f6G7h8I9j0`)).toBe("REDACTED ")
    expect(Untrusted.message(long)).toHaveLength(200)
  })

  it.each([
    [`${"x ".repeat(99)}x🙂`, `${"x ".repeat(99)}x`],
    [`${"x ".repeat(99)}🙂`, `${"x ".repeat(99)}🙂`]
  ])("never cuts a character in half", (given, shown) => {
    expect(Untrusted.message(given)).toBe(shown)
  })

  it("shows nothing of a text with more than 256 different secrets and URLs", () => {
    const secrets = (count: number) => Array.from({ length: count }, (_, at) => `secret-${at}-`)
    expect(Untrusted.message("a word", { secrets: secrets(255), urls: ["a", "a"] })).toBe("a word")
    expect(Untrusted.message("a word", { secrets: secrets(256), urls: ["a"] })).toBe("REDACTED")
  })
})

describe("Untrusted.name", () => {
  it.each([
    ["ThrottlingException", "ThrottlingException"],
    ["@app/orders/Busy", "@app/orders/Busy"],
    ["42P05", "42P05"],
    ["two words", undefined],
    ["", undefined],
    ["x".repeat(101), undefined],
    ["AKIAIOSFODNN7EXAMPLE", undefined],
    [7, undefined]
  ])("of %j is %j", (given, shown) => {
    expect(Untrusted.name(given)).toBe(shown)
  })
})
