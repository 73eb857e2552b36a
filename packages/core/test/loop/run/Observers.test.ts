import {
  AttemptTimeout,
  Backoff,
  Deadline,
  Hint,
  Jitter,
  Observe,
  Policy,
  RateLimiter,
  Retry,
  TokenBucket,
  Verdict
} from "@effect-retry/core"
import { Arbitraries, SeededRandom, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Duration, Effect, Exit, FastCheck, Fiber, Logger, LogLevel, Option, Random, Schedule } from "effect"
import { law } from "../../support/Laws.ts"
import * as LogLines from "../../support/LogLines.ts"
import * as Heard from "../Heard.ts"
import { common } from "../Heard.ts"
import * as Recording from "../Recording.ts"
import { Bucket, judge, Limiter, nowMillis, policy, world } from "../Recording.ts"

const fault = (message: string): never => {
  throw message
}

type AnyPolicy = Policy.Policy<Recording.Word, unknown, Bucket | Limiter, never>

type DelaySource = Extract<Observe.RetryEvent, { readonly _tag: "RetryScheduled" }>["source"]

/** The functions for effects: each runs an operation to its end. */
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
  more: { readonly ran?: number; readonly rateLimiterWait?: number } = {}
) => ({ _tag: "AttemptFailed", ...at, elapsed, error, verdict: judge(error), ran: 0, rateLimiterWait: 0, ...more })

const scheduled = (
  at: ReturnType<typeof common>,
  error: Recording.Word,
  more: { readonly delay?: number; readonly source?: DelaySource; readonly cost?: number } = {}
) => ({ _tag: "RetryScheduled", ...at, error, verdict: judge(error), delay: 1000, source: "Curve", cost: 0, ...more })

const succeeded = (at: ReturnType<typeof common>, rateLimiterWait = 0) => ({
  _tag: "Succeeded",
  ...at,
  rateLimiterWait
})

/** Of a word, the kind is that of its verdict. */
const gaveUp = (
  at: ReturnType<typeof common>,
  error: unknown,
  reason: Retry.StopReason,
  kind: string | null = typeof error === "string"
    ? Option.getOrNull(Verdict.kindOf(judge(error as Recording.Word)))
    : null
) => ({ _tag: "GaveUp", ...at, error, reason, kind })

/** An operation whose attempts fail with `words`, one after the other, and then succeed. */
interface Story {
  readonly of: string
  readonly words: ReadonlyArray<Recording.Word>
  readonly policy?: Partial<AnyPolicy>
  readonly script?: Recording.Script
  readonly attemptMillis?: number
  readonly events: ReadonlyArray<Heard.Plain>
}

