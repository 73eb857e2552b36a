import { Deadline, type Policy, Retry, Verdict } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import * as Recording from "./Recording.ts"

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
  it.effect("lets go of errors and judged results before the wait, and not of what the operation ends with", () =>
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
      const taken = recording.lines.indexOf("take Transient")
      expect(recording.lines.slice(taken, taken + 3)).toEqual([
        "take Transient",
        "release again: Retried",
        "sleep 1000"
      ])
    }).pipe(world)
  )

  it.effect("spares a result whose retry is refused", () =>
    Effect.gen(function* () {
      const recording = make({ take: () => Effect.succeedNone })
      const again = recording.attempts(Effect.succeed("again"))
      expect(yield* recording.provide(Retry.retry(again, { ...funded, ...releasing(recording) }))).toBe("again")
      expect(releases(recording)).toEqual([])
    }).pipe(world)
  )

  it.effect("lets go of a result while whose retry the operation is interrupted, and once", () =>
    Effect.gen(function* () {
      const recording = make({ take: (_, restore) => restore(Effect.never) })
      const again = recording.attempts(Effect.succeed("again"))
      const retried = Retry.retry(again, { ...funded, ...releasing(recording) })
      const fiber = yield* Effect.fork(recording.provide(retried))
      yield* Effect.sleep("1 second")
      yield* Fiber.interrupt(fiber)
      expect(releases(recording)).toEqual(["release again: Interrupted"])
    }).pipe(world)
  )

  it.effect("lets go of nothing twice where the wait is interrupted", () =>
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

  it.effect("is called once more where it is interrupted itself", () =>
    Effect.gen(function* () {
      const recording = make()
      const slow: Policy.Release = (_, because) => (because === "Retried" ? Effect.never : Effect.void)
      const again = recording.attempts(Effect.succeed("again"))
      const fiber = yield* Effect.fork(recording.provide(Retry.retry(again, releasing(recording, slow))))
      yield* Effect.sleep("1 second")
      yield* Fiber.interrupt(fiber)
      expect(releases(recording)).toEqual(["release again: Retried", "release again: Interrupted"])
    }).pipe(world)
  )

  it.effect("lets go of what a deadline cuts", () =>
    Effect.gen(function* () {
      const recording = make({ take: (_, restore) => restore(Effect.never) })
      const again = recording.attempts(Effect.succeed("again"))
      const cut = { ...funded, ...releasing(recording), deadline: Deadline.cut("3 seconds") }
      const exit = yield* Effect.exit(recording.provide(Retry.retry(again, cut)))
      expect(Exit.isFailure(exit)).toBe(true)
      expect(releases(recording)).toEqual(["release again: Interrupted"])
    }).pipe(world)
  )

  it("is refused where it is no function", () => {
    const bad = { ...policy, release: "all of it" } as unknown as typeof policy
    expect(() => Retry.retry(busy, bad)).toThrow(
      'Retry.retry: release must be a function from what failed to an effect, got "all of it"'
    )
  })
})
