import { Backoff, Curve, Hint, type Observe, RateLimiter, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer, Option } from "effect"
import * as AwsQuota from "../../src/fund/AwsQuota.ts"
import * as AwsRetry from "../../src/loop/AwsRetry.ts"
import type { Response } from "./AwsRetryRuns.ts"
import { errorOf, nowSeconds, operate } from "./AwsRetryRuns.ts"
import type { Story } from "./Stories.ts"
import { botocore, dynamodbRs, failed, go, ok, run, smithyRs, standard, throttled, unjittered } from "./Stories.ts"

describe("AwsRetry.standard", () => {
  it.effect.each(standard)("$name ($source)", (row) => run(AwsRetry.standard, undefined, row))

  // Source: smithy-lang/smithy-kotlin 6373a5f, the same file, "multi-threaded"; only the last level is given there.
  it.effect("shares its quota with operations at the same time", () =>
    Effect.gen(function* () {
      const bucket = yield* AwsQuota.standard
      const policy = { ...AwsRetry.standard, maxAttempts: 5, bucket }
      yield* Effect.all([operate(policy, bucket, [failed(), failed(), ok]), operate(policy, bucket, [failed(), ok])], {
        concurrency: "unbounded"
      })
      expect(yield* bucket.level).toBe(486)
    }).pipe(VirtualClock.run, Effect.provide(unjittered))
  )

  it.effect(
    "asks not retryable before attempts, attempts before quota, and spends nothing on what it does not retry",
    () =>
      Effect.gen(function* () {
        const bucket = yield* TokenBucket.quota({ initial: 0 })
        const policy = { ...AwsRetry.standard, bucket }
        const outcomes = yield* Effect.forEach(
          [
            [failed(404), 1],
            [failed(404), 3],
            [failed(), 1],
            [failed(), 3]
          ] as const,
          ([response, maxAttempts]) => operate({ ...policy, maxAttempts }, bucket, [response])
        )
        expect(outcomes.map(({ steps }) => steps[0]?.outcome)).toEqual([
          "Terminal",
          "Terminal",
          "AttemptsSpent",
          "BucketEmpty"
        ])
      }).pipe(VirtualClock.run)
  )

  it.effect("takes a custom back-off (smithy-typescript 6815d3e, ConfiguredRetryStrategy.spec.ts)", () =>
    Effect.gen(function* () {
      const bucket = yield* AwsQuota.standard
      const backoff = Backoff.fromCurve(Curve.linear({ base: "1 second", step: "1 second" }))
      const policy = { ...AwsRetry.standard, maxAttempts: 5, backoff, bucket }
      const { steps } = yield* operate(policy, bucket, [failed(), failed(), failed(), ok])
      expect(steps.map(({ seconds }) => seconds)).toEqual([1, 2, 3, 0])
    }).pipe(VirtualClock.run)
  )

  it.effect("is provided with its quota by a layer, which programs share", () =>
    Effect.gen(function* () {
      const once = Retry.retry(Effect.fail(errorOf(failed())), AwsRetry.standard)
      yield* Effect.replicateEffect(Effect.flip(once), 2)
      const quota = yield* AwsRetry.Quota
      expect(yield* quota.level).toBe(500 - 4 * 14)
    }).pipe(Effect.provide(Layer.effect(AwsRetry.Quota, AwsQuota.standard)), VirtualClock.run)
  )

  it.effect("fails with the service's own error, and tells through Retry.orStopped why there was no retry", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.quota({ initial: 20 })
      const told: Array<string> = []
      const observe = [
        (event: Observe.RetryEvent) =>
          Effect.map(event.level, (level) => {
            const cost = event._tag === "RetryScheduled" ? ` for ${event.cost}` : ""
            told.push(`${event._tag}${cost}, ${Option.getOrThrow(level)} left`)
          })
      ]
      const error = errorOf(failed())
      const policy = { ...AwsRetry.standard, bucket, observe }
      expect(yield* Effect.flip(Retry.retry(Effect.fail(error), policy))).toBe(error)
      expect(told).toEqual([
        "AttemptFailed, 20 left",
        "RetryScheduled for 14, 6 left",
        "AttemptFailed, 6 left",
        "GaveUp, 6 left"
      ])
      const stopped = yield* Effect.flip(Retry.orStopped(Effect.fail(error), policy))
      expect(stopped).toMatchObject({ reason: { _tag: "BucketEmpty" }, attempts: 1, error, delay: Option.some({}) })
      expect(stopped.history.map(({ attempt, verdict }) => [attempt, verdict])).toEqual([[1, Verdict.transient]])
    }).pipe(VirtualClock.run)
  )

  it("requires its quota, and adds no error", () => {
    const effect: Effect.Effect<number, "busy"> = Effect.succeed(1)
    const retried = Retry.retry(effect, AwsRetry.standard)
    expectTypeOf(retried).toEqualTypeOf<Effect.Effect<number, "busy", AwsRetry.Quota>>()
    const adaptive = Retry.retry(effect, AwsRetry.adaptive)
    expectTypeOf(adaptive).toEqualTypeOf<
      Effect.Effect<number, "busy" | Retry.AttemptRefused, AwsRetry.Quota | AwsRetry.SendRate>
    >()
    expectTypeOf(Retry.retry(effect, AwsRetry.legacyBotocore)).toEqualTypeOf<Effect.Effect<number, "busy">>()
  })
})

