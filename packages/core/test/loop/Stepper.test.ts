import {
  AttemptTimeout,
  Backoff,
  type Classifier,
  Deadline,
  InvalidArgument,
  Jitter,
  type Policy,
  RateLimiter,
  Retry,
  Stepper,
  TokenBucket,
  Verdict
} from "@effect-retry/core"
import { Arbitraries, SeededRandom, VirtualClock } from "@effect-retry/testing"
import { assertType, describe, expect, expectTypeOf, it } from "@effect/vitest"
import {
  Cause,
  Chunk,
  Clock,
  Context,
  Duration,
  Effect,
  Exit,
  FastCheck,
  Fiber,
  FiberId,
  Option,
  Random,
  Schedule
} from "effect"
import * as Conserving from "./Conserving.ts"
import * as Heard from "./Heard.ts"
import * as Recording from "./Recording.ts"
import * as Stepping from "./Stepping.ts"
import { stepped } from "./Steps.ts"
import { runsOf } from "../support/Laws.ts"
import * as AtOnce from "../../src/fund/fiber/AtOnce.ts"
import * as Line from "../../src/fund/fiber/Line.ts"
import * as PolicyCheck from "../../src/loop/policy/PolicyCheck.ts"
import * as Stepped from "../../src/loop/run/Stepped.ts"

const { judge, policy, world } = Recording

type Word = Recording.Word

/** How one attempt ends, after so many milliseconds. */
interface Outcome {
  readonly ranMillis: number
  readonly end: Word | "done" | "again" | "no use" | "dies"
}

const resultVerdicts = { done: Verdict.noOpinion, again: Verdict.transient, "no use": Verdict.terminal("no use") }
type Result = keyof typeof resultVerdicts

const isResult = (end: Outcome["end"]): end is Result => Object.hasOwn(resultVerdicts, end)

/** Questions to the buckets and outcomes, for a run of its own. */
interface Funds {
  readonly bucket?: TokenBucket.TokenBucket
  readonly rateLimiter?: TokenBucket.TokenBucket
}

type Funding = (recording: Recording.Recording) => Effect.Effect<Funds>

const real = (bucket: Effect.Effect<TokenBucket.TokenBucket>, limiter: Effect.Effect<TokenBucket.TokenBucket>) =>
  Effect.zipWith(bucket, limiter, (bucket, rateLimiter) => ({ bucket, rateLimiter }))

const fundings: FastCheck.Arbitrary<Funding> = FastCheck.constantFrom<Funding>(
  () => Effect.succeed({}),
  ({ bucket }) => Effect.succeed({ bucket }),
  ({ limiter }) => Effect.succeed({ rateLimiter: limiter }),
  ({ bucket, limiter }) => Effect.succeed({ bucket, rateLimiter: limiter }),
  () => real(TokenBucket.quota({ capacity: 30 }), RateLimiter.concurrencyLimit({ limit: 1 })),
  () =>
    real(
      TokenBucket.quota({ capacity: 20, refillPerSecond: 5, whenShort: "wait", maxWait: "2 seconds" }),
      RateLimiter.fixed({ rate: 1, burst: 2, whenShort: "wait" })
    ),
  () => Effect.map(RateLimiter.serverPause({ atMost: "1 minute" }), (rateLimiter) => ({ rateLimiter }))
)

const answers: FastCheck.Arbitrary<Recording.Answer | undefined> = FastCheck.constantFrom(
  undefined,
  Conserving.yielding,
  ({ attempt }: TokenBucket.Request) => Effect.succeed(attempt < 3 ? Option.some(1) : Option.none()),
  ({ restore }: TokenBucket.Request) => Effect.as(restore(Effect.sleep("700 millis")), Option.some(2))
)

const recordings: FastCheck.Arbitrary<Recording.Script> = FastCheck.record({
  bucket: answers,
  limiter: answers,
  counts: FastCheck.boolean(),
  slow: FastCheck.constantFrom(undefined, "bucket" as const, "limiter" as const)
}).map(({ bucket, counts, limiter, slow }) => ({
  counts,
  ...(bucket && { bucket }),
  ...(limiter && { limiter }),
  ...(slow && { slow })
}))

