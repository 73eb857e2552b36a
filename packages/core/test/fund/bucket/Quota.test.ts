import { Backoff, Classifier, Deadline, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Option } from "effect"
import { fail, isGranted, request, succeed, tokensOf } from "../Asking.ts"
import { clockReads } from "../ClockReads.ts"
import type { End } from "../Funded.ts"
import { levels, operate } from "../Funded.ts"

type Options = NonNullable<Parameters<typeof TokenBucket.quota>[0]>

const botocore = "boto/botocore 1.43.107, tests/unit/retries/test_standard_retry_v2_1.py"
const botocore20 = "boto/botocore 1.43.107, tests/unit/retries/test_standard.py"
const java = "aws/aws-sdk-java-v2 e486a15, StandardRetryStrategyV21ConstantsTest.java"
const javaLegacy = "aws/aws-sdk-java-v2 187b715, LegacyRetryStrategyTest.java"
const kotlin = "smithy-lang/smithy-kotlin 6373a5f, StandardRetryTokenBucketTest.kt"
const smithyRs = "smithy-lang/smithy-rs 56ee88c, aws-smithy-runtime, retries/token_bucket.rs"

const legacy = { capacity: 100, cost: { Throttling: 0, orElse: 5 } }

interface Row {
  readonly name: string
  readonly source: string
  readonly quota: Options
  readonly operations: ReadonlyArray<ReadonlyArray<End>>
  /** In every attempt, and after each operation. */
  readonly levels: ReadonlyArray<ReadonlyArray<number>>
}

