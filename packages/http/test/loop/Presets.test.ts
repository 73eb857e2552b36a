import { HttpClientRequest } from "@effect/platform"
import { Retry } from "@effect-retry/core"
import { HttpRetry, IdempotencyKey, Presets } from "@effect-retry/http"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ScriptedClient from "../support/ScriptedClient.ts"

const { anthropic, github, openai, standard, stripe } = Presets
const presets = { anthropic, github, openai, standard, stripe }

type Name = keyof typeof presets
type Step = ScriptedClient.Step

/** What a client under a preset does, and when it sends, every draw being `u`. */
const run = (
  name: Name,
  method: "GET" | "POST" | "PATCH",
  u: number,
  ...steps: readonly [Step, ...ReadonlyArray<Step>]
) =>
  Effect.gen(function* () {
    const { calls, client } = ScriptedClient.make(...steps)
    const { observe, reasons } = ScriptedClient.gaveUp()
    const retried = HttpRetry.withRetry(client, { ...presets[name], observe })
    yield* Effect.exit(retried.execute(HttpClientRequest.make(method)("http://api.test/")))
    return { calls, times: ScriptedClient.times(calls), reason: reasons.map(Retry.format)[0] }
  }).pipe(VirtualClock.run, Effect.provide(SeededRandom.layerConstant(u)), Effect.provide(IdempotencyKey.layerSequence))

const names: ReadonlyArray<Name> = ["standard", "openai", "anthropic", "stripe", "github"]

describe("Presets delays", () => {
  /** When the attempts start, in milliseconds, at the least and at the middle draw. */
  const rows: { readonly [name in Name]: readonly [least: ReadonlyArray<number>, middle: ReadonlyArray<number>] } = {
    standard: [
      [0, 0, 0],
      [0, 50, 150]
    ],
    openai: [
      [0, 500, 1_500],
      [0, 438, 1_313]
    ],
    anthropic: [
      [0, 500, 1_500],
      [0, 438, 1_313]
    ],
    stripe: [
      [0, 500, 1_000],
      [0, 500, 1_000]
    ],
    github: [
      [0, 1_000, 5_000, 14_000],
      [0, 1_000, 5_000, 14_000]
    ]
  }

  it.effect.each(names)("%s waits as its client does", (name) =>
    Effect.gen(function* () {
      const [least, middle] = rows[name]
      expect((yield* run(name, "GET", 0, 500)).times).toEqual(least)
      expect((yield* run(name, "GET", 0.5, 500)).times).toEqual(middle)
    })
  )

  /** The first six delays in milliseconds when the client goes on, at the draws 0 and 0.5. */
  const long = {
    openai: [
      [500, 1_000, 2_000, 4_000, 8_000, 8_000],
      [438, 875, 1_750, 3_500, 7_000, 7_000]
    ],
    stripe: [
      [500, 500, 500, 1_000, 2_000, 2_500],
      [500, 500, 750, 1_500, 3_000, 3_750]
    ],
    github: [
      [1_000, 4_000, 9_000, 16_000, 25_000, 36_000],
      [1_000, 4_000, 9_000, 16_000, 25_000, 36_000]
    ]
  } as const

  it.effect.each(["openai", "stripe", "github"] as const)("%s grows and is capped as its client is", (name) =>
    Effect.gen(function* () {
      for (const [index, u] of [0, 0.5].entries()) {
        const { calls, client } = ScriptedClient.make(500)
        const retried = HttpRetry.withRetry(client, { ...presets[name], maxAttempts: 7 })
        yield* retried.get("http://api.test/").pipe(VirtualClock.run, Effect.provide(SeededRandom.layerConstant(u)))
        const times = ScriptedClient.times(calls)
        expect(times.slice(1).map((time, attempt) => time - (times[attempt] ?? 0))).toEqual(long[name][index])
      }
    })
  )
})

describe("Presets statuses", () => {
  /** Of these, the ones after which a GET is sent again. */
  const asked = [400, 401, 403, 404, 408, 409, 413, 421, 422, 425, 429, 500, 501, 502, 503, 504, 505, 520, 529, 599]
  const rows: { readonly [name in Name]: ReadonlyArray<number> } = {
    standard: [408, 421, 425, 429, 500, 502, 503, 504],
    openai: [408, 409, 429, 500, 501, 502, 503, 504, 505, 520, 529, 599],
    anthropic: [408, 409, 429, 500, 501, 502, 503, 504, 505, 520, 529, 599],
    stripe: [409, 500, 501, 502, 503, 504, 505, 520, 529, 599],
    github: [408, 421, 425, 429, 500, 501, 502, 503, 504, 505, 520, 529, 599]
  }

  it.effect.each(names)("%s retries those of its client", (name) =>
    Effect.gen(function* () {
      const retried: Array<number> = []
      for (const status of asked) {
        const { calls } = yield* run(name, "GET", 0.5, status, 200)
        if (calls.length > 1) retried.push(status)
      }
      expect(retried).toEqual(rows[name])
    })
  )
})

