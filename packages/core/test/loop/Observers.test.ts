import {
  AttemptTimeout,
  Backoff,
  Deadline,
  Hint,
  Jitter,
  Policy,
  Retry,
  RetryBucket,
  SendRate,
  Verdict
} from "@effect-retry/core"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Duration, Effect, Exit, Fiber, Logger, Option, Schedule } from "effect"
import * as Heard from "./Heard.ts"
import { common } from "./Heard.ts"
import * as Recording from "./Recording.ts"
import { Bucket, judge, nowMillis, policy, Rate, world } from "./Recording.ts"

type AnyPolicy = Policy.Policy<Recording.Word, unknown, unknown, never>

/** The three doors: each runs an operation to its end. */
const doors = {
  "Retry.retry": (self: Effect.Effect<unknown, Recording.Word>, policy: AnyPolicy) =>
    Effect.asVoid(Effect.exit(Retry.retry(self, policy))),
  "Retry.orStopped": (self: Effect.Effect<unknown, Recording.Word>, policy: AnyPolicy) =>
    Effect.asVoid(Effect.exit(Retry.orStopped(self, policy))),
  "Retry.retryOrElse": (self: Effect.Effect<unknown, Recording.Word>, policy: AnyPolicy) =>
    Effect.asVoid(Retry.retryOrElse(self, policy, () => Effect.void))
}

const failed = (
  { elapsed, ...at }: ReturnType<typeof common>,
  error: Recording.Word,
  more: { readonly ran?: number; readonly sendWait?: number } = {}
) => ({ _tag: "AttemptFailed", ...at, elapsed, error, verdict: judge(error), ran: 0, sendWait: 0, ...more })

const scheduled = (
  at: ReturnType<typeof common>,
  error: Recording.Word,
  more: { readonly delay?: number; readonly source?: Retry.DelaySource; readonly cost?: number } = {}
) => ({ _tag: "RetryScheduled", ...at, verdict: judge(error), delay: 1000, source: "Curve", cost: 0, ...more })

const succeeded = (at: ReturnType<typeof common>, sendWait = 0) => ({ _tag: "Succeeded", ...at, sendWait })

const gaveUp = (at: ReturnType<typeof common>, error: unknown, reason: Retry.StopReason) => ({
  _tag: "GaveUp",
  ...at,
  error,
  reason
})

/** What happens to an operation whose attempts end with `words`, and then succeed. */
interface Story {
  readonly of: string
  readonly words: ReadonlyArray<Recording.Word>
  readonly policy?: Partial<AnyPolicy>
  readonly script?: Recording.Script
  readonly attemptMillis?: number
  readonly events: ReadonlyArray<Heard.Plain>
}

const level = (tokens: number): Pick<RetryBucket.RetryBucket, "level"> => ({
  level: { ...RetryBucket.unlimited.level, get: Effect.succeed(tokens) }
})

const told = (story: Story, door: (typeof doors)[keyof typeof doors]) =>
  Effect.gen(function* () {
    const heard = Heard.make()
    const recording = Recording.make(story.script)
    const attempts = recording.attempts(...story.words.map((word) => Effect.fail(word)), Effect.succeed("done"))
    const attempt = Effect.zipRight(Effect.sleep(story.attemptMillis ?? 0), attempts)
    const observed: AnyPolicy = { ...policy, name: Heard.name, observe: [heard.observer], ...story.policy }
    const levelled = Effect.provideService(door(attempt, observed), Bucket, { ...recording.bucket, ...level(7) })
    yield* recording.provide(levelled)
    return heard.events
  }).pipe(world)

