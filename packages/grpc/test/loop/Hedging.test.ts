import { Classifier, Observe, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { GrpcRetry, Hedging, Throttle } from "@effect-retry/grpc"
import { Expect, Timeline, VirtualClock } from "@effect-retry/testing"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import {
  Cause,
  type Clock,
  Context,
  Data,
  Duration,
  Effect,
  Exit,
  Fiber,
  FiberRef,
  Logger,
  Option,
  pipe,
  Ref
} from "effect"
import { CallFailed, configOf, failure, method, unavailable } from "../support/Calls.ts"

class Fatal extends Data.TaggedError("Fatal")<{ readonly attempt: number }> {}
class Passing extends Data.TaggedError("Passing")<{
  readonly attempt: number
  readonly pushback?: Duration.DurationInput | undefined
}> {}

const classifier: Classifier.Classifier = Classifier.fromTags({
  Fatal: Verdict.terminal("it is fatal"),
  Passing: ({ pushback }: Passing) => Verdict.retryable("Transient", { hint: pushback })
})

const policy = { classifier, maxAttempts: 4, hedgingDelay: "500 millis" } satisfies Hedging.Policy<Fatal | Passing>

/** What an attempt does, by its number; attempts that are not listed hang. */
type Script = { readonly [attempt: number]: Ends }
type Ends = readonly [afterMillis: number, end: "succeed" | "fatal" | "pass", pushback?: Duration.DurationInput]

const play =
  (script: Script) =>
  (attempt: number): Effect.Effect<number, Fatal | Passing> => {
    const [after, end, pushback] = script[attempt] ?? []
    if (after === undefined) return Timeline.attempt(Effect.never)
    const ended =
      end === "succeed"
        ? Effect.succeed(attempt)
        : Effect.fail(end === "fatal" ? new Fatal({ attempt }) : new Passing({ attempt, pushback }))
    return Timeline.attempt(after === 0 ? ended : Effect.delay(ended, after))
  }

const recorded = (script: Script, changes: Partial<typeof policy & Hedging.Policy<Fatal | Passing>> = {}) =>
  Timeline.record(Hedging.run(play(script), { ...policy, ...changes }))

const passing = (attempt: number, pushback?: Duration.DurationInput) => Exit.fail(new Passing({ attempt, pushback }))

/** How the attempts ended, in the order of starting. */
const outcomes = (timeline: Timeline.Timeline) => Timeline.attempts(timeline).map(({ outcome }) => outcome)

// https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Hedging Policy", and for one case
// grpc-java 5fda0c7, RetriableStreamTest.java, whose hedge after a failure comes at the delay, and here at once.
describe("Hedging.run", () => {
  it.effect.each<{
    name: string
    script: Script
    changes?: Partial<Hedging.Policy<Fatal | Passing>>
    starts: ReadonlyArray<number>
    exit: Exit.Exit<number, Fatal | Passing>
    at: number
  }>([
    {
      name: "sends attempts at the delay until one succeeds",
      script: { 4: [2_000, "succeed"] },
      starts: [0, 500, 1_000, 1_500],
      exit: Exit.succeed(4),
      at: 3_500
    },
    {
      name: "takes the first success, whichever attempt has it",
      script: { 1: [1_200, "succeed"], 2: [100, "succeed"] },
      starts: [0, 500],
      exit: Exit.succeed(2),
      at: 600
    },
    {
      name: "sends one attempt where it succeeds before the delay",
      script: { 1: [499, "succeed"] },
      starts: [0],
      exit: Exit.succeed(1),
      at: 499
    },
    {
      name: "sends all attempts at once without a delay",
      script: { 3: [10, "succeed"] },
      changes: { hedgingDelay: 0 },
      starts: [0, 0, 0, 0],
      exit: Exit.succeed(3),
      at: 10
    },
    {
      name: "sends the next attempt at once after a failure that is not fatal, and goes on at the delay",
      script: { 1: [200, "pass"], 4: [1, "succeed"] },
      starts: [0, 200, 700, 1_200],
      exit: Exit.succeed(4),
      at: 1_201
    },
    {
      name: "sends one attempt for each failure, and one at the delay",
      script: { 2: [200_001, "pass"], 6: [1, "succeed"] },
      changes: { hedgingDelay: "100 seconds", maxAttempts: 6 },
      starts: [0, 100_000, 200_000, 300_000, 300_001, 400_001],
      exit: Exit.succeed(6),
      at: 400_002
    },
    {
      name: "ends with a fatal failure",
      script: { 2: [100, "fatal"] },
      starts: [0, 500],
      exit: Exit.fail(new Fatal({ attempt: 2 })),
      at: 600
    },
    {
      name: "ends with the last failure when all attempts have failed",
      script: { 1: [900, "pass"], 2: [0, "pass"], 3: [0, "pass"], 4: [0, "pass"] },
      starts: [0, 500, 500, 500],
      exit: passing(1),
      at: 900
    },
    {
      name: "waits for a pushback, and goes on at the delay after it",
      script: { 1: [100, "pass", "2 seconds"], 4: [1, "succeed"] },
      starts: [0, 2_100, 2_600, 3_100],
      exit: Exit.succeed(4),
      at: 3_101
    },
    {
      name: "does not undercut a pushback by another failure",
      script: { 1: [600, "pass", "2 seconds"], 2: [200, "pass"], 3: [1, "succeed"] },
      starts: [0, 500, 2_600],
      exit: Exit.succeed(3),
      at: 2_601
    },
    {
      name: "sends none after an endless pushback, and waits for those that run",
      script: { 1: [600, "pass", Infinity], 2: [5_000, "succeed"] },
      starts: [0, 500],
      exit: Exit.succeed(2),
      at: 5_500
    },
    {
      name: "ends at an endless pushback where none runs",
      script: { 1: [100, "pass", Infinity] },
      starts: [0],
      exit: passing(1, Infinity),
      at: 100
    },
    {
      name: "sends none at the limit of time",
      script: { 1: [100, "pass", "600 millis"] },
      changes: { sendWithin: "700 millis" },
      starts: [0],
      exit: passing(1, "600 millis"),
      at: 100
    },
    {
      name: "lets running attempts continue beyond the limit of time",
      script: { 2: [9_000, "succeed"] },
      changes: { sendWithin: "501 millis" },
      starts: [0, 500],
      exit: Exit.succeed(2),
      at: 9_500
    },
    {
      name: "waits longer than a timer of the platform holds",
      script: { 2: [0, "succeed"] },
      changes: { hedgingDelay: "90 days" },
      starts: [0, 7_776_000_000],
      exit: Exit.succeed(2),
      at: 7_776_000_000
    },
    {
      name: "makes one attempt where there may be one",
      script: { 1: [7, "pass"] },
      changes: { maxAttempts: 1 },
      starts: [0],
      exit: passing(1),
      at: 7
    }
  ])("$name", ({ at, changes, exit, script, starts }) =>
    Effect.gen(function* () {
      const timeline = yield* recorded(script, changes as Partial<typeof policy>)
      expect(Timeline.startsMillis(timeline)).toEqual(starts)
      expect(timeline.exit).toEqual(exit)
      expect(Duration.toMillis(timeline.elapsed)).toBe(at)
      const own = Timeline.attempts(timeline).filter(({ outcome }) => outcome !== "interrupted")
      expect(own.map(({ number }) => String(number))).toEqual(
        Object.entries(script)
          .filter(([number, [after]]) => starts[Number(number) - 1]! + after <= at)
          .map(([number]) => number)
      )
      expect(yield* VirtualClock.sleepers).toBe(0)
    }).pipe(VirtualClock.run)
  )

  it.effect("has as many attempts running as the text says", () =>
    Effect.gen(function* () {
      const running = yield* Ref.make(0)
      const call = () =>
        Effect.zipRight(
          Ref.update(running, (n) => n + 1),
          Effect.never
        )
      const fiber = yield* Effect.fork(Hedging.run(call, policy))
      const seen: Array<readonly [number, number]> = []
      for (const wait of [1, 500, 500, 500, 5_000]) {
        yield* Effect.sleep(wait)
        seen.push([Duration.toMillis(yield* VirtualClock.now), yield* Ref.get(running)])
      }
      expect(seen.map(([, count]) => count)).toEqual([1, 2, 3, 4, 4])
      expect(seen.slice(0, 4).map(([at]) => at)).toEqual([1, 501, 1_001, 1_501])
      yield* Fiber.interrupt(fiber)
    }).pipe(VirtualClock.run)
  )

  it.effect("ends when the others have ended, finalizers and all", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const call = (attempt: number) =>
        attempt === 2
          ? Effect.succeed("second")
          : Effect.onInterrupt(Effect.never, () =>
              Effect.delay(
                Effect.sync(() => log.push(`closed ${attempt}`)),
                "3 seconds"
              )
            )
      const answer = yield* Hedging.run(call, policy)
      expect([answer, log, Duration.toMillis(yield* VirtualClock.now)]).toEqual(["second", ["closed 1"], 3_500])
    }).pipe(VirtualClock.run)
  )

  it.effect.each([
    { name: "waits for an attempt that cannot be interrupted", disconnected: false, at: 60_000 },
    { name: "goes on without one that is disconnected", disconnected: true, at: 500 }
  ])("$name", ({ at, disconnected }) =>
    Effect.gen(function* () {
      const stubborn = Effect.uninterruptible(Effect.delay(Effect.succeed("first"), "1 minute"))
      const call = (attempt: number) =>
        attempt === 2 ? Effect.succeed("second") : disconnected ? Effect.disconnect(stubborn) : stubborn
      expect(yield* Hedging.run(call, policy)).toBe("second")
      expect(Duration.toMillis(yield* VirtualClock.now)).toBe(at)
    }).pipe(VirtualClock.run)
  )

  it.effect("hands back the FiberRefs of the success, and of no other attempt", () =>
    Effect.gen(function* () {
      const ref = FiberRef.unsafeMake("none")
      const call = (attempt: number) =>
        Effect.zipRight(FiberRef.set(ref, `attempt ${attempt}`), attempt === 2 ? Effect.void : Effect.never)
      yield* Hedging.run(call, policy)
      expect(yield* FiberRef.get(ref)).toBe("attempt 2")
    }).pipe(Effect.scoped, VirtualClock.run)
  )

  it.effect("interrupts all attempts and leaves no fiber when it is interrupted", () =>
    Effect.gen(function* () {
      const timeline = yield* Timeline.record(Effect.timeoutOption(Hedging.run(play({}), policy), "1100 millis"))
      expect(outcomes(timeline)).toEqual(["interrupted", "interrupted", "interrupted"])
      expect(Duration.toMillis(timeline.elapsed)).toBe(1_100)
      expect(yield* VirtualClock.sleepers).toBe(0)
    }).pipe(VirtualClock.run)
  )

  it.effect.each<{
    name: string
    end: Effect.Effect<never, Passing>
    check: (cause: Cause.Cause<unknown>) => boolean
  }>([
    { name: "a defect", end: Effect.die("broken"), check: Cause.isDie },
    {
      name: "a defect beside a failure",
      end: Effect.failCause(Cause.parallel(Cause.fail(new Passing({ attempt: 2 })), Cause.die("broken"))),
      check: Cause.isDie
    },
    { name: "an attempt that interrupts itself", end: Effect.interrupt, check: Cause.isInterrupted }
  ])("passes $name through, and interrupts the others", ({ check, end }) =>
    Effect.gen(function* () {
      const timeline = yield* Timeline.record(
        Hedging.run((attempt) => Timeline.attempt(attempt === 2 ? end : Effect.never), policy)
      )
      expect(Exit.isFailure(timeline.exit) && check(timeline.exit.cause)).toBe(true)
      expect(Timeline.attempts(timeline)[0]?.outcome).toBe("interrupted")
      expect(Timeline.startsMillis(timeline)).toEqual([0, 500])
    }).pipe(VirtualClock.run)
  )

  it.effect("sets no timer that is longer than the platform holds", () =>
    Effect.gen(function* () {
      const clock = yield* Effect.clock
      const slept: Array<number> = []
      const listening: Clock.Clock = {
        ...clock,
        unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis(),
        unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos(),
        sleep: (duration) => {
          slept.push(Duration.toMillis(duration))
          return clock.sleep(duration)
        }
      }
      const hedged = Hedging.run((attempt) => (attempt === 2 ? Effect.void : Effect.never), {
        ...policy,
        maxAttempts: 2,
        hedgingDelay: "30 days"
      })
      yield* Effect.withClock(hedged, listening)
      expect(slept).toEqual([2_147_483_647, 2_592_000_000 - 2_147_483_647])
    }).pipe(VirtualClock.run)
  )

  it.effect("turns a call that throws into a defect", () =>
    Effect.gen(function* () {
      const throws = (): Effect.Effect<never> => {
        throw new TypeError("broken")
      }
      const exit = yield* Effect.exit(Hedging.run(throws, policy))
      expect(Exit.isFailure(exit) && Cause.isDie(exit.cause)).toBe(true)
    }).pipe(VirtualClock.run)
  )

  it.effect("ends with an error that the classifier does not know", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(
        Hedging.run(() => Effect.fail("a text"), { ...policy, classifier: () => Verdict.noOpinion })
      )
      expect(exit).toEqual(Exit.fail("a text"))
    }).pipe(VirtualClock.run)
  )

  it.effect("dies of a classifier that answers no verdict or throws, and keeps the error", () =>
    Effect.gen(function* () {
      const raise = () => {
        throw new Error("bug")
      }
      for (const classifier of [() => true, raise] as unknown as ReadonlyArray<Classifier.Classifier>) {
        const exit = yield* Effect.exit(Hedging.run(() => Effect.fail("busy"), { ...policy, classifier }))
        const died = Option.flatMap(Exit.causeOption(exit), Cause.dieOption)
        expect(died).toMatchObject({
          value: { owner: "Hedging.run", field: "classifier", cause: { original: "busy" } }
        })
      }
    }).pipe(VirtualClock.run)
  )

  it.effect("tells the classifier when and in which attempt a failure came", () =>
    Effect.gen(function* () {
      const moments: Array<readonly [number, number]> = []
      yield* Effect.flip(
        Hedging.run(play({ 1: [1_200, "pass"], 2: [100, "pass"], 3: [1, "pass"], 4: [2, "fatal"] }), {
          ...policy,
          classifier: (error, { attempt, elapsed }) => {
            moments.push([attempt, Duration.toMillis(elapsed)])
            return error._tag === "Fatal" ? Verdict.terminal("it is fatal") : Verdict.transient
          }
        })
      )
      expect(moments).toEqual([
        [2, 600],
        [3, 601],
        [4, 603]
      ])
    }).pipe(VirtualClock.run)
  )

  it.each<[string, unknown, string]>([
    ["maxAttempts", 0, "maxAttempts must be a whole number >= 1, got 0"],
    ["maxAttempts", Infinity, "maxAttempts must be a whole number >= 1, got Infinity"],
    ["hedgingDelay", -1, "hedgingDelay must be a finite duration >= 0, got -1"],
    ["sendWithin", "soon", 'sendWithin must be a finite duration >= 0, got "soon"'],
    ["classifier", "always", 'classifier must be a function from error to verdict, got "always"'],
    ["observe", [7], "observe must be an array of observers, such as [Observe.logs(), Observe.metrics], got [7]"],
    ["bucket", {}, "bucket must be a TokenBucket or a Context.Tag of one, got an object"]
  ])("refuses a policy with the %s %o", (field, value, message) => {
    const wrong = { ...policy, [field]: value }
    expect(() => Hedging.run(play({}), wrong)).toThrow(`Hedging.run: ${message}`)
    expect(() => Hedging.run(wrong)).toThrow(`Hedging.run: ${message}`)
  })

  it.each<[name: string, run: () => unknown, message: string]>([
    ["null for a policy", () => Hedging.run(play({}), null as never), "policy must be a record, got null"],
    ["null for a policy, alone", () => Hedging.run(null as never), "policy must be a record, got null"],
    ["a call for a policy", () => Hedging.run(play({}) as never), "policy must be a record, got "],
    [
      "a text for a call",
      () => Hedging.run("x" as never, policy),
      'call must be a function from number to effect, got "x"'
    ],
    [
      "a text for a call, later",
      () => Hedging.run(policy)("x" as never),
      'call must be a function from number to effect, got "x"'
    ]
  ])("refuses %s", (_, run, message) => {
    expect(run).toThrow(`Hedging.run: ${message}`)
  })

  it.effect("takes a policy first", () =>
    Effect.gen(function* () {
      const hedged = Hedging.run(policy)
      const timeline = yield* Timeline.record(hedged(play({ 2: [100, "succeed"] })))
      expect([Timeline.startsMillis(timeline), timeline.exit]).toEqual([[0, 500], Exit.succeed(2)])
    }).pipe(VirtualClock.run)
  )
})

