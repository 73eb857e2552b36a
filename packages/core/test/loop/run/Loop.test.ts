import { AttemptTimeout, Backoff, Deadline, type Policy, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Option } from "effect"
import * as Recording from "../Recording.ts"

const { funded, make, nowMillis, policy, world } = Recording

type Services = Recording.Bucket | Recording.Limiter

interface Row {
  readonly name: string
  readonly policy: Policy.Policy<Recording.Word, Retry.AttemptRefused, Services>
  readonly attempts: ReadonlyArray<Recording.Word | "ok">
  readonly script?: Recording.Script
  readonly expected: ReadonlyArray<string>
}

const steps = (words: Row["attempts"]) =>
  words.map((word) => (word === "ok" ? Effect.succeed(word) : Effect.fail(word)))

/** Runs one operation and answers what bucket and limiter were asked and told, in order, and how it ended. */
const trace = ({ attempts, policy, script }: Omit<Row, "expected">) =>
  Effect.gen(function* () {
    const recording = make(script)
    const exit = yield* Effect.exit(recording.provide(Retry.retry(recording.attempts(...steps(attempts)), policy)))
    return [...recording.lines, Exit.isSuccess(exit) ? "success" : `failure: ${Cause.squash(exit.cause)}`]
  }).pipe(world)

const busy = Effect.fail("busy" as const)

const refuse: Recording.Answer = () => Effect.succeedNone

const refuseFrom =
  (attempt: number): Recording.Answer =>
  (request) =>
    Effect.succeed(request.attempt < attempt ? Option.some(1) : Option.none())

/** What limiter and bucket hear of an attempt for which the bucket has granted `paid` tokens. */
const told = (attempt: number, how: string, paid = 0) => [
  `limiter record ${attempt}: ${how}, granted 1`,
  `bucket record ${attempt}: ${how}, granted ${paid}`
]

const firstFailed = ["limiter acquire 1", "attempt 1", ...told(1, "Transient")]
const firstThrottled = ["limiter acquire 1", "attempt 1", ...told(1, "Throttling")]
const paid = [...firstFailed, "bucket acquire 2 after Transient"]
const waited = [...paid, "sleep 1000", "limiter acquire 2 after Transient"]

