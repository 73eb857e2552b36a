import { Backoff, Classifier, Deadline, InvalidArgument, Retry, SendRate, Verdict } from "@effect-retry/core"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Context, Duration, Effect, Layer, Option } from "effect"

class Mine extends Context.Tag("test/Mine")<Mine, SendRate.SendRate>() {}

describe("SendRate.unlimited", () => {
  it.effect("grants every send at once, whatever it heard", () =>
    Effect.gen(function* () {
      for (const result of ["Throttled", "Failed", "Succeeded"] as const) {
        yield* SendRate.unlimited.heard(result)
        expect(yield* SendRate.unlimited.acquire({ attempt: 1, atMost: Option.none() })).toBe(true)
        expect(yield* SendRate.unlimited.acquire({ attempt: 9, atMost: Option.some(Duration.zero) })).toBe(true)
      }
      expect(yield* VirtualClock.now).toEqual(Duration.zero)
    }).pipe(VirtualClock.run)
  )
})

describe("SendRate.layerUnlimited", () => {
  it.effect("adds no wait to a policy, under any tag", () =>
    Effect.gen(function* () {
      const policy = { classifier: Classifier.always, maxAttempts: 3, backoff: Backoff.constant({ delay: "1 second" }) }
      for (const sendRate of [SendRate.Default, Mine]) {
        const before = yield* VirtualClock.now
        const stopped = yield* Effect.flip(Retry.orStopped(Effect.fail("busy"), { ...policy, sendRate }))
        expect(stopped).toMatchObject({ attempts: 3, reason: { _tag: "AttemptsSpent" } })
        expect(Duration.subtract(yield* VirtualClock.now, before)).toEqual(Duration.seconds(2))
      }
    }).pipe(
      Effect.provide(SendRate.layerUnlimited(SendRate.Default)),
      Effect.provide(SendRate.layerUnlimited(Mine)),
      VirtualClock.run
    )
  )
})

const policy = {
  sendRate: Mine,
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

describe("Retry.retry under a send rate", () => {
  it.effect("fails with an error of its own when the first attempt is refused", () =>
    Effect.gen(function* () {
      const rate = yield* Mine
      yield* rate.acquire({ attempt: 1, atMost: Option.none() })
      const error = yield* Effect.flip(Retry.retry(Effect.fail("busy" as const), policy))
      expect(error).toBeInstanceOf(Retry.SendRefused)
      expect(yield* VirtualClock.now).toEqual(Duration.zero)
    }).pipe(Effect.provide(SendRate.layerFixed(Mine, { rate: 1, burst: 1, whenShort: "refuse" })), VirtualClock.run)
  )

  it.effect("stops with the last error when a retry is refused", () =>
    Effect.gen(function* () {
      const stopped = yield* startsOf(policy)
      expect(stopped).toEqual({ starts: [0, 1000], reason: "SendRateRefused", error: "busy" })
    }).pipe(Effect.provide(SendRate.layerFixed(Mine, { rate: 0.1, burst: 2, whenShort: "refuse" })), VirtualClock.run)
  )

  it.effect("waits for its turn after the delay", () =>
    Effect.gen(function* () {
      expect((yield* startsOf(policy)).starts).toEqual([0, 4000, 8000])
    }).pipe(Effect.provide(SendRate.layerFixed(Mine, { rate: 0.25, burst: 1 })), VirtualClock.run)
  )

  it.effect("refuses at once the turn that comes after the deadline", () =>
    Effect.gen(function* () {
      const stopped = yield* startsOf({ ...policy, deadline: Deadline.refuse("7999 millis") })
      expect(stopped).toMatchObject({ starts: [0, 4000], reason: "SendRateRefused" })
      expect(yield* VirtualClock.now).toEqual(Duration.seconds(5))
    }).pipe(Effect.provide(SendRate.layerFixed(Mine, { rate: 0.25, burst: 1 })), VirtualClock.run)
  )

  it.effect("slows down all operations that share it when one is throttled", () =>
    Effect.gen(function* () {
      const throttled = { ...policy, classifier: () => Verdict.throttling }
      expect((yield* startsOf(throttled)).starts).toEqual([0, 2000, 4000])
      const before = yield* VirtualClock.now
      yield* Retry.retry(Effect.void, policy)
      expect(Duration.subtract(yield* VirtualClock.now, before)).toEqual(Duration.seconds(2))
    }).pipe(Effect.provide(SendRate.layerAdaptive(Mine)), VirtualClock.run)
  )

  it.effect("does not slow down for failures that are no throttles", () =>
    Effect.gen(function* () {
      expect((yield* startsOf(policy)).starts).toEqual([0, 1000, 2000])
    }).pipe(Effect.provide(SendRate.layerAdaptive(Mine)), VirtualClock.run)
  )

  it.effect("hears of a throttle that is not retried", () =>
    Effect.gen(function* () {
      yield* startsOf({ ...policy, maxAttempts: 1, classifier: () => Verdict.throttling })
      yield* Retry.retry(Effect.void, policy)
      expect(yield* VirtualClock.now).toEqual(Duration.seconds(2))
    }).pipe(Effect.provide(SendRate.layerAdaptive(Mine)), VirtualClock.run)
  )

  it.effect("does not send what the server would reject", () =>
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
      Effect.provide(SendRate.layerAcceptRatio(Mine)),
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
        }).pipe(Effect.provide(SendRate.layerFixed(Mine, { rate: 0.125, burst: 1 })))
      expect(yield* stoppedAt("2 seconds")).toEqual([2, "DeadlinePassed", 8])
      expect(yield* stoppedAt("2001 millis")).toEqual([1, "SendRateRefused", 1])
    }).pipe(VirtualClock.run)
  )

  it.effect("uses the send rate of the operation's key", () =>
    Effect.gen(function* () {
      const refused = (key: string) =>
        Effect.isFailure(Effect.provideService(Retry.retry(Effect.void, policy), SendRate.Key, key))
      expect(yield* Effect.forEach(["a", "b", "a"], refused)).toEqual([false, false, true])
    }).pipe(
      Effect.provide(
        SendRate.layerKeyed(Mine, {
          rate: SendRate.makeFixed({ rate: 1, burst: 1, whenShort: "refuse" }),
          maxKeys: 10,
          idleTimeToLive: "1 hour"
        })
      ),
      VirtualClock.run
    )
  )

  it.effect("is shared by whoever shares the layer, and by nobody else", () =>
    Effect.gen(function* () {
      const layer = SendRate.layerFixed(Mine, { rate: 1, burst: 1, whenShort: "refuse" })
      const granted = Effect.flatMap(Mine, (rate) => rate.acquire({ attempt: 1, atMost: Option.none() }))
      expect(yield* Effect.provide(Effect.all([granted, granted]), layer)).toEqual([true, false])
      expect([yield* Effect.provide(granted, layer), yield* Effect.provide(granted, layer)]).toEqual([true, true])
      const context = yield* Layer.build(layer)
      const shared = Effect.provide(granted, context)
      expect([yield* shared, yield* shared]).toEqual([true, false])
    }).pipe(Effect.scoped, VirtualClock.run)
  )
})

