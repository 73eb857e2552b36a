import { Backoff, InvalidArgument, RateLimiter, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { SeededRandom, TokenBucketContract, VirtualClock } from "@effect-retry/testing"
import * as vitest from "@effect/vitest"
import { Effect, Option } from "effect"
import * as AwsQuota from "../../src/fund/AwsQuota.ts"
import * as Kotlin from "../../src/loop/Kotlin.ts"
import { delayAt } from "../decide/Delays.ts"
import { acquire, fail, isGranted, succeed } from "../../../core/test/fund/Asking.ts"
import type { Response } from "./AwsRetryRuns.ts"
import { errorOf, nowSeconds, operate, operateAll } from "./AwsRetryRuns.ts"

const { describe, expect, expectTypeOf, it } = vitest

/** Draws that leave delays at their bound: jitter is taken away from it. */
const unjittered = SeededRandom.layerConstant(0)

const failed: Response = { status: 500 }
const throttled: Response = { status: 400, code: "Throttling" }
const ok: Response = { status: 200 }

const flags = "smithy-lang/smithy-kotlin 6373a5f, NewRetriesFeatureFlagTest.kt"
const buckets = "smithy-lang/smithy-kotlin 6373a5f, StandardRetryTokenBucketTest.kt"

interface Defaults {
  readonly name: string
  readonly settings: Kotlin.Settings
  readonly initialDelayMillis: number
  readonly scaleFactor: number
  readonly costs: { readonly [K in Verdict.Kind]: number }
}

describe(`Kotlin.make defaults (${flags}; ${buckets})`, () => {
  it.effect.each<Defaults>([
    {
      name: "off",
      settings: {},
      initialDelayMillis: 10,
      scaleFactor: 1.5,
      costs: { Transient: 10, Timeout: 10, Throttling: 10, Server: 5, Client: 5 }
    },
    {
      name: "on",
      settings: { newRetries2026: true },
      initialDelayMillis: 50,
      scaleFactor: 2,
      costs: { Transient: 14, Timeout: 14, Throttling: 5, Server: 14, Client: 14 }
    }
  ])("are those of Kotlin with the gate $name", ({ costs, initialDelayMillis, scaleFactor, settings }) =>
    Effect.gen(function* () {
      const policy = yield* Kotlin.make(settings)
      expect(policy.maxAttempts).toBe(3)
      expect(policy.rateLimiter).toBeUndefined()
      expect(policy.hint).toEqual({ _tag: "Within", aboveMillis: 5000, startsOver: false })
      const bounds = [1, 2, 3, 30].map((n) => delayAt(policy.backoff, n, 0))
      expect(bounds).toEqual(
        [1, scaleFactor, scaleFactor ** 2, Infinity].map((k) => Math.floor(Math.min(initialDelayMillis * k, 20_000)))
      )
      expect([1, 2].map((n) => delayAt(policy.backoff, n, 0, "Throttling"))).toEqual([1000, 1000 * scaleFactor])
      // The whole of a delay may be taken away.
      expect(delayAt(policy.backoff, 1, 1)).toBe(0)
      for (const kind of Verdict.kinds) {
        const { bucket } = yield* Kotlin.make(settings)
        expect(yield* bucket.level).toBe(500)
        yield* acquire(bucket, { kind })
        expect(yield* bucket.level).toBe(500 - costs[kind])
        yield* succeed(bucket, 1)
        expect(yield* bucket.level).toBe(501 - costs[kind])
      }
    })
  )

  it.effect("refuse at once when tokens are short, and get none by time", () =>
    Effect.gen(function* () {
      const { bucket } = yield* Kotlin.make({ tokenBucket: { maxCapacity: 10, retryCost: 10 } })
      expect([yield* isGranted(bucket, { kind: "Server" }), yield* isGranted(bucket, { kind: "Server" })]).toEqual([
        true,
        false
      ])
      yield* Effect.sleep("1 day")
      expect([yield* bucket.level, yield* nowSeconds]).toEqual([0, 86_400])
    }).pipe(VirtualClock.run)
  )

  it.effect("bring a default cost down to a small capacity", () =>
    Effect.gen(function* () {
      const { bucket } = yield* Kotlin.make({ tokenBucket: { maxCapacity: 3 } })
      expect(Option.map(yield* acquire(bucket), ({ tokens }) => tokens)).toEqual(Option.some(3))
    })
  )
})

/** Runs operations on a strategy with the bucket's settings. */
const operating = (settings: Kotlin.Settings, responses: ReadonlyArray<Response>) =>
  Effect.gen(function* () {
    const policy = yield* Kotlin.make(settings)
    return yield* operateAll(policy, policy.bucket, responses)
  }).pipe(VirtualClock.run, Effect.provide(unjittered))

describe("Kotlin.make", () => {
  // Source: smithy-lang/smithy-kotlin 6373a5f, NewStandardRetryIntegrationTestResources.kt: the gate on is `standard`.
  it.effect("with the gate on does what the 2026 revision does", () =>
    Effect.gen(function* () {
      const steps = yield* operating({ newRetries2026: true, maxAttempts: 5 }, [failed, throttled, failed, ok, ok])
      expect(steps).toEqual([
        { outcome: "retry", level: 486, seconds: 0.05 },
        { outcome: "retry", level: 481, seconds: 2 },
        { outcome: "retry", level: 467, seconds: 0.2 },
        { outcome: "success", level: 481, seconds: 0 },
        { outcome: "success", level: 482, seconds: 0 }
      ])
    })
  )

  it.effect("with the gate off charges ten for transient failures and for throttling", () =>
    Effect.gen(function* () {
      expect(yield* operating({}, [failed, throttled, ok])).toEqual([
        { outcome: "retry", level: 490, seconds: 0.01 },
        { outcome: "retry", level: 480, seconds: 1.5 },
        { outcome: "success", level: 490, seconds: 0 }
      ])
    })
  )

  it.effect("follows the server's wait up to its overshoot", () =>
    Effect.gen(function* () {
      const slow = { ...failed, headers: { "x-amz-retry-after": "10000" } }
      const secondsOf = (settings: Kotlin.Settings) =>
        Effect.map(operating(settings, [slow, ok]), ([step]) => step?.seconds)
      expect(yield* secondsOf({})).toBe(5.01)
      expect(yield* secondsOf({ delayProvider: { retryAfterMaxOvershoot: "1 second" } })).toBe(1.01)
    })
  )

  it.effect("takes every setting of its delays", () =>
    Effect.gen(function* () {
      const { backoff } = yield* Kotlin.make({
        delayProvider: {
          initialDelay: "100 millis",
          scaleFactor: 3,
          jitter: 0.5,
          maxBackoff: "500 millis",
          throttlingBaseDelay: "200 millis"
        }
      })
      expect([1, 2, 3].map((n) => delayAt(backoff, n, 0))).toEqual([100, 300, 500])
      expect([1, 2, 3].map((n) => delayAt(backoff, n, 1))).toEqual([50, 150, 250])
      expect(delayAt(backoff, 1, 0, "Throttling")).toBe(200)
    })
  )

  it.effect("keeps the gate's defaults for what is not set", () =>
    Effect.gen(function* () {
      const { backoff } = yield* Kotlin.make({ newRetries2026: true, delayProvider: { jitter: 0 } })
      expect([1, 2].map((n) => delayAt(backoff, n, 1))).toEqual([50, 100])
      const { bucket } = yield* Kotlin.make({ newRetries2026: true, tokenBucket: { maxCapacity: 100 } })
      yield* acquire(bucket, { kind: "Server" })
      expect(yield* bucket.level).toBe(86)
    })
  )

  it.effect("waits before it fails if long polls back off, and only then", () =>
    Effect.gen(function* () {
      const tokenBucket = { maxCapacity: 10, timeoutRetryCost: 10 }
      const settings = { maxAttempts: 5, tokenBucket, delayProvider: { scaleFactor: 2 } }
      const polling = yield* operating({ ...settings, enableLongPollingBackoff: true }, [failed, failed])
      const plain = yield* operating(settings, [failed, failed])
      expect([polling.at(-1), plain.at(-1)]).toEqual([
        { outcome: "BucketEmpty", level: 0, seconds: 0.02 },
        { outcome: "BucketEmpty", level: 0, seconds: 0 }
      ])
    })
  )

  it.effect("disables retries with one attempt", () =>
    Effect.gen(function* () {
      expect(yield* operating({ maxAttempts: 1 }, [failed])).toEqual([
        { outcome: "AttemptsSpent", level: 500, seconds: 0 }
      ])
    })
  )

  it.effect("gives each strategy its own bucket, unless they are given one", () =>
    Effect.gen(function* () {
      const [one, other] = yield* Effect.all([Kotlin.make(), Kotlin.make()])
      yield* acquire(one.bucket)
      expect([yield* one.bucket.level, yield* other.bucket.level]).toEqual([490, 500])
      const tokenBucket = yield* Kotlin.tokenBucket()
      const sharing = yield* Effect.all([Kotlin.make({ tokenBucket }), Kotlin.make({ tokenBucket, maxAttempts: 9 })])
      yield* Effect.forEach(sharing, ({ bucket }) => acquire(bucket))
      expect(yield* tokenBucket.level).toBe(480)
    })
  )

  it.effect("takes components by instance", () =>
    Effect.gen(function* () {
      const tokenBucket = yield* AwsQuota.standard
      const rateLimiter = yield* RateLimiter.adaptive()
      const delayProvider = Backoff.constant({ delay: "3 seconds" })
      const retryPolicy = () => Verdict.server
      const policy = yield* Kotlin.make({ delayProvider, rateLimiter, retryPolicy, tokenBucket })
      expect(policy.backoff).toBe(delayProvider)
      expect(policy.bucket).toBe(tokenBucket)
      expect(policy.rateLimiter).toBe(rateLimiter)
      expect(policy.classifier).toBe(retryPolicy)
    })
  )

  it.effect("judges a result by the policy that it is added to", () =>
    Effect.gen(function* () {
      const policy = yield* Kotlin.make({ maxAttempts: 10 })
      const results = ["client-error", "server-error", "transient", "throttled", "success"]
      let attempts = 0
      const polled = Retry.retry(
        Effect.sync(() => results[attempts++] ?? "success"),
        { ...policy, result: judged }
      )
      expect([yield* polled, attempts]).toEqual(["success", 5])
    }).pipe(VirtualClock.run)
  )

  it("may refuse an operation only if a limiter or a cost of first attempts is set", () => {
    const run = <P extends Kotlin.Policy>(policy: Effect.Effect<P>) => policy
    const effect: Effect.Effect<number, "busy"> = Effect.succeed(1)
    const plain = Effect.flatMap(Kotlin.make({ maxAttempts: 5 }), (policy) => Retry.retry(effect, policy))
    expectTypeOf(plain).toEqualTypeOf<Effect.Effect<number, "busy">>()
    const adaptive = Effect.flatMap(Kotlin.make({ rateLimiter: {} }), (policy) => Retry.retry(effect, policy))
    expectTypeOf(adaptive).toEqualTypeOf<Effect.Effect<number, "busy" | Retry.AttemptRefused>>()
    const charging = Effect.flatMap(Kotlin.make({ tokenBucket: { initialTryCost: 1 } }), (policy) =>
      Retry.retry(effect, policy)
    )
    expectTypeOf(charging).toEqualTypeOf<Effect.Effect<number, "busy" | Retry.AttemptRefused>>()
    expectTypeOf(run(Kotlin.make())).toEqualTypeOf<Effect.Effect<Kotlin.Policy>>()
  })
})

const judged = (result: string): Verdict.Verdict => {
  switch (result) {
    case "client-error":
      return Verdict.client
    case "server-error":
      return Verdict.server
    case "transient":
      return Verdict.transient
    case "throttled":
      return Verdict.throttling
    case "fail":
      return Verdict.terminal("fail")
    default:
      return Verdict.noOpinion
  }
}

// Source: smithy-lang/smithy-kotlin 6373a5f, StandardRetryStrategyTest.kt; a value that is given up on is answered, and the
// reason comes with `Retry.orStopped`.
describe("Kotlin.make outcomes", () => {
  const stopped = (settings: Kotlin.Settings, results: ReadonlyArray<string>, isThrown: boolean) =>
    Effect.gen(function* () {
      const policy = yield* Kotlin.make(settings)
      let attempts = 0
      const attempt = Effect.suspend(() => {
        const result = results[attempts++] ?? "success"
        return isThrown ? Effect.fail(result) : Effect.succeed(result)
      })
      const classifier = (error: string) => judged(error)
      const reason = yield* Effect.match(Retry.orStopped(attempt, { ...policy, classifier, result: judged }), {
        onFailure: ({ reason }) => reason._tag,
        onSuccess: () => "success"
      })
      attempts = 0
      const ended = yield* Effect.match(Retry.retry(attempt, { ...policy, classifier, result: judged }), {
        onFailure: (error) => ({ error }),
        onSuccess: (answer) => ({ answer })
      })
      return { attempts, ended, reason }
    }).pipe(VirtualClock.run)

  it.effect.each([
    {
      name: "first-try-success",
      settings: {},
      results: ["success"],
      isThrown: false,
      expected: { attempts: 1, reason: "success", ended: { answer: "success" } }
    },
    {
      name: "four-retryable-results-then-success",
      settings: { maxAttempts: 10 },
      results: ["client-error", "server-error", "transient", "throttled", "success"],
      isThrown: false,
      expected: { attempts: 5, reason: "success", ended: { answer: "success" } }
    },
    {
      name: "non-retryable-exception-is-rethrown",
      settings: {},
      results: ["fail"],
      isThrown: true,
      expected: { attempts: 1, reason: "Terminal", ended: { error: "fail" } }
    },
    {
      name: "non-retryable-result",
      settings: {},
      results: ["fail"],
      isThrown: false,
      expected: { attempts: 1, reason: "Terminal", ended: { answer: "fail" } }
    },
    {
      name: "too-many-attempts-exception-is-rethrown",
      settings: { maxAttempts: 3 },
      results: ["transient", "transient", "transient"],
      isThrown: true,
      expected: { attempts: 3, reason: "AttemptsSpent", ended: { error: "transient" } }
    },
    {
      name: "too-many-attempts-result",
      settings: { maxAttempts: 3 },
      results: ["client-error", "server-error", "transient"],
      isThrown: false,
      expected: { attempts: 3, reason: "AttemptsSpent", ended: { answer: "transient" } }
    }
  ])("$name", ({ expected, isThrown, results, settings }) =>
    Effect.gen(function* () {
      expect(yield* stopped(settings, results, isThrown)).toMatchObject(expected)
    })
  )
})

const first = { attempt: 1 } as const

/** What an effect answers, and the seconds it took. */
const timed = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const before = yield* nowSeconds
    const answer = yield* self
    return [answer, (yield* nowSeconds) - before] as const
  })