describe("AwsRetry.dynamodb", () => {
  it.effect(`has four attempts and its own base (${go}; ${botocore}, TestServiceSpecificRetries; ${dynamodbRs})`, () =>
    run(AwsRetry.dynamodb, undefined, {
      steps: [
        [failed(), ["retry", 486, 0.025]],
        [failed(), ["retry", 472, 0.05]],
        [failed(), ["retry", 458, 0.1]],
        [failed(), ["AttemptsSpent", 458]]
      ]
    })
  )

  // Source: smithy-lang/smithy-rs 56ee88c, integration-tests/dynamodb/tests/retry-spec.rs.
  it.effect("has as many attempts as the caller says", () =>
    Effect.gen(function* () {
      const bucket = yield* AwsQuota.standard
      const policy = { ...AwsRetry.dynamodb, maxAttempts: 6, bucket }
      const { steps, taken } = yield* operate(policy, bucket, [failed(), failed(), failed(), failed(), failed(), ok])
      expect([taken, steps.at(-1)?.outcome]).toEqual([6, "success"])
    }).pipe(VirtualClock.run)
  )
})

describe("AwsRetry.sts", () => {
  it.effect("retries when the identity provider did not answer", () =>
    Effect.gen(function* () {
      const bucket = yield* AwsQuota.standard
      const response = { status: 400, code: "IDPCommunicationError" }
      const { taken } = yield* operate({ ...AwsRetry.sts, bucket }, bucket, [response, ok])
      expect(taken).toBe(2)
    }).pipe(VirtualClock.run)
  )
})

/** Rust read the header before the 2026 revision. */
const rust2020 = {
  ...AwsRetry.standard2020,
  classifier: AwsRetry.standard.classifier,
  hint: Hint.override({ atMost: "20 seconds", otherwise: "clamp" })
}

const kotlin20 = "smithy-lang/smithy-kotlin 6373a5f, StandardRetryIntegrationTestResources.kt"

describe("AwsRetry.standard2020", () => {
  it.effect.each<Story>([
    {
      name: "succeeds on the third attempt",
      source: `${kotlin20}; ${smithyRs}, eventual_success`,
      steps: [
        [failed(), ["retry", 495, 1]],
        [failed(), ["retry", 490, 2]],
        [ok, ["success", 495]]
      ]
    },
    {
      name: "spends its attempts",
      source: `${kotlin20}; ${smithyRs}, no_more_attempts`,
      steps: [
        [failed(502), ["retry", 495, 1]],
        [failed(502), ["retry", 490, 2]],
        [failed(502), ["AttemptsSpent", 490]]
      ]
    },
    {
      name: "finds the quota empty after one retry",
      source: `${kotlin20}; ${smithyRs}, no_quota`,
      given: { initial: 5 },
      steps: [
        [failed(), ["retry", 0, 1]],
        [failed(502), ["BucketEmpty", 0]]
      ]
    },
    {
      name: "retries nothing on an empty quota",
      source: kotlin20,
      given: { initial: 0 },
      steps: [[failed(), ["BucketEmpty", 0]]]
    },
    {
      name: "doubles its back-off",
      source: `${kotlin20}; ${smithyRs}, backoff_timing`,
      given: { maxAttempts: 5 },
      steps: [
        [failed(), ["retry", 495, 1]],
        [failed(), ["retry", 490, 2]],
        [failed(), ["retry", 485, 4]],
        [failed(), ["retry", 480, 8]],
        [failed(), ["AttemptsSpent", 480]]
      ]
    },
    {
      name: "caps its back-off",
      source: `${kotlin20}; ${smithyRs}, max_backoff_time`,
      given: { maxAttempts: 5, cap: "3 seconds" },
      steps: [
        [failed(), ["retry", 495, 1]],
        [failed(), ["retry", 490, 2]],
        [failed(), ["retry", 485, 3]],
        [failed(), ["retry", 480, 3]],
        [failed(), ["AttemptsSpent", 480]]
      ]
    },
    {
      name: "has no hints",
      source: "botocore and the SDK for Go ignore them",
      steps: [
        [failed(500, "30000"), ["retry", 495, 1]],
        [ok, ["success", 500]]
      ]
    }
  ])("$name ($source)", (row) => run(AwsRetry.standard2020, AwsQuota.costs2020.standard, row))

  // Source: smithy-lang/smithy-rs 56ee88c, retries/strategy/standard.rs, v2_0_retry_after_capped_at_max_backoff.
  it.effect("of Rust replaces the back-off by the server's wait, up to the cap", () =>
    run(rust2020, AwsQuota.costs2020.standard, {
      steps: [
        [failed(500, "30000"), ["retry", 495, 20]],
        [ok, ["success", 500]]
      ]
    })
  )

  // Source: smithy-lang/smithy-rs 56ee88c, retries/strategy/standard.rs, quota_replenishes_on_success.
  it.effect("of Kotlin, Rust and JavaScript pays ten for a transient failure", () =>
    run(rust2020, AwsQuota.costs2020.transient, {
      given: { maxAttempts: 5, initial: 100 },
      steps: [
        [failed(), ["retry", 90, 1]],
        [failed(500, "1000"), ["retry", 80, 1]],
        [ok, ["success", 90]]
      ]
    })
  )

  // Source: boto/botocore 1.43.107, tests/functional/test_retry.py, test_can_exhaust_default_retry_quota.
  it.effect("empties its quota with fifty operations that fail, and does not retry the next one", () =>
    Effect.gen(function* () {
      const bucket = yield* AwsQuota.standard2020
      const policy = { ...AwsRetry.standard2020, bucket }
      const failing = [failed(502), failed(502), failed(502)]
      const counts = yield* Effect.replicateEffect(operate(policy, bucket, failing), 50)
      expect(counts.map(({ taken }) => taken)).toEqual(Array.from({ length: 50 }, () => 3))
      expect(yield* bucket.level).toBe(0)
      const { steps } = yield* operate(policy, bucket, failing)
      expect(steps).toEqual([{ outcome: "BucketEmpty", level: 0, seconds: 0 }])
    }).pipe(VirtualClock.run)
  )
})

