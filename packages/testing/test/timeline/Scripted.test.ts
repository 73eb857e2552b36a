import { Scripted } from "@effect-retry/testing"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { Data, Effect, Either } from "effect"

class Busy extends Data.TaggedError("Busy") {}
class Lost extends Data.TaggedError("Lost")<{ readonly at: number }> {}

describe("Scripted.make", () => {
  it.effect("takes steps that fail with several kinds of errors", () =>
    Effect.gen(function* () {
      const { call, calls } = yield* Scripted.make([
        Scripted.fail(new Busy()),
        Scripted.times(Scripted.fail(new Lost({ at: 1 })), 2),
        Scripted.succeed("done")
      ])
      expectTypeOf(call).toEqualTypeOf<Effect.Effect<string, Busy | Lost>>()
      const ends = yield* Effect.all([call, call, call, call].map(Effect.either))
      expect(ends.map((end) => (Either.isLeft(end) ? end.left._tag : end.right))).toEqual([
        "Busy",
        "Lost",
        "Lost",
        "done"
      ])
      expect(yield* calls).toBe(4)
    })
  )
})
