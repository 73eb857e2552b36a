import { Backoff, Deadline, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { TokenBucketContract, VirtualClock } from "@effect-retry/testing"
import * as vitest from "@effect/vitest"
import { Duration, Effect, Exit, Fiber, Option } from "effect"
import * as AwsQuota from "../../src/fund/AwsQuota.ts"
import { acquire, fail, isGranted, succeed } from "../../../core/test/fund/Asking.ts"

const { describe, expect, it } = vitest

/** A bucket whose retries cost five, ten or forty-nine tokens, by kind. */
const fifty = TokenBucket.quota({ capacity: 50, cost: { Transient: 5, Server: 10, Client: 49, orElse: 0 } })
const kinds = { 5: "Transient", 10: "Server", 49: "Client" } as const

type Deed = readonly [deed: "acquire" | "release", tokens: 5 | 10 | 49, granted: boolean | undefined, level: number]

describe("TokenBucket.quota as the quota of botocore", () => {
  // Source: boto/botocore 1.43.107, tests/unit/retries/test_quota.py; a release is the success of a retry that had cost so much.
  it.effect.each<{ name: string; deeds: ReadonlyArray<Deed> }>([
    { name: "takes what an attempt costs", deeds: [["acquire", 5, true, 45]] },
    {
      name: "gets back what is released",
      deeds: [
        ["acquire", 5, true, 45],
        ["release", 5, undefined, 50]
      ]
    },
    {
      name: "gets back no more than its capacity",
      deeds: [
        ["acquire", 5, true, 45],
        ["release", 10, undefined, 50]
      ]
    },
    { name: "stays full", deeds: [["release", 10, undefined, 50]] },
    {
      name: "takes all or nothing",
      deeds: [
        ["acquire", 49, true, 1],
        ["acquire", 10, false, 1]
      ]
    }
  ])("$name", ({ deeds }) =>
    Effect.gen(function* () {
      const bucket = yield* fifty
      for (const [deed, tokens, granted, level] of deeds) {
        if (deed === "release") yield* succeed(bucket, 2, tokens)
        else expect(yield* isGranted(bucket, { kind: kinds[tokens] })).toBe(granted)
        expect(yield* bucket.level).toBe(level)
      }
    })
  )
})

interface Row {
  readonly name: string
  readonly source: string
  readonly quota: Effect.Effect<TokenBucket.TokenBucket>
  /** By the kind of the failure before a retry. */
  readonly costs: { readonly [K in Verdict.Kind]: number }
}

const botocore = "boto/botocore 1.43.107, tests/unit/retries/test_standard_retry_v2_1.py"
const java = "aws/aws-sdk-java-v2 e486a15, StandardRetryStrategyV21ConstantsTest.java"

describe("AwsQuota", () => {
  it.effect.each<Row>([
    {
      name: "standard",
      source: `${botocore}; ${java}`,
      quota: AwsQuota.standard,
      costs: { Transient: 14, Throttling: 5, Timeout: 14, Server: 14, Client: 14 }
    },
    {
      name: "standard2020",
      source: "boto/botocore 1.43.107, tests/unit/retries/test_standard.py",
      quota: AwsQuota.standard2020,
      costs: { Transient: 5, Throttling: 5, Timeout: 10, Server: 5, Client: 5 }
    },
    {
      name: "costs2020.transient",
      source: "smithy-lang/smithy-rs 56ee88c, retries/strategy/standard.rs; @smithy/util-retry 4.2.8",
      quota: TokenBucket.quota({ cost: AwsQuota.costs2020.transient }),
      costs: { Transient: 10, Throttling: 5, Timeout: 10, Server: 5, Client: 5 }
    },
    {
      name: "legacyJava",
      source: "aws/aws-sdk-java-v2 187b715, LegacyRetryStrategyTest.java",
      quota: AwsQuota.legacyJava,
      costs: { Transient: 5, Throttling: 0, Timeout: 5, Server: 5, Client: 5 }
    }
  ])("$name charges by kind, and returns the last cost or puts in one ($source)", ({ costs, quota }) =>
    Effect.gen(function* () {
      for (const kind of Verdict.kinds) {
        const bucket = yield* quota
        expect(yield* bucket.level).toBe(500)
        yield* acquire(bucket, { kind: "Server" })
        const before = yield* bucket.level
        const granted = Option.getOrThrow(yield* acquire(bucket, { attempt: 3, kind }))
        expect([granted.tokens, yield* bucket.level]).toEqual([costs[kind], before - costs[kind]])
        yield* bucket.record({ _tag: "Succeeded", attempt: 3, granted })
        expect(yield* bucket.level).toBe(before)
        yield* succeed(bucket, 1)
        expect(yield* bucket.level).toBe(before + 1)
        yield* fail(bucket, Verdict.retryable(kind), 3, granted.tokens)
        expect(yield* bucket.level).toBe(before + 1)
      }
    })
  )

  // Source: smithy-lang/smithy-rs 56ee88c, strategy/standard.rs, quota_replenishes_on_first_try_success.
  it.effect("fills up one by one when first attempts succeed", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.quota({ capacity: 20, cost: AwsQuota.costs2020.transient })
      expect(yield* Effect.replicateEffect(isGranted(bucket), 3)).toEqual([true, true, false])
      for (let level = 1; level <= 20; level++) {
        yield* succeed(bucket, 1)
        expect(yield* bucket.level).toBe(level)
      }
    })
  )

  it.effect("makes a new bucket each time", () =>
    Effect.gen(function* () {
      const [one, other] = yield* Effect.all([AwsQuota.standard, AwsQuota.standard])
      yield* acquire(one)
      expect([yield* one.level, yield* other.level]).toEqual([486, 500])
    })
  )
})

