import {
  AttemptTimeout,
  Backoff,
  type Classifier,
  Deadline,
  Hint,
  type Observe,
  type Policy,
  Retry,
  TokenBucket,
  Verdict
} from "@effect-retry/core"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Duration, Effect, Exit, FastCheck, Fiber, Option, Struct } from "effect"
import { make, nowMillis, policy, world } from "../Recording.ts"
import * as Recording from "../Recording.ts"
import { runsOf } from "../../support/Laws.ts"

const endless = { ...policy, maxAttempts: 100 }

/** Fails after `millis`; writes down when it started. */
const failing = (starts: Array<number>, millis = 0) =>
  Effect.gen(function* () {
    starts.push(yield* nowMillis)
    yield* Effect.sleep(millis)
    return yield* Effect.fail("busy" as const)
  })

/** A clock whose sleeps last longer than they say. */
const oversleeping =
  (by: Duration.DurationInput) =>
  <A, E, R>(self: Effect.Effect<A, E, R>) =>
    Effect.clockWith((clock) =>
      Effect.withClock(self, {
        ...clock,
        [Clock.ClockTypeId]: Clock.ClockTypeId,
        sleep: (duration) =>
          clock.sleep(Duration.toMillis(duration) > 0 ? Duration.sum(duration, Duration.decode(by)) : duration)
      })
    )

/** When the attempts of an operation started, why it stopped, and when. */
const startsOf = (policy: Policy.Policy<"busy", unknown>, attemptMillis = 0) =>
  Effect.gen(function* () {
    const starts: Array<number> = []
    const stopped = yield* Effect.flip(Retry.orStopped(failing(starts, attemptMillis), policy))
    return { starts, reason: stopped.reason._tag, at: yield* nowMillis }
  }).pipe(world)