describe("Presets methods", () => {
  const rows: { readonly [name in Name]: readonly [post: number, patch: number] } = {
    standard: [1, 1],
    openai: [3, 3],
    anthropic: [3, 3],
    stripe: [3, 1],
    github: [1, 1]
  }

  it.effect.each(names)("%s repeats those of its client", (name) =>
    Effect.gen(function* () {
      const [post, patch] = rows[name]
      expect((yield* run(name, "POST", 0.5, 500)).calls).toHaveLength(post)
      expect((yield* run(name, "PATCH", 0.5, 500)).calls).toHaveLength(patch)
    })
  )

  it.effect("stripe sends one key with every attempt of a POST", () =>
    Effect.gen(function* () {
      const { calls } = yield* run("stripe", "POST", 0.5, 500)
      expect(ScriptedClient.sent(calls, "idempotency-key")).toEqual(["key-1", "key-1", "key-1"])
    })
  )
})

describe("Presets headers", () => {
  interface Row {
    readonly name: Name
    readonly status: number
    readonly headers: { readonly [header: string]: string }
    /** When the second attempt starts, or why there is none. */
    readonly expected: number | string
  }
  const date = "Fri, 20 Nov 2026 12:00:00 GMT"
  const resetsIn = (seconds: number) => String(1_795_176_000 + seconds)
  const tooLong = (time: string) => `the server asked for ${time}, more than the policy waits`
  const rows: ReadonlyArray<Row> = [
    { name: "openai", status: 429, headers: { "retry-after-ms": "20" }, expected: 20 },
    { name: "openai", status: 429, headers: { "retry-after": "7" }, expected: 7_000 },
    { name: "openai", status: 429, headers: { "retry-after-ms": "20", "retry-after": "7" }, expected: 20 },
    // Its client retries at once; here a wait of zero leaves that of the back-off.
    { name: "openai", status: 429, headers: { "retry-after": "0" }, expected: 438 },
    { name: "openai", status: 429, headers: { "retry-after": "61" }, expected: tooLong("1m 1s") },
    { name: "openai", status: 429, headers: { "x-ratelimit-reset-requests": "6m0s" }, expected: 438 },
    {
      name: "openai",
      status: 500,
      headers: { "x-should-retry": "false" },
      expected: "not retryable: x-should-retry: false"
    },
    { name: "openai", status: 404, headers: { "x-should-retry": "true" }, expected: 438 },
    { name: "anthropic", status: 529, headers: { "retry-after": "7" }, expected: 7_000 },
    { name: "anthropic", status: 429, headers: { "retry-after": "0" }, expected: 438 },
    {
      name: "anthropic",
      status: 529,
      headers: { "x-should-retry": "false" },
      expected: "not retryable: x-should-retry: false"
    },
    {
      name: "stripe",
      status: 500,
      headers: { "stripe-should-retry": "false" },
      expected: "not retryable: stripe-should-retry: false"
    },
    { name: "stripe", status: 429, headers: { "stripe-should-retry": "true" }, expected: 500 },
    { name: "stripe", status: 503, headers: { "retry-after": "7" }, expected: 500 },
    { name: "github", status: 403, headers: { "retry-after": "7" }, expected: 7_000 },
    { name: "github", status: 403, headers: { "retry-after": "60" }, expected: 60_000 },
    {
      name: "github",
      status: 403,
      headers: { date, "x-ratelimit-remaining": "0", "x-ratelimit-reset": resetsIn(40) },
      expected: 40_000
    },
    {
      name: "github",
      status: 429,
      headers: { date, "x-ratelimit-remaining": "0", "x-ratelimit-reset": resetsIn(3_600) },
      expected: tooLong("1h")
    },
    { name: "github", status: 429, headers: {}, expected: 60_000 }
  ]

  it.effect.each(rows)("$name reads $headers of a $status as its client does", ({ expected, headers, name, status }) =>
    Effect.gen(function* () {
      const { reason, times } = yield* run(name, "GET", 0.5, { status, headers }, 200)
      expect(times[1] ?? reason).toBe(expected)
    })
  )

  it.effect("github takes a 403 that does not say how long for a refusal", () =>
    Effect.gen(function* () {
      const headers = { date, "x-ratelimit-remaining": "4999", "x-ratelimit-reset": resetsIn(40) }
      expect((yield* run("github", "GET", 0.5, { status: 403, headers }, 200)).times).toEqual([0])
    })
  )

  it.effect("github waits as its back-off says when the reset is this second, or past", () =>
    Effect.gen(function* () {
      for (const reset of ["0", "1"]) {
        const headers = {
          date: "Thu, 01 Jan 1970 00:00:01 GMT",
          "retry-after": `Thu, 01 Jan 1970 00:00:0${reset} GMT`
        }
        const limited = { status: 403, headers }
        expect((yield* run("github", "GET", 0.5, limited, limited, 200)).times).toEqual([0, 60_000, 180_000])
      }
    })
  )

  it.effect("github waits twice as long each time for a limit that does not say how long", () =>
    Effect.gen(function* () {
      expect((yield* run("github", "GET", 0.5, 429)).times).toEqual([0, 60_000, 180_000, 420_000])
    })
  )
})