const deadlines = Arbitraries.deadline("20 seconds").filter(
  (deadline): deadline is Exclude<typeof deadline, Deadline.Cut<unknown>> => deadline._tag !== "Cut"
)

const foreign = FastCheck.constantFrom(
  Schedule.exponential("100 millis").pipe(Schedule.jittered),
  Schedule.intersect(Schedule.fibonacci("1 second"), Schedule.recurs(3))
)

const maybe = <A>(arbitrary: FastCheck.Arbitrary<A>) => FastCheck.option(arbitrary, { nil: undefined })

const policies = FastCheck.record({
  name: maybe(FastCheck.constant("fetch")),
  whenNested: maybe(FastCheck.constantFrom("retry" as const, "standDown" as const)),
  maxAttempts: FastCheck.oneof(FastCheck.integer({ min: 1, max: 6 }), FastCheck.constant(Infinity)),
  attemptsByKind: maybe(FastCheck.constant({ Throttling: 2 })),
  backoff: FastCheck.oneof(
    { arbitrary: Arbitraries.backoff("2 seconds"), weight: 4 },
    { arbitrary: foreign, weight: 1 }
  ),
  hint: maybe(Arbitraries.hint("3 seconds")),
  deadline: maybe(deadlines)
})

const vocabulary: ReadonlyArray<Outcome["end"]> = [
  ...Recording.words,
  "busy",
  "busy",
  "slow down",
  "come back later",
  "done",
  "again",
  "again",
  "no use",
  "dies"
]

const scripts = FastCheck.array(
  FastCheck.record({ ranMillis: FastCheck.constantFrom(0, 0, 300, 5_000), end: FastCheck.constantFrom(...vocabulary) }),
  { maxLength: 8 }
)

const more = FastCheck.record({
  observed: FastCheck.boolean(),
  judged: FastCheck.boolean(),
  released: FastCheck.boolean(),
  nested: FastCheck.boolean(),
  readsTime: FastCheck.boolean()
})

type Attempt = Effect.Effect<Result, Word>

/** Writes down each look at the clock. */
const looking = <A, E, R>(self: Effect.Effect<A, E, R>, lines: Array<string>) =>
  Effect.clockWith((clock) =>
    Effect.withClock(self, {
      ...clock,
      [Clock.ClockTypeId]: Clock.ClockTypeId,
      unsafeCurrentTimeNanos: () => {
        lines.push("look")
        return clock.unsafeCurrentTimeNanos()
      }
    })
  )

interface Story {
  readonly policy: typeof policies extends FastCheck.Arbitrary<infer P> ? P : never
  readonly outcomes: ReadonlyArray<Outcome>
  readonly more: typeof more extends FastCheck.Arbitrary<infer M> ? M : never
  readonly funding: Funding
  readonly recorded: Recording.Script
  readonly seed: number
}

