import { Backoff, Deadline, InvalidArgument, Retry, RetryBucket, SendRate } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Context, Duration, Effect, Exit, FastCheck, Fiber, Function, Layer, Option } from "effect"
import * as Heard from "./Heard.ts"
import { Bucket, make, nowMillis, policy, Rate, world } from "./Recording.ts"

class Charging extends Context.Tag("test/Charging")<Charging, RetryBucket.ChargingBucket>() {}

const charging = { ...policy, bucket: Charging }

/** A quota whose costs fit the capacity of the tables. */
const quota = (options: Partial<RetryBucket.ChargingQuota>): RetryBucket.ChargingQuota => ({
  capacity: 10,
  cost: { orElse: 5 },
  firstCost: 10,
  ...options
})

const levelOf = (bucket: RetryBucket.ChargingBucket) => bucket.level.get

/**
 * What is asked of the bucket, one after the other: the first attempt of an operation, and what a success or a failure of
 * it changes. `waits` is in milliseconds; `refused` takes nothing.
 */
type Step =
  | { readonly op: "first"; readonly waits?: number; readonly refused?: true; readonly level: number }
  | { readonly op: "advance"; readonly millis: number; readonly level: number }
  | { readonly op: "success" | "failure"; readonly level: number }

interface Row {
  readonly id: string
  readonly given: Partial<RetryBucket.ChargingQuota>
  readonly steps: ReadonlyArray<Step>
}

/**
 * Source: https://github.com/smithy-lang/smithy-kotlin/tree/6373a5f, runtime/runtime-core/common/test/aws/smithy/kotlin/
 * runtime/retries/delay/StandardRetryTokenBucketTest.kt, read 2026-11-20.
 */
const kotlin: ReadonlyArray<Row> = [
  {
    id: "waits for capacity",
    given: { firstCost: 10, refillPerSecond: 10, whenShort: "wait" },
    steps: [
      { op: "first", waits: 0, level: 0 },
      { op: "first", waits: 1000, level: 0 }
    ]
  },
  {
    id: "success increment",
    given: { firstCost: 5, firstSuccessIncrement: 3, refillPerSecond: 10, whenShort: "wait" },
    steps: [
      { op: "first", level: 5 },
      { op: "success", level: 8 }
    ]
  },
  {
    id: "failure, no change",
    given: { firstCost: 1 },
    steps: [
      { op: "first", level: 9 },
      { op: "failure", level: 9 }
    ]
  },
  {
    // Contradicts: there the level is 2, since a refill is rounded down and the fraction of 2.5 lost. Ours keeps it.
    id: "refill over time, with fractions",
    given: { firstCost: 5, refillPerSecond: 10, whenShort: "wait" },
    steps: [
      { op: "first", level: 5 },
      { op: "advance", millis: 250, level: 7.5 },
      { op: "first", waits: 0, level: 2.5 }
    ]
  },
  {
    id: "circuit breaker fails",
    given: { firstCost: 10, refillPerSecond: 10, whenShort: "refuse" },
    steps: [
      { op: "first", level: 0 },
      { op: "first", refused: true, level: 0 }
    ]
  }
]

const run = (bucket: RetryBucket.ChargingBucket, step: Step) =>
  Effect.gen(function* () {
    switch (step.op) {
      case "advance":
        return yield* Effect.sleep(step.millis)
      case "success":
        return yield* bucket.ended({ _tag: "Succeeded", attempt: 1, cost: 0 })
      case "failure":
        return yield* bucket.ended({ _tag: "Failed", attempt: 1, kind: Option.some("Transient") })
      case "first": {
        const before = yield* nowMillis
        const taken = yield* Effect.uninterruptible(bucket.takeFirst(Function.identity))
        expect(Option.isNone(taken)).toBe(step.refused === true)
        expect((yield* nowMillis) - before).toBe(step.waits ?? 0)
      }
    }
  })