describe("TokenBucket.quota", () => {
  it.effect.each<Row>([
    {
      name: "a success after a retry returns its cost",
      source: botocore,
      quota: {},
      operations: [["Server", "ok"]],
      levels: [[500, 486, 500]]
    },
    {
      name: "throttling costs less",
      source: `${botocore}; ${java}`,
      quota: {},
      operations: [["Throttling", "ok"]],
      levels: [[500, 495, 500]]
    },
    {
      name: "a timeout costs as much as any other failure",
      source: botocore,
      quota: {},
      operations: [["Timeout", "ok"]],
      levels: [[500, 486, 500]]
    },
    {
      name: "a failure after a retry returns nothing",
      source: botocore,
      quota: {},
      operations: [["Server", "bad request"]],
      levels: [[500, 486, 486]]
    },
    {
      name: "a success at once puts one token in",
      source: botocore,
      quota: {},
      operations: [["Server", "bad request"], ["ok"]],
      levels: [
        [500, 486, 486],
        [486, 487]
      ]
    },
    {
      name: "a failure at once puts nothing in",
      source: botocore,
      quota: {},
      operations: [["Server", "bad request"], ["bad request"]],
      levels: [
        [500, 486, 486],
        [486, 486]
      ]
    },
    {
      name: "only the last retry's cost returns",
      source: botocore,
      quota: {},
      operations: [["Server", "Throttling", "ok"]],
      levels: [[500, 486, 481, 486]]
    },
    {
      name: "what the last attempt failed with costs nothing",
      source: botocore,
      quota: {},
      operations: [["Server", "Server", "Server"]],
      levels: [[500, 486, 472, 472]]
    },
    {
      name: "the capacity of one retry grants one",
      source: botocore,
      quota: { capacity: 14 },
      operations: [["Server", "Server", "Server"]],
      levels: [[14, 0, 0]]
    },
    {
      name: "before the 2026 revision a retry costs five",
      source: botocore20,
      quota: { cost: { Timeout: 10, orElse: 5 } },
      operations: [["Transient", "Throttling", "Server"]],
      levels: [[500, 495, 490, 490]]
    },
    {
      name: "before the 2026 revision a timeout costs ten",
      source: botocore20,
      quota: { cost: { Timeout: 10, orElse: 5 } },
      operations: [["Timeout", "bad request"]],
      levels: [[500, 490, 490]]
    },
    {
      name: "throttling may cost nothing at all",
      source: javaLegacy,
      quota: legacy,
      operations: [["Throttling", "Throttling", "Throttling"]],
      levels: [[100, 100, 100, 100]]
    },
    {
      name: "throttling may cost nothing beside failures that do",
      source: javaLegacy,
      quota: legacy,
      operations: [["Throttling", "Server", "Throttling"]],
      levels: [[100, 100, 95, 95]]
    },
    {
      name: "a cost of nothing switches the bucket off",
      source: "aws/aws-sdk-java-v2 3b1b732, RetryStrategyCommonTest.java",
      quota: { capacity: 100, cost: { orElse: 0 } },
      operations: [["Server", "Server", "ok"]],
      levels: [[100, 100, 100, 100]]
    },
    {
      // Java releases max(cost of the last retry, 1) and ends at 96: there, a free retry earns a token. What is
      // returned here is what was taken, as the guide says.
      name: "a success after a free retry returns nothing, unlike in Java",
      source: "against aws/aws-sdk-java-v2 25787b3, BaseRetryStrategy",
      quota: legacy,
      operations: [
        ["Server", "bad request"],
        ["Throttling", "ok"]
      ],
      levels: [
        [100, 95, 95],
        [95, 95, 95]
      ]
    },
    ...(["Throttling", "Transient"] as const).map((kind) => ({
      name: `${kind} costs what a timeout does, before the 2026 revision`,
      source: kotlin,
      quota: { capacity: 10, cost: { Throttling: 3, Transient: 3, orElse: 2 } },
      operations: [[kind, "bad request"] as const],
      levels: [[10, 7, 7]]
    })),
    ...(["Client", "Server"] as const).map((kind) => ({
      name: `${kind} costs what a retry does, before the 2026 revision`,
      source: kotlin,
      quota: { capacity: 10, cost: { Throttling: 3, Transient: 3, orElse: 2 } },
      operations: [[kind, "bad request"] as const],
      levels: [[10, 8, 8]]
    })),
    {
      name: "successes of first attempts put in as much as the options say",
      source: smithyRs,
      quota: { capacity: 10, cost: { orElse: 10 }, firstSuccessIncrement: 0.4 },
      operations: [["Server", "bad request"], ["ok"], ["ok"], ["ok"]],
      // Rust shows the whole part: 0, 0, 1.
      levels: [
        [10, 0, 0],
        [0, 0.4],
        [0.4, 0.8],
        [0.8, 1.2]
      ]
    },
    {
      name: "successes fill it no higher than its capacity",
      source: smithyRs,
      quota: { capacity: 10, cost: { orElse: 10 }, firstSuccessIncrement: 2 },
      operations: [["Server", "bad request"], ...Array.from({ length: 20 }, () => ["ok"] as const)],
      levels: [[10, 0, 0], ...Array.from({ length: 20 }, (_, n) => [Math.min(10, 2 * n), Math.min(10, 2 * n + 2)])]
    }
  ])("$name ($source)", ({ levels: expected, operations, quota }) =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.quota(quota)
      const actual = yield* Effect.forEach(operations, (ends) => levels(bucket, ends))
      expect(actual.flat().length).toBe(expected.flat().length)
      actual.flat().forEach((level, index) => expect(level).toBeCloseTo(expected.flat()[index] ?? NaN, 9))
    }).pipe(VirtualClock.run)
  )

  it.effect("adds up what successes and time put in (smithy-rs)", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.quota({
        capacity: 10,
        cost: { orElse: 10 },
        firstSuccessIncrement: 0.5,
        refillPerSecond: 1
      })
      yield* tokensOf(bucket)
      yield* Effect.replicateEffect(operate(bucket, ["ok"]), 2)
      yield* Effect.sleep("2 seconds")
      expect(yield* bucket.level).toBeCloseTo(3, 9)
    }).pipe(VirtualClock.run)
  )

  it.effect("grants two retries for five from ten tokens (smithy-rs)", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.quota({ capacity: 10, cost: { orElse: 5 } })
      const taken = yield* Effect.replicateEffect(tokensOf(bucket, { kind: "Throttling" }), 3)
      expect(taken).toEqual([Option.some(5), Option.some(5), Option.none()])
    })
  )

  it.effect.each([
    { name: "a success at once", ends: ["ok"], maxAttempts: 3, attempts: 1, outcome: "ok" },
    {
      name: "four retryable failures, then a success",
      ends: ["Client", "Server", "Transient", "Throttling", "ok"],
      maxAttempts: 10,
      attempts: 5,
      outcome: "ok"
    },
    { name: "a failure for good", ends: ["bad request"], maxAttempts: 3, attempts: 1, outcome: "Terminal" },
    {
      name: "too many attempts",
      ends: ["Client", "Server", "Transient"],
      maxAttempts: 3,
      attempts: 3,
      outcome: "AttemptsSpent"
    }
  ] as const)("lets an operation end as in Kotlin: $name", ({ attempts, ends, maxAttempts, outcome }) =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.quota()
      expect(yield* operate(bucket, ends, { maxAttempts })).toEqual({ attempts, outcome })
    }).pipe(VirtualClock.run)
  )

  it.effect("ends an operation at once when the quota is spent", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.quota({ capacity: 14 })
      yield* tokensOf(bucket)
      expect(yield* operate(bucket, ["Server"])).toEqual({ attempts: 1, outcome: "BucketEmpty" })
      expect(yield* VirtualClock.now).toEqual(Duration.zero)
    }).pipe(VirtualClock.run)
  )

  // The guide says that it drains above about 22 % of failing attempts for 14 tokens, and above 32 % for 5.
  it.effect.each([
    { cost: 14, maxAttempts: 3, probability: 0.21486 },
    { cost: 5, maxAttempts: 3, probability: 0.32072 },
    { cost: 10, maxAttempts: 3, probability: 0.246 },
    { cost: 14, maxAttempts: 4, probability: 0.21169 },
    { cost: 5, maxAttempts: 4, probability: 0.31233 },
    { cost: 14, maxAttempts: 5, probability: 0.21106 }
  ])(
    "drains when attempts fail with a probability above $probability, at $cost tokens and $maxAttempts attempts",
    ({ cost, maxAttempts, probability }) =>
      Effect.gen(function* () {
        const bucket = yield* TokenBucket.quota({ capacity: 1000, cost: { orElse: cost } })
        yield* Effect.replicateEffect(tokensOf(bucket), 500 / cost)
        /** The change that an operation makes, by the number of attempts that fail before one succeeds. */
        const changes = yield* Effect.forEach(Array.from({ length: maxAttempts + 1 }), (_, failures) =>
          Effect.gen(function* () {
            const before = yield* bucket.level
            const ends = [...Array.from({ length: failures }, () => "Server" as const), "ok" as const]
            yield* operate(bucket, ends, { maxAttempts })
            return (yield* bucket.level) - before
          })
        )
        const mean = (p: number) =>
          changes.reduce((sum, change, k) => sum + change * p ** k * (k === maxAttempts ? 1 : 1 - p), 0)
        expect(mean(probability - 1e-5)).toBeGreaterThan(0)
        expect(mean(probability + 1e-5)).toBeLessThan(0)
      }).pipe(VirtualClock.run)
  )
})