/** Everything that can be seen of an operation from outside. */
const traced = (
  { funding, more, outcomes, policy, recorded, seed }: Story,
  run: (attempt: Attempt, policy: Policy.Fields<Word, Result>) => Effect.Effect<Result, unknown>
) =>
  Effect.gen(function* () {
    const recording = Recording.make(recorded)
    const { lines } = recording
    const heard = Heard.make()
    const funds = yield* funding(recording)
    const starts: Array<number> = []
    const attempt: Attempt = Effect.suspend(() => {
      const { end, ranMillis } = outcomes[starts.length] ?? { end: "done", ranMillis: 0 }
      lines.push(`attempt ${starts.length + 1}`)
      const ended: Attempt = isResult(end) ? Effect.succeed(end) : end === "dies" ? Effect.die(end) : Effect.fail(end)
      const noted = Effect.map(VirtualClock.now, (now) => void starts.push(Duration.toMillis(now)))
      return Effect.zipRight(noted, ranMillis > 0 ? Effect.delay(ended, ranMillis) : ended)
    }).pipe(Effect.provide(yield* Effect.context<VirtualClock.VirtualClock>()))
    const classifier: Classifier.Classifier<Word> = more.readsTime
      ? (word, { attempt, elapsed, nowMillis }) => {
          lines.push(`judges ${attempt} at ${nowMillis} after ${Duration.toMillis(elapsed)}`)
          return judge(word)
        }
      : judge
    const whole = {
      ...policy,
      ...funds,
      classifier,
      ...(more.observed && { observe: [heard.observer] }),
      ...(more.judged && { result: (result: Result) => resultVerdicts[result] }),
      ...(more.released && {
        release: (failed: unknown, because: string) => recording.note(`release ${String(failed)}: ${because}`)
      })
    }
    const operation = recording.provide(looking(run(attempt, whole), lines))
    // Where the operation is nested, it runs in the second attempt of another one.
    let around = 0
    const nested = Retry.retry(
      Effect.suspend(() => ((around += 1) < 2 ? Effect.fail("busy" as const) : Effect.exit(operation))),
      { ...Recording.policy, name: "outer" }
    )
    const exit = yield* more.nested ? nested : Effect.exit(operation)
    const level = funds.bucket === undefined ? 0 : yield* funds.bucket.level
    const limit = funds.rateLimiter === undefined ? 0 : yield* funds.rateLimiter.level
    return { lines, starts, exit: plainExit(exit), events: heard.events, level, limit, drawnNext: yield* Random.next }
  }).pipe(Effect.provide(SeededRandom.layer(seed)), VirtualClock.run)

/** An exit without the stacks of its defects and errors. */
const plainExit = <A>(exit: Exit.Exit<A, unknown>) =>
  Exit.match(exit, {
    onFailure: (cause) => ({
      failures: Chunk.toReadonlyArray(Cause.failures(cause)).map(String),
      defects: Chunk.toReadonlyArray(Cause.defects(cause)).map(String)
    }),
    onSuccess: (value) => ({ value })
  })

describe("Stepper", () => {
  it.effect.prop(
    "makes the attempts of Retry.retry at the same times, with the same events, draws, levels, looks at the clock and end",
    [policies, scripts, more, fundings, recordings, FastCheck.nat()],
    ([policy, outcomes, more, funding, recorded, seed]) =>
      Effect.gen(function* () {
        const story = { policy, outcomes, more, funding, recorded, seed }
        const whole = yield* traced(story, (attempt, policy) =>
          Retry.retry(attempt, policy as Stepper.Steppable as never)
        )
        const byHand = yield* traced(story, (attempt, policy) => stepped(attempt, policy as never))
        expect(byHand).toEqual(whole)
      }),
    { fastCheck: { seed: 11, numRuns: runsOf(400) } }
  )
})

const failing = { ...policy, maxAttempts: 3 }

/** A limit of concurrency that has room for one. */
const limited = RateLimiter.concurrencyLimit({ limit: 1 })

