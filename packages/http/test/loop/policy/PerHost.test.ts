import { HttpClient, HttpClientError, HttpClientResponse } from "@effect/platform"
import { Backoff, CircuitBreaker, Retry, TokenBucket } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import * as Scripted from "../../support/ScriptedClient.ts"

const { world } = Scripted

const [a, b, c] = ["http://a.example/", "http://b.example/", "http://c.example/"] as const

/** A client of hosts that answer each by a script of its own, the last answer again and again. */
const hosts = (scripts: Readonly<Record<string, ReadonlyArray<Scripted.Answer>>>) => {
  const sent: Array<readonly [atMillis: number, url: string]> = []
  const client = HttpClient.makeWith<never, never, HttpClientError.HttpClientError, never>(
    Effect.flatMap((request) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const steps = scripts[request.url] ?? []
        const count = sent.filter(([, url]) => url === request.url).length
        sent.push([now, request.url])
        const { headers, status } = steps[Math.min(count, steps.length - 1)] ?? { status: 200 }
        return HttpClientResponse.fromWeb(request, new Response(null, { status, headers: headers ?? {} }))
      })
    ),
    Effect.succeed
  )
  const timesOf = (url: string) => sent.flatMap(([at, of]) => (of === url ? [at] : []))
  return { client, sent, timesOf }
}

const busy: Scripted.Answer = { status: 429, headers: { "retry-after": "10" } }
const ok: Scripted.Answer = { status: 200 }
const down: Scripted.Answer = { status: 503 }

const backoff = Backoff.constant({ delay: "1 second" })

describe("HttpRetry.perHost", () => {
  it.effect("holds back after a request that must not be repeated, too", () =>
    Effect.gen(function* () {
      const { client, timesOf } = hosts({ [a]: [busy, ok] })
      const retried = HttpRetry.withRetry(client, yield* HttpRetry.perHost())
      yield* retried.post(a)
      yield* retried.get(a)
      expect(timesOf(a)).toEqual([0, 10_000])
    }).pipe(world)
  )

  it.effect("lets a failing host take no retries from another one", () =>
    Effect.gen(function* () {
      const { client, timesOf } = hosts({ [a]: [down], [b]: [down, ok] })
      const heard = Scripted.gaveUp()
      const policy = { ...(yield* HttpRetry.perHost()), backoff, observe: heard.observe }
      const retried = HttpRetry.withRetry(client, policy)
      yield* Effect.replicateEffect(retried.get(a), 40)
      expect(heard.reasons.map(Retry.format)).toContain("the bucket refused the retry")
      expect(timesOf(a).length).toBeLessThan(40 * 3)
      expect((yield* retried.get(b)).status).toBe(200)
    }).pipe(world)
  )

  it.effect("tells ports apart", () =>
    Effect.gen(function* () {
      const other = "http://a.example:8080/"
      const { client, timesOf } = hosts({ [a]: [busy, ok], [other]: [ok] })
      const retried = HttpRetry.withRetry(client, { ...(yield* HttpRetry.perHost()), maxAttempts: 1 })
      yield* retried.get(a)
      yield* retried.get(other)
      expect(timesOf(other)).toEqual([0])
    }).pipe(world)
  )

  it.effect("goes by the host of each hop when redirects are followed behind the retries", () =>
    Effect.gen(function* () {
      const { client, timesOf } = hosts({ [a]: [{ status: 307, headers: { location: b } }, ok], [b]: [busy, ok] })
      const policy = { ...(yield* HttpRetry.perHost()), maxAttempts: 1 }
      const retried = client.pipe(HttpRetry.withRetry(policy), HttpClient.followRedirects())
      yield* retried.get(a)
      yield* Effect.zip(retried.get(a), retried.get(b), { concurrent: true })
      expect([a, b].map(timesOf)).toEqual([
        [0, 0],
        [0, 10_000]
      ])
    }).pipe(world)
  )

  it.effect("goes by the host asked first when they are followed below the retries", () =>
    Effect.gen(function* () {
      const { client, timesOf } = hosts({ [a]: [{ status: 307, headers: { location: b } }, ok], [b]: [busy, ok] })
      const policy = { ...(yield* HttpRetry.perHost()), maxAttempts: 1 }
      const retried = client.pipe(HttpClient.followRedirects(), HttpRetry.withRetry(policy))
      yield* retried.get(a)
      yield* Effect.zip(retried.get(a), retried.get(b), { concurrent: true })
      expect([a, b].map(timesOf)).toEqual([
        [0, 10_000],
        [0, 0]
      ])
    }).pipe(world)
  )

  it.effect("leaves the key to a caller that has set one", () =>
    Effect.gen(function* () {
      const { client, timesOf } = hosts({ [a]: [busy, ok], [b]: [ok] })
      const retried = HttpRetry.withRetry(client, { ...(yield* HttpRetry.perHost()), maxAttempts: 1 })
      yield* Effect.provideService(Effect.zip(retried.get(a), retried.get(b)), TokenBucket.Key, "tenant")
      expect(timesOf(b)).toEqual([10_000])
    }).pipe(world)
  )

  it.effect("shares its buckets with the clients that share the policy", () =>
    Effect.gen(function* () {
      const { client, timesOf } = hosts({ [a]: [busy, ok] })
      const shared = { ...(yield* HttpRetry.perHost()), maxAttempts: 1 }
      yield* HttpRetry.withRetry(client, shared).get(a)
      yield* HttpRetry.withRetry(client, { ...(yield* HttpRetry.perHost()), maxAttempts: 1 }).get(a)
      yield* HttpRetry.withRetry(client, shared).get(a)
      expect(timesOf(a)).toEqual([0, 0, 10_000])
    }).pipe(world)
  )

  it.effect("has one shared pair for the hosts beyond the most", () =>
    Effect.gen(function* () {
      const { client, timesOf } = hosts({ [a]: [ok], [b]: [busy, ok], [c]: [ok] })
      const policy = yield* HttpRetry.perHost({ maxHosts: 1, idleTimeToLive: "1 day" })
      const retried = HttpRetry.withRetry(client, { ...policy, maxAttempts: 1 })
      yield* retried.get(a)
      yield* retried.get(b)
      yield* Effect.zip(retried.get(c), retried.get(a), { concurrent: true })
      expect([c, a].map(timesOf)).toEqual([[10_000], [0, 0]])
    }).pipe(world)
  )

  it("refuses options that keyed buckets refuse, and to forget a host before its pause is over", () => {
    for (const maxHosts of [0, 1.5]) {
      expect(() => HttpRetry.perHost({ maxHosts })).toThrow(
        `HttpRetry.perHost: maxHosts must be a whole number >= 1, got ${maxHosts}`
      )
    }
    expect(() => HttpRetry.perHost({ idleTimeToLive: "1 minute" })).toThrow(
      "HttpRetry.perHost: idleTimeToLive must be a finite duration >"
    )
    expect(() => HttpRetry.perHost(null as never)).toThrow(
      "HttpRetry.perHost: options must be a record, as in HttpRetry.perHost({ maxHosts: 1000 })"
    )
  })

  it("adds nothing to the types of a client", () => {
    const client = {} as HttpClient.HttpClient
    const made = () => Effect.map(HttpRetry.perHost(), (policy) => HttpRetry.withRetry(client, policy))
    expectTypeOf(made).returns.toEqualTypeOf<Effect.Effect<HttpClient.HttpClient>>()
    const inPipe = () => Effect.map(HttpRetry.perHost(), (policy) => client.pipe(HttpRetry.withRetry(policy)))
    expectTypeOf(inPipe).returns.toEqualTypeOf<Effect.Effect<HttpClient.HttpClient>>()
  })
})