describe("RetryBucket.makeChargingQuota", () => {
  it.effect.each(kotlin.map((row) => ({ ...row })))("does as the AWS SDK for Kotlin: $id", ({ given, steps }) =>
    Effect.gen(function* () {
      const bucket = yield* RetryBucket.makeChargingQuota(quota(given))
      expect(yield* levelOf(bucket)).toBe(10)
      for (const step of steps) {
        yield* run(bucket, step)
        expect(yield* levelOf(bucket)).toBe(step.level)
      }
    }).pipe(world)
  )

  const refused = (options: Partial<RetryBucket.ChargingQuota>) => () => RetryBucket.makeChargingQuota(quota(options))

  it.each([0, -1, NaN, Infinity, 10.5, "10" as unknown as number])("refuses a first cost of %s", (firstCost) => {
    expect(refused({ firstCost })).toThrow(InvalidArgument.InvalidArgument)
    expect(refused({ firstCost })).toThrow(
      expect.objectContaining({
        owner: "RetryBucket.layerChargingQuota",
        field: "firstCost",
        allowed: "> 0 and <= 10",
        value: firstCost
      })
    )
  })

  it("accepts fractions and the whole capacity", () => {
    expect([0.25, 10].map((firstCost) => Effect.isEffect(refused({ firstCost })()))).toEqual([true, true])
  })

  it("refuses to wait for what never comes, where the SDK for Kotlin turns to refusing by itself", () => {
    expect(refused({ whenShort: "wait", refillPerSecond: 0 })).toThrow(/refillPerSecond must be > 0/)
  })

  it.effect("tells whether it charges first attempts", () =>
    Effect.gen(function* () {
      expect(RetryBucket.isCharging(yield* RetryBucket.makeChargingQuota(quota({})))).toBe(true)
      expect(RetryBucket.isCharging(yield* RetryBucket.makeQuota())).toBe(false)
      const untyped = { ...RetryBucket.unlimited, takeFirst: undefined } as unknown as RetryBucket.RetryBucket
      expect(RetryBucket.isCharging(untyped)).toBe(false)
    })
  )
})

/** Provides a quota, and reads its level at the end. */
const under = <A, E, R>(
  options: Partial<RetryBucket.ChargingQuota>,
  self: (bucket: RetryBucket.ChargingBucket) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const bucket = yield* RetryBucket.makeChargingQuota(quota(options))
    const result = yield* Effect.provideService(self(bucket), Charging, bucket)
    return { result, level: yield* levelOf(bucket) }
  })