describe("Stepper attempts", () => {
  it.effect("tell their number, the wait that led to them, and the time left until the deadline", () =>
    Effect.gen(function* () {
      const stepper = yield* Stepper.make({ ...failing, deadline: Deadline.refuse("10 seconds") })
      yield* Effect.sleep("1 hour")
      const first = yield* stepper.begin
      const second = yield* stepper.failed(first, "busy")
      yield* Effect.sleep("3 seconds")
      const left = yield* second.timeLeft
      expect([first.number, second.number]).toEqual([1, 2])
      expect([first.delay, second.delay].map(Duration.toMillis)).toEqual([0, 1_000])
      expect(Option.map(left, Duration.toMillis)).toEqual(Option.some(6_000))
      expect(yield* (yield* begun(failing)).attempt.timeLeft).toEqual(Option.none())
    }).pipe(world)
  )

  it.effect("end with the last error, cause and all", () =>
    Effect.gen(function* () {
      const { attempt, stepper } = yield* begun({ ...policy, maxAttempts: 1 })
      const cause = Cause.sequential(Cause.fail("busy" as const), Cause.interrupt(FiberId.none))
      expect(yield* Effect.exit(stepper.failedCause(attempt, cause))).toEqual(Exit.failCause(cause))
    })
  )

  it.effect("go on after a result that the policy judges as a failure, and end with the last one", () =>
    Effect.gen(function* () {
      const { attempt, stepper } = yield* begun({ ...policy, maxAttempts: 2, result: () => Verdict.transient })
      const second = yield* stepper.succeeded(attempt, "again")
      expect(Option.map(second, ({ number }) => number)).toEqual(Option.some(2))
      expect(yield* stepper.succeeded(Option.getOrThrow(second), "again")).toEqual(Option.none())
    }).pipe(world)
  )

  it.effect("belong to operations of their own, one for each run of the effect", () =>
    Effect.gen(function* () {
      const make = Stepper.make({ ...policy, maxAttempts: 2 })
      const operation = Effect.gen(function* () {
        const stepper = yield* make
        const second = yield* stepper.failed(yield* stepper.begin, "busy")
        yield* Effect.flip(stepper.failed(second, "busy"))
        return Duration.toMillis(yield* VirtualClock.now)
      })
      expect(yield* Effect.all([operation, operation], { concurrency: "unbounded" })).toEqual([1_000, 1_000])
    }).pipe(world)
  )

  it.effect("have the services of the effect that made the stepper, in whichever fiber a step runs", () =>
    Effect.gen(function* () {
      const keys: Array<string> = []
      const bucket: TokenBucket.TokenBucket = {
        ...TokenBucket.unlimited,
        acquire: (request) =>
          Effect.flatMap(TokenBucket.Key, (key) => {
            keys.push(key)
            return TokenBucket.unlimited.acquire(request)
          })
      }
      const backoff = Backoff.jittered(policy.backoff, Jitter.full)
      const make = Stepper.make({ ...policy, backoff, bucket: Recording.Bucket })
      const stepper = yield* make.pipe(
        Effect.provideService(TokenBucket.Key, "orders"),
        Effect.provideService(Recording.Bucket, bucket),
        Effect.withRandom(Random.fixed([0.25]))
      )
      const attempt = yield* stepper.begin
      const second = yield* Effect.fork(
        Effect.provideService(stepper.failed(attempt, "busy"), TokenBucket.Key, "customers")
      )
      expect(Duration.toMillis((yield* Fiber.join(second)).delay)).toBe(250)
      expect(keys).toEqual(["orders"])
    }).pipe(world)
  )
})

/** A stepper whose first attempt is permitted. */
const begun = <P extends Stepper.Steppable>(policy: Policy.Checked<P>) =>
  Effect.flatMap(Stepper.make(policy), (stepper) => Effect.map(stepper.begin, (attempt) => ({ stepper, attempt })))

const refusal = (self: Effect.Effect<unknown, unknown>) =>
  Effect.map(Effect.exit(self), (exit) =>
    Option.match(Option.flatMap(Exit.causeOption(exit), Cause.dieOption), {
      onNone: () => "not refused",
      onSome: (defect) => (defect instanceof InvalidArgument.InvalidArgument ? defect.message : "another defect")
    })
  )