const rows: ReadonlyArray<Row> = [
  {
    name: "a success at once is heard by the rate limiter, then by the bucket",
    policy: funded,
    attempts: ["ok"],
    expected: ["limiter acquire 1", "attempt 1", ...told(1, "Succeeded"), "success"]
  },
  {
    name: "a retry is paid, waited for, granted and made, and its success is recorded with both grants",
    policy: funded,
    attempts: ["busy", "ok"],
    expected: [...waited, "attempt 2", ...told(2, "Succeeded", 5), "success"]
  },
  {
    name: "rate limiter and bucket hear the kind of a failure, and are asked with it",
    policy: funded,
    attempts: ["slow down", "ok"],
    expected: [
      ...firstThrottled,
      "bucket acquire 2 after Throttling",
      "sleep 1000",
      "limiter acquire 2 after Throttling",
      "attempt 2",
      ...told(2, "Succeeded", 5),
      "success"
    ]
  },
  {
    name: "buckets that count hear of every start",
    policy: funded,
    attempts: ["busy", "ok"],
    script: { counts: true },
    expected: [
      "limiter acquire 1",
      "limiter started 1",
      "bucket started 1",
      "attempt 1",
      ...told(1, "Transient"),
      "bucket acquire 2 after Transient",
      "sleep 1000",
      "limiter acquire 2 after Transient",
      "limiter started 2",
      "bucket started 2",
      "attempt 2",
      ...told(2, "Succeeded", 5),
      "success"
    ]
  },
  {
    name: "a terminal failure spends nothing",
    policy: funded,
    attempts: ["bad request"],
    expected: ["limiter acquire 1", "attempt 1", ...told(1, "Terminal"), "failure: bad request"]
  },
  {
    name: "a terminal failure with a kind is heard as one of that kind",
    policy: { ...funded, classifier: () => Verdict.terminal("not again", { kind: "Throttling" }) },
    attempts: ["slow down"],
    expected: [...firstThrottled, "failure: slow down"]
  },
  {
    name: "a failure without an opinion spends nothing",
    policy: funded,
    attempts: ["riddle"],
    expected: ["limiter acquire 1", "attempt 1", ...told(1, "NoOpinion"), "failure: riddle"]
  },
  {
    name: "the last attempt takes no token for another one",
    policy: { ...funded, maxAttempts: 2 },
    attempts: ["busy"],
    expected: [...waited, "attempt 2", ...told(2, "Transient", 5), "failure: busy"]
  },
  {
    name: "the end of the back-off spends nothing",
    policy: { ...funded, backoff: Backoff.fromDelays([]) },
    attempts: ["busy"],
    expected: [...firstFailed, "failure: busy"]
  },
  {
    name: "a hint that is too long spends nothing",
    policy: funded,
    attempts: ["come back next year"],
    expected: [...firstThrottled, "failure: come back next year"]
  },
  {
    name: "a deadline that refuses spends nothing and does not wait",
    policy: { ...funded, deadline: Deadline.refuse("999 millis") },
    attempts: ["busy"],
    expected: ["limiter acquire 1 within 999", ...firstFailed.slice(1), "failure: busy"]
  },
  {
    name: "an empty bucket refuses before any wait",
    policy: funded,
    attempts: ["busy"],
    script: { bucket: refuse },
    expected: [...paid, "failure: busy"]
  },
  {
    name: "a rate limiter that refuses the first attempt leaves the bucket alone",
    policy: funded,
    attempts: ["ok"],
    script: { limiter: refuseFrom(1) },
    expected: ["limiter acquire 1", "failure: AttemptRefused: the rate limiter did not grant attempt 1"]
  },
  {
    name: "where the rate limiter refuses a retry, its tokens are refunded once",
    policy: funded,
    attempts: ["busy"],
    script: { limiter: refuseFrom(2) },
    expected: [...waited, "bucket refund 5", "failure: busy"]
  },
  {
    name: "an immediate retry asks both all the same, but does not wait",
    policy: { ...funded, backoff: Backoff.constant({ delay: 0 }) },
    attempts: ["busy", "ok"],
    expected: [...paid, "limiter acquire 2 after Transient", "attempt 2", ...told(2, "Succeeded", 5), "success"]
  },
  {
    name: "every retry is granted tokens of its own",
    policy: funded,
    attempts: ["busy", "slow down", "ok"],
    script: { bucket: ({ kind }) => Effect.succeedSome(Option.contains(kind, "Throttling") ? 10 : 5) },
    expected: [
      ...waited,
      "attempt 2",
      ...told(2, "Throttling", 5),
      "bucket acquire 3 after Throttling",
      "sleep 1000",
      "limiter acquire 3 after Throttling",
      "attempt 3",
      ...told(3, "Succeeded", 10),
      "success"
    ]
  },
  {
    name: "bucket and rate limiter are told what the deadline leaves for waiting",
    policy: { ...funded, deadline: Deadline.refuse("10 seconds", { reserve: "1 second" }) },
    attempts: ["come back later", "ok"],
    expected: [
      "limiter acquire 1 within 9000",
      ...firstThrottled.slice(1),
      "bucket acquire 2 after Throttling within 4000",
      "sleep 5000",
      "limiter acquire 2 after Throttling within 4000",
      "attempt 2",
      ...told(2, "Succeeded", 5),
      "success"
    ]
  },
  {
    name: "a policy without services asks no bucket",
    policy,
    attempts: ["busy", "ok"],
    expected: ["attempt 1", "sleep 1000", "attempt 2", "success"]
  },
  {
    name: "a policy with a bucket alone asks only the bucket",
    policy: { ...policy, bucket: Recording.Bucket },
    attempts: ["busy", "ok"],
    expected: [
      "attempt 1",
      "bucket record 1: Transient, granted 0",
      "bucket acquire 2 after Transient",
      "sleep 1000",
      "attempt 2",
      "bucket record 2: Succeeded, granted 5",
      "success"
    ]
  },
  {
    name: "a policy with a rate limiter alone asks only the rate limiter",
    policy: { ...policy, rateLimiter: Recording.Limiter },
    attempts: ["busy", "ok"],
    expected: [
      "limiter acquire 1",
      "attempt 1",
      "limiter record 1: Transient, granted 1",
      "sleep 1000",
      "limiter acquire 2 after Transient",
      "attempt 2",
      "limiter record 2: Succeeded, granted 1",
      "success"
    ]
  }
]

