import { Backoff, BackoffTree, Curve, Jitter } from "@effect-retry/core"
import { Arbitraries } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { law } from "../support/Laws.ts"
import type { Trace } from "../support/Traces.ts"
import { delayAt, input, trace, treeTrace } from "../support/Traces.ts"

const { draw, jitter, millis } = Arbitraries

const now = Backoff.constant({ delay: 0 })
const giveUp = Backoff.fromDelays([])
const { andThen, capped, jittered, longest, shortest } = Backoff

/** A law of one, two or three back-offs: both sides make the same trace under the same draws, kinds and running times. */
const same = (
  name: string,
  sides: (
    p: Backoff.Backoff,
    q: Backoff.Backoff,
    r: Backoff.Backoff
  ) => readonly [left: Backoff.Backoff, right: Backoff.Backoff]
) =>
  it.prop(
    name,
    [Arbitraries.backoff(), Arbitraries.backoff(), Arbitraries.backoff(), Arbitraries.inputs],
    ([p, q, r, given]) => {
      const [left, right] = sides(p, q, r)
      expect(trace(left, given)).toEqual(trace(right, given))
    },
    law()
  )

const delays = (of: Trace): ReadonlyArray<number> => of.filter((delay) => delay !== "ended")

// The lattice is that of cats-retry's RetryPolicyLawsSuite, https://github.com/cb372/cats-retry, whose laws hold for
// policies without chance; here they hold path by path, since one draw serves a whole step.
describe("Backoff.longest", () => {
  same("is associative", (p, q, r) => [longest(longest(p, q), r), longest(p, longest(q, r))])
  same("is commutative", (p, q) => [longest(p, q), longest(q, p)])
  same("is idempotent, with chance", (p) => [longest(p, p), p])
  same("has as identity to retry now, for ever", (p) => [longest(p, now), p])
  same("has as identity on the left to retry now, for ever", (p) => [longest(now, p), p])
  same("gives up with whoever gives up", (p) => [longest(p, giveUp), giveUp])
  same("absorbs", (p, q) => [longest(p, shortest(p, q)), p])
  same("distributes over shortest", (p, q, r) => [longest(p, shortest(q, r)), shortest(longest(p, q), longest(p, r))])
})

describe("Backoff.shortest", () => {
  same("is associative", (p, q, r) => [shortest(shortest(p, q), r), shortest(p, shortest(q, r))])
  same("is commutative", (p, q) => [shortest(p, q), shortest(q, p)])
  same("is idempotent, with chance", (p) => [shortest(p, p), p])
  same("has as identity to give up", (p) => [shortest(p, giveUp), p])
  same("has as identity on the left to give up", (p) => [shortest(giveUp, p), p])
  same("retries now with whoever retries now, for ever", (p) => [shortest(p, now), now])
  same("absorbs", (p, q) => [shortest(p, longest(p, q)), p])
  same("distributes over longest", (p, q, r) => [shortest(p, longest(q, r)), longest(shortest(p, q), shortest(p, r))])
})

describe("Backoff.andThen", () => {
  same("is associative", (p, q, r) => [andThen(andThen(p, q), r), andThen(p, andThen(q, r))])
  same("has as identity on the left to give up", (p) => [andThen(giveUp, p), p])
  same("has as identity on the right to give up", (p) => [andThen(p, giveUp), p])
})