describe("Stepper answers", () => {
  const answered = "attempt must be the running one, whose outcome is reported once"

  it.effect("count once for an attempt: another one is refused, and no bucket hears of it", () =>
    Effect.gen(function* () {
      const recording = Recording.make({ counts: true })
      const { attempt, stepper } = yield* begun({
        ...failing,
        bucket: recording.bucket,
        rateLimiter: recording.limiter
      })
      const second = yield* stepper.failed(attempt, "busy")
      const lines = [...recording.lines]
      expect(yield* refusal(stepper.failed(attempt, "busy"))).toContain(`Stepper.failed: ${answered}`)
      expect(yield* refusal(stepper.failedCause(attempt, Cause.fail("busy")))).toContain(
        `Stepper.failedCause: ${answered}`
      )
      expect(yield* refusal(stepper.succeeded(attempt, "done"))).toContain(`Stepper.succeeded: ${answered}`)
      expect(recording.lines).toEqual(lines)
      expect(yield* stepper.succeeded(second, "done")).toEqual(Option.none())
      expect(yield* refusal(stepper.succeeded(second, "done"))).toContain(answered)
      const { granted, refunded, spent } = recording.ledgers.bucket
      expect([granted, refunded, spent]).toEqual([5, 0, 5])
    }).pipe(world)
  )

  it.effect("are refused while the wait after the first one runs, which goes on", () =>
    Effect.gen(function* () {
      const { attempt, stepper } = yield* begun(failing)
      const waiting = yield* Effect.fork(stepper.failed(attempt, "busy"))
      yield* Effect.sleep("500 millis")
      expect(yield* refusal(stepper.failed(attempt, "busy"))).toContain(answered)
      expect((yield* Fiber.join(waiting)).number).toBe(2)
    }).pipe(world)
  )

  it.effect("are refused for the attempt of another operation, and for none", () =>
    Effect.gen(function* () {
      const { attempt } = yield* begun(failing)
      const { attempt: own, stepper } = yield* begun(failing)
      expect(yield* refusal(stepper.failed(attempt, "busy"))).toContain(answered)
      yield* stepper.succeeded(own, "done")
      expect(yield* refusal(stepper.failed(undefined as never, "busy"))).toContain(answered)
    })
  )

  it.effect("are refused before the operation begins", () =>
    Effect.gen(function* () {
      const { attempt } = yield* begun(failing)
      const stepper = yield* Stepper.make(failing)
      expect(yield* refusal(stepper.failed(attempt, "busy"))).toContain(answered)
    })
  )

  it.effect("begin once", () =>
    Effect.gen(function* () {
      const { stepper } = yield* begun(failing)
      expect(yield* refusal(stepper.begin)).toBe('Stepper: begin must be run once, and before abandon, got "begun"')
    })
  )
})

describe("Stepper abandoned", () => {
  const room = (limiter: TokenBucket.TokenBucket) =>
    Effect.map(Stepper.make({ ...failing, rateLimiter: limiter }), ({ begin }) => begin)

  it.effect("before it begins, does not begin any more", () =>
    Effect.gen(function* () {
      const stepper = yield* Stepper.make(failing)
      yield* stepper.abandon
      expect(yield* refusal(stepper.begin)).toContain('got "abandoned"')
    })
  )

  it.effect("in an attempt, frees its place in a limit of concurrency, and takes no answer", () =>
    Effect.gen(function* () {
      const limiter = yield* limited
      const { attempt, stepper } = yield* begun({ ...failing, rateLimiter: limiter })
      const other = yield* Effect.fork(yield* room(limiter))
      yield* Effect.yieldNow()
      expect(other.unsafePoll()).toBe(null)
      yield* stepper.abandon
      expect((yield* Fiber.join(other)).number).toBe(1)
      expect(yield* refusal(stepper.failed(attempt, "busy"))).toContain("reported once")
    }).pipe(world)
  )

  it.effect("in a wait, gives back what the retry has paid, and permits no attempt", () =>
    Effect.gen(function* () {
      const recording = Recording.make({ counts: true })
      const { bucket, limiter } = recording
      const { attempt, stepper } = yield* begun({ ...failing, bucket, rateLimiter: limiter })
      const waiting = yield* Effect.fork(stepper.failed(attempt, "busy"))
      yield* Effect.sleep("500 millis")
      yield* stepper.abandon
      const { granted, refunded } = recording.ledgers.bucket
      expect([granted, refunded]).toEqual([5, 5])
      expect(Exit.isInterrupted(yield* Fiber.await(waiting))).toBe(true)
      expect(recording.ledgers.limiter).toEqual({ granted: 2, refunded: 1, spent: 1 })
    }).pipe(world)
  )

  it.effect("in a wait that is interrupted, gives back what the retry has paid", () =>
    Effect.gen(function* () {
      const recording = Recording.make()
      const { attempt, stepper } = yield* begun({ ...failing, bucket: recording.bucket })
      const waiting = yield* Effect.fork(stepper.failed(attempt, "busy"))
      yield* Effect.sleep("500 millis")
      yield* Fiber.interrupt(waiting)
      expect(recording.ledgers.bucket).toEqual({ granted: 5, refunded: 5, spent: 0 })
      yield* stepper.abandon
      expect(recording.ledgers.bucket.refunded).toBe(5)
    }).pipe(world)
  )

  it.effect("in an attempt that left something open, releases nothing; after its failure, releases it once", () =>
    Effect.gen(function* () {
      const released: Array<string> = []
      const release = (failed: unknown, because: string) =>
        Effect.sync(() => void released.push(`${String(failed)}: ${because}`))
      const { attempt, stepper } = yield* begun({ ...failing, release })
      const second = yield* stepper.failed(attempt, "busy")
      yield* stepper.abandon
      expect(second.number).toBe(2)
      expect(released).toEqual(["busy: Retried"])
    }).pipe(world)
  )

  it.effect("after its end, changes nothing", () =>
    Effect.gen(function* () {
      const recording = Recording.make({ counts: true })
      const { attempt, stepper } = yield* begun({ ...failing, bucket: recording.bucket })
      yield* stepper.succeeded(attempt, "done")
      const lines = [...recording.lines]
      yield* stepper.abandon
      yield* stepper.abandon
      expect(recording.lines).toEqual(lines)
    })
  )
})