const stories: ReadonlyArray<Story> = [
  { of: "a success at once", words: [], events: [succeeded(common(1, 0))] },
  {
    of: "two failures, then a success",
    words: ["busy", "slow down"],
    attemptMillis: 300,
    events: [
      failed(common(1, 300), "busy", { ran: 300 }),
      scheduled(common(1, 300), "busy"),
      failed(common(2, 1600), "slow down", { ran: 300 }),
      scheduled(common(2, 1600), "slow down"),
      succeeded(common(3, 2900))
    ]
  },
  {
    of: "a terminal failure",
    words: ["bad request"],
    events: [
      failed(common(1, 0), "bad request"),
      gaveUp(common(1, 0), "bad request", { _tag: "Terminal", why: "the request is wrong" })
    ]
  },
  {
    of: "a failure without a verdict",
    words: ["riddle"],
    events: [
      failed(common(1, 0), "riddle"),
      gaveUp(common(1, 0), "riddle", { _tag: "Terminal", why: "no classifier has an opinion" })
    ]
  },
  {
    of: "attempts spent",
    words: ["busy", "slow down", "busy"],
    events: [
      failed(common(1, 0), "busy"),
      scheduled(common(1, 0), "busy"),
      failed(common(2, 1000), "slow down"),
      scheduled(common(2, 1000), "slow down"),
      failed(common(3, 2000), "busy"),
      gaveUp(common(3, 2000), "busy", { _tag: "AttemptsSpent", maxAttempts: 3 })
    ]
  },
  {
    of: "a back-off that ended",
    words: ["busy", "busy"],
    policy: { backoff: Backoff.fromDelays(["1 second"]) },
    events: [
      failed(common(1, 0), "busy"),
      scheduled(common(1, 0), "busy"),
      failed(common(2, 1000), "busy"),
      gaveUp(common(2, 1000), "busy", { _tag: "BackoffEnded" })
    ]
  },
  {
    of: "a foreign schedule that ended",
    words: ["busy", "busy"],
    policy: { backoff: Schedule.fromDelay("1 second") },
    events: [
      failed(common(1, 0), "busy"),
      scheduled(common(1, 0), "busy"),
      failed(common(2, 1000), "busy"),
      gaveUp(common(2, 1000), "busy", { _tag: "BackoffEnded" })
    ]
  },
  {
    of: "a hint too long",
    words: ["come back next year"],
    events: [
      failed(common(1, 0), "come back next year"),
      gaveUp(common(1, 0), "come back next year", { _tag: "HintTooLong", hint: Duration.days(365) })
    ]
  },
  {
    of: "a deadline that refuses",
    words: ["busy", "busy"],
    policy: { deadline: Deadline.refuse("1500 millis") },
    events: [
      failed(common(1, 0), "busy"),
      scheduled(common(1, 0), "busy"),
      failed(common(2, 1000), "busy"),
      gaveUp(common(2, 1000), "busy", { _tag: "DeadlinePassed", within: Duration.millis(1500) })
    ]
  },
  {
    of: "a deadline that cuts a wait",
    words: ["busy", "busy"],
    policy: { deadline: Deadline.cut("1500 millis") },
    events: [
      failed(common(1, 0), "busy"),
      scheduled(common(1, 0), "busy"),
      failed(common(2, 1000), "busy"),
      scheduled(common(2, 1000), "busy"),
      gaveUp(
        common(2, 1500),
        new Deadline.DeadlineExceeded({ within: Duration.millis(1500), attempts: 2, cause: "busy" }),
        { _tag: "DeadlinePassed", within: Duration.millis(1500) }
      )
    ]
  },
  {
    of: "a deadline that cuts an attempt",
    words: [],
    attemptMillis: 2000,
    policy: { deadline: Deadline.cut("1500 millis") },
    events: [
      gaveUp(
        common(1, 1500),
        new Deadline.DeadlineExceeded({ within: Duration.millis(1500), attempts: 1, cause: undefined }),
        { _tag: "DeadlinePassed", within: Duration.millis(1500) }
      )
    ]
  },
  {
    of: "a last failure before the deadline that cuts",
    words: ["bad request"],
    policy: { deadline: Deadline.cut("1500 millis") },
    events: [
      failed(common(1, 0), "bad request"),
      gaveUp(common(1, 0), "bad request", { _tag: "Terminal", why: "the request is wrong" })
    ]
  },
  {
    of: "a success before the deadline that cuts",
    words: [],
    policy: { deadline: Deadline.cut("1500 millis") },
    events: [succeeded(common(1, 0))]
  },
  {
    of: "an empty bucket",
    words: ["busy"],
    policy: { bucket: Bucket },
    script: { take: () => Effect.succeedNone },
    events: [failed(common(1, 0, 7), "busy"), gaveUp(common(1, 0, 7), "busy", { _tag: "BucketEmpty" })]
  },
  {
    of: "a bucket that grants",
    words: ["busy"],
    policy: { bucket: Bucket },
    events: [
      failed(common(1, 0, 7), "busy"),
      scheduled(common(1, 0, 7), "busy", { cost: 5 }),
      succeeded(common(2, 1000, 7))
    ]
  },
  {
    of: "a bucket that lets the retry wait for its turn",
    words: ["busy"],
    policy: { bucket: Bucket },
    script: { take: (_, restore) => restore(Effect.delay(Effect.succeedSome(5), "250 millis")) },
    events: [
      failed(common(1, 0, 7), "busy"),
      scheduled(common(1, 250, 7), "busy", { cost: 5 }),
      succeeded(common(2, 1250, 7))
    ]
  },
  {
    of: "a first attempt that the send rate refused",
    words: [],
    policy: { sendRate: Rate },
    script: { acquire: () => Effect.succeed(false) },
    events: [gaveUp(common(0, 0), new Retry.SendRefused({ by: "send rate" }), { _tag: "SendRateRefused" })]
  },
  {
    of: "a retry that the send rate refused",
    words: ["busy"],
    policy: { sendRate: Rate },
    script: { acquire: ({ attempt }) => Effect.succeed(attempt === 1) },
    events: [
      failed(common(1, 0), "busy"),
      scheduled(common(1, 0), "busy"),
      gaveUp(common(1, 1000), "busy", { _tag: "SendRateRefused" })
    ]
  },
  {
    of: "waits for the send rate",
    words: ["busy"],
    policy: { sendRate: Rate },
    script: { acquire: ({ attempt }) => Effect.delay(Effect.succeed(true), attempt * 200) },
    attemptMillis: 10,
    events: [
      failed(common(1, 210), "busy", { ran: 10, sendWait: 200 }),
      scheduled(common(1, 210), "busy"),
      succeeded(common(2, 1620), 400)
    ]
  }
]

