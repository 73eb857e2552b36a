import { Backoff, Classifier, Observe, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import * as Metrics from "@effect-retry/core/Metrics"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Context, Effect, Exit, FastCheck, Fiber, Metric, Option } from "effect"
import { law } from "../support/Laws.ts"
import * as Events from "./Events.ts"

class Bucket extends Context.Tag("test/Bucket")<Bucket, TokenBucket.TokenBucket>() {}

let operations = 0

/** Metrics are global: every run of a test has an operation of its own. */
const fresh = (operation: string) => `${operation} ${++operations}`

const policyOf = (name: string) => ({
  name,
  observe: [Observe.metrics],
  classifier: Classifier.always,
  maxAttempts: 3,
  backoff: Backoff.exponential({ base: "1 second" })
})

const series = <T, I, O>(metric: Metric.Metric<T, I, O>, tags: Record<string, string>): Metric.Metric<T, I, O> =>
  Object.entries(tags).reduce((tagged, [key, value]) => Metric.tagged(tagged, key, value), metric)

const count = (metric: Metric.Metric.Counter<number>, tags: Record<string, string>) =>
  Effect.map(Metric.value(series(metric, tags)), ({ count }) => count)

/** All series of this package under an operation's name: their name, tags and value. */
const seriesOf = (operation: string) =>
  Effect.map(Metric.snapshot, (pairs) =>
    pairs
      .filter(({ metricKey }) => metricKey.tags.some(({ key, value }) => key === "operation" && value === operation))
      .map(({ metricKey }) => {
        const tags = metricKey.tags.filter(({ key }) => key !== "operation")
        return [metricKey.name, ...tags.map(({ key, value }) => `${key}=${value}`)].join(" ")
      })
      .toSorted()
  )

const failing = <E>(...errors: ReadonlyArray<E>) => {
  let attempts = 0
  return Effect.suspend(() => {
    const error = errors[attempts++]
    return error === undefined ? Effect.succeed("done") : Effect.fail(error)
  })
}