const refilling = { maxCapacity: 10, refillUnitsPerSecond: 10 }

describe(`Kotlin.tokenBucket (${buckets})`, () => {
  it.effect("waits for its capacity if it is not a circuit breaker", () =>
    Effect.gen(function* () {
      const bucket = yield* Kotlin.tokenBucket({ ...refilling, initialTryCost: 10, useCircuitBreakerMode: false })
      expect(yield* timed(isGranted(bucket, first))).toEqual([true, 0])
      expect(yield* bucket.level).toBe(0)
      expect(yield* timed(isGranted(bucket, first))).toEqual([true, 1])
    }).pipe(VirtualClock.run)
  )

  it.effect("waits no longer than it takes, while Kotlin waits whole seconds and is empty afterwards", () =>
    Effect.gen(function* () {
      const bucket = yield* Kotlin.tokenBucket({ ...refilling, initialTryCost: 8, useCircuitBreakerMode: false })
      yield* isGranted(bucket, first)
      expect(yield* timed(isGranted(bucket, first))).toEqual([true, 0.6])
      yield* Effect.sleep("50 millis")
      expect(yield* bucket.level).toBeCloseTo(0.5, 9)
    }).pipe(VirtualClock.run)
  )

  it.effect("puts in the increment, and not the cost, when a first attempt succeeds", () =>
    Effect.gen(function* () {
      const settings = { ...refilling, initialTryCost: 5, initialTrySuccessIncrement: 3, useCircuitBreakerMode: false }
      const bucket = yield* Kotlin.tokenBucket(settings)
      const levels = [yield* bucket.level]
      const granted = Option.getOrThrow(yield* acquire(bucket, first))
      levels.push(yield* bucket.level)
      yield* bucket.record({ _tag: "Succeeded", attempt: 1, granted })
      expect([...levels, yield* bucket.level]).toEqual([10, 5, 8])
    }).pipe(VirtualClock.run)
  )

  it.effect("keeps what a failure has cost", () =>
    Effect.gen(function* () {
      const bucket = yield* Kotlin.tokenBucket({ maxCapacity: 10, initialTryCost: 1 })
      yield* acquire(bucket, first)
      yield* fail(bucket, Verdict.server, 1, 1)
      expect(yield* bucket.level).toBe(9)
    })
  )

  it.effect.each([
    { kind: "Throttling", newRetries2026: false, level: 7 },
    { kind: "Transient", newRetries2026: false, level: 7 },
    { kind: "Client", newRetries2026: false, level: 8 },
    { kind: "Server", newRetries2026: false, level: 8 },
    { kind: "Transient", newRetries2026: true, level: 8 }
  ] as const)("has $level left after a retry for $kind, with the gate at $newRetries2026", (row) =>
    Effect.gen(function* () {
      const { kind, level, newRetries2026 } = row
      const bucket = yield* Kotlin.tokenBucket({ maxCapacity: 10, retryCost: 2, timeoutRetryCost: 3, newRetries2026 })
      yield* acquire(bucket, { kind })
      expect(yield* bucket.level).toBe(level)
    })
  )

  it.effect("keeps the fraction that time has brought, while Kotlin has two whole tokens", () =>
    Effect.gen(function* () {
      const bucket = yield* Kotlin.tokenBucket({ ...refilling, initialTryCost: 5, useCircuitBreakerMode: false })
      yield* acquire(bucket, first)
      yield* Effect.sleep("250 millis")
      yield* acquire(bucket, first)
      expect(yield* bucket.level).toBe(2.5)
    }).pipe(VirtualClock.run)
  )

  it.effect("is not starved by frequent access, as Kotlin's is", () =>
    Effect.gen(function* () {
      const bucket = yield* Kotlin.tokenBucket({ ...refilling, retryCost: 10 })
      yield* acquire(bucket, { kind: "Server" })
      yield* Effect.replicateEffect(Effect.zipRight(Effect.sleep("50 millis"), bucket.level), 20)
      expect(yield* bucket.level).toBeCloseTo(10, 9)
    }).pipe(VirtualClock.run)
  )

  it.effect("refuses if it is a circuit breaker, even one that refills", () =>
    Effect.gen(function* () {
      const bucket = yield* Kotlin.tokenBucket({ ...refilling, initialTryCost: 10 })
      expect(yield* timed(isGranted(bucket, first))).toEqual([true, 0])
      expect(yield* timed(isGranted(bucket, first))).toEqual([false, 0])
    }).pipe(VirtualClock.run)
  )

  it.effect("is a circuit breaker if it does not refill, whatever is asked for", () =>
    Effect.gen(function* () {
      const settings = { maxCapacity: 10, initialTryCost: 10, refillUnitsPerSecond: 0, useCircuitBreakerMode: false }
      const bucket = yield* Kotlin.tokenBucket(settings)
      expect(yield* timed(isGranted(bucket, first))).toEqual([true, 0])
      expect(yield* timed(isGranted(bucket, first))).toEqual([false, 0])
    }).pipe(VirtualClock.run)
  )
})

