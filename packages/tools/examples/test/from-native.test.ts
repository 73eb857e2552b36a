import {
  AttemptTimeout,
  Backoff,
  Classifier,
  Curve,
  Deadline,
  Hint,
  Jitter,
  Observe,
  Policy,
  Retry,
  TokenBucket,
  Verdict
} from "@effect-retry/core"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Chunk, Clock, Duration, Effect, Exit, Fiber, Option, Ref, Schedule, Stream } from "effect"
import { afterEach, vi } from "vitest"
import { timeline } from "../src/scripted.ts"
import { tableOf } from "./rows.ts"

const path = "docs/from-native.md"

const virtually = (name: string, body: () => Effect.Effect<void, unknown>) =>
  it.effect(name, () => VirtualClock.run(body()).pipe(Effect.provide(SeededRandom.layer(name))))

/** The first delays of a schedule in milliseconds, stepped without waiting; fewer where it ends. */
const delaysOf = <Out, R>(schedule: Schedule.Schedule<Out, unknown, R>, count: number) =>
  Effect.map(Schedule.run(Schedule.delays(schedule), 0, Array.from({ length: count })), (delays) =>
    Chunk.toReadonlyArray(delays).map(Duration.toMillis)
  )

const down = Effect.fail("down")
const policy = { classifier: Classifier.always, maxAttempts: 4, backoff: Backoff.exponential({ base: "100 millis" }) }
const failing = <A, E>(caller: (call: Effect.Effect<never, string>) => Effect.Effect<A, E>) => timeline([down], caller)

/** Ends what would go on for ever. */
const during = (duration: Duration.DurationInput) =>
  Effect.timeoutTo({ duration, onTimeout: () => "still retrying", onSuccess: (value: unknown) => value })