describe("Backoff.capped", () => {
  const cap = millis(1, 100_000)

  it.prop(
    "bounds every delay",
    [Arbitraries.backoff(), cap, Arbitraries.inputs],
    ([p, at, given]) => {
      for (const delay of delays(trace(capped(p, at), given))) expect(delay).toBeLessThanOrEqual(at)
    },
    law()
  )

  it.prop(
    "never changes when a back-off ends",
    [Arbitraries.backoff(), cap, Arbitraries.inputs],
    ([p, at, given]) => {
      expect(trace(capped(p, at), given).indexOf("ended")).toBe(trace(p, given).indexOf("ended"))
    },
    law()
  )

  it.prop(
    "is idempotent",
    [Arbitraries.backoff(), cap, Arbitraries.inputs],
    ([p, at, given]) => {
      expect(trace(capped(capped(p, at), at), given)).toEqual(trace(capped(p, at), given))
    },
    law()
  )

  it.prop(
    "composes to the lower of two caps",
    [Arbitraries.backoff(), cap, cap, Arbitraries.inputs],
    ([p, a, b, given]) => {
      expect(trace(capped(capped(p, a), b), given)).toEqual(trace(capped(p, Math.min(a, b)), given))
    },
    law()
  )

  it.prop(
    "commutes with jittered, draw by draw",
    [Arbitraries.jitterable(), cap, jitter, Arbitraries.inputs],
    ([p, at, chance, given]) => {
      expect(trace(jittered(capped(p, at), chance), given)).toEqual(trace(capped(jittered(p, chance), at), given))
    },
    law()
  )

  it.prop(
    "changes nothing where it is above every delay without chance",
    [fc.oneof(Arbitraries.endless(1_000), Arbitraries.ending(1_000)), Arbitraries.inputs],
    ([p, given]) => {
      expect(trace(capped(p, Curve.longestMillis), given)).toEqual(trace(p, given))
    },
    law()
  )

  it.prop(
    "distributes over longest and shortest",
    [Arbitraries.backoff(), Arbitraries.backoff(), cap, Arbitraries.inputs],
    ([p, q, at, given]) => {
      expect(trace(capped(longest(p, q), at), given)).toEqual(trace(longest(capped(p, at), capped(q, at)), given))
      expect(trace(capped(shortest(p, q), at), given)).toEqual(trace(shortest(capped(p, at), capped(q, at)), given))
    },
    law()
  )
})

describe("Backoff.jittered", () => {
  it.prop(
    "never changes when a back-off ends",
    [Arbitraries.jitterable(), jitter, Arbitraries.inputs],
    ([p, chance, given]) => {
      expect(trace(jittered(p, chance), given).indexOf("ended")).toBe(trace(p, given).indexOf("ended"))
    },
    law()
  )

  it.prop(
    "keeps to the jitter's interval around the bound, rounded up",
    [Arbitraries.endless(100_000), jitter, Arbitraries.inputs],
    ([p, chance, given]) => {
      const bounds = delays(trace(p, given))
      delays(trace(jittered(p, chance), given)).forEach((delay, i) => {
        // The bound itself has been rounded up by less than a millisecond.
        expect(delay).toBeLessThanOrEqual(Math.ceil(chance.interval(bounds[i]!)[1]))
        expect(delay).toBeGreaterThanOrEqual(Math.floor(chance.interval(Math.max(0, bounds[i]! - 1))[0]))
      })
    },
    law()
  )
})

describe("Backoff.delayedFirst", () => {
  it.prop(
    "retries at once and then as without it, one later",
    [Arbitraries.backoff(), Arbitraries.inputs],
    ([p, given]) => {
      expect(trace(Backoff.delayedFirst(p), given)).toEqual([0, ...trace(p, given.slice(1))])
    },
    law()
  )
})

describe("Backoff.byKind", () => {
  it.prop(
    "is the back-off itself where every case is the same",
    [Arbitraries.backoff(), Arbitraries.inputs],
    ([p, given]) => {
      expect(trace(Backoff.byKind({ Transient: p, Throttling: p, Client: p, orElse: p }), given)).toEqual(
        trace(p, given)
      )
    },
    law()
  )
})