const told = (story: Story, door: (typeof doors)[keyof typeof doors]) =>
  Effect.gen(function* () {
    const heard = Heard.make()
    const recording = Recording.make(story.script)
    const attempts = recording.attempts(...story.words.map((word) => Effect.fail(word)), Effect.succeed("done"))
    const attempt = Effect.zipRight(Effect.sleep(story.attemptMillis ?? 0), attempts)
    const observed: AnyPolicy = { ...policy, name: Heard.name, observe: [heard.observer], ...story.policy }
    const bucket = { ...recording.bucket, level: Effect.succeed(7) }
    const levelled = Effect.provideService(door(attempt, observed), Bucket, bucket)
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
        { _tag: "DeadlinePassed", within: Duration.millis(1500) },
        "Transient"
      )
    ]
  },
  {
    of: "a deadline that cuts an attempt",
    words: [],
    attemptMillis: 2000,
    policy: { deadline: Deadline.cut("1500 millis") },
    events: [
      {
        ...failed(common(1, 1500), "busy", { ran: 1500 }),
        error: new Deadline.DeadlineExceeded({ within: Duration.millis(1500), attempts: 1 }),
        verdict: Verdict.terminal("the deadline interrupted the attempt", { kind: "Timeout" })
      },
      gaveUp(
        common(1, 1500),
        new Deadline.DeadlineExceeded({ within: Duration.millis(1500), attempts: 1 }),
        { _tag: "DeadlinePassed", within: Duration.millis(1500) },
        "Timeout"
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
    script: { bucket: () => Effect.succeedNone },
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
    of: "a bucket that makes the retry wait for its turn",
    words: ["busy"],
    policy: { bucket: Bucket },
    script: { bucket: ({ restore }) => restore(Effect.delay(Effect.succeedSome(5), "250 millis")) },
    events: [
      failed(common(1, 0, 7), "busy"),
      scheduled(common(1, 250, 7), "busy", { cost: 5 }),
      succeeded(common(2, 1250, 7))
    ]
  },
  {
    of: "a first attempt that the rate limiter refused",
    words: [],
    policy: { rateLimiter: Limiter },
    script: { limiter: () => Effect.succeedNone },
    events: [gaveUp(common(0, 0), new Retry.AttemptRefused({ attempt: 1 }), { _tag: "RateLimiterRefused" })]
  },
  {
    of: "a retry that the rate limiter refused",
    words: ["busy"],
    policy: { rateLimiter: Limiter },
    script: { limiter: ({ attempt }) => (attempt === 1 ? Effect.succeedSome(1) : Effect.succeedNone) },
    events: [
      failed(common(1, 0), "busy"),
      scheduled(common(1, 0), "busy"),
      gaveUp(common(1, 1000), "busy", { _tag: "RateLimiterRefused" })
    ]
  },
  {
    of: "waits for the rate limiter",
    words: ["busy"],
    policy: { rateLimiter: Limiter },
    script: { limiter: ({ attempt, restore }) => restore(Effect.delay(Effect.succeedSome(1), attempt * 200)) },
    attemptMillis: 10,
    events: [
      failed(common(1, 210), "busy", { ran: 10, rateLimiterWait: 200 }),
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
  operation: (asked: { readonly name: string; readonly observe: [Observe.Observer] }) => Effect.Effect<A, E, R>
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
        { ...failed(common(1, 0, null, 2), "busy"), error, verdict: Verdict.server },
        { ...scheduled(common(1, 0, null, 2), "busy"), error, verdict: Verdict.server },
        { ...failed(common(2, 1000, null, 2), "busy"), error, verdict: Verdict.server },
        gaveUp(common(2, 1000, null, 2), error, { _tag: "AttemptsSpent", maxAttempts: 2 }, "Server")
      ])
      expect(yield* eventsOf((asked) => Retry.retry(Effect.succeed(200), { ...judged, ...asked }))).toMatchObject([
        { _tag: "Succeeded" }
      ])
    }).pipe(world)
  )

  it.effect("show the error that the policy makes of an attempt timeout", () =>
    Effect.gen(function* () {
      const timed = { ...policy, maxAttempts: 1, attemptTimeout: AttemptTimeout.constant("3 seconds") }
      const error = new AttemptTimeout.AttemptTimedOut({ attempt: 1, after: Duration.seconds(3) })
      expect(yield* eventsOf((asked) => Retry.retry(Effect.never, { ...timed, ...asked }))).toStrictEqual([
        { ...failed(common(1, 3000, null, 1), "busy", { ran: 3000 }), error, verdict: Verdict.timeout },
        gaveUp(common(1, 3000, null, 1), error, { _tag: "AttemptsSpent", maxAttempts: 1 }, "Timeout")
      ])
    }).pipe(world)
  )

  it.effect("have no last one when a defect or an interruption ends the operation", () =>
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

  it.effect("have no name when the policy has none, and no negative time when the clock steps back", () =>
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

describe("Retry.retry event", () => {
  const kept = Effect.gen(function* () {
    const events: Array<Observe.RetryEvent> = []
    const observer: Observe.Observer = (event) => Effect.sync(() => void events.push(event))
    const attempt = Effect.zipRight(Effect.sleep("300 millis"), Effect.fail("busy" as const))
    const observed = { ...policy, maxAttempts: 2, name: Heard.name, observe: [observer] }
    yield* Effect.provideService(Effect.exit(Retry.retry(attempt, observed)), TokenBucket.Key, "orders")
    return events
  })

  it.effect("keeps what was true when it was told, however late it is read", () =>
    Effect.gen(function* () {
      const events = yield* kept
      yield* Effect.sleep("1 hour")
      expect(events.map(({ attempt, elapsed }) => [attempt, Duration.toMillis(elapsed)])).toEqual([
        [1, 300],
        [1, 300],
        [2, 1600],
        [2, 1600]
      ])
      expect(events.map((event) => event.details())).toEqual(
        events.map(() => ({ subject: Heard.name, outcome: "", key: "orders", attributes: {}, tags: {} }))
      )
    }).pipe(world)
  )

  it.effect("has no outcome to show when an attempt has succeeded", () =>
    Effect.gen(function* () {
      const outcomes: Array<string> = []
      const observer: Observe.Observer = (event) => Effect.sync(() => void outcomes.push(event.details().outcome))
      yield* Retry.retry(Effect.succeed("done"), { ...policy, observe: [observer] })
      expect(outcomes).toEqual([""])
    }).pipe(world)
  )

  it.effect("has its fields as its own: it can be copied, compared and written", () =>
    Effect.gen(function* () {
      const [event] = yield* kept
      const own = ["_tag", "error", "verdict", "ran", "rateLimiterWait"]
      const common = ["name", "attempt", "maxAttempts", "elapsed", "level", "details"]
      expect(Object.keys({ ...event })).toEqual([...own, ...common])
      expect({ ...event }).toStrictEqual(event)
      expect(JSON.parse(JSON.stringify(event))).toMatchObject({
        _tag: "AttemptFailed",
        name: Heard.name,
        elapsed: { _id: "Duration", _tag: "Millis", millis: 300 },
        error: { name: "string" },
        ran: { millis: 300 },
        rateLimiterWait: { millis: 0 }
      })
    }).pipe(world)
  )
})

describe("Retry.retry events under a bucket", () => {
  const levels = (steps: Recording.Attempts, rateLimiter = TokenBucket.unlimited) =>
    Effect.gen(function* () {
      const heard = Heard.make()
      const bucket = yield* TokenBucket.quota({ capacity: 500 })
      const funded = { ...policy, rateLimiter, bucket, observe: [heard.observer] }
      yield* Effect.exit(Retry.retry(Recording.make().attempts(...steps), funded))
      return heard.events.map(({ _tag, cost, level }) => [_tag, level, ...(cost === undefined ? [] : [cost])])
    }).pipe(world)

  it.effect("tell level and cost after the grant, and the level after the success that returns it", () =>
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

  it.effect("tell the level after the grant of a refused retry has been refunded", () =>
    Effect.gen(function* () {
      const once: TokenBucket.TokenBucket = {
        ...TokenBucket.unlimited,
        acquire: (request) => (request.attempt === 1 ? TokenBucket.unlimited : TokenBucket.empty).acquire(request)
      }
      expect(yield* levels([Effect.fail("busy")], once)).toEqual([
        ["AttemptFailed", 500],
        ["RetryScheduled", 486, 14],
        ["GaveUp", 500]
      ])
    })
  )
})

describe("Retry.retry events under a rate limiter", () => {
  it.effect("tell how long each attempt waited for its turn", () =>
    Effect.gen(function* () {
      const heard = Heard.make()
      const attempts = Recording.make().attempts(Effect.fail("busy" as const), Effect.succeed("done"))
      const rateLimiter = yield* RateLimiter.fixed({ rate: 1, burst: 1 })
      const paced = { ...policy, rateLimiter, backoff: Backoff.constant({ delay: "400 millis" }) }
      yield* Retry.retry(Effect.void, paced)
      yield* Retry.retry(attempts, { ...paced, observe: [heard.observer] })
      expect(heard.events.map(({ _tag, elapsed, rateLimiterWait }) => [_tag, elapsed, rateLimiterWait])).toEqual([
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
    readonly policy: Partial<Policy.Policy<unknown>>
    readonly delays: ReadonlyArray<readonly [number, DelaySource]>
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
      of: "hints as a floor, with jitter",
      policy: { backoff: exponential, hint: Hint.standard, classifier: hinted("1500 millis") },
      delays: [
        [1875, "Hint"],
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

  it.effect.each(rows.map((row) => ({ ...row })))("is the last rule that changed it: $of", ({ delays, policy, u }) =>
    Effect.gen(function* () {
      const heard = Heard.make()
      const failing = Effect.fail("busy")
      const hint = Hint.floor({ atMost: "1 minute", otherwise: "giveUp" })
      const base = { classifier: () => Verdict.transient, maxAttempts: 4, backoff: exponential, hint }
      const observed: Policy.Policy<unknown> = {
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

describe("Observe.Observer", () => {
  it.effect("hears of a failure after rate limiter and bucket, and of a retry between its grant and its wait", () =>
    Effect.gen(function* () {
      const recording = Recording.make()
      const observer: Observe.Observer = ({ _tag, attempt }) => recording.note(`hear ${_tag} ${attempt}`)
      const attempts = recording.attempts(Effect.fail("busy" as const), Effect.succeed("done"))
      yield* recording.provide(Retry.retry(attempts, { ...Recording.funded, observe: [observer] }))
      expect(recording.lines).toEqual([
        "limiter acquire 1",
        "attempt 1",
        "limiter record 1: Transient, granted 1",
        "bucket record 1: Transient, granted 0",
        "hear AttemptFailed 1",
        "bucket acquire 2 after Transient",
        "hear RetryScheduled 1",
        "sleep 1000",
        "limiter acquire 2 after Transient",
        "attempt 2",
        "limiter record 2: Succeeded, granted 1",
        "bucket record 2: Succeeded, granted 5",
        "hear Succeeded 2"
      ])
    }).pipe(world)
  )

  it.effect("hears of the end before the fallback runs, and of a retry without a wait like any other", () =>
    Effect.gen(function* () {
      const recording = Recording.make()
      const observer: Observe.Observer = ({ _tag }) => recording.note(_tag)
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
        (name): Observe.Observer =>
          ({ _tag }) =>
            note(`${name} ${_tag}`)
      )
      yield* Retry.retry(Effect.void, { ...policy, observe })
      expect(lines).toEqual(["first Succeeded", "second Succeeded", "third Succeeded"])
    }).pipe(world)
  )

  it.effect("may return nothing, and nothing is logged then", () =>
    Effect.gen(function* () {
      const logged: Array<unknown> = []
      const logger = Logger.make(({ message }) => {
        logged.push(message)
      })
      const heard: Array<string> = []
      const { attempts } = Recording.make()
      yield* Retry.retry(attempts(Effect.fail("busy" as const), Effect.succeed("done")), {
        ...policy,
        observe: [
          (event) => {
            heard.push(event._tag)
          }
        ]
      }).pipe(Effect.provide(Logger.add(logger)))
      expect(heard).toEqual(["AttemptFailed", "RetryScheduled", "Succeeded"])
      expect(logged).toEqual([])
    }).pipe(world)
  )

  it.effect.each<{ readonly that: string; readonly bad: Observe.Observer }>([
    { that: "dies", bad: () => Effect.die("broken observer") },
    {
      that: "throws",
      bad: () => {
        throw "broken observer"
      }
    },
    { that: "interrupts itself", bad: () => Effect.interrupt }
  ])("changes nothing when it $that, and is logged once for each event", ({ bad }) =>
    Effect.gen(function* () {
      const logged: Array<unknown> = []
      const logger = Logger.make((line) => {
        const { level, message } = LogLines.of(line)
        logged.push([level, message, Cause.isEmpty(line.cause)])
      })
      const heard = Heard.make()
      const { attempts } = Recording.make()
      const exit = yield* Retry.retry(attempts(Effect.fail("busy" as const), Effect.succeed("done")), {
        ...policy,
        observe: [bad, heard.observer]
      }).pipe(Effect.exit, Effect.provide(Logger.add(logger)))
      expect(exit).toEqual(Exit.succeed("done"))
      expect(heard.tags()).toEqual(["AttemptFailed", "RetryScheduled", "Succeeded"])
      expect(logged).toEqual(heard.events.map(() => ["Warning", ["an observer died"], false]))
    }).pipe(world)
  )

  it.effect.each<{
    readonly that: string
    readonly changed: Partial<Pick<Policy.Policy<Recording.Word>, "bucket" | "deadline" | "observe">>
  }>([
    { that: "an observer that dies", changed: { observe: [() => Effect.die("broken observer")] } },
    { that: "an attempt", changed: { observe: [Observe.logs()] } },
    { that: "a bucket that dies", changed: { bucket: { ...TokenBucket.unlimited, level: Effect.die("no level") } } },
    {
      that: "a bucket that does not answer in time",
      changed: { bucket: { ...TokenBucket.unlimited, level: Effect.never }, deadline: Deadline.refuse("2 seconds") }
    }
  ])("is not changed by a logger that dies of a line about $that", ({ changed }) =>
    Effect.gen(function* () {
      const run = (logger: Logger.Logger<unknown, void>) => {
        const heard = Heard.make()
        const { attempts } = Recording.make()
        const observe = [...(changed.observe ?? []), heard.observer]
        return Retry.retry(attempts(Effect.fail("busy" as const), Effect.succeed("done")), {
          ...policy,
          ...changed,
          observe
        }).pipe(
          Effect.exit,
          Effect.map((exit) => ({ exit, tags: heard.tags() })),
          Effect.provide(Logger.replace(Logger.defaultLogger, logger))
        )
      }
      let lines = 0
      const died = yield* run(
        Logger.make(() => {
          lines += 1
          throw new Error("broken logger")
        })
      )
      expect(lines).toBeGreaterThan(0)
      expect(died).toEqual(yield* run(Logger.make(() => {})))
      expect(died.tags.length).toBeGreaterThan(1)
    }).pipe(world)
  )

  it.effect("is called, not listed, if it makes observers: the log says so", () =>
    Effect.gen(function* () {
      const causes: Array<string> = []
      const logger = Logger.make(({ cause }) => {
        causes.push(Cause.pretty(cause))
      })
      const observe = [Observe.logs as unknown as Observe.Observer]
      yield* Retry.retry(Effect.void, { ...policy, observe }).pipe(Effect.provide(Logger.add(logger)))
      expect(causes).toEqual([expect.stringContaining("(call what makes an observer, as in Observe.logs())")])
    }).pipe(world)
  )

  it.effect.each<{
    readonly that: string
    readonly level: Effect.Effect<number>
    readonly logged: ReadonlyArray<string>
  }>([
    { that: "dies", level: Effect.die("no level"), logged: ["the bucket died"] },
    { that: "throws", level: Effect.sync(() => fault("no level")), logged: ["the bucket died"] },
    { that: "is no number", level: Effect.succeed(NaN), logged: [] },
    { that: "hangs", level: Effect.never, logged: ["the bucket did not answer before the deadline"] }
  ])("is told no level that $that, and hears the event all the same", ({ level, logged }) =>
    Effect.gen(function* () {
      const lines: Array<unknown> = []
      const logger = Logger.make(({ message }) => void lines.push(message))
      const heard = Heard.make()
      const bucket = { ...TokenBucket.unlimited, level }
      const observed = { ...policy, bucket, deadline: Deadline.refuse("2 seconds"), observe: [heard.observer] }
      const exit = yield* Effect.exit(Retry.retry(Effect.succeed("done"), observed)).pipe(
        Effect.provide(Logger.add(logger))
      )
      expect(exit).toEqual(Exit.succeed("done"))
      expect(heard.events).toMatchObject([{ _tag: "Succeeded", level: null }])
      expect(lines).toEqual(logged.map((line) => [line]))
    }).pipe(world)
  )

  it.effect("alone makes the bucket tell its level, each time it runs the effect of the event", () =>
    Effect.gen(function* () {
      let asked = 0
      const bucket = { ...TokenBucket.unlimited, level: Effect.sync(() => ++asked) }
      const deaf: Observe.Observer = () => Effect.void
      const curious: Observe.Observer = ({ _tag, level }) => (_tag === "GaveUp" ? level : Effect.void)
      const run = (...observe: ReadonlyArray<Observe.Observer>) =>
        Effect.exit(Retry.retry(Effect.fail("busy" as const), { ...policy, bucket, observe }))
      yield* run()
      yield* run(deaf, deaf)
      expect(asked).toBe(0)
      yield* run(deaf, curious, curious)
      expect(asked).toBe(2)
    }).pipe(world)
  )

  it.effect("delays the operation by as long as it takes", () =>
    Effect.gen(function* () {
      const starts: Array<number> = []
      const attempt = Effect.zipRight(
        Effect.map(nowMillis, (now) => void starts.push(now)),
        Effect.fail("busy" as const)
      )
      const slow: Observe.Observer = () => Effect.sleep("100 millis")
      yield* Effect.flip(Retry.retry(attempt, { ...policy, maxAttempts: 2, observe: [slow] }))
      expect(starts).toEqual([0, 100 + 100 + 1000])
      expect(yield* nowMillis).toBe(1200 + 100 + 100)
    }).pipe(world)
  )

  it.effect("that never returns is interrupted with the operation, which refunds what it holds", () =>
    Effect.gen(function* () {
      const recording = Recording.make()
      const stuck: Observe.Observer = ({ _tag }) => (_tag === "RetryScheduled" ? Effect.never : Effect.void)
      const operation = Retry.retry(recording.attempts(Effect.fail("busy" as const)), {
        ...policy,
        bucket: Bucket,
        observe: [stuck]
      })
      const exit = yield* Effect.exit(Effect.timeout(recording.provide(operation), "1 hour"))
      expect(exit).toEqual(Exit.fail(new Cause.TimeoutException("Operation timed out after '1h'")))
      expect(recording.lines).toEqual([
        "attempt 1",
        "bucket record 1: Transient, granted 0",
        "bucket acquire 2 after Transient",
        "bucket refund 5"
      ])
    }).pipe(world)
  )

  const { cut, refuse, truncate } = Deadline

  /** A slow observer sleeps, and so does the deadline beside it. */
  const withoutSleeps = ({ lines }: Recording.Recording) => lines.filter((line) => !line.startsWith("sleep"))

  it.effect("counts for the deadline with the time that it takes, and pays no retry that is too late", () =>
    Effect.gen(function* () {
      const heard = Heard.make()
      const recording = Recording.make()
      const slow: Observe.Observer = ({ _tag }) => (_tag === "AttemptFailed" ? Effect.sleep("600 millis") : Effect.void)
      const observed = {
        ...policy,
        bucket: Bucket,
        deadline: refuse("1500 millis"),
        observe: [slow, heard.observer]
      }
      yield* Effect.flip(recording.provide(Retry.retry(recording.attempts(Effect.fail("busy" as const)), observed)))
      expect(heard.events.map(({ _tag, elapsed }) => [_tag, elapsed])).toEqual([
        ["AttemptFailed", 0],
        ["GaveUp", 600]
      ])
      expect(withoutSleeps(recording)).toEqual(["attempt 1", "bucket record 1: Transient, granted 0"])
    }).pipe(world)
  )

  it.effect("refunds the retry that it makes too late, and starts no attempt", () =>
    Effect.gen(function* () {
      const recording = Recording.make()
      const slow: Observe.Observer = ({ _tag }) => (_tag === "RetryScheduled" ? Effect.sleep("1 second") : Effect.void)
      const observed = { ...policy, bucket: Bucket, deadline: refuse("1500 millis"), observe: [slow] }
      const stopped = yield* Effect.flip(
        recording.provide(Retry.orStopped(recording.attempts(Effect.fail("busy" as const)), observed))
      )
      expect(stopped.reason._tag).toBe("DeadlinePassed")
      expect(yield* nowMillis).toBe(1000)
      expect(withoutSleeps(recording)).toEqual([
        "attempt 1",
        "bucket record 1: Transient, granted 0",
        "bucket acquire 2 after Transient within 500",
        "bucket refund 5"
      ])
    }).pipe(world)
  )

  it.effect.each([
    { how: "refuses", deadline: refuse("2 seconds"), error: "busy" },
    { how: "truncates", deadline: truncate("2 seconds", { reserve: "500 millis" }), error: "busy" },
    { how: "cuts", deadline: cut("2 seconds", { onExceeded: () => "late" as const }), error: "late" }
  ])(
    "that never returns ends at a deadline that $how, and is logged; those after it hear the event",
    ({ deadline, error }) =>
      Effect.gen(function* () {
        const lines: Array<unknown> = []
        const logger = Logger.make(({ message }) => void lines.push(message))
        const heard = Heard.make()
        const stuck: Observe.Observer = ({ _tag }) => (_tag === "RetryScheduled" ? Effect.void : Effect.never)
        const observed = { ...policy, deadline, observe: [stuck, heard.observer] }
        const failing = Effect.flip(Retry.retry(Effect.fail("busy" as const), observed))
        expect(yield* Effect.provide(failing, Logger.add(logger))).toBe(error)
        expect(heard.tags()).toEqual(["AttemptFailed", "GaveUp"])
        expect(lines).toEqual(heard.events.map(() => ["an observer did not answer before the deadline"]))
        expect(yield* nowMillis).toBe(2000)
      }).pipe(world)
  )

  it.effect("that takes longer than the deadline leaves a success as it is, and ends there", () =>
    Effect.gen(function* () {
      const slow: Observe.Observer = () => Effect.sleep("1 hour")
      for (const deadline of [
        refuse("2 seconds"),
        truncate("2 seconds", { reserve: "500 millis" }),
        cut("2 seconds")
      ]) {
        expect(yield* Retry.retry(Effect.succeed("done"), { ...policy, deadline, observe: [slow] })).toBe("done")
      }
      expect(yield* nowMillis).toBe(3 * 2000)
    }).pipe(world)
  )
})

describe("Observe.Observer law", () => {
  /** Observers that take no time. */
  const observers: ReadonlyArray<Observe.Observer> = [
    () => Effect.void,
    () => Effect.yieldNow(),
    ({ level }) => level,
    () => Effect.die("broken observer"),
    () => fault("broken observer"),
    () => Effect.interrupt,
    () => Effect.asVoid(Random.make("own").next),
    (event) => Effect.sync(() => void event.details()),
    Observe.describing(() => fault("broken description"))(Observe.logs({ AttemptFailed: LogLevel.Fatal }))
  ]

  interface Step {
    readonly ranMillis: number
    readonly fails: boolean
  }

  const steps = FastCheck.array(
    FastCheck.record({
      ranMillis: FastCheck.constantFrom(0, 1, 400, 3_000),
      fails: FastCheck.integer({ min: 0, max: 5 }).map((n) => n > 0)
    }),
    { minLength: 6, maxLength: 6 }
  )

  /** When attempts started, how and when the operation ended, and what it left of tokens and of chance. */
  const traceOf = (
    policy: Arbitraries.PlainPolicy,
    steps: ReadonlyArray<Step>,
    observed: { readonly name?: string; readonly observe?: ReadonlyArray<Observe.Observer> }
  ) =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.quota({ capacity: 40, refillPerSecond: 0.7 })
      const rateLimiter = yield* RateLimiter.fixed({ rate: 3, burst: 2 })
      const starts: Array<number> = []
      const attempt = Effect.gen(function* () {
        const step = steps[starts.length]
        starts.push(yield* nowMillis)
        yield* Effect.sleep(step?.ranMillis ?? 0)
        if (step?.fails === true) yield* Effect.fail(`busy ${starts.length}`)
      })
      const exit = yield* Effect.exit(Retry.retry(attempt, { ...policy, bucket, rateLimiter, ...observed }))
      const endedMillis = yield* nowMillis
      const levels = [yield* bucket.level, yield* rateLimiter.level]
      return { starts, exit, endedMillis, levels, nextDraw: yield* Random.next }
    }).pipe(world)

  it.effect.prop(
    "an observer that takes no time changes nothing, and neither does a name",
    [Arbitraries.policy(), steps, FastCheck.shuffledSubarray([...observers], { minLength: 1 })],
    ([policy, steps, observe]) =>
      Effect.gen(function* () {
        const plain = yield* traceOf(policy, steps, {})
        expect(yield* traceOf(policy, steps, { observe })).toEqual(plain)
        expect(yield* traceOf(policy, steps, { name: "observed", observe })).toEqual(plain)
      }),
    law(60)
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

  it.effect("reads neither clock nor chance for a success", () =>
    Effect.gen(function* () {
      const jittered = { ...policy, backoff: Policy.standard.backoff }
      expect(yield* counting(Retry.retry(Effect.succeed("done"), jittered))).toEqual({
        looks: [],
        done: Exit.succeed("done")
      })
      const observed = { ...jittered, observe: [() => Effect.void] }
      const { looks } = yield* counting(Retry.retry(Effect.succeed("done"), observed))
      expect(looks).toEqual(["clock.unsafeCurrentTimeNanos", "clock.unsafeCurrentTimeNanos"])
      const bucket = { ...TokenBucket.unlimited, record: () => Effect.yieldNow() }
      const timed = { ...jittered, attempt: Retry.CurrentAttempt, bucket }
      expect((yield* counting(Retry.retry(Effect.succeed("done"), timed))).looks).toEqual([
        "clock.unsafeCurrentTimeNanos"
      ])
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
    expect(instruction(Retry.retry(self, { ...policy, observe: [] }))).toEqual(lazy)
    const observe = [() => Effect.void]
    for (const asking of [{ name: "fetch" }, { observe }, { attemptSpan: "attempt" }]) {
      expect(instruction(Retry.retry(self, { ...policy, ...asking }))).not.toEqual(lazy)
    }
  })

  it.effect("reads neither clock nor level for a failure", () =>
    Effect.gen(function* () {
      let levels = 0
      const bucket = { ...TokenBucket.unlimited, level: Effect.sync(() => ++levels) }
      const immediate = { ...policy, backoff: Backoff.constant({ delay: 0 }), bucket }
      const attempt = Effect.fail("busy" as const)
      expect(yield* counting(Retry.retry(attempt, immediate))).toEqual({ looks: [], done: Exit.fail("busy") })
      expect(levels).toBe(0)
    }).pipe(world)
  )
})
