import {
  Backoff,
  Classifier,
  Deadline,
  InvalidArgument,
  RateLimiter,
  Retry,
  TokenBucket,
  Verdict
} from "@effect-retry/core"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Context, Duration, Effect, Layer } from "effect"
import { acquire, isGranted } from "./Asking.ts"

class Mine extends Context.Tag("test/Mine")<Mine, TokenBucket.TokenBucket>() {}

const policy = {
  rateLimiter: Mine,
  classifier: Classifier.always,
  maxAttempts: 3,
  backoff: Backoff.constant({ delay: "1 second" })
}

const startsOf = (options: typeof policy & { readonly deadline?: ReturnType<typeof Deadline.refuse> }) =>
  Effect.gen(function* () {
    const starts: Array<number> = []
    const attempt = Effect.zipRight(
      Effect.map(VirtualClock.now, (now) => void starts.push(Duration.toMillis(now))),
      Effect.fail("busy")
    )
    const stopped = yield* Effect.flip(Retry.orStopped(attempt, options))
    return { starts, reason: stopped.reason._tag, error: stopped.error }
  })

describe("Retry.retry under a rate limiter", () => {
  it.effect("fails with an error of its own when the first attempt is refused", () =>
    Effect.gen(function* () {
      const rate = yield* Mine
      yield* acquire(rate, { attempt: 1 })
      const error = yield* Effect.flip(Retry.retry(Effect.fail("busy" as const), policy))
      expect(error).toBeInstanceOf(Retry.AttemptRefused)
      expect(yield* VirtualClock.now).toEqual(Duration.zero)
    }).pipe(
      Effect.provide(Layer.effect(Mine, RateLimiter.fixed({ rate: 1, burst: 1, whenShort: "refuse" }))),
      VirtualClock.run
    )
  )

  it.effect("stops with the last error when a retry is refused", () =>
    Effect.gen(function* () {
      const stopped = yield* startsOf(policy)
      expect(stopped).toEqual({ starts: [0, 1000], reason: "RateLimiterRefused", error: "busy" })
    }).pipe(
      Effect.provide(Layer.effect(Mine, RateLimiter.fixed({ rate: 0.1, burst: 2, whenShort: "refuse" }))),
      VirtualClock.run
    )
  )

  it.effect("waits for its turn after the delay", () =>
    Effect.gen(function* () {
      expect((yield* startsOf(policy)).starts).toEqual([0, 4000, 8000])
    }).pipe(Effect.provide(Layer.effect(Mine, RateLimiter.fixed({ rate: 0.25, burst: 1 }))), VirtualClock.run)
  )

  it.effect("refuses at once when the turn comes after the deadline", () =>
    Effect.gen(function* () {
      const stopped = yield* startsOf({ ...policy, deadline: Deadline.refuse("7999 millis") })
      expect(stopped).toMatchObject({ starts: [0, 4000], reason: "RateLimiterRefused" })
      expect(yield* VirtualClock.now).toEqual(Duration.seconds(5))
    }).pipe(Effect.provide(Layer.effect(Mine, RateLimiter.fixed({ rate: 0.25, burst: 1 }))), VirtualClock.run)
  )

  it.effect("slows down all operations that share it when one is throttled", () =>
    Effect.gen(function* () {
      const throttled = { ...policy, classifier: () => Verdict.throttling }
      expect((yield* startsOf(throttled)).starts).toEqual([0, 2000, 4000])
      const before = yield* VirtualClock.now
      yield* Retry.retry(Effect.void, policy)
      expect(Duration.subtract(yield* VirtualClock.now, before)).toEqual(Duration.seconds(2))
    }).pipe(Effect.provide(Layer.effect(Mine, RateLimiter.adaptive())), VirtualClock.run)
  )

  it.effect("does not slow down for failures that are not throttles", () =>
    Effect.gen(function* () {
      expect((yield* startsOf(policy)).starts).toEqual([0, 1000, 2000])
    }).pipe(Effect.provide(Layer.effect(Mine, RateLimiter.adaptive())), VirtualClock.run)
  )

  it.effect("hears of a throttle that is not retried", () =>
    Effect.gen(function* () {
      yield* startsOf({ ...policy, maxAttempts: 1, classifier: () => Verdict.throttling })
      yield* Retry.retry(Effect.void, policy)
      expect(yield* VirtualClock.now).toEqual(Duration.seconds(2))
    }).pipe(Effect.provide(Layer.effect(Mine, RateLimiter.adaptive())), VirtualClock.run)
  )

  it.effect("makes few attempts that the server would reject", () =>
    Effect.gen(function* () {
      let sent = 0
      const attempt = Effect.zipRight(
        Effect.sync(() => void (sent += 1)),
        Effect.fail("busy")
      )
      const once = { ...policy, maxAttempts: 1, classifier: () => Verdict.throttling }
      yield* Effect.replicateEffect(Effect.flip(Retry.retry(attempt, once)), 1000)
      expect(sent).toBeLessThan(20)
    }).pipe(
      Effect.provide(Layer.effect(Mine, RateLimiter.acceptRatio())),
      Effect.provide(SeededRandom.layer("rejected here")),
      VirtualClock.run
    )
  )

  it.effect("waits for no attempt that would have less than the deadline's reserve", () =>
    Effect.gen(function* () {
      const stoppedAt = (reserve: Duration.DurationInput) =>
        Effect.gen(function* () {
          const before = yield* VirtualClock.now
          const { reason, starts } = yield* startsOf({
            ...policy,
            deadline: Deadline.refuse("10 seconds", { reserve })
          })
          const after = Duration.subtract(yield* VirtualClock.now, before)
          return [starts.length, reason, Duration.toSeconds(after)]
        }).pipe(Effect.provide(Layer.effect(Mine, RateLimiter.fixed({ rate: 0.125, burst: 1 }))))
      expect(yield* stoppedAt("2 seconds")).toEqual([2, "DeadlinePassed", 8])
      expect(yield* stoppedAt("2001 millis")).toEqual([1, "RateLimiterRefused", 1])
    }).pipe(VirtualClock.run)
  )

  it.effect("uses the rate limiter of the operation's key", () =>
    Effect.gen(function* () {
      const refused = (key: string) =>
        Effect.isFailure(Effect.provideService(Retry.retry(Effect.void, policy), TokenBucket.Key, key))
      expect(yield* Effect.forEach(["a", "b", "a"], refused)).toEqual([false, false, true])
    }).pipe(
      Effect.provide(
        Layer.effect(
          Mine,
          TokenBucket.keyed({
            bucket: RateLimiter.fixed({ rate: 1, burst: 1, whenShort: "refuse" }),
            maxKeys: 10,
            idleTimeToLive: "1 hour"
          })
        )
      ),
      VirtualClock.run
    )
  )

  it.effect("is shared by programs that share the layer", () =>
    Effect.gen(function* () {
      const layer = Layer.effect(Mine, RateLimiter.fixed({ rate: 1, burst: 1, whenShort: "refuse" }))
      const granted = Effect.flatMap(Mine, (rate) => isGranted(rate, { attempt: 1 }))
      expect(yield* Effect.provide(Effect.all([granted, granted]), layer)).toEqual([true, false])
      expect([yield* Effect.provide(granted, layer), yield* Effect.provide(granted, layer)]).toEqual([true, true])
      const context = yield* Layer.build(layer)
      const shared = Effect.provide(granted, context)
      expect([yield* shared, yield* shared]).toEqual([true, false])
    }).pipe(Effect.scoped, VirtualClock.run)
  )
})

