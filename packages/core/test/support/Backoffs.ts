/**
 * Arbitrary back-offs, built from random trees by the public constructors and combinators.
 */
import type { BackoffTree } from "@effect-retry/core"
import { Backoff, Jitter, Verdict } from "@effect-retry/core"
import { FastCheck as fc } from "effect"

/** A draw, the least and the greatest ones included. */
export const draw: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(0, 0.5, 1 - Number.EPSILON / 2),
  fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
)

/** Milliseconds from `min` to `max`, whole ones or whole nanoseconds, the bounds included. */
export const millis = (min: number, max: number): fc.Arbitrary<number> =>
  fc.oneof(
    fc.constantFrom(min, max),
    fc.double({ min, max, noNaN: true }).map((millis) => Math.min(Math.round(millis * 1e6) / 1e6, max)),
    fc.integer({ min: Math.ceil(min), max })
  )

/** What the steps of a back-off may depend on. */
export const inputs: fc.Arbitrary<ReadonlyArray<BackoffTree.Input>> = fc.array(
  fc.record({
    u: draw,
    kind: fc.constantFrom(undefined, ...Verdict.kinds),
    ranMillis: fc.constantFrom(0, 1, 500, 60_000, 3_600_000)
  }),
  { minLength: 8, maxLength: 20 }
)

/** A jitter written by a user: it reaches below and above its bound, and is no uniform one. */
export const userJitter = Jitter.make({
  name: "squared",
  interval: (bound) => [bound / 4, bound * 2],
  draw: (bound, u) => bound * (1 / 4 + (7 / 4) * u * u)
})

export const jitter: fc.Arbitrary<Jitter.Jitter> = fc.oneof(
  fc.constantFrom(Jitter.none, Jitter.full, Jitter.equal, userJitter),
  fc.double({ min: 0.01, max: 1, noNaN: true }).map((ratio) => Jitter.proportional({ ratio })),
  fc.integer({ min: 1, max: 10_000 }).map((max) => Jitter.additive({ max }))
)

/** Curves that never end and never fall, with a greatest base. */
export const endless = (max: number): fc.Arbitrary<Backoff.Backoff> =>
  fc.oneof(
    millis(0, max).map((delay) => Backoff.constant({ delay })),
    fc.record({ base: millis(0, max), step: millis(0, max) }).map(Backoff.linear),
    fc.record({ base: millis(0, max), degree: fc.double({ min: 0.1, max: 5, noNaN: true }) }).map(Backoff.polynomial),
    fc.record({ base: millis(0, max), factor: fc.double({ min: 1, max: 10, noNaN: true }) }).map(Backoff.exponential),
    millis(0, max).map((base) => Backoff.fibonacci({ base }))
  )

/** Curves that end. */
export const ending = (max: number): fc.Arbitrary<Backoff.Backoff> =>
  fc.oneof(
    fc.array(millis(0, max), { maxLength: 6 }).map(Backoff.fromDelays),
    millis(1_000, 300_000).map((maximum) => Backoff.connectRetry({ maximum }))
  )

/** Curves that draw by definition. */
export const drawing = (max: number): fc.Arbitrary<Backoff.Backoff> =>
  fc.oneof(
    millis(0.001, max).map((base) => Backoff.decorrelated({ base })),
    millis(0.001, max).map((base) => Backoff.decorrelatedSmooth({ base })),
    millis(0.001, max).map((slot) => Backoff.ethernet({ slot })),
    fc
      .record({ factor: fc.nat(50), maximum: millis(1_000, 600_000), jitter: fc.boolean() })
      .map((options) => Backoff.celery(options)),
    fc
      .record({
        base: millis(0, max),
        factor: fc.double({ min: 1, max: 10, noNaN: true }),
        maximum: millis(1, max),
        randomMillis: fc.double({ min: 0, max: 5_000, noNaN: true })
      })
      .map(Backoff.truncated)
  )

const cap = (max: number) => millis(1, max)

/** Curves, each with or without a cap and a jitter. */
const leaf = (max: number): fc.Arbitrary<Backoff.Backoff> =>
  fc
    .tuple(fc.oneof(endless(max), endless(max), ending(max)), fc.option(jitter), fc.option(cap(max)))
    .map(([curve, jitter, cap]) => {
      const jittered = jitter === null ? curve : Backoff.jittered(curve, jitter)
      return cap === null ? jittered : Backoff.capped(jittered, cap)
    })

const drawingLeaf = (max: number): fc.Arbitrary<Backoff.Backoff> =>
  fc.tuple(drawing(max), fc.option(cap(max))).map(([curve, cap]) => (cap === null ? curve : Backoff.capped(curve, cap)))

const treeOf = (leaves: fc.Arbitrary<Backoff.Backoff>, max: number): fc.Arbitrary<Backoff.Backoff> =>
  fc.letrec<{ readonly tree: Backoff.Backoff }>((tie) => {
    const pair = fc.tuple(tie("tree"), tie("tree"))
    return {
      tree: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        leaves,
        pair.map(([a, b]) => Backoff.longest(a, b)),
        pair.map(([a, b]) => Backoff.shortest(a, b)),
        pair.map(([a, b]) => Backoff.andThen(a, b)),
        tie("tree").map(Backoff.delayedFirst),
        fc
          .record(
            { Throttling: tie("tree"), Timeout: tie("tree"), orElse: tie("tree") },
            { requiredKeys: ["Throttling", "orElse"] }
          )
          .map(Backoff.byKind),
        fc.tuple(tie("tree"), fc.constantFrom(1, 500, 60_000)).map(([a, after]) => Backoff.resetAfter(a, after)),
        fc.tuple(tie("tree"), cap(max)).map(([a, at]) => Backoff.capped(a, at))
      )
    }
  }).tree

/** Trees of everything, with a greatest base. */
export const anyBackoff = (max = 100_000): fc.Arbitrary<Backoff.Backoff> =>
  treeOf(fc.oneof(leaf(max), drawingLeaf(max)), max)

/** Trees of everything that `jittered` accepts. */
export const jitterable = (max = 100_000): fc.Arbitrary<Backoff.Backoff> => treeOf(leaf(max), max)