describe.each(Object.entries(doors))("%s events", (_, door) => {
  it.effect.each(stories.map((story) => ({ ...story })))("tell of $of", (story) =>
    Effect.gen(function* () {
      expect(yield* told(story, door)).toStrictEqual(story.events)
    })
  )
})

/** The events of an operation that is given a name and an observer. */
const eventsOf = <A, E, R>(
  operation: (asked: { readonly name: string; readonly observe: [Retry.Observer] }) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const heard = Heard.make()
    yield* Effect.exit(operation({ name: Heard.name, observe: [heard.observer] }))
    return heard.events
  })

describe("Retry.retry events of judged results", () => {
  const judged = {
    ...policy,
    maxAttempts: 2,
    result: (status: number) => (status === 503 ? Verdict.server : Verdict.noOpinion)
  }

  it.effect("take the same path as those of errors, with the rejected result as the error", () =>
    Effect.gen(function* () {
      const error = new Retry.ResultRejected({ result: 503 })
      expect(yield* eventsOf((asked) => Retry.retry(Effect.succeed(503), { ...judged, ...asked }))).toStrictEqual([
        { ...failed(common(1, 0), "busy"), error, verdict: Verdict.server },
        { ...scheduled(common(1, 0), "busy"), verdict: Verdict.server },
        { ...failed(common(2, 1000), "busy"), error, verdict: Verdict.server },
        gaveUp(common(2, 1000), error, { _tag: "AttemptsSpent", maxAttempts: 2 })
      ])
      expect(yield* eventsOf((asked) => Retry.retry(Effect.succeed(200), { ...judged, ...asked }))).toMatchObject([
        { _tag: "Succeeded" }
      ])
    }).pipe(world)
  )

  it.effect("tell of attempt timeouts what the policy makes of them", () =>
    Effect.gen(function* () {
      const timed = { ...policy, maxAttempts: 1, attemptTimeout: AttemptTimeout.constant("3 seconds") }
      const error = new AttemptTimeout.AttemptTimedOut({ attempt: 1, after: Duration.seconds(3) })
      expect(yield* eventsOf((asked) => Retry.retry(Effect.never, { ...timed, ...asked }))).toStrictEqual([
        { ...failed(common(1, 3000), "busy", { ran: 3000 }), error, verdict: Verdict.timeout },
        gaveUp(common(1, 3000), error, { _tag: "AttemptsSpent", maxAttempts: 1 })
      ])
    }).pipe(world)
  )

  it.effect("end without a last one where a defect or an interruption ends the operation", () =>
    Effect.gen(function* () {
      expect(yield* eventsOf((asked) => Retry.retry(Effect.die("defect"), { ...policy, ...asked }))).toEqual([])
      expect(yield* eventsOf((asked) => Retry.retry(Effect.interrupt, { ...policy, ...asked }))).toEqual([])
      const heard = Heard.make()
      const fiber = yield* Effect.fork(
        Retry.retry(Effect.fail("busy" as const), { ...policy, observe: [heard.observer] })
      )
      yield* Effect.sleep("500 millis")
      yield* Fiber.interrupt(fiber)
      expect(heard.tags()).toEqual(["AttemptFailed", "RetryScheduled"])
    }).pipe(world)
  )

  it.effect("have no name where the policy has none, and no negative time when the clock steps back", () =>
    Effect.gen(function* () {
      const heard = Heard.make()
      const attempt = Effect.zipRight(VirtualClock.stepBack("1 hour"), Effect.fail("busy" as const))
      yield* Effect.flip(Retry.retry(attempt, { ...policy, maxAttempts: 2, observe: [heard.observer] }))
      expect(heard.events.map(({ elapsed, name, ran }) => ({ elapsed, name, ran }))).toEqual([
        { elapsed: 0, name: "", ran: 0 },
        { elapsed: 0, name: "", ran: undefined },
        { elapsed: 1000, name: "", ran: 0 },
        { elapsed: 1000, name: "", ran: undefined }
      ])
    }).pipe(world)
  )
})