describe("Observe.metrics", () => {
  it.effect("counts attempts, retries and stops of an operation by name", () =>
    Effect.gen(function* () {
      const operation = fresh("metrics/counts")
      const classifier = (error: "busy" | "slow down") => (error === "busy" ? Verdict.transient : Verdict.throttling)
      const policy = { ...policyOf(operation), classifier }
      yield* Retry.retry(failing<"busy" | "slow down">("busy", "slow down"), policy)
      yield* Retry.retry(Effect.succeed("done"), policy)
      yield* Effect.exit(Retry.retry(Effect.fail("busy" as const), policy))
      expect(yield* count(Metrics.attempts, { operation, outcome: "failed" })).toBe(2 + 3)
      expect(yield* count(Metrics.attempts, { operation, outcome: "succeeded" })).toBe(2)
      expect(yield* count(Metrics.retries, { operation, kind: "Transient" })).toBe(1 + 2)
      expect(yield* count(Metrics.retries, { operation, kind: "Throttling" })).toBe(1)
      expect(yield* count(Metrics.stops, { operation, reason: "AttemptsSpent" })).toBe(1)
      expect(yield* seriesOf(operation)).toEqual([
        "retry_attempts_total outcome=failed",
        "retry_attempts_total outcome=succeeded",
        "retry_delay_milliseconds source=Curve",
        "retry_retries_total kind=Throttling",
        "retry_retries_total kind=Transient",
        "retry_stops_total reason=AttemptsSpent"
      ])
    }).pipe(VirtualClock.run)
  )

  it.effect.each<{ readonly reason: string; readonly policy: Partial<ReturnType<typeof policyOf>> }>([
    { reason: "Terminal", policy: { classifier: Classifier.never } },
    { reason: "AttemptsSpent", policy: { maxAttempts: 1 } },
    { reason: "BackoffEnded", policy: { backoff: Backoff.fromDelays([]) } }
  ])("counts stops by reason: $reason", ({ policy, reason }) =>
    Effect.gen(function* () {
      const operation = fresh(`metrics/stops/${reason}`)
      yield* Effect.exit(Retry.retry(Effect.fail("busy"), { ...policyOf(operation), ...policy }))
      expect(yield* count(Metrics.stops, { operation, reason })).toBe(1)
      expect(yield* seriesOf(operation)).toEqual([
        "retry_attempts_total outcome=failed",
        `retry_stops_total reason=${reason}`
      ])
    }).pipe(VirtualClock.run)
  )

  it.effect("sorts delays into powers of two milliseconds, by source", () =>
    Effect.gen(function* () {
      const operation = fresh("metrics/delays")
      const capped = Backoff.capped(Backoff.exponential({ base: "1 second" }), "3 seconds")
      const policy = {
        ...policyOf(operation),
        backoff: Backoff.andThen(Backoff.fromDelays([0]), capped),
        maxAttempts: 6
      }
      yield* Effect.exit(Retry.retry(Effect.fail("busy"), policy))
      const curve = yield* Metric.value(series(Metrics.delays, { operation, source: "Curve" }))
      expect(curve).toMatchObject({ count: 3, min: 0, max: 2000, sum: 0 + 1000 + 2000 })
      const cap = yield* Metric.value(series(Metrics.delays, { operation, source: "Cap" }))
      expect(cap).toMatchObject({ count: 2, min: 3000, max: 3000, sum: 6000 })
      const boundaries = curve.buckets.map(([boundary]) => boundary)
      expect([...boundaries]).toEqual([...Array.from({ length: 18 }, (_, i) => 2 ** i).slice(0, -1), Infinity])
      const cumulative = new Map(curve.buckets)
      expect([1, 512, 1024, 2048].map((boundary) => cumulative.get(boundary))).toEqual([1, 1, 2, 3])
    }).pipe(VirtualClock.run)
  )

  it.effect("shows the level of the bucket after the latest event, and none without a bucket", () =>
    Effect.gen(function* () {
      const operation = fresh("metrics/level")
      const bucket = yield* TokenBucket.quota({ capacity: 100 })
      const level = Effect.map(Metric.value(series(Metrics.bucketLevel, { operation })), ({ value }) => value)
      const policy = { ...policyOf(operation), bucket: Bucket }
      const funded = Effect.provideService(Bucket, bucket)
      yield* Effect.exit(funded(Retry.retry(Effect.fail("busy"), policy)))
      expect(yield* level).toBe(100 - 14 - 14)
      yield* funded(Retry.retry(failing("busy"), policy))
      expect(yield* level).toBe(100 - 14 - 14)
      yield* funded(Retry.retry(Effect.succeed("done"), policy))
      expect(yield* level).toBe(100 - 14 - 14 + 1)
      expect(yield* seriesOf(operation)).toContain("retry_bucket_level")
    }).pipe(VirtualClock.run)
  )

  it.effect("overwrites the level of one key with that of another, unless the operations are tagged", () =>
    Effect.gen(function* () {
      const operation = fresh("metrics/keys")
      const bucket = yield* TokenBucket.keyed({
        bucket: TokenBucket.quota({ capacity: 100 }),
        maxKeys: 10,
        idleTimeToLive: "1 hour"
      })
      const policy = { ...policyOf(operation), bucket }
      const level = (tags: Record<string, string>) =>
        Effect.map(Metric.value(series(Metrics.bucketLevel, { operation, ...tags })), ({ value }) => value)
      const run = (table: string, ...errors: ReadonlyArray<string>) =>
        Retry.retry(failing(...errors), policy).pipe(Effect.provideService(TokenBucket.Key, table), Effect.exit)
      yield* run("orders", "busy", "busy", "busy")
      expect(yield* level({})).toBe(100 - 14 - 14)
      yield* run("users", "busy", "busy")
      expect(yield* level({})).toBe(100 - 14)
      yield* Effect.tagMetrics(run("orders", "busy", "busy", "busy"), "table", "orders")
      yield* Effect.tagMetrics(run("users", "busy"), "table", "users")
      expect([yield* level({ table: "orders" }), yield* level({ table: "users" })]).toEqual([44, 86])
    }).pipe(VirtualClock.run)
  )

  it.effect("counts nested operations by the outer one", () =>
    Effect.gen(function* () {
      const operation = fresh("metrics/nested")
      const inner = Retry.retry(Effect.fail("busy"), policyOf(operation))
      const outer = { name: "job", classifier: Classifier.always, maxAttempts: 2, backoff: Backoff.fromDelays([0]) }
      yield* Effect.exit(Retry.retry(inner, outer))
      expect(yield* count(Metrics.nested, { operation, outer: "job" })).toBe(2)
    }).pipe(VirtualClock.run)
  )

  it.effect(
    "counts a retry after a rejected result by its kind, and operations without a name under the empty name",
    () =>
      Effect.gen(function* () {
        const before = yield* count(Metrics.retries, { operation: "", kind: "Server" })
        const judged = { ...policyOf("unused"), name: undefined, maxAttempts: 2, result: () => Verdict.server }
        yield* Retry.retry(Effect.succeed(503), judged)
        expect(yield* count(Metrics.retries, { operation: "", kind: "Server" })).toBe(before + 1)
      }).pipe(VirtualClock.run)
  )

  it.effect("keeps one series for each combination of tags, however often", () =>
    Effect.gen(function* () {
      const operation = fresh("metrics/series")
      const events = Events.all.map((event): Observe.RetryEvent => ({ ...event, name: operation }))
      yield* Effect.forEach(Chunk.range(1, 50), () => Effect.forEach(events, Observe.metrics))
      expect(yield* seriesOf(operation)).toEqual([
        "retry_attempts_total outcome=failed",
        "retry_attempts_total outcome=succeeded",
        "retry_bucket_level",
        "retry_delay_milliseconds source=Cap",
        "retry_hedges_total because=Delay",
        "retry_hedges_total because=Refused",
        "retry_nested_total outer=job",
        "retry_retries_total kind=Throttling",
        "retry_stops_total reason=AttemptsSpent"
      ])
      expect(yield* count(Metrics.nested, { operation, outer: "job" })).toBe(50)
    })
  )

  it.effect("keeps operations of one name apart by the tags of their fibers, whichever policy they have", () =>
    Effect.gen(function* () {
      const operation = fresh("metrics/tags")
      const call = (table: string) =>
        Retry.retry(failing("busy"), policyOf(operation)).pipe(Effect.tagMetrics({ table, region: "eu" }))
      const calls = [call("orders"), call("users"), call("orders"), Retry.retry(Effect.void, policyOf(operation))]
      yield* Effect.all(calls, { concurrency: "unbounded" })
      expect(yield* seriesOf(operation)).toEqual(
        [
          "retry_attempts_total outcome=succeeded",
          ...["orders", "users"].flatMap((table) => [
            `retry_attempts_total outcome=failed table=${table} region=eu`,
            `retry_attempts_total outcome=succeeded table=${table} region=eu`,
            `retry_delay_milliseconds source=Curve table=${table} region=eu`,
            `retry_retries_total kind=Transient table=${table} region=eu`
          ])
        ].toSorted()
      )
      const succeeded = (tags: Record<string, string>) =>
        count(Metrics.attempts, { operation, outcome: "succeeded", ...tags })
      expect(yield* succeeded({ table: "orders", region: "eu" })).toBe(2)
      expect(yield* succeeded({ table: "users", region: "eu" })).toBe(1)
      expect(yield* succeeded({})).toBe(1)
    }).pipe(VirtualClock.run)
  )

  it.effect("counts where and when its effect runs, also inside an observer around it", () =>
    Effect.gen(function* () {
      const operation = fresh("metrics/around")
      const tagging: Observe.Observer = (event) => Effect.tagMetrics(Observe.metrics(event), "shard", "1")
      yield* Retry.retry(Effect.void, { ...policyOf(operation), observe: [tagging] })
      Observe.metrics({ ...Events.succeeded, name: operation })
      expect(yield* seriesOf(operation)).toEqual(["retry_attempts_total outcome=succeeded shard=1"])
    }).pipe(VirtualClock.run)
  )

  it.effect("counts a retry of a failure without a kind", () =>
    Effect.gen(function* () {
      const operation = fresh("metrics/no kind")
      yield* Observe.metrics({ ...Events.retryScheduled, name: operation, verdict: Verdict.noOpinion })
      expect(yield* count(Metrics.retries, { operation, kind: "none" })).toBe(1)
    })
  )

  it.effect("counts before a bucket that takes time has told its level", () =>
    Effect.gen(function* () {
      const operation = fresh("metrics/slow level")
      const told = (level: Effect.Effect<number>) =>
        Effect.exit(Observe.metrics({ ...Events.succeeded, name: operation, level: Effect.asSome(level) }))
      const attempts = count(Metrics.attempts, { operation, outcome: "succeeded" })
      const level = Effect.map(Metric.value(series(Metrics.bucketLevel, { operation })), ({ value }) => value)
      const fiber = yield* Effect.fork(told(Effect.as(Effect.sleep("1 second"), 7)))
      yield* Effect.sleep("500 millis")
      expect([yield* attempts, yield* level]).toEqual([1, 0])
      yield* Fiber.join(fiber)
      expect([yield* attempts, yield* level]).toEqual([1, 7])
      expect(yield* told(Effect.die("no level"))).toEqual(Exit.die("no level"))
      expect([yield* attempts, yield* level]).toEqual([2, 7])
    }).pipe(VirtualClock.run)
  )
})