describe("Retry.retry under a deadline that refuses", () => {
  it.effect.each([
    { deadline: Deadline.refuse("1000 millis"), attemptMillis: 0, starts: [0], at: 0 },
    { deadline: Deadline.refuse("1001 millis"), attemptMillis: 0, starts: [0, 1000], at: 1000 },
    { deadline: Deadline.refuse("2500 millis"), attemptMillis: 0, starts: [0, 1000, 2000], at: 2000 },
    { deadline: Deadline.refuse("1600 millis"), attemptMillis: 600, starts: [0], at: 600 },
    { deadline: Deadline.refuse("1601 millis"), attemptMillis: 600, starts: [0, 1600], at: 2200 },
    { deadline: Deadline.refuse("500 millis"), attemptMillis: 600, starts: [0], at: 600 },
    { deadline: Deadline.refuse("3 seconds", { reserve: "2 seconds" }), attemptMillis: 0, starts: [0, 1000], at: 1000 },
    { deadline: Deadline.refuse("3 seconds", { reserve: "2001 millis" }), attemptMillis: 0, starts: [0], at: 0 }
  ])(
    "stops without a wait when the next attempt could not start in time: $deadline, attempts of $attemptMillis",
    ({ at, attemptMillis, deadline, starts }) =>
      Effect.gen(function* () {
        expect(yield* startsOf({ ...endless, deadline }, attemptMillis)).toEqual({
          starts,
          reason: "DeadlinePassed",
          at
        })
      })
  )

  it.effect("fails with the last error and leaves a running attempt alone", () =>
    Effect.gen(function* () {
      const slow = Effect.delay(Effect.succeed("done"), "1 hour")
      expect(yield* Retry.retry(slow, { ...endless, deadline: Deadline.refuse("1 second") })).toBe("done")
      const exit = yield* Effect.exit(Retry.retry(failing([]), { ...endless, deadline: Deadline.refuse("1 second") }))
      expect(exit).toEqual(Exit.fail("busy"))
    }).pipe(world)
  )

  it.effect("refuses a hint that leads past it", () =>
    Effect.gen(function* () {
      const hinted = { ...endless, classifier: () => Verdict.retryable("Throttling", { hint: "5 seconds" }) }
      const stopped = (within: Duration.DurationInput) => startsOf({ ...hinted, deadline: Deadline.refuse(within) })
      expect(yield* stopped("5 seconds")).toEqual({ starts: [0], reason: "DeadlinePassed", at: 0 })
      expect(yield* stopped("5001 millis")).toEqual({ starts: [0, 5000], reason: "DeadlinePassed", at: 5000 })
    })
  )

  it.effect("counts the wait of the first attempt for the rate limiter", () =>
    Effect.gen(function* () {
      const recording = make({ limiter: () => Effect.delay(Effect.succeedSome(1), "700 millis") })
      const starts: Array<number> = []
      const bounded = { ...endless, rateLimiter: Recording.Limiter, deadline: Deadline.refuse("1700 millis") }
      yield* Effect.flip(recording.provide(Retry.retry(failing(starts), bounded)))
      expect(starts).toEqual([700])
    }).pipe(world)
  )

  it.effect("lets no first attempt start with less than the reserve left after the rate limiter", () =>
    Effect.gen(function* () {
      const starts: Array<number> = []
      const rateLimiter = make({ limiter: () => Effect.delay(Effect.succeedSome(1), "1500 millis") }).limiter
      const bounded = { ...endless, rateLimiter, deadline: Deadline.refuse("3 seconds", { reserve: "2 seconds" }) }
      const stopped = yield* Effect.flip(Retry.orStopped(failing(starts), bounded))
      expect(stopped).toMatchObject({ reason: { _tag: "DeadlinePassed" }, attempts: 0 })
      expect(starts).toEqual([])
    }).pipe(world)
  )

  it.effect.each([
    {
      what: "a grant",
      fields: { rateLimiter: make({ limiter: () => Effect.delay(Effect.succeedSome(1), 700) }).limiter }
    },
    {
      what: "a bucket that hears of starts",
      fields: { bucket: { ...TokenBucket.unlimited, started: () => Effect.sleep(700) } }
    }
  ])("notes when the first attempt started, after it waited for $what", ({ fields }) =>
    Effect.gen(function* () {
      const stopped = yield* Effect.flip(Retry.orStopped(failing([]), { ...policy, maxAttempts: 1, ...fields }))
      expect(stopped.history.map(({ startedAfter }) => startedAfter)).toEqual([Duration.millis(700)])
    }).pipe(world)
  )

  it.effect("lets no attempt start when the wait took longer than it said", () =>
    Effect.gen(function* () {
      const starts: Array<number> = []
      const bounded = { ...endless, deadline: Deadline.refuse("1500 millis") }
      const stopped = yield* Effect.flip(oversleeping("600 millis")(Retry.orStopped(failing(starts), bounded)))
      expect(stopped).toMatchObject({ reason: { _tag: "DeadlinePassed" }, attempts: 1 })
      expect(starts).toEqual([0])
      expect(yield* nowMillis).toBe(1_600)
    }).pipe(world)
  )

  it.effect("makes the first attempt at once, even if the reserve is all the time there is", () =>
    Effect.gen(function* () {
      let nanos = 0n
      const moving = <A, E, R>(self: Effect.Effect<A, E, R>) =>
        Effect.clockWith((clock) =>
          Effect.withClock(self, {
            ...clock,
            [Clock.ClockTypeId]: Clock.ClockTypeId,
            unsafeCurrentTimeNanos: () => (nanos += 1_000_000n)
          })
        )
      const bounded = { ...endless, deadline: Deadline.refuse("1 second", { reserve: "1 second" }) }
      const stopped = yield* Effect.flip(moving(Retry.orStopped(failing([]), bounded)))
      expect(stopped).toMatchObject({ reason: { _tag: "DeadlinePassed" }, attempts: 1 })
      expect(stopped.history.map(({ startedAfter }) => startedAfter)).toEqual([Duration.zero])
    }).pipe(world)
  )

  it.effect("adds nothing for a monotonic clock that steps back all the same", () =>
    Effect.gen(function* () {
      const starts: Array<number> = []
      const bounded = { ...endless, deadline: Deadline.refuse("2500 millis") }
      let lost = 0n
      const stepping = <A, E, R>(self: Effect.Effect<A, E, R>) =>
        Effect.clockWith((clock) =>
          Effect.withClock(self, {
            ...clock,
            [Clock.ClockTypeId]: Clock.ClockTypeId,
            unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos() - lost
          })
        )
      const fiber = yield* Effect.fork(stepping(Effect.flip(Retry.orStopped(failing(starts), bounded))))
      yield* Effect.sleep("500 millis")
      lost = 3_600_000_000_000n
      const stopped = yield* Fiber.join(fiber)
      // The second in which the clock stepped is lost, so one more attempt fits; but not an hour of them.
      expect(starts).toEqual([0, 1000, 2000, 3000])
      expect(stopped.history.map(({ startedAfter }) => Duration.toMillis(startedAfter))).toEqual([0, 0, 1000, 2000])
      expect(Duration.toMillis(stopped.elapsed)).toBe(2_000)
    }).pipe(world)
  )
})