describe("Backoff.resetAfter", () => {
  it.prop(
    "changes nothing while no attempt runs so long",
    [Arbitraries.backoff(), Arbitraries.inputs],
    ([p, given]) => {
      const briefly = given.map((one) => ({ ...one, ranMillis: Math.min(one.ranMillis, 59_999) }))
      expect(trace(Backoff.resetAfter(p, "1 minute"), briefly)).toEqual(trace(p, briefly))
    },
    law()
  )

  it.prop(
    "is at its beginning after an attempt that ran so long",
    [Arbitraries.backoff(), Arbitraries.inputs, Arbitraries.inputs],
    ([p, before, after]) => {
      const [first, ...others] = after
      const long = [{ ...first!, ranMillis: 60_000 }, ...others.map((one) => ({ ...one, ranMillis: 0 }))]
      const beginning = delays(trace(p, before))
      const reset = trace(Backoff.resetAfter(p, "1 minute"), [
        ...before.slice(0, beginning.length).map((one) => ({ ...one, ranMillis: 0 })),
        ...long
      ])
      const undisturbed = before.slice(0, beginning.length).map((one) => ({ ...one, ranMillis: 0 }))
      if (trace(p, undisturbed).includes("ended")) return
      expect(reset.slice(beginning.length)).toEqual(trace(p, long))
    },
    law()
  )
})