describe("Retry.retry events under a bucket", () => {
  const levels = <E>(steps: ReadonlyArray<Effect.Effect<string, E>>, sendRate?: SendRate.SendRate) =>
    Effect.gen(function* () {
      const heard = Heard.make()
      const recording = Recording.make()
      const bucket = yield* RetryBucket.makeQuota({ capacity: 500 })
      const funded = { ...(policy as AnyPolicy), sendRate: sendRate && Rate, bucket: Bucket, observe: [heard.observer] }
      const attempts = recording.attempts(...steps) as Effect.Effect<string, Recording.Word>
      yield* Effect.exit(Retry.retry(attempts, funded)).pipe(
        Effect.provideService(Bucket, bucket),
        Effect.provideService(Rate, sendRate ?? SendRate.unlimited)
      )
      return heard.events.map(({ _tag, cost, level }) => [_tag, level, ...(cost === undefined ? [] : [cost])])
    }).pipe(world)

  it.effect("tell level and cost after the take, and the level after the success that returns it", () =>
    Effect.gen(function* () {
      expect(yield* levels([Effect.fail("busy"), Effect.fail("slow down"), Effect.succeed("done")])).toEqual([
        ["AttemptFailed", 500],
        ["RetryScheduled", 486, 14],
        ["AttemptFailed", 486],
        ["RetryScheduled", 481, 5],
        ["Succeeded", 486]
      ])
    })
  )

  it.effect("tell the level after what was held for a refused retry has been given back", () =>
    Effect.gen(function* () {
      const once: SendRate.SendRate = { ...SendRate.unlimited, acquire: ({ attempt }) => Effect.succeed(attempt === 1) }
      expect(yield* levels([Effect.fail("busy")], once)).toEqual([
        ["AttemptFailed", 500],
        ["RetryScheduled", 486, 14],
        ["GaveUp", 500]
      ])
    })
  )
})

