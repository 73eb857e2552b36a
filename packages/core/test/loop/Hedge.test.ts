import {
  Backoff,
  Classifier,
  Deadline,
  Hedge,
  Observe,
  RateLimiter,
  Retry,
  TokenBucket,
  Verdict
} from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import {
  Cause,
  type Clock,
  Context,
  Data,
  Duration,
  Deferred,
  Effect,
  Exit,
  Fiber,
  FiberRef,
  Logger,
  LogLevel,
  Option,
  type Scope
} from "effect"
import { bucketOf, Fatal, hedge, make, Passing, type Script } from "./Hedging.ts"

const clockMillis = Effect.map(Effect.clock, (clock) => () => Number(clock.unsafeCurrentTimeNanos() / 1_000_000n))

const clockNanos = Effect.map(Effect.clock, (clock) => () => Number(clock.unsafeCurrentTimeNanos()) / 1e6)

const played = (script: Script) => Effect.map(clockMillis, (nowMillis) => make(script, nowMillis))

const passing = (attempt: number, hint?: Duration.DurationInput) => Exit.fail(new Passing({ attempt, hint }))

/** What is logged meanwhile. */
const logs = () => {
  const logged: Array<unknown> = []
  const logger = Logger.make(({ message }) => logged.push(message))
  return { logged, logging: Effect.provide(Logger.replace(Logger.defaultLogger, logger)) }
}

type Changes = Omit<Partial<Hedge.Fields<Passing | Fatal, number>>, "attempt">

