import { AttemptTimeout, Backoff, Deadline, type Observe, type Policy, Retry, Verdict } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Duration, Effect, Exit, Fiber, Logger, Option } from "effect"
import * as Recording from "./Recording.ts"
import * as Stepping from "./Stepping.ts"
import * as Steps from "../support/Steps.ts"

const { funded, make, nowMillis, policy, world } = Recording

const busy = Effect.fail("busy" as const)

/** Judges the text "again" as a failure, and writes down what is released. */
const releasing = (recording: Recording.Recording, release?: Policy.Release) => ({
  ...policy,
  result: (result: string) => (result === "again" ? Verdict.transient : Verdict.noOpinion),
  release: ((failed, because) =>
    Effect.zipRight(
      recording.note(`release ${failed}: ${because}`),
      release?.(failed, because) ?? Effect.void
    )) satisfies Policy.Release
})

const releases = ({ lines }: Recording.Recording) => lines.filter((line) => line.startsWith("release"))

describe("Policy.release", () => {
  it.effect("releases errors and judged results before the wait, and not what the operation ends with", () =>
    Effect.gen(function* () {
      const recording = make()
      const attempts = recording.attempts(Effect.succeed("again"), busy, Effect.succeed("again"))
      const result = yield* recording.provide(Retry.retry(attempts, releasing(recording)))
      expect(result).toBe("again")
      expect(recording.lines).toEqual([
        "attempt 1",
        "release again: Retried",
        "sleep 1000",
        "attempt 2",
        "release busy: Retried",
        "sleep 1000",
        "attempt 3"
      ])
    }).pipe(world)
  )

  it.effect("comes after the bucket has granted the retry", () =>
    Effect.gen(function* () {
      const recording = make()
      const attempts = recording.attempts(Effect.succeed("again"), Effect.succeed("fine"))
      yield* recording.provide(Retry.retry(attempts, { ...funded, ...releasing(recording) }))
      const granted = recording.lines.indexOf("bucket acquire 2 after Transient")
      expect(recording.lines.slice(granted, granted + 3)).toEqual([
        "bucket acquire 2 after Transient",
        "release again: Retried",
        "sleep 1000"
      ])
    }).pipe(world)
  )

  it.effect.each([
    { name: "the bucket refuses the retry", script: { bucket: () => Effect.succeedNone }, bounds: {} },
    { name: "the deadline refuses the retry", script: {}, bounds: { deadline: Deadline.refuse("1 second") } },
    { name: "the attempts are spent", script: {}, bounds: { maxAttempts: 1 } },
    {
      name: "an observer takes until the deadline",
      script: {},
      bounds: {
        deadline: Deadline.refuse("5 seconds"),
        observe: [() => Effect.sleep("5 seconds")]
      }
    }
  ] satisfies ReadonlyArray<{ name: string; script: Recording.Script; bounds: object }>)(
    "spares the result that the operation returns, when $name",
    ({ bounds, script }) =>
      Effect.gen(function* () {
        const recording = make(script)
        const again = recording.attempts(Effect.succeed("again"))
        const judged = { ...funded, ...releasing(recording), ...bounds }
        expect(yield* recording.provide(Retry.retry(again, judged))).toBe("again")
        expect(releases(recording)).toEqual([])
      }).pipe(world)
  )

  it.effect("releases a result when the operation is interrupted while its retry waits for the bucket", () =>
    Effect.gen(function* () {
      const recording = make({ bucket: ({ restore }) => restore(Effect.never) })
      const again = recording.attempts(Effect.succeed("again"))
      const retried = Retry.retry(again, { ...funded, ...releasing(recording) })
      const fiber = yield* Effect.fork(recording.provide(retried))
      yield* Effect.sleep("1 second")
      yield* Fiber.interrupt(fiber)
      expect(releases(recording)).toEqual(["release again: Interrupted"])
    }).pipe(world)
  )

  it.effect("releases nothing twice when the wait is interrupted", () =>
    Effect.gen(function* () {
      const recording = make()
      const again = recording.attempts(Effect.succeed("again"))
      const fiber = yield* Effect.fork(recording.provide(Retry.retry(again, releasing(recording))))
      yield* Effect.sleep(500)
      yield* Fiber.interrupt(fiber)
      expect(yield* nowMillis).toBe(500)
      expect(releases(recording)).toEqual(["release again: Retried"])
    }).pipe(world)
  )

  it.effect("is awaited when the operation is interrupted meanwhile, and not called again", () =>
    Effect.gen(function* () {
      const recording = make()
      const slow: Policy.Release = () => Effect.zipRight(Effect.sleep("3 seconds"), recording.note("over"))
      const again = recording.attempts(Effect.succeed("again"))
      const fiber = yield* Effect.fork(recording.provide(Retry.retry(again, releasing(recording, slow))))
      yield* Effect.sleep("1 second")
      yield* Fiber.interrupt(fiber)
      expect(yield* nowMillis).toBe(3_000)
      expect(recording.lines).toEqual(["attempt 1", "release again: Retried", "sleep 3000", "over"])
    }).pipe(world)
  )

  it.effect.each([
    { bound: "no bound", bounds: {} },
    { bound: "a timeout", bounds: { attemptTimeout: AttemptTimeout.constant("1 minute") } },
    { bound: "a cut", bounds: { deadline: Deadline.cut("1 minute") } }
  ])("is followed by no attempt under $bound when the operation is interrupted meanwhile", ({ bounds }) =>
    Effect.gen(function* () {
      const recording = make()
      const slow: Policy.Release = () => Effect.sleep("3 seconds")
      const again = recording.attempts(Effect.succeed("again"))
      const atOnce = { ...releasing(recording, slow), backoff: Backoff.constant({ delay: 0 }), ...bounds }
      const fiber = yield* Effect.fork(recording.provide(Retry.retry(again, atOnce)))
      yield* Effect.sleep("1 second")
      yield* Fiber.interrupt(fiber)
      expect(recording.lines.filter((line) => line.startsWith("attempt"))).toEqual(["attempt 1"])
    }).pipe(world)
  )

  it.effect("releases what a deadline cuts", () =>
    Effect.gen(function* () {
      const recording = make({ bucket: ({ restore }) => restore(Effect.never) })
      const again = recording.attempts(Effect.succeed("again"))
      const cut = { ...funded, ...releasing(recording), deadline: Deadline.cut("3 seconds") }
      const exit = yield* Effect.exit(recording.provide(Retry.retry(again, cut)))
      expect(exit).toEqual(
        Exit.fail(new Deadline.DeadlineExceeded({ within: Duration.seconds(3), attempts: 1, cause: expect.anything() }))
      )
      expect(releases(recording)).toEqual(["release again: Interrupted"])
    }).pipe(world)
  )

  it.effect.each([
    { name: "its timeout", bounds: { attemptTimeout: AttemptTimeout.constant("1 second"), maxAttempts: 1 } },
    { name: "a deadline that cuts", bounds: { deadline: Deadline.cut("1 second") } }
  ])("releases what an attempt that cannot be interrupted comes to after $name", ({ bounds }) =>
    Effect.gen(function* () {
      const recording = make()
      const stubborn = Effect.uninterruptible(Effect.zipRight(Effect.sleep("2 seconds"), busy))
      const error = yield* Effect.flip(Retry.retry(stubborn, { ...releasing(recording), ...bounds }))
      expect(error).not.toBe("busy")
      expect(releases(recording)).toEqual(["release busy: Interrupted"])
    }).pipe(world)
  )

  it.effect.each([
    { name: "the operation has gone on without it", interruptAt: Infinity, maxAttempts: 3 },
    { name: "the operation has ended without it", interruptAt: Infinity, maxAttempts: 1 },
    { name: "the operation was interrupted", interruptAt: 500, maxAttempts: 3 }
  ])("releases what a disconnected attempt comes to when $name", ({ interruptAt, maxAttempts }) =>
    Effect.gen(function* () {
      const recording = make()
      const stubborn = recording.attempts(
        Effect.uninterruptible(Effect.zipRight(Effect.sleep("3 seconds"), busy)),
        Effect.succeed("fine")
      )
      const attemptTimeout = AttemptTimeout.disconnected(AttemptTimeout.constant("1 second"))
      const fiber = yield* Effect.fork(Retry.retry(stubborn, { ...releasing(recording), attemptTimeout, maxAttempts }))
      yield* Effect.raceFirst(Fiber.await(fiber), Effect.sleep(Math.min(interruptAt, 10_000)))
      yield* Fiber.interrupt(fiber)
      expect(releases(recording)).toEqual([])
      yield* Effect.sleep("3 seconds")
      expect(releases(recording)).toEqual(["release busy: Interrupted"])
    }).pipe(world)
  )

  it.effect("is logged when it throws after the operation has gone on", () =>
    Effect.gen(function* () {
      const messages: Array<string> = []
      const logger = Logger.make(({ message }) => void messages.push(String(message)))
      const stubborn = make().attempts(
        Effect.uninterruptible(Effect.delay(busy, "3 seconds")),
        Effect.delay(Effect.succeed("fine"), "500 millis")
      )
      const attemptTimeout = AttemptTimeout.disconnected(AttemptTimeout.constant("1 second"))
      const throwing = { ...policy, attemptTimeout, release: () => Effect.runSync(Effect.die("bug")) }
      const result = yield* Effect.provide(
        Effect.zipLeft(Retry.retry(stubborn, throwing), Effect.sleep("3 seconds")),
        Logger.replace(Logger.defaultLogger, logger)
      )
      expect(result).toBe("fine")
      expect(messages).toEqual(["release died"])
    }).pipe(world)
  )

  it.effect("spares an error that comes together with interrupted siblings", () =>
    Effect.gen(function* () {
      const recording = make()
      const beside = Effect.failCause(Cause.parallel(Cause.fail("busy" as const), Cause.interrupt(expect.anything())))
      const exit = yield* Effect.exit(Retry.retry(beside, { ...releasing(recording), maxAttempts: 1 }))
      expect(Option.flatMap(Exit.causeOption(exit), Cause.failureOption)).toEqual(Option.some("busy"))
      expect(releases(recording)).toEqual([])
    }).pipe(world)
  )

  it.effect.each([
    {
      what: "classifier",
      judges: { classifier: () => Effect.runSync(Effect.die("bug")) },
      attempt: busy,
      released: "busy"
    },
    {
      what: "judge of results",
      judges: { result: () => Effect.runSync(Effect.die("bug")) },
      attempt: Effect.succeed("again"),
      released: "again"
    }
  ])("releases what it was called with when the $what throws", ({ attempt, judges, released }) =>
    Effect.gen(function* () {
      const recording = make()
      const exit = yield* Effect.exit(
        Retry.retry(attempt as Effect.Effect<string, "busy">, { ...releasing(recording), ...judges })
      )
      expect(Exit.isFailure(exit) && Cause.isDie(exit.cause)).toBe(true)
      expect(releases(recording)).toEqual([`release ${released}: Interrupted`])
    }).pipe(world)
  )

  it.effect("leaves the outcome alone when it dies, and is logged", () =>
    Effect.gen(function* () {
      const messages: Array<string> = []
      const logger = Logger.make(({ message }) => void messages.push(String(message)))
      const recording = make()
      const again = recording.attempts(Effect.succeed("again"), Effect.succeed("fine"))
      const dying = releasing(recording, () => Effect.die("bug"))
      const logged = Effect.provide(Retry.retry(again, dying), Logger.replace(Logger.defaultLogger, logger))
      expect(yield* logged).toBe("fine")
      expect(releases(recording)).toEqual(["release again: Retried"])
      expect(messages).toEqual(["release died"])
    }).pipe(world)
  )

  it("is refused if it is not a function", () => {
    const bad = { ...policy, release: "all of it" } as unknown as typeof policy
    expect(() => Retry.retry(busy, bad)).toThrow(
      'Retry.retry: release must be a function from what failed to an effect, got "all of it"'
    )
  })
})