const waiting = { capacity: 10, cost: { Throttling: 5, orElse: 10 }, refillPerSecond: 10, whenShort: "wait" } as const

/** When an effect ends, in virtual milliseconds, and with what result. */
const timed = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.zip(
    self,
    Effect.map(VirtualClock.now, (now) => Duration.toMillis(now))
  )

describe("TokenBucket.quota made twice by one effect", () => {
  it.effect("returns tokens to the bucket that granted them", () =>
    Effect.gen(function* () {
      const quota = TokenBucket.quota({ capacity: 10, cost: { orElse: 4 } })
      const [one, other] = [yield* quota, yield* quota]
      const granted = yield* one.acquire(request())
      const grantedOther = yield* other.acquire(request())
      expect([yield* one.level, yield* other.level]).toEqual([6, 6])
      yield* Option.getOrThrow(granted).refund
      expect([yield* one.level, yield* other.level]).toEqual([10, 6])
      yield* Option.getOrThrow(grantedOther).refund
      expect([yield* one.level, yield* other.level]).toEqual([10, 10])
    })
  )
})

describe("TokenBucket.quota that waits", () => {
  it.effect("grants what is there at once, and the rest as time brings it, in order", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.quota(waiting)
      const kinds = ["Server", "Server", "Throttling", "Throttling", "Server"] as const
      const fibers = yield* Effect.forEach(kinds, (kind) => Effect.fork(timed(tokensOf(bucket, { kind }))))
      expect(yield* Fiber.join(Fiber.all(fibers))).toEqual([
        [Option.some(10), 0],
        [Option.some(10), 1000],
        [Option.some(5), 1500],
        [Option.some(5), 2000],
        [Option.some(10), 3000]
      ])
    }).pipe(VirtualClock.run)
  )

  it.effect("lets no attempt pass a waiting one with a higher cost", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.quota(waiting)
      yield* tokensOf(bucket, { kind: "Throttling" })
      const costly = yield* Effect.fork(timed(tokensOf(bucket, { kind: "Server" })))
      yield* Effect.yieldNow()
      const cheap = yield* Effect.fork(timed(tokensOf(bucket, { kind: "Throttling" })))
      expect(yield* Fiber.join(costly)).toEqual([Option.some(10), 500])
      expect(yield* Fiber.join(cheap)).toEqual([Option.some(5), 1000])
    }).pipe(VirtualClock.run)
  )

  it.effect("refuses at once an attempt that would wait for longer than the longest wait", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.quota({ ...waiting, maxWait: "1500 millis" })
      yield* tokensOf(bucket, { kind: "Server" })
      const fibers = yield* Effect.forEach(["Server", "Throttling", "Throttling"] as const, (kind) =>
        Effect.zipLeft(Effect.fork(timed(tokensOf(bucket, { kind }))), Effect.yieldNow())
      )
      expect(yield* Fiber.join(Fiber.all(fibers))).toEqual([
        [Option.some(10), 1000],
        [Option.some(5), 1500],
        [Option.none(), 0]
      ])
    }).pipe(VirtualClock.run)
  )

  it.effect("serves a waiter as soon as a success returns tokens", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.quota({ ...waiting, refillPerSecond: 0.001 })
      yield* tokensOf(bucket, { kind: "Server" })
      const fiber = yield* Effect.fork(timed(tokensOf(bucket, { kind: "Server" })))
      yield* Effect.sleep("3 seconds")
      yield* succeed(bucket, 2, 10)
      expect(yield* Fiber.join(fiber)).toEqual([Option.some(10), 3000])
    }).pipe(VirtualClock.run)
  )

  it.effect("delays no credit, refusal or level while an attempt waits", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.quota({ ...waiting, refillPerSecond: 1 })
      yield* tokensOf(bucket, { kind: "Server" })
      const fiber = yield* Effect.fork(timed(tokensOf(bucket, { kind: "Server" })))
      yield* Effect.sleep("1 second")
      yield* fail(bucket, Verdict.terminal("not found"))
      yield* succeed(bucket, 1)
      yield* succeed(bucket, 2, 3)
      expect(yield* timed(bucket.level)).toEqual([5, 1000])
      expect(yield* Fiber.join(fiber)).toEqual([Option.some(10), 6000])
    }).pipe(VirtualClock.run)
  )

  it.effect("delays an operation under its policy, and only then its back-off begins", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.quota(waiting)
      yield* tokensOf(bucket, { kind: "Server" })
      const ended = yield* timed(operate(bucket, ["Server", "ok"]))
      expect(ended).toEqual([{ attempts: 2, outcome: "ok" }, 2000])
    }).pipe(VirtualClock.run)
  )
})