describe("Hedge.hedge", () => {
  // As gRPC's A6, Polly 8 and failsafe-go 0.9.7 document and test it: what differs between them is in HedgeRows.ts.
  it.effect.each<{ name: string; script: Script; changes?: Changes; log: string; exit: Exit.Exit<number, unknown> }>([
    {
      name: "starts attempts at the delay",
      changes: { maxAttempts: 4, delay: "500 millis" },
      script: { 4: [7, "ok"] },
      log: "1@0 2@500 3@1000 4@1500 4ok@1507 1x@1507 2x@1507 3x@1507",
      exit: Exit.succeed(4)
    },
    {
      name: "starts no second attempt where the first answers in time",
      script: { 1: [80, "ok"] },
      log: "1@0 1ok@80",
      exit: Exit.succeed(1)
    },
    {
      name: "takes the answer of the second",
      script: { 1: [300, "ok"], 2: [50, "ok"] },
      log: "1@0 2@100 2ok@150 1x@150",
      exit: Exit.succeed(2)
    },
    {
      name: "takes the answer of the first after the second has started",
      script: { 1: [120, "ok"], 2: [50, "ok"] },
      log: "1@0 2@100 1ok@120 2x@120",
      exit: Exit.succeed(1)
    },
    {
      name: "starts the next one at once after a retryable failure, and counts the delay from there",
      changes: { maxAttempts: 3 },
      script: { 1: [30, "pass"], 3: [10, "ok"] },
      log: "1@0 1pass@30 2@30 3@130 3ok@140 2x@140",
      exit: Exit.succeed(3)
    },
    {
      name: "ends with a failure that is not retryable",
      changes: { maxAttempts: 3 },
      script: { 2: [20, "fatal"] },
      log: "1@0 2@100 2fatal@120 1x@120",
      exit: Exit.fail(new Fatal({ attempt: 2 }))
    },
    {
      name: "waits for those that run where no attempt is left",
      script: { 1: [150, "pass"], 2: [200, "ok"] },
      log: "1@0 2@100 1pass@150 2ok@300",
      exit: Exit.succeed(2)
    },
    {
      name: "fails with the failure that comes last",
      script: { 1: [150, "pass"], 2: [80, "pass"] },
      log: "1@0 2@100 1pass@150 2pass@180",
      exit: passing(2)
    },
    {
      name: "waits for a hint, and counts the delay from there",
      changes: { maxAttempts: 4, delay: "500 millis" },
      script: { 1: [50, "pass", "200 millis"], 4: [1, "ok"] },
      log: "1@0 1pass@50 2@250 3@750 4@1250 4ok@1251 2x@1251 3x@1251",
      exit: Exit.succeed(4)
    },
    {
      name: "waits for a hint of a minute",
      script: { 1: [10, "pass", "1 minute"], 2: [1, "ok"] },
      log: "1@0 1pass@10 2@60010 2ok@60011",
      exit: Exit.succeed(2)
    },
    {
      name: "starts none after a hint of more than a minute, and waits for those that run",
      changes: { maxAttempts: 4, delay: "500 millis" },
      script: { 1: [900, "ok"], 2: [100, "pass", "61 seconds"] },
      log: "1@0 2@500 2pass@600 1ok@900",
      exit: Exit.succeed(1)
    },
    {
      name: "starts all at once without a delay",
      changes: { maxAttempts: 3, delay: 0 },
      script: { 1: [90, "ok"], 2: [40, "ok"], 3: [90, "ok"] },
      log: "1@0 2@0 3@0 2ok@40 1x@40 3x@40",
      exit: Exit.succeed(2)
    },
    {
      name: "only follows failures where the delay has no end",
      changes: { maxAttempts: 3, delay: Duration.infinity },
      script: { 1: [30, "pass"], 2: [10, "ok"] },
      log: "1@0 1pass@30 2@30 2ok@40",
      exit: Exit.succeed(2)
    },
    {
      name: "starts no attempt at the moment of an answer",
      script: { 1: [100, "ok"] },
      log: "1@0 1ok@100",
      exit: Exit.succeed(1)
    },
    {
      name: "asks the function for the delay before each attempt",
      changes: { maxAttempts: 4, delay: (attempt) => (attempt === 3 ? Duration.infinity : attempt * 10) },
      script: { 2: [25, "pass"], 4: [5, "ok"] },
      log: "1@0 2@20 2pass@45 3@45 4@85 4ok@90 1x@90 3x@90",
      exit: Exit.succeed(4)
    },
    {
      name: "keeps to one attempt at a time where it may be no more",
      changes: { maxAttempts: 3, maxInFlight: 1, delay: 0 },
      script: { 1: [50, "pass"], 2: [50, "pass"], 3: [50, "ok"] },
      log: "1@0 1pass@50 2@50 2pass@100 3@100 3ok@150",
      exit: Exit.succeed(3)
    },
    {
      name: "starts the third when one of two in flight has failed",
      changes: { maxAttempts: 4, maxInFlight: 2 },
      script: { 2: [150, "pass"], 3: [30, "ok"] },
      log: "1@0 2@100 2pass@250 3@250 3ok@280 1x@280",
      exit: Exit.succeed(3)
    },
    {
      name: "makes one attempt where there may be one",
      changes: { maxAttempts: 1 },
      script: { 1: [300, "pass"] },
      log: "1@0 1pass@300",
      exit: passing(1)
    },
    {
      name: "starts none at a deadline that refuses, and lets running attempts continue",
      changes: { deadline: Deadline.refuse("100 millis") },
      script: { 1: [900, "ok"] },
      log: "1@0 1ok@900",
      exit: Exit.succeed(1)
    },
    {
      name: "gives up where a hint would pass the deadline",
      changes: { deadline: Deadline.refuse("100 millis") },
      script: { 1: [30, "pass", "70 millis"] },
      log: "1@0 1pass@30",
      exit: passing(1, "70 millis")
    },
    {
      name: "starts the last attempt early where a deadline truncates",
      changes: { deadline: Deadline.truncate("100 millis", { reserve: "40 millis" }) },
      script: { 2: [5, "ok"] },
      log: "1@0 2@60 2ok@65 1x@65",
      exit: Exit.succeed(2)
    },
    {
      name: "interrupts all at a deadline that cuts",
      changes: { deadline: Deadline.cut("150 millis") },
      script: {},
      log: "1@0 2@100 1x@150 2x@150",
      exit: Exit.fail(new Deadline.DeadlineExceeded({ within: Duration.millis(150), attempts: 2 }))
    },
    {
      name: "starts no attempt at the moment of a cut",
      changes: { deadline: Deadline.cut("100 millis") },
      script: {},
      log: "1@0 1x@100",
      exit: Exit.fail(new Deadline.DeadlineExceeded({ within: Duration.millis(100), attempts: 1 }))
    }
  ])("$name", ({ changes, exit, log, script }) =>
    Effect.gen(function* () {
      const { call, log: seen } = yield* played(script)
      const { logged, logging } = logs()
      const ended = yield* Effect.exit(logging(Hedge.hedge(call, { ...hedge, ...changes })))
      expect(seen.join(" ")).toBe(log)
      expect(ended).toEqual(exit)
      expect(logged).toEqual([])
      expect(yield* VirtualClock.sleepers).toBe(0)
    }).pipe(VirtualClock.run)
  )

  const atOneMoment: ReadonlyArray<{
    name: string
    ends: readonly [first: "ok" | "pass" | "fatal", second: "ok" | "fatal"]
    exit: Exit.Exit<number, unknown>
  }> = [
    { name: "the earlier attempt of two that answer", ends: ["ok", "ok"], exit: Exit.succeed(1) },
    { name: "a success before a fatal failure", ends: ["fatal", "ok"], exit: Exit.succeed(2) },
    { name: "a success before a fatal failure that comes second", ends: ["ok", "fatal"], exit: Exit.succeed(1) },
    {
      name: "the fatal failure where there is no success",
      ends: ["pass", "fatal"],
      exit: Exit.fail(new Fatal({ attempt: 2 }))
    }
  ]

  it.effect.each(atOneMoment)("takes $name at the same moment", ({ ends, exit }) =>
    Effect.gen(function* () {
      const { call, moment } = yield* together((attempt) => {
        const end = ends[attempt - 1]
        if (end === "ok") return Effect.succeed(attempt)
        return Effect.fail(end === "fatal" ? new Fatal({ attempt }) : new Passing({ attempt }))
      })
      const { logged, logging } = logs()
      const fiber = yield* Effect.fork(logging(Hedge.hedge(call, { ...hedge, delay: 0 })))
      yield* moment
      expect(yield* Fiber.await(fiber)).toEqual(exit)
      expect(logged).toEqual([])
    }).pipe(VirtualClock.run)
  )

  it.effect("is the effect itself when it needs no second attempt", () =>
    Effect.gen(function* () {
      const one = Hedge.hedge({ classifier: Classifier.always, maxAttempts: 1, delay: 0 })
      const cause = Cause.parallel(Cause.fail("busy"), Cause.die("broken"))
      expect(yield* one(Effect.succeed(7))).toBe(7)
      expect(yield* Effect.exit(one(Effect.failCause(cause)))).toEqual(Exit.failCause(cause))
      expect(yield* Effect.exit(one(Effect.fail("busy")))).toEqual(Exit.fail("busy"))
      expect(yield* Effect.exit(one(Effect.interrupt))).toSatisfy(Exit.isInterrupted)
    }).pipe(VirtualClock.run)
  )

  it.effect("tells observers of a first attempt that answers at once", () =>
    Effect.gen(function* () {
      const heard: Array<string> = []
      const observe = [({ _tag, attempt }: Observe.RetryEvent) => void heard.push(`${_tag} ${attempt}`)]
      yield* Hedge.hedge(Effect.void, { ...hedge, observe })
      expect(heard).toEqual(["Succeeded 1"])
    })
  )

  it.effect("does not see later changes to the record of the hedge", () =>
    Effect.gen(function* () {
      const given = { ...hedge }
      const hedged = Hedge.hedge(given)
      given.maxAttempts = 99
      const { call, log } = yield* played({ 1: [950, "ok"] })
      yield* hedged(call)
      expect(log).toEqual(["1@0", "2@100", "1ok@950", "2x@950"])
    }).pipe(VirtualClock.run)
  )

  it.effect("closes finalizers that attempts added to an outer scope together with that scope", () =>
    Effect.gen(function* () {
      const closed: Array<number> = []
      const call = numbered((attempt) =>
        Effect.zipRight(
          Effect.addFinalizer(() => Effect.sync(() => void closed.push(attempt))),
          attempt === 1 ? Effect.never : Effect.void
        )
      )
      yield* Effect.scoped(Hedge.hedge(call, hedge))
      expect(closed).toEqual([2, 1])
    }).pipe(VirtualClock.run)
  )

  it.effect("asks the function for no delay after the last attempt", () =>
    Effect.gen(function* () {
      const asked: Array<number> = []
      const delay = (attempt: number) => {
        asked.push(attempt)
        return 10
      }
      const { call } = yield* played({ 3: [50, "ok"] })
      yield* Hedge.hedge(call, { ...hedge, maxAttempts: 3, delay })
      expect(asked).toEqual([2, 3])
    }).pipe(VirtualClock.run)
  )

  it.effect("runs anew whenever its effect is run", () =>
    Effect.gen(function* () {
      const { call, log } = yield* played({ 2: [5, "ok"] })
      const hedged = Hedge.hedge(call, hedge)
      expect(yield* Effect.all([hedged, hedged])).toEqual([2, 2])
      expect(log.filter((line) => line.startsWith("1@"))).toEqual(["1@0", "1@105"])
    }).pipe(VirtualClock.run)
  )

  it.effect("ends when the others have ended, finalizers and all", () =>
    Effect.gen(function* () {
      const closed = Effect.delay(Effect.void, "3 seconds")
      const call = numbered((attempt) =>
        attempt === 2 ? Effect.succeed("second") : Effect.onInterrupt(Effect.never, () => closed)
      )
      expect(yield* Hedge.hedge(call, hedge)).toBe("second")
      expect(Duration.toMillis(yield* VirtualClock.now)).toBe(3_100)
    }).pipe(VirtualClock.run)
  )

  it.effect.each([
    { name: "waits for a loser that cannot be interrupted", disconnected: false, at: 60_000 },
    { name: "goes on without one that is disconnected", disconnected: true, at: 100 }
  ])("$name", ({ at, disconnected }) =>
    Effect.gen(function* () {
      const stubborn = Effect.uninterruptible(Effect.delay(Effect.succeed("first"), "1 minute"))
      const call = numbered((attempt) =>
        attempt === 2 ? Effect.succeed("second") : disconnected ? Effect.disconnect(stubborn) : stubborn
      )
      expect(yield* Hedge.hedge(call, hedge)).toBe("second")
      expect(Duration.toMillis(yield* VirtualClock.now)).toBe(at)
    }).pipe(VirtualClock.run)
  )

  it.effect("logs the defect of a loser's finalizer, and answers", () =>
    Effect.gen(function* () {
      const { logged, logging } = logs()
      const call = numbered((attempt) =>
        attempt === 2 ? Effect.succeed("second") : Effect.onInterrupt(Effect.never, () => Effect.die("broken"))
      )
      expect(yield* logging(Hedge.hedge(call, hedge))).toBe("second")
      expect(logged).toEqual([["an attempt died while it was interrupted"]])
    }).pipe(VirtualClock.run)
  )

  it.effect("ends with a defect, and interrupts the others", () =>
    Effect.gen(function* () {
      const { call, log } = yield* played({ 2: [20, "die"] })
      const exit = yield* Effect.exit(Hedge.hedge(call, { ...hedge, maxAttempts: 3 }))
      expect(exit).toEqual(Exit.die("broken"))
      expect(log).toEqual(["1@0", "2@100", "1x@120"])
    }).pipe(VirtualClock.run)
  )

  it.effect("hands back the FiberRefs of the success, and of no other attempt", () =>
    Effect.gen(function* () {
      const ref = FiberRef.unsafeMake("none")
      const call = numbered((attempt) =>
        Effect.zipRight(FiberRef.set(ref, `attempt ${attempt}`), attempt === 2 ? Effect.void : Effect.never)
      )
      yield* Hedge.hedge(call, hedge)
      expect(yield* FiberRef.get(ref)).toBe("attempt 2")
    }).pipe(VirtualClock.run)
  )

  it.effect("passes an interruption on to all attempts, and keeps the defects of their finalizers", () =>
    Effect.gen(function* () {
      const call = numbered((attempt) => Effect.onInterrupt(Effect.never, () => Effect.die(`broken ${attempt}`)))
      const fiber = yield* Effect.fork(Hedge.hedge(call, hedge))
      yield* Effect.sleep(120)
      const exit = yield* Fiber.interrupt(fiber)
      const cause = Exit.isFailure(exit) ? exit.cause : Cause.empty
      expect(Cause.isInterrupted(cause)).toBe(true)
      expect([...Cause.defects(cause)]).toEqual(["broken 1", "broken 2"])
    }).pipe(VirtualClock.run)
  )

  it.effect("passes an interruption on when it cannot be interrupted itself", () =>
    Effect.gen(function* () {
      const interrupted: Array<number> = []
      const call = numbered((attempt) =>
        Effect.onInterrupt(Effect.interruptible(Effect.never), () => Effect.sync(() => interrupted.push(attempt)))
      )
      const fiber = yield* Effect.fork(Effect.uninterruptible(Hedge.hedge(call, hedge)))
      yield* Effect.sleep(120)
      yield* Fiber.interrupt(fiber)
      expect(interrupted.toSorted()).toEqual([1, 2])
    }).pipe(VirtualClock.run)
  )

  it.effect("answers in a region that cannot be interrupted", () =>
    Effect.gen(function* () {
      const { call, log } = yield* played({ 2: [5, "ok"] })
      expect(yield* Effect.uninterruptible(Hedge.hedge(Effect.interruptible(call), hedge))).toBe(2)
      expect(log).toEqual(["1@0", "2@100", "2ok@105", "1x@105"])
    }).pipe(VirtualClock.run)
  )

  it.effect("makes no attempt when it is interrupted before it begins", () =>
    Effect.gen(function* () {
      const { call, log } = yield* played({})
      const fiber = yield* Effect.fork(
        Effect.uninterruptibleMask((restore) => Effect.zipRight(Effect.yieldNow(), restore(Hedge.hedge(call, hedge))))
      )
      const exit = yield* Fiber.interrupt(fiber)
      expect(Exit.isInterrupted(exit)).toBe(true)
      expect(log).toEqual([])
    }).pipe(VirtualClock.run)
  )

  it.effect("tells attempts their number, the time that is left and the failure before", () =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const call = Effect.flatMap(Retry.CurrentAttempt, ({ number, previous, timeLeft }) =>
        Effect.flatMap(timeLeft, (left) => {
          seen.push([number, Option.map(left, Duration.toMillis), Option.map(previous, ({ attempt }) => attempt)])
          return number === 2 ? Effect.fail(new Passing({ attempt: 2 })) : number === 3 ? Effect.void : Effect.never
        })
      )
      yield* Hedge.hedge(call, { ...hedge, maxAttempts: 3, deadline: Deadline.refuse("1 second") })
      expect(seen).toEqual([
        [1, Option.some(1_000), Option.none()],
        [2, Option.some(900), Option.none()],
        [3, Option.some(900), Option.some(2)]
      ])
    }).pipe(VirtualClock.run)
  )

  it.effect("tells an attempt the time that is left whenever it asks, and none without a deadline", () =>
    Effect.gen(function* () {
      const call = Effect.flatMap(Retry.CurrentAttempt, ({ timeLeft }) => Effect.delay(timeLeft, 30))
      const within = yield* Hedge.hedge(call, { ...hedge, deadline: Deadline.refuse("1 second") })
      expect(Option.map(within, Duration.toMillis)).toEqual(Option.some(970))
      expect(yield* Hedge.hedge(call, hedge)).toEqual(Option.none())
    }).pipe(VirtualClock.run)
  )

  it.effect("waits the whole delay when it is longer than a timer of the platform holds", () =>
    Effect.gen(function* () {
      const { call } = yield* played({ 2: [0, "ok"] })
      yield* Hedge.hedge(call, { ...hedge, delay: "90 days" })
      expect(Duration.toDays(yield* VirtualClock.now)).toBe(90)
    }).pipe(VirtualClock.run)
  )

  it.effect.each([
    { name: "starts attempts at the delay", changes: {}, lasts: 100 },
    { name: "is cut at the deadline", changes: { maxAttempts: 1, deadline: Deadline.cut(70) }, lasts: 70 },
    { name: "starts attempts after a hint", changes: { maxAttempts: 3, delay: Duration.infinity }, lasts: 30 }
  ])("$name, at whatever fraction of a millisecond it begins", ({ changes, lasts }) =>
    Effect.gen(function* () {
      const took: Array<number> = []
      const nowMillis = yield* clockNanos
      for (let index = 1; index <= 400; index += 1) {
        yield* Effect.sleep(Duration.millis(Math.abs(Math.sin(index)) * 3))
        const { call } = yield* played(lasts === 30 ? { 1: [0, "pass", 30], 2: [0, "ok"] } : { 2: [0, "ok"] })
        const began = nowMillis()
        yield* Effect.exit(Hedge.hedge(call, { ...hedge, ...changes }))
        took.push(nowMillis() - began)
      }
      expect(Math.min(...took)).toBeGreaterThan(lasts - 1e-3)
      expect(Math.max(...took)).toBeLessThan(lasts + 1e-3)
    }).pipe(VirtualClock.run)
  )

  it.effect("makes thousands of attempts one after the other", () =>
    Effect.gen(function* () {
      let calls = 0
      const call = Effect.suspend(() => ((calls += 1) === 20_000 ? Effect.void : Effect.fail("busy")))
      yield* Hedge.hedge(call, { classifier: Classifier.always, maxAttempts: 20_000, delay: 0 })
      expect(calls).toBe(20_000)
    }).pipe(VirtualClock.run)
  )

  it.effect.each<{ name: string; changes: Changes }>([
    { name: "the last attempt", changes: { maxAttempts: 1 } },
    { name: "a delay without an end", changes: { delay: Infinity } },
    { name: "an unknown percentile", changes: { delay: { estimate: Effect.succeedNone, record: () => Effect.void } } }
  ])("sets no timer after $name", ({ changes }) =>
    Effect.gen(function* () {
      const { call } = yield* played({})
      const fiber = yield* Effect.fork(Hedge.hedge(call, { ...hedge, ...changes }))
      yield* Effect.sleep(1)
      expect(yield* VirtualClock.sleepers).toBe(0)
      yield* Fiber.interrupt(fiber)
    }).pipe(VirtualClock.run)
  )

  it.effect("dies of a clock that cannot sleep, and leaves no attempt behind", () =>
    Effect.gen(function* () {
      const { call, log } = yield* played({})
      const clock = yield* Effect.clock
      const broken: Clock.Clock = {
        ...clock,
        unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis(),
        unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos(),
        sleep: () => Effect.die("no sleep")
      }
      const exit = yield* Effect.exit(Effect.withClock(Hedge.hedge(call, hedge), broken))
      expect(exit).toEqual(Exit.die("no sleep"))
      expect(log).toEqual(["1@0", "1x@0"])
    }).pipe(VirtualClock.run)
  )

  it.effect("dies of a classifier that throws or answers no verdict, and interrupts the others", () =>
    Effect.gen(function* () {
      const raise = () => {
        throw new Error("bug")
      }
      for (const classifier of [() => true, raise] as unknown as ReadonlyArray<Classifier.Classifier>) {
        const { call, log } = yield* played({ 2: [5, "pass"] })
        const exit = yield* Effect.exit(Hedge.hedge(call, { ...hedge, classifier }))
        const died = Option.flatMap(Exit.causeOption(exit), Cause.dieOption)
        expect(died).toMatchObject({ value: { owner: "Hedge.hedge", field: "classifier" } })
        expect(log.at(-1)).toMatch(/^1x/)
      }
    }).pipe(VirtualClock.run)
  )

  it.effect("dies of a result function that answers no verdict", () =>
    Effect.gen(function* () {
      const result = (() => true) as unknown as () => Verdict.Verdict
      const exit = yield* Effect.exit(Hedge.hedge(Effect.void, { ...hedge, result }))
      const died = Option.flatMap(Exit.causeOption(exit), Cause.dieOption)
      expect(died).toMatchObject({ value: { owner: "Hedge.hedge", field: "result" } })
    }).pipe(VirtualClock.run)
  )

  it.effect("dies of a delay that is not one", () =>
    Effect.gen(function* () {
      const { call } = yield* played({})
      const exit = yield* Effect.exit(Hedge.hedge(call, { ...hedge, delay: () => "soon" as "1 second" }))
      expect(Option.flatMap(Exit.causeOption(exit), Cause.dieOption)).toMatchObject({
        value: {
          message:
            'Hedge.hedge: delay of attempt 2 must be a duration, a percentile or a function that returns a duration, got "soon"'
        }
      })
    }).pipe(VirtualClock.run)
  )

  it.each<[field: string, value: unknown, message: string]>([
    ["maxAttempts", 0, "maxAttempts must be a whole number >= 1, got 0"],
    ["maxAttempts", Infinity, "maxAttempts must be a whole number >= 1, got Infinity"],
    ["maxInFlight", 1.5, "maxInFlight must be a whole number >= 1, got 1.5"],
    ["delay", "soon", 'delay must be a duration, a percentile or a function that returns a duration, got "soon"'],
    ["delay", -1, "delay must be a duration, a percentile or a function that returns a duration, got -1"],
    [
      "delay",
      { estimate: Effect.succeedNone },
      "delay must be a duration, a percentile or a function that returns a duration, got an object"
    ],
    [
      "delay",
      { record: () => Effect.void },
      "delay must be a duration, a percentile or a function that returns a duration, got an object"
    ],
    ["delay", undefined, "delay must be a duration, a percentile or a function that returns a duration, got undefined"],
    ["classifier", "always", "classifier must be a function from error to verdict, such as"],
    ["observe", [7], "observe must be an array of observers, such as [Observe.logs(), Observe.metrics], got [7]"],
    ["name", "", 'name must be a string that is not empty, got ""'],
    ["bucket", {}, "bucket must be a TokenBucket or a Context.Tag of one, got an object"],
    ["rateLimiter", TokenBucket.unlimited, "rateLimiter must be absent: the fields of a hedge are name, observe"]
  ])("refuses a hedge with the %s %o", (field, value, message) => {
    const wrong = { ...hedge, [field]: value }
    expect(() => Hedge.hedge(wrong as typeof hedge)).toThrow(`Hedge.hedge: ${message}`)
    expect(() => Hedge.hedge(Effect.void, wrong as never)).toThrow(`Hedge.hedge: ${message}`)
  })

  it.each<[name: string, run: () => unknown, message: string]>([
    ["null for a hedge", () => Hedge.hedge(null as never), "hedge must be a record, as in Hedge.hedge(effect, hedge)"],
    ["an effect for a hedge", () => Hedge.hedge(Effect.void as never), "hedge must be a record"],
    ["a promise for an effect", () => Hedge.hedge(Promise.resolve() as never, hedge), "effect must be an effect"],
    ["nothing for an effect", () => Hedge.hedge(hedge)(undefined as never), "effect must be an effect"]
  ])("refuses %s", (_, run, message) => {
    expect(run).toThrow(`Hedge.hedge: ${message}`)
  })
})