describe("Policy.release before an attempt that is refused", () => {
  const refused: Recording.Answer = ({ attempt }) => Effect.succeed(attempt === 1 ? Option.some(1) : Option.none())
  const slow: Policy.Release = () => Effect.sleep("3 seconds")

  it.effect("ends with the refusal of the rate limiter, which carries what was released", () =>
    Effect.gen(function* () {
      const recording = make({ limiter: refused })
      const retried = Retry.retry(recording.attempts(busy), { ...funded, ...releasing(recording) })
      const error: "busy" | Retry.AttemptRefused = yield* Effect.flip(recording.provide(retried))
      expect(error).toMatchObject({ _tag: "AttemptRefused", attempt: 2, error: "busy" })
      expect(releases(recording)).toEqual(["release busy: Retried"])
    }).pipe(world)
  )

  it.effect.each([
    { deadline: Deadline.refuse("4 seconds"), limited: {} },
    { deadline: Deadline.refuse("4 seconds"), limited: { rateLimiter: Recording.Limiter } },
    { deadline: Deadline.truncate("4 seconds", { reserve: "1 second" }), limited: {} }
  ])("ends with the deadline, which carries what was released: $deadline", ({ deadline, limited }) =>
    Effect.gen(function* () {
      const recording = make()
      const starts: Array<number> = []
      const attempt = Effect.zipRight(
        Effect.map(nowMillis, (now) => void starts.push(now)),
        busy
      )
      const retried = Retry.retry(attempt, { ...policy, ...limited, deadline, release: slow })
      const error: "busy" | Deadline.DeadlineExceeded | Retry.AttemptRefused = yield* Effect.flip(
        recording.provide(retried)
      )
      expect(error).toEqual(new Deadline.DeadlineExceeded({ within: Duration.seconds(4), attempts: 1, cause: "busy" }))
      expect(starts).toEqual([0])
      expect(yield* nowMillis).toBe(3_000)
    }).pipe(world)
  )

  it.effect("hears of the deadline when it hangs until then", () =>
    Effect.gen(function* () {
      const hanging = { ...policy, deadline: Deadline.refuse("4 seconds"), release: () => Effect.never }
      const stopped = yield* Effect.flip(Retry.orStopped(busy, hanging))
      expect(stopped).toMatchObject({ reason: { _tag: "DeadlinePassed" }, attempts: 1 })
      expect(yield* nowMillis).toBe(4_000)
    }).pipe(world)
  )
})

