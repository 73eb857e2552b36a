import { assertType, describe, expect, expectTypeOf, it } from "@effect/vitest"
import { AwsQuota, AwsRetry, SdkRetryStrategy } from "@effect-retry/aws"
import type { Observe, Policy } from "@effect-retry/core"
import {
  AttemptTimeout,
  Backoff,
  Classifier,
  Deadline,
  InvalidArgument,
  Jitter,
  RateLimiter,
  Retry,
  TokenBucket,
  Verdict
} from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import type { RetryStrategyV2 } from "@smithy/types"
import { Context, Duration, Effect, Layer, Logger, Option, Schedule } from "effect"

const busy = Object.assign(new Error("busy"), { name: "ThrottlingException", $metadata: { httpStatusCode: 400 } })
const reset = Object.assign(new Error("reset"), { code: "ECONNRESET" })

const always = {
  classifier: Classifier.always,
  maxAttempts: 3,
  backoff: Backoff.constant({ delay: "1 second" })
} satisfies Policy.Any

const refresh = (
  strategy: SdkRetryStrategy.SdkRetryStrategy,
  token: SdkRetryStrategy.RetryToken,
  error: unknown = reset
) => Effect.tryPromise({ try: () => strategy.refreshRetryTokenForRetry(token, { error }), catch: (error) => error })

const acquire = (strategy: SdkRetryStrategy.SdkRetryStrategy, scope = "") =>
  Effect.tryPromise({ try: () => strategy.acquireInitialRetryToken(scope), catch: (error) => error })

const tokenOf = (token: SdkRetryStrategy.Token) => ({
  retries: token.getRetryCount(),
  delay: token.getRetryDelay(),
  waited: token.$retryLog.acquisitionDelay,
  isLongPoll: token.isLongPoll()
})