describe("Retry.retry events under a send rate", () => {
  it.effect("tell how long each attempt waited for its turn", () =>
    Effect.gen(function* () {
      const heard = Heard.make()
      const recording = Recording.make()
      const attempts = recording.attempts(Effect.fail("busy" as const), Effect.succeed("done"))
      const paced = {
        ...policy,
        backoff: Backoff.constant({ delay: "400 millis" }),
        sendRate: Rate,
        observe: [heard.observer]
      }
      yield* Effect.gen(function* () {
        yield* Retry.retry(Effect.void, { ...policy, sendRate: Rate })
        yield* Retry.retry(attempts, paced)
      }).pipe(Effect.provide(SendRate.layerFixed(Rate, { rate: 1, burst: 1 })))
      expect(heard.events.map(({ _tag, elapsed, sendWait }) => [_tag, elapsed, sendWait])).toEqual([
        ["AttemptFailed", 1000, 1000],
        ["RetryScheduled", 1000, undefined],
        ["Succeeded", 2000, 600]
      ])
    }).pipe(world)
  )
})

describe("Retry.retry source of a delay", () => {
  const hinted = (hint: Duration.DurationInput) => () => Verdict.retryable("Throttling", { hint })
  const exponential = Backoff.exponential({ base: "1 second" })
  const capped = Backoff.capped(exponential, "3 seconds")

  interface Row {
    readonly of: string
    readonly policy: Partial<Policy.Policy<unknown, unknown, unknown, never>>
    readonly delays: ReadonlyArray<readonly [number, Retry.DelaySource]>
    /** The draw of every step. @default 0.5 */
    readonly u?: number
  }

  const curve = [
    [1000, "Curve"],
    [2000, "Curve"],
    [4000, "Curve"]
  ] as const
  const rows: ReadonlyArray<Row> = [
    { of: "a curve", policy: { backoff: exponential }, delays: curve },
    {
      of: "a curve and its cap",
      policy: { backoff: capped },
      delays: [
        [1000, "Curve"],
        [2000, "Curve"],
        [3000, "Cap"]
      ]
    },
    {
      of: "a curve that reaches its cap exactly",
      policy: { backoff: Backoff.capped(exponential, "4 seconds") },
      delays: curve
    },
    {
      of: "jitter below the cap and under it",
      policy: { backoff: Backoff.jittered(capped, Jitter.full) },
      delays: [
        [500, "Curve"],
        [1000, "Curve"],
        [1500, "Cap"]
      ]
    },
    {
      of: "jitter that the cap limits",
      policy: {
        backoff: Backoff.jittered(Backoff.capped(exponential, "2 seconds"), Jitter.proportional({ ratio: 0.5 }))
      },
      u: 0.9,
      delays: [
        [1400, "Curve"],
        [1900, "Cap"],
        [1900, "Cap"]
      ]
    },
    {
      of: "hints as a floor",
      policy: { backoff: exponential, classifier: hinted("1500 millis") },
      delays: [
        [1500, "Hint"],
        [2000, "Curve"],
        [4000, "Curve"]
      ]
    },
    {
      of: "a hint above the cap",
      policy: { backoff: capped, classifier: hinted("5 seconds") },
      delays: [
        [5000, "Hint"],
        [5000, "Hint"],
        [5000, "Hint"]
      ]
    },
    {
      of: "hints that are ignored",
      policy: { backoff: exponential, hint: Hint.ignore, classifier: hinted("5 seconds") },
      delays: curve
    },
    {
      of: "hints that override",
      policy: {
        backoff: exponential,
        hint: Hint.override({ atMost: "1 minute", otherwise: "giveUp" }),
        classifier: hinted("2 seconds")
      },
      delays: [
        [2000, "Hint"],
        [2000, "Curve"],
        [2000, "Hint"]
      ]
    },
    {
      of: "a deadline that truncates the last wait",
      policy: { backoff: exponential, deadline: Deadline.truncate("4 seconds", { reserve: "500 millis" }) },
      delays: [
        [1000, "Curve"],
        [2000, "Curve"],
        [500, "Deadline"]
      ]
    },
    {
      of: "a deadline that truncates what a hint asks for",
      policy: {
        backoff: exponential,
        classifier: hinted("1500 millis"),
        deadline: Deadline.truncate("1200 millis", { reserve: "200 millis" })
      },
      delays: [[1000, "Deadline"]]
    },
    {
      of: "a foreign schedule",
      policy: { backoff: Schedule.exponential("1 second") },
      delays: curve
    },
    {
      of: "a foreign schedule and hints",
      policy: { backoff: Schedule.exponential("1 second"), classifier: hinted("1500 millis") },
      delays: [
        [1500, "Hint"],
        [2000, "Curve"],
        [4000, "Curve"]
      ]
    },
    {
      of: "a foreign schedule and a deadline that truncates",
      policy: {
        backoff: Schedule.exponential("1 second"),
        deadline: Deadline.truncate("2 seconds", { reserve: "500 millis" })
      },
      delays: [
        [1000, "Curve"],
        [500, "Deadline"]
      ]
    }
  ]

  it.effect.each(rows.map((row) => ({ ...row })))("is what was the last to change it: $of", ({ delays, policy, u }) =>
    Effect.gen(function* () {
      const heard = Heard.make()
      const failing = Effect.fail("busy")
      const base = { classifier: () => Verdict.transient, maxAttempts: 4, backoff: exponential }
      const observed: Policy.Policy<unknown, unknown, unknown, never> = {
        ...base,
        ...policy,
        observe: [heard.observer]
      }
      yield* Effect.exit(Retry.retry(failing, observed))
      const scheduled = heard.events.filter(({ _tag }) => _tag === "RetryScheduled")
      expect(scheduled.map(({ delay, source }) => [delay, source])).toEqual(delays)
    }).pipe(Effect.provide(SeededRandom.layerConstant(u ?? 0.5)), VirtualClock.run)
  )
})

