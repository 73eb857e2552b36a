import * as Core from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it, vi } from "@effect/vitest"
import { Effect, Exit } from "effect"
import * as AtOnce from "../../../src/fund/fiber/AtOnce.ts"

const later = Effect.as(Effect.yieldNow(), 1)

const bug = (): never => {
  throw new Error("bug")
}

describe("AtOnce.run", () => {
  it.effect.each([
    { name: "a value", effect: Effect.succeed(1), exit: Exit.succeed(1) },
    { name: "nothing", effect: Effect.void, exit: Exit.void },
    { name: "a defect", effect: Effect.die("bug"), exit: Exit.die("bug") },
    { name: "a step", effect: Effect.sync(() => 1), exit: Exit.succeed(1) },
    { name: "a step that answers nothing", effect: Effect.sync(() => {}), exit: Exit.void },
    { name: "a step that throws", effect: Effect.sync(bug), exit: Exit.die(new Error("bug")) },
    { name: "a suspended step", effect: AtOnce.suspend(() => Effect.sync(() => 1)), exit: Exit.succeed(1) },
    { name: "a suspension that throws", effect: AtOnce.suspend(bug), exit: Exit.die(new Error("bug")) }
  ])("answers the exit of $name", ({ effect, exit }) =>
    Effect.gen(function* () {
      const ran = AtOnce.run<unknown>(effect)
      expect(AtOnce.hasEnded(ran)).toBe(true)
      expect(ran).toEqual(exit)
      expect(yield* Effect.exit(effect)).toEqual(exit)
    })
  )

  it.effect.each([
    { name: "an effect of several steps", effect: later },
    { name: "an effect that any fiber could suspend", effect: Effect.suspend(() => Effect.succeed(1)) },
    { name: "a suspended effect of several steps", effect: AtOnce.suspend(() => later) }
  ])("answers $name unrun", ({ effect }) =>
    Effect.gen(function* () {
      const left = AtOnce.run(effect)
      expect(AtOnce.hasEnded(left)).toBe(false)
      expect(yield* left).toBe(1)
      expect(yield* effect).toBe(1)
    })
  )

  it.each([undefined, null, 1, {}])("dies of %s, which is not an effect", (given) => {
    const exit = AtOnce.run(given as unknown as Effect.Effect<void>)
    expect(exit).toEqual(Exit.die(new TypeError("a service answered no effect")))
  })

  it.effect("runs a step once each time it is run", () =>
    Effect.gen(function* () {
      let steps = 0
      const step = AtOnce.suspend(() => Effect.sync(() => ++steps))
      AtOnce.run(step)
      expect(yield* step).toBe(2)
    })
  )
})

describe("AtOnce.readsNothing", () => {
  it.each([
    { name: "a value", effect: Effect.succeed(1), expected: true },
    { name: "a failure", effect: Effect.fail("busy"), expected: true },
    { name: "a step", effect: Effect.sync(() => 1), expected: true },
    { name: "an effect of several steps", effect: later, expected: false },
    { name: "a suspension, which may read the fiber", effect: AtOnce.suspend(() => Effect.void), expected: false },
    { name: "nothing, which is no effect", effect: undefined, expected: false },
    { name: "null, which is no effect", effect: null, expected: false }
  ])("is $expected for $name", ({ effect, expected }) => {
    expect(AtOnce.readsNothing(effect as Effect.Effect<unknown, unknown>)).toBe(expected)
  })
})

describe("AtOnce.andThen", () => {
  it.effect.each([
    { name: "at once with the value of a step", effect: Effect.sync(() => 1), isAtOnce: true },
    { name: "later with the value of several steps", effect: later, isAtOnce: false }
  ])("goes on $name", ({ effect, isAtOnce }) =>
    Effect.gen(function* () {
      let heard = 0
      const going = AtOnce.andThen(effect, (value) => {
        heard = value
        return Effect.succeed("done")
      })
      expect(heard).toBe(isAtOnce ? 1 : 0)
      expect([yield* going, heard]).toEqual(["done", 1])
    })
  )

  it.effect("passes a defect on", () =>
    Effect.gen(function* () {
      const going = AtOnce.andThen(Effect.sync(bug), () => Effect.succeed("done"))
      expect(yield* Effect.exit(going)).toEqual(Exit.die(new Error("bug")))
    })
  )
})