describe("Retry.retry order of decisions", () => {
  it.effect.each(rows)("$name", (row) =>
    Effect.gen(function* () {
      expect(yield* trace(row)).toEqual(row.expected)
    })
  )

  it.effect("asks buckets in the policy itself as it asks those of tags", () =>
    Effect.gen(function* () {
      const { attempts, bucket, limiter, lines } = make()
      yield* Retry.retry(attempts(busy, Effect.void), { ...policy, rateLimiter: limiter, bucket })
      expect(lines).toEqual([
        ...waited.filter((line) => !line.startsWith("sleep")),
        "attempt 2",
        ...told(2, "Succeeded", 5)
      ])
    }).pipe(world)
  )

  it.effect("refunds both grants when the deadline passed while the rate limiter made the retry wait", () =>
    Effect.gen(function* () {
      const recording = make({
        limiter: ({ attempt }) => Effect.as(attempt === 1 ? Effect.void : Effect.sleep("2 seconds"), Option.some(1))
      })
      const bounded = { ...funded, deadline: Deadline.refuse("3 seconds") }
      const stopped = yield* recording
        .attempts(Effect.fail("busy" as const))
        .pipe(Retry.orStopped(bounded), recording.provide, Effect.flip)
      expect(stopped).toMatchObject({ reason: { _tag: "DeadlinePassed" }, attempts: 1, error: "busy" })
      expect(recording.lines.filter((line) => line.includes("refund"))).toEqual(["limiter refund 1", "bucket refund 5"])
      expect(recording.ledgers).toEqual({
        bucket: { granted: 5, refunded: 5, spent: 0 },
        limiter: { granted: 2, refunded: 1, spent: 1 }
      })
    }).pipe(world)
  )

  it.effect("tells a bucket of starts beside a rate limiter that does not hear of them", () =>
    Effect.gen(function* () {
      const { bucket, lines } = make({ counts: true })
      yield* Retry.retry(Effect.void, { ...policy, rateLimiter: TokenBucket.unlimited, bucket })
      expect(lines).toEqual(["bucket started 1", "bucket record 1: Succeeded, granted 0"])
    }).pipe(world)
  )

  it.effect("bounds an attempt that was granted, and ends with its timeout when the next one is refused", () =>
    Effect.gen(function* () {
      const recording = make({ limiter: refuseFrom(2) })
      const bounded = {
        ...policy,
        rateLimiter: Recording.Limiter,
        attemptTimeout: AttemptTimeout.constant("1 second")
      }
      const error = yield* Effect.flip(recording.provide(Retry.retry(Effect.never, bounded)))
      expect(error).toMatchObject({ _tag: "AttemptTimedOut", attempt: 1 })
      expect(yield* nowMillis).toBe(2_000)
    }).pipe(world)
  )

  it.effect("refunds before it goes on with a fallback, and when it returns a result", () =>
    Effect.gen(function* () {
      const recording = make({ limiter: refuseFrom(2) })
      yield* Retry.retryOrElse(busy, funded, () => recording.note("fallback")).pipe(recording.provide)
      expect(recording.lines.slice(-3)).toEqual(["limiter acquire 2 after Transient", "bucket refund 5", "fallback"])
      const judging = make({ limiter: refuseFrom(2) })
      const pending = Retry.retry(Effect.succeed("pending"), { ...funded, result: () => Verdict.server })
      expect(yield* judging.provide(pending)).toBe("pending")
      expect(judging.lines.slice(-2)).toEqual(["limiter acquire 2 after Server", "bucket refund 5"])
    }).pipe(world)
  )

  // Every refusal there is applies to the first row; each row lifts the one that was given as the reason before.
  it.effect("gives the earliest of several reasons", () =>
    Effect.gen(function* () {
      const everything = {
        ...funded,
        maxAttempts: 1,
        backoff: Backoff.fromDelays([]),
        deadline: Deadline.refuse("1 milli")
      }
      const spentNot = { ...everything, maxAttempts: 2 }
      const goesOn = { ...spentNot, backoff: policy.backoff }
      const inTime = { ...goesOn, deadline: Deadline.refuse("1 hour") }
      const reasonOf = (word: Recording.Word, policy: typeof everything, bucket = refuse) => {
        const recording = make({ bucket, limiter: refuseFrom(2) })
        return recording.attempts(Effect.fail(word)).pipe(
          Retry.orStopped(policy),
          recording.provide,
          Effect.flip,
          Effect.map(({ reason }) => reason._tag)
        )
      }
      expect([
        yield* reasonOf("bad request", everything),
        yield* reasonOf("come back next year", everything),
        yield* reasonOf("come back next year", spentNot),
        yield* reasonOf("come back next year", goesOn),
        yield* reasonOf("busy", goesOn),
        yield* reasonOf("busy", inTime),
        yield* reasonOf("busy", inTime, () => Effect.succeedSome(5))
      ]).toEqual([
        "Terminal",
        "AttemptsSpent",
        "BackoffEnded",
        "HintTooLong",
        "DeadlinePassed",
        "BucketEmpty",
        "RateLimiterRefused"
      ])
    }).pipe(world)
  )
})

