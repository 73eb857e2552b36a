import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import * as AtOnce from "../../src/fund/AtOnce.ts"

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

  it.each([undefined, null, 1, {}])("answers %s, which is no effect, as it is", (given) => {
    expect(AtOnce.run(given as unknown as Effect.Effect<void>)).toBe(given)
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

describe("AtOnce.handlerAround", () => {
  const self = Effect.fail("busy")
  const handler = () => Effect.succeed("done")

  it("answers the handler of what handles every failure of the effect", () => {
    expect(AtOnce.handlerAround(self, Effect.catchAllCause(self, handler))).toBe(handler)
  })

  it.each([
    { name: "another effect is handled", effect: Effect.catchAllCause(Effect.fail("busy"), handler) },
    { name: "a success is handled", effect: Effect.flatMap(self, handler) },
    {
      name: "failure and success are handled",
      effect: Effect.matchCauseEffect(self, { onFailure: handler, onSuccess: handler })
    },
    { name: "nothing is handled", effect: self }
  ])("answers nothing where $name", ({ effect }) => {
    expect(AtOnce.handlerAround(self, effect)).toBeUndefined()
  })
})