describe("AwsRetry legacy modes", () => {
  it.effect.each([
    { name: "legacyBotocore", policy: AwsRetry.legacyBotocore, attempts: 5, seconds: [1, 2, 4, 8] },
    {
      name: "legacyBotocoreDynamodb",
      policy: AwsRetry.legacyBotocoreDynamodb,
      attempts: 10,
      seconds: [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8]
    },
    { name: "legacyRuby", policy: AwsRetry.legacyRuby, attempts: 4, seconds: [0.3, 0.6, 1.2] },
    { name: "legacyPhp", policy: AwsRetry.legacyPhp, attempts: 4, seconds: [0.1, 0.2, 0.4] },
    {
      name: "legacyCpp",
      policy: AwsRetry.legacyCpp,
      attempts: 11,
      seconds: [0, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8]
    }
  ])("$name makes $attempts attempts, without a quota", ({ attempts, policy, seconds }) =>
    Effect.gen(function* () {
      const failing = Array.from({ length: 20 }, () => failed())
      const { steps, taken } = yield* operate(policy, TokenBucket.unlimited, failing)
      expect(taken).toBe(attempts)
      expect(steps.slice(0, -1).map((step) => step.seconds)).toEqual(seconds)
      expect(steps.at(-1)?.outcome).toBe("AttemptsSpent")
    }).pipe(VirtualClock.run, Effect.provide(unjittered))
  )

  it.effect("legacyJava makes four attempts, those after throttling for nothing", () =>
    Effect.gen(function* () {
      const bucket = yield* AwsQuota.legacyJava
      const policy = { ...AwsRetry.legacyJava, bucket }
      const { steps } = yield* operate(policy, bucket, [throttled, failed(), throttled, failed()])
      expect(steps).toEqual([
        { outcome: "retry", level: 500, seconds: 0.5 },
        { outcome: "retry", level: 495, seconds: 0.2 },
        { outcome: "retry", level: 495, seconds: 2 },
        { outcome: "AttemptsSpent", level: 495, seconds: 0 }
      ])
    }).pipe(VirtualClock.run, Effect.provide(unjittered))
  )
})