/** An attempt that opens something numbered, and ends with it in the same step, as its result or as its error. */
const opening = () => {
  const opened: Array<number> = []
  const open = Effect.sync(() => opened.push(opened.length + 1))
  return { opened, open, failing: Effect.uninterruptible(Effect.flip(open)) }
}

type Failing = Effect.Effect<never, number>

const attempts = [
  { attempt: "fails at once", around: (failing: Failing) => failing },
  { attempt: "fails after a yield", around: (failing: Failing) => Effect.zipRight(Effect.yieldNow(), failing) },
  {
    attempt: "cannot be interrupted",
    around: (failing: Failing) =>
      Effect.uninterruptible(
        Effect.zipRight(
          Effect.yieldNow(),
          Effect.tapError(failing, () => Effect.yieldNow())
        )
      )
  }
]

const timeout = AttemptTimeout.constant("1 hour")

interface Bounds {
  readonly bound: string
  readonly changed: object
  /** At how many steps Effect drops an error: one after each attempt that runs in the fiber that is interrupted. */
  readonly dropped?: number
}

const bounds: ReadonlyArray<Bounds> = [
  { bound: "no bound", changed: {}, dropped: 2 },
  { bound: "a timeout", changed: { attemptTimeout: timeout }, dropped: 2 },
  { bound: "a disconnected timeout", changed: { attemptTimeout: AttemptTimeout.disconnected(timeout) } },
  { bound: "a cut", changed: { deadline: Deadline.cut("1 hour") }, dropped: 2 }
]