describe("Kotlin.make with a cost of first attempts", () => {
  const tokenBucket = { maxCapacity: 10, initialTryCost: 6, retryCost: 2, timeoutRetryCost: 3 }

  it.effect("refuses an operation that it does not run", () =>
    Effect.gen(function* () {
      const policy = yield* Kotlin.make({ tokenBucket })
      let runs = 0
      const call = Retry.retry(
        Effect.sync(() => ++runs),
        policy
      )
      expect(yield* call).toBe(1)
      // Ten, less six, and one for the success.
      expect(yield* policy.bucket.level).toBe(5)
      expect(yield* Effect.flip(call)).toEqual(new Retry.AttemptRefused({ attempt: 1 }))
      expect([runs, yield* policy.bucket.level]).toEqual([1, 5])
    })
  )

  it.effect("charges first attempts once, and retries what retries cost", () =>
    Effect.gen(function* () {
      expect(yield* operating({ tokenBucket }, [failed, ok])).toEqual([
        { outcome: "retry", level: 1, seconds: 0.01 },
        { outcome: "success", level: 4, seconds: 0 }
      ])
    })
  )

  it.effect("asks an instance that names such a cost, and no other", () =>
    Effect.gen(function* () {
      const charging = yield* Kotlin.make({ tokenBucket: yield* Kotlin.tokenBucket(tokenBucket) })
      yield* Retry.retry(Effect.void, charging)
      expect(yield* charging.bucket.level).toBe(5)
      const plain = yield* Kotlin.make({ tokenBucket: yield* TokenBucket.quota({ capacity: 10 }) })
      yield* Effect.flip(Retry.retry(Effect.fail("not known"), plain))
      expect(yield* plain.bucket.level).toBe(10)
    })
  )

  it.effect("asks the bucket before the limiter, so that a refused attempt has not waited", () =>
    Effect.gen(function* () {
      const policy = yield* Kotlin.make({ tokenBucket, rateLimiter: {}, maxAttempts: 1 })
      yield* Effect.ignore(Retry.retry(Effect.fail(errorOf(throttled)), policy))
      expect(yield* timed(Effect.flip(Retry.retry(Effect.void, policy)))).toEqual([
        new Retry.AttemptRefused({ attempt: 1 }),
        0
      ])
    }).pipe(VirtualClock.run)
  )

  it.effect("gives the tokens of the bucket back when the limiter refuses", () =>
    Effect.gen(function* () {
      const rateLimiter = { whenShort: "refuse" } as const
      const policy = yield* Kotlin.make({
        tokenBucket: { ...tokenBucket, maxCapacity: 100 },
        rateLimiter,
        maxAttempts: 1
      })
      yield* Effect.ignore(Retry.retry(Effect.fail(errorOf(throttled)), policy))
      const before = yield* policy.bucket.level
      yield* Effect.flip(Retry.retry(Effect.void, policy))
      expect([before, yield* policy.bucket.level]).toEqual([94, 94])
    }).pipe(VirtualClock.run)
  )
})