describe("Retry.retry under a bucket that charges first attempts", () => {
  it.effect("takes the first cost before the attempt, which keeps it when it fails", () =>
    Effect.gen(function* () {
      const { level, result } = yield* under({ firstCost: 4 }, (bucket) =>
        Effect.gen(function* () {
          const levels: Array<number> = []
          const attempt = Effect.flatMap(bucket.level.get, (level) => {
            levels.push(level)
            return Effect.fail("bad request" as const)
          })
          yield* Effect.flip(Retry.retry(attempt, charging))
          return levels
        })
      )
      expect(result).toEqual([6])
      expect(level).toBe(6)
    }).pipe(world)
  )

  it.effect("puts in the increment of a first success, and returns the cost of a retry that succeeds", () =>
    Effect.gen(function* () {
      const options = { firstCost: 4, firstSuccessIncrement: 1 }
      const atOnce = yield* under(options, () => Retry.retry(Effect.succeed("done"), charging))
      expect(atOnce).toEqual({ result: "done", level: 10 - 4 + 1 })
      const { attempts } = make()
      const later = yield* under(options, () =>
        Retry.retry(attempts(Effect.fail("busy" as const), Effect.succeed("done")), charging)
      )
      expect(later).toEqual({ result: "done", level: 10 - 4 - 5 + 5 })
    }).pipe(world)
  )

  it.effect.each([
    { door: "retry", operation: (self: Effect.Effect<never, "busy">) => Effect.flip(Retry.retry(self, charging)) },
    {
      door: "orStopped",
      operation: (self: Effect.Effect<never, "busy">) =>
        Effect.map(Effect.flip(Retry.orStopped(self, charging)), ({ attempts, error, history, reason }) => {
          expect({ attempts, history, reason }).toEqual({ attempts: 0, history: [], reason: { _tag: "BucketEmpty" } })
          return error
        })
    },
    {
      door: "retryOrElse",
      operation: (self: Effect.Effect<never, "busy">) =>
        Retry.retryOrElse(self, charging, ({ error }) => Effect.succeed(error))
    }
  ])("fails without an attempt when refused, at $door", ({ operation }) =>
    Effect.gen(function* () {
      const recording = make()
      const { level, result } = yield* under({ firstCost: 10 }, (bucket) =>
        Effect.zipRight(
          bucket.takeFirst(Function.identity),
          operation(recording.attempts(Effect.fail("busy" as const)))
        )
      )
      expect(result).toEqual(new Retry.SendRefused({ by: "bucket" }))
      expect(recording.lines).toEqual([])
      expect(level).toBe(0)
      expect(yield* nowMillis).toBe(0)
    }).pipe(world)
  )

  it.effect("asks the bucket before the send rate, as for a retry, and waits for no grant when it refuses", () =>
    Effect.gen(function* () {
      const recording = make({ acquire: () => Effect.delay(Effect.succeed(true), "1 hour") })
      const paced = Retry.retry(recording.attempts(Effect.void), { ...charging, sendRate: Rate })
      const { result } = yield* under({ firstCost: 10 }, (bucket) =>
        Effect.gen(function* () {
          yield* bucket.takeFirst(Function.identity)
          return yield* Effect.flip(recording.provide(paced))
        })
      )
      expect(result).toEqual(new Retry.SendRefused({ by: "bucket" }))
      expect(recording.lines).toEqual([])
    }).pipe(world)
  )

  it.effect("gives back the first cost when the send rate refuses", () =>
    Effect.gen(function* () {
      const recording = make({ acquire: () => Effect.succeed(false) })
      const { level, result } = yield* under({ firstCost: 4 }, () =>
        Effect.flip(recording.provide(Retry.retry(Effect.void, { ...charging, sendRate: Rate })))
      )
      expect(result).toEqual(new Retry.SendRefused({ by: "send rate" }))
      expect(level).toBe(10)
    }).pipe(world)
  )

  it.effect("has given it back before the fallback runs", () =>
    Effect.gen(function* () {
      const heard = Heard.make()
      const recording = make({ acquire: () => Effect.succeed(false) })
      const observed = { ...charging, sendRate: Rate, observe: [heard.observer] }
      const { level, result } = yield* under({ firstCost: 4 }, (bucket) =>
        recording.provide(Retry.retryOrElse(Effect.void, observed, () => bucket.level.get))
      )
      expect({ level, result }).toEqual({ level: 10, result: 10 })
      expect(heard.events).toMatchObject([{ _tag: "GaveUp", attempt: 0, level: 10 }])
    }).pipe(world)
  )

  it.effect("gives back the first cost when interrupted before the attempt, and keeps it when in the attempt", () =>
    Effect.gen(function* () {
      const recording = make({ acquire: () => Effect.delay(Effect.succeed(true), "1 second") })
      const levels = (at: Duration.DurationInput) =>
        under({ firstCost: 4 }, () =>
          Effect.gen(function* () {
            const attempt = Retry.retry(Effect.never, { ...charging, sendRate: Rate })
            const fiber = yield* Effect.fork(recording.provide(attempt))
            yield* Effect.sleep(at)
            yield* Fiber.interrupt(fiber)
          })
        ).pipe(Effect.map(({ level }) => level))
      expect(yield* levels("999 millis")).toBe(10)
      expect(yield* levels("1001 millis")).toBe(6)
    }).pipe(world)
  )

  it.effect("loses nothing where a waiting first attempt is interrupted, and keeps the order of the others", () =>
    Effect.gen(function* () {
      const started: Array<readonly [string, number]> = []
      const operation = (name: string) =>
        nowMillis.pipe(
          Effect.flatMap((now) => Effect.sync(() => void started.push([name, now]))),
          Retry.retry(charging)
        )
      const options = { firstCost: 10, firstSuccessIncrement: 0, refillPerSecond: 10, whenShort: "wait" } as const
      yield* under(options, () =>
        Effect.gen(function* () {
          const fibers = yield* Effect.forEach(["first", "second", "third", "fourth"], (name) =>
            Effect.fork(operation(name))
          )
          yield* Effect.sleep("500 millis")
          const second = fibers[1]
          if (second !== undefined) yield* Fiber.interrupt(second)
          yield* Effect.forEach(fibers, Fiber.await)
        })
      )
      expect(started).toEqual([
        ["first", 0],
        ["third", 1000],
        ["fourth", 2000]
      ])
    }).pipe(world)
  )

  it.effect("lets first attempts and retries wait in one line", () =>
    Effect.gen(function* () {
      const started: Array<readonly [string, number]> = []
      const operation = (name: string, wait: Duration.DurationInput) =>
        nowMillis.pipe(
          Effect.flatMap((now) => {
            started.push([name, now])
            return Effect.fail("busy" as const)
          }),
          Retry.retry({ ...charging, maxAttempts: 2, backoff: Backoff.constant({ delay: 0 }) }),
          Effect.delay(wait),
          Effect.exit
        )
      const options = { firstCost: 10, cost: { orElse: 5 }, refillPerSecond: 10, whenShort: "wait" } as const
      yield* under(options, () =>
        Effect.all([operation("a", 0), operation("b", "100 millis")], { concurrency: "unbounded" })
      )
      // At 0 a takes all ten and waits for five, b comes after it and waits for ten more, then five.
      expect(started).toEqual([
        ["a", 0],
        ["a", 500],
        ["b", 1500],
        ["b", 2000]
      ])
    }).pipe(world)
  )

  it.effect.each([
    { at: 0, deadline: Deadline.refuse("800 millis") },
    { at: 0, deadline: Deadline.cut("800 millis") },
    { at: 0, deadline: Deadline.refuse("2 seconds", { reserve: "1500 millis" }) },
    { at: 1000, deadline: undefined }
  ])("waits for no tokens that come after the deadline: %o", ({ at, deadline }) =>
    Effect.gen(function* () {
      const recording = make()
      const { level, result } = yield* under({ firstCost: 10, refillPerSecond: 10, whenShort: "wait" }, (bucket) =>
        Effect.gen(function* () {
          yield* bucket.takeFirst(Function.identity)
          return yield* Effect.exit(Retry.orStopped(recording.attempts(Effect.void), { ...charging, deadline }))
        })
      )
      const refusal = { error: new Retry.SendRefused({ by: "bucket" }), reason: { _tag: "BucketEmpty" }, attempts: 0 }
      if (deadline === undefined) expect(result).toEqual(Exit.void)
      else expect(Option.getOrThrow(Exit.causeOption(result))).toMatchObject({ error: refusal })
      expect(yield* nowMillis).toBe(at)
      // A success puts one token in.
      expect(level).toBe(deadline === undefined ? 1 : 0)
    }).pipe(world)
  )

  it.effect("asks the send rate for nothing after the deadline", () =>
    Effect.gen(function* () {
      const recording = make()
      const bounded = { ...charging, sendRate: Rate, deadline: Deadline.refuse("800 millis") }
      const { result } = yield* under({ firstCost: 10, refillPerSecond: 10, whenShort: "wait" }, (bucket) =>
        Effect.gen(function* () {
          yield* bucket.takeFirst(Function.identity)
          return yield* Effect.flip(recording.provide(Retry.retry(recording.attempts(Effect.void), bounded)))
        })
      )
      expect(result).toEqual(new Retry.SendRefused({ by: "bucket" }))
      expect(recording.lines.filter((line) => !line.startsWith("sleep"))).toEqual([])
    }).pipe(world)
  )

  it.effect("starts no first attempt after the deadline, should the send rate grant it too late", () =>
    Effect.gen(function* () {
      const recording = make({ acquire: () => Effect.delay(Effect.succeed(true), "2 seconds") })
      const bounded = { ...charging, sendRate: Rate, deadline: Deadline.refuse("1 second") }
      const { level, result } = yield* under({ firstCost: 10 }, () =>
        Effect.flip(recording.provide(Retry.orStopped(recording.attempts(Effect.void), bounded)))
      )
      expect(recording.lines).toEqual(["acquire 1 within 1000", "sleep 2000"])
      expect(result).toMatchObject({
        error: new Retry.SendRefused({ by: "send rate" }),
        reason: { _tag: "DeadlinePassed", within: Duration.seconds(1) }
      })
      expect(level).toBe(10)
    }).pipe(world)
  )

  it.effect("tells its observers: the level after the take, and the refusal", () =>
    Effect.gen(function* () {
      const heard = Heard.make()
      const { attempts } = make()
      const observed = { ...charging, observe: [heard.observer] }
      yield* under({ firstCost: 4 }, () =>
        Effect.gen(function* () {
          yield* Retry.retry(attempts(Effect.fail("busy" as const), Effect.succeed("done")), observed)
          yield* Effect.exit(Retry.retry(Effect.fail("bad request" as const), observed))
          yield* Effect.exit(Retry.retry(Effect.void, observed))
        })
      )
      expect(heard.events.map(({ _tag, attempt, level, reason }) => [_tag, attempt, level, reason])).toEqual([
        ["AttemptFailed", 1, 6, undefined],
        ["RetryScheduled", 1, 1, undefined],
        ["Succeeded", 2, 6, undefined],
        ["AttemptFailed", 1, 2, undefined],
        ["GaveUp", 1, 2, { _tag: "Terminal", why: "the request is wrong" }],
        ["GaveUp", 0, 2, { _tag: "BucketEmpty" }]
      ])
    }).pipe(world)
  )

  it.effect("leaves a bucket without a first cost alone until there is a retry", () =>
    Effect.gen(function* () {
      const recording = make()
      yield* recording.provide(Retry.retry(recording.attempts(Effect.void), { ...policy, bucket: Bucket }))
      expect(recording.lines).toEqual(["attempt 1", "ended 1: success, cost 0"])
    }).pipe(world)
  )

  it.effect.prop(
    "takes the first cost of every operation whose attempt started, and of no other",
    [
      FastCheck.array(
        FastCheck.record({
          startMillis: FastCheck.nat(300),
          sendMillis: FastCheck.nat(100),
          runMillis: FastCheck.nat(100),
          interruptMillis: FastCheck.nat(600)
        }),
        { minLength: 1, maxLength: 8 }
      ),
      FastCheck.constantFrom("refuse" as const, "wait" as const)
    ],
    ([operations, whenShort]) =>
      Effect.gen(function* () {
        let started = 0
        let refused = 0
        const capacity = 20
        // So little comes in that at the end there is exactly what was not spent, but for this.
        const refillPerSecond = whenShort === "wait" ? 1e-9 : 0
        const bucket = yield* RetryBucket.makeChargingQuota({
          capacity,
          cost: { orElse: 0 },
          firstCost: 5,
          refillPerSecond,
          whenShort
        })
        const fibers = yield* Effect.forEach(operations, ({ interruptMillis, runMillis, sendMillis, startMillis }) =>
          Effect.gen(function* () {
            const rate = { ...SendRate.unlimited, acquire: () => Effect.delay(Effect.succeed(true), sendMillis) }
            const attempt = Effect.suspend(() => {
              started += 1
              return Effect.delay(Effect.fail("bad request" as const), runMillis)
            })
            const operation = Retry.retry(attempt, { ...charging, sendRate: Rate }).pipe(
              Effect.provideService(Rate, rate),
              Effect.provideService(Charging, bucket),
              Effect.tapErrorTag("SendRefused", () => Effect.sync(() => (refused += 1))),
              Effect.exit,
              Effect.delay(startMillis)
            )
            const fiber = yield* Effect.fork(operation)
            yield* Effect.fork(Effect.delay(Fiber.interrupt(fiber), interruptMillis))
            return fiber
          })
        )
        yield* Effect.forEach(fibers, Fiber.await)
        expect(yield* levelOf(bucket)).toBeCloseTo(capacity - 5 * started, 6)
        expect(started).toBeLessThanOrEqual(capacity / 5)
        if (whenShort === "wait") expect(refused).toBe(0)
      }).pipe(world),
    { timeout: 20_000, fastCheck: { seed: 12, numRuns: 60 } }
  )
})

describe("RetryBucket.layerChargingQuota", () => {
  it.effect("is one bucket for all programs that share it", () =>
    Effect.gen(function* () {
      const once = Effect.exit(Retry.retry(Effect.succeed("done"), charging))
      const layer = RetryBucket.layerChargingQuota(Charging, quota({ firstCost: 10, firstSuccessIncrement: 0 }))
      const shared = yield* Effect.provide(Effect.all([once, once]), layer)
      expect(shared).toEqual([Exit.succeed("done"), Exit.fail(new Retry.SendRefused({ by: "bucket" }))])
      const apart = yield* Effect.all([Effect.provide(once, layer), Effect.provide(once, Layer.fresh(layer))])
      expect(apart).toEqual([Exit.succeed("done"), Exit.succeed("done")])
    }).pipe(VirtualClock.run)
  )
})