class Tokens extends Context.Tag("test/Tokens")<Tokens, TokenBucket.TokenBucket>() {}
class OtherTokens extends Context.Tag("test/OtherTokens")<OtherTokens, TokenBucket.TokenBucket>() {}

const throttleAt = (tokens: number) =>
  Effect.gen(function* () {
    const bucket = yield* Throttle.make({ maxTokens: 4, tokenRatio: 0.5 })
    const granted = { tokens: 0, refund: Effect.void }
    for (let n = 4; n > tokens; n--) {
      yield* bucket.record({ _tag: "Failed", attempt: 1, granted, verdict: Verdict.transient })
    }
    return bucket
  })

describe("Hedging.run with a bucket", () => {
  it.effect.each<{
    name: string
    tokens: number
    script: Script
    starts: ReadonlyArray<number>
    exit: Exit.Exit<number, Fatal | Passing>
    left: number
  }>([
    {
      name: "sends the first attempt alone at half of the tokens",
      tokens: 2,
      script: { 1: [2_000, "succeed"] },
      starts: [0],
      exit: Exit.succeed(1),
      left: 2.5
    },
    {
      name: "ends at once with a failure after which no attempt is granted",
      tokens: 3,
      script: { 1: [100, "pass"] },
      starts: [0],
      exit: passing(1),
      left: 2
    },
    {
      name: "sends no attempt once one was refused, although tokens come back",
      tokens: 3,
      script: { 1: [600, "pass"], 2: [9_000, "succeed"] },
      starts: [0, 500],
      exit: Exit.succeed(2),
      left: 2.5
    },
    {
      name: "takes a token for each failure that is not fatal",
      tokens: 4,
      script: { 1: [100, "pass"], 2: [0, "fatal"] },
      starts: [0, 100],
      exit: Exit.fail(new Fatal({ attempt: 2 })),
      left: 3
    }
  ])("$name", ({ exit, left, script, starts, tokens }) =>
    Effect.gen(function* () {
      const bucket = yield* throttleAt(tokens)
      const timeline = yield* Timeline.record(Hedging.run(play(script), { ...policy, bucket }))
      expect(Timeline.startsMillis(timeline)).toEqual(starts)
      expect(timeline.exit).toEqual(exit)
      expect(yield* bucket.level).toBe(left)
    }).pipe(VirtualClock.run)
  )

  it.effect("asks the bucket of a tag", () =>
    Effect.gen(function* () {
      const bucket = yield* throttleAt(3)
      const hedged = Hedging.run(play({ 1: [100, "pass"], 2: [100, "pass"] }), { ...policy, bucket: Tokens })
      const timeline = yield* Timeline.record(Effect.provideService(hedged, Tokens, bucket))
      expect([Timeline.startsMillis(timeline), yield* bucket.level]).toEqual([[0], 2])
    }).pipe(VirtualClock.run)
  )

  it.effect("does not wait for a bucket that would wait", () =>
    Effect.gen(function* () {
      const asked: Array<Option.Option<Duration.Duration>> = []
      const bucket: TokenBucket.TokenBucket = {
        ...TokenBucket.empty,
        acquire: ({ atMost }) => Effect.sync(() => (asked.push(atMost), Option.none()))
      }
      const timeline = yield* Timeline.record(Hedging.run(play({ 1: [900, "pass"] }), { ...policy, bucket }))
      expect(asked).toEqual([Option.some(Duration.zero)])
      expect(Duration.toMillis(timeline.elapsed)).toBe(900)
    }).pipe(VirtualClock.run)
  )

  /** A bucket that takes its time, as one in a store does, and what it was asked, granted and given back. */
  const slow = (answers: ReadonlyArray<readonly [afterMillis: number, granted: boolean]>) => {
    const seen = { asked: [] as Array<number>, granted: 0, refunded: 0 }
    const grant: TokenBucket.Grant = { tokens: 1, refund: Effect.sync(() => void (seen.refunded += 1)) }
    const bucket: TokenBucket.TokenBucket = {
      ...TokenBucket.unlimited,
      acquire: ({ attempt }) =>
        Effect.suspend(() => {
          const [afterMillis, granted] = answers[seen.asked.push(attempt) - 1] ?? [0, false]
          const answer = Effect.sync(() => {
            if (!granted) return Option.none()
            seen.granted += 1
            return Option.some(grant)
          })
          return Effect.delay(answer, afterMillis)
        })
    }
    return { bucket, seen }
  }

  it.effect.each<{
    name: string
    script: Script
    answers: ReadonlyArray<readonly [afterMillis: number, granted: boolean]>
    changes?: Partial<Hedging.Policy<Fatal | Passing>>
    starts: ReadonlyArray<number>
    exit: Exit.Exit<number, Fatal | Passing>
    at: number
    /** Of attempts: for which the bucket was asked. */
    asked: ReadonlyArray<number>
    refunded: number
  }>([
    {
      name: "answers while a slow bucket is asked, and returns the late grant",
      script: { 1: [530, "succeed"] },
      answers: [[500, true]],
      starts: [0],
      exit: Exit.succeed(1),
      at: 530,
      asked: [2],
      refunded: 1
    },
    {
      name: "fails while a slow bucket is asked, and returns the late grant",
      script: { 1: [530, "fatal"] },
      answers: [[500, true]],
      starts: [0],
      exit: Exit.fail(new Fatal({ attempt: 1 })),
      at: 530,
      asked: [2],
      refunded: 1
    },
    {
      name: "sends a hedge when a slow bucket has granted it, and the next one a delay later",
      script: { 3: [10, "succeed"] },
      answers: [
        [300, true],
        [0, true]
      ],
      starts: [0, 800, 1_300],
      exit: Exit.succeed(3),
      at: 1_310,
      asked: [2, 3],
      refunded: 0
    },
    {
      name: "asks once for the hedge that is due and for a failure meanwhile",
      script: { 1: [600, "pass"], 2: [10, "succeed"] },
      answers: [[300, true]],
      starts: [0, 800],
      exit: Exit.succeed(2),
      at: 810,
      asked: [2],
      refunded: 0
    },
    {
      name: "hears the refusal of a slow bucket after the last failure",
      script: { 1: [600, "pass"] },
      answers: [[300, false]],
      starts: [0],
      exit: passing(1),
      at: 800,
      asked: [2],
      refunded: 0
    },
    {
      name: "returns a grant that comes before a pushback has passed, and asks again after it",
      script: { 1: [600, "pass", "1 second"], 2: [10, "succeed"] },
      answers: [
        [300, true],
        [0, true]
      ],
      starts: [0, 1_600],
      exit: Exit.succeed(2),
      at: 1_610,
      asked: [2, 2],
      refunded: 1
    },
    {
      name: "returns a grant that comes after an endless pushback",
      script: { 1: [600, "pass", Infinity] },
      answers: [[300, true]],
      starts: [0],
      exit: passing(1, Infinity),
      at: 600,
      asked: [2],
      refunded: 1
    },
    {
      name: "returns a grant that comes when no attempt may be sent any more",
      script: { 1: [900, "pass"] },
      answers: [[300, true]],
      changes: { sendWithin: "700 millis" },
      starts: [0],
      exit: passing(1),
      at: 900,
      asked: [2],
      refunded: 1
    }
  ])("$name", ({ answers, asked, at, changes, exit, refunded, script, starts }) =>
    Effect.gen(function* () {
      const { bucket, seen } = slow(answers)
      const timeline = yield* Timeline.record(Hedging.run(play(script), { ...policy, ...changes, bucket }))
      expect(Timeline.startsMillis(timeline)).toEqual(starts)
      expect(timeline.exit).toEqual(exit)
      expect(Duration.toMillis(timeline.elapsed)).toBe(at)
      yield* Effect.sleep("1 minute")
      expect(seen.asked).toEqual(asked)
      expect(seen.refunded).toBe(refunded)
      expect(seen.granted).toBe(refunded + starts.length - 1)
    }).pipe(VirtualClock.run)
  )

  it.effect("ends the wait of a bucket with the operation, and logs nothing of it", () =>
    Effect.gen(function* () {
      const logged: Array<unknown> = []
      const logger = Logger.make(({ message }) => logged.push(message))
      const bucket: TokenBucket.TokenBucket = {
        ...TokenBucket.unlimited,
        acquire: ({ restore }) => Effect.zipRight(restore(Effect.never), Effect.succeedNone)
      }
      const ended = Hedging.run(play({ 1: [600, "succeed"] }), { ...policy, bucket })
      const interrupted = Effect.timeoutOption(Hedging.run(play({}), { ...policy, bucket }), "600 millis")
      for (const operation of [ended, interrupted]) {
        const timeline = yield* Effect.provide(
          Timeline.record<unknown, unknown, never>(operation),
          Logger.replace(Logger.defaultLogger, logger)
        )
        expect(Duration.toMillis(timeline.elapsed)).toBe(600)
        yield* Effect.yieldNow()
        expect(yield* VirtualClock.sleepers).toBe(0)
      }
      expect(logged).toEqual([])
    }).pipe(VirtualClock.run)
  )

  it.effect("tells a bucket that does not use starts of no interrupted attempt", () =>
    Effect.gen(function* () {
      const heard: Array<TokenBucket.Outcome["_tag"]> = []
      const { acquire, level } = TokenBucket.unlimited
      const record = ({ _tag }: TokenBucket.Outcome) => Effect.sync(() => void heard.push(_tag))
      const bucket: TokenBucket.TokenBucket = { acquire, level, record }
      yield* Hedging.run(play({ 1: [600, "pass"], 3: [1, "succeed"] }), { ...policy, bucket })
      expect(heard).toEqual(["Failed", "Succeeded"])
    }).pipe(VirtualClock.run)
  )

  it.effect("goes on when bucket and observers die, and treats a defect as a refusal", () =>
    Effect.gen(function* () {
      const bucket: TokenBucket.TokenBucket = {
        acquire: () => Effect.die("broken"),
        record: () => Effect.die("broken"),
        level: Effect.die("broken"),
        started: () => {
          throw new TypeError("broken")
        }
      }
      const observe = [() => Effect.die("broken")]
      const timeline = yield* Timeline.record(
        Hedging.run(play({ 1: [900, "succeed"] }), { ...policy, bucket, observe })
      )
      expect(timeline.exit).toEqual(Exit.succeed(1))
      Expect.starts(timeline, [0])
    }).pipe(VirtualClock.run)
  )
})