describe("Retry.retry under a policy in which nothing depends on time", () => {
  it.effect("reads no clock, except for its waits", () =>
    Effect.gen(function* () {
      const looking = Effect.die("looked at the clock")
      const blind = <A, E, R>(self: Effect.Effect<A, E, R>) =>
        Effect.clockWith((clock) =>
          Effect.withClock(self, {
            ...clock,
            [Clock.ClockTypeId]: Clock.ClockTypeId,
            unsafeCurrentTimeMillis: () => Effect.runSync(looking),
            unsafeCurrentTimeNanos: () => Effect.runSync(looking)
          })
        )
      const plain = { ...policy, backoff: Backoff.constant({ delay: 0 }) }
      const funded = { ...plain, name: "funded", bucket: TokenBucket.unlimited }
      const attempt = () => make().attempts(Effect.fail("busy" as const), Effect.succeed("done"))
      expect(yield* blind(Retry.retry(attempt(), plain))).toBe("done")
      expect(yield* blind(Retry.retry(attempt(), funded))).toBe("done")
    }).pipe(world)
  )
})

describe("Retry.retry while the wall clock is set", () => {
  const bounds = [
    { deadline: Deadline.refuse("2500 millis"), starts: [0, 1000, 2000] },
    { deadline: Deadline.truncate("2500 millis", { reserve: "400 millis" }), starts: [0, 1000, 2000, 2100] },
    { deadline: Deadline.cut("2500 millis"), starts: [0, 1000, 2000] }
  ]
  const steps = [
    { step: "forward", set: VirtualClock.setWallTime("365 days") },
    { step: "back", set: VirtualClock.stepBack("365 days") },
    {
      step: "back and forth",
      set: Effect.forever(
        Effect.zipRight(
          VirtualClock.setWallTime("365 days"),
          Effect.zipRight(Effect.sleep(50), Effect.zipRight(VirtualClock.stepBack("1 day"), Effect.sleep(50)))
        )
      )
    }
  ]

  it.effect.each(steps.flatMap((step) => bounds.map((bound) => ({ ...step, ...bound }))))(
    "neither ends nor prolongs an operation: $step, $deadline",
    ({ deadline, set, starts }) =>
      Effect.gen(function* () {
        const made: Array<number> = []
        const fiber = yield* Effect.fork(Effect.flip(Retry.orStopped(failing(made), { ...endless, deadline })))
        const setting = yield* Effect.fork(Effect.delay(set, "500 millis"))
        const stopped = yield* Fiber.join(fiber)
        yield* Fiber.interrupt(setting)
        expect(made).toEqual(starts)
        expect(stopped.reason._tag).toBe("DeadlinePassed")
        expect(Duration.toMillis(stopped.elapsed)).toBe(yield* nowMillis)
      }).pipe(world)
  )

  it.effect("shows classifiers the wall clock and the time that has passed", () =>
    Effect.gen(function* () {
      const moments: Array<readonly [number, number, number]> = []
      const classifier = (_: "busy", { attempt, elapsed, nowMillis }: Classifier.Moment) => {
        moments.push([attempt, nowMillis, Duration.toMillis(elapsed)])
        return Verdict.transient
      }
      yield* VirtualClock.setWallTime("1 hour")
      const fiber = yield* Effect.fork(
        Effect.exit(Retry.retry(failing([], 300), { ...policy, maxAttempts: 2, classifier }))
      )
      yield* Effect.sleep("500 millis")
      yield* VirtualClock.stepBack("30 minutes")
      yield* Fiber.join(fiber)
      expect(moments).toEqual([
        [1, 3_600_300, 300],
        [2, 1_801_600, 1_600]
      ])
    }).pipe(world)
  )
})

/** Places where something can take time between a failure and the next attempt. */
const slowly = (millis: number) => {
  const slow = Effect.sleep(millis)
  const bucket = (changed: Partial<TokenBucket.TokenBucket>) => ({ ...TokenBucket.unlimited, ...changed })
  return [
    {
      place: "a bucket that grants",
      fields: {
        bucket: bucket({
          acquire: (request: TokenBucket.Request) => Effect.zipRight(slow, TokenBucket.unlimited.acquire(request))
        })
      }
    },
    { place: "a bucket that hears", fields: { bucket: bucket({ record: () => slow }) } },
    { place: "a rate limiter that hears", fields: { rateLimiter: bucket({ record: () => slow }) } },
    { place: "an observer of the failure", fields: { observe: [on("AttemptFailed", slow)] } },
    { place: "an observer of the wait", fields: { observe: [on("RetryScheduled", slow)] } }
  ]
}

const on =
  (tag: Observe.RetryEvent["_tag"], slow: Effect.Effect<void>): Observe.Observer =>
  (event) =>
    event._tag === tag ? slow : Effect.void