const charging = { capacity: 10, cost: { first: 5, orElse: 0 }, refillPerSecond: 10 } as const

const first = { attempt: 1 } as const

describe(`TokenBucket.quota with a cost of first attempts (${kotlin})`, () => {
  it.effect("waits for its capacity", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.quota({ ...charging, cost: { first: 10, orElse: 0 }, whenShort: "wait" })
      expect(yield* timed(tokensOf(bucket, first))).toEqual([Option.some(10), 0])
      expect(yield* timed(tokensOf(bucket, first))).toEqual([Option.some(10), 1000])
    }).pipe(VirtualClock.run)
  )

  it.effect("puts in what the success of a first attempt earns, whatever it cost", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.quota({ ...charging, firstSuccessIncrement: 3 })
      yield* tokensOf(bucket, first)
      expect(yield* bucket.level).toBe(5)
      yield* succeed(bucket, 1, 5)
      expect(yield* bucket.level).toBe(8)
    }).pipe(VirtualClock.run)
  )

  it.effect("keeps what a failed first attempt has cost", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.quota({ capacity: 10, cost: { first: 1, orElse: 0 } })
      yield* tokensOf(bucket, first)
      yield* fail(bucket, Verdict.terminal("not found"), 1, 1)
      expect(yield* bucket.level).toBe(9)
    })
  )

  it.effect("keeps the fraction of a token that time has brought, unlike Kotlin", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.quota(charging)
      yield* tokensOf(bucket, first)
      yield* Effect.sleep("250 millis")
      yield* tokensOf(bucket, first)
      // Kotlin has 2: floor(rate * elapsed), and the fraction is lost with every look.
      expect(yield* bucket.level).toBe(2.5)
    }).pipe(VirtualClock.run)
  )

  it.effect("refuses instead of waiting, as a circuit breaker does", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.quota({ ...charging, cost: { first: 10, orElse: 0 } })
      expect(yield* timed(tokensOf(bucket, first))).toEqual([Option.some(10), 0])
      expect(yield* timed(tokensOf(bucket, first))).toEqual([Option.none(), 0])
    }).pipe(VirtualClock.run)
  )

  it.effect("charges a retry of a failure without a kind what it costs beside a first attempt", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.quota({ cost: { first: 1, orElse: 3 } })
      const asked = [1, 2].map((attempt) => bucket.acquire({ ...request({ attempt }), kind: Option.none() }))
      const grants = yield* Effect.all(asked)
      expect(grants.map(Option.map(({ tokens }) => tokens))).toEqual([Option.some(1), Option.some(3)])
    })
  )

  it.effect("charges a first attempt like a failure without a kind if it has no cost of its own", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.quota({ cost: { Transient: 1, orElse: 3 } })
      expect(yield* tokensOf(bucket, first)).toEqual(Option.some(3))
      expect(yield* tokensOf(bucket, { kind: undefined })).toEqual(Option.some(1))
    })
  )
})

