import { RetryBucket, SendRate } from "@effect-retry/core"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Option } from "effect"
import { read } from "./rows.ts"

const path = "docs/buckets.md"

const virtually = (name: string, body: () => Effect.Effect<void, unknown>) =>
  it.effect(name, () => VirtualClock.run(body()).pipe(Effect.provide(SeededRandom.layer(name))))

const restore: RetryBucket.Restore = (effect) => effect

/** How many retries a bucket grants at once. */
const retries = (bucket: RetryBucket.RetryBucket, most = 1000) =>
  Effect.gen(function* () {
    for (let n = 0; n < most; n++) if (Option.isNone(yield* bucket.take("Server", restore))) return n
    return most
  })

const successes = (bucket: RetryBucket.RetryBucket, count: number) =>
  Effect.replicateEffect(bucket.ended({ _tag: "Succeeded", attempt: 1, cost: 0 }), count)

const failures = (bucket: RetryBucket.RetryBucket, count: number) =>
  Effect.replicateEffect(bucket.ended({ _tag: "Failed", attempt: 1, kind: Option.some("Server") }), count)

/** How many attempts a send rate grants at once, of those that do not wait. */
const attempts = (rate: SendRate.SendRate, most = 1000) =>
  Effect.gen(function* () {
    for (let n = 0; n < most; n++)
      if (!(yield* rate.acquire({ attempt: 1, atMost: Option.some(Duration.zero) }))) return n
    return most
  })