/** The starts of an operation whose delay is 4 seconds. */
const slowStarts = (fields: object, deadline: Deadline.Deadline<Deadline.DeadlineExceeded>) =>
  Effect.gen(function* () {
    const starts: Array<number> = []
    const backoff = Backoff.constant({ delay: "4 seconds" })
    const stopped = yield* Effect.flip(Retry.orStopped(failing(starts), { ...endless, backoff, ...fields, deadline }))
    return { starts, reason: stopped.reason._tag, at: yield* nowMillis }
  }).pipe(world)

describe("Retry.retry judges the deadline after whatever took time", () => {
  it.effect.each(slowly(3_000))("refuses after $place, without a wait", ({ fields }) =>
    Effect.gen(function* () {
      expect(yield* slowStarts(fields, Deadline.refuse("7 seconds"))).toEqual({
        starts: [0],
        reason: "DeadlinePassed",
        at: 3_000
      })
      expect((yield* slowStarts(fields, Deadline.refuse("7001 millis"))).starts).toEqual([0, 7_000])
    })
  )

  it.effect.each(slowly(3_000))("keeps the reserve after $place", ({ fields }) =>
    Effect.gen(function* () {
      const refused = yield* slowStarts(fields, Deadline.refuse("10 seconds", { reserve: "3001 millis" }))
      expect(refused).toEqual({ starts: [0], reason: "DeadlinePassed", at: 3_000 })
      const kept = yield* slowStarts(fields, Deadline.refuse("10 seconds", { reserve: "3 seconds" }))
      expect(kept.starts).toEqual([0, 7_000])
      const truncated = yield* slowStarts(fields, Deadline.truncate("8 seconds", { reserve: "2 seconds" }))
      expect(truncated.starts).toEqual([0, 6_000])
    })
  )

  it.effect.each(slowly(60_000))("stops at the deadline when it falls into $place", ({ fields }) =>
    Effect.gen(function* () {
      for (const deadline of [
        Deadline.refuse("5 seconds"),
        Deadline.truncate("5 seconds", { reserve: "1 second" }),
        Deadline.cut("5 seconds")
      ]) {
        expect(yield* slowStarts(fields, deadline)).toEqual({ starts: [0], reason: "DeadlinePassed", at: 5_000 })
      }
    })
  )

  it.effect("remembers the wait that was left", () =>
    Effect.gen(function* () {
      const stopped = yield* Effect.flip(
        Retry.orStopped(failing([]), {
          ...endless,
          backoff: Backoff.constant({ delay: "4 seconds" }),
          observe: [on("RetryScheduled", Effect.sleep("3 seconds"))],
          deadline: Deadline.truncate("8 seconds", { reserve: "2 seconds" })
        })
      )
      expect(stopped.history.map(({ delay }) => delay)).toEqual([Option.some(Duration.seconds(3)), Option.none()])
    }).pipe(world)
  )

  it.effect.each([
    {
      place: "a rate limiter that grants",
      rateLimiter: {
        acquire: (request: TokenBucket.Request) =>
          Effect.zipRight(
            request.attempt === 1 ? Effect.void : Effect.sleep("3 seconds"),
            TokenBucket.unlimited.acquire(request)
          )
      }
    },
    {
      place: "the start of an attempt",
      rateLimiter: {
        started: ({ attempt }: TokenBucket.Started) => (attempt === 1 ? Effect.void : Effect.sleep("3 seconds"))
      }
    }
  ])("lets no attempt start too late after $place", ({ rateLimiter }) =>
    Effect.gen(function* () {
      const fields = { rateLimiter: { ...TokenBucket.unlimited, ...rateLimiter } }
      const late = { starts: [0], reason: "DeadlinePassed", at: 7_000 }
      expect(yield* slowStarts(fields, Deadline.refuse("7 seconds"))).toEqual(late)
      expect(yield* slowStarts(fields, Deadline.cut("7 seconds"))).toEqual(late)
      expect(yield* slowStarts(fields, Deadline.refuse("8 seconds", { reserve: "1001 millis" }))).toEqual(late)
      expect((yield* slowStarts(fields, Deadline.refuse("7001 millis"))).starts).toEqual([0, 7_000])
    })
  )
})

describe("Retry.retry under a back-off that is bounded by time", () => {
  it.effect("counts from the first attempt, and the tighter of that and the deadline holds", () =>
    Effect.gen(function* () {
      const bounded = (within: Duration.DurationInput, deadline: Duration.DurationInput) =>
        startsOf(
          { ...endless, backoff: Backoff.within(policy.backoff, within), deadline: Deadline.refuse(deadline) },
          400
        )
      expect(yield* bounded("4 seconds", "9 seconds")).toEqual({
        starts: [0, 1400, 2800],
        reason: "BackoffEnded",
        at: 3200
      })
      expect(yield* bounded("9 seconds", "4 seconds")).toEqual({
        starts: [0, 1400, 2800],
        reason: "DeadlinePassed",
        at: 3200
      })
    })
  )
})