tableOf(path, "## What goes wrong", {
  "`jittered` after a cap": () => {
    const native = Schedule.exponential("100 millis").pipe(
      Schedule.delayed((delay) => Duration.min(delay, Duration.seconds(1))),
      Schedule.jittered
    )
    const exponential = Backoff.exponential({ base: "100 millis" })
    const capped = exponential.pipe(Backoff.capped("1 second"))

    virtually("goes above the cap", () =>
      Effect.gen(function* () {
        const delays = yield* delaysOf(native, 200)
        expect(Math.max(...delays)).toBeGreaterThan(1150)
      })
    )

    virtually("keeps below the cap here, in either order", () =>
      Effect.gen(function* () {
        const jitter = Jitter.proportional({ ratio: 0.2 })
        const jitteredLast = yield* delaysOf(Backoff.jittered(capped, jitter), 200)
        expect(Math.max(...jitteredLast)).toBeLessThanOrEqual(1000)
        const cappedLast = exponential.pipe(Backoff.jittered(jitter), Backoff.capped("1 second"))
        expect(cappedLast.tree).toEqual(Backoff.jittered(capped, jitter).tree)
      })
    )
  },

  "`jittered` before a cap": () => {
    const onTheCap = (delays: ReadonlyArray<number>) => delays.filter((delay) => delay === 1000).length / delays.length

    virtually("gathers the late delays on the cap", () =>
      Effect.gen(function* () {
        const native = Schedule.exponential("100 millis").pipe(
          Schedule.jittered,
          Schedule.delayed((delay) => Duration.min(delay, Duration.seconds(1)))
        )
        expect(onTheCap((yield* delaysOf(native, 200)).slice(5))).toBe(1)
      })
    )

    virtually("spreads them below the cap here", () =>
      Effect.gen(function* () {
        const ours = Backoff.exponential({ base: "100 millis" }).pipe(
          Backoff.jittered(Jitter.proportional({ ratio: 0.2 })),
          Backoff.capped("1 second")
        )
        expect(onTheCap((yield* delaysOf(ours, 200)).slice(5))).toBeLessThan(0.05)
      })
    )
  },

  "A cap by `union` with `spaced`": () => {
    virtually("loses the stop that was inside", () =>
      Effect.gen(function* () {
        const native = Schedule.exponential("100 millis").pipe(
          Schedule.intersect(Schedule.recurs(3)),
          Schedule.union(Schedule.spaced("300 millis"))
        )
        const { calls, outcome } = yield* failing((call) => during("1 minute")(Effect.retry(call, native)))
        expect(outcome).toBe("still retrying")
        expect(calls.length).toBeGreaterThan(100)
      })
    )

    virtually("never changes when anything stops here", () =>
      Effect.gen(function* () {
        const { calls } = yield* failing(
          Retry.retry({ ...policy, backoff: policy.backoff.pipe(Backoff.capped("300 millis")) })
        )
        expect(calls).toEqual([0, 100, 300, 600])
        expect(yield* delaysOf(Backoff.fromDelays([100, 500]).pipe(Backoff.capped("300 millis")), 5)).toEqual([
          100, 300, 0
        ])
      })
    )
  },

  "`andThen(recurs(5))` after `exponential`": () => {
    virtually("is never reached", () =>
      Effect.gen(function* () {
        const native = Schedule.exponential("1 millis").pipe(Schedule.andThen(Schedule.recurs(5)))
        const { calls, outcome } = yield* failing((call) => during("1 hour")(Effect.retry(call, native)))
        expect(outcome).toBe("still retrying")
        expect(calls.length).toBeGreaterThan(6)
      })
    )

    virtually("is the count of a schedule here", () =>
      Effect.gen(function* () {
        const backoff = Backoff.exponential({ base: "1 millis" }).pipe(Backoff.take(5))
        expect((yield* failing(Effect.retry(backoff))).calls).toHaveLength(6)
      })
    )

    virtually("is a field of its own here", () =>
      Effect.gen(function* () {
        const { calls } = yield* failing(Retry.retry({ ...policy, maxAttempts: 6 }))
        expect(calls).toHaveLength(6)
      })
    )
  },

  "`recurs(3)`, `times: 3`": () => {
    virtually("allow four calls", () =>
      Effect.gen(function* () {
        expect((yield* failing(Effect.retry({ times: 3 }))).calls).toHaveLength(4)
        expect((yield* failing(Effect.retry(Schedule.recurs(3)))).calls).toHaveLength(4)
      })
    )

    virtually("are counted in calls here", () =>
      Effect.gen(function* () {
        expect((yield* failing(Retry.retry({ ...policy, maxAttempts: 3 }))).calls).toHaveLength(3)
      })
    )
  },

  "`upTo`": () => {
    const slow = Effect.delay(down, "300 millis")

    virtually("starts an attempt after the time and ends later still", () =>
      Effect.gen(function* () {
        const native = Schedule.spaced("100 millis").pipe(Schedule.upTo("500 millis"))
        const { calls } = yield* timeline([slow], Effect.retry(native))
        expect(calls).toEqual([0, 400, 800])
        expect(yield* Clock.currentTimeMillis).toBe(1100)
      })
    )

    virtually("counts from the first failure with within too, and starts nothing late", () =>
      Effect.gen(function* () {
        const backoff = Backoff.constant({ delay: "100 millis" }).pipe(Backoff.within("500 millis"))
        expect((yield* timeline([slow], Effect.retry(backoff))).calls).toEqual([0, 400])
      })
    )

    virtually("counts from the start of the first attempt under a policy, and starts nothing late", () =>
      Effect.gen(function* () {
        const backoff = Backoff.constant({ delay: "100 millis" })
        const { calls } = yield* timeline(
          [slow],
          Retry.retry({ ...policy, backoff, deadline: Deadline.refuse("500 millis") })
        )
        expect(calls).toEqual([0, 400])
        expect(yield* Clock.currentTimeMillis).toBe(700)
      })
    )

    virtually("can bound the running attempt too here", () =>
      Effect.gen(function* () {
        const backoff = Backoff.constant({ delay: "100 millis" })
        const deadline = Deadline.refuse("500 millis")
        const attemptTimeout = AttemptTimeout.constant("1 minute")
        yield* timeline([slow], Retry.retry({ ...policy, backoff, deadline, attemptTimeout }))
        expect(yield* Clock.currentTimeMillis).toBe(500)
      })
    )
  },

  "`resetAfter`": () => {
    virtually("resets a steady series of failures", () =>
      Effect.gen(function* () {
        const native = Schedule.exponential("100 millis").pipe(
          Schedule.resetAfter("1 second"),
          Schedule.intersect(Schedule.recurs(8))
        )
        const { calls } = yield* failing(Effect.retry(native))
        expect(calls).toEqual([0, 100, 300, 700, 1500, 1600, 1800, 2200, 3000])
      })
    )

    virtually("resets after an attempt that lasted, and only then, here", () =>
      Effect.gen(function* () {
        const backoff = policy.backoff.pipe(Backoff.resetAfter("1 second"))
        const steady = yield* failing(Retry.retry({ ...policy, backoff, maxAttempts: 6 }))
        expect(steady.calls).toEqual([0, 100, 300, 700, 1500, 3100])
        const lasting = yield* timeline(
          [down, down, Effect.delay(down, "1 second"), down],
          Retry.retry({ ...policy, backoff, maxAttempts: 5 })
        )
        expect(lasting.calls).toEqual([0, 100, 300, 1400, 1600])
      })
    )
  },

  "`intersect` with a schedule that spends": () => {
    virtually("spends although the other side has stopped", () =>
      Effect.gen(function* () {
        const spent = yield* Ref.make(0)
        const spending = Schedule.tapInput(Schedule.forever, () => Ref.update(spent, (tokens) => tokens + 1))
        yield* failing(Effect.retry(Schedule.intersect(Schedule.recurs(2), spending)))
        expect(yield* Ref.get(spent)).toBe(3)
      })
    )

    virtually("asks the bucket last here, and only for a retry that will be made", () =>
      Effect.gen(function* () {
        const spent = yield* Ref.make(0)
        const bucket: TokenBucket.TokenBucket = {
          ...TokenBucket.unlimited,
          acquire: () =>
            Effect.as(
              Ref.update(spent, (tokens) => tokens + 1),
              Option.some({ tokens: 1, refund: Effect.void })
            )
        }
        yield* failing(Retry.retry({ ...policy, maxAttempts: 3, bucket }))
        expect(yield* Ref.get(spent)).toBe(2)
      })
    )
  },

  "`exponential` without a cap, inside `intersect`": () => {
    virtually("becomes infinite and burns the count of the other side", () =>
      Effect.gen(function* () {
        const native = Schedule.exponential("1 millis", 1e300).pipe(
          Schedule.intersect(Schedule.recurs(10)),
          Schedule.delayed((delay) => Duration.min(delay, Duration.seconds(1)))
        )
        const { calls } = yield* failing(Effect.retry(native))
        expect(calls).toEqual([0, 1, 1001])
      })
    )

    virtually("stays finite here, and every attempt is made", () =>
      Effect.gen(function* () {
        const backoff = Backoff.exponential({ base: "1 millis", factor: 1e300 })
        const { calls } = yield* failing(Retry.retry({ ...policy, backoff, maxAttempts: 4 }))
        expect(calls).toHaveLength(4)
        const native = Schedule.intersect(backoff, Schedule.recurs(10))
        expect((yield* failing(Effect.retry(native))).calls).toHaveLength(11)
      })
    )
  },

  "A delay above 2^31 - 1 milliseconds": () => {
    const longest = 2_147_483_647
    afterEach(() => {
      vi.useRealTimers()
    })

    it("arms no timer, so that the fiber never wakes", async () => {
      vi.useFakeTimers()
      const retrying = (delay: number) =>
        Effect.runFork(Effect.retry(down, Schedule.intersect(Schedule.spaced(delay), Schedule.recurs(1))))
      const sleeping = retrying(longest + 1)
      expect(vi.getTimerCount()).toBe(0)
      const waking = retrying(longest)
      expect(vi.getTimerCount()).toBe(1)
      vi.useRealTimers()
      await Effect.runPromise(Effect.zipRight(Fiber.interruptFork(sleeping), Fiber.interruptFork(waking)))
    })

    it("arms none for a Backoff under native retry either", async () => {
      vi.useFakeTimers()
      const backoff = Backoff.constant({ delay: longest + 1 })
      const sleeping = Effect.runFork(Effect.retry(down, Schedule.intersect(backoff, Schedule.recurs(1))))
      expect(vi.getTimerCount()).toBe(0)
      vi.useRealTimers()
      await Effect.runPromise(Fiber.interruptFork(sleeping))
    })

    it("is waited in several sleeps here, on the same live clock", async () => {
      vi.useFakeTimers()
      const exit = Effect.runPromiseExit(
        Retry.retry(down, { ...policy, maxAttempts: 2, backoff: Backoff.constant({ delay: longest + 5000 }) })
      )
      await vi.advanceTimersByTimeAsync(longest + 4999)
      expect(vi.getTimerCount()).toBe(1)
      await vi.advanceTimersByTimeAsync(1)
      expect(await exit).toEqual(Exit.fail("down"))
    })
  },

  "A factor that is not a whole number": () => {
    virtually("makes fractions of a millisecond", () =>
      Effect.gen(function* () {
        expect(yield* delaysOf(Schedule.exponential("100 millis", 1.5), 6)).toEqual([
          100, 150, 225, 337.5, 506.25, 759.375
        ])
      })
    )

    virtually("is rounded up to whole milliseconds here", () =>
      Effect.gen(function* () {
        expect(yield* delaysOf(Backoff.exponential({ base: "100 millis", factor: 1.5 }), 6)).toEqual([
          100, 150, 225, 338, 507, 760
        ])
      })
    )
  },

  "A negative delay or NaN": () => {
    virtually("is no delay at all", () =>
      Effect.gen(function* () {
        for (const delay of [-1000, NaN]) {
          const { calls } = yield* failing(Effect.retry(Schedule.intersect(Schedule.spaced(delay), Schedule.recurs(2))))
          expect(calls).toEqual([0, 0, 0])
        }
      })
    )

    it("is refused at construction here", () => {
      expect(() => Backoff.constant({ delay: -1000 })).toThrow(
        "Backoff.constant: delay must be a finite duration >= 0, got -1000"
      )
      expect(() => Backoff.constant({ delay: NaN })).toThrow(
        "Backoff.constant: delay must be a finite duration >= 0, got NaN"
      )
    })
  },

  "`retry(schedule)` alone": () => {
    virtually("retries every error of the type", () =>
      Effect.gen(function* () {
        const { calls } = yield* timeline([Effect.fail("forbidden")], Effect.retry(Schedule.recurs(3)))
        expect(calls).toHaveLength(4)
      })
    )

    virtually("retries only what a classifier calls retryable here", () =>
      Effect.gen(function* () {
        const classifier = Classifier.fromPredicate((error: string) => error === "down")
        const { calls } = yield* timeline([down, Effect.fail("forbidden")], Retry.retry({ ...policy, classifier }))
        expect(calls).toEqual([0, 100])
      })
    )
  },

  "A server that says how long to wait": () => {
    interface Busy {
      readonly retryAfter: Duration.DurationInput
    }
    const busy = Effect.fail<Busy>({ retryAfter: "30 seconds" })

    virtually("is not heard", () =>
      Effect.gen(function* () {
        const native = Schedule.exponential("100 millis").pipe(Schedule.intersect(Schedule.recurs(2)))
        expect((yield* timeline([busy], Effect.retry(native))).calls).toEqual([0, 100, 300])
      })
    )

    virtually("is heard by name of a rule here, up to a bound", () =>
      Effect.gen(function* () {
        const hinted = {
          ...policy,
          maxAttempts: 3,
          hint: Hint.floor({ atMost: "1 minute", otherwise: "giveUp" }),
          classifier: ({ retryAfter }: Busy) => Verdict.retryable("Throttling", { hint: retryAfter })
        }
        expect((yield* timeline([busy], Retry.retry(hinted))).calls).toEqual([0, 30_000, 60_000])
        const bounded = Hint.floor({ atMost: "10 seconds", otherwise: "giveUp" })
        expect((yield* timeline([busy], Retry.retry({ ...hinted, hint: bounded }))).calls).toEqual([0])
      })
    )
  },

  "`timeout` around `retry`": () => {
    const wrapped = <A, E, R>(call: Effect.Effect<A, E, R>) =>
      Effect.retry(call, Schedule.spaced("1 second")).pipe(Effect.timeout("2500 millis"))

    virtually("loses the error of the attempts", () =>
      Effect.gen(function* () {
        const { calls, outcome } = yield* failing(wrapped)
        expect(calls).toEqual([0, 1000, 2000])
        expect(Cause.isTimeoutException(outcome)).toBe(true)
        expect(yield* Clock.currentTimeMillis).toBe(2500)
      })
    )

    virtually("stops at once with the last error under a deadline here", () =>
      Effect.gen(function* () {
        const backoff = Backoff.constant({ delay: "1 second" })
        const { calls, outcome } = yield* failing(
          Retry.retry({ ...policy, backoff, deadline: Deadline.refuse("2500 millis") })
        )
        expect(calls).toEqual([0, 1000, 2000])
        expect(outcome).toBe("down")
        expect(yield* Clock.currentTimeMillis).toBe(2000)
      })
    )

    virtually("keeps the last failure as its error when the deadline cuts here", () =>
      Effect.gen(function* () {
        const backoff = Backoff.constant({ delay: "1 second" })
        const cut = { ...policy, backoff, deadline: Deadline.cut("2500 millis") }
        const exceeded = yield* Effect.flip(Retry.retry(down, cut))
        expect(exceeded).toMatchObject({ _tag: "DeadlineExceeded", attempts: 3, error: "down" })
      })
    )
  },

  "`timeout` around an attempt that cannot be interrupted": () => {
    const stubborn = Effect.uninterruptible(Effect.sleep("5 seconds"))

    virtually("waits for the attempt", () =>
      Effect.gen(function* () {
        yield* Effect.exit(Effect.timeout(stubborn, "1 second"))
        expect(yield* Clock.currentTimeMillis).toBe(5000)
      })
    )

    virtually("waits here too, unless it is disconnected", () =>
      Effect.gen(function* () {
        const attemptTimeout = AttemptTimeout.constant("1 second")
        const once = { ...policy, maxAttempts: 1, attemptTimeout }
        const [waited] = yield* Effect.timed(Effect.exit(Retry.retry(stubborn, once)))
        expect(Duration.toMillis(waited)).toBe(5000)
        const disconnected = { ...once, attemptTimeout: AttemptTimeout.disconnected(attemptTimeout) }
        const [left] = yield* Effect.timed(Effect.exit(Retry.retry(stubborn, disconnected)))
        expect(Duration.toMillis(left)).toBe(1000)
      })
    )
  },

  "The errors before the last one": () => {
    const script = [Effect.fail("reset"), Effect.fail("busy"), down] as const

    virtually("are lost", () =>
      Effect.gen(function* () {
        const { outcome } = yield* timeline([...script], (call) => Effect.sandbox(Effect.retry(call, { times: 2 })))
        expect(outcome).toEqual(Cause.fail("down"))
      })
    )

    virtually("are kept by the second door here", () =>
      Effect.gen(function* () {
        const { outcome } = yield* timeline([...script], Retry.orStopped({ ...policy, maxAttempts: 3 }))
        expect(outcome.reason).toEqual({ _tag: "AttemptsSpent", maxAttempts: 3 })
        expect(outcome.history.map(({ error }) => error)).toEqual(["reset", "busy", "down"])
        expect(outcome.history.map(({ delay }) => Option.map(delay, Duration.toMillis))).toEqual([
          Option.some(100),
          Option.some(200),
          Option.none()
        ])
      })
    )
  },

  "`tapInput` for logs and counters": () => {
    const script = [down, Effect.succeed("up")] as const

    virtually("hears failures only", () =>
      Effect.gen(function* () {
        const heard: Array<string> = []
        const schedule = Schedule.tapInput(Schedule.recurs(1), (error: string) => Effect.sync(() => heard.push(error)))
        yield* timeline([...script], Effect.retry(schedule))
        yield* timeline([down], Effect.retry(schedule))
        expect(heard).toEqual(["down", "down", "down"])
      })
    )

    virtually("hears everything here", () =>
      Effect.gen(function* () {
        const heard: Array<string> = []
        const observer: Observe.Observer = ({ _tag }) => Effect.sync(() => heard.push(_tag))
        const observed = { ...policy, maxAttempts: 2, observe: [observer] }
        yield* timeline([...script], Retry.retry(observed))
        yield* timeline([down], Retry.retry(observed))
        const retried = ["AttemptFailed", "RetryScheduled"]
        expect(heard).toEqual([...retried, "Succeeded", ...retried, "AttemptFailed", "GaveUp"])
      })
    )
  },

  "One schedule for many callers": () => {
    const callers = <E, R>(caller: (call: Effect.Effect<never, string>) => Effect.Effect<unknown, E, R>) =>
      Effect.map(
        timeline([down], (call) => Effect.replicateEffect(Effect.exit(caller(call)), 100)),
        ({ calls }) => calls.length
      )

    virtually("counts for each of them", () =>
      Effect.gen(function* () {
        expect(yield* callers(Effect.retry(Schedule.recurs(2)))).toBe(300)
      })
    )

    virtually("shares a bucket here", () =>
      Effect.gen(function* () {
        const bucket = yield* TokenBucket.successRatio({ ratio: 0.1, capacity: 10 })
        expect(yield* callers(Retry.retry({ ...policy, maxAttempts: 3, bucket }))).toBe(110)
      })
    )
  },

  "`retry` inside `repeat`": () => {
    const notReady = Effect.succeed("not ready")
    const script = [down, notReady, down, notReady, down, notReady, down, notReady, down] as const

    virtually("counts failures and results apart", () =>
      Effect.gen(function* () {
        const { calls } = yield* timeline([...script], (call) =>
          call.pipe(Effect.retry({ times: 1 }), Effect.repeat({ times: 1, until: (answer) => answer === "ready" }))
        )
        expect(calls).toHaveLength(4)
      })
    )

    virtually("is one counter here", () =>
      Effect.gen(function* () {
        const until = {
          ...policy,
          maxAttempts: 2,
          result: (answer: string) => (answer === "ready" ? Verdict.noOpinion : Verdict.transient)
        }
        const { calls, outcome } = yield* timeline([...script], Retry.retry(until))
        expect(calls).toEqual([0, 100])
        expect(outcome).toBe("not ready")
      })
    )
  },

  "`Stream.retry`": () => {
    const lostAfterOne = Stream.concat(Stream.make("element"), Stream.fail("lost"))
    const consume = (connect: Effect.Effect<Stream.Stream<string, string>>, schedule: Schedule.Schedule<unknown>) =>
      Stream.runDrain(Stream.retry(Stream.unwrap(connect), schedule))

    virtually("starts its schedule over with every first element", () =>
      Effect.gen(function* () {
        const native = Schedule.intersect(Schedule.exponential("100 millis"), Schedule.recurs(3))
        const { calls, outcome } = yield* timeline([Effect.succeed(lostAfterOne)], (connect) =>
          during("10 seconds")(consume(connect, native))
        )
        expect(outcome).toBe("still retrying")
        expect(calls.slice(0, 4)).toEqual([0, 100, 200, 300])
      })
    )

    virtually("does so with a Backoff too; a retry of the whole run counts", () =>
      Effect.gen(function* () {
        const threeDelays = Backoff.fromDelays([100, 200, 400])
        const stream = yield* timeline([Effect.succeed(lostAfterOne)], (connect) =>
          during("10 seconds")(consume(connect, threeDelays))
        )
        expect(stream.outcome).toBe("still retrying")
        const run = yield* timeline([Effect.succeed(lostAfterOne)], (connect) =>
          Retry.retry(Stream.runDrain(Stream.unwrap(connect)), policy)
        )
        expect(run).toEqual({ calls: [0, 100, 300, 700], outcome: "lost" })
      })
    )
  }
})

