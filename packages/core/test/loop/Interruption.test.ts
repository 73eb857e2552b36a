import { AttemptTimeout, Backoff, Deadline, type Observe, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Option } from "effect"
import * as Recording from "./Recording.ts"
import * as Stepping from "./Stepping.ts"

const { funded, make, policy, world } = Recording

const busy = Effect.fail("busy" as const)

const bounds = [
  { bound: "a timeout", changed: { attemptTimeout: AttemptTimeout.constant("1 hour") } },
  { bound: "a cut", changed: { deadline: Deadline.cut("1 hour") } }
]

const cleaned = [...bounds, { bound: "a release", changed: { release: () => Effect.void } }]

/** Takes a minute to hear of the end of an operation. */
const slow: Observe.Observer = ({ _tag }) => (_tag === "GaveUp" ? Effect.sleep("1 minute") : Effect.void)

/** Interrupts an operation after so long, and answers how it ended. */
const interruptedAfter = <A, E>(self: Effect.Effect<A, E>, millis: number) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(self)
    yield* Effect.sleep(millis)
    return yield* Fiber.interrupt(fiber)
  })

describe("Retry.retry interrupted", () => {
  it.effect.each(cleaned)("tells nothing of an attempt under $bound that fails after the interruption", ({ changed }) =>
    Effect.gen(function* () {
      const told: Array<string> = []
      const failing = Effect.uninterruptible(Effect.zipRight(Effect.sleep("2 seconds"), busy))
      const observe = [(event: Observe.RetryEvent) => Effect.sync(() => void told.push(event._tag))]
      const exit = yield* interruptedAfter(Retry.retry(failing, { ...policy, observe, ...changed }), 1_000)
      expect(Exit.isInterrupted(exit)).toBe(true)
      expect(told).toEqual([])
    }).pipe(world)
  )

  it.effect.each(cleaned)("keeps a defect of an attempt under $bound that is interrupted", ({ changed }) =>
    Effect.gen(function* () {
      const dying = Effect.ensuring(Effect.never, Effect.die("broken"))
      const exit = yield* interruptedAfter(Retry.retry(dying, { ...policy, ...changed }), 1_000)
      const cause = Exit.isFailure(exit) ? exit.cause : Cause.empty
      expect(Cause.dieOption(cause)).toEqual(Option.some("broken"))
      expect(Cause.isInterrupted(cause)).toBe(true)
    }).pipe(world)
  )

  it.each(bounds)("ends no operation before its attempt, interrupted before any step under $bound", ({ changed }) => {
    const late: Array<object> = []
    Stepping.everywhere(() => {
      const ended: Array<string> = []
      const note = (line: string) => Effect.sync(() => void ended.push(line))
      const attempt = Effect.acquireUseRelease(
        Effect.void,
        () => Effect.zipRight(Effect.yieldNow(), Effect.sleep("1 second")),
        () => note("attempt")
      )
      return {
        self: Effect.ensuring(Retry.retry(attempt, { ...policy, ...changed }), note("operation")),
        check: (_, at) => {
          if (ended.at(-1) === "attempt") late.push({ at, ended })
        }
      }
    })
    expect(late).toEqual([])
  })

  it.effect("refunds once what is granted too late, when the operation is interrupted after that", () =>
    Effect.gen(function* () {
      const recording = make({ bucket: () => Effect.as(Effect.sleep(4_500), Option.some(5)) })
      const late = { ...funded, deadline: Deadline.refuse("5 seconds"), observe: [slow] }
      yield* interruptedAfter(recording.provide(Retry.retry(recording.attempts(busy), late)), 4_800)
      expect(recording.ledgers.bucket).toEqual({ granted: 5, refunded: 5, spent: 0 })
    }).pipe(world)
  )

  it.effect("abandons an attempt that is interrupted, for a bucket that counts starts", () =>
    Effect.gen(function* () {
      const outcomes: Array<string> = []
      const bucket: TokenBucket.TokenBucket = {
        ...TokenBucket.unlimited,
        record: (outcome) => Effect.sync(() => void outcomes.push(outcome._tag)),
        started: () => Effect.void
      }
      yield* interruptedAfter(Retry.retry(Effect.never, { ...policy, bucket }), 1_000)
      expect(outcomes).toEqual(["Abandoned"])
    }).pipe(world)
  )

  it.effect.each([
    { name: "succeeds", attempt: Effect.succeed("open"), result: undefined },
    { name: "fails for the last time", attempt: Effect.fail("open"), result: undefined },
    { name: "answers with a result that is given up on", attempt: Effect.succeed("open"), result: Verdict.transient }
  ])("releases what is left open while the bucket is told that the attempt $name", ({ attempt, result }) =>
    Effect.gen(function* () {
      const released: Array<unknown> = []
      const bucket: TokenBucket.TokenBucket = {
        ...TokenBucket.unlimited,
        record: () => Effect.sleep("2 seconds"),
        started: () => Effect.void
      }
      const retried = Retry.retry(attempt as Effect.Effect<string, string>, {
        classifier: () => Verdict.transient,
        ...(result !== undefined && { result: () => result }),
        maxAttempts: 1,
        backoff: Backoff.constant({ delay: 0 }),
        bucket,
        release: (left: unknown) => Effect.sync(() => void released.push(left))
      })
      const exit = yield* interruptedAfter(retried, 1_000)
      expect(Exit.isInterrupted(exit)).toBe(true)
      expect(released).toEqual(["open"])
    }).pipe(world)
  )

  it("releases a success that an interruption takes away", () => {
    const lost: Array<number> = []
    Stepping.everywhere(() => {
      const released: Array<unknown> = []
      let opened = 0
      const open = Effect.sync(() => void (opened += 1))
      const release = (left: unknown) => Effect.sync(() => void released.push(left))
      const observe = [() => Effect.yieldNow()]
      const retried = Retry.retry(Effect.zipRight(Effect.yieldNow(), Effect.as(open, "open")), {
        classifier: () => Verdict.transient,
        maxAttempts: 2,
        backoff: Backoff.constant({ delay: 1 }),
        observe,
        release
      })
      return {
        self: retried,
        check: ({ exit }, at) => {
          if (Exit.isFailure(exit) && released.length < opened) lost.push(at)
        }
      }
    })
    // At so many steps Effect drops it, as it drops an error: no operation can see to that.
    expect(lost.length).toBeLessThanOrEqual(3)
  })
})