describe("Retry.orStopped over many attempts", () => {
  it.effect("remembers the latest hundred failed attempts, and limits attempts by kind all the same", () =>
    Effect.gen(function* () {
      const recording = make()
      const many = { ...policy, maxAttempts: 2_000, backoff: Backoff.constant({ delay: 0 }) }
      const stopped = yield* Effect.flip(Retry.orStopped(recording.attempts(Effect.fail("busy" as const)), many))
      expect(stopped.attempts).toBe(2_000)
      expect(stopped.history.map(({ attempt }) => attempt)).toEqual(Array.from({ length: 100 }, (_, i) => 1_901 + i))
    }).pipe(world)
  )

  it.effect("keeps no frame on the stack for an attempt that is over", () =>
    Effect.gen(function* () {
      const frames: Array<number> = []
      const attempt = Effect.withFiberRuntime<never, "busy">((fiber) => {
        frames.push((fiber as unknown as { readonly _stack: ReadonlyArray<unknown> })._stack.length)
        return Effect.fail("busy")
      })
      const loaded = {
        ...policy,
        name: "loaded",
        observe: [() => Effect.yieldNow()],
        maxAttempts: 200,
        backoff: Backoff.constant({ delay: 1 }),
        bucket: TokenBucket.unlimited,
        rateLimiter: { ...TokenBucket.unlimited, started: () => Effect.yieldNow() },
        release: () => Effect.yieldNow(),
        deadline: Deadline.refuse("1 hour")
      }
      yield* Effect.flip(Retry.orStopped(attempt, loaded))
      expect(frames).toHaveLength(200)
      expect(new Set(frames.slice(10)).size).toBe(1)
    }).pipe(world)
  )

  it.effect("limits attempts by the kinds of their failures", () =>
    Effect.gen(function* () {
      const limited = { ...policy, maxAttempts: 2, attemptsByKind: { Throttling: 3 } }
      const ends = (...words: ReadonlyArray<Recording.Word>) =>
        Effect.map(
          Effect.flip(Retry.orStopped(make().attempts(...words.map((word) => Effect.fail(word))), limited)),
          ({ attempts, reason }) => [attempts, reason]
        )
      const spent = { _tag: "AttemptsSpent", maxAttempts: 2 }
      expect(yield* ends("busy")).toEqual([2, spent])
      expect(yield* ends("slow down")).toEqual([3, { _tag: "AttemptsSpent", maxAttempts: 3, kind: "Throttling" }])
      expect(yield* ends("slow down", "busy", "slow down", "busy")).toEqual([4, spent])
    }).pipe(world)
  )

  it.effect("starts the back-off over after a hint, if the rule says so", () =>
    Effect.gen(function* () {
      const hinted = {
        ...policy,
        maxAttempts: 6,
        backoff: Backoff.exponential({ base: 100 }),
        hint: Hint.override({ atMost: "1 minute", otherwise: "giveUp", startsOver: true })
      }
      const words = ["busy", "busy", "come back later", "busy", "busy", "busy"] as const
      const attempt = make().attempts(...words.map((word) => Effect.fail(word)))
      const stopped = yield* Effect.flip(Retry.orStopped(attempt, hinted))
      expect(stopped.history.flatMap(({ delay }) => Option.toArray(Option.map(delay, Duration.toMillis)))).toEqual([
        100, 200, 5_000, 100, 200
      ])
    }).pipe(world)
  )
})

describe("Retry.retry under a deadline that truncates", () => {
  it.effect.each([
    { within: "10 seconds", reserve: "2 seconds", delay: "9 seconds", starts: [0, 8000] },
    { within: "10 seconds", reserve: "2 seconds", delay: "8 seconds", starts: [0, 8000] },
    { within: "10 seconds", reserve: "2 seconds", delay: "7 seconds", starts: [0, 7000, 8000] },
    { within: "10 seconds", reserve: "10 seconds", delay: "1 second", starts: [0] }
  ] as const)(
    "starts a last attempt with $reserve of $within left, when the delay is $delay",
    ({ delay, reserve, starts, within }) =>
      Effect.gen(function* () {
        const bounded = {
          ...endless,
          backoff: Backoff.constant({ delay }),
          deadline: Deadline.truncate(within, { reserve })
        }
        expect(yield* startsOf(bounded)).toEqual({ starts, reason: "DeadlinePassed", at: starts.at(-1) })
      })
  )

  it.effect("counts from the start of the first attempt", () =>
    Effect.gen(function* () {
      const bounded = { ...endless, deadline: Deadline.truncate("2 seconds", { reserve: "500 millis" }) }
      expect((yield* startsOf(bounded, 700)).starts).toEqual([0, 1500])
    })
  )
})

