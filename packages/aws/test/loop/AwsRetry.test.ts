import { Backoff, Curve, Hint, type Observe, RateLimiter, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { Clock, type Duration, Effect, Fiber, Layer, Option } from "effect"
import * as AwsQuota from "../../src/fund/AwsQuota.ts"
import * as AwsRetry from "../../src/loop/AwsRetry.ts"
import type { Response } from "./AwsRetryRuns.ts"
import { errorOf, nowSeconds, operate, operateAll } from "./AwsRetryRuns.ts"

/** Every draw is the greatest possible, so that delays are their bounds. */
const unjittered = SeededRandom.layerConstant(1 - Number.EPSILON / 2)

const failed = (status = 500, retryAfter?: string): Response =>
  retryAfter === undefined ? { status } : { status, headers: { "x-amz-retry-after": retryAfter } }
const throttled: Response = { status: 400, code: "Throttling" }
const ok: Response = { status: 200 }

/** Outcome, level and, if there is a wait, its seconds. */
type Expected = readonly [outcome: string, level: number, seconds?: number]

interface Case {
  readonly name: string
  readonly source: string
  readonly given?: {
    readonly maxAttempts?: number
    readonly initial?: number
    readonly cap?: Duration.DurationInput
    readonly longPolling?: true
  }
  readonly steps: ReadonlyArray<readonly [Response, Expected]>
}

const kotlin = "smithy-lang/smithy-kotlin 6373a5f, NewStandardRetryIntegrationTestResources.kt"
const typescript = "smithy-lang/smithy-typescript 6815d3e, retries.integ.spec.ts"
const go = "aws/aws-sdk-go-v2 058d984, aws/retry/retry2026_test.go"
const smithyRs = "smithy-lang/smithy-rs 56ee88c, retries/strategy/standard.rs"
const botocore = "boto/botocore 1.43.107, test_standard_retry_v2_1.py"
const dynamodbRs = "smithy-lang/smithy-rs 56ee88c, integration-tests/dynamodb/tests/retry-spec.rs"
const sqsRs = "smithy-lang/smithy-rs 56ee88c, integration-tests/sqs/tests/long-polling.rs"

const run = (
  policy: Omit<typeof AwsRetry.standard, "bucket">,
  cost: NonNullable<Parameters<typeof TokenBucket.quota>[0]>["cost"],
  { given = {}, steps }: Pick<Case, "given" | "steps">
) =>
  Effect.gen(function* () {
    const { cap, initial, longPolling, maxAttempts = policy.maxAttempts } = given
    const quota = yield* TokenBucket.quota({
      ...(initial !== undefined && { initial }),
      ...(cost !== undefined && { cost })
    })
    const bucket = longPolling === true ? AwsQuota.longPolling(quota) : quota
    const backoff = cap === undefined ? policy.backoff : Backoff.capped(policy.backoff, cap)
    const actual = yield* operateAll(
      { ...policy, maxAttempts, backoff, bucket },
      bucket,
      steps.map(([response]) => response)
    )
    expect(actual).toEqual(steps.map(([, [outcome, level, seconds = 0]]) => ({ outcome, level, seconds })))
  }).pipe(VirtualClock.run, Effect.provide(unjittered))

describe("AwsRetry.standard", () => {
  it.effect.each<Case>([
    {
      name: "succeeds on the third attempt",
      source: `${kotlin}; ${typescript}; ${go}; ${smithyRs}`,
      steps: [
        [failed(), ["retry", 486, 0.05]],
        [failed(), ["retry", 472, 0.1]],
        [ok, ["success", 486]]
      ]
    },
    {
      name: "spends its attempts",
      source: `${kotlin}; ${typescript}; ${go}`,
      steps: [
        [failed(502), ["retry", 486, 0.05]],
        [failed(502), ["retry", 472, 0.1]],
        [failed(502), ["AttemptsSpent", 472]]
      ]
    },
    {
      name: "finds the quota empty after one retry",
      source: `${kotlin}; ${typescript}; ${go}`,
      given: { initial: 14 },
      steps: [
        [failed(), ["retry", 0, 0.05]],
        [failed(), ["BucketEmpty", 0]]
      ]
    },
    {
      name: "retries nothing on an empty quota",
      source: `${kotlin}; ${typescript}; ${go}`,
      given: { initial: 0 },
      steps: [[failed(), ["BucketEmpty", 0]]]
    },
    {
      name: "doubles its back-off",
      source: `${kotlin}; ${typescript}; ${go}`,
      given: { maxAttempts: 5 },
      steps: [
        [failed(), ["retry", 486, 0.05]],
        [failed(), ["retry", 472, 0.1]],
        [failed(), ["retry", 458, 0.2]],
        [failed(), ["retry", 444, 0.4]],
        [failed(), ["AttemptsSpent", 444]]
      ]
    },
    {
      name: "caps its back-off",
      source: `${kotlin}; ${go}; ${smithyRs}`,
      given: { maxAttempts: 5, cap: "200 millis" },
      steps: [
        [failed(), ["retry", 486, 0.05]],
        [failed(), ["retry", 472, 0.1]],
        [failed(), ["retry", 458, 0.2]],
        [failed(), ["retry", 444, 0.2]],
        [failed(), ["AttemptsSpent", 444]]
      ]
    },
    {
      name: "stops when the quota runs out",
      source: `${kotlin}; ${typescript}; ${go}`,
      given: { maxAttempts: 5, initial: 20 },
      steps: [
        [failed(), ["retry", 6, 0.05]],
        [failed(502), ["BucketEmpty", 6]]
      ]
    },
    {
      name: "recovers its quota on success, by the cost of the last retry alone",
      source: `${kotlin}; ${typescript}; ${go}`,
      given: { maxAttempts: 5, initial: 30 },
      steps: [
        [failed(), ["retry", 16, 0.05]],
        [failed(502), ["retry", 2, 0.1]],
        [ok, ["success", 16]],
        [failed(), ["retry", 2, 0.05]],
        [ok, ["success", 16]]
      ]
    },
    {
      name: "charges less and waits longer after throttling",
      source: `${kotlin}; ${typescript}; ${go}; ${smithyRs}`,
      steps: [
        [throttled, ["retry", 495, 1]],
        [ok, ["success", 500]]
      ]
    },
    {
      name: "follows the server's wait",
      source: `${kotlin}; ${go}; ${botocore}`,
      steps: [
        [failed(500, "1500"), ["retry", 486, 1.5]],
        [ok, ["success", 500]]
      ]
    },
    {
      name: "waits its back-off where the server asks for less",
      source: `${kotlin}; ${go}; ${botocore}`,
      steps: [
        [failed(500, "0"), ["retry", 486, 0.05]],
        [ok, ["success", 500]]
      ]
    },
    {
      name: "waits at most five seconds longer than its back-off",
      source: `${kotlin}; ${go}; ${botocore}`,
      steps: [
        [failed(500, "10000"), ["retry", 486, 5.05]],
        [ok, ["success", 500]]
      ]
    },
    ...[
      { value: "invalid", source: `${kotlin}; ${go}; ${botocore}` },
      { value: "-100", source: botocore }
    ].map(({ source, value }): Case => ({
      name: `ignores a wait of ${value}`,
      source,
      steps: [
        [failed(500, value), ["retry", 486, 0.05]],
        [ok, ["success", 500]]
      ]
    })),
    ...[
      { name: "inside the window", value: "3000", seconds: 3 },
      { name: "below it", value: "10", seconds: 0.05 },
      { name: "above it", value: "10000", seconds: 5.05 }
    ].map(({ name, seconds, value }): Case => ({
      name: `keeps to the window for a wait ${name}`,
      source: `${smithyRs}, v2_1_retry_after_bounded_between_t_i_and_t_i_plus_5s`,
      steps: [
        [failed(500, value), ["retry", 486, seconds]],
        [ok, ["success", 500]]
      ]
    })),
    {
      name: "waits before it fails a long poll on an empty quota",
      source: `${kotlin}; ${go}; ${sqsRs}`,
      given: { longPolling: true, initial: 0 },
      steps: [[failed(), ["BucketEmpty", 0, 0.05]]]
    },
    {
      // The SDK for Go has 0.05: it takes the failure for one without throttling here.
      name: "waits as long as a retry after throttling before it fails a long poll on an empty quota",
      source: `${kotlin}; ${smithyRs}; ${sqsRs}`,
      given: { longPolling: true, initial: 0 },
      steps: [[throttled, ["BucketEmpty", 0, 1]]]
    },
    {
      name: "does not wait where a long poll has spent its attempts",
      source: `${kotlin}; ${go}`,
      given: { longPolling: true, maxAttempts: 2 },
      steps: [
        [failed(), ["retry", 486, 0.05]],
        [failed(), ["AttemptsSpent", 486]]
      ]
    },
    {
      name: "does not wait where a long poll succeeds",
      source: `${kotlin}; ${go}`,
      given: { longPolling: true, maxAttempts: 2 },
      steps: [
        [failed(), ["retry", 486, 0.05]],
        [ok, ["success", 500]]
      ]
    },
    {
      name: "does not wait where a long poll fails for good",
      source: `${kotlin}; ${go}`,
      given: { longPolling: true, maxAttempts: 2 },
      steps: [[failed(404), ["Terminal", 500]]]
    }
  ])("$name ($source)", (row) => run(AwsRetry.standard, undefined, row))

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
  it.effect.each<Case>([
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
