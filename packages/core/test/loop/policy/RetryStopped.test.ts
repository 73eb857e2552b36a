import { Backoff, Classifier, Deadline, type Policy, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Duration, Effect, Exit, Option } from "effect"
import {
  type Bucket,
  funded,
  judge,
  type Limiter,
  make,
  policy,
  type Recording,
  type Script,
  type Word,
  world
} from "../Recording.ts"

interface Row {
  readonly reason: Retry.StopReason
  readonly policy?: Partial<Policy.Policy<Word>>
  readonly script?: Script
  readonly words: ReadonlyArray<Word>
  readonly attempts: number
  readonly elapsed: Duration.DurationInput
  readonly message: string
}

// Attempts run for 200 milliseconds, a second apart.
const rows: ReadonlyArray<Row> = [
  {
    reason: { _tag: "Terminal", why: "the request is wrong" },
    words: ["busy", "bad request"],
    attempts: 2,
    elapsed: "1400 millis",
    message: "not retryable: the request is wrong (2 attempts in 1s 400ms)"
  },
  {
    reason: { _tag: "Terminal", why: "no classifier has an opinion" },
    words: ["riddle"],
    attempts: 1,
    elapsed: "200 millis",
    message: "not retryable: no classifier has an opinion (1 attempt in 200ms)"
  },
  {
    reason: { _tag: "AttemptsSpent", maxAttempts: 3 },
    words: ["busy", "slow down", "busy"],
    attempts: 3,
    elapsed: "2600 millis",
    message: "all attempts spent (3 attempts in 2s 600ms)"
  },
  {
    reason: { _tag: "BackoffEnded" },
    policy: { backoff: Backoff.fromDelays(["1 second"]) },
    words: ["busy", "busy"],
    attempts: 2,
    elapsed: "1400 millis",
    message: "the back-off has ended (2 attempts in 1s 400ms)"
  },
  {
    reason: { _tag: "HintTooLong", hint: Duration.days(365) },
    words: ["busy", "come back next year"],
    attempts: 2,
    elapsed: "1400 millis",
    message: "the server asked for 365d, more than the policy waits (2 attempts in 1s 400ms)"
  },
  {
    reason: { _tag: "DeadlinePassed", within: Duration.seconds(2) },
    policy: { deadline: Deadline.refuse("2 seconds") },
    words: ["busy", "busy"],
    attempts: 2,
    elapsed: "1400 millis",
    message: "the deadline of 2s would pass before the next attempt (2 attempts in 1s 400ms)"
  },
  {
    reason: { _tag: "BucketEmpty" },
    script: {
      bucket: ({ kind }) => (Option.contains(kind, "Throttling") ? Effect.succeedNone : Effect.succeedSome(5))
    },
    words: ["busy", "slow down"],
    attempts: 2,
    elapsed: "1400 millis",
    message: "the bucket refused the retry (2 attempts in 1s 400ms)"
  },
  {
    reason: { _tag: "RateLimiterRefused" },
    script: { limiter: ({ attempt }) => (attempt < 3 ? Effect.succeedSome(1) : Effect.succeedNone) },
    words: ["busy", "busy"],
    attempts: 2,
    elapsed: "2400 millis",
    message: "the rate limiter refused the attempt (2 attempts in 2s 400ms)"
  }
]

/** Reasons that come up after a delay of a second had been decided on. */
const delayed: ReadonlyArray<Retry.StopReason["_tag"]> = [
  "HintTooLong",
  "DeadlinePassed",
  "BucketEmpty",
  "RateLimiterRefused"
]

/** Runs a row through one of the functions that retry. */
const through = <A, E>(
  row: Row,
  door: (attempt: Effect.Effect<never, Word>, policy: typeof funded) => Effect.Effect<A, E, Bucket | Limiter>
) =>
  Effect.suspend(() => {
    const recording: Recording = make(row.script)
    const steps = row.words.map((word) => Effect.delay(Effect.fail(word), "200 millis"))
    return recording.provide(door(recording.attempts(...steps), { ...funded, ...row.policy } as typeof funded))
  }).pipe(world)

const delayOf = (row: Row, i: number) =>
  i < row.words.length - 1 || row.reason._tag === "RateLimiterRefused"
    ? Option.some(Duration.seconds(1))
    : Option.none<Duration.Duration>()

const historyOf = (row: Row) =>
  row.words.map((word, i) => ({
    attempt: i + 1,
    error: word,
    verdict: judge(word),
    startedAfter: Duration.millis(1_200 * i),
    failedAfter: Duration.millis(1_200 * i + 200),
    delay: delayOf(row, i),
    cost: Option.isSome(delayOf(row, i)) ? 5 : 0
  }))

const toldOf = (row: Row) => ({
  reason: row.reason,
  error: row.words.at(-1),
  cause: row.words.at(-1),
  attempts: row.attempts,
  elapsed: Duration.decode(row.elapsed),
  delay: delayed.includes(row.reason._tag) ? Option.some(Duration.seconds(1)) : Option.none(),
  history: historyOf(row),
  message: row.message
})