describe("TokenBucket.quota options", () => {
  it.effect.each([
    { capacity: 500, transient: 14, throttling: 5 },
    { capacity: 7, transient: 7, throttling: 5 },
    { capacity: 0.5, transient: 0.5, throttling: 0.5 }
  ])("charges $transient and $throttling by default with a capacity of $capacity", (row) =>
    Effect.gen(function* () {
      const { capacity, throttling, transient } = row
      expect(yield* tokensOf(yield* TokenBucket.quota({ capacity }))).toEqual(Option.some(transient))
      const other = yield* TokenBucket.quota({ capacity })
      expect(yield* tokensOf(other, { kind: "Throttling" })).toEqual(Option.some(throttling))
    })
  )

  it.effect("starts at another level than the capacity, and fills up to it", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.quota({ capacity: 20, initial: 0, cost: { orElse: 10 }, refillPerSecond: 5 })
      expect([yield* bucket.level, yield* isGranted(bucket)]).toEqual([0, false])
      yield* Effect.sleep("2 seconds")
      expect([yield* bucket.level, yield* isGranted(bucket)]).toEqual([10, true])
      yield* Effect.sleep("1 hour")
      expect(yield* bucket.level).toBe(20)
    }).pipe(VirtualClock.run)
  )

  it.effect.each([
    { refills: "does not refill", refillPerSecond: 0, isRead: false },
    { refills: "refills", refillPerSecond: 1, isRead: true }
  ])("reads a clock only if it refills: a quota that $refills", ({ isRead, refillPerSecond }) =>
    Effect.gen(function* () {
      const using = Effect.flatMap(TokenBucket.quota({ refillPerSecond }), (bucket) =>
        Effect.all([isGranted(bucket), succeed(bucket), bucket.level])
      )
      expect((yield* clockReads(using)) > 0).toBe(isRead)
    })
  )

  it.effect("refills the same however often the level is read", () =>
    Effect.gen(function* () {
      const refilled = (looks: number) =>
        Effect.gen(function* () {
          const bucket = yield* TokenBucket.quota({ capacity: 1e9, cost: { orElse: 5e8 }, refillPerSecond: 1e-5 })
          yield* tokensOf(bucket)
          yield* Effect.replicateEffect(Effect.zipRight(Effect.sleep(1e6 / looks), bucket.level), looks)
          return yield* bucket.level
        }).pipe(VirtualClock.run)
      expect(yield* refilled(10_000)).toBe(yield* refilled(1))
    })
  )

  it.effect.each([NaN, -1, Infinity])("keeps a level that is a number when it hears of %d granted tokens", (granted) =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.quota({ capacity: 10, initial: 4, cost: { orElse: 1 } })
      yield* succeed(bucket, 2, granted)
      expect(yield* bucket.level).toBe(granted === Infinity ? 10 : 4)
    })
  )
})

const range = (field: string, allowed: string, value: unknown) =>
  `TokenBucket.quota: ${field} must be ${allowed}, got ${value}`

const wait = { refillPerSecond: 1, whenShort: "wait" } as const