describe("Retry.Observer", () => {
  it.effect("hears of a failure after the services and of a retry between its price and its wait", () =>
    Effect.gen(function* () {
      const recording = Recording.make()
      const observer: Retry.Observer = ({ _tag, attempt }) => recording.note(`hear ${_tag} ${attempt}`)
      const attempts = recording.attempts(Effect.fail("busy" as const), Effect.succeed("done"))
      yield* recording.provide(Retry.retry(attempts, { ...Recording.funded, observe: [observer] }))
      expect(recording.lines).toEqual([
        "acquire 1",
        "attempt 1",
        "heard Failed",
        "ended 1: Transient",
        "hear AttemptFailed 1",
        "take Transient",
        "hear RetryScheduled 1",
        "sleep 1000",
        "acquire 2",
        "attempt 2",
        "heard Succeeded",
        "ended 2: success, cost 5",
        "hear Succeeded 2"
      ])
    }).pipe(world)
  )

  it.effect("hears of the end before the fallback runs, and of a retry without a wait as of any", () =>
    Effect.gen(function* () {
      const recording = Recording.make()
      const observer: Retry.Observer = ({ _tag }) => recording.note(_tag)
      const immediate = { ...policy, maxAttempts: 2, backoff: Backoff.constant({ delay: 0 }), observe: [observer] }
      yield* Retry.retryOrElse(recording.attempts(Effect.fail("busy" as const)), immediate, () =>
        recording.note("else")
      )
      expect(recording.lines).toEqual([
        "attempt 1",
        "AttemptFailed",
        "RetryScheduled",
        "attempt 2",
        "AttemptFailed",
        "GaveUp",
        "else"
      ])
    }).pipe(world)
  )

  it.effect("hears each event after those before it in the policy", () =>
    Effect.gen(function* () {
      const { lines, note } = Recording.make()
      const observe = ["first", "second", "third"].map(
        (name): Retry.Observer =>
          ({ _tag }) =>
            note(`${name} ${_tag}`)
      )
      yield* Retry.retry(Effect.void, { ...policy, observe })
      expect(lines).toEqual(["first Succeeded", "second Succeeded", "third Succeeded"])
    }).pipe(world)
  )

  it.effect.each<{ readonly that: string; readonly bad: Retry.Observer }>([
    { that: "dies", bad: () => Effect.die("broken observer") },
    {
      that: "throws",
      bad: () => {
        throw "broken observer"
      }
    },
    { that: "interrupts itself", bad: () => Effect.interrupt }
  ])("does no harm when it $that, and is logged", ({ bad }) =>
    Effect.gen(function* () {
      const logged: Array<unknown> = []
      const logger = Logger.make(({ cause, logLevel, message }) => {
        logged.push([logLevel._tag, message, Cause.isEmpty(cause)])
      })
      const heard = Heard.make()
      const { attempts } = Recording.make()
      const exit = yield* Retry.retry(attempts(Effect.fail("busy" as const), Effect.succeed("done")), {
        ...policy,
        observe: [bad, heard.observer]
      }).pipe(Effect.exit, Effect.provide(Logger.add(logger)))
      expect(exit).toEqual(Exit.succeed("done"))
      expect(heard.tags()).toEqual(["AttemptFailed", "RetryScheduled", "Succeeded"])
      expect(logged).toEqual(heard.events.map(() => ["Warning", ["a retry observer died"], false]))
    }).pipe(world)
  )

  it.effect("does without the level of a bucket that cannot tell it", () =>
    Effect.gen(function* () {
      const heard = Heard.make()
      const level = { ...RetryBucket.unlimited.level, get: Effect.die("no level") }
      const observed = { ...policy, bucket: RetryBucket.Default, observe: [heard.observer] }
      yield* Effect.provideService(Retry.retry(Effect.void, observed), RetryBucket.Default, {
        ...RetryBucket.unlimited,
        level
      })
      expect(heard.events).toMatchObject([{ _tag: "Succeeded", level: Option.none() }])
    }).pipe(world)
  )

  it.effect("delays the operation by as long as it takes", () =>
    Effect.gen(function* () {
      const starts: Array<number> = []
      const attempt = Effect.zipRight(
        Effect.map(nowMillis, (now) => void starts.push(now)),
        Effect.fail("busy" as const)
      )
      const slow: Retry.Observer = () => Effect.sleep("100 millis")
      yield* Effect.flip(Retry.retry(attempt, { ...policy, maxAttempts: 2, observe: [slow] }))
      expect(starts).toEqual([0, 100 + 100 + 1000])
      expect(yield* nowMillis).toBe(1200 + 100 + 100)
    }).pipe(world)
  )

  it.effect("is interrupted with the operation, which gives back what it holds, when it never returns", () =>
    Effect.gen(function* () {
      const recording = Recording.make()
      const stuck: Retry.Observer = ({ _tag }) => (_tag === "RetryScheduled" ? Effect.never : Effect.void)
      const operation = Retry.retry(recording.attempts(Effect.fail("busy" as const)), {
        ...policy,
        bucket: Bucket,
        observe: [stuck]
      })
      const exit = yield* Effect.exit(Effect.timeout(recording.provide(operation), "1 hour"))
      expect(exit).toEqual(Exit.fail(new Cause.TimeoutException("Operation timed out after '1h'")))
      expect(recording.lines).toEqual(["attempt 1", "ended 1: Transient", "take Transient", "give back 5"])
    }).pipe(world)
  )

  it.effect("is cut by a deadline that cuts, and still hears of the end, which a slow one does not change", () =>
    Effect.gen(function* () {
      const heard = Heard.make()
      const stuck: Retry.Observer = ({ _tag }) => (_tag === "AttemptFailed" ? Effect.never : Effect.void)
      const cut = { ...policy, deadline: Deadline.cut("2 seconds") }
      const failing = Retry.retry(Effect.fail("busy" as const), { ...cut, observe: [stuck, heard.observer] })
      expect(yield* Effect.flip(failing)).toBeInstanceOf(Deadline.DeadlineExceeded)
      expect(heard.tags()).toEqual(["GaveUp"])
      const slow: Retry.Observer = () => Effect.sleep("1 hour")
      expect(yield* Retry.retry(Effect.succeed("done"), { ...cut, observe: [slow] })).toBe("done")
      expect(yield* nowMillis).toBe(2_000 + 3_600_000)
    }).pipe(world)
  )
})

