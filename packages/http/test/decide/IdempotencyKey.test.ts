import { InvalidArgument } from "@effect-retry/core"
import { IdempotencyKey } from "@effect-retry/http"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Chunk, Effect, Exit, Option } from "effect"

const defect = (key: unknown): Effect.Effect<unknown> =>
  IdempotencyKey.next.pipe(
    Effect.provide(IdempotencyKey.layer(Effect.succeed(key as string))),
    Effect.exit,
    Effect.map(Exit.causeOption),
    Effect.map(Option.flatMap((cause) => Chunk.head(Cause.defects(cause)))),
    Effect.map(Option.getOrUndefined)
  )

describe("IdempotencyKey.next", () => {
  it.effect("is by default a UUID of the platform, a new one each time", () =>
    Effect.gen(function* () {
      const keys = yield* Effect.replicateEffect(IdempotencyKey.next, 100)
      expect(new Set(keys).size).toBe(100)
      // Version 4 of RFC 9562, section 5.4.
      expect(
        keys.filter((key) => !/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(key))
      ).toEqual([])
    })
  )

  it.effect.each(["k", "a key", "~!", "x".repeat(255)])("accepts a key that can stand in a header: %j", (key) =>
    Effect.gen(function* () {
      expect(yield* Effect.provide(IdempotencyKey.next, IdempotencyKey.layer(Effect.succeed(key)))).toBe(key)
    })
  )

  it.effect.each(["", " ", " k", "k ", "x".repeat(256), "ä", "a\nb", "a\u0000", "\u007f", undefined, null, 7, {}])(
    "dies of a key that cannot: %j",
    (key) =>
      Effect.gen(function* () {
        const died = yield* defect(key)
        expect(died).toBeInstanceOf(InvalidArgument.InvalidArgument)
        expect(String(died)).toContain("IdempotencyKey.next: key must be 1 to 255 printable ASCII characters, got")
      })
  )

  it.effect.each([
    ["secret key ", "got a string of 11 characters"],
    [["secret"], "got a value of type object"]
  ] as const)("shows nothing of a key that it refuses: %j", ([key, shown]) =>
    Effect.gen(function* () {
      const died = yield* defect(key)
      expect(String(died)).toContain(shown)
      expect(`${String(died)} ${JSON.stringify(died)}`).not.toContain("secret")
    })
  )
})

describe("IdempotencyKey.layerSequence", () => {
  const three = Effect.all([IdempotencyKey.next, IdempotencyKey.next, IdempotencyKey.next])

  it.effect("counts, and begins anew in another build", () =>
    Effect.gen(function* () {
      const counted = Effect.provide(three, IdempotencyKey.layerSequence)
      expect([yield* counted, yield* counted]).toEqual([
        ["key-1", "key-2", "key-3"],
        ["key-1", "key-2", "key-3"]
      ])
    })
  )

  it.effect("gives no key out twice", () =>
    Effect.gen(function* () {
      const keys = yield* Effect.provide(
        Effect.all(
          Array.from({ length: 50 }, () => Effect.zipRight(Effect.yieldNow(), IdempotencyKey.next)),
          { concurrency: "unbounded" }
        ),
        IdempotencyKey.layerSequence
      )
      expect(new Set(keys).size).toBe(50)
    })
  )
})
