import { Backoff, Deadline, type Policy, Retry, type RetryBucket, type SendRate, Verdict } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, FiberId, Option, RuntimeFlags, RuntimeFlagsPatch, Supervisor } from "effect"
import * as Recording from "./Recording.ts"

const { funded, make, nowMillis, policy, world } = Recording

interface Row {
  readonly name: string
  readonly policy: Policy.Policy<Recording.Word, unknown, never, never> & Services
  readonly attempts: ReadonlyArray<Recording.Word | "ok">
  readonly script?: Recording.Script
  readonly expected: ReadonlyArray<string>
}

interface Services {
  readonly bucket?: typeof Recording.Bucket
  readonly sendRate?: typeof Recording.Rate
}

const steps = (words: Row["attempts"]) =>
  words.map((word) => (word === "ok" ? Effect.succeed(word) : Effect.fail(word)))

/** Runs one operation and answers what was asked of whom, in order, and how it ended. */
const trace = ({ attempts, policy, script }: Omit<Row, "expected">) =>
  Effect.gen(function* () {
    const recording = make(script)
    const exit = yield* Effect.exit(recording.provide(Retry.retry(recording.attempts(...steps(attempts)), policy)))
    return [...recording.lines, Exit.isSuccess(exit) ? "success" : `failure: ${Cause.squash(exit.cause)}`]
  }).pipe(world)

const busy = Effect.fail("busy" as const)

const refuseTake: RetryBucket.RetryBucket["take"] = () => Effect.succeedNone

const refuseFrom =
  (attempt: number): SendRate.SendRate["acquire"] =>
  (wanted) =>
    Effect.succeed(wanted.attempt < attempt)

const firstFailed = ["acquire 1", "attempt 1", "heard Failed", "ended 1: Transient"]
const firstThrottled = ["acquire 1", "attempt 1", "heard Throttled", "ended 1: Throttling"]

