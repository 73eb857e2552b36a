import { VirtualClock } from "@effect-retry/testing"
import { beforeAll, describe, expect, it, vi } from "@effect/vitest"
import type * as Core from "@effect-retry/core"
import { Cause, Duration, Effect, Exit, Fiber, Option } from "effect"

type Copy = typeof Core

/** Two copies of the package in one program, as two versions of a dependency bring them. */
let one: Copy
let other: Copy

beforeAll(async () => {
  vi.resetModules()
  one = await import("../../src/index.ts")
  vi.resetModules()
  other = await import("../../src/index.ts")
})

const policyOf = ({ AttemptTimeout, Backoff, Verdict }: Copy, name: string, millis: number, maxAttempts = 1) => ({
  name,
  classifier: () => Verdict.transient,
  maxAttempts,
  backoff: Backoff.constant({ delay: 1 }),
  attemptTimeout: AttemptTimeout.constant(millis)
})

/** A scope around an effect, which takes so long to release. */
const scoped = <A, E>(millis: number, self: Effect.Effect<A, E>) =>
  Effect.scoped(
    Effect.zipRight(
      Effect.addFinalizer(() => Effect.sleep(millis)),
      self
    )
  )

interface Nested {
  readonly innerMillis: number
  readonly outerMillis: number
  /** When the fiber of the outer operation is interrupted. */
  readonly atMillis: number
}

/** An operation of one copy inside an operation of another one, interrupted: how it ended, when, and whether it went on. */
const nested = (inner: Copy, outer: Copy, { atMillis, innerMillis, outerMillis }: Nested) =>
  VirtualClock.run(
    Effect.gen(function* () {
      let wentOn = false
      const inside = inner.Retry.retry(scoped(25, Effect.never), policyOf(inner, "inner", innerMillis))
      const outside = outer.Retry.retry(scoped(40, inside), policyOf(outer, "outer", outerMillis))
      const goesOn = Effect.zipRight(
        Effect.sleep(1),
        Effect.sync(() => void (wentOn = true))
      )
      const fiber = yield* Effect.fork(Effect.zipRight(Effect.exit(outside), goesOn))
      yield* Effect.sleep(atMillis)
      const exit = yield* Fiber.interrupt(fiber)
      return { isInterrupted: Exit.isInterrupted(exit), wentOn, at: Duration.toMillis(yield* VirtualClock.now) }
    })
  )

const times = [10, 15, 25, 35, 45, 55, 65, 75, 85].flatMap((atMillis) => [
  { innerMillis: 20, outerMillis: 30, atMillis },
  { innerMillis: 30, outerMillis: 20, atMillis }
])

describe("two copies of the package in one program", () => {
  it.effect("end nested operations, interrupted at any time, like one copy", () =>
    Effect.gen(function* () {
      expect(one.Retry.retry).not.toBe(other.Retry.retry)
      for (const row of times) {
        const expected = yield* nested(one, one, row)
        expect([row, yield* nested(one, other, row)]).toEqual([row, expected])
        expect([row, yield* nested(other, one, row)]).toEqual([row, expected])
      }
    })
  )

  it.effect("run each other's policies", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(one.Retry.retry(Effect.never, policyOf(other, "other", 10, 2)))
      expect(Option.getOrThrow(Option.flatMap(Exit.causeOption(exit), Cause.failureOption))).toMatchObject({
        _tag: "AttemptTimedOut",
        attempt: 2
      })
      expect(Duration.toMillis(yield* VirtualClock.now)).toBe(21)
    }).pipe(VirtualClock.run)
  )

  it.effect("notice that an operation runs inside an attempt of the other copy", () =>
    Effect.gen(function* () {
      const noticed: Array<string> = []
      const observe = [(event: Core.Observe.RetryEvent) => Effect.sync(() => void noticed.push(event._tag))]
      const inside = one.Retry.retry(Effect.void, { ...policyOf(one, "inner", 10, 2), observe })
      yield* other.Retry.retry(inside, policyOf(other, "outer", 10, 2))
      yield* inside
      expect(noticed).toEqual(["NestingNoticed", "Succeeded", "Succeeded"])
    }).pipe(VirtualClock.run)
  )
})