const fixed = { rate: 1, burst: 1 }

const positive = [NaN, Infinity, -1, 0]

const durations = [NaN, -1, Infinity, "soon"]

const notANumber = "" as unknown as number

const bad: ReadonlyArray<{
  readonly owner: string
  readonly field: string
  readonly allowed: string
  readonly values: ReadonlyArray<unknown>
  readonly build: (value: never) => unknown
}> = [
  {
    owner: "RateLimiter.adaptive",
    field: "beta",
    allowed: "> 0 and < 1",
    values: [...positive, 1, notANumber],
    build: (beta) => RateLimiter.adaptive({ beta })
  },
  {
    owner: "RateLimiter.adaptive",
    field: "scaleConstant",
    allowed: "> 0",
    values: positive,
    build: (scaleConstant) => RateLimiter.adaptive({ scaleConstant })
  },
  {
    owner: "RateLimiter.adaptive",
    field: "smoothing",
    allowed: "> 0 and <= 1",
    values: [...positive, 1.1],
    build: (smoothing) => RateLimiter.adaptive({ smoothing })
  },
  {
    owner: "RateLimiter.adaptive",
    field: "minFillRate",
    allowed: "> 0",
    values: positive,
    build: (minFillRate) => RateLimiter.adaptive({ minFillRate })
  },
  {
    owner: "RateLimiter.adaptive",
    field: "minCapacity",
    allowed: ">= 1",
    values: [...positive, 0.9],
    build: (minCapacity) => RateLimiter.adaptive({ minCapacity })
  },
  {
    owner: "RateLimiter.adaptive",
    field: "measurementBucketDuration",
    allowed: "a finite duration >= 1ms",
    values: [...durations, 0, 0.5],
    build: (measurementBucketDuration) => RateLimiter.adaptive({ measurementBucketDuration })
  },
  {
    owner: "RateLimiter.adaptive",
    field: "cutAtMostEvery",
    allowed: "a finite duration >= 1ms",
    values: [...durations, 0],
    build: (cutAtMostEvery) => RateLimiter.adaptive({ cutAtMostEvery })
  },
  {
    owner: "RateLimiter.adaptive",
    field: "idleAfter",
    allowed: "a finite duration >= 500ms",
    values: [...durations, 0, 499],
    build: (idleAfter) => RateLimiter.adaptive({ idleAfter })
  },
  {
    owner: "RateLimiter.adaptive",
    field: "offAfter",
    allowed: "a finite duration >= 1ms",
    values: [...durations, 0],
    build: (offAfter) => RateLimiter.adaptive({ offAfter })
  },
  {
    owner: "RateLimiter.adaptive",
    field: "whenShort",
    allowed: "one of refuse, wait",
    values: ["fail", "", 1],
    build: (whenShort) => RateLimiter.adaptive({ whenShort })
  },
  {
    owner: "RateLimiter.adaptive",
    field: "maxWait",
    allowed: "a finite duration >= 0",
    values: durations,
    build: (maxWait) => RateLimiter.adaptive({ maxWait })
  },
  {
    owner: "RateLimiter.adaptive",
    field: "maxWait",
    allowed: 'absent if whenShort is "refuse"',
    values: [0, "1 second"],
    build: (maxWait) => RateLimiter.adaptive({ whenShort: "refuse", maxWait })
  },
  {
    owner: "RateLimiter.fixed",
    field: "rate",
    allowed: "> 0",
    values: [...positive, notANumber],
    build: (rate) => RateLimiter.fixed({ ...fixed, rate })
  },
  {
    owner: "RateLimiter.fixed",
    field: "burst",
    allowed: ">= 1",
    values: [...positive, 0.5],
    build: (burst) => RateLimiter.fixed({ ...fixed, burst })
  },
  {
    owner: "RateLimiter.fixed",
    field: "whenShort",
    allowed: "one of refuse, wait",
    values: ["fail"],
    build: (whenShort) => RateLimiter.fixed({ ...fixed, whenShort })
  },
  {
    owner: "RateLimiter.fixed",
    field: "maxWait",
    allowed: "a finite duration >= 0",
    values: durations,
    build: (maxWait) => RateLimiter.fixed({ ...fixed, maxWait })
  },
  {
    owner: "RateLimiter.fixed",
    field: "maxWait",
    allowed: 'absent if whenShort is "refuse"',
    values: [0],
    build: (maxWait) => RateLimiter.fixed({ ...fixed, whenShort: "refuse", maxWait })
  },
  {
    owner: "RateLimiter.acceptRatio",
    field: "K",
    allowed: ">= 1",
    values: [...positive, 0.99],
    build: (K) => RateLimiter.acceptRatio({ K })
  },
  {
    owner: "RateLimiter.acceptRatio",
    field: "window",
    allowed: "a finite duration >= 1s",
    values: [...durations, 0, 999],
    build: (window) => RateLimiter.acceptRatio({ window })
  },
  {
    owner: "RateLimiter.acceptRatio",
    field: "failures",
    allowed: "one of accepted, rejected",
    values: ["ignored"],
    build: (failures) => RateLimiter.acceptRatio({ failures })
  },
  {
    owner: "RateLimiter.acceptRatio",
    field: "maxRejectionProbability",
    allowed: ">= 0 and <= 1",
    values: [NaN, Infinity, -0.1, 1.1],
    build: (maxRejectionProbability) => RateLimiter.acceptRatio({ maxRejectionProbability })
  },
  {
    owner: "RateLimiter.serverPause",
    field: "atMost",
    allowed: "a finite duration >= 1ms and <= 24d 20h 31m 23s 647ms",
    values: [...durations, 0, 2 ** 31],
    build: (atMost) => RateLimiter.serverPause({ atMost })
  },
  {
    owner: "RateLimiter.serverPause",
    field: "atMost",
    allowed: 'given, as in RateLimiter.serverPause({ atMost: "1 minute" })',
    values: [undefined],
    build: (atMost) => RateLimiter.serverPause({ atMost })
  },
  {
    owner: "RateLimiter.fixed",
    field: "rate",
    allowed: "given, as in RateLimiter.fixed({ rate: 10, burst: 10 })",
    values: [undefined],
    build: (rate) => RateLimiter.fixed({ rate, burst: 1 })
  },
  {
    owner: "RateLimiter.fixed",
    field: "burst",
    allowed: "given, as in RateLimiter.fixed({ rate: 10, burst: 10 })",
    values: [undefined],
    build: (burst) => RateLimiter.fixed({ rate: 1, burst })
  },
  {
    owner: "RateLimiter.serverPause",
    field: "jitterRatio",
    allowed: ">= 0 and <= 1",
    values: [NaN, -0.1, 1.1],
    build: (jitterRatio) => RateLimiter.serverPause({ atMost: 1, jitterRatio })
  },
  {
    owner: "RateLimiter.concurrencyLimit",
    field: "limit",
    allowed: "a whole number >= 1",
    values: [...positive, 1.5],
    build: (limit) => RateLimiter.concurrencyLimit({ limit })
  },
  {
    owner: "RateLimiter.concurrencyLimit",
    field: "limit",
    allowed: "set if ratio is not",
    values: [undefined],
    build: () => RateLimiter.concurrencyLimit({})
  },
  {
    owner: "RateLimiter.concurrencyLimit",
    field: "ratio",
    allowed: ">= 0",
    values: [NaN, -0.1, Infinity],
    build: (ratio) => RateLimiter.concurrencyLimit({ ratio })
  },
  {
    owner: "RateLimiter.concurrencyLimit",
    field: "atLeast",
    allowed: "a whole number >= 0",
    values: [NaN, -1, 0.5],
    build: (atLeast) => RateLimiter.concurrencyLimit({ ratio: 0.2, atLeast })
  },
  {
    owner: "RateLimiter.concurrencyLimit",
    field: "atLeast",
    allowed: "absent if ratio is not set",
    values: [0],
    build: (atLeast) => RateLimiter.concurrencyLimit({ limit: 1, atLeast })
  },
  {
    owner: "RateLimiter.concurrencyLimit",
    field: "options",
    allowed: "a record, as in RateLimiter.concurrencyLimit({ limit: 10 })",
    values: [10, undefined],
    build: (options) => RateLimiter.concurrencyLimit(options)
  },
  {
    owner: "RateLimiter.adaptiveConcurrency",
    field: "options",
    allowed: "a record, as in RateLimiter.adaptiveConcurrency({ most: 100 })",
    values: [100, null],
    build: (options) => RateLimiter.adaptiveConcurrency(options)
  }
]

