import { Backoff, Classifier, Observe, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import * as Metrics from "@effect-retry/core/Metrics"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Context, Effect, Exit, FastCheck, Fiber, Metric } from "effect"
import { law } from "../support/Laws.ts"
import * as Snapshots from "../support/Snapshots.ts"
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

/** The labels of this package by their short names; others as they are. */
const names: Record<string, string> = {
  operation: "retry.operation",
  outcome: "retry.outcome",
  kind: "retry.kind",
  reason: "retry.stop_reason",
  source: "retry.delay_source",
  outer: "retry.outer",
  because: "retry.hedge_because",
  key: "retry.key"
}

const short = Object.fromEntries(Object.entries(names).map(([short, name]) => [name, short]))

/** A series of a metric, of which each combination of labels is one. */
const series = <T, I, O>(metric: Metric.Metric<T, I, O>, tags: Record<string, string>): Metric.Metric<T, I, O> =>
  Object.entries(tags).reduce((tagged, [key, value]) => Metric.tagged(tagged, names[key] ?? key, value), metric)

const count = (metric: Metric.Metric.Counter<number>, tags: Record<string, string>) =>
  Effect.map(Metric.value(series(metric, tags)), ({ count }) => count)

/** All series of this package under an operation's name: their name, tags and value. */
const seriesOf = (operation: string) =>
  Effect.map(Snapshots.all, (all) =>
    all
      .filter(({ tags }) => tags.some(({ key, value }) => key === "retry.operation" && value === operation))
      .map(({ name, tags: labels }) => {
        const tags = labels
          .filter(({ key }) => key !== "retry.operation" && key !== "unit")
          .map(({ key, value }) => ({ key: short[key] ?? key, value }))
        return [name, ...tags.map(({ key, value }) => `${key}=${value}`)].join(" ")
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
      expect(yield* count(Metrics.attempts, { operation, outcome: "failed", kind: "Transient" })).toBe(1 + 3)
      expect(yield* count(Metrics.attempts, { operation, outcome: "failed", kind: "Throttling" })).toBe(1)
      expect(yield* count(Metrics.attempts, { operation, outcome: "succeeded", kind: "none" })).toBe(2)
      expect(yield* count(Metrics.retries, { operation, kind: "Transient" })).toBe(1 + 2)
      expect(yield* count(Metrics.retries, { operation, kind: "Throttling" })).toBe(1)
      expect(yield* count(Metrics.stops, { operation, reason: "AttemptsSpent", kind: "Transient" })).toBe(1)
      expect(yield* seriesOf(operation)).toEqual([
        "retry.attempts outcome=failed kind=Throttling",
        "retry.attempts outcome=failed kind=Transient",
        "retry.attempts outcome=succeeded kind=none",
        "retry.delay kind=Throttling source=Curve",
        "retry.delay kind=Transient source=Curve",
        "retry.retries kind=Throttling",
        "retry.retries kind=Transient",
        "retry.stops reason=AttemptsSpent kind=Transient"
      ])
    }).pipe(VirtualClock.run)
  )

  it.effect.each<{
    readonly reason: string
    readonly kind: string
    readonly policy: Partial<ReturnType<typeof policyOf>>
  }>([
    { reason: "Terminal", kind: "none", policy: { classifier: Classifier.never } },
    {
      reason: "Terminal",
      kind: "Throttling",
      policy: { classifier: () => Verdict.terminal("no use", { kind: "Throttling" }) }
    },
    { reason: "AttemptsSpent", kind: "Transient", policy: { maxAttempts: 1 } },
    { reason: "BackoffEnded", kind: "Transient", policy: { backoff: Backoff.fromDelays([]) } }
  ])("counts stops by reason and kind: $reason, $kind", ({ kind, policy, reason }) =>
    Effect.gen(function* () {
      const operation = fresh(`metrics/stops/${reason}/${kind}`)
      yield* Effect.exit(Retry.retry(Effect.fail("busy"), { ...policyOf(operation), ...policy }))
      expect(yield* count(Metrics.stops, { operation, reason, kind })).toBe(1)
      expect(yield* seriesOf(operation)).toEqual([
        `retry.attempts outcome=failed kind=${kind}`,
        `retry.stops reason=${reason} kind=${kind}`
      ])
    }).pipe(VirtualClock.run)
  )

  it.effect("sorts delays into powers of two, from a millisecond, by source", () =>
    Effect.gen(function* () {
      const operation = fresh("metrics/delays")
      const capped = Backoff.capped(Backoff.exponential({ base: "1 second" }), "3 seconds")
      const policy = {
        ...policyOf(operation),
        backoff: Backoff.andThen(Backoff.fromDelays([0]), capped),
        maxAttempts: 6
      }
      yield* Effect.exit(Retry.retry(Effect.fail("busy"), policy))
      const curve = yield* Metric.value(
        series(Metrics.delays, { operation, kind: "Transient", source: "Curve", unit: "s" })
      )
      expect(curve).toMatchObject({ count: 3, min: 0, max: 2, sum: 0 + 1 + 2 })
      const cap = yield* Metric.value(
        series(Metrics.delays, { operation, kind: "Transient", source: "Cap", unit: "s" })
      )
      expect(cap).toMatchObject({ count: 2, min: 3, max: 3, sum: 6 })
      const boundaries = curve.buckets.map(([boundary]) => boundary)
      expect([...boundaries]).toEqual([...Array.from({ length: 18 }, (_, i) => 0.001 * 2 ** i).slice(0, -1), Infinity])
      const cumulative = new Map(curve.buckets)
      expect([0.001, 0.512, 1.024, 2.048].map((boundary) => cumulative.get(boundary))).toEqual([1, 1, 2, 3])
    }).pipe(VirtualClock.run)
  )

  it.effect("shows the level of the bucket after the latest event, and none without a bucket", () =>
    Effect.gen(function* () {
      const operation = fresh("metrics/level")
      const bucket = yield* TokenBucket.quota({ capacity: 100 })
      const level = Effect.map(
        Metric.value(series(Metrics.bucketLevel, { operation, unit: "{token}" })),
        ({ value }) => value
      )
      const policy = { ...policyOf(operation), bucket: Bucket }
      const funded = Effect.provideService(Bucket, bucket)
      yield* Effect.exit(funded(Retry.retry(Effect.fail("busy"), policy)))
      expect(yield* level).toBe(100 - 14 - 14)
      yield* funded(Retry.retry(failing("busy"), policy))
      expect(yield* level).toBe(100 - 14 - 14)
      yield* funded(Retry.retry(Effect.succeed("done"), policy))
      expect(yield* level).toBe(100 - 14 - 14 + 1)
      expect(yield* seriesOf(operation)).toContain("retry.bucket.level")
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
        Effect.map(
          Metric.value(series(Metrics.bucketLevel, { operation, unit: "{token}", ...tags })),
          ({ value }) => value
        )
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

  it.effect("keeps one series for each combination of tags, however often it occurs", () =>
    Effect.gen(function* () {
      const operation = fresh("metrics/series")
      const events = Events.all.map((event): Observe.RetryEvent => ({ ...event, name: operation }))
      yield* Effect.forEach(Chunk.range(1, 50), () => Effect.forEach(events, Observe.metrics))
      expect(yield* seriesOf(operation)).toEqual([
        "retry.attempts outcome=failed kind=Throttling",
        "retry.attempts outcome=succeeded kind=none",
        "retry.bucket.level",
        "retry.delay kind=Throttling source=Cap",
        "retry.hedges because=Delay",
        "retry.hedges because=Refused",
        "retry.nested outer=job",
        "retry.retries kind=Throttling",
        "retry.stops reason=AttemptsSpent kind=Throttling"
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
          "retry.attempts outcome=succeeded kind=none",
          ...["orders", "users"].flatMap((table) => [
            `retry.attempts outcome=failed kind=Transient table=${table} region=eu`,
            `retry.attempts outcome=succeeded kind=none table=${table} region=eu`,
            `retry.delay kind=Transient source=Curve table=${table} region=eu`,
            `retry.retries kind=Transient table=${table} region=eu`
          ])
        ].toSorted()
      )
      const succeeded = (tags: Record<string, string>) =>
        count(Metrics.attempts, { operation, outcome: "succeeded", kind: "none", ...tags })
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
      expect(yield* seriesOf(operation)).toEqual(["retry.attempts outcome=succeeded kind=none shard=1"])
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
      const attempts = count(Metrics.attempts, { operation, outcome: "succeeded", kind: "none" })
      const level = Effect.map(
        Metric.value(series(Metrics.bucketLevel, { operation, unit: "{token}" })),
        ({ value }) => value
      )
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
      const described = (yield* Snapshots.all)
        .filter(({ tags }) => tags.some(({ value }) => value === operation))
        .map(({ description, name }) => [name, description] as const)
      expect(Object.fromEntries(described)).toEqual({
        "retry.attempts": "Attempts that ended",
        "retry.retries": "Retries that were scheduled",
        "retry.stops": "Operations that gave up",
        "retry.hedges": "Further attempts of hedged operations",
        "retry.nested": "Operations inside an attempt of another one",
        "retry.delay": "Delays before retries",
        "retry.bucket.level": "Tokens in the bucket"
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
      const ofKey = (key: string) => count(Metrics.attempts, { operation, key, outcome: "succeeded", kind: "none" })
      expect(yield* Effect.all(["orders", "users", "other", ""].map(ofKey))).toEqual([2, 1, 2, 1])
      expect(yield* seriesOf(operation)).toEqual([
        "retry.attempts key= outcome=succeeded kind=none",
        "retry.attempts key=orders outcome=succeeded kind=none",
        "retry.attempts key=other outcome=succeeded kind=none",
        "retry.attempts key=users outcome=succeeded kind=none"
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
        Effect.map(Metric.value(series(Metrics.bucketLevel, { operation, key, unit: "{token}" })), ({ value }) => value)
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
        "retry.attempts key=api class=2xx outcome=succeeded kind=none",
        "retry.attempts key=api class=5xx outcome=failed kind=Throttling",
        "retry.bucket.level key=api",
        "retry.delay key=api class=5xx kind=Throttling source=Cap",
        "retry.hedges key=api class=5xx because=Delay",
        "retry.hedges key=api class=5xx because=Refused",
        "retry.nested key=api class=5xx outer=job",
        "retry.retries key=api class=5xx kind=Throttling",
        "retry.stops key=api class=5xx reason=AttemptsSpent kind=Throttling"
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