describe("Hedging.run with observers", () => {
  it.effect.each<{
    name: string
    script: Script
    changes?: Partial<Hedging.Policy<Fatal | Passing>>
    heard: ReadonlyArray<string>
  }>([
    {
      name: "a success",
      script: { 1: [600, "pass"], 2: [1_000, "succeed"] },
      heard: [
        "HedgeStarted 2 at 500",
        "AttemptFailed 1 at 600 ran 600",
        "HedgeStarted 3 at 600",
        "HedgeStarted 4 at 1100",
        "Succeeded 2 at 1500"
      ]
    },
    {
      name: "a fatal failure",
      script: { 2: [100, "fatal"] },
      heard: ["HedgeStarted 2 at 500", "AttemptFailed 2 at 600 ran 100", "GaveUp 2 at 600: not retryable: it is fatal"]
    },
    {
      name: "the last failure",
      script: { 1: [1, "pass"], 2: [1, "pass"] },
      changes: { maxAttempts: 2 },
      heard: [
        "AttemptFailed 1 at 1 ran 1",
        "HedgeStarted 2 at 1",
        "AttemptFailed 2 at 2 ran 1",
        "GaveUp 2 at 2: all attempts spent"
      ]
    },
    {
      name: "an endless pushback",
      script: { 1: [1, "pass", Infinity] },
      heard: ["AttemptFailed 1 at 1 ran 1", "GaveUp 1 at 1: the server asked for Infinity, more than the policy waits"]
    },
    {
      name: "a refusal of the bucket",
      script: { 1: [1, "pass"] },
      changes: { bucket: TokenBucket.empty },
      heard: ["AttemptFailed 1 at 1 ran 1", "HedgeRefused 1 at 1", "GaveUp 1 at 1: the bucket refused the retry"]
    },
    {
      name: "a limit of time",
      script: { 1: [1, "pass", "1 second"] },
      changes: { sendWithin: "1 second" },
      heard: ["AttemptFailed 1 at 1 ran 1", "GaveUp 1 at 1: the deadline of 1s would pass or has passed"]
    }
  ])("tells of $name", ({ changes, heard, script }) =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const observer: Observe.Observer = (event) =>
        Effect.sync(() => {
          const ran = event._tag === "AttemptFailed" ? ` ran ${Duration.toMillis(event.ran)}` : ""
          const reason = event._tag === "GaveUp" ? `: ${Retry.format(event.reason)}` : ""
          lines.push(`${event._tag} ${event.attempt} at ${Duration.toMillis(event.elapsed)}${ran}${reason}`)
          expect([event.name, event.maxAttempts]).toEqual(["books", changes?.maxAttempts ?? 4])
          expect(event.details().subject).toBe("books")
        })
      yield* Effect.exit(Hedging.run(play(script), { ...policy, ...changes, name: "books", observe: [observer] }))
      expect(lines).toEqual(heard)
    }).pipe(VirtualClock.run)
  )

  it.effect("shows the level of the bucket, and the key of the operation", () =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const observer: Observe.Observer = (event) =>
        Effect.map(event.level, (level) => void seen.push([level, event.details().key, event.details().outcome]))
      const bucket = yield* throttleAt(4)
      yield* Effect.provideService(
        Effect.exit(Hedging.run(play({ 1: [0, "fatal"] }), { ...policy, bucket, observe: [observer] })),
        TokenBucket.Key,
        "library"
      )
      expect(seen).toEqual([
        [Option.some(4), "library", ""],
        [Option.some(4), "library", ""]
      ])
    }).pipe(VirtualClock.run)
  )
})

