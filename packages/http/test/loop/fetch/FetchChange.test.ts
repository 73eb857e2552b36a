/**
 * What the `fetch` that sends is handed.
 */
import { HttpClientRequest } from "@effect/platform"
import { Backoff } from "@effect-retry/core"
import { Fetch, HttpRetry } from "@effect-retry/http"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"

type Given = Parameters<typeof fetch>

interface Handed {
  readonly input: unknown
  readonly init: Record<string, unknown>
}

const url = "http://api.test/"
const policy = { ...HttpRetry.standard, backoff: Backoff.constant({ delay: 0 }), maxAttempts: 2 }

/** What each attempt of a call hands to it, but for the signal that each has. */
const handed = async (given: Given, change: (request: HttpClientRequest.HttpClientRequest) => typeof request) => {
  const attempts: Array<Handed> = []
  const own: typeof fetch = async (input, { signal, ...init } = {}) => {
    const headers = init.headers && { headers: Object.fromEntries(new Headers(init.headers)) }
    attempts.push({ input, init: { ...init, ...headers } })
    expect(signal).toBeInstanceOf(AbortSignal)
    return new Response(null, { status: 503 })
  }
  await Fetch.make({ ...policy, beforeRetry: (request) => Effect.succeed(change(request)) }, { fetch: own })(...given)
  return attempts
}

const unchanged: ReadonlyArray<readonly [string, Given, Handed]> = [
  ["a URL alone", [url], { input: url, init: {} }],
  ["a method as it was written", [url, { method: "put" }], { input: url, init: { method: "put" } }],
  ["headers", [url, { headers: { "X-Own": "1" } }], { input: url, init: { headers: { "x-own": "1" } } }],
  ["a body", [url, { method: "PUT", body: "old" }], { input: url, init: { method: "PUT", body: "old" } }]
]

const changed: ReadonlyArray<
  readonly [string, Given, (request: HttpClientRequest.HttpClientRequest) => typeof request, Handed]
> = [
  [
    "a URL",
    [url],
    HttpClientRequest.setUrl("http://other.test/"),
    { input: "http://other.test/", init: { headers: {} } }
  ],
  ["a relative URL", ["/path"], HttpClientRequest.setUrl("/other"), { input: "/other", init: { headers: {} } }],
  ["a fragment", [url], HttpClientRequest.setHash("part"), { input: `${url}#part`, init: { headers: {} } }],
  [
    "a body, whose length fetch says by itself",
    [url, { method: "PUT", body: "old" }],
    HttpClientRequest.bodyText("new"),
    {
      input: url,
      init: { method: "PUT", headers: { "content-type": "text/plain" }, body: new TextEncoder().encode("new") }
    }
  ]
]

describe("Fetch.make over another fetch", () => {
  it.each(unchanged)("hands on what the call was given, and nothing else: %s", async (_, given, expected) => {
    expect(await handed(given, (request) => request)).toStrictEqual([expected, expected])
  })

  it.each(changed)("hands on what the policy has changed: %s", async (_, given, change, expected) => {
    expect((await handed(given, change))[1]).toStrictEqual(expected)
  })

  it.each([
    ["without a body", [url], ["GET", "Empty"]],
    ["with one", [url, { method: "PUT", body: "old" }], ["PUT", "Raw"]]
  ] as ReadonlyArray<readonly [string, Given, ReadonlyArray<string>]>)(
    "shows the policy the request: %s",
    async (_, given, expected) => {
      const seen: Array<ReadonlyArray<string>> = []
      await handed(given, (request) => {
        seen.push([request.method, request.body._tag])
        return request
      })
      expect(seen).toEqual([expected])
    }
  )
})