/** Calls that end in the same turn, the first attempt first, when `moment` has run. */
const together = <A, E>(end: (attempt: number) => Effect.Effect<A, E>) =>
  Effect.map(Effect.all([Deferred.make<void>(), Deferred.make<void>()]), ([early, late]) => ({
    call: numbered((attempt) => Effect.zipRight(Deferred.await(attempt === 1 ? early : late), end(attempt))),
    moment: Effect.sleep(50).pipe(
      Effect.zipRight(Deferred.succeed(early, undefined)),
      Effect.zipRight(Deferred.succeed(late, undefined))
    )
  }))

/** A call that knows its number. */
const numbered = <A, E, R>(call: (attempt: number) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Retry.CurrentAttempt, ({ number }) => call(number))

describe("Hedge.hedge with a bucket", () => {
  it.effect.each<{
    name: string
    tokens: number
    script: Script
    changes?: Changes
    log: string
    heard: ReadonlyArray<string>
  }>([
    {
      name: "asks for every attempt but the first, and tells how each ended",
      tokens: 5,
      changes: { maxAttempts: 3 },
      script: { 2: [30, "pass"], 3: [30, "ok"] },
      log: "1@0 2@100 2pass@130 3@130 3ok@160 1x@160",
      heard: [
        "start 1",
        "ask 2 none",
        "start 2",
        "Failed 2 1",
        "ask 3 Transient",
        "start 3",
        "Succeeded 3 1",
        "Abandoned 1 0"
      ]
    },
    {
      name: "is told of the kind of a failure only for the attempt that follows the failure",
      tokens: 5,
      changes: { maxAttempts: 3 },
      script: { 1: [30, "pass"], 3: [10, "ok"] },
      log: "1@0 1pass@30 2@30 3@130 3ok@140 2x@140",
      heard: [
        "start 1",
        "Failed 1 0",
        "ask 2 Transient",
        "start 2",
        "ask 3 none",
        "start 3",
        "Succeeded 3 1",
        "Abandoned 2 1"
      ]
    },
    {
      name: "lets running attempts continue where it refuses",
      tokens: 0,
      script: { 1: [300, "ok"] },
      log: "1@0 1ok@300",
      heard: ["start 1", "ask 2 none", "Succeeded 1 0"]
    },
    {
      name: "starts no further attempt once it has refused",
      tokens: 1,
      changes: { maxAttempts: 4 },
      script: { 1: [400, "ok"] },
      log: "1@0 2@100 1ok@400 2x@400",
      heard: ["start 1", "ask 2 none", "start 2", "ask 3 none", "Succeeded 1 0", "Abandoned 2 1"]
    },
    {
      name: "fails with a failure that it refuses to follow",
      tokens: 0,
      script: { 1: [30, "pass"] },
      log: "1@0 1pass@30",
      heard: ["start 1", "Failed 1 0", "ask 2 Transient"]
    },
    {
      name: "is told of those that a cut interrupts as failures",
      tokens: 5,
      changes: { deadline: Deadline.cut("150 millis") },
      script: {},
      log: "1@0 2@100 1x@150 2x@150",
      heard: ["start 1", "ask 2 none", "start 2", "Failed 1 0", "Failed 2 1"]
    }
  ])("$name", ({ changes, heard, log, script, tokens }) =>
    Effect.gen(function* () {
      const asked = bucketOf(tokens)
      const { call, log: seen } = yield* played(script)
      yield* Effect.exit(Hedge.hedge(call, { ...hedge, ...changes, bucket: asked.bucket }))
      expect(seen.join(" ")).toBe(log)
      expect(asked.heard).toEqual(heard)
    }).pipe(VirtualClock.run)
  )

  it.effect("bounds the added load by what it grants, for any number of operations", () =>
    Effect.gen(function* () {
      const [ratio, operations] = [0.1, 400]
      const bucket = yield* TokenBucket.requestRatio({ ratio, floorPerSecond: 0, window: "1 hour" })
      let calls = 0
      const call = Effect.zipRight(
        Effect.sync(() => void (calls += 1)),
        Effect.sleep(250)
      )
      const many = Effect.replicateEffect(
        Hedge.hedge(call, { ...hedge, classifier: Classifier.always, bucket }),
        operations
      )
      yield* many
      expect(calls - operations).toBeGreaterThan(ratio * operations - 2)
      expect(calls - operations).toBeLessThanOrEqual(ratio * operations)
    }).pipe(VirtualClock.run)
  )

  it.effect("shares its tokens with the retries around it", () =>
    Effect.gen(function* () {
      const { bucket, held, heard } = bucketOf(3)
      const { call } = yield* played({ 1: [150, "pass"], 2: [10, "pass"] })
      const policy = { classifier: Classifier.always, maxAttempts: 9, backoff: Backoff.constant({ delay: 1 }), bucket }
      const exit = yield* Effect.exit(Retry.retry(Hedge.hedge(call, { ...hedge, bucket }), policy))
      expect(exit).toEqual(passing(1))
      expect(held.tokens).toBe(0)
      expect(heard.filter((line) => line.startsWith("ask"))).toEqual([
        "ask 2 none",
        "ask 2 Transient",
        "ask 2 none",
        "ask 3 Transient"
      ])
    }).pipe(VirtualClock.run)
  )

  it.effect("works around retries too", () =>
    Effect.gen(function* () {
      let calls = 0
      const call = Effect.suspend(() => ((calls += 1) < 3 ? Effect.fail("busy") : Effect.succeed(calls)))
      const policy = { classifier: Classifier.always, maxAttempts: 9, backoff: Backoff.constant({ delay: 70 }) }
      const hedged = Hedge.hedge(Retry.retry(call, policy), { ...hedge, classifier: Classifier.always })
      expect(yield* hedged).toBe(3)
      expect(Duration.toMillis(yield* VirtualClock.now)).toBe(100)
    }).pipe(VirtualClock.run)
  )

  it.effect("never waits for tokens", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.quota({ initial: 0, refillPerSecond: 1, whenShort: "wait" })
      const { call, log } = yield* played({ 1: [300, "ok"] })
      yield* Hedge.hedge(call, { ...hedge, bucket })
      expect(log).toEqual(["1@0", "1ok@300"])
    }).pipe(VirtualClock.run)
  )

  it.effect("has its places back when many operations share a limit of concurrency", () =>
    Effect.gen(function* () {
      const bucket = yield* RateLimiter.concurrencyLimit({ limit: 5, whenShort: "refuse" })
      const hedged = Hedge.hedge(Effect.sleep(150), {
        classifier: Classifier.always,
        maxAttempts: 3,
        delay: 100,
        bucket
      })
      yield* Effect.all(
        Array.from({ length: 50 }, () => hedged),
        { concurrency: "unbounded" }
      )
      expect(yield* bucket.level).toBe(5)
    }).pipe(VirtualClock.run)
  )

  it.effect("is asked with the priority of the operation, at once and later", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      for (const answerMillis of [0, 10]) {
        const { bucket } = bucketOf(5)
        const noting = {
          ...bucket,
          acquire: (request: TokenBucket.Request) =>
            Effect.flatMap(TokenBucket.Priority, (priority) => {
              asked.push(priority)
              return answerMillis === 0 ? bucket.acquire(request) : Effect.delay(bucket.acquire(request), answerMillis)
            })
        }
        const { call } = yield* played({ 1: [300, "ok"] })
        const hedged = Hedge.hedge(call, { ...hedge, bucket: noting })
        yield* Effect.provideService(hedged, TokenBucket.Priority, "sheddable")
        yield* hedged
      }
      expect(asked).toEqual(["sheddable", "default", "sheddable", "default"])
    }).pipe(VirtualClock.run)
  )

  it.effect("refuses hedges of sheddable operations first", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.successRatio({ capacity: 4, ratio: 0.1 })
      const attempts: Array<number> = []
      for (const priority of ["default", "sheddable", "sheddable", "default"] as const) {
        const { call, log } = yield* played({ 1: [150, "ok"] })
        yield* Effect.provideService(
          Hedge.hedge(call, { ...hedge, maxAttempts: 2, bucket }),
          TokenBucket.Priority,
          priority
        )
        attempts.push(log.filter((line) => /^\d@/.test(line)).length)
      }
      expect(attempts).toEqual([2, 2, 1, 2])
    }).pipe(VirtualClock.run)
  )

  it.effect("is found by its tag", () =>
    Effect.gen(function* () {
      const { call, log } = yield* played({ 1: [300, "ok"] })
      const hedged = Hedge.hedge(call, { ...hedge, bucket: TokenBucket.RetryBucket })
      yield* Effect.provideService(hedged, TokenBucket.RetryBucket, TokenBucket.empty)
      expect(log).toEqual(["1@0", "1ok@300"])
    }).pipe(VirtualClock.run)
  )

  it.effect("refunds a grant that comes after the end", () =>
    Effect.gen(function* () {
      const { bucket, heard, held } = bucketOf(5)
      const slow = { ...bucket, acquire: (request: TokenBucket.Request) => Effect.delay(bucket.acquire(request), 500) }
      const { call } = yield* played({ 1: [300, "ok"] })
      yield* Hedge.hedge(call, { ...hedge, bucket: slow })
      expect(Duration.toMillis(yield* VirtualClock.now)).toBe(300)
      yield* Effect.sleep(1_000)
      expect(held.tokens).toBe(5)
      expect(heard).toEqual(["start 1", "Succeeded 1 0", "ask 2 none", "refund"])
    }).pipe(VirtualClock.run)
  )

  it.effect("tells a bucket without `started` only of those abandoned attempts whose grant asks for it", () =>
    Effect.gen(function* () {
      const { bucket, heard } = bucketOf(5)
      const { acquire, level, record } = bucket
      const asking = (request: TokenBucket.Request) =>
        Effect.map(
          acquire(request),
          Option.map((grant) => ({ ...grant, hearsAbandoned: request.attempt === 2 }))
        )
      const { call } = yield* played({ 1: [300, "ok"] })
      yield* Hedge.hedge(call, { ...hedge, maxAttempts: 3, bucket: { acquire: asking, level, record } })
      expect(heard).toEqual(["ask 2 none", "ask 3 none", "Succeeded 1 0", "Abandoned 2 1"])
    }).pipe(VirtualClock.run)
  )

  it.effect.each([
    { name: "where it answers", changes: {}, script: { 1: [40, "ok"] } },
    { name: "after the last failure", changes: { deadline: Deadline.cut(40) }, script: { 1: [10, "pass"] } }
  ] as ReadonlyArray<{ readonly name: string; readonly changes: Changes; readonly script: Script }>)(
    "no longer waits for its answer when the operation ends $name",
    ({ changes, script }) =>
      Effect.gen(function* () {
        const { bucket } = bucketOf(5)
        const ended: Array<number> = []
        const now = Effect.map(VirtualClock.now, Duration.toMillis)
        const clock = yield* VirtualClock.VirtualClock
        const waiting = ({ restore }: TokenBucket.Request) =>
          Effect.onInterrupt(restore(Effect.never), () =>
            Effect.provideService(
              Effect.map(now, (millis) => void ended.push(millis)),
              VirtualClock.VirtualClock,
              clock
            )
          )
        const { call } = yield* played(script)
        yield* Effect.exit(
          Hedge.hedge(call, { ...hedge, delay: 20, ...changes, bucket: { ...bucket, acquire: waiting } })
        )
        yield* Effect.sleep(100)
        expect(ended).toEqual([40])
      }).pipe(VirtualClock.run)
  )

  it.effect("refunds a grant that comes at the moment of the answer", () =>
    Effect.gen(function* () {
      const { bucket, held } = bucketOf(5)
      const slow = { ...bucket, acquire: (request: TokenBucket.Request) => Effect.delay(bucket.acquire(request), 200) }
      const { call, log } = yield* played({ 1: [300, "ok"] })
      yield* Hedge.hedge(call, { ...hedge, bucket: slow })
      expect(log).toEqual(["1@0", "1ok@300"])
      expect(held.tokens).toBe(5)
    }).pipe(VirtualClock.run)
  )

  it.effect("has a grant back that comes before the end of a hint, and is asked again after it", () =>
    Effect.gen(function* () {
      const { bucket, held } = bucketOf(5)
      const slow = { ...bucket, acquire: (request: TokenBucket.Request) => Effect.delay(bucket.acquire(request), 50) }
      const { call, log } = yield* played({ 1: [120, "pass", 200], 2: [1, "ok"] })
      yield* Hedge.hedge(call, { ...hedge, bucket: slow })
      expect(log).toEqual(["1@0", "1pass@120", "2@370", "2ok@371"])
      expect(held.tokens).toBe(4)
    }).pipe(VirtualClock.run)
  )

  it.effect("starts no attempt if the deadline passes while the bucket is told of the start", () =>
    Effect.gen(function* () {
      const { bucket, held } = bucketOf(5)
      const slow: TokenBucket.TokenBucket = {
        ...bucket,
        started: ({ attempt }) => Effect.sleep(attempt === 1 ? 0 : 80)
      }
      const { call, log } = yield* played({ 1: [300, "ok"] })
      yield* Hedge.hedge(call, { ...hedge, deadline: Deadline.refuse(150), bucket: slow })
      expect(log).toEqual(["1@0", "1ok@300"])
      expect(held.tokens).toBe(5)
    }).pipe(VirtualClock.run)
  )

  it.effect.each([
    { name: "gives a bucket with `started` the value of the start", isTold: true },
    { name: "gives a bucket without `started` no value of a start", isTold: false }
  ])("$name with the outcome", ({ isTold }) =>
    Effect.gen(function* () {
      const { bucket } = bucketOf(5)
      const begun: Array<unknown> = []
      const ended: Array<unknown> = []
      const started = (start: TokenBucket.Started) => Effect.sync(() => void begun.push(start))
      const noting: TokenBucket.TokenBucket = {
        acquire: bucket.acquire,
        level: bucket.level,
        record: ({ started }) => Effect.sync(() => void ended.push(started)),
        ...(isTold && { started })
      }
      yield* Hedge.hedge(Effect.void, { ...hedge, bucket: noting })
      expect(ended).toEqual(isTold ? [{ attempt: 1 }] : [undefined])
      expect(ended[0]).toBe(begun[0])
    }).pipe(VirtualClock.run)
  )

  it.effect("starts no attempt if one succeeds while the bucket is told of the start", () =>
    Effect.gen(function* () {
      const { bucket, held, heard } = bucketOf(5)
      const slow: TokenBucket.TokenBucket = {
        ...bucket,
        started: (begun) => (begun.attempt === 1 ? bucket.started!(begun) : Effect.delay(bucket.started!(begun), 80))
      }
      const { call, log } = yield* played({ 1: [150, "ok"] })
      expect(yield* Hedge.hedge(call, { ...hedge, bucket: slow })).toBe(1)
      expect(log).toEqual(["1@0", "1ok@150"])
      expect(held.tokens).toBe(5)
      expect(heard).toEqual(["start 1", "ask 2 none", "start 2", "Succeeded 1 0", "refund", "Abandoned 2 1"])
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
      const { call, log } = yield* played({ 1: [900, "ok"] })
      const observe = [() => Effect.die("broken")]
      expect(yield* Hedge.hedge(call, { ...hedge, bucket, observe })).toBe(1)
      expect(log).toEqual(["1@0", "1ok@900"])
    }).pipe(Logger.withMinimumLogLevel(LogLevel.None), VirtualClock.run)
  )
})