const empty = Effect.map(TokenBucket.quota({ initial: 0 }), AwsQuota.longPolling)

/** What an effect answers, and the milliseconds it took. */
const timed = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const before = yield* VirtualClock.now
    const answer = yield* self
    return [answer, Duration.toMillis(Duration.subtract(yield* VirtualClock.now, before))] as const
  })

describe("AwsQuota.longPolling", () => {
  it.effect("waits as long as the retry would have, then refuses, and moves no token", () =>
    Effect.gen(function* () {
      const bucket = yield* Effect.map(TokenBucket.quota({ initial: 13 }), AwsQuota.longPolling)
      expect(yield* timed(isGranted(bucket, { delay: "50 millis" }))).toEqual([false, 50])
      expect(yield* bucket.level).toBe(13)
    }).pipe(VirtualClock.run)
  )

  it.effect("grants at once what the bucket grants", () =>
    Effect.gen(function* () {
      const bucket = yield* Effect.map(AwsQuota.standard, AwsQuota.longPolling)
      expect(yield* timed(isGranted(bucket, { delay: "1 second" }))).toEqual([true, 0])
      expect(yield* bucket.level).toBe(486)
      yield* succeed(bucket, 2, 14)
      expect(yield* bucket.level).toBe(500)
    }).pipe(VirtualClock.run)
  )

  it.effect.each([
    { name: "leaves more than the delay", deadline: Deadline.refuse("1500 millis"), ends: "BucketEmpty", millis: 1000 },
    { name: "leaves the delay", deadline: Deadline.refuse("1001 millis"), ends: "BucketEmpty", millis: 1000 },
    { name: "leaves less", deadline: Deadline.refuse("1 second"), ends: "DeadlinePassed", millis: 0 },
    {
      name: "shortens the delay",
      deadline: Deadline.truncate("500 millis", { reserve: "100 millis" }),
      ends: "BucketEmpty",
      millis: 400
    },
    { name: "cuts the delay", deadline: Deadline.cut("400 millis"), ends: "DeadlinePassed", millis: 400 }
  ])("waits as the retry would have under a deadline that $name", ({ deadline, ends, millis }) =>
    Effect.gen(function* () {
      const policy = {
        classifier: () => Verdict.transient,
        maxAttempts: 3,
        backoff: Backoff.constant({ delay: "1 second" }),
        bucket: yield* empty,
        deadline
      }
      const stopped = Effect.flip(Retry.orStopped(Effect.fail("unavailable"), policy))
      expect(yield* timed(Effect.map(stopped, ({ reason }) => reason._tag))).toEqual([ends, millis])
    }).pipe(VirtualClock.run)
  )

  it.effect("is interrupted at once in its wait", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.fork(isGranted(yield* empty, { delay: "1 hour" }))
      yield* Effect.sleep("1 second")
      const [exit, millis] = yield* timed(Fiber.interrupt(fiber))
      expect([Exit.isInterrupted(exit), millis]).toEqual([true, 0])
    }).pipe(VirtualClock.run)
  )

  it.effect("does not wait for a first attempt that is refused", () =>
    Effect.gen(function* () {
      expect(yield* timed(isGranted(yield* empty, { attempt: 1 }))).toEqual([false, 0])
    }).pipe(VirtualClock.run)
  )
})

TokenBucketContract.suite(vitest, "AwsQuota.standard", AwsQuota.standard)
TokenBucketContract.suite(vitest, "AwsQuota.standard2020", AwsQuota.standard2020)
TokenBucketContract.suite(vitest, "AwsQuota.legacyJava", AwsQuota.legacyJava)
TokenBucketContract.suite(vitest, "AwsQuota.longPolling", Effect.map(AwsQuota.standard, AwsQuota.longPolling))