const table = bounds.flatMap((bound) => [
  ...attempts.map((attempt) => ({ dropped: 0, ...bound, ...attempt })),
  { ...bound, attempt: "is judged", around: undefined, dropped: Steps.dropsResults ? (bound.dropped ?? 0) : 0 }
])

describe("Policy.release before every step", () => {
  it.each(table)(
    "is called once for all that is not answered, under $bound, when the attempt $attempt",
    ({ around, changed, dropped }) => {
      const lost: Array<number> = []
      const wrong: Array<object> = []
      Stepping.everywhere(() => {
        const { failing, open, opened } = opening()
        const { bucket, limiter } = make({
          bucket: ({ restore }) => Effect.as(restore(Effect.yieldNow()), Option.some(1))
        })
        const released: Array<unknown> = []
        const told: Array<string> = []
        const retrying = {
          observe: [(event: Observe.RetryEvent) => Effect.sync(() => void told.push(event._tag))],
          classifier: () => Verdict.transient,
          maxAttempts: 2,
          backoff: Backoff.constant({ delay: 1 }),
          release: (failed: unknown) =>
            Effect.zipRight(
              Effect.yieldNow(),
              Effect.sync(() => void released.push(failed))
            ),
          ...changed
        }
        const self: Effect.Effect<unknown, unknown> =
          around === undefined
            ? Retry.retry(open, { ...retrying, rateLimiter: limiter, bucket, result: () => Verdict.transient })
            : Retry.retry(around(failing), retrying)
        return {
          self,
          check: ({ exit }, at) => {
            const answer = Exit.isSuccess(exit) ? exit.value : Option.getOrUndefined(Cause.failureOption(exit.cause))
            const left = opened.filter((number) => number !== answer)
            const latest = left.at(-1)
            const isLost = latest !== undefined && !released.includes(latest)
            const due = isLost ? left.slice(0, -1) : left
            if (String(released.toSorted()) !== String(due)) wrong.push({ at, released, due })
            // An operation that has given up hands its error over, which Effect drops when interrupted at its end.
            if (isLost && !told.includes("GaveUp")) lost.push(at)
          }
        }
      })
      expect(wrong).toEqual([])
      expect(lost.length).toBeLessThanOrEqual(dropped)
    }
  )
})