describe("Retry.retry under a deadline that cuts", () => {
  const within = Duration.millis(2_500)
  const cut = { ...endless, deadline: Deadline.cut(within) }

  it.effect("interrupts a wait and fails with an error that carries the last failure", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Retry.retry(failing([]), cut))
      expect(error).toEqual(new Deadline.DeadlineExceeded({ within, attempts: 3, cause: "busy" }))
      expect(yield* nowMillis).toBe(2_500)
    }).pipe(world)
  )

  it.effect("interrupts an attempt and lets it clean up", () =>
    Effect.gen(function* () {
      const recording = make()
      const attempt = Effect.onInterrupt(recording.attempts(Effect.fail("busy" as const), Effect.never), () =>
        recording.note("cleaned up")
      )
      const error = yield* Effect.flip(Retry.retry(attempt, cut))
      expect(error).toEqual(new Deadline.DeadlineExceeded({ within, attempts: 2, cause: "busy" }))
      expect(recording.lines).toEqual(["attempt 1", "attempt 2", "cleaned up"])
      expect(yield* nowMillis).toBe(2_500)
    }).pipe(world)
  )

  it.effect("knows no failure when it cuts the first attempt", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Retry.retry(Effect.never, cut))
      expect(error).toEqual(new Deadline.DeadlineExceeded({ within, attempts: 1, cause: undefined }))
    }).pipe(world)
  )

  it.effect("fails with its own error when the rate limiter grants the first attempt too late", () =>
    Effect.gen(function* () {
      const recording = make({ limiter: () => Effect.delay(Effect.succeedSome(1), "3 seconds") })
      const deadline = Deadline.cut(within, { onExceeded: ({ attempts }) => ["late", attempts] as const })
      const limited = { ...endless, rateLimiter: Recording.Limiter, deadline }
      const error = yield* Effect.flip(recording.provide(Retry.retry(failing([]), limited)))
      expect(error).toEqual(["late", 0])
      // The limiter did not keep to the time that it was told, and is given a little more.
      expect(yield* nowMillis).toBe(2_505)
    }).pipe(world)
  )

  it.effect("fails with the error that onExceeded makes", () =>
    Effect.gen(function* () {
      const deadline = Deadline.cut(within, { onExceeded: ({ attempts, error }) => ["late", attempts, error] as const })
      const error = yield* Effect.flip(Retry.retry(failing([]), { ...endless, deadline }))
      expect(error).toEqual(["late", 3, "busy"])
    }).pipe(world)
  )

  it.effect("passes a success, a last error and a defect before it", () =>
    Effect.gen(function* () {
      expect(yield* Retry.retry(Effect.succeed("done"), cut)).toBe("done")
      expect(yield* Effect.exit(Retry.retry(failing([]), { ...cut, maxAttempts: 2 }))).toEqual(Exit.fail("busy"))
      expect(yield* Effect.exit(Retry.retry(Effect.die("defect"), cut))).toEqual(Exit.die("defect"))
    }).pipe(world)
  )

  it.effect.each([
    {
      name: "a bucket hears slowly",
      fields: { bucket: { ...TokenBucket.unlimited, record: () => Effect.sleep("1 second") } }
    },
    {
      name: "a rate limiter hears for ever",
      fields: { rateLimiter: { ...TokenBucket.unlimited, record: () => Effect.never } }
    },
    { name: "an observer hears for ever", fields: { observe: [() => Effect.never] } },
    {
      name: "an observer asks for a level for ever",
      fields: {
        observe: [({ level }: Observe.RetryEvent) => Effect.asVoid(level)],
        bucket: { ...TokenBucket.unlimited, level: Effect.never }
      }
    }
  ])("passes a finished success on, when $name", ({ fields }) =>
    Effect.gen(function* () {
      const attempt = Effect.delay(Effect.succeed("done"), "2 seconds")
      const exit = yield* Effect.exit(Retry.retry(attempt, { ...cut, ...fields }))
      expect(exit).toEqual(Exit.succeed("done"))
      expect(yield* nowMillis).toBe(2_500)
    }).pipe(world)
  )

  it.effect("passes a success on that comes at the very deadline", () =>
    Effect.gen(function* () {
      expect(yield* Retry.retry(Effect.delay(Effect.succeed("done"), within), cut)).toBe("done")
    }).pipe(world)
  )

  it.effect("waits for an attempt that cannot be interrupted, unless it is disconnected", () =>
    Effect.gen(function* () {
      const stubborn = Effect.uninterruptible(Effect.sleep("10 seconds"))
      const over = (attempt: Effect.Effect<void>) =>
        Effect.gen(function* () {
          const stopped = yield* Effect.flip(Retry.orStopped(attempt, cut))
          return [stopped.reason._tag, Duration.toMillis(stopped.elapsed), yield* nowMillis]
        }).pipe(world)
      expect(yield* over(stubborn)).toEqual(["DeadlinePassed", 10_000, 10_000])
      expect(yield* over(Effect.disconnect(stubborn))).toEqual(["DeadlinePassed", 2_500, 2_500])
    })
  )

  it.effect.each([
    { what: "the last one", fields: { maxAttempts: 1 } },
    { what: "not the last one", fields: { maxAttempts: 2 } },
    {
      what: "one whose timeout is terminal",
      fields: {
        attemptTimeout: AttemptTimeout.judged(AttemptTimeout.constant("2 seconds"), Verdict.terminal("unknown"))
      }
    }
  ])("ends the operation when it falls while an attempt cleans up after its timeout, $what", ({ fields }) =>
    Effect.gen(function* () {
      const cleaning = Effect.onInterrupt(Effect.never, () => Effect.sleep("1 second"))
      const policy = { ...cut, attemptTimeout: AttemptTimeout.constant("2 seconds"), ...fields }
      const stopped = yield* Effect.flip(Retry.orStopped(cleaning, policy))
      expect(stopped).toMatchObject({
        reason: { _tag: "DeadlinePassed" },
        error: new Deadline.DeadlineExceeded({ within, attempts: 1, cause: undefined }),
        attempts: 1
      })
      expect(yield* nowMillis).toBe(3_000)
    }).pipe(world)
  )

  it.effect("lets no attempt start after it, even when nothing can be interrupted", () =>
    Effect.gen(function* () {
      const starts: Array<number> = []
      const error = yield* Effect.flip(Effect.uninterruptible(Retry.retry(failing(starts), cut)))
      expect(error).toEqual(new Deadline.DeadlineExceeded({ within, attempts: 3, cause: "busy" }))
      expect(starts).toEqual([0, 1000, 2000])
      expect(yield* nowMillis).toBe(2_500)
    }).pipe(world)
  )

  it.effect("neither waits nor pays for a retry once it is due", () =>
    Effect.gen(function* () {
      const recording = make()
      const late = Effect.delay(Effect.fail("busy" as const), "3 seconds")
      const bounded = { ...cut, bucket: Recording.Bucket }
      yield* Effect.flip(recording.provide(Effect.uninterruptible(Retry.retry(recording.attempts(late), bounded))))
      // The sleep of 2,500 ms is that of the deadline, which counts from before the attempt.
      expect(recording.lines).toEqual(["sleep 2500", "attempt 1", "sleep 3000", "bucket record 1: Timeout, granted 0"])
      expect(yield* nowMillis).toBe(3_000)
    }).pipe(world)
  )

  it.effect("lets no attempt start exactly when it falls", () =>
    Effect.gen(function* () {
      const starts: Array<number> = []
      const immediate = { ...cut, backoff: Backoff.constant({ delay: 0 }) }
      const error = yield* Effect.flip(Retry.retry(failing(starts, 2_500), immediate))
      expect(error).toEqual(new Deadline.DeadlineExceeded({ within, attempts: 1, cause: "busy" }))
      expect(starts).toEqual([0])
    }).pipe(world)
  )

  it.effect("tells the whole history when it cut a wait", () =>
    Effect.gen(function* () {
      const stopped = yield* Effect.flip(Retry.orStopped(failing([], 300), cut))
      expect(stopped).toMatchObject({
        reason: { _tag: "DeadlinePassed", within },
        error: new Deadline.DeadlineExceeded({ within, attempts: 2, cause: "busy" }),
        attempts: 2,
        elapsed: within
      })
      expect(stopped.history.map(({ error }) => error)).toEqual(["busy", "busy"])
      expect(stopped.history.map((failed) => Struct.omit(failed, "cause", "error"))).toEqual([
        {
          attempt: 1,
          verdict: Verdict.transient,
          startedAfter: Duration.millis(0),
          failedAfter: Duration.millis(300),
          delay: Option.some(Duration.millis(1000)),
          cost: 0
        },
        {
          attempt: 2,
          verdict: Verdict.transient,
          startedAfter: Duration.millis(1300),
          failedAfter: Duration.millis(1600),
          delay: Option.some(Duration.millis(1000)),
          cost: 0
        }
      ])
    }).pipe(world)
  )

  it.effect("tells the whole history when it cut an attempt", () =>
    Effect.gen(function* () {
      const stopped = yield* Effect.flip(Retry.orStopped(failing([], 1_000), cut))
      expect(stopped).toMatchObject({ reason: { _tag: "DeadlinePassed" }, attempts: 2, elapsed: within })
      expect(stopped.history.map(({ attempt, delay, verdict }) => [attempt, delay, verdict])).toEqual([
        [1, Option.some(Duration.millis(1000)), Verdict.transient],
        [2, Option.none(), Verdict.terminal("the deadline interrupted the attempt", { kind: "Timeout" })]
      ])
    }).pipe(world)
  )

  it.effect("carries the failure whose retry waits for the bucket", () =>
    Effect.gen(function* () {
      const recording = make({ bucket: ({ restore }) => restore(Effect.never) })
      const stopped = yield* Effect.flip(
        recording.provide(Retry.orStopped(failing([]), { ...cut, bucket: Recording.Bucket }))
      )
      expect(stopped.error).toEqual(new Deadline.DeadlineExceeded({ within, attempts: 1, cause: "busy" }))
      expect(stopped.history.map(({ attempt, delay }) => [attempt, delay])).toEqual([[1, Option.none()]])
    }).pipe(world)
  )

  it.effect("refunds the tokens of the retry that it cut", () =>
    Effect.gen(function* () {
      const recording = make()
      const deadline = Deadline.cut("500 millis")
      yield* Effect.flip(recording.provide(Retry.retry(failing([]), { ...Recording.funded, deadline })))
      expect(recording.lines.slice(-2)).toEqual(["sleep 500", "bucket refund 5"])
    }).pipe(world)
  )

  it.effect("does not cut what comes after the operation has stopped", () =>
    Effect.gen(function* () {
      const told: Array<string> = []
      const result = yield* Retry.retryOrElse(failing([]), { ...cut, maxAttempts: 2 }, ({ reason }) => {
        told.push(reason._tag)
        return Effect.delay(Effect.succeed("fallback"), "1 hour")
      })
      expect(result).toBe("fallback")
      expect(told).toEqual(["AttemptsSpent"])
    }).pipe(world)
  )

  it.effect("goes on with the fallback once, and after the attempt is over", () =>
    Effect.gen(function* () {
      const recording = make()
      const attempt = Effect.onInterrupt(Effect.never, () =>
        Effect.zipRight(Effect.sleep("1 second"), recording.note("over"))
      )
      yield* Retry.retryOrElse(attempt, cut, ({ reason }) => recording.note(`fallback after ${reason._tag}`))
      expect(recording.lines).toEqual(["over", "fallback after DeadlinePassed"])
    }).pipe(world)
  )
})