/** An operation that is interrupted after a while: what was asked until then, and when it was over. */
const interruptedAfter = (millis: number, attempts: Recording.Attempts, script?: Recording.Script) =>
  Effect.gen(function* () {
    const recording = make(script)
    const fiber = yield* Effect.fork(recording.provide(Retry.retry(recording.attempts(...attempts), funded)))
    yield* Effect.sleep(millis)
    const exit = yield* Fiber.interrupt(fiber)
    expect(Exit.isInterrupted(exit)).toBe(true)
    return { lines: recording.lines, at: yield* nowMillis }
  }).pipe(world)

describe("Retry.retry interruption", () => {
  it.effect("in the first attempt asks for nothing more", () =>
    Effect.gen(function* () {
      const { at, lines } = yield* interruptedAfter(300, [Effect.never])
      expect(lines).toEqual(["limiter acquire 1", "attempt 1"])
      expect(at).toBe(300)
    })
  )

  it.effect("in an attempt tells those that count that it was abandoned", () =>
    Effect.gen(function* () {
      const { lines } = yield* interruptedAfter(1_300, [busy, Effect.never], { counts: true })
      expect(lines.slice(-5)).toEqual([
        "limiter started 2",
        "bucket started 2",
        "attempt 2",
        ...told(2, "Abandoned", 5)
      ])
    })
  )

  it.effect("while the first attempt waits for the rate limiter makes no attempt", () =>
    Effect.gen(function* () {
      const { at, lines } = yield* interruptedAfter(300, [busy], { limiter: ({ restore }) => restore(Effect.never) })
      expect(lines).toEqual(["limiter acquire 1"])
      expect(at).toBe(300)
    })
  )

  it.effect("while the bucket waits inside restore takes and returns nothing", () =>
    Effect.gen(function* () {
      const { at, lines } = yield* interruptedAfter(300, [busy], { bucket: ({ restore }) => restore(Effect.never) })
      expect(lines).toEqual(paid)
      expect(at).toBe(300)
    })
  )

  it.effect("while the bucket waits outside restore refunds what the bucket answers after all", () =>
    Effect.gen(function* () {
      const { at, lines } = yield* interruptedAfter(300, [busy], {
        bucket: () => Effect.delay(Effect.succeedSome(5), "1 second")
      })
      expect(lines).toEqual([...paid, "sleep 1000", "bucket refund 5"])
      expect(at).toBe(1_000)
    })
  )

  it.effect("during the wait refunds at once, and once", () =>
    Effect.gen(function* () {
      const { at, lines } = yield* interruptedAfter(300, [busy])
      expect(lines).toEqual([...paid, "sleep 1000", "bucket refund 5"])
      expect(at).toBe(300)
    })
  )

  it.effect("while a retry waits for the rate limiter refunds at once, and once", () =>
    Effect.gen(function* () {
      const { at, lines } = yield* interruptedAfter(1_300, [busy], {
        limiter: ({ attempt, restore }) => (attempt === 1 ? Effect.succeedSome(1) : restore(Effect.never))
      })
      expect(lines).toEqual([...waited, "bucket refund 5"])
      expect(at).toBe(1_300)
    })
  )

  it.effect("in a retry refunds nothing", () =>
    Effect.gen(function* () {
      const { at, lines } = yield* interruptedAfter(1_300, [busy, Effect.never])
      expect(lines).toEqual([...waited, "attempt 2"])
      expect(at).toBe(1_300)
    })
  )

  it.effect("in the wait before a third attempt refunds what the third attempt was granted", () =>
    Effect.gen(function* () {
      let taken = 0
      const { lines } = yield* interruptedAfter(1_300, [busy], {
        bucket: () => Effect.sync(() => Option.some(++taken))
      })
      expect(lines.filter((line) => line.includes("refund"))).toEqual(["bucket refund 2"])
    })
  )
})
