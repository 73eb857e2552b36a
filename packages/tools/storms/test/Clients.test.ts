import { Load } from "@effect-retry/plan"
import { describe, expect, it } from "@effect/vitest"
import { type Duration, Effect, Option } from "effect"
import { recovery, type Row } from "../src/Clients.ts"

describe("recovery", () => {
  // A smaller server than that of the tables has fewer requests to simulate.
  const after = (client: Row, load: number, patience: Duration.DurationInput, seed = 1) =>
    Effect.map(
      Load.recovery(client, {
        load,
        seed,
        patience,
        server: { capacityPerSecond: 20, expired: client.expired ?? "serve" }
      }),
      ({ recoveredAfter }) => recoveredAfter
    )

  it.effect("a bucket credited by successes lets the server recover at nine tenths of its capacity", () =>
    Effect.map(after(recovery.successRatio, 0.9, "200 seconds"), (recovered) => {
      expect(Option.isSome(recovered)).toBe(true)
    })
  )

  it.effect.each([
    ["three attempts without a bucket keep the server down at half of its capacity", recovery.attempts, 0.5],
    ["jitter does not help three attempts out of that", recovery.jittered, 0.5],
    ["a bucket credited by requests does not let it recover at nine tenths", recovery.twiceRequestRatio, 0.9]
  ] as const)("%s", ([, client, load]) =>
    Effect.map(after(client, load, "60 seconds"), (recovered) => {
      expect(recovered).toEqual(Option.none())
    })
  )

  it.effect("a server that drops expired work recovers from three attempts, at nine tenths with a bucket only", () =>
    Effect.gen(function* () {
      expect(Option.isSome(yield* after(recovery.drops, 0.7, "20 seconds"))).toBe(true)
      expect(Option.isSome(yield* after(recovery.drops, 0.9, "20 seconds"))).toBe(false)
      expect(Option.isSome(yield* after(recovery.dropsAndBucket, 0.9, "20 seconds"))).toBe(true)
    })
  )
})
