import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Option, Stream } from "effect"
import * as BodyLine from "../../../src/loop/client/BodyLine.ts"

/** The values of a stream, and how it ended. */
const collected = <A, E>(stream: Stream.Stream<A, E>) =>
  Effect.gen(function* () {
    const values: Array<A> = []
    const exit = yield* Effect.exit(Stream.runForEach(stream, (value) => Effect.sync(() => values.push(value))))
    return { values, exit }
  })

describe("BodyLine.pulled", () => {
  it.effect("answers the pieces of a stream one after the other, and none once it has ended", () =>
    Effect.gen(function* () {
      const pull = yield* BodyLine.pulled(Stream.concat(Stream.make(1, 2), Stream.make(3)))
      expect([yield* pull, yield* pull, yield* pull]).toEqual([Option.some([1, 2]), Option.some([3]), Option.none()])
    }).pipe(Effect.scoped)
  )

  it.effect("fails as the stream does", () =>
    Effect.gen(function* () {
      const pull = yield* BodyLine.pulled(Stream.concat(Stream.make(1), Stream.fail("broken")))
      expect([yield* pull, yield* Effect.exit(pull)]).toEqual([Option.some([1]), Exit.fail("broken")])
    }).pipe(Effect.scoped)
  )
})

describe("BodyLine.emitted", () => {
  it.effect("is a stream of all that is emitted, however much comes at once, and ends with the effect", () =>
    Effect.gen(function* () {
      const numbers = Array.from({ length: 10_000 }, (_, i) => i)
      const stream = BodyLine.emitted<number, never, never>((emit) => Effect.sync(() => numbers.forEach(emit)))
      expect(yield* collected(stream)).toEqual({ values: numbers, exit: Exit.void })
    })
  )

  it.effect("fails as the effect does, behind what was emitted", () =>
    Effect.gen(function* () {
      const stream = BodyLine.emitted<number, string, never>((emit) =>
        Effect.zipRight(
          Effect.sync(() => emit(1)),
          Effect.fail("broken")
        )
      )
      expect(yield* collected(stream)).toEqual({ values: [1], exit: Exit.fail("broken") })
    })
  )

  it.effect("interrupts the effect when its reader ends", () =>
    Effect.gen(function* () {
      let isInterrupted = false
      const never = Effect.onInterrupt(Effect.never, () => Effect.sync(() => (isInterrupted = true)))
      const stream = BodyLine.emitted<number, never, never>((emit) =>
        Effect.zipRight(
          Effect.sync(() => emit(1)),
          never
        )
      )
      yield* Stream.runDrain(Stream.take(stream, 1))
      expect(isInterrupted).toBe(true)
    })
  )
})

describe("BodyLine.repeated", () => {
  it.effect("asks again and again, and ends where there is nothing", () =>
    Effect.gen(function* () {
      const pieces = [[1, 2], [], [3]]
      const pull = Effect.suspend(() => {
        const next = pieces.shift()
        return next === undefined ? Effect.fail(Option.none()) : Effect.succeed(next)
      })
      expect(yield* collected(BodyLine.repeated(pull))).toEqual({ values: [1, 2, 3], exit: Exit.void })
    })
  )

  it.effect("fails with an error that is given", () =>
    Effect.gen(function* () {
      expect(yield* collected(BodyLine.repeated(Effect.fail(Option.some("broken"))))).toEqual({
        values: [],
        exit: Exit.fail("broken")
      })
    })
  )
})

describe("BodyLine.disconnected", () => {
  it.effect("does not wait for the end of what it interrupts", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const interrupted = yield* Deferred.make<void>()
      const slow = Effect.onInterrupt(Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never), () =>
        Effect.zipRight(Deferred.succeed(interrupted, undefined), Effect.never)
      )
      const fiber = yield* Effect.fork(BodyLine.disconnected(slow))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(fiber)
      yield* Deferred.await(interrupted)
    })
  )
})

describe("BodyLine.isStream", () => {
  it("knows a stream from everything else", () => {
    const values = [Stream.empty, [1], Effect.void, undefined]
    expect(values.map(BodyLine.isStream)).toEqual([true, false, false, false])
  })
})