const rows: ReadonlyArray<Row> = [
  {
    name: "a success at once is heard by the send rate, then credited",
    policy: funded,
    attempts: ["ok"],
    expected: ["acquire 1", "attempt 1", "heard Succeeded", "ended 1: success, cost 0", "success"]
  },
  {
    name: "a retry is paid, waited for, granted and sent, and its success returns the cost",
    policy: funded,
    attempts: ["busy", "ok"],
    expected: [
      ...firstFailed,
      "take Transient",
      "sleep 1000",
      "acquire 2",
      "attempt 2",
      "heard Succeeded",
      "ended 2: success, cost 5",
      "success"
    ]
  },
  {
    name: "the send rate hears of throttling, the bucket of its kind",
    policy: funded,
    attempts: ["slow down", "ok"],
    expected: [
      ...firstThrottled,
      "take Throttling",
      "sleep 1000",
      "acquire 2",
      "attempt 2",
      "heard Succeeded",
      "ended 2: success, cost 5",
      "success"
    ]
  },
  {
    name: "a terminal failure spends nothing",
    policy: funded,
    attempts: ["bad request"],
    expected: ["acquire 1", "attempt 1", "heard Failed", "ended 1: terminal", "failure: bad request"]
  },
  {
    name: "a failure without an opinion spends nothing",
    policy: funded,
    attempts: ["riddle"],
    expected: ["acquire 1", "attempt 1", "heard Failed", "ended 1: terminal", "failure: riddle"]
  },
  {
    name: "the last attempt takes no token for another one",
    policy: { ...funded, maxAttempts: 2 },
    attempts: ["busy"],
    expected: [
      ...firstFailed,
      "take Transient",
      "sleep 1000",
      "acquire 2",
      "attempt 2",
      "heard Failed",
      "ended 2: Transient",
      "failure: busy"
    ]
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
    name: "a deadline that refuses spends nothing and sleeps not",
    policy: { ...funded, deadline: Deadline.refuse("999 millis") },
    attempts: ["busy"],
    expected: ["acquire 1 within 999", ...firstFailed.slice(1), "failure: busy"]
  },
  {
    name: "an empty bucket refuses before any sleep",
    policy: funded,
    attempts: ["busy"],
    script: { take: refuseTake },
    expected: [...firstFailed, "take Transient", "failure: busy"]
  },
  {
    name: "a send rate that refuses the first attempt leaves the bucket alone",
    policy: funded,
    attempts: ["ok"],
    script: { acquire: refuseFrom(1) },
    expected: ["acquire 1", "failure: SendRefused: the send rate refused the first attempt"]
  },
  {
    name: "a send rate that refuses a retry has its tokens given back, once",
    policy: funded,
    attempts: ["busy"],
    script: { acquire: refuseFrom(2) },
    expected: [...firstFailed, "take Transient", "sleep 1000", "acquire 2", "give back 5", "failure: busy"]
  },
  {
    name: "an immediate retry takes and asks all the same, but does not sleep",
    policy: { ...funded, backoff: Backoff.constant({ delay: 0 }) },
    attempts: ["busy", "ok"],
    expected: [
      ...firstFailed,
      "take Transient",
      "acquire 2",
      "attempt 2",
      "heard Succeeded",
      "ended 2: success, cost 5",
      "success"
    ]
  },
  {
    name: "every retry takes a token of its own, and success returns only the last",
    policy: funded,
    attempts: ["busy", "slow down", "ok"],
    script: { take: (kind) => Effect.succeedSome(kind === "Throttling" ? 10 : 5) },
    expected: [
      ...firstFailed,
      "take Transient",
      "sleep 1000",
      "acquire 2",
      "attempt 2",
      "heard Throttled",
      "ended 2: Throttling",
      "take Throttling",
      "sleep 1000",
      "acquire 3",
      "attempt 3",
      "heard Succeeded",
      "ended 3: success, cost 10",
      "success"
    ]
  },
  {
    name: "the send rate is told the time left until the deadline",
    policy: { ...funded, deadline: Deadline.refuse("10 seconds") },
    attempts: ["come back later", "ok"],
    expected: [
      "acquire 1 within 10000",
      ...firstThrottled.slice(1),
      "take Throttling",
      "sleep 5000",
      "acquire 2 within 5000",
      "attempt 2",
      "heard Succeeded",
      "ended 2: success, cost 5",
      "success"
    ]
  },
  {
    name: "a policy without services asks nobody",
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
      "ended 1: Transient",
      "take Transient",
      "sleep 1000",
      "attempt 2",
      "ended 2: success, cost 5",
      "success"
    ]
  },
  {
    name: "a policy with a send rate alone asks only the send rate",
    policy: { ...policy, sendRate: Recording.Rate },
    attempts: ["busy", "ok"],
    expected: [
      "acquire 1",
      "attempt 1",
      "heard Failed",
      "sleep 1000",
      "acquire 2",
      "attempt 2",
      "heard Succeeded",
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

  it.effect("gives back what it took when the deadline passed while it waited for the send", () =>
    Effect.gen(function* () {
      const recording = make({
        acquire: ({ attempt }) => Effect.as(attempt === 1 ? Effect.void : Effect.sleep("2 seconds"), true)
      })
      const bounded = { ...funded, deadline: Deadline.refuse("3 seconds") }
      const stopped = yield* recording
        .attempts(Effect.fail("busy" as const))
        .pipe(Retry.orStopped(bounded), recording.provide, Effect.flip)
      expect(stopped).toMatchObject({ reason: { _tag: "DeadlinePassed" }, attempts: 1, error: "busy" })
      expect(recording.lines).toEqual([
        "acquire 1 within 3000",
        ...firstFailed.slice(1),
        "take Transient",
        "sleep 1000",
        "acquire 2 within 2000",
        "sleep 2000",
        "give back 5"
      ])
    }).pipe(world)
  )

  it.effect("gives back before it goes on with a fallback, and where it returns a result", () =>
    Effect.gen(function* () {
      const recording = make({ acquire: refuseFrom(2) })
      yield* Retry.retryOrElse(busy, funded, () => recording.note("fallback")).pipe(recording.provide)
      expect(recording.lines.slice(-3)).toEqual(["acquire 2", "give back 5", "fallback"])
      const judging = make({ acquire: refuseFrom(2) })
      const pending = Retry.retry(Effect.succeed("pending"), { ...funded, result: () => Verdict.server })
      expect(yield* judging.provide(pending)).toBe("pending")
      expect(judging.lines.slice(-2)).toEqual(["acquire 2", "give back 5"])
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
      const reasonOf = (word: Recording.Word, policy: typeof everything, take = refuseTake) => {
        const recording = make({ take, acquire: refuseFrom(2) })
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
        "SendRateRefused"
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

const toRetry = [...firstFailed, "take Transient"]

describe("Retry.retry interruption", () => {
  it.effect("in the first attempt asks nobody for anything", () =>
    Effect.gen(function* () {
      const { at, lines } = yield* interruptedAfter(300, [Effect.never])
      expect(lines).toEqual(["acquire 1", "attempt 1"])
      expect(at).toBe(300)
    })
  )

  it.effect("while the first send is waited for makes no attempt", () =>
    Effect.gen(function* () {
      const { at, lines } = yield* interruptedAfter(300, [busy], { acquire: () => Effect.never })
      expect(lines).toEqual(["acquire 1"])
      expect(at).toBe(300)
    })
  )

  it.effect("while the bucket waits in what it restored takes and returns nothing", () =>
    Effect.gen(function* () {
      const { at, lines } = yield* interruptedAfter(300, [busy], { take: (_, restore) => restore(Effect.never) })
      expect(lines).toEqual(toRetry)
      expect(at).toBe(300)
    })
  )

  it.effect("while the bucket waits without restoring gives back what the bucket answers after all", () =>
    Effect.gen(function* () {
      const { at, lines } = yield* interruptedAfter(300, [busy], {
        take: () => Effect.delay(Effect.succeedSome(5), "1 second")
      })
      expect(lines).toEqual([...toRetry, "sleep 1000", "give back 5"])
      expect(at).toBe(1_000)
    })
  )

  it.effect("during the wait gives back at once, and once", () =>
    Effect.gen(function* () {
      const { at, lines } = yield* interruptedAfter(300, [busy])
      expect(lines).toEqual([...toRetry, "sleep 1000", "give back 5"])
      expect(at).toBe(300)
    })
  )

  it.effect("while the send of a retry is waited for gives back at once, and once", () =>
    Effect.gen(function* () {
      const { at, lines } = yield* interruptedAfter(1_300, [busy], {
        acquire: ({ attempt }) => (attempt === 1 ? Effect.succeed(true) : Effect.never)
      })
      expect(lines).toEqual([...toRetry, "sleep 1000", "acquire 2", "give back 5"])
      expect(at).toBe(1_300)
    })
  )

  it.effect("in a retry gives nothing back", () =>
    Effect.gen(function* () {
      const { at, lines } = yield* interruptedAfter(1_300, [busy, Effect.never])
      expect(lines).toEqual([...toRetry, "sleep 1000", "acquire 2", "attempt 2"])
      expect(at).toBe(1_300)
    })
  )

  it.effect("in the wait before a third attempt gives back what the third attempt took", () =>
    Effect.gen(function* () {
      let taken = 0
      const { lines } = yield* interruptedAfter(1_300, [busy], { take: () => Effect.sync(() => Option.some(++taken)) })
      expect(lines.filter((line) => line.startsWith("give back"))).toEqual(["give back 2"])
    })
  )
})

/**
 * Interrupts a fiber right before its `at`-th step, and counts how often it was handed one of the watched effects.
 *
 * Counted is the hand-over by the loop, for between that and its first own step an attempt can be interrupted, too.
 */
class Interrupter extends Supervisor.AbstractSupervisor<void> {
  override readonly value = Effect.void
  steps = 0
  handedOver = 0
  readonly at: number
  readonly watched: Effect.Effect<unknown, unknown, unknown>
  constructor(at: number, watched: Effect.Effect<unknown, unknown, unknown>) {
    super()
    this.at = at
    this.watched = watched
  }
  override onEffect<A, E>(fiber: Fiber.RuntimeFiber<A, E>, effect: Effect.Effect<unknown, unknown, unknown>): void {
    this.steps += 1
    if (effect === this.watched) this.handedOver += 1
    if (this.steps === this.at) fiber.unsafeInterruptAsFork(FiberId.none)
  }
}

const observing = RuntimeFlagsPatch.enable(RuntimeFlags.OpSupervision)

/** One operation, interrupted right before step `at`. */
const interruptedBefore = (at: number, script: Recording.Script, policy: Row["policy"]) =>
  Effect.gen(function* () {
    const recording = make(script)
    const attempt = recording.attempts(busy)
    const interrupter = new Interrupter(at, attempt)
    const exit = yield* Retry.retry(attempt, policy).pipe(
      recording.provide,
      Effect.withRuntimeFlagsPatch(observing),
      Effect.supervised(interrupter),
      Effect.fork,
      Effect.flatMap(Fiber.await)
    )
    const count = (start: string) => recording.lines.filter((line) => line.startsWith(start)).length
    return {
      exit,
      steps: interrupter.steps,
      started: interrupter.handedOver,
      granted: recording.granted(),
      returned: count("give back"),
      ended: recording.lines.filter((line) => line.startsWith("ended"))
    }
  }).pipe(world)

describe("Retry.retry conservation of tokens", () => {
  it.effect.each([
    { name: "nobody waits", script: {} },
    {
      name: "the bucket waits",
      script: { take: (_, restore) => Effect.as(restore(Effect.yieldNow()), Option.some(5)) }
    },
    { name: "the send rate waits", script: { acquire: () => Effect.as(Effect.yieldNow(), true) } },
    { name: "the send rate refuses", script: { acquire: refuseFrom(3) } }
  ] satisfies ReadonlyArray<{ name: string; script: Recording.Script }>)(
    "holds before every single step of an operation when $name",
    ({ script }) =>
      Effect.gen(function* () {
        const whole = yield* interruptedBefore(Infinity, script, funded)
        expect(whole.granted - whole.returned).toBe(whole.started - 1)
        for (let at = 1; at <= whole.steps; at++) {
          const { ended, exit, granted, returned, started } = yield* interruptedBefore(at, script, funded)
          expect(Exit.isFailure(exit)).toBe(true)
          expect({ at, spent: granted - returned }).toEqual({ at, spent: Math.max(0, started - 1) })
          expect(new Set(ended).size).toBe(ended.length)
        }
      })
  )
})