describe("BackoffTree.step", () => {
  it.prop(
    "answers whole milliseconds, neither negative nor beyond the longest",
    [Arbitraries.backoff(Number.MAX_SAFE_INTEGER), Arbitraries.inputs],
    ([p, given]) => {
      expect(delays(trace(p, given))).toSatisfy(areWaits)
    },
    law(500)
  )

  it.prop(
    "answers such delays for any number of the retry",
    [
      fc.oneof(
        fc
          .tuple(Arbitraries.endless(Number.MAX_SAFE_INTEGER), jitter)
          .map(([curve, chance]) => jittered(curve, chance)),
        Arbitraries.drawing(Number.MAX_SAFE_INTEGER)
      ),
      fc.oneof(fc.integer({ min: 1, max: 2 ** 31 - 1 }), fc.constantFrom(1, 2, 64, 1_000, 1_001, 1_025, 2 ** 31)),
      draw
    ],
    ([p, n, u]) => {
      expect([delayAt(p, n, u) ?? 0, delayAt(p, n + 1, u) ?? 0]).toSatisfy(areWaits)
    },
    law(1_000)
  )

  it.prop(
    "never rolls over in a thousand steps from any base that a clock can hold",
    [fc.bigInt({ min: 0n, max: 2n ** 63n - 1n })],
    ([nanos]) => {
      // https://github.com/Soostone/retry, test/Tests/Control/Retry.hs, policyTransformersTests
      const grown = delays(trace(Backoff.exponential({ base: nanos }), steps(1_000)))
      expect(grown).toHaveLength(1_000)
      expect(grown).toSatisfy(areWaits)
      expect(grown).toEqual(grown.toSorted((a, b) => a - b))
    },
    law(50)
  )

  it.prop(
    "grows without chance from retry to retry, up to the cap",
    [Arbitraries.endless(1_000_000), fc.option(millis(1, 1_000_000)), fc.integer({ min: 1, max: 2 ** 31 })],
    ([p, cap, n]) => {
      const curve = cap === null ? p : capped(p, cap)
      const grown = Array.from({ length: 20 }, (_, i) => delayAt(curve, n + i, 0) ?? NaN)
      grown.slice(1).forEach((delay, i) => expect(delay).toBeGreaterThanOrEqual(grown[i]!))
    },
    law(500)
  )

  it.prop(
    "grows strictly while it is exponential, uncapped and below the longest delay",
    [fc.integer({ min: 1, max: 1_000_000 })],
    ([base]) => {
      const grown = delays(trace(Backoff.exponential({ base }), steps(80)))
      const longest = grown.indexOf(Curve.longestMillis)
      expect(longest).toBeGreaterThan(20)
      expect(new Set(grown.slice(0, longest)).size).toBe(longest)
      expect(new Set(grown.slice(longest))).toEqual(new Set([Curve.longestMillis]))
    },
    law(50)
  )

  it.prop(
    "goes on from what is left exactly as if it had not been interrupted",
    [Arbitraries.backoff(), Arbitraries.inputs, fc.nat(8)],
    ([p, given, at]) => {
      let rest: BackoffTree.Tree | undefined = p.tree
      for (const one of given.slice(0, at)) rest = rest && BackoffTree.step(rest, one)?.rest
      if (rest === undefined) return
      expect(treeTrace(rest, given.slice(at))).toEqual(trace(p, given).slice(at))
    },
    law()
  )

  it.prop(
    "changes no tree",
    [Arbitraries.backoff(), Arbitraries.inputs],
    ([p, given]) => {
      const before = structuralCopy(p.tree)
      const once = trace(p, given)
      expect(structuralCopy(p.tree)).toEqual(before)
      expect(trace(p, given)).toEqual(once)
    },
    law()
  )

  it.each<[string, Backoff.Backoff, number]>([
    ["linear", Backoff.linear({ base: 1, step: Number.MAX_SAFE_INTEGER }), 2],
    ["polynomial", Backoff.polynomial({ base: 1, degree: 1e308 }), 2],
    ["exponential", Backoff.exponential({ base: 1, factor: 1e308 }), 3],
    ["exponential of a late retry", Backoff.exponential({ base: 1 }), 2 ** 31],
    ["fibonacci", Backoff.fibonacci({ base: 1 }), 2 ** 31],
    ["constant", Backoff.constant({ delay: 1e300 }), 1],
    ["fromDelays", Backoff.fromDelays([1e300]), 1],
    ["proportional jitter", jittered(Backoff.constant({ delay: 1e300 }), Jitter.proportional({ ratio: 1 })), 1],
    ["additive jitter", jittered(Backoff.constant({ delay: 1e300 }), Jitter.additive({ max: 1e300 })), 1],
    ["decorrelated", Backoff.decorrelated({ base: 1e300 }), 1],
    ["decorrelatedSmooth", Backoff.decorrelatedSmooth({ base: 1e300 }), 2_000],
    ["ethernet", Backoff.ethernet({ slot: 1e300 }), 15],
    ["celery", Backoff.celery({ factor: 1e300, maximum: 1e300 }), 1_100],
    ["truncated", Backoff.truncated({ base: 1e300, maximum: 1e300, randomMillis: 1e300 }), 1]
  ])("stops growing at the longest delay: %s", (_, backoff, n) => {
    expect(delayAt(backoff, n, 1 - Number.EPSILON)).toSatisfy(
      // Celery answers whole seconds, and the smooth curve ends its step where its path says.
      (delay: number) => delay <= Curve.longestMillis && delay > Curve.longestMillis / 4
    )
  })
})

describe("BackoffTree.wholeMillis", () => {
  it.each([
    [0, 0],
    [0.4, 1],
    [1, 1],
    [1.000_000_5, 1],
    [1.000_002, 2],
    [99.5, 100],
    [-3, 0],
    [1e300, Curve.longestMillis],
    [Infinity, Curve.longestMillis]
  ])("rounds %d up, but for a nanosecond: %d", (given, whole) => {
    expect(BackoffTree.wholeMillis(given, Infinity)).toBe(whole)
  })

  it("never rounds above a cap", () => {
    expect(BackoffTree.wholeMillis(99.2, 99.5)).toBe(99)
    expect(BackoffTree.wholeMillis(99.2, 100)).toBe(100)
  })
})