const tell = ({
  attempts,
  cause,
  delay,
  elapsed,
  error,
  history,
  message,
  reason
}: Retry.RetryStopped<Word | Retry.AttemptRefused>) => ({
  attempts,
  cause: cause.original,
  delay,
  elapsed,
  error,
  history: history.map(({ attempt, cost, delay, error, failedAfter, startedAfter, verdict }) => ({
    attempt,
    error,
    verdict,
    startedAfter,
    failedAfter,
    delay,
    cost
  })),
  message,
  reason
})

describe("Retry.orStopped", () => {
  it.effect.each(rows)("fails with everything known about $reason", (row) =>
    Effect.gen(function* () {
      const stopped = yield* Effect.flip(through(row, (attempt, policy) => Retry.orStopped(attempt, policy)))
      expect(stopped).toBeInstanceOf(Retry.RetryStopped)
      expect(tell(stopped)).toEqual(toldOf(row))
    })
  )

  it.effect("tells what the retries cost, and what the bucket has left", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.quota({ capacity: 20, cost: { orElse: 14 } })
      const { history, level, reason } = yield* Effect.flip(
        Effect.fail("busy" as const).pipe(Retry.orStopped({ ...policy, bucket }))
      )
      expect(reason).toEqual({ _tag: "BucketEmpty" })
      expect(history.map(({ cost }) => cost)).toEqual([14, 0])
      expect(yield* level).toEqual(Option.some(6))
    }).pipe(world)
  )

  it.effect("knows no level without a bucket, or of one that cannot tell", () =>
    Effect.gen(function* () {
      const levelUnder = (buckets: { readonly bucket?: TokenBucket.TokenBucket }) =>
        Effect.flatMap(
          Effect.flip(Effect.fail("riddle" as const).pipe(Retry.orStopped({ ...policy, ...buckets }))),
          ({ level }) => level
        )
      expect(yield* levelUnder({})).toEqual(Option.none())
      const level = Effect.die("no connection")
      expect(yield* levelUnder({ bucket: { ...TokenBucket.unlimited, level } })).toEqual(Option.none())
    }).pipe(world)
  )

  it.effect("can be caught by its tag", () =>
    Effect.gen(function* () {
      const caught = Effect.fail("riddle" as const).pipe(
        Retry.orStopped(policy),
        Effect.catchTag("RetryStopped", ({ error }) => Effect.succeed(error))
      )
      expect(yield* caught).toBe("riddle")
    }).pipe(world)
  )

  it.effect("passes a success", () =>
    Effect.gen(function* () {
      expect(yield* Retry.orStopped(Effect.succeed("done"), policy)).toBe("done")
    }).pipe(world)
  )

  it.effect("tells of a first attempt that the rate limiter refused", () =>
    Effect.gen(function* () {
      const recording = make({ limiter: () => Effect.succeedNone })
      const stopped = yield* Effect.flip(recording.provide(Retry.orStopped(Effect.void, funded)))
      expect(stopped.error).toEqual(new Retry.AttemptRefused({ attempt: 1 }))
      expect(stopped).toMatchObject({
        reason: { _tag: "RateLimiterRefused" },
        attempts: 0,
        elapsed: Duration.zero,
        history: []
      })
    }).pipe(world)
  )

  it.effect("says in the history what was waited when the deadline passed in the wait for the rate limiter", () =>
    Effect.gen(function* () {
      const recording = make({
        limiter: ({ attempt, restore }) =>
          restore(Effect.as(attempt === 1 ? Effect.void : Effect.sleep("1 minute"), Option.some(1)))
      })
      const stopped = yield* Effect.flip(
        recording.provide(
          Retry.orStopped(Effect.fail("busy" as const), { ...funded, deadline: Deadline.refuse("10 seconds") })
        )
      )
      expect(stopped.reason).toEqual({ _tag: "DeadlinePassed", within: Duration.seconds(10) })
      expect(stopped.history.map(({ delay }) => delay)).toEqual([Option.some(Duration.seconds(1))])
    }).pipe(world)
  )
})

describe("Retry.retryOrElse", () => {
  it.effect.each(rows)("hands everything known about $reason to the fallback", (row) =>
    Effect.gen(function* () {
      const door = (attempt: Effect.Effect<never, Word>, policy: typeof funded) =>
        Retry.retryOrElse(attempt, policy, (stopped) => Effect.succeed(tell(stopped)))
      expect(yield* through(row, door)).toEqual(toldOf(row))
    })
  )

  it.effect("is left alone by a success and by a defect", () =>
    Effect.gen(function* () {
      const orElse = () => Effect.succeed("fallback")
      expect(yield* Retry.retryOrElse(Effect.succeed("done"), policy, orElse)).toBe("done")
      const dying = Effect.exit(Retry.retryOrElse(Effect.die("defect"), policy, orElse))
      expect(yield* dying).toEqual(Exit.die("defect"))
    }).pipe(world)
  )

  it.effect("fails with what the fallback fails with, and does not retry that", () =>
    Effect.gen(function* () {
      const recording = make()
      const attempt = recording.attempts(Effect.fail("riddle" as const))
      const exit = yield* Effect.exit(Retry.retryOrElse(attempt, policy, () => Effect.fail("busy" as const)))
      expect(exit).toEqual(Exit.fail("busy"))
      expect(recording.lines).toEqual(["attempt 1"])
    }).pipe(world)
  )
})