/** Each of these executes the row of a layer. */
const layers: Readonly<Record<string, () => void>> = {
  "RetryBucket.layerSuccessRatio": () =>
    virtually("grants a capacity, a ratio of the successes, and a floor", () =>
      Effect.gen(function* () {
        const bucket = yield* RetryBucket.makeSuccessRatio({ ratio: 0.1, capacity: 10, floorPerSecond: 1 })
        expect(yield* retries(bucket)).toBe(10)
        yield* successes(bucket, 30)
        yield* Effect.sleep("5 seconds")
        expect(yield* retries(bucket)).toBe(0.1 * 30 + 1 * 5)
      })
    ),

  "RetryBucket.layerQuota": () =>
    virtually("is paid by kind, and gets back what a retry cost", () =>
      Effect.gen(function* () {
        const bucket = yield* RetryBucket.makeQuota()
        expect(yield* bucket.level.get).toBe(500)
        const cost = yield* Effect.flatten(bucket.take("Throttling", restore))
        expect(yield* Effect.flatten(bucket.take("Server", restore))).toBeGreaterThan(cost)
        yield* bucket.ended({ _tag: "Succeeded", attempt: 2, cost })
        const level = yield* bucket.level.get
        expect(level).toBe(500 - 14)
        yield* successes(bucket, 1)
        expect(yield* bucket.level.get).toBe(level + 1)
      })
    ),

  "RetryBucket.layerChargingQuota": () =>
    virtually("takes first attempts out of the same tokens", () =>
      Effect.gen(function* () {
        const bucket = yield* RetryBucket.makeChargingQuota({ capacity: 20, firstCost: 10 })
        yield* bucket.takeFirst(restore)
        expect(yield* bucket.take("Server", restore)).toEqual(Option.none())
        yield* bucket.takeFirst(restore)
        expect(yield* bucket.takeFirst(restore)).toEqual(Option.none())
      })
    ),

  "RetryBucket.layerRequestRatio": () =>
    virtually("grants a ratio of the requests and a floor in a window, and not for longer", () =>
      Effect.gen(function* () {
        const options = { ratio: 0.1, floorPerSecond: 2, window: "10 seconds" } as const
        const bucket = yield* RetryBucket.makeRequestRatio(options)
        yield* failures(bucket, 50)
        expect(yield* retries(bucket)).toBe(0.1 * 50 + 2 * 10)
        yield* failures(bucket, 50)
        yield* Effect.sleep("10.2 seconds")
        expect(yield* retries(bucket)).toBe(2 * 10)
      })
    ),

  "RetryBucket.layerGrpcThrottle": () =>
    virtually("grants every retry while the level is above half", () =>
      Effect.gen(function* () {
        const bucket = yield* RetryBucket.makeGrpcThrottle({ maxTokens: 10, tokenRatio: 0.1 })
        yield* failures(bucket, 4)
        expect(yield* retries(bucket)).toBe(1000)
        yield* failures(bucket, 1)
        expect(yield* retries(bucket)).toBe(0)
      })
    ),

  "RetryBucket.layerKeyed": () =>
    virtually("has a bucket for each key", () =>
      Effect.gen(function* () {
        const bucket = RetryBucket.makeSuccessRatio({ ratio: 0.1, capacity: 3 })
        const keyed = yield* RetryBucket.makeKeyed({ bucket, maxKeys: 10, idleTimeToLive: "1 hour" })
        const of = (key: string) => Effect.provideService(retries(keyed), RetryBucket.Key, key)
        expect(yield* Effect.all([of("a"), of("b"), of("a")])).toEqual([3, 3, 0])
      })
    ),

  "RetryBucket.layerUnlimited": () =>
    virtually("grants everything, and its neighbour nothing", () =>
      Effect.gen(function* () {
        const granted = Effect.flatMap(RetryBucket.Default, (bucket) => retries(bucket))
        expect(yield* Effect.provide(granted, RetryBucket.layerUnlimited(RetryBucket.Default))).toBe(1000)
        expect(yield* Effect.provide(granted, RetryBucket.layerEmpty(RetryBucket.Default))).toBe(0)
      })
    ),

  "SendRate.layerFixed": () =>
    virtually("grants a burst, and a rate after it", () =>
      Effect.gen(function* () {
        const rate = yield* SendRate.makeFixed({ rate: 100, burst: 20, whenShort: "refuse" })
        expect(yield* attempts(rate)).toBe(20)
        yield* Effect.sleep("100 millis")
        expect(yield* attempts(rate)).toBe(100 * 0.1)
      })
    ),

  "SendRate.layerAdaptive": () =>
    virtually("grants everything until the server throttles", () =>
      Effect.gen(function* () {
        const rate = yield* SendRate.makeAdaptive({ whenShort: "refuse" })
        expect(yield* attempts(rate)).toBe(1000)
        yield* rate.heard("Throttled")
        expect(yield* attempts(rate)).toBe(0)
      })
    ),

  "SendRate.layerAcceptRatio": () =>
    virtually("rejects with the chance of the formula", () =>
      Effect.gen(function* () {
        expect(SendRate.chanceOfRejection(100, 30, 2)).toBe((100 - 2 * 30) / (100 + 1))
        expect(SendRate.chanceOfRejection(100, 50, 2)).toBe(0)
        const rate = yield* SendRate.makeAcceptRatio()
        const granted = yield* Effect.replicateEffect(rate.acquire({ attempt: 1, atMost: Option.none() }), 1000)
        // Nothing is ever accepted: the n-th request is sent with the chance 1 / n.
        const sent = granted.filter(Boolean).length
        expect(sent).toBeGreaterThan(2)
        expect(sent).toBeLessThan(20)
      })
    ),

  "SendRate.layerKeyed": () =>
    virtually("has a send rate for each key", () =>
      Effect.gen(function* () {
        const rate = SendRate.makeFixed({ rate: 1, burst: 3, whenShort: "refuse" })
        const keyed = yield* SendRate.makeKeyed({ rate, maxKeys: 10, idleTimeToLive: "1 hour" })
        const of = (key: string) => Effect.provideService(attempts(keyed), SendRate.Key, key)
        expect(yield* Effect.all([of("a"), of("b"), of("a")])).toEqual([3, 3, 0])
      })
    ),

  "SendRate.layerUnlimited": () =>
    virtually("grants everything", () =>
      Effect.gen(function* () {
        const granted = Effect.flatMap(SendRate.Default, (rate) => attempts(rate))
        expect(yield* Effect.provide(granted, SendRate.layerUnlimited(SendRate.Default))).toBe(1000)
      })
    )
}

describe(`${path} ## Which bucket when`, () => {
  const [, section = ""] = read(path).split("\n## Which bucket when\n")
  const [text = ""] = section.split("\n## ")
  const rows = text.split("\n").filter((line) => /^\| .*`[A-Z]\w+\.layer/.test(line))
  const named = rows.map((row) => /`([A-Z]\w+\.layer\w+)`/.exec(row)?.[1])

  it("has a row for each of these layers", () => {
    expect(named).toEqual(Object.keys(layers))
  })

  it("names every layer there is", () => {
    const missing = Object.entries({ RetryBucket, SendRate }).flatMap(([module, members]) =>
      Object.keys(members)
        .filter((name) => name.startsWith("layer"))
        .filter((name) => !text.includes(`\`${module}.${name}\``))
        .map((name) => `${module}.${name}`)
    )
    expect(missing).toEqual([])
  })

  describe.each(Object.entries(layers))("%s", (_, body) => {
    body()
  })
})
