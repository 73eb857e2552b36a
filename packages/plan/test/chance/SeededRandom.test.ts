import { SeededRandom } from "@effect-retry/plan"
import { describe, expect, it, layer } from "@effect/vitest"
import { Effect, Random } from "effect"

const draws = (count: number) => Effect.replicateEffect(Random.next, count)

const message = <A, E>(effect: Effect.Effect<A, E>) => Effect.map(Effect.flip(Effect.sandbox(effect)), String)

describe("SeededRandom.layer", () => {
  it.effect.each([{ seed: 1 }, { seed: -3.5 }, { seed: "checkout" }, { seed: "" }])(
    "gives the same draws whenever it is built, for seed $seed",
    ({ seed }) =>
      Effect.gen(function* () {
        const seeded = SeededRandom.layer(seed)
        const first = yield* Effect.provide(draws(100), seeded)
        expect(new Set(first).size).toBe(100)
        expect(yield* Effect.provide(draws(100), seeded)).toEqual(first)
        expect(yield* Effect.provide(draws(100), SeededRandom.layer(seed))).toEqual(first)
      })
  )

  it.effect("gives other draws for another seed, from the first one on", () =>
    Effect.gen(function* () {
      const seeds = Array.from({ length: 1_000 }, (_, seed) => seed)
      const first = yield* Effect.forEach(seeds, (seed) => Effect.provide(Random.next, SeededRandom.layer(seed)))
      expect(new Set(first).size).toBe(1_000)
    })
  )

  it.each([Number.NaN, Number.POSITIVE_INFINITY])("refuses %d", (seed) => {
    expect(() => SeededRandom.layer(seed)).toThrow(`SeededRandom.layer: seed must be finite, got ${seed}`)
  })
})

describe("SeededRandom.layerFixed", () => {
  const values = [0, 0.25, 0.5, 0.75, 0.1, 0.999]

  it.effect("draws its values in order, from the start whenever it is built", () =>
    Effect.gen(function* () {
      const scripted = SeededRandom.layerFixed(values)
      expect(yield* Effect.provide(draws(6), scripted)).toEqual(values)
      expect(yield* Effect.provide(draws(6), scripted)).toEqual(values)
    })
  )

  it.effect("scales them to a range", () =>
    Effect.gen(function* () {
      const scaled = yield* Effect.replicateEffect(Random.nextRange(100, 200), 6)
      expect(scaled).toEqual([100, 125, 150, 175, 110, 199.9])
    }).pipe(Effect.provide(SeededRandom.layerFixed(values)))
  )

  it.effect("rounds them down to integers", () =>
    Effect.gen(function* () {
      expect(yield* Effect.replicateEffect(Random.nextIntBetween(-2, 2), 6)).toEqual([-2, -1, 0, 1, -2, 1])
    }).pipe(Effect.provide(SeededRandom.layerFixed(values)))
  )

  it.effect("takes the upper half for true", () =>
    Effect.gen(function* () {
      expect(yield* Effect.replicateEffect(Random.nextBoolean, 6)).toEqual([false, false, false, true, false, true])
    }).pipe(Effect.provide(SeededRandom.layerFixed(values)))
  )

  it.effect.each([
    { values: [0, 0, 0], shuffled: ["b", "c", "d", "a"] },
    { values: [0.99, 0.99, 0.99], shuffled: ["a", "b", "c", "d"] },
    { values: [0.5, 0.5, 0.5], shuffled: ["a", "d", "b", "c"] }
  ])("shuffles four elements with the three draws $values", ({ shuffled, values }) =>
    Effect.gen(function* () {
      expect(Array.from(yield* Random.shuffle(["a", "b", "c", "d"]))).toEqual(shuffled)
      expect(yield* message(Random.next)).toContain("draw 4")
    }).pipe(Effect.provide(SeededRandom.layerFixed(values)))
  )

  it.effect.each([
    { values: [0.1, 0.2], draw: 3 },
    { values: [], draw: 1 }
  ])("dies at the draw after the last of $values", ({ draw, values }) =>
    Effect.gen(function* () {
      yield* draws(values.length)
      expect(yield* message(Random.next)).toContain(
        `SeededRandom.layerFixed: draw ${draw} is one too many, values holds ${values.length}`
      )
    }).pipe(Effect.provide(SeededRandom.layerFixed(values)))
  )

  it.each([1, -0.1, Number.NaN, Number.POSITIVE_INFINITY])("refuses %d among the values", (value) => {
    expect(() => SeededRandom.layerFixed([0.5, value])).toThrow(
      `SeededRandom.layerFixed: values[1] must be >= 0 and < 1, got ${value}`
    )
  })
})

describe("SeededRandom.layerConstant", () => {
  it.effect.each([{ u: 0 }, { u: 0.5 }, { u: 1 - Number.EPSILON }])("draws $u every time", ({ u }) =>
    Effect.gen(function* () {
      expect(yield* draws(6)).toEqual([u, u, u, u, u, u])
      expect(yield* Random.nextRange(10, 20)).toBeCloseTo(10 + u * 10, 12)
      expect(yield* Random.nextInt).toBe(Math.floor(u * Number.MAX_SAFE_INTEGER))
    }).pipe(Effect.provide(SeededRandom.layerConstant(u)))
  )

  it.each([1, -0.1, Number.NaN])("refuses %d", (u) => {
    expect(() => SeededRandom.layerConstant(u)).toThrow(`SeededRandom.layerConstant: u must be >= 0 and < 1, got ${u}`)
  })
})

layer(SeededRandom.layerFixed([0.1, 0.2]))("SeededRandom.layerFixed, shared by a block of tests", (it) => {
  it.effect("gives the first test the first draw", () =>
    Effect.gen(function* () {
      expect(yield* Random.next).toBe(0.1)
    })
  )

  it.effect("gives the next test the next draw", () =>
    Effect.gen(function* () {
      expect(yield* Random.next).toBe(0.2)
    })
  )
})