describe("Retry.retry without observers", () => {
  /** Counts every look at a service, at the context and at the default services. */
  const counting = <A, E, R>(self: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const looks: Array<string> = []
      const spied = <S extends object>(name: string, service: S): S =>
        new Proxy(service, {
          get: (target, field) => {
            if (typeof field === "string") looks.push(`${name}.${field}`)
            return Reflect.get(target, field)
          }
        })
      const clock = spied("clock", yield* Effect.clock)
      const random = spied("random", yield* Effect.random)
      const done = yield* self.pipe(Effect.withClock(clock), Effect.withRandom(random), Effect.exit)
      return { looks: [...looks], done }
    })

  it.effect("asks neither clock nor chance for a success", () =>
    Effect.gen(function* () {
      const jittered = { ...policy, backoff: Policy.standard.backoff }
      expect(yield* counting(Retry.retry(Effect.succeed("done"), jittered))).toEqual({
        looks: [],
        done: Exit.succeed("done")
      })
      const observed = { ...jittered, observe: [() => Effect.void] }
      const { looks } = yield* counting(Retry.retry(Effect.succeed("done"), observed))
      expect(looks).toContain("clock.unsafeCurrentTimeMillis")
    }).pipe(world)
  )

  it("adds one handler around the effect itself, and nothing that runs before it", () => {
    const self = Effect.succeed("done")
    const instruction = (effect: Effect.Effect<unknown, unknown>) => {
      const { _op, effect_instruction_i0 } = effect as unknown as Record<string, unknown>
      return { _op, isSelf: effect_instruction_i0 === self }
    }
    const lazy = { _op: "OnFailure", isSelf: true }
    expect(instruction(Effect.catchAllCause(self, Effect.failCause))).toEqual(lazy)
    expect(instruction(Retry.retry(self, policy))).toEqual(lazy)
    expect(instruction(Retry.retry(self, { ...policy, whenNested: "standDown" }))).toEqual(lazy)
    for (const asking of [{ name: "fetch" }, { observe: [] }, { attemptSpan: "attempt" }]) {
      expect(instruction(Retry.retry(self, { ...policy, ...asking }))).not.toEqual(lazy)
    }
  })

  it.effect("looks neither at the clock nor at a bucket's level for a failure", () =>
    Effect.gen(function* () {
      let levels = 0
      const level = { ...RetryBucket.unlimited.level, get: Effect.sync(() => ++levels) }
      const bucket: RetryBucket.RetryBucket = { ...RetryBucket.unlimited, level }
      const immediate = { ...policy, backoff: Backoff.constant({ delay: 0 }), bucket: Bucket }
      const attempt = Effect.fail("busy" as const)
      const quiet = yield* counting(Effect.provideService(Retry.retry(attempt, immediate), Bucket, bucket))
      expect(quiet).toEqual({ looks: [], done: Exit.fail("busy") })
      expect(levels).toBe(0)
      const observed = { ...immediate, observe: [() => Effect.void] }
      yield* Effect.exit(Effect.provideService(Retry.retry(attempt, observed), Bucket, bucket))
      expect(levels).toBe(6)
    }).pipe(world)
  )
})
