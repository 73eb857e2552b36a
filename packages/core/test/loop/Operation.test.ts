import { Backoff, Deadline, type Policy, Retry, Verdict } from "@effect-retry/core"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Exit, FastCheck, Fiber, Option } from "effect"
import { make, nowMillis, policy, world } from "./Recording.ts"
import * as Recording from "./Recording.ts"

const endless = { ...policy, maxAttempts: 100 }

/** Fails after `millis`; writes down when it started. */
const failing = (starts: Array<number>, millis = 0) =>
  Effect.gen(function* () {
    starts.push(yield* nowMillis)
    yield* Effect.sleep(millis)
    return yield* Effect.fail("busy" as const)
  })

/** When the attempts of an operation started, why it stopped, and when. */
const startsOf = (policy: Policy.Policy<"busy", unknown, never, never>, attemptMillis = 0) =>
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

  it.effect("counts the wait for the first send", () =>
    Effect.gen(function* () {
      const recording = make({ acquire: () => Effect.delay(Effect.succeed(true), "700 millis") })
      const starts: Array<number> = []
      const bounded = { ...endless, sendRate: Recording.Rate, deadline: Deadline.refuse("1700 millis") }
      yield* Effect.flip(recording.provide(Retry.retry(failing(starts), bounded)))
      expect(starts).toEqual([700])
    }).pipe(world)
  )

  it.effect("lets no attempt start when the wait took longer than it said", () =>
    Effect.gen(function* () {
      const starts: Array<number> = []
      const bounded = { ...endless, deadline: Deadline.refuse("1500 millis") }
      const fiber = yield* Effect.fork(Effect.flip(Retry.orStopped(failing(starts), bounded)))
      yield* Effect.sleep("500 millis")
      yield* VirtualClock.setWallTime("1 hour")
      const stopped = yield* Fiber.join(fiber)
      expect(stopped).toMatchObject({ reason: { _tag: "DeadlinePassed" }, attempts: 1 })
      expect(starts).toEqual([0])
      expect(yield* nowMillis).toBe(1_000)
    }).pipe(world)
  )

  it.effect("does not count what a clock stepped back, and counts on after the step", () =>
    Effect.gen(function* () {
      const starts: Array<number> = []
      const bounded = { ...endless, deadline: Deadline.refuse("2500 millis") }
      const fiber = yield* Effect.fork(Effect.flip(Retry.orStopped(failing(starts), bounded)))
      yield* Effect.sleep("500 millis")
      yield* VirtualClock.stepBack("1 hour")
      const stopped = yield* Fiber.join(fiber)
      // The second in which the clock stepped is lost, so one more attempt fits; but not an hour of them.
      expect(starts).toEqual([0, 1000, 2000, 3000])
      expect(stopped.history.map(({ startedAfter }) => Duration.toMillis(startedAfter))).toEqual([0, 0, 1000, 2000])
      expect(Duration.toMillis(stopped.elapsed)).toBe(2_000)
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
    "starts a last attempt with $reserve of $within left, where the delay is $delay",
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

  it.effect("fails with what onExceeded makes of it", () =>
    Effect.gen(function* () {
      const deadline = Deadline.cut(within, { onExceeded: ({ attempts, cause }) => ["late", attempts, cause] as const })
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

  it.effect("lets no attempt start after it, also where nothing can be interrupted", () =>
    Effect.gen(function* () {
      const starts: Array<number> = []
      const error = yield* Effect.flip(Effect.uninterruptible(Retry.retry(failing(starts), cut)))
      expect(error).toEqual(new Deadline.DeadlineExceeded({ within, attempts: 3, cause: "busy" }))
      expect(starts).toEqual([0, 1000, 2000])
      expect(yield* nowMillis).toBe(3_000)
    }).pipe(world)
  )

  it.effect("neither waits nor pays for a retry once it is due", () =>
    Effect.gen(function* () {
      const recording = make()
      const late = Effect.delay(Effect.fail("busy" as const), "3 seconds")
      const bounded = { ...cut, bucket: Recording.Bucket }
      yield* Effect.flip(recording.provide(Effect.uninterruptible(Retry.retry(recording.attempts(late), bounded))))
      expect(recording.lines).toEqual(["attempt 1", "sleep 3000", "sleep 2500", "ended 1: Transient"])
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

  it.effect("lets no attempt start when the wall clock says it has passed", () =>
    Effect.gen(function* () {
      const starts: Array<number> = []
      const fiber = yield* Effect.fork(Effect.flip(Retry.retry(failing(starts), cut)))
      yield* Effect.sleep("500 millis")
      yield* VirtualClock.setWallTime("1 hour")
      const error = yield* Fiber.join(fiber)
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
      expect(stopped.history).toEqual([
        {
          attempt: 1,
          error: "busy",
          verdict: Verdict.transient,
          startedAfter: Duration.millis(0),
          failedAfter: Duration.millis(300),
          delay: Option.some(Duration.millis(1000))
        },
        {
          attempt: 2,
          error: "busy",
          verdict: Verdict.transient,
          startedAfter: Duration.millis(1300),
          failedAfter: Duration.millis(1600),
          delay: Option.some(Duration.millis(1000))
        }
      ])
    }).pipe(world)
  )

  it.effect("tells the whole history when it cut an attempt", () =>
    Effect.gen(function* () {
      const stopped = yield* Effect.flip(Retry.orStopped(failing([], 1_000), cut))
      expect(stopped).toMatchObject({ reason: { _tag: "DeadlinePassed" }, attempts: 2, elapsed: within })
      expect(stopped.history.map(({ attempt, delay }) => [attempt, delay])).toEqual([
        [1, Option.some(Duration.millis(1000))]
      ])
    }).pipe(world)
  )

  it.effect("tells of the failure for whose retry the bucket made it wait", () =>
    Effect.gen(function* () {
      const recording = make({ take: (_, restore) => restore(Effect.never) })
      const stopped = yield* Effect.flip(
        recording.provide(Retry.orStopped(failing([]), { ...cut, bucket: Recording.Bucket }))
      )
      expect(stopped.error).toEqual(new Deadline.DeadlineExceeded({ within, attempts: 1, cause: "busy" }))
      expect(stopped.history.map(({ attempt, delay }) => [attempt, delay])).toEqual([[1, Option.none()]])
    }).pipe(world)
  )

  it.effect("gives back the tokens of the retry that it cut", () =>
    Effect.gen(function* () {
      const recording = make()
      const deadline = Deadline.cut("500 millis")
      yield* Effect.flip(recording.provide(Retry.retry(failing([]), { ...Recording.funded, deadline })))
      expect(recording.lines.slice(-2)).toEqual(["sleep 1000", "give back 5"])
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
    { timeout: 20_000, fastCheck: { seed: 5, numRuns: 80 } }
  )
})