const thrown = (build: () => unknown): unknown => {
  try {
    return build()
  } catch (error) {
    return error
  }
}

describe("RateLimiter bad arguments", () => {
  it.each(bad)("refuse $field of $owner that is not $allowed", ({ allowed, build, field, owner, values }) => {
    for (const value of values) {
      const error = thrown(() => build(value as never))
      expect(error).toEqual(new InvalidArgument.InvalidArgument({ owner, field, allowed, value }))
    }
  })

  it("accept what is just allowed", () => {
    const built = [
      RateLimiter.adaptive({
        beta: 0.999,
        scaleConstant: 1e-9,
        smoothing: 1,
        minFillRate: 1e-9,
        minCapacity: 1,
        measurementBucketDuration: 1,
        cutAtMostEvery: 1,
        idleAfter: 1,
        offAfter: 1,
        maxWait: 0
      }),
      RateLimiter.fixed({ rate: 1e-9, burst: 1, maxWait: 0 }),
      RateLimiter.acceptRatio({ K: 1, window: 1000 }),
      RateLimiter.serverPause({ atMost: 1, jitterRatio: 1, maxWait: 0 }),
      RateLimiter.concurrencyLimit({ limit: 1, ratio: 0, atLeast: 0, maxWait: 0 })
    ]
    expect(built.every(Effect.isEffect)).toBe(true)
  })
})