/** The bounds of the table have no timeout, and no deadline that cuts. */
type Unbounded = Conserving.Run & { readonly attemptTimeout?: undefined; readonly deadline?: Deadline.Deadline }

describe("Stepper conservation of tokens", () => {
  const bounds = Conserving.bounds.slice(0, 2)
  const table = Conserving.scripts.flatMap((script) =>
    bounds.flatMap((bound) => Conserving.attempted.map((attempt) => ({ ...script, ...bound, ...attempt })))
  )

  it.each(table)("holds before every step when $name, under $bound, and the attempt $attempt", (operation) => {
    const { found, runs } = Conserving.everywhere({
      ...operation,
      mayMissOne: true,
      run: (attempt, policy) => stepped(attempt, policy as Unbounded)
    })
    expect(found).toEqual([])
    expect(runs).toBeGreaterThan(20)
  })
})

/** An operation without a stepper around, and its first attempt, which fails. */
const onceFailed = (policy: Policy.Any, keep: (own: Stepped.Stepped) => void): Effect.Effect<unknown, unknown> =>
  Line.withFiber((fiber, { runtimeFlags }) => {
    const own = Stepped.make(PolicyCheck.prepare("test", policy), Line.snapshot(fiber), runtimeFlags)
    keep(own)
    const failed = Effect.suspend(() => Stepped.failed(own, Cause.fail("busy")))
    return Effect.zipRight(Stepped.begin(own), failed) as Effect.Effect<unknown, unknown>
  })