describe("Hedge.hedge with observers", () => {
  it.effect.each<{ name: string; script: Script; changes?: Changes; heard: ReadonlyArray<string> }>([
    {
      name: "a hedge that answers first",
      script: { 2: [50, "ok"] },
      heard: ["HedgeStarted 2 at 100: Delay, 2 in flight", "Succeeded 2 at 150"]
    },
    {
      name: "an attempt that follows a failure",
      script: { 1: [30, "pass"], 2: [50, "ok"] },
      heard: ["AttemptFailed 1 at 30", "HedgeStarted 2 at 30: Failure, 1 in flight", "Succeeded 2 at 80"]
    },
    {
      name: "a fatal failure",
      script: { 2: [20, "fatal"] },
      heard: [
        "HedgeStarted 2 at 100: Delay, 2 in flight",
        "AttemptFailed 2 at 120",
        "GaveUp 2 at 120: not retryable: it is fatal"
      ]
    },
    {
      name: "the last failure",
      script: { 1: [1, "pass"], 2: [1, "pass"] },
      heard: [
        "AttemptFailed 1 at 1",
        "HedgeStarted 2 at 1: Failure, 1 in flight",
        "AttemptFailed 2 at 2",
        "GaveUp 2 at 2: all attempts spent"
      ]
    },
    {
      name: "a refusal of the bucket",
      script: { 1: [300, "ok"] },
      changes: { bucket: TokenBucket.empty },
      heard: ["HedgeRefused 1 at 100", "Succeeded 1 at 300"]
    },
    {
      name: "a refusal of the bucket after the last failure",
      script: { 1: [30, "pass"] },
      changes: { bucket: TokenBucket.empty },
      heard: ["AttemptFailed 1 at 30", "HedgeRefused 1 at 30", "GaveUp 1 at 30: the bucket refused the retry"]
    },
    {
      name: "a hint that is too long, after a later failure without one",
      script: { 1: [300, "pass"], 2: [1, "pass", "2 minutes"] },
      heard: [
        "HedgeStarted 2 at 100: Delay, 2 in flight",
        "AttemptFailed 2 at 101",
        "AttemptFailed 1 at 300",
        "GaveUp 2 at 300: the server asked for 2m, more than the policy waits"
      ]
    },
    {
      name: "a hint that is too long",
      script: { 1: [1, "pass", "2 minutes"] },
      heard: ["AttemptFailed 1 at 1", "GaveUp 1 at 1: the server asked for 2m, more than the policy waits"]
    },
    {
      name: "a deadline that refuses",
      script: { 1: [1, "pass", "1 second"] },
      changes: { deadline: Deadline.refuse("1 second") },
      heard: ["AttemptFailed 1 at 1", "GaveUp 1 at 1: the deadline of 1s would pass or has passed"]
    },
    {
      name: "a deadline that cuts",
      script: {},
      changes: { deadline: Deadline.cut("150 millis") },
      heard: [
        "HedgeStarted 2 at 100: Delay, 2 in flight",
        "AttemptFailed 1 at 150",
        "AttemptFailed 2 at 150",
        "GaveUp 2 at 150: the deadline of 150ms would pass or has passed"
      ]
    }
  ])("tells of $name", ({ changes, heard, script }) =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const observer: Observe.Observer = (event) =>
        Effect.sync(() => {
          expect([event.name, event.maxAttempts, event.details().subject]).toEqual(["books", 2, "books"])
          lines.push(`${event._tag} ${event.attempt} at ${Duration.toMillis(event.elapsed)}${detail(event)}`)
        })
      const { call } = yield* played(script)
      yield* Effect.exit(Hedge.hedge(call, { ...hedge, ...changes, name: "books", observe: [observer] }))
      expect(lines).toEqual(heard)
    }).pipe(VirtualClock.run)
  )

  it.effect("interrupts the others before it tells of a fatal failure", () =>
    Effect.gen(function* () {
      const { call, log } = yield* played({ 2: [20, "fatal"] })
      const observe = [(event: Observe.RetryEvent) => (event._tag === "AttemptFailed" ? Effect.sleep(50) : Effect.void)]
      yield* Effect.exit(Hedge.hedge(call, { ...hedge, observe }))
      expect(log).toEqual(["1@0", "2@100", "2fatal@120", "1x@120"])
    }).pipe(VirtualClock.run)
  )

  it.effect("ends when its last observer has heard of the end", () =>
    Effect.gen(function* () {
      const heard: Array<string> = []
      const observe = [
        ({ _tag }: Observe.RetryEvent) =>
          Effect.delay(
            Effect.sync(() => void heard.push(_tag)),
            10
          )
      ]
      yield* Hedge.hedge(Effect.void, { ...hedge, observe })
      expect(heard).toEqual(["Succeeded"])
    }).pipe(VirtualClock.run)
  )

  it.effect("can be interrupted while an observer hangs", () =>
    Effect.gen(function* () {
      const { call, log } = yield* played({ 2: [5, "pass"], 3: [5, "ok"] })
      const observe = [(event: Observe.RetryEvent) => (event._tag === "AttemptFailed" ? Effect.never : Effect.void)]
      const exit = yield* Effect.timeoutOption(Hedge.hedge(call, { ...hedge, maxAttempts: 3, observe }), 150)
      expect(exit).toEqual(Option.none())
      expect(log).toEqual(["1@0", "2@100", "2pass@105", "1x@150"])
    }).pipe(VirtualClock.run)
  )
})