describe("SdkRetryStrategy.make", () => {
  it.effect("waits between the attempts by itself, and says how long", () =>
    Effect.gen(function* () {
      const strategy = yield* SdkRetryStrategy.make(always)
      const first = yield* acquire(strategy)
      const second = yield* refresh(strategy, first)
      const third = yield* refresh(strategy, second)
      expect([first, second, third].map(tokenOf)).toEqual([
        { retries: 0, delay: 0, waited: 0, isLongPoll: false },
        { retries: 1, delay: 0, waited: 1_000, isLongPoll: false },
        { retries: 2, delay: 0, waited: 1_000, isLongPoll: false }
      ])
      expect(yield* Effect.flip(refresh(strategy, third, busy))).toBe(busy)
      expect(Duration.toMillis(yield* VirtualClock.now)).toBe(2000)
    }).pipe(VirtualClock.run)
  )

  it.effect("draws and waits with the random source and the clock of the effect that made it", () =>
    Effect.gen(function* () {
      const backoff = Backoff.exponential({ base: "100 millis" }).pipe(Backoff.jittered(Jitter.full))
      const strategy = yield* SdkRetryStrategy.make({ ...always, backoff })
      const token = yield* refresh(strategy, yield* acquire(strategy))
      expect(token.$retryLog.acquisitionDelay).toBe(25)
    }).pipe(Effect.withRandomFixed([0.25]), VirtualClock.run)
  )

  it.effect("pays from the bucket, and a success returns what its retry has cost", () =>
    Effect.gen(function* () {
      const bucket = yield* AwsQuota.standard
      const strategy = yield* SdkRetryStrategy.make({ ...AwsRetry.standard, bucket })
      const levels: Array<number> = []
      const look = Effect.map(bucket.level, (level) => levels.push(level))
      const second = yield* refresh(strategy, yield* acquire(strategy))
      yield* look
      const third = yield* refresh(strategy, second, busy)
      yield* look
      strategy.recordSuccess(third)
      yield* look
      strategy.recordSuccess(yield* acquire(strategy))
      yield* look
      expect(levels).toEqual([486, 481, 486, 487])
    }).pipe(VirtualClock.run)
  )

  it.effect("takes the buckets of tags from its context", () =>
    Effect.gen(function* () {
      const strategy = yield* SdkRetryStrategy.make(AwsRetry.adaptive)
      yield* refresh(strategy, yield* acquire(strategy))
      expect(yield* Effect.flatMap(AwsRetry.Quota, ({ level }) => level)).toBe(486)
    }).pipe(
      Effect.provide(
        Layer.merge(
          Layer.effect(AwsRetry.Quota, AwsQuota.standard),
          Layer.effect(AwsRetry.SendRate, RateLimiter.adaptive())
        )
      ),
      VirtualClock.run
    )
  )

  it.effect("rejects a first attempt that the rate limiter refuses, and says so", () =>
    Effect.gen(function* () {
      const strategy = yield* SdkRetryStrategy.make({ ...always, rateLimiter: TokenBucket.empty })
      const error = yield* Effect.flip(acquire(strategy))
      expect(error).toBeInstanceOf(Retry.AttemptRefused)
      expect(error).toMatchObject({ message: "the rate limiter did not grant attempt 1" })
    })
  )

  it.effect.each([
    { scope: "aws:longpoll", waited: 1_000 },
    { scope: "aws", waited: 0 }
  ])("waits $waited ms in the scope $scope before an empty bucket ends the operation", ({ scope, waited }) =>
    Effect.gen(function* () {
      const strategy = yield* SdkRetryStrategy.make({ ...always, bucket: TokenBucket.empty })
      const token = yield* acquire(strategy, scope)
      expect(token.isLongPoll()).toBe(waited > 0)
      expect(yield* Effect.flip(refresh(strategy, token))).toBe(reset)
      expect(Duration.toMillis(yield* VirtualClock.now)).toBe(waited)
    }).pipe(VirtualClock.run)
  )

  it.effect("names keyed buckets by the scope, without the long poll", () =>
    Effect.gen(function* () {
      const keys: Array<string> = []
      const bucket: TokenBucket.TokenBucket = {
        ...TokenBucket.unlimited,
        acquire: (request) =>
          Effect.flatMap(TokenBucket.Key, (key) => {
            keys.push(key)
            return TokenBucket.unlimited.acquire(request)
          })
      }
      const strategy = yield* SdkRetryStrategy.make({ ...always, bucket })
      for (const scope of ["", "orders", "orders:longpoll", ":longpoll"]) {
        yield* refresh(strategy, yield* acquire(strategy, scope))
      }
      expect(keys).toEqual(["", "orders", "orders", ""])
    }).pipe(VirtualClock.run)
  )

  it.effect("tells observers why there is no further attempt", () =>
    Effect.gen(function* () {
      const reasons: Array<string> = []
      const strategy = yield* SdkRetryStrategy.make({
        ...always,
        bucket: TokenBucket.empty,
        observe: [(event) => Effect.sync(() => event._tag === "GaveUp" && reasons.push(event.reason._tag))]
      })
      yield* Effect.flip(refresh(strategy, yield* acquire(strategy)))
      expect(reasons).toEqual(["BucketEmpty"])
    })
  )

  it.effect("shows observers the code and the status of the service", () =>
    Effect.gen(function* () {
      const shown: Array<unknown> = []
      const observer: Observe.Observer = (event) =>
        Effect.sync(() => {
          const { attributes, outcome } = event.details()
          if (event._tag === "AttemptFailed") shown.push([outcome, attributes])
        })
      const strategy = yield* SdkRetryStrategy.make({ ...always, observe: [observer] })
      // The SDK has no class for most codes: they are names of the service's exception.
      class DynamoDBServiceException extends Error {}
      const throttled = Object.assign(new DynamoDBServiceException("Rate exceeded"), {
        name: "ThrottlingException",
        $fault: "client",
        $metadata: { httpStatusCode: 400 }
      })
      const token = yield* acquire(strategy)
      yield* refresh(strategy, token, throttled)
      expect(shown).toEqual([
        ["ThrottlingException, status 400", { "error.type": "ThrottlingException", "http.response.status_code": 400 }]
      ])
    }).pipe(VirtualClock.run)
  )

  it.effect("ends at the deadline", () =>
    Effect.gen(function* () {
      const strategy = yield* SdkRetryStrategy.make({ ...always, deadline: Deadline.refuse("1500 millis") })
      const second = yield* refresh(strategy, yield* acquire(strategy))
      expect(yield* Effect.flip(refresh(strategy, second))).toBe(reset)
    }).pipe(VirtualClock.run)
  )

  it.effect("rejects a token whose attempt has ended, and an unknown one", () =>
    Effect.gen(function* () {
      const strategy = yield* SdkRetryStrategy.make(always)
      const first = yield* acquire(strategy)
      const second = yield* refresh(strategy, first)
      strategy.recordSuccess(second)
      for (const token of [first, second, { getRetryCount: () => 0, getRetryDelay: () => 0 }]) {
        expect(yield* Effect.flip(refresh(strategy, token))).toBeInstanceOf(InvalidArgument.InvalidArgument)
      }
    }).pipe(VirtualClock.run)
  )

  it.effect("hears of a success once, and throws for no token", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.quota({ initial: 100 })
      const strategy = yield* SdkRetryStrategy.make({ ...always, bucket })
      const token = yield* acquire(strategy)
      const strange = { getRetryCount: () => 0, getRetryDelay: () => 0 }
      for (const each of [token, token, strange, undefined as never]) strategy.recordSuccess(each)
      expect(yield* bucket.level).toBe(101)
    })
  )

  it.effect("logs a defect in a policy, since the SDK does not show it", () => {
    const logged: Array<string> = []
    const logger = Logger.make(({ message }) => void logged.push(String(message)))
    return Effect.gen(function* () {
      const classifier = () => {
        throw new Error("a defect")
      }
      const strategy = yield* SdkRetryStrategy.make({ ...always, classifier })
      yield* Effect.flip(refresh(strategy, yield* acquire(strategy)))
      expect(logged).toEqual(["A policy died inside the AWS SDK, which does not show it"])
    }).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
  })

  it.effect("does not belong to the span or the uninterruptible region that it was made in", () =>
    Effect.gen(function* () {
      const seen: Array<boolean> = []
      const look = Effect.zipWith(
        Effect.option(Effect.currentSpan),
        Effect.checkInterruptible(Effect.succeed),
        (span, can) => seen.push(Option.isNone(span) && can)
      )
      const observe = [() => Effect.asVoid(look)]
      const make = SdkRetryStrategy.make({ ...always, observe })
      const strategy = yield* Effect.withSpan(Effect.uninterruptible(make), "making")
      strategy.recordSuccess(yield* acquire(strategy))
      expect(seen).toEqual([true])
    })
  )

  it.effect("names the mode for the user agent, and the attempts for the client", () =>
    Effect.gen(function* () {
      const standard = yield* SdkRetryStrategy.make(always)
      const adaptive = yield* SdkRetryStrategy.make({ ...always, rateLimiter: TokenBucket.unlimited })
      expect([standard.mode, adaptive.mode]).toEqual(["standard", "adaptive"])
      expect(yield* Effect.promise(standard.maxAttempts)).toBe(3)
    })
  )

  it.each<{ readonly field: string; readonly policy: Policy.Any }>([
    { field: "whenNested", policy: { ...always, whenNested: "standDown" } },
    { field: "attempt", policy: { ...always, attempt: Retry.CurrentAttempt } },
    { field: "attemptSpan", policy: { ...always, attemptSpan: "attempt" } },
    { field: "attemptTimeout", policy: { ...always, attemptTimeout: AttemptTimeout.constant("1 second") } },
    { field: "result", policy: { ...always, result: () => Verdict.noOpinion } },
    { field: "release", policy: { ...always, release: () => Effect.void } },
    { field: "deadline", policy: { ...always, deadline: Deadline.cut("1 second") } },
    { field: "maxAttempts", policy: { ...always, maxAttempts: 0 } },
    { field: "attempts", policy: { ...always, attempts: 3 } as Policy.Any }
  ])("refuses a policy for its field $field", ({ field, policy }) => {
    const make = () => SdkRetryStrategy.make(policy as typeof always)
    expect(make).toThrow(InvalidArgument.InvalidArgument)
    expect(make).toThrow(`SdkRetryStrategy.make: ${field} must be`)
  })

  it("shows in its type the buckets that it requires, and refuses what it refuses at construction", () => {
    class Own extends Context.Tag("test/Own")<Own, TokenBucket.TokenBucket>() {}
    type Made<R> = Effect.Effect<SdkRetryStrategy.SdkRetryStrategy, never, R>
    expectTypeOf(() => SdkRetryStrategy.make(AwsRetry.standard)).returns.toEqualTypeOf<Made<AwsRetry.Quota>>()
    expectTypeOf(() => SdkRetryStrategy.make({ ...AwsRetry.adaptive, bucket: Own })).returns.toEqualTypeOf<
      Made<AwsRetry.SendRate | Own>
    >()
    expectTypeOf(() => SdkRetryStrategy.make(always)).returns.toEqualTypeOf<Made<never>>()
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error the SDK makes the attempts
      () => SdkRetryStrategy.make({ ...always, attemptTimeout: AttemptTimeout.constant("1 second") }),
      // @ts-expect-error a deadline that cuts interrupts attempts
      () => SdkRetryStrategy.make({ ...always, deadline: Deadline.cut("1 second") }),
      // @ts-expect-error the SDK keeps the results
      () => SdkRetryStrategy.make({ ...always, result: () => Verdict.noOpinion }),
      // @ts-expect-error a misspelt field
      () => SdkRetryStrategy.make({ ...always, maxAttempt: 3 })
    ])
  })

  it("fits the clients of the SDK", () => {
    expectTypeOf<SdkRetryStrategy.SdkRetryStrategy>().toExtend<RetryStrategyV2>()
  })

  it.effect("takes a foreign schedule", () =>
    Effect.gen(function* () {
      const strategy = yield* SdkRetryStrategy.make({ ...always, backoff: Schedule.spaced("3 seconds") })
      const token = yield* refresh(strategy, yield* acquire(strategy))
      expect(token.$retryLog.acquisitionDelay).toBe(3_000)
    }).pipe(VirtualClock.run)
  )
})