describe("Kotlin.make with a rateLimiter", () => {
  /** The seconds for which first attempts are held back after a throttle, two at once. */
  const heldBack = (rateLimiter: NonNullable<Kotlin.Settings["rateLimiter"]>) =>
    Effect.gen(function* () {
      const policy = yield* Kotlin.make({ rateLimiter, maxAttempts: 1 })
      yield* Effect.ignore(Retry.retry(Effect.fail(errorOf(throttled)), policy))
      const times: Array<number> = []
      const call = Retry.retry(
        Effect.map(nowSeconds, (now) => void times.push(now)),
        policy
      )
      yield* Effect.all([call, call], { concurrency: "unbounded" })
      return times
    }).pipe(VirtualClock.run)

  it.effect("is the adaptive strategy, with the defaults of the SDKs", () =>
    Effect.gen(function* () {
      // One token at 0.5 per second; its success makes the rate 1.6, twice what is measured.
      expect(yield* heldBack({})).toEqual([2, 2.625])
    })
  )

  it.effect("passes its settings on", () =>
    Effect.gen(function* () {
      expect(yield* heldBack({ smoothing: 0.5 })).toEqual([2, 3])
      // The settings of the guide's example.
      expect(yield* heldBack({ minFillRate: 1, smoothing: 0.75 })).toEqual([1, 2])
      expect(yield* heldBack({ offAfter: "500 millis" })).toEqual([0.5, 0.5])
    })
  )

  it.effect("hears a throttle before it decides on a retry", () =>
    Effect.gen(function* () {
      const policy = yield* Kotlin.make({
        rateLimiter: {},
        tokenBucket: { maxCapacity: 1, retryCost: 1, timeoutRetryCost: 1 }
      })
      yield* acquire(policy.bucket)
      const { steps } = yield* operate(policy, policy.bucket, [throttled])
      expect(steps).toEqual([{ outcome: "BucketEmpty", level: 0, seconds: 0 }])
      yield* Retry.retry(Effect.void, policy)
      expect(yield* nowSeconds).toBe(2)
    }).pipe(VirtualClock.run)
  )
})