describe("BackoffTree.mapLeaves", () => {
  same("changes nothing where no leaf changes", (p) => [
    Backoff.fromTree(BackoffTree.mapLeaves(p.tree, (leaf) => ({ ...leaf }))),
    p
  ])

  it.prop(
    "composes",
    [Arbitraries.jitterable(), millis(1, 1_000), jitter, Arbitraries.inputs],
    ([p, cap, chance, given]) => {
      const first = (leaf: BackoffTree.Leaf | BackoffTree.RandomLeaf) => ({ ...leaf, capMillis: cap })
      const second = (leaf: BackoffTree.Leaf | BackoffTree.RandomLeaf) => ({ ...leaf, jitter: chance })
      expect(treeTrace(BackoffTree.mapLeaves(BackoffTree.mapLeaves(p.tree, first), second), given)).toEqual(
        treeTrace(
          BackoffTree.mapLeaves(p.tree, (leaf) => second(first(leaf))),
          given
        )
      )
    },
    law(100)
  )
})

describe("BackoffTree.draws", () => {
  it.each<[string, Backoff.Backoff, boolean]>([
    ["a curve", Backoff.exponential({ base: 1 }), false],
    ["a curve with the jitter none", jittered(Backoff.exponential({ base: 1 }), Jitter.none), false],
    ["a jittered curve", jittered(Backoff.exponential({ base: 1 }), Jitter.full), true],
    ["a jittered part", longest(now, jittered(now, Jitter.equal)), true],
    ["a jittered second", andThen(now, jittered(now, Jitter.equal)), true],
    ["a jittered case", Backoff.byKind({ Client: jittered(now, Jitter.equal), orElse: now }), true],
    ["a jittered curve that resets", Backoff.resetAfter(jittered(now, Jitter.equal), 1), true],
    ["decorrelated", Backoff.decorrelated({ base: 1 }), true],
    ["decorrelatedSmooth", Backoff.decorrelatedSmooth({ base: 1 }), true],
    ["ethernet", Backoff.ethernet({ slot: 1 }), true],
    ["celery", Backoff.celery({ factor: 1 }), true],
    ["celery without jitter", Backoff.celery({ factor: 1, jitter: false }), false],
    ["truncated", Backoff.truncated({ base: 1, maximum: 9 }), true],
    ["truncated without addition", Backoff.truncated({ base: 1, maximum: 9, randomMillis: 0 }), false]
  ])("knows whether a step needs chance: %s", (_, backoff, draws) => {
    expect([BackoffTree.draws(backoff.tree), backoff.draws]).toEqual([draws, draws])
  })

  it.prop(
    "says no only where the draw makes no difference",
    [Arbitraries.backoff(), Arbitraries.inputs],
    ([p, given]) => {
      if (p.draws) return
      expect(
        trace(
          p,
          given.map((one) => ({ ...one, u: 0 }))
        )
      ).toEqual(trace(p, given))
    },
    law()
  )
})

describe("BackoffTree.readsTime", () => {
  it.prop(
    "says no only where the running time makes no difference",
    [Arbitraries.backoff(), Arbitraries.inputs],
    ([p, given]) => {
      if (p.readsTime) return
      expect(
        trace(
          p,
          given.map((one) => ({ ...one, ranMillis: 0 }))
        )
      ).toEqual(trace(p, given))
    },
    law()
  )

  it("finds a reset at any depth", () => {
    const resets = Backoff.resetAfter(now, 1)
    expect(
      [longest(now, resets), Backoff.byKind({ Client: resets, orElse: now }), resets].map((p) => p.readsTime)
    ).toEqual([true, true, true])
    expect(longest(now, giveUp).readsTime).toBe(false)
  })
})

function steps(count: number): ReadonlyArray<BackoffTree.Input> {
  return Array.from({ length: count }, () => input())
}

function areWaits(waits: ReadonlyArray<number>): boolean {
  return waits.every((wait) => Number.isSafeInteger(wait) && wait >= 0 && wait <= Curve.longestMillis)
}

/** The data of a tree, without the functions of its jitters. */
function structuralCopy(tree: BackoffTree.Tree): unknown {
  return JSON.parse(JSON.stringify(tree))
}