const fixed = { rate: 1, burst: 1 }

const keyed = { rate: Effect.succeed(SendRate.unlimited), maxKeys: 1, idleTimeToLive: "1 second" } as const

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
    owner: "SendRate.layerAdaptive",
    field: "beta",
    allowed: "> 0 and < 1",
    values: [...positive, 1, notANumber],
    build: (beta) => SendRate.layerAdaptive(Mine, { beta })
  },
  {
    owner: "SendRate.layerAdaptive",
    field: "scaleConstant",
    allowed: "> 0",
    values: positive,
    build: (scaleConstant) => SendRate.layerAdaptive(Mine, { scaleConstant })
  },
  {
    owner: "SendRate.layerAdaptive",
    field: "smoothing",
    allowed: "> 0 and <= 1",
    values: [...positive, 1.1],
    build: (smoothing) => SendRate.layerAdaptive(Mine, { smoothing })
  },
  {
    owner: "SendRate.layerAdaptive",
    field: "minFillRate",
    allowed: "> 0",
    values: positive,
    build: (minFillRate) => SendRate.layerAdaptive(Mine, { minFillRate })
  },
  {
    owner: "SendRate.layerAdaptive",
    field: "minCapacity",
    allowed: ">= 1",
    values: [...positive, 0.9],
    build: (minCapacity) => SendRate.layerAdaptive(Mine, { minCapacity })
  },
  {
    owner: "SendRate.layerAdaptive",
    field: "measurementBucketDuration",
    allowed: "a finite duration >= 1ms",
    values: [...durations, 0, 0.5],
    build: (measurementBucketDuration) => SendRate.layerAdaptive(Mine, { measurementBucketDuration })
  },
  {
    owner: "SendRate.layerAdaptive",
    field: "cutAtMostEvery",
    allowed: "a finite duration >= 1ms",
    values: [...durations, 0],
    build: (cutAtMostEvery) => SendRate.layerAdaptive(Mine, { cutAtMostEvery })
  },
  {
    owner: "SendRate.layerAdaptive",
    field: "idleAfter",
    allowed: "a finite duration >= 500ms",
    values: [...durations, 0, 499],
    build: (idleAfter) => SendRate.layerAdaptive(Mine, { idleAfter })
  },
  {
    owner: "SendRate.layerAdaptive",
    field: "offAfter",
    allowed: "a finite duration >= 1ms",
    values: [...durations, 0],
    build: (offAfter) => SendRate.layerAdaptive(Mine, { offAfter })
  },
  {
    owner: "SendRate.layerAdaptive",
    field: "whenShort",
    allowed: "one of refuse, wait",
    values: ["fail", "", 1],
    build: (whenShort) => SendRate.layerAdaptive(Mine, { whenShort })
  },
  {
    owner: "SendRate.layerAdaptive",
    field: "maxWait",
    allowed: "a finite duration >= 0",
    values: durations,
    build: (maxWait) => SendRate.layerAdaptive(Mine, { maxWait })
  },
  {
    owner: "SendRate.layerAdaptive",
    field: "maxWait",
    allowed: 'absent where whenShort is "refuse"',
    values: [0, "1 second"],
    build: (maxWait) => SendRate.layerAdaptive(Mine, { whenShort: "refuse", maxWait })
  },
  {
    owner: "SendRate.layerFixed",
    field: "rate",
    allowed: "> 0",
    values: [...positive, undefined, notANumber],
    build: (rate) => SendRate.layerFixed(Mine, { ...fixed, rate })
  },
  {
    owner: "SendRate.layerFixed",
    field: "burst",
    allowed: ">= 1",
    values: [...positive, 0.5, undefined],
    build: (burst) => SendRate.layerFixed(Mine, { ...fixed, burst })
  },
  {
    owner: "SendRate.layerFixed",
    field: "whenShort",
    allowed: "one of refuse, wait",
    values: ["fail"],
    build: (whenShort) => SendRate.layerFixed(Mine, { ...fixed, whenShort })
  },
  {
    owner: "SendRate.layerFixed",
    field: "maxWait",
    allowed: "a finite duration >= 0",
    values: durations,
    build: (maxWait) => SendRate.layerFixed(Mine, { ...fixed, maxWait })
  },
  {
    owner: "SendRate.layerFixed",
    field: "maxWait",
    allowed: 'absent where whenShort is "refuse"',
    values: [0],
    build: (maxWait) => SendRate.layerFixed(Mine, { ...fixed, whenShort: "refuse", maxWait })
  },
  {
    owner: "SendRate.layerAcceptRatio",
    field: "K",
    allowed: ">= 1",
    values: [...positive, 0.99],
    build: (K) => SendRate.layerAcceptRatio(Mine, { K })
  },
  {
    owner: "SendRate.layerAcceptRatio",
    field: "window",
    allowed: "a finite duration >= 1s",
    values: [...durations, 0, 999],
    build: (window) => SendRate.layerAcceptRatio(Mine, { window })
  },
  {
    owner: "SendRate.layerAcceptRatio",
    field: "failures",
    allowed: "one of accepted, rejected",
    values: ["ignored"],
    build: (failures) => SendRate.layerAcceptRatio(Mine, { failures })
  },
  {
    owner: "SendRate.layerKeyed",
    field: "maxKeys",
    allowed: "a whole number >= 1",
    values: [...positive, 1.5],
    build: (maxKeys) => SendRate.layerKeyed(Mine, { ...keyed, maxKeys })
  },
  {
    owner: "SendRate.layerKeyed",
    field: "idleTimeToLive",
    allowed: "a finite duration >= 1ms",
    values: [...durations, 0],
    build: (idleTimeToLive) => SendRate.layerKeyed(Mine, { ...keyed, idleTimeToLive })
  }
]

const thrown = (build: () => unknown): unknown => {
  try {
    return build()
  } catch (error) {
    return error
  }
}

describe("SendRate layers, badly built", () => {
  it.each(bad)("refuse $field of $owner that is not $allowed", ({ allowed, build, field, owner, values }) => {
    for (const value of values) {
      const error = thrown(() => build(value as never))
      expect(error).toEqual(new InvalidArgument.InvalidArgument({ owner, field, allowed, value }))
    }
  })

  it("accept what is just allowed", () => {
    const built = [
      SendRate.layerAdaptive(Mine, {
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
      SendRate.layerFixed(Mine, { rate: 1e-9, burst: 1, maxWait: 0 }),
      SendRate.layerAcceptRatio(Mine, { K: 1, window: 1000 }),
      SendRate.layerKeyed(Mine, { ...keyed, idleTimeToLive: 1 })
    ]
    expect(built.every(Layer.isLayer)).toBe(true)
  })
})
