import { SeededRandom } from "@effect-retry/plan"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Random } from "effect"
import * as Pcg from "../../src/chance/Pcg.ts"

const seeds = [0, 1, -1, 42, 0.1, -0.5, 2 ** 31, 2 ** 32, 1e20, Number.MAX_SAFE_INTEGER, "", "a", "contract", "ä€"]

const drawsOf = (seed: number | string, count: number): ReadonlyArray<number> => {
  const draw = Pcg.make(seed)
  return Array.from({ length: count }, draw)
}

describe("Pcg.make", () => {
  it.each([
    {
      seed: 0,
      draws: [
        0.03479883539545903, 0.4974824011181527, 0.30954464155874495, 0.38722809029349226, 0.4776972908117685,
        0.6151940212189712
      ]
    },
    {
      seed: 42,
      draws: [
        0.7397302147566239, 0.679392270986327, 0.42125959833146553, 0.9445235243749676, 0.7304993999658423,
        0.3848794981468161
      ]
    },
    // The greatest number of 32 bits, which is not folded.
    {
      seed: 2 ** 32 - 1,
      draws: [
        0.194977324596044, 0.9662344730137524, 0.6221944811514744, 0.37909449427579933, 0.6948546398844697,
        0.19105540490231976
      ]
    },
    {
      seed: "contract",
      draws: [
        0.15085075189460273, 0.022689133530191197, 0.40025348803616456, 0.20091089698475928, 0.14305297598595434,
        0.10773364763874382
      ]
    }
  ])("draws the numbers of a seed, $seed", ({ draws, seed }) => {
    expect(drawsOf(seed, 6)).toEqual(draws)
  })

  it("draws in [0, 1)", () => {
    const draws = seeds.flatMap((seed) => drawsOf(seed, 1_000))
    expect(draws.filter((draw) => draw < 0 || draw >= 1)).toEqual([])
  })

  it("draws other numbers for another seed", () => {
    const firsts = [0, 1, 2, 42, "a", "b", "contract"].map((seed) => drawsOf(seed, 1)[0])
    expect(new Set(firsts).size).toBe(firsts.length)
  })

  it.effect("is what a seeded Random draws from", () =>
    Effect.gen(function* () {
      for (const seed of seeds) {
        const drawn = yield* Effect.provide(Effect.replicateEffect(Random.next, 5), SeededRandom.layer(seed))
        expect(drawn).toEqual(drawsOf(seed, 5))
      }
    })
  )
})

describe("Pcg.below", () => {
  it.effect("draws whole numbers below the count, each equally often", () =>
    Effect.gen(function* () {
      const counts = [0, 0, 0, 0, 0]
      yield* Effect.replicateEffect(
        Effect.map(Pcg.below(5), (n) => (counts[n] = (counts[n] ?? 0) + 1)),
        10_000
      )
      for (const count of counts) expect(count / 2_000).toBeCloseTo(1, 1)
    }).pipe(Effect.provide(SeededRandom.layer(1)))
  )
})