describe("HttpRetry.perHost with a rate limiter", () => {
  it.effect("breaks the circuit of one host, and no other, and closes it when the host is back", () =>
    Effect.gen(function* () {
      const { client, timesOf } = hosts({ [a]: [down, down, ok], [b]: [ok] })
      const rateLimiter = CircuitBreaker.make({ opensAt: { consecutive: 2 }, openFor: "30 seconds" })
      const policy = { ...(yield* HttpRetry.perHost({ rateLimiter })), maxAttempts: 1 }
      const retried = HttpRetry.withRetry(client, policy)
      yield* Effect.replicateEffect(retried.get(a), 2)
      const refused = yield* Effect.flip(retried.get(a))
      expect(refused).toMatchObject({
        _tag: "RequestError",
        cause: { _tag: "AttemptRefused", refusal: { state: "Open" } }
      })
      yield* retried.get(b)
      yield* Effect.sleep("30 seconds")
      expect((yield* retried.get(a)).status).toBe(200)
      expect((yield* retried.get(a)).status).toBe(200)
      expect([a, b].map(timesOf)).toEqual([[0, 0, 30_000, 30_000], [0]])
    }).pipe(world)
  )

  it.effect("counts a request that failed and must not be repeated", () =>
    Effect.gen(function* () {
      const { client, timesOf } = hosts({ [a]: [down] })
      const rateLimiter = CircuitBreaker.make({ opensAt: { consecutive: 2 } })
      const retried = HttpRetry.withRetry(client, yield* HttpRetry.perHost({ rateLimiter }))
      yield* Effect.replicateEffect(retried.post(a), 2)
      expect(yield* Effect.flip(retried.get(a))).toMatchObject({ cause: { refusal: { state: "Open" } } })
      expect(timesOf(a)).toEqual([0, 0])
    }).pipe(world)
  )
})