const detail = (event: Observe.RetryEvent): string => {
  if (event._tag === "GaveUp") return `: ${Retry.format(event.reason)}`
  return event._tag === "HedgeStarted" ? `: ${event.because}, ${event.inFlight} in flight` : ""
}

describe("Hedge.hedge with judged results", () => {
  const answers = (script: { readonly [attempt: number]: readonly [afterMillis: number, status: number] }) =>
    numbered((attempt) =>
      Effect.map(Effect.sleep(script[attempt]?.[0] ?? Infinity), () => ({ attempt, status: script[attempt]?.[1] }))
    )
  const judged = (released: Array<string>) => ({
    ...hedge,
    classifier: Classifier.never,
    result: ({ status }: { readonly status: number | undefined }) =>
      status === 503
        ? Verdict.retryable("Server")
        : status === 400
          ? Verdict.terminal("it is wrong")
          : Verdict.noOpinion,
    release: (failed: unknown, because: "Retried" | "Interrupted") =>
      Effect.sync(() => void released.push(`${(failed as { attempt: number }).attempt} ${because}`))
  })

  it.effect.each<{
    name: string
    script: Parameters<typeof answers>[0]
    answer: number
    released: ReadonlyArray<string>
  }>([
    {
      name: "takes a result that means again as a failure, and releases it",
      script: { 1: [10, 503], 2: [10, 200] },
      answer: 2,
      released: ["1 Retried"]
    },
    {
      name: "answers the last result that means again, and releases those before",
      script: { 1: [10, 503], 2: [10, 503] },
      answer: 2,
      released: ["1 Retried"]
    },
    { name: "answers a result of no use at once", script: { 1: [10, 400] }, answer: 1, released: [] },
    { name: "releases nothing of an attempt that was interrupted", script: { 2: [10, 200] }, answer: 2, released: [] }
  ])("$name", ({ answer, released: expected, script }) =>
    Effect.gen(function* () {
      const released: Array<string> = []
      const { attempt } = yield* Hedge.hedge(answers(script), judged(released))
      expect(attempt).toBe(answer)
      expect(released).toEqual(expected)
    }).pipe(VirtualClock.run)
  )

  it.effect("judges a result that comes at once", () =>
    Effect.gen(function* () {
      const { release: _, ...judging } = judged([])
      const call = numbered((attempt) => Effect.succeed({ attempt, status: attempt === 1 ? 503 : 200 }))
      expect(yield* Hedge.hedge(call, judging)).toEqual({ attempt: 2, status: 200 })
    }).pipe(VirtualClock.run)
  )

  it.effect("releases the result of a loser that answers at the same moment", () =>
    Effect.gen(function* () {
      const released: Array<string> = []
      const { call, moment } = yield* together((attempt) => Effect.succeed({ attempt, status: 200 }))
      const fiber = yield* Effect.fork(Hedge.hedge(call, { ...judged(released), delay: 0 }))
      yield* moment
      expect(yield* Fiber.join(fiber)).toEqual({ attempt: 1, status: 200 })
      expect(released).toEqual(["2 Interrupted"])
    }).pipe(VirtualClock.run)
  )

  it.effect("does not release the answer for a loser that has the same one", () =>
    Effect.gen(function* () {
      const released: Array<string> = []
      const shared = { attempt: 0, status: 200 }
      const { call, moment } = yield* together(() => Effect.succeed(shared))
      const fiber = yield* Effect.fork(Hedge.hedge(call, { ...judged(released), delay: 0 }))
      yield* moment
      expect(yield* Fiber.join(fiber)).toBe(shared)
      expect(released).toEqual([])
    }).pipe(VirtualClock.run)
  )

  it.effect("releases the answer when it is interrupted while it waits for a loser", () =>
    Effect.gen(function* () {
      const released: Array<string> = []
      const call = numbered((attempt) =>
        attempt === 1
          ? Effect.uninterruptible(Effect.as(Effect.sleep("1 minute"), { attempt, status: 200 }))
          : Effect.succeed({ attempt, status: 200 })
      )
      yield* Effect.timeoutOption(Hedge.hedge(call, judged(released)), 200)
      expect(released).toEqual(["2 Interrupted"])
    }).pipe(VirtualClock.run)
  )

  it.effect("releases the answer when it is interrupted while an observer of the end hangs", () =>
    Effect.gen(function* () {
      const released: Array<string> = []
      const hanging = { ...judged(released), observe: [() => Effect.never] }
      yield* Effect.timeoutOption(Hedge.hedge(answers({ 1: [10, 200] }), hanging), 50)
      expect(released).toEqual(["1 Interrupted"])
    }).pipe(VirtualClock.run)
  )

  it.effect("releases what is open when it is interrupted", () =>
    Effect.gen(function* () {
      const released: Array<string> = []
      yield* Effect.timeoutOption(Hedge.hedge(answers({ 1: [10, 503] }), judged(released)), 100)
      expect(released).toEqual(["1 Interrupted"])
    }).pipe(VirtualClock.run)
  )
})

