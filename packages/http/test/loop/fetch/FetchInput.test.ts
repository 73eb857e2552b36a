import type { HttpClientRequest } from "@effect/platform"
import { Backoff, Retry, TokenBucket } from "@effect-retry/core"
import { Fetch, HttpRetry } from "@effect-retry/http"
import { afterEach, describe, expect, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import { Stream } from "node:stream"
import * as Undici from "undici"
import { runInNewContext } from "node:vm"
import { gaveUp } from "../../support/ScriptedClient.ts"

const quick = { ...HttpRetry.standard, backoff: Backoff.constant({ delay: 0 }) }
const url = "http://api.test/"

/** What was sent, by whichever `fetch`. */
let sent: Array<unknown>

/** Answers with 503. */
const unavailable: typeof fetch = async (_, init) => {
  sent.push(init?.body)
  return new Response(null, { status: 503 })
}

const rejected = (answer: Promise<Response>): Promise<string> =>
  answer.then(({ status }) => String(status)).catch(String)

const global = (): typeof fetch => {
  sent = []
  vi.spyOn(globalThis, "fetch").mockImplementation(unavailable)
  return Fetch.make(quick)
}

const given = (): typeof fetch => {
  sent = []
  return Fetch.make(quick, { fetch: unavailable })
}

afterEach(() => vi.restoreAllMocks())

/** As that of the package form-data: a stream of Node, without an iterator, that names itself a form. */
class StreamedForm extends Stream {
  get [Symbol.toStringTag](): string {
    return "FormData"
  }
}

type Body = NonNullable<RequestInit["body"]>

const of = (body: unknown): Body => body as Body

describe("Fetch.make with a request that is not one", () => {
  it.each([
    ["a Request of another class", [new Undici.Request(url)], "the global fetch takes no Request of another class"],
    ["an object that names no URL", [{ href: url }], "fetch takes a URL or a Request, got [object Object]"],
    ["a header that is none", [url, { headers: { "a b": "c" } }], "a b"]
  ] as const)("refuses %s, and sends nothing", async (_, parameters, message) => {
    const answer = global()(...(parameters as unknown as Parameters<typeof fetch>))
    expect(await rejected(answer)).toMatch(/^TypeError: /)
    expect(await rejected(answer)).toContain(message)
    expect(sent).toEqual([])
  })

  it.each([global, given])("refuses a Request that has been read, unless it is given a body", async (make) => {
    const retrying = make()
    const used = new Request(url, { method: "PUT", body: "body" })
    await used.text()
    expect(await rejected(retrying(used))).toBe("TypeError: the body of the Request has been read already")
    expect(sent).toEqual([])
    expect(await rejected(retrying(used, { body: "other" }))).toBe("503")
    expect(sent).toEqual(["other", "other", "other"])
  })
})

describe("Fetch.make with a URL", () => {
  it.each([global, given])("sends it as a GET, and again if needed", async (make) => {
    expect(await rejected(make()(url))).toBe("503")
    expect(sent).toHaveLength(3)
  })

  it.each([
    ["url", "method"],
    ["url", "clone"],
    ["method", "clone"]
  ])("takes an object that has nothing of a Request but %s and %s for a URL", async (...names) => {
    const inputs: Array<unknown> = []
    const own: typeof fetch = async (input) => {
      inputs.push(input)
      return new Response()
    }
    const parts = Object.entries({ url: "http://other.test/", method: "PUT", clone: () => undefined })
    const object = { ...Object.fromEntries(parts.filter(([name]) => names.includes(name))), toString: () => url }
    await Fetch.make(quick, { fetch: own })(object as unknown as URL)
    expect(inputs).toEqual([url])
  })

  it("rejects when its signal is not one, and when a rate limiter refuses it", async () => {
    const signal = {} as AbortSignal
    expect(await rejected(given()(url, { signal }))).toBe("TypeError: the signal of a request must be an AbortSignal")
    const limited = Fetch.make({ ...quick, rateLimiter: TokenBucket.empty }, { fetch: unavailable })
    expect(await rejected(limited(url))).toBe("TypeError: fetch failed")
    expect(sent).toEqual([])
  })
})

describe("Fetch.make with a body", () => {
  it("shows it to the policy with the type that its headers say", async () => {
    const types: Array<unknown> = []
    sent = []
    const beforeRetry = (request: HttpClientRequest.HttpClientRequest) => {
      types.push([request.headers["content-type"], request.body.contentType])
      return Effect.succeed(request)
    }
    const retrying = Fetch.make({ ...quick, beforeRetry, maxAttempts: 2 }, { fetch: unavailable })
    for (const headers of [{ "content-type": "text/x-own" }, {}]) {
      await retrying(url, { method: "PUT", body: "body", headers })
    }
    expect(types).toEqual([
      ["text/x-own", "text/x-own"],
      [undefined, undefined]
    ])
  })
})

describe("Fetch.make with a body of another class", () => {
  const bytesOfRealm = () => runInNewContext("new Uint8Array([97, 98]).buffer") as ArrayBuffer
  const undici = new Undici.FormData()
  undici.set("name", "value")
  const again: ReadonlyArray<readonly [string, Body]> = [
    ["a form of undici", of(undici)],
    ["a buffer of another realm", bytesOfRealm()],
    ["a text that looks like the name of an object", "[object FormData]"]
  ]
  /** Known by what the fetch of Node.js knows them by. */
  const once: ReadonlyArray<readonly [string, Body]> = [
    ["a blob of another class", of({ arrayBuffer: () => undefined, [Symbol.toStringTag]: "Blob" })],
    ["a form of another class", of({ getAll: () => undefined, [Symbol.toStringTag]: "FormData" })],
    ["a stream of another class", of({ getReader: () => undefined, [Symbol.toStringTag]: "ReadableStream" })]
  ]

  it.each(again)("sends it again by the fetch of Node.js: %s", async (_, body) => {
    expect(await rejected(global()(url, { method: "PUT", body }))).toBe("503")
    expect(sent).toEqual([body, body, body])
  })

  it.each(once)("hands it to the fetch of Node.js: %s", async (_, body) => {
    expect(await rejected(global()(url, { method: "PUT", body }))).toBe("503")
    expect(sent[0]).toBe(body)
  })

  it("copies the bytes of a buffer of another realm", async () => {
    const bytes = bytesOfRealm()
    const answer = global()(url, { method: "PUT", body: bytes })
    new Uint8Array(bytes).fill(0)
    await answer
    expect(sent.map((body) => new TextDecoder().decode(body as ArrayBuffer))).toEqual(["ab", "ab", "ab"])
  })

  it.each([
    ["a form that is a stream of Node", of(new StreamedForm()), "[object FormData]"],
    ["an iterator", of([1].values()), "[object Array Iterator]"],
    ["a record", of({ a: 1 }), "[object Object]"]
  ])("refuses what the fetch of Node.js would send as its name: %s", async (_, body, name) => {
    const answer = global()(url, { method: "POST", body })
    expect(await rejected(answer)).toBe(`TypeError: the global fetch cannot send a body of this class: ${name}`)
    expect(sent).toEqual([])
  })

  it.each([
    ["a form that is a stream of Node", of(new StreamedForm()), "a Node stream, which can be read only once"],
    ["an iterator", of([1].values()), "an iterator, which can be read only once"],
    ["a record", of({ a: 1 }), "of a kind that is not known to be replayable"]
  ])("hands it on once to a fetch that was named: %s", async (_, body, why) => {
    sent = []
    const { observe, reasons } = gaveUp()
    const retrying = Fetch.make({ ...quick, observe }, { fetch: unavailable })
    expect(await rejected(retrying(url, { method: "PUT", body }))).toBe("503")
    expect(sent).toHaveLength(1)
    expect(sent[0]).toBe(body)
    expect(reasons.map(Retry.format)).toEqual([`not retryable: the body is ${why}`])
  })
})