const sameDelays = (native: Schedule.Schedule<unknown>, ours: Backoff.Backoff) => () =>
  virtually("gives the same first eight delays", () =>
    Effect.gen(function* () {
      expect(yield* delaysOf(ours, 8)).toEqual(yield* delaysOf(native, 8))
    })
  )

tableOf(path, "## What to write instead", {
  '`spaced("1 second")`': sameDelays(Schedule.spaced("1 second"), Backoff.constant({ delay: "1 second" })),
  '`exponential("100 millis")`': sameDelays(
    Schedule.exponential("100 millis"),
    Backoff.exponential({ base: "100 millis" })
  ),
  '`exponential("100 millis", 3)`': sameDelays(
    Schedule.exponential("100 millis", 3),
    Backoff.exponential({ base: "100 millis", factor: 3 })
  ),
  '`linear("100 millis")`': sameDelays(
    Schedule.linear("100 millis"),
    Backoff.fromCurve(Curve.linear({ base: "100 millis", step: "100 millis" }))
  ),
  '`fibonacci("100 millis")`': sameDelays(
    Schedule.fibonacci("100 millis"),
    Backoff.fromCurve(Curve.fibonacci({ base: "100 millis" }))
  ),
  '`fromDelays("1 second", "5 seconds")`': sameDelays(
    Schedule.fromDelays("1 second", "5 seconds"),
    Backoff.fromDelays(["1 second", "5 seconds"])
  ),
  "`intersect` of two delays": sameDelays(
    Schedule.intersect(Schedule.exponential("100 millis"), Schedule.spaced("300 millis")),
    Backoff.max(Backoff.exponential({ base: "100 millis" }), Backoff.constant({ delay: "300 millis" }))
  ),
  "`union` of two delays": sameDelays(
    Schedule.union(Schedule.exponential("100 millis"), Schedule.spaced("300 millis")),
    Backoff.min(Backoff.exponential({ base: "100 millis" }), Backoff.constant({ delay: "300 millis" }))
  ),
  "`andThen`": sameDelays(
    Schedule.andThen(Schedule.fromDelays("1 millis", "1 millis"), Schedule.spaced("1 second")),
    Backoff.andThen(Backoff.fromDelays(["1 millis", "1 millis"]), Backoff.constant({ delay: "1 second" }))
  ),
  "`jittered`": () =>
    virtually("gives the same delays from the same draws", () =>
      Effect.gen(function* () {
        const draws = SeededRandom.layerFixed([0, 0.25, 0.75])
        const native = delaysOf(Schedule.jittered(Schedule.spaced("1 second")), 3)
        const ours = delaysOf(
          Backoff.constant({ delay: "1 second" }).pipe(Backoff.jittered(Jitter.proportional({ ratio: 0.2 }))),
          3
        )
        expect(yield* Effect.provide(native, draws)).toEqual([800, 900, 1100])
        expect(yield* Effect.provide(ours, draws)).toEqual([800, 900, 1100])
      })
    ),
  "`recurs(n)`": () =>
    virtually("is the number of delays to take, and one less than maxAttempts", () =>
      Effect.gen(function* () {
        const native = yield* failing(Effect.retry(Schedule.recurs(2)))
        const taken = Backoff.constant({ delay: 0 }).pipe(Backoff.take(2))
        expect(yield* failing(Effect.retry(taken))).toEqual(native)
        const ours = yield* failing(Retry.retry({ ...policy, backoff: Backoff.constant({ delay: 0 }), maxAttempts: 3 }))
        expect(ours).toEqual(native)
      })
    ),
  '`upTo("10 seconds")`': () =>
    virtually("ends by time; the last attempt of the native one starts later", () =>
      Effect.gen(function* () {
        const slow = Effect.delay(down, "1 second")
        const native = yield* timeline([slow], Effect.retry(Schedule.spaced(2000).pipe(Schedule.upTo("10 seconds"))))
        expect(native.calls).toEqual([0, 3000, 6000, 9000, 12_000])
        const backoff = Backoff.constant({ delay: "2 seconds" }).pipe(Backoff.within("10 seconds"))
        const ours = yield* timeline([slow], Effect.retry(backoff))
        expect(ours.calls).toEqual([0, 3000, 6000, 9000])
      })
    ),
  "`whileInput`, `while`, `until`": () =>
    virtually("is a classifier", () =>
      Effect.gen(function* () {
        const script = [down, Effect.fail("forbidden")] as const
        const native = yield* timeline([...script], Effect.retry({ while: (error) => error === "down" }))
        const ours = yield* timeline(
          [...script],
          Retry.retry({
            ...policy,
            backoff: Backoff.constant({ delay: 0 }),
            classifier: Classifier.fromPredicate((error: string) => error === "down")
          })
        )
        expect(ours).toEqual(native)
      })
    ),
  "`fixed`, `windowed`, `cron` and any other": () =>
    virtually("stays what it is, as the back-off of a policy", () =>
      Effect.gen(function* () {
        const slow = Effect.delay(down, "300 millis")
        const native = yield* timeline(
          [slow],
          Effect.retry(Schedule.intersect(Schedule.fixed(500), Schedule.recurs(3)))
        )
        const ours = yield* timeline([slow], Retry.retry({ ...policy, backoff: Schedule.fixed(500) }))
        expect(ours).toEqual(native)
      })
    ),
  "`Effect.retry(schedule)`": () =>
    virtually("makes the same attempts with the schedule of a policy", () =>
      Effect.gen(function* () {
        const native = yield* failing(Effect.retry(Policy.toSchedule(policy)))
        expect(native).toEqual(yield* failing(Retry.retry(policy)))
        expect(native.calls).toEqual([0, 100, 300, 700])
      })
    )
})