/** A percentile that always has this estimate, or none, and what it was told. */
const recording = (estimate?: number) => {
  const measured: Array<number> = []
  const delay: Hedge.Percentile = {
    estimate: Effect.succeed(Option.map(Option.fromNullable(estimate), Duration.millis)),
    record: (millis) => Effect.sync(() => void measured.push(millis))
  }
  return { delay, measured }
}

describe("Hedge.percentile", () => {
  const after = (millis: number) => Effect.sleep(millis)

  it.effect("starts no hedge before fifty latencies, and then at the percentile", () =>
    Effect.gen(function* () {
      const delay = yield* Hedge.percentile({ at: 0.9 })
      const fixed = { classifier: Classifier.always, maxAttempts: 2, delay }
      for (let i = 0; i < 49; i++) yield* Hedge.hedge(after(10), fixed)
      expect(yield* delay.estimate).toEqual(Option.none())
      yield* Hedge.hedge(after(10), fixed)
      const millis = Option.map(yield* delay.estimate, Duration.toMillis)
      expect(Option.getOrThrow(millis)).toBeGreaterThan(10 / 1.1)
      expect(Option.getOrThrow(millis)).toBeLessThan(10 * 1.1)
      const { call, log } = yield* played({ 2: [1, "ok"] })
      const began = Duration.toMillis(yield* VirtualClock.now)
      yield* Hedge.hedge(call, { ...hedge, delay })
      const at = Number(log[1]!.split("@")[1]) - began
      expect(at).toBeGreaterThanOrEqual(10)
      expect(at).toBeLessThanOrEqual(11)
    }).pipe(VirtualClock.run)
  )

  it.effect("forgets after ten minutes without a latency", () =>
    Effect.gen(function* () {
      const delay = yield* Hedge.percentile()
      yield* Effect.sleep("1 hour")
      yield* Effect.replicateEffect(delay.record(10), 50)
      yield* Effect.sleep("10 minutes")
      expect(Option.isSome(yield* delay.estimate)).toBe(true)
      yield* Effect.sleep(1)
      expect(yield* delay.estimate).toEqual(Option.none())
      yield* delay.record(10)
      expect(yield* delay.estimate).toEqual(Option.none())
    }).pipe(VirtualClock.run)
  )

  it.effect.each<{
    name: string
    script: Script
    changes?: Changes
    timeout?: number
    recorded: ReadonlyArray<number>
  }>([
    { name: "the first attempt where it succeeds", script: { 1: [80, "ok"] }, recorded: [80] },
    { name: "the age of the first where another one succeeds", script: { 2: [50, "ok"] }, recorded: [150] },
    { name: "the first attempt where it succeeds after all", script: { 1: [300, "ok"] }, recorded: [300] },
    { name: "no failure", script: { 1: [20, "pass"], 2: [5, "ok"] }, recorded: [] },
    { name: "no fatal failure", script: { 1: [20, "fatal"] }, recorded: [] },
    {
      name: "the age of the first where the operation is cut",
      changes: { deadline: Deadline.cut(250) },
      script: {},
      recorded: [250]
    },
    { name: "the age of the first where it is interrupted after the delay", timeout: 250, script: {}, recorded: [250] },
    { name: "the age of the first where it is interrupted at the delay", timeout: 100, script: {}, recorded: [100] },
    { name: "nothing where it is interrupted before the delay", timeout: 50, script: {}, recorded: [] },
    {
      name: "nothing where it is cut after the failure of the first",
      changes: { deadline: Deadline.cut(250) },
      script: { 1: [20, "pass", 200] },
      recorded: []
    },
    {
      name: "nothing where it is interrupted after the failure of the first",
      timeout: 150,
      script: { 1: [20, "pass", 200] },
      recorded: []
    }
  ])("measures $name", ({ changes, recorded, script, timeout = 10_000 }) =>
    Effect.gen(function* () {
      const { delay, measured } = recording(100)
      const { call } = yield* played(script)
      const fiber = yield* Effect.fork(Hedge.hedge(call, { ...hedge, ...changes, delay }))
      yield* Effect.sleep(timeout)
      const exit = yield* Fiber.interrupt(fiber)
      expect(measured).toEqual(recorded)
      expect(Option.flatMap(Exit.causeOption(exit), Cause.dieOption)).toEqual(Option.none())
    }).pipe(VirtualClock.run)
  )

  it.effect("measures no timeout of a later attempt", () =>
    Effect.gen(function* () {
      const { delay, measured } = recording(100)
      const call = numbered((attempt) =>
        attempt === 1 ? Effect.sleep(200) : Effect.delay(Effect.fail(new Passing({ attempt, kind: "Timeout" })), 10)
      )
      yield* Hedge.hedge(call, { ...hedge, delay })
      expect(measured).toEqual([200])
    }).pipe(VirtualClock.run)
  )

  it.effect.each<{ name: string; changes: Changes; recorded: ReadonlyArray<number> }>([
    { name: "from its start", changes: {}, recorded: [80] },
    { name: "not at all if it is cut before that", changes: { deadline: Deadline.cut(20) }, recorded: [] }
  ])("measures the first attempt $name, when the bucket takes time to be told of it", ({ changes, recorded }) =>
    Effect.gen(function* () {
      const { delay, measured } = recording()
      const bucket: TokenBucket.TokenBucket = { ...bucketOf(5).bucket, started: () => Effect.sleep(30) }
      const { call } = yield* played({ 1: [80, "ok"] })
      yield* Effect.exit(Hedge.hedge(call, { ...hedge, ...changes, delay, bucket }))
      expect(measured).toEqual(recorded)
    }).pipe(VirtualClock.run)
  )

  it.effect("measures a timeout of the first attempt", () =>
    Effect.gen(function* () {
      const { delay, measured } = recording()
      const call = numbered((attempt) =>
        Effect.delay(Effect.fail(new Passing({ attempt, kind: "Timeout" })), attempt === 1 ? 70 : 30)
      )
      yield* Effect.exit(Hedge.hedge(call, { ...hedge, delay }))
      expect(measured).toEqual([70])
    }).pipe(VirtualClock.run)
  )

  it.each<[unknown, string]>([
    [{ at: 0 }, "at must be > 0 and <= 0.9999, got 0"],
    [{ at: 1 }, "at must be > 0 and <= 0.9999, got 1"],
    [{ at: "0.9" }, 'at must be > 0 and <= 0.9999, got "0.9"'],
    [7, "options must be a record, as in Hedge.percentile({ at: 0.95 }), got 7"]
  ])("refuses %o", (options, message) => {
    expect(() => Hedge.percentile(options as never)).toThrow(`Hedge.percentile: ${message}`)
  })
})