describe("TokenBucket.quota bad arguments", () => {
  it.each<{ quota: Options; message: string }>([
    ...[NaN, -1, 0, Infinity].map((capacity) => ({ quota: { capacity }, message: range("capacity", "> 0", capacity) })),
    ...[NaN, -1, 501].map((initial) => ({ quota: { initial }, message: range("initial", ">= 0 and <= 500", initial) })),
    ...[NaN, -1, Infinity, 501].map((orElse) => ({
      quota: { cost: { orElse } },
      message: range("cost.orElse", ">= 0 and <= 500", orElse)
    })),
    ...Verdict.kinds.flatMap((kind) =>
      [NaN, -1, Infinity, 501].map((cost) => ({
        quota: { cost: { [kind]: cost, orElse: 1 } },
        message: range(`cost.${kind}`, ">= 0 and <= 500", cost)
      }))
    ),
    ...[NaN, -1, Infinity, 501].map((first) => ({
      quota: { cost: { first, orElse: 1 } },
      message: range("cost.first", ">= 0 and <= 500", first)
    })),
    ...[NaN, -1, Infinity].map((firstSuccessIncrement) => ({
      quota: { firstSuccessIncrement },
      message: range("firstSuccessIncrement", ">= 0", firstSuccessIncrement)
    })),
    // Rust takes each of these for 0.
    ...[NaN, -5, Infinity].map((refillPerSecond) => ({
      quota: { refillPerSecond },
      message: range("refillPerSecond", ">= 0", refillPerSecond)
    })),
    // Kotlin turns waiting off without a word.
    {
      quota: { whenShort: "wait" },
      message: range("refillPerSecond", '> 0 if whenShort is "wait", or waiting might never end', 0)
    },
    {
      quota: { maxWait: "1 second" },
      message: range("maxWait", 'absent if whenShort is "refuse"', '"1 second"')
    },
    ...[NaN, -1].map((maxWait) => ({
      quota: { ...wait, maxWait },
      message: range("maxWait", "a finite duration >= 0", maxWait)
    })),
    { quota: { ...wait, maxWait: Infinity }, message: range("maxWait", "a finite duration >= 0", Infinity) }
  ])("refuses $quota", ({ message, quota }) => {
    expect(() => TokenBucket.quota(quota)).toThrow(message)
  })

  it.each([
    { cost: { orElse: 5, Throtling: 1 }, message: "TokenBucket.quota: cost.Throtling must be absent" },
    { cost: { orElse: 5, retry: 1 }, message: "TokenBucket.quota: cost.retry must be absent: the costs are " }
  ])("refuses a cost of an unknown kind: $cost", ({ cost, message }) => {
    expect(() => TokenBucket.quota({ cost })).toThrow(message)
  })

  it("refuses an unknown word for whenShort", () => {
    const quota = { whenShort: "sleep" } as unknown as Options
    expect(() => TokenBucket.quota(quota)).toThrow("whenShort must be one of refuse, wait")
  })
})

describe("Retry.orStopped under a quota that waits", () => {
  const failing = Effect.fail("down")
  const policy = {
    classifier: Classifier.always,
    maxAttempts: 3,
    backoff: Backoff.constant({ delay: "100 millis" })
  }

  it.effect.each([
    { at: 0, reason: "BucketEmpty", deadline: Deadline.refuse("1 second") },
    { at: 0, reason: "BucketEmpty", deadline: Deadline.refuse("1500 millis", { reserve: "500 millis" }) },
    { at: 0, reason: "BucketEmpty", deadline: Deadline.cut("1 second") },
    { at: 1100, reason: "BucketEmpty", deadline: Deadline.refuse("2 seconds") },
    { at: 2100, reason: "AttemptsSpent", deadline: undefined }
  ])("ends without waiting for tokens that come too late: $reason at $at", ({ at, deadline, reason }) =>
    Effect.gen(function* () {
      // A retry takes all ten tokens, and a second brings them back.
      const bucket = yield* TokenBucket.quota({
        capacity: 10,
        cost: { orElse: 10 },
        refillPerSecond: 10,
        whenShort: "wait"
      })
      yield* tokensOf(bucket)
      const stopped = yield* Effect.flip(Retry.orStopped(failing, { ...policy, deadline, bucket }))
      expect([stopped.reason._tag, Duration.toMillis(stopped.elapsed)]).toEqual([reason, at])
    }).pipe(VirtualClock.run)
  )
})