describe("AwsRetry.adaptive", () => {
  const layer = Layer.merge(
    Layer.effect(AwsRetry.Quota, AwsQuota.standard),
    Layer.effect(AwsRetry.SendRate, RateLimiter.adaptive())
  )
  const call = (response: Response, policy: typeof AwsRetry.adaptive = AwsRetry.adaptive) =>
    Effect.ignore(Retry.retry(response.status < 300 ? Effect.void : Effect.fail(errorOf(response)), policy))
  const once = { ...AwsRetry.adaptive, maxAttempts: 1 }
  /** How long the next first attempt is held back. */
  const held = Effect.gen(function* () {
    const before = yield* nowSeconds
    yield* call(ok)
    return (yield* nowSeconds) - before
  })

  it.effect.each([
    { name: "a throttle", response: throttled, policy: once, seconds: 2 },
    {
      name: "a throttle that must not be retried",
      response: throttled,
      policy: { ...once, classifier: () => Verdict.terminal("not idempotent", { kind: "Throttling" }) },
      seconds: 2
    },
    { name: "a failure that is no throttle", response: failed(), policy: once, seconds: 0 },
    { name: "a success", response: ok, policy: once, seconds: 0 }
  ])("hears $name even when there are no retries", ({ policy, response, seconds }) =>
    Effect.gen(function* () {
      yield* call(response, policy)
      expect(yield* held).toBe(seconds)
    }).pipe(Effect.provide(layer), VirtualClock.run)
  )

  it.effect("hears a throttle on an empty quota", () =>
    Effect.gen(function* () {
      yield* call(throttled)
      expect(yield* held).toBe(2)
    }).pipe(
      Effect.provide(Layer.effect(AwsRetry.Quota, TokenBucket.quota({ initial: 0 }))),
      Effect.provide(Layer.effect(AwsRetry.SendRate, RateLimiter.adaptive())),
      VirtualClock.run
    )
  )

  it.effect("asks the limiter after the wait of the back-off", () =>
    Effect.gen(function* () {
      const rate = yield* AwsRetry.SendRate
      const asked: Array<readonly [attempt: number, seconds: number]> = []
      const noting: TokenBucket.TokenBucket = {
        ...rate,
        acquire: (request) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => {
            asked.push([request.attempt, now / 1000])
            return rate.acquire(request)
          })
      }
      yield* Effect.provideService(call(failed()), AwsRetry.SendRate, noting)
      expect(asked).toEqual([
        [1, 0],
        [2, 0.05],
        [3, 0.15]
      ])
    }).pipe(Effect.provide(layer), VirtualClock.run, Effect.provide(unjittered))
  )

  it.effect("adds the wait for the limiter to that of the back-off", () =>
    Effect.gen(function* () {
      yield* call(throttled, { ...AwsRetry.adaptive, maxAttempts: 2 })
      // One second of back-off, and then the rest of the two seconds that a token takes.
      expect(yield* nowSeconds).toBe(2)
    }).pipe(Effect.provide(layer), VirtualClock.run, Effect.provide(unjittered))
  )

  it.effect("keeps to the quota of standard mode", () =>
    Effect.gen(function* () {
      yield* call(throttled)
      yield* call(failed())
      const level = Effect.flatMap(AwsRetry.Quota, ({ level }) => level)
      expect(yield* level).toBe(500 - 2 * 5 - 2 * 14)
      // A quota that adaptive mode never refills was a defect of the SDK for Go (aws-sdk-go-v2 3550).
      yield* call(ok)
      expect(yield* level).toBe(500 - 2 * 5 - 2 * 14 + 1)
    }).pipe(Effect.provide(layer), VirtualClock.run)
  )

  it.effect("refuses instead of waiting if the limiter is told to", () =>
    Effect.gen(function* () {
      yield* call(throttled, once)
      const error = yield* Effect.flip(Retry.retry(Effect.void, AwsRetry.adaptive))
      expect(error).toEqual(new Retry.AttemptRefused({ attempt: 1 }))
      expect(yield* nowSeconds).toBe(0)
    }).pipe(
      Effect.provide(Layer.effect(AwsRetry.Quota, AwsQuota.standard)),
      Effect.provide(Layer.effect(AwsRetry.SendRate, RateLimiter.adaptive({ whenShort: "refuse" }))),
      VirtualClock.run
    )
  )

  it.effect("slows down one table and not another if the limiter is keyed", () =>
    Effect.gen(function* () {
      const on = (table: string) => Effect.provideService(TokenBucket.Key, table)
      yield* on("orders")(call(throttled, once))
      expect(yield* on("customers")(held)).toBe(0)
      expect(yield* on("orders")(held)).toBe(2)
    }).pipe(
      Effect.provide(Layer.effect(AwsRetry.Quota, AwsQuota.standard)),
      Effect.provide(
        Layer.effect(
          AwsRetry.SendRate,
          TokenBucket.keyed({ bucket: RateLimiter.adaptive(), maxKeys: 10, idleTimeToLive: "1 hour" })
        )
      ),
      VirtualClock.run
    )
  )

  it.effect("loses no token to an operation that is interrupted while it waits", () =>
    Effect.gen(function* () {
      yield* call(throttled, once)
      const waiting = yield* Effect.fork(call(ok))
      yield* Effect.sleep("1 second")
      yield* Fiber.interrupt(waiting)
      expect(yield* nowSeconds).toBe(1)
      expect(yield* held).toBe(1)
    }).pipe(Effect.provide(layer), VirtualClock.run)
  )
})