describe("Stepped", () => {
  const { bucket, limiter } = Recording.make()

  it.each<{ readonly what: string; readonly more: Partial<Policy.Any> }>([
    { what: "a grant of the bucket", more: { bucket } },
    { what: "a grant of the rate limiter", more: { rateLimiter: limiter } }
  ])("never holds $what after an interruption, whichever step that comes before", ({ more }) => {
    const found: Array<number> = []
    const runs = Stepping.everywhere(() => {
      let own: Stepped.Stepped | undefined
      return {
        self: onceFailed({ ...failing, ...more }, (made) => (own = made)),
        check: (_, at) => {
          if (own?.op.bucket?.held !== undefined || own?.op.rateLimiter?.held !== undefined) found.push(at)
        }
      }
    })
    expect(found).toEqual([])
    expect(runs).toBeGreaterThan(10)
  })

  it("releases once what a reported attempt left open, if it is interrupted and abandoned, before whichever step", () => {
    let reported = 0
    Stepping.everywhere(() => {
      const released: Array<unknown> = []
      const release = (error: unknown) => Effect.sync(() => void released.push(error))
      let own: Stepped.Stepped | undefined
      return {
        self: onceFailed({ ...failing, release }, (made) => (own = made)),
        check: (_, at) => {
          if (own === undefined || (own.op.open === undefined && released.length === 0)) return
          reported += 1
          Effect.runSync(Stepped.abandon(own))
          expect([at, released]).toEqual([at, ["busy"]])
        }
      }
    })
    expect(reported).toBeGreaterThan(3)
  })

  it.effect("ends at once when it is interrupted in a wait", () =>
    Effect.gen(function* () {
      const waiting = yield* Effect.fork(onceFailed({ ...failing, bucket }, () => undefined))
      yield* Effect.sleep("500 millis")
      yield* Fiber.interrupt(waiting)
      expect(yield* Recording.nowMillis).toBe(500)
    }).pipe(world)
  )

  it.effect("has begun within the step if there is no service to call", () =>
    Line.withFiber((fiber, { runtimeFlags }) => {
      const begin = (policy: Policy.Any) =>
        Stepped.begin(
          Stepped.make(PolicyCheck.prepare("test", policy), Line.snapshot(fiber), runtimeFlags)
        ) as Effect.Effect<unknown, unknown>
      expect(AtOnce.hasEnded(begin(failing))).toBe(true)
      expect(AtOnce.hasEnded(begin({ ...failing, rateLimiter: limiter }))).toBe(false)
      return Effect.void
    })
  )
})

describe("Stepper policies", () => {
  it.each<{ readonly field: string; readonly more: Partial<Policy.Any> }>([
    { field: "attempt", more: { attempt: Retry.CurrentAttempt } },
    { field: "attemptSpan", more: { attemptSpan: "attempt" } },
    { field: "attemptTimeout", more: { attemptTimeout: AttemptTimeout.constant("1 second") } },
    { field: "deadline", more: { deadline: Deadline.cut("1 second") } },
    { field: "maxAttempts", more: { maxAttempts: 0 } }
  ])("are refused for their field $field", ({ field, more }) => {
    const make = () => Stepper.make({ ...policy, ...more } as typeof policy)
    expect(make).toThrow(InvalidArgument.InvalidArgument)
    expect(make).toThrow(`Stepper.make: ${field} must be`)
  })

  it("show in the type what they judge, what they add and what they need", () => {
    class Own extends Context.Tag("test/Own")<Own, TokenBucket.TokenBucket>() {}
    expectTypeOf(() => Stepper.make(policy)).returns.toEqualTypeOf<Effect.Effect<Stepper.Stepper<Word, unknown>>>()
    expectTypeOf(() =>
      Stepper.make({ ...policy, bucket: Own, rateLimiter: TokenBucket.unlimited })
    ).returns.toEqualTypeOf<Effect.Effect<Stepper.Stepper<Word, unknown, Retry.AttemptRefused>, never, Own>>()
    const judging = { ...policy, result: (result: "done" | "again") => resultVerdicts[result] }
    expectTypeOf(() => Stepper.make(judging)).returns.toEqualTypeOf<
      Effect.Effect<Stepper.Stepper<Word, "done" | "again">>
    >()
    assertType<ReadonlyArray<() => unknown>>([
      // @ts-expect-error another library makes the attempts
      () => Stepper.make({ ...policy, attemptTimeout: AttemptTimeout.constant("1 second") }),
      // @ts-expect-error a deadline that cuts interrupts attempts
      () => Stepper.make({ ...policy, deadline: Deadline.cut("1 second") }),
      // @ts-expect-error a misspelt field
      () => Stepper.make({ ...policy, maxAttempt: 3 })
    ])
  })

  it.effect("fail with this error when they allow no further attempt", () =>
    Effect.gen(function* () {
      const { attempt, stepper } = yield* begun({ ...policy, rateLimiter: TokenBucket.unlimited })
      const failed = stepper.failed(attempt, "bad request")
      expectTypeOf(failed).toEqualTypeOf<Effect.Effect<Stepper.Attempt, "bad request" | Retry.AttemptRefused>>()
      expect(yield* Effect.exit(failed)).toEqual(Exit.fail("bad request"))
    })
  )
})