describe("Retry.retry", () => {
  it.effect.each(rows)("fails with the last error at $reason", (row) =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(through(row, (attempt, policy) => Retry.retry(attempt, policy)))
      expect(Exit.mapError(exit, String)).toEqual(Exit.fail(row.words.at(-1)))
    })
  )

  it.effect("fails with an error of its own when the rate limiter refuses the first attempt", () =>
    Effect.gen(function* () {
      const recording = make({ limiter: () => Effect.succeedNone })
      const error = yield* Effect.flip(recording.provide(Retry.retry(Effect.void, funded)))
      expect(error).toEqual(new Retry.AttemptRefused({ attempt: 1 }))
      expect(error.message).toBe("the rate limiter did not grant attempt 1")
    }).pipe(world)
  )
})

describe("Retry.RetryStopped history", () => {
  it.effect("holds the latest hundred failed attempts, oldest first", () =>
    Effect.gen(function* () {
      let attempts = 0
      const failing = Effect.suspend(() => Effect.fail(++attempts))
      const many = { classifier: () => Verdict.transient, maxAttempts: 250, backoff: Backoff.constant({ delay: 0 }) }
      const stopped = yield* Effect.flip(Retry.orStopped(failing, many))
      expect(stopped.attempts).toBe(250)
      expect(stopped.history.map(({ attempt }) => attempt)).toEqual(Array.from({ length: 100 }, (_, i) => 151 + i))
      expect(stopped.history.map(({ error }) => error)).toEqual(stopped.history.map(({ attempt }) => attempt))
    })
  )
})

describe("Retry.format", () => {
  it.each<readonly [Retry.StopReason, string]>([
    [{ _tag: "AttemptsSpent", maxAttempts: 1 }, "the only attempt spent"],
    [{ _tag: "AttemptsSpent", maxAttempts: 1, kind: "Server" }, "the only attempt that may fail with Server spent"],
    [
      { _tag: "AttemptsSpent", maxAttempts: 2, kind: "Throttling" },
      "all 2 attempts that may fail with Throttling spent"
    ],
    [{ _tag: "StoodDown", outer: "job" }, "left to job, which retries itself"]
  ])("says what happened: %o", (reason, text) => {
    expect(Retry.format(reason)).toBe(text)
  })
})

describe("RetryStopped.message", () => {
  it("says whether the deadline has passed, or would have", () => {
    const messageAfter = (elapsed: Duration.Duration) =>
      new Retry.RetryStopped({
        reason: { _tag: "DeadlinePassed", within: Duration.seconds(2) },
        error: "busy",
        attempts: 2,
        elapsed,
        delay: Option.none(),
        level: Effect.succeedNone,
        history: []
      }).message
    expect(messageAfter(Duration.millis(1_999))).toContain("the deadline of 2s would pass before the next attempt (2")
    expect(messageAfter(Duration.seconds(2))).toContain("the deadline of 2s has passed (2")
  })
})

describe("Retry.orStopped verdicts", () => {
  it.effect("keeps the verdict that the timeout and the judge of results gave", () =>
    Effect.gen(function* () {
      const result = () => Verdict.client
      const stopped = yield* Effect.flip(Retry.orStopped(Effect.succeed("no use"), { ...policy, result }))
      expect(stopped.history.map(({ verdict }) => verdict)).toEqual([Verdict.client, Verdict.client, Verdict.client])
      expect(Cause.pretty(Cause.fail(stopped))).toContain("all attempts spent (3 attempts in 2s")
    }).pipe(world)
  )
})

describe("RetryStopped.elapsed", () => {
  it.effect("is the time of the decision, like that of the last event", () =>
    Effect.gen(function* () {
      const seen: Array<number> = []
      const stopped = yield* Effect.flip(
        Retry.orStopped(Effect.fail("busy"), {
          classifier: Classifier.always,
          maxAttempts: 2,
          backoff: Backoff.constant({ delay: "1 second" }),
          observe: [
            (event) => {
              if (event._tag === "GaveUp") seen.push(Duration.toMillis(event.elapsed))
              return Effect.sleep("10 seconds")
            }
          ]
        })
      )
      expect(seen).toEqual([Duration.toMillis(stopped.elapsed)])
    }).pipe(VirtualClock.run)
  )
})