describe("Kotlin bad arguments", () => {
  it.each<{ settings: object; message: string }>([
    { settings: { maxAttempts: 0 }, message: "maxAttempts must be a whole number >= 1, got 0" },
    { settings: { maxAttempts: 1.5 }, message: "maxAttempts must be a whole number >= 1, got 1.5" },
    { settings: { tokenBucket: { maxCapacity: 0 } }, message: "tokenBucket.maxCapacity must be > 0, got 0" },
    {
      settings: { tokenBucket: { maxCapacity: 10, retryCost: 11 } },
      message: "tokenBucket.retryCost must be >= 0 and <= 10, got 11"
    },
    {
      settings: { tokenBucket: { timeoutRetryCost: -1 } },
      message: "tokenBucket.timeoutRetryCost must be >= 0 and <= 500, got -1"
    },
    {
      settings: { tokenBucket: { initialTryCost: NaN } },
      message: "tokenBucket.initialTryCost must be >= 0 and <= 500, got NaN"
    },
    {
      settings: { tokenBucket: { initialTrySuccessIncrement: -1 } },
      message: "tokenBucket.initialTrySuccessIncrement must be >= 0, got -1"
    },
    {
      settings: { tokenBucket: { refillUnitsPerSecond: Infinity } },
      message: "tokenBucket.refillUnitsPerSecond must be >= 0, got Infinity"
    },
    { settings: { delayProvider: { jitter: 2 } }, message: "delayProvider.jitter must be >= 0 and <= 1, got 2" },
    {
      settings: { delayProvider: { retryAfterMaxOvershoot: -1 } },
      message: "delayProvider.retryAfterMaxOvershoot must be a finite duration >= 0, got -1"
    },
    { settings: { rateLimiter: { beta: 1 } }, message: "rateLimiter.beta must be > 0 and < 1, got 1" },
    { settings: { rateLimiter: { minCapacity: 0 } }, message: "rateLimiter.minCapacity must be >= 1, got 0" },
    { settings: { maxAtempts: 3 }, message: "maxAtempts must be absent" },
    { settings: { tokenBucket: { capacity: 3 } }, message: "tokenBucket.capacity must be absent" },
    { settings: { delayProvider: { base: 3 } }, message: "delayProvider.base must be absent" },
    { settings: { rateLimiter: { rate: 3 } }, message: "rateLimiter.rate must be absent" },
    { settings: { tokenBucket: 3 }, message: "tokenBucket must be a record of settings, got 3" },
    { settings: { rateLimiter: null }, message: "rateLimiter must be a record of settings, got null" },
    { settings: { retryPolicy: 3 }, message: "retryPolicy must be a classifier, got 3" },
    {
      settings: { enableLongPollingBackoff: "yes" },
      message: 'enableLongPollingBackoff must be true or false, got "yes"'
    },
    { settings: { newRetries2026: "true" }, message: 'newRetries2026 must be true or false, got "true"' },
    {
      settings: { tokenBucket: { useCircuitBreakerMode: "no" } },
      message: 'tokenBucket.useCircuitBreakerMode must be true or false, got "no"'
    },
    {
      settings: { tokenBucket: AwsQuota.standard },
      message: "tokenBucket must be a bucket, not an effect that makes one: yield* it first"
    },
    {
      settings: { rateLimiter: RateLimiter.adaptive() },
      message: "rateLimiter must be a bucket, not an effect that makes one: yield* it first"
    }
  ])("are refused when a strategy is made: $message", ({ message, settings }) => {
    const make = () => Kotlin.make(settings as Kotlin.Settings)
    expect(make).toThrow(InvalidArgument.InvalidArgument)
    expect(make).toThrow(`Kotlin.make: ${message}`)
  })

  it("are refused when a bucket is made, by the names they have there", () => {
    const make = (settings: object) => () => Kotlin.tokenBucket(settings)
    expect(make({ maxCapacity: -1 })).toThrow("Kotlin.tokenBucket: maxCapacity must be > 0, got -1")
    expect(make({ capacity: 1 })).toThrow("Kotlin.tokenBucket: capacity must be absent")
    expect(make({ newRetries2026: 1 })).toThrow("Kotlin.tokenBucket: newRetries2026 must be true or false, got 1")
  })
})