describe("AtOnce.currentFiber", () => {
  it.effect("is the fiber that runs, also after another one has run inside its step", () =>
    Effect.withFiberRuntime((fiber) => {
      const inner = Effect.runSync(Effect.sync(AtOnce.currentFiber))
      expect([AtOnce.currentFiber() === fiber, inner === fiber]).toEqual([true, false])
      return Effect.void
    })
  )
})

describe("what runs at once, in a version of Effect that keeps effects in another way", () => {
  /** The modules for a version of Effect that does not have these fields. */
  const without = (fields: Readonly<Record<string, () => undefined>>) =>
    Effect.promise(async () => {
      vi.resetModules()
      const path = "../../../src/fund/fiber/Undeclared.ts"
      vi.doMock(path, async (original) => ({ ...(await original<object>()), ...fields }))
      const core = await import("../../../src/index.ts")
      const atOnce = await import("../../../src/fund/fiber/AtOnce.ts")
      vi.doUnmock(path)
      // Tests after this one find their own modules.
      vi.resetModules()
      return { core, atOnce }
    })

  const none = () => undefined
  const missing = [
    { field: "_op", fields: { kind: none } },
    { field: "effect_instruction_i0", fields: { content: none } },
    { field: "of them at all", fields: { kind: none, content: none } }
  ]

  it.effect.each(missing)("has the same result when effects have no $field", ({ fields }) =>
    Effect.gen(function* () {
      const { atOnce } = yield* without(fields)
      for (const effect of [
        Effect.sync(() => 1),
        Effect.succeed(1),
        atOnce.suspend(() => Effect.sync(() => 1)),
        later
      ]) {
        expect(yield* atOnce.run(effect)).toBe(1)
        expect(yield* atOnce.andThen(effect, (value) => Effect.succeed(value + 1))).toBe(2)
      }
      expect(yield* Effect.exit(atOnce.run(Effect.sync(bug)))).toEqual(Exit.die(new Error("bug")))
    })
  )

  /** How operations under buckets end: with what, after how many attempts, when, and what is left in the buckets. */
  const operations = ({ Backoff, RateLimiter, Retry, TokenBucket }: typeof Core) => {
    const policy = {
      classifier: () => Core.Verdict.transient,
      maxAttempts: 4,
      backoff: Backoff.constant({ delay: "1 second" })
    }
    const operation = (failures: number) =>
      Effect.gen(function* () {
        const bucket = yield* TokenBucket.keyed({
          bucket: TokenBucket.quota({ capacity: 40 }),
          maxKeys: 2,
          idleTimeToLive: "1 hour"
        })
        const rateLimiter = yield* RateLimiter.fixed({ rate: 0.5, burst: 1 })
        let attempts = 0
        const self = Effect.suspend(() => (++attempts > failures ? Effect.succeed("done") : Effect.fail("busy")))
        const exit = yield* Effect.exit(Retry.retry(self, { ...policy, bucket, rateLimiter }))
        return { exit, attempts, level: yield* bucket.level, now: (yield* VirtualClock.now).toString() }
      }).pipe(Effect.provideService(Core.TokenBucket.Key, "key"), VirtualClock.run)
    return Effect.all([operation(0), operation(2), operation(9)])
  }

  it.effect.each(missing)("runs operations to the same end when effects have no $field", ({ fields }) =>
    Effect.gen(function* () {
      const { core } = yield* without(fields)
      expect(yield* operations(core)).toEqual(yield* operations(Core))
    })
  )
})