describe("GrpcRetry.call under a hedgingPolicy", () => {
  const hedgingPolicy = { maxAttempts: 4, hedgingDelay: "0.5s", nonFatalStatusCodes: ["UNAVAILABLE"] }
  type End = CallFailed | "hang"

  const call = (ends: ReadonlyArray<End>) => (number: number) => {
    const end = ends[number - 1]
    return Timeline.attempt(
      end === undefined ? Effect.succeed(number) : end === "hang" ? Effect.never : Effect.fail(end)
    )
  }

  it.effect.each<{
    name: string
    ends: ReadonlyArray<End>
    starts: ReadonlyArray<number>
    exit: Exit.Exit<number, CallFailed>
    tokens: number
  }>([
    {
      name: "sends hedges at the delay",
      ends: ["hang", "hang"],
      starts: [0, 500, 1_000],
      exit: Exit.succeed(3),
      tokens: 10
    },
    {
      name: "sends the next one at once after a code that is not fatal",
      ends: [unavailable(), "hang"],
      starts: [0, 0, 500],
      exit: Exit.succeed(3),
      tokens: 9.5
    },
    {
      name: "ends with any other code",
      ends: ["hang", failure("INTERNAL")],
      starts: [0, 500],
      exit: Exit.fail(failure("INTERNAL")),
      tokens: 10
    },
    {
      name: "follows a pushback",
      ends: [unavailable("70"), "hang"],
      starts: [0, 70, 570],
      exit: Exit.succeed(3),
      tokens: 9.5
    },
    {
      name: "sends none after a pushback that forbids it",
      ends: [unavailable("-1")],
      starts: [0],
      exit: Exit.fail(unavailable("-1")),
      tokens: 9
    },
    {
      name: "takes a token for a fatal code with a pushback that forbids to repeat it",
      ends: [failure("INTERNAL", "-1")],
      starts: [0],
      exit: Exit.fail(failure("INTERNAL", "-1")),
      tokens: 9
    },
    {
      name: "sends no more than the client allows",
      ends: Array(9).fill("hang").with(3, failure("INTERNAL")),
      starts: [0, 500, 1_000, 1_500],
      exit: Exit.fail(failure("INTERNAL")),
      tokens: 10
    }
  ])("$name", ({ ends, exit, starts, tokens }) =>
    Effect.gen(function* () {
      const fields = { hedgingPolicy: { ...hedgingPolicy, maxAttempts: 9 } }
      const grpc = yield* GrpcRetry.make(configOf(fields, { maxTokens: 10, tokenRatio: 0.5 }), { maxAttemptsCap: 4 })
      const timeline = yield* Timeline.record(grpc.call(method, call(ends)))
      expect(Timeline.startsMillis(timeline)).toEqual(starts)
      expect(timeline.exit).toEqual(exit)
      expect(yield* Option.getOrThrow(grpc.bucket).level).toBe(tokens)
    }).pipe(VirtualClock.run)
  )

  it.effect("repeats within a hedge what did not reach the application", () =>
    Effect.gen(function* () {
      const progress: GrpcRetry.ProgressOf = (error) =>
        error instanceof CallFailed && error.progress === "Refused" ? "Refused" : "Processed"
      const grpc = yield* GrpcRetry.make(configOf({ hedgingPolicy }, { maxTokens: 10, tokenRatio: 0.5 }), { progress })
      const numbers: Array<number> = []
      const ends = [new CallFailed({ code: 14, progress: "Refused" })]
      const answer = yield* grpc.call(method, (number) => {
        numbers.push(number)
        const end = ends.shift()
        return end === undefined ? Effect.succeed(number) : Effect.fail(end)
      })
      expect([answer, numbers]).toEqual([1, [1, 1]])
    }).pipe(VirtualClock.run)
  )

  it.effect("sends no hedge after the timeout of the method", () =>
    Effect.gen(function* () {
      const grpc = yield* GrpcRetry.make(configOf({ timeout: "0.8s", hedgingPolicy }))
      const timeline = yield* Timeline.record(
        grpc.call(method, () => Timeline.attempt(Effect.delay(Effect.fail(failure("ABORTED")), "10 seconds")))
      )
      Expect.starts(timeline, [0, "500 millis"])
    }).pipe(VirtualClock.run)
  )
})