describe("Metrics", () => {
  it.effect("have a description", () =>
    Effect.gen(function* () {
      const operation = fresh("metrics/descriptions")
      yield* Effect.forEach(Events.all, (event) => Observe.metrics({ ...event, name: operation }))
      const pairs = yield* Metric.snapshot
      const described = pairs
        .filter(({ metricKey }) => metricKey.tags.some(({ value }) => value === operation))
        .map(({ metricKey }) => [metricKey.name, Option.getOrNull(metricKey.description)] as const)
      expect(Object.fromEntries(described)).toEqual({
        retry_attempts_total: "Attempts that ended",
        retry_retries_total: "Retries that were scheduled",
        retry_stops_total: "Operations that gave up",
        retry_hedges_total: "Further attempts of hedged operations",
        retry_nested_total: "Operations inside an attempt of another one",
        retry_delay_milliseconds: "Delays before retries",
        retry_bucket_level: "Tokens in the bucket"
      })
    })
  )
})

describe("Observe.metricsByKey", () => {
  const keyed = (key: string) => Effect.provideService(TokenBucket.Key, key)

  it.effect("keeps series of the first keys, and one series of those beyond", () =>
    Effect.gen(function* () {
      const operation = fresh("metricsByKey/bound")
      const observe = [yield* Observe.metricsByKey({ maxKeys: 2 })]
      const run = Retry.retry(Effect.succeed("done"), { ...policyOf(operation), observe })
      yield* Effect.forEach(["orders", "users", "items", "orders", "carts", ""], (key) => keyed(key)(run))
      const ofKey = (key: string) => count(Metrics.attempts, { operation, key, outcome: "succeeded" })
      expect(yield* Effect.all(["orders", "users", "other", ""].map(ofKey))).toEqual([2, 1, 2, 1])
      expect(yield* seriesOf(operation)).toEqual([
        "retry_attempts_total key= outcome=succeeded",
        "retry_attempts_total key=orders outcome=succeeded",
        "retry_attempts_total key=other outcome=succeeded",
        "retry_attempts_total key=users outcome=succeeded"
      ])
    }).pipe(VirtualClock.run)
  )

  it.effect("shows the level of each key's bucket, without floating-point error", () =>
    Effect.gen(function* () {
      const operation = fresh("metricsByKey/level")
      const bucket = yield* TokenBucket.keyed({
        bucket: TokenBucket.quota({ capacity: 100, refillPerSecond: 0.1 }),
        maxKeys: 10,
        idleTimeToLive: "1 hour"
      })
      const observe = [yield* Observe.metricsByKey({ maxKeys: 10 })]
      const run = (key: string, ...errors: ReadonlyArray<string>) =>
        keyed(key)(Effect.exit(Retry.retry(failing(...errors), { ...policyOf(operation), bucket, observe })))
      yield* run("orders", "busy", "busy", "busy")
      yield* run("users", "busy")
      const level = (key: string) =>
        Effect.map(Metric.value(series(Metrics.bucketLevel, { operation, key })), ({ value }) => value)
      expect([yield* level("orders"), yield* level("users")]).toEqual([72.3, 100])
    }).pipe(VirtualClock.run)
  )

  it.effect("keeps the tags of a protocol apart, and the gauge by the key alone", () =>
    Effect.gen(function* () {
      const operation = fresh("metricsByKey/tags")
      const tagged = Observe.describing(({ _tag }) => ({
        key: "api",
        tags: { class: _tag === "Succeeded" ? "2xx" : "5xx" }
      }))
      const observer = tagged(yield* Observe.metricsByKey({ maxKeys: 1 }))
      const events = Events.all.map((event): Observe.RetryEvent => ({ ...event, name: operation }))
      yield* Effect.forEach(Chunk.range(1, 10), () => Effect.forEach(events, observer))
      expect(yield* seriesOf(operation)).toEqual([
        "retry_attempts_total key=api class=2xx outcome=succeeded",
        "retry_attempts_total key=api class=5xx outcome=failed",
        "retry_bucket_level key=api",
        "retry_delay_milliseconds key=api class=5xx source=Cap",
        "retry_hedges_total key=api class=5xx because=Delay",
        "retry_hedges_total key=api class=5xx because=Refused",
        "retry_nested_total key=api class=5xx outer=job",
        "retry_retries_total key=api class=5xx kind=Throttling",
        "retry_stops_total key=api class=5xx reason=AttemptsSpent"
      ])
    })
  )

  it.effect.prop(
    "never keeps more keys than the bound and one, whatever the keys",
    [
      FastCheck.uniqueArray(FastCheck.string({ minLength: 1 }), { maxLength: 30 }),
      FastCheck.integer({ min: 1, max: 10 })
    ],
    ([keys, maxKeys]) =>
      Effect.gen(function* () {
        const operation = fresh("metricsByKey/law")
        const observer = yield* Observe.metricsByKey({ maxKeys })
        const event = (key: string): Observe.RetryEvent => ({
          ...Events.succeeded,
          name: operation,
          level: Effect.succeedNone,
          details: () => ({ ...Events.detailsOf(Events.succeeded), key })
        })
        yield* Effect.forEach([...keys, ...keys], (key) => observer(event(key)))
        expect((yield* seriesOf(operation)).length).toBe(Math.min(keys.length, maxKeys + 1))
      }),
    law(50)
  )
  it.each([0, -1, 1.5, NaN, Infinity])("refuses a bound of %s keys", (maxKeys) => {
    expect(() => Observe.metricsByKey({ maxKeys })).toThrow(
      `Observe.metricsByKey: maxKeys must be a whole number >= 1, got ${maxKeys}`
    )
  })
})