class Database extends Context.Tag("test/Database")<Database, string>() {}
class Tokens extends Context.Tag("test/Tokens")<Tokens, TokenBucket.TokenBucket>() {}
class Busy extends Data.TaggedError("Busy") {}

declare const query: Effect.Effect<string, Busy | Fatal, Database | Scope.Scope>

describe("Hedge.hedge types", () => {
  const times = { maxAttempts: 2, delay: "1 second" } as const

  it("keep result, error and services, and know the error in a pipe and data-first", () => {
    const piped = () =>
      query.pipe(
        Hedge.hedge({
          ...times,
          classifier: (error) => {
            expectTypeOf(error).toEqualTypeOf<Busy | Fatal>()
            return Verdict.transient
          },
          result: (text) => {
            expectTypeOf(text).toEqualTypeOf<string>()
            return Verdict.noOpinion
          }
        })
      )
    expectTypeOf(piped).returns.toEqualTypeOf<Effect.Effect<string, Busy | Fatal, Database | Scope.Scope>>()
    const first = () => Hedge.hedge(query, { ...times, classifier: Classifier.fromTags({ Busy: Verdict.transient }) })
    expectTypeOf(first).returns.toEqualTypeOf<Effect.Effect<string, Busy | Fatal, Database | Scope.Scope>>()
    const stored = () => Hedge.hedge({ ...times, classifier: Classifier.always })(query)
    expectTypeOf(stored).returns.toEqualTypeOf<Effect.Effect<string, Busy | Fatal, Database | Scope.Scope>>()
  })

  it("add the error of a deadline that cuts, and the service of a tag, and only then", () => {
    const cut = () =>
      query.pipe(Hedge.hedge({ ...times, classifier: Classifier.always, deadline: Deadline.cut("1 second") }))
    expectTypeOf(cut).returns.toEqualTypeOf<
      Effect.Effect<string, Busy | Fatal | Deadline.DeadlineExceeded, Database | Scope.Scope>
    >()
    const funded = () => Hedge.hedge(query, { ...times, classifier: Classifier.always, bucket: Tokens })
    expectTypeOf(funded).returns.toEqualTypeOf<Effect.Effect<string, Busy | Fatal, Database | Scope.Scope | Tokens>>()
    const numbered = () =>
      Hedge.hedge(Effect.zipRight(Retry.CurrentAttempt, query), {
        ...times,
        classifier: Classifier.always,
        attempt: Retry.CurrentAttempt
      })
    expectTypeOf(numbered).returns.toEqualTypeOf<Effect.Effect<string, Busy | Fatal, Database | Scope.Scope>>()
  })

  it("refuse a classifier of other errors, and a field that a hedge does not have", () => {
    const judged: Classifier.Classifier<Passing> = () => Verdict.transient
    // @ts-expect-error it does not judge Busy
    const foreign = () => Hedge.hedge(query, { ...times, classifier: judged })
    // @ts-expect-error it does not judge Busy
    const piped = () => query.pipe(Hedge.hedge({ ...times, classifier: judged }))
    // @ts-expect-error a hedge has no field 'backoff'
    const extra = () => Hedge.hedge(query, { ...times, classifier: Classifier.always, backoff: 1 })
    // @ts-expect-error a hedge has a delay
    const lacking = () => Hedge.hedge(query, { maxAttempts: 2, classifier: Classifier.always })
    expect([foreign, piped, extra, lacking]).toHaveLength(4)
  })
})