describe("Kotlin types", () => {
  it("refuse unknown settings", () => {
    // @ts-expect-error: a misspelt setting
    expect(() => Kotlin.make({ maxAtempts: 3 })).toThrow("maxAtempts must be absent")
    // @ts-expect-error: a setting of another bucket
    expect(() => Kotlin.make({ tokenBucket: { capacity: 3 } })).toThrow("tokenBucket.capacity must be absent")
    // @ts-expect-error: a setting of another back-off
    expect(() => Kotlin.make({ delayProvider: { base: 3 } })).toThrow("delayProvider.base must be absent")
  })

  it("keep the errors that a policy of the caller's own judges", () => {
    const retryPolicy = (error: "busy" | "gone") => (error === "busy" ? Verdict.transient : Verdict.terminal("gone"))
    expectTypeOf(Kotlin.make({ retryPolicy })).toEqualTypeOf<Effect.Effect<Kotlin.Policy<"busy" | "gone">>>()
  })
})

const asBucket = (settings?: Parameters<typeof Kotlin.tokenBucket>[0]): Effect.Effect<TokenBucket.TokenBucket> =>
  Kotlin.tokenBucket(settings)

TokenBucketContract.suite(vitest, "Kotlin.tokenBucket", asBucket())
TokenBucketContract.suite(
  vitest,
  "Kotlin.tokenBucket that waits",
  asBucket({ ...refilling, retryCost: 2, timeoutRetryCost: 2, useCircuitBreakerMode: false }),
  { waits: true, refills: true }
)