describe(`${path} ## What a schedule cannot do`, () => {
  it("Policy.toSchedule refuses what needs to look into attempts or at successes", () => {
    const beyond = {
      observe: { observe: [] },
      whenNested: { whenNested: "standDown" },
      attempt: { attempt: Retry.CurrentAttempt },
      attemptSpan: { attemptSpan: "call" },
      rateLimiter: { rateLimiter: TokenBucket.RetryBucket },
      attemptTimeout: { attemptTimeout: AttemptTimeout.constant("1 second") },
      result: { result: () => Verdict.noOpinion },
      release: { release: () => Effect.void },
      bucket: { bucket: TokenBucket.RetryBucket },
      deadline: { deadline: Deadline.cut("1 second") }
    }
    for (const [field, part] of Object.entries(beyond)) {
      // @ts-expect-error these are no policies for a schedule
      expect(() => Policy.toSchedule({ ...policy, ...part })).toThrow(`Policy.toSchedule: ${field} must be`)
    }
  })

  virtually("the deadline of a schedule counts from the first failure", () =>
    Effect.gen(function* () {
      const slow = Effect.delay(down, "1 second")
      const bounded = { ...policy, deadline: Deadline.refuse("1500 millis") }
      expect((yield* timeline([slow], Effect.retry(Policy.toSchedule(bounded)))).calls).toEqual([0, 1100, 2300])
      expect((yield* timeline([slow], Retry.retry(bounded))).calls).toEqual([0, 1100])
    })
  )

  virtually("a Backoff by kind answers with its orElse", () =>
    Effect.gen(function* () {
      const backoff = Backoff.byKind({
        Transient: Backoff.constant({ delay: "1 minute" }),
        orElse: Backoff.fromDelays(["1 second"])
      })
      expect((yield* failing(Effect.retry(backoff))).calls).toEqual([0, 1000])
    })
  )

  virtually("a Backoff with resetAfter starts over under native retry too", () =>
    Effect.gen(function* () {
      const backoff = Backoff.fromDelays([100, 200]).pipe(Backoff.resetAfter("1 second"))
      const script = [Effect.delay(down, "1 hour"), Effect.delay(down, "1 hour"), down, Effect.succeed("up")] as const
      const { calls } = yield* timeline([...script], Effect.retry(backoff))
      expect(calls).toEqual([0, 3_600_100, 7_200_200, 7_200_400])
    })
  )
})