class Service extends Context.Tag("test/Service")<Service, string>() {}

describe("Hedging.run types", () => {
  it("keep result, error and requirements, and know the error in the classifier", () => {
    const call = (attempt: number): Effect.Effect<string, Fatal, Service> => Effect.map(Service, () => String(attempt))
    const run = () =>
      Hedging.run(call, {
        classifier: (error) => {
          expectTypeOf(error).toEqualTypeOf<Fatal>()
          return Verdict.transient
        },
        maxAttempts: 2,
        hedgingDelay: "1 second"
      })
    expectTypeOf(run).returns.toEqualTypeOf<Effect.Effect<string, Fatal, Service>>()
    const foreign: Classifier.Classifier<Passing> = () => Verdict.transient
    // @ts-expect-error it does not judge Fatal
    const wrong = () => Hedging.run(call, { classifier: foreign, maxAttempts: 2, hedgingDelay: "1 second" })
    expect(wrong).toBeTypeOf("function")
    const ofService = (hedging: Hedging.Policy) => Hedging.run(call, hedging)
    expectTypeOf(ofService).returns.toEqualTypeOf<Effect.Effect<string, Fatal, Service>>()
  })

  it("take a policy first, whose error may be wider than that of the call", () => {
    const call = (attempt: number): Effect.Effect<string, Fatal, Service> => Effect.map(Service, () => String(attempt))
    const stored = Hedging.run(policy)
    const piped = () => pipe(call, Hedging.run(policy))
    expectTypeOf(piped).returns.toEqualTypeOf<Effect.Effect<string, Fatal, Service>>()
    const called = () => stored(call)
    expectTypeOf(called).returns.toEqualTypeOf<Effect.Effect<string, Fatal, Service>>()
    const judged: Classifier.Classifier<Passing> = () => Verdict.transient
    // @ts-expect-error it does not judge Fatal
    const wrong = () => pipe(call, Hedging.run({ ...policy, classifier: judged }))
    expect(wrong).toBeTypeOf("function")
  })

  it("require the service of a tag", () => {
    const call = (attempt: number): Effect.Effect<string, Fatal, Service> => Effect.map(Service, () => String(attempt))
    const first = () => Hedging.run(call, { ...policy, bucket: Tokens })
    expectTypeOf(first).returns.toEqualTypeOf<Effect.Effect<string, Fatal, Service | Tokens>>()
    const last = () => pipe(call, Hedging.run({ ...policy, bucket: Tokens }))
    expectTypeOf(last).returns.toEqualTypeOf<Effect.Effect<string, Fatal, Service | Tokens>>()
    const either = (isOther: boolean) => Hedging.run(call, { ...policy, bucket: isOther ? OtherTokens : Tokens })
    expectTypeOf(either).returns.toEqualTypeOf<Effect.Effect<string, Fatal, Service | Tokens | OtherTokens>>()
    const value = (bucket: TokenBucket.TokenBucket | undefined) => Hedging.run(call, { ...policy, bucket })
    expectTypeOf(value).returns.toEqualTypeOf<Effect.Effect<string, Fatal, Service>>()
    const annotated = (given: Hedging.Policy<Fatal, typeof Tokens>) => Hedging.run(call, given)
    expectTypeOf(annotated).returns.toEqualTypeOf<Effect.Effect<string, Fatal, Service | Tokens>>()
    const text = Context.GenericTag<"text", string>("text")
    // @ts-expect-error no bucket is behind the tag
    const wrong = () => Hedging.run(call, { ...policy, bucket: text })
    expect(wrong).toBeTypeOf("function")
  })
})