describe("Retry.retry deadline law", () => {
  const millis = FastCheck.integer({ min: 0, max: 2_000 })
  const deadlines = FastCheck.tuple(
    FastCheck.integer({ min: 1, max: 10_000 }),
    FastCheck.double({ min: 0.01, max: 1, noNaN: true })
  ).chain(([within, part]) => {
    const reserve = within * part
    return FastCheck.constantFrom(
      Deadline.refuse(within),
      Deadline.refuse(within, { reserve }),
      Deadline.truncate(within, { reserve }),
      Deadline.cut(within)
    )
  })

  it.effect.prop(
    "no attempt starts at or after the deadline, nor with less than the reserve left",
    [
      deadlines,
      FastCheck.array(millis, { minLength: 1, maxLength: 8 }),
      FastCheck.array(millis, { minLength: 1, maxLength: 8 })
    ],
    ([deadline, delays, durations]) =>
      Effect.gen(function* () {
        const starts: Array<number> = []
        const attempt = Effect.suspend(() => failing(starts, durations[starts.length % durations.length]))
        const backoff = Backoff.fromDelays(delays)
        yield* Effect.flip(Retry.retry(attempt, { ...endless, backoff, deadline }))
        const latest = deadline.withinMillis - deadline.reserveMillis
        for (const start of starts.slice(1)) {
          expect(start).toBeLessThan(deadline.withinMillis)
          expect(start).toBeLessThanOrEqual(latest)
        }
        // The deadline is the only thing that can end it before the back-off does.
        if (starts.length <= delays.length) {
          const ran = (durations[(starts.length - 1) % durations.length] ?? 0) + (starts.at(-1) ?? 0)
          expect(ran + (delays[starts.length - 1] ?? 0)).toBeGreaterThanOrEqual(Math.floor(latest))
        }
      }).pipe(Effect.provide(SeededRandom.layer("deadline")), VirtualClock.run),
    { fastCheck: { seed: 5, numRuns: runsOf(80) } }
  )
})
