import { Backoff, Classic, Curve, Jitter } from "@effect-retry/core"
import { fromTree } from "../../src/decide/BackoffSchedule.ts"
import * as BackoffTree from "@effect-retry/core/unstable/BackoffTree"
import * as Millis from "@effect-retry/core/unstable/Millis"
import { Arbitraries } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { isDeepStrictEqual } from "node:util"
import { law } from "../support/Laws.ts"
import { expectSame } from "../support/Same.ts"
import type { Trace } from "../support/Traces.ts"
import { delayAt, input, trace, treeTrace } from "../support/Traces.ts"

const { draw, jitter, millis } = Arbitraries

const now = Backoff.constant({ delay: 0 })
const giveUp = Backoff.fromDelays([])
const { andThen, capped, jittered, max, min, resetAfter, take, within } = Backoff

const cases = fc.tuple(Arbitraries.backoff(), Arbitraries.backoff(), Arbitraries.backoff(), Arbitraries.inputs)

type Case = typeof cases extends fc.Arbitrary<infer A> ? A : never

let drawn: ReadonlyArray<Case> | undefined

/** The cases of all laws, drawn once: drawing them takes longer than comparing their traces. */
const drawnCases = () => (drawn ??= fc.sample(cases, law().fastCheck))

/** A law of one, two or three back-offs: both sides make the same trace under the same draws, kinds and running times. */
const same = (
  name: string,
  sides: (
    p: Backoff.Backoff,
    q: Backoff.Backoff,
    r: Backoff.Backoff
  ) => readonly [left: Backoff.Backoff, right: Backoff.Backoff]
) =>
  it.each([name])("%s", () => {
    const tracesOf = ([p, q, r, given]: Case) => sides(p, q, r).map((side) => trace(side, given))
    const differ = (one: Case) => !isDeepStrictEqual(...(tracesOf(one) as [Trace, Trace]))
    const counterexample = drawnCases().find(differ)
    // Draws the same cases again, and shrinks the first in which the sides differ.
    if (counterexample !== undefined)
      fc.assert(
        fc.property(cases, (one) => !differ(one)),
        law().fastCheck
      )
    expect(counterexample).toBe(undefined)
  })

const jitterableWithoutWithin = Arbitraries.withoutWithin().filter(
  ({ tree }) => !BackoffTree.some(tree, (part) => part._tag === "Leaf" && part.curve.draws)
)

const delays = (of: Trace): ReadonlyArray<number> => of.filter((delay) => delay !== "ended")

const anyLeaf = fc.oneof(
  fc.tuple(Arbitraries.endless(100_000), jitter).map(([curve, chance]) => jittered(curve, chance)),
  Arbitraries.drawing(100_000)
)
const slowly = Backoff.constant({ delay: 100 })
const longer = Backoff.constant({ delay: 300 })

/** It answers more than it declares, as a formula with fractions may. */
const barelyOver = Curve.fromDraw({
  name: "barely over",
  delayMillis: () => 100 + 1e-9,
  intervalMillis: () => [0, 100]
})

// The lattice is that of cats-retry's RetryPolicyLawsSuite, https://github.com/cb372/cats-retry, whose laws hold for
// policies without chance; here they hold path by path, since one draw serves a whole step.
describe("Backoff.max", () => {
  same("is associative", (p, q, r) => [max(max(p, q), r), max(p, max(q, r))])
  same("is commutative", (p, q) => [max(p, q), max(q, p)])
  same("is idempotent, with chance", (p) => [max(p, p), p])
  same("has as identity to retry now, for ever", (p) => [max(p, now), p])
  same("has as identity on the left to retry now, for ever", (p) => [max(now, p), p])
  same("gives up where either gives up", (p) => [max(p, giveUp), giveUp])
  same("absorbs", (p, q) => [max(p, min(p, q)), p])
  same("distributes over min", (p, q, r) => [max(p, min(q, r)), min(max(p, q), max(p, r))])
})

describe("Backoff.min", () => {
  same("is associative", (p, q, r) => [min(min(p, q), r), min(p, min(q, r))])
  same("is commutative", (p, q) => [min(p, q), min(q, p)])
  same("is idempotent, with chance", (p) => [min(p, p), p])
  same("has as identity to give up", (p) => [min(p, giveUp), p])
  same("has as identity on the left to give up", (p) => [min(giveUp, p), p])
  same("retries now where either does, for ever", (p) => [min(p, now), now])
  same("absorbs", (p, q) => [min(p, max(p, q)), p])
  same("distributes over max", (p, q, r) => [min(p, max(q, r)), max(min(p, q), min(p, r))])
})

describe("Backoff.andThen", () => {
  same("is associative", (p, q, r) => [andThen(andThen(p, q), r), andThen(p, andThen(q, r))])
  same("has as identity on the left to give up", (p) => [andThen(giveUp, p), p])
  same("has as identity on the right to give up", (p) => [andThen(p, giveUp), p])
})

describe("Backoff.within", () => {
  const duration = fc.constantFrom(1, 50_000, 600_000, 3_600_000, 86_400_000)

  it.prop(
    "composes to the shorter of two",
    [Arbitraries.backoff(), duration, duration, Arbitraries.inputs],
    ([p, a, b, given]) => {
      expectSame(trace(within(within(p, a), b), given), trace(within(p, Math.min(a, b)), given))
    },
    law()
  )

  it.prop(
    "changes no delay, and ends once elapsed time and delay reach it",
    [Arbitraries.backoff(), duration, Arbitraries.inputs],
    ([p, at, given]) => {
      const whole = trace(p, given)
      const late = whole.findIndex((delay, i) => delay === "ended" || given[i]!.elapsedMillis + delay >= at)
      expectSame(trace(within(p, at), given), late === -1 ? whole : [...whole.slice(0, late), "ended"])
    },
    law()
  )

  same("distributes over max", (p, q) => [within(max(p, q), 600_000), max(within(p, 600_000), within(q, 600_000))])

  it.prop(
    "changes nothing if it is longer than everything",
    [Arbitraries.backoff(), Arbitraries.inputs],
    ([p, given]) => {
      expectSame(trace(within(capped(p, "1 day"), Millis.longestMillis), given), trace(capped(p, "1 day"), given))
    },
    law()
  )
})

describe("Backoff.take", () => {
  it.prop(
    "composes to the smaller of two",
    [Arbitraries.backoff(), fc.nat(20), fc.nat(20), Arbitraries.inputs],
    ([p, a, b, given]) => {
      expectSame(trace(take(take(p, a), b), given), trace(take(p, Math.min(a, b)), given))
    },
    law()
  )

  it.prop(
    "changes no delay, and ends after so many",
    [Arbitraries.backoff(), fc.nat(20), Arbitraries.inputs],
    ([p, n, given]) => {
      const whole = trace(p, given)
      expectSame(trace(take(p, n), given), n < whole.length ? [...whole.slice(0, n), "ended"] : whole)
    },
    law()
  )

  same("commutes with within", (p) => [take(within(p, 600_000), 3), within(take(p, 3), 600_000)])
  same("distributes over max", (p, q) => [take(max(p, q), 3), max(take(p, 3), take(q, 3))])
})

describe("Backoff.capped", () => {
  const cap = millis(1, 100_000)

  it.prop(
    "bounds every delay",
    [Arbitraries.backoff(), cap, Arbitraries.inputs],
    ([p, at, given]) => {
      expect(Math.max(0, ...delays(trace(capped(p, at), given)))).toBeLessThanOrEqual(at)
    },
    law()
  )

  it.prop(
    "never changes when a back-off that counts no time ends",
    [Arbitraries.withoutWithin(), cap, Arbitraries.inputs],
    ([p, at, given]) => {
      expect(trace(capped(p, at), given).indexOf("ended")).toBe(trace(p, given).indexOf("ended"))
    },
    law()
  )

  it.prop(
    "is idempotent",
    [Arbitraries.backoff(), cap, Arbitraries.inputs],
    ([p, at, given]) => {
      expectSame(trace(capped(capped(p, at), at), given), trace(capped(p, at), given))
    },
    law()
  )

  it.prop(
    "composes to the lower of two caps",
    [Arbitraries.backoff(), cap, cap, Arbitraries.inputs],
    ([p, a, b, given]) => {
      expectSame(trace(capped(capped(p, a), b), given), trace(capped(p, Math.min(a, b)), given))
    },
    law()
  )

  it.prop(
    "commutes with jittered, draw by draw",
    [Arbitraries.jitterable(), cap, jitter, Arbitraries.inputs],
    ([p, at, chance, given]) => {
      expectSame(trace(jittered(capped(p, at), chance), given), trace(capped(jittered(p, chance), at), given))
    },
    law()
  )

  it.prop(
    "changes nothing if it is above every delay",
    [fc.oneof(Arbitraries.endless(1_000), Arbitraries.ending(1_000)), Arbitraries.inputs],
    ([p, given]) => {
      expectSame(trace(capped(p, Millis.longestMillis), given), trace(p, given))
    },
    law()
  )

  it.prop(
    "distributes over max and min",
    [Arbitraries.backoff(), Arbitraries.backoff(), cap, Arbitraries.inputs],
    ([p, q, at, given]) => {
      expectSame(trace(capped(max(p, q), at), given), trace(max(capped(p, at), capped(q, at)), given))
      expectSame(trace(capped(min(p, q), at), given), trace(min(capped(p, at), capped(q, at)), given))
    },
    law()
  )
})

describe("Backoff.jittered", () => {
  it.prop(
    "never changes when a back-off that counts no time ends",
    [jitterableWithoutWithin, jitter, Arbitraries.inputs],
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

describe("Backoff.byKind", () => {
  it.prop(
    "is the back-off itself when every case is the same",
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
  it.each<[string, Backoff.Backoff, number]>([
    ["no part that keeps a time", resetAfter(slowly, 10), 0],
    ["one", resetAfter(within(slowly, 1_000), 10), 500]
  ])("notes when it started over if there is %s", (_, { tree }, sinceMillis) => {
    expect(BackoffTree.step(tree, input({ ranMillis: 10, elapsedMillis: 500 }))?.rest).toMatchObject({ sinceMillis })
  })

  const ran = (...millis: ReadonlyArray<number>) => millis.map((ranMillis) => input({ ranMillis }))
  const hour = 3_600_000
  const once = resetAfter(Backoff.fromDelays(["1 second"]), "1 minute")
  const slow = Backoff.constant({ delay: "1 hour" })

  it.each<[string, Backoff.Backoff, ReadonlyArray<number | "ended">]>([
    ["min", min(once, slow), [1_000, hour, 1_000, hour]],
    ["min, on the right", min(slow, once), [1_000, hour, 1_000, hour]],
    ["min of max", min(max(once, slow), capped(slow, "2 hours")), [hour, hour, hour, hour]],
    ["andThen", andThen(once, slow), [1_000, hour, 1_000, hour]],
    ["andThen, of the second", andThen(Backoff.fromDelays([5]), andThen(once, slow)), [5, 1_000, 1_000, hour]],
    ["andThen, where the second waits", andThen(once, Backoff.fromDelays([7, 8, 9])), [1_000, 7, 1_000, 8]],
    ["take, which goes on counting", min(take(once, 2), slow), [1_000, hour, 1_000, hour]],
    ["resetAfter", min(resetAfter(once, "2 hours"), slow), [1_000, hour, 1_000, hour]]
  ])("starts its part over after the part has ended, inside %s", (_, backoff, expected) => {
    expect(trace(backoff, ran(0, 0, hour, 0))).toEqual(expected)
  })

  it("starts a case over while failures are of another kind", () => {
    const backoff = Backoff.byKind({ Throttling: once, orElse: slow })
    const kinds = ["Transient", "Transient", "Throttling"] as const
    const failures = ran(0, 0, hour).map((one, i) => ({ ...one, kind: kinds[i] }))
    expect(trace(backoff, failures)).toEqual([hour, hour, 1_000])
  })

  it("does not restart a count or a time around it", () => {
    const failures = ran(0, 0, hour, hour).map((one, i) => ({ ...one, elapsedMillis: i * hour }))
    expect(trace(min(take(once, 1), slow), failures)).toEqual([1_000, hour, hour, hour])
    expect(trace(min(within(once, "1 hour"), slow), failures)).toEqual([1_000, hour, hour, hour])
  })

  it.prop(
    "changes nothing while no attempt runs long enough",
    [Arbitraries.backoff(), Arbitraries.inputs],
    ([p, given]) => {
      const briefly = given.map((one) => ({ ...one, ranMillis: Math.min(one.ranMillis, 59_999) }))
      expectSame(trace(Backoff.resetAfter(p, "1 minute"), briefly), trace(p, briefly))
    },
    law()
  )

  it.prop(
    "is at its beginning after an attempt that ran long enough",
    [Arbitraries.backoff(), Arbitraries.inputs, Arbitraries.inputs],
    ([p, before, after]) => {
      const [first, ...others] = after
      const long = [{ ...first!, ranMillis: 60_000 }, ...others.map((one) => ({ ...one, ranMillis: 0 }))]
      const undisturbed = before.slice(0, delays(trace(p, before)).length).map((one) => ({ ...one, ranMillis: 0 }))
      if (trace(p, undisturbed).includes("ended")) return
      const sinceMillis = undisturbed.at(-1)?.elapsedMillis ?? 0
      const reset = trace(resetAfter(p, "1 minute"), [
        ...undisturbed,
        ...long.map((one) => ({ ...one, elapsedMillis: sinceMillis + one.elapsedMillis }))
      ])
      // What counts time counts it from the failure that starts over.
      const counted = long.map((one) => ({ ...one, elapsedMillis: one.elapsedMillis - first!.elapsedMillis }))
      expect(reset.slice(undisturbed.length)).toEqual(trace(p, counted))
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
    "answers such delays for a retry of any number",
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
      expectSame(
        grown,
        grown.toSorted((a, b) => a - b)
      )
    },
    law(500)
  )

  it.prop(
    "grows strictly while it is exponential, uncapped and below the longest delay",
    [fc.integer({ min: 1, max: 1_000_000 })],
    ([base]) => {
      const grown = delays(trace(Backoff.exponential({ base }), steps(80)))
      const longest = grown.indexOf(Millis.longestMillis)
      expect(longest).toBeGreaterThan(20)
      expect(new Set(grown.slice(0, longest)).size).toBe(longest)
      expect(new Set(grown.slice(longest))).toEqual(new Set([Millis.longestMillis]))
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
      expectSame(treeTrace(rest, given.slice(at)), trace(p, given).slice(at))
    },
    law()
  )

  it.prop(
    "says that a cap shortened a delay only if it is shorter than without caps",
    [fc.tuple(anyLeaf, millis(1, 100_000)).map(([leaf, at]) => capped(leaf, at)), Arbitraries.inputs],
    ([p, given]) => {
      let rest: BackoffTree.Tree = p.tree
      for (const one of given) {
        const uncapped = BackoffTree.step(
          BackoffTree.mapLeaves(rest, (leaf) => ({ ...leaf, capMillis: Infinity })),
          one
        )
        const stepped = BackoffTree.step(rest, one)
        if (stepped === undefined) return
        // Below a millisecond more or less, and at a draw of nothing, both round to the same.
        const shortened = uncapped!.delayMillis - stepped.delayMillis
        const isRight = stepped.capped ? shortened >= 0 : shortened <= 1
        if (!isRight) expect({ shortened, capped: stepped.capped }).toBe(undefined)
        rest = stepped.rest
      }
    },
    law()
  )

  it.each<[string, Backoff.Backoff, number, ReadonlyArray<boolean>]>([
    ["a curve", capped(Backoff.exponential({ base: 100 }), 200), 0, [false, false, true, true]],
    [
      "a jittered curve",
      jittered(capped(Backoff.exponential({ base: 100 }), 200), Jitter.full),
      0.5,
      [false, false, true]
    ],
    [
      "a jitter that reaches above",
      jittered(capped(Backoff.constant({ delay: 100 }), 100), Jitter.additive({ max: 10 })),
      0.5,
      [true]
    ],
    ["a curve that draws", capped(Backoff.fromCurve(Curve.decorrelated({ base: 100 })), 500), 0.5, [false, true, true]],
    ["a curve that is brought down to its interval, and no cap", Backoff.fromCurve(barelyOver), 0.5, [false]],
    [
      "a longer part",
      max(capped(Backoff.exponential({ base: 100 }), 200), Backoff.fromDelays([150, 150, 150])),
      0,
      [false, false, true]
    ],
    [
      "no shorter part",
      min(capped(Backoff.constant({ delay: 300 }), 200), Backoff.constant({ delay: 100 })),
      0,
      [false]
    ],
    ["the shorter part, on the left", min(capped(longer, 100), Backoff.constant({ delay: 500 })), 0, [true]],
    ["the shorter part, on the right", min(Backoff.constant({ delay: 500 }), capped(longer, 100)), 0, [true]],
    ["equal parts, the first by its cap", min(capped(longer, 100), slowly), 0, [false]],
    ["equal parts, the second by its cap", min(slowly, capped(longer, 100)), 0, [false]],
    ["the longer of equal parts, the first by its cap", max(capped(longer, 100), slowly), 0, [true]],
    ["the longer of equal parts, the second by its cap", max(slowly, capped(longer, 100)), 0, [true]],
    ["no longer part", max(capped(longer, 100), Backoff.constant({ delay: 500 })), 0, [false]],
    ["a part inside of other nodes", take(within(resetAfter(capped(longer, 100), 1_000), 1_000), 9), 0, [true, true]]
  ])("says whether a cap made the delay shorter: %s", (_, backoff, u, capping) => {
    let rest = backoff.tree
    const seen = capping.map(() => {
      const stepped = BackoffTree.step(rest, input({ u }))!
      rest = stepped.rest
      return stepped.capped
    })
    expect(seen).toEqual(capping)
  })

  it.each<[string, Backoff.Backoff]>([
    ["max", max(giveUp, slowly)],
    ["max, on the right", max(slowly, giveUp)],
    ["min", min(giveUp, giveUp)],
    ["andThen", andThen(giveUp, giveUp)],
    ["take", take(giveUp, 1)],
    ["take, by its count", take(slowly, 0)],
    ["within", within(giveUp, 1)],
    ["within, by its time", within(slowly, 1)]
  ])("keeps nothing of a part that has ended for good: %s", (_, backoff) => {
    const rests = [min(backoff, slowly), min(slowly, backoff)].map(({ tree }) => BackoffTree.step(tree, input())!.rest)
    expect(rests.map(BackoffTree.countParts)).toEqual([1, 1])
  })

  it("keeps what can start over after it has ended", () => {
    const { rest } = BackoffTree.step(resetAfter(andThen(giveUp, slowly), 1).tree, input())!
    expect(BackoffTree.countParts(rest)).toBe(1 + 1 + 3)
  })

  it("asks a jitter about no bound above the cap", () => {
    const bounds: Array<number> = []
    const watched: Jitter.Jitter = {
      name: "watched",
      draws: true,
      interval: (bound) => [0, bound],
      draw: (bound, u) => {
        bounds.push(bound)
        return bound * u
      }
    }
    trace(Backoff.exponential({ base: 100 }).pipe(capped(200), jittered(watched)), steps(5))
    expect(bounds).toEqual([100, 200, 200, 200, 200])
  })

  it.each([NaN, -1])("refuses a draw of a jitter that is not a delay: %d", (drawn) => {
    const wrong: Jitter.Jitter = { name: "wrong", draws: true, interval: (b) => [0, b], draw: () => drawn }
    for (const backoff of [slowly, capped(slowly, 10)]) {
      expect(() => trace(jittered(backoff, wrong), steps(1))).toThrow(
        `Jitter.wrong: draw must be a number >= 0, got ${drawn}`
      )
    }
  })

  it("goes through hundreds of thousands of delays of a list", () => {
    const many = Backoff.fromDelays(Array.from({ length: 200_000 }, (_, i) => i % 7))
    expect([1, 2, 200_000, 200_001].map((n) => delayAt(many, n, 0))).toEqual([0, 1, 199_999 % 7, undefined])
    expect(delays(trace(many, steps(8)))).toEqual([0, 1, 2, 3, 4, 5, 6, 0])
  })

  it.prop(
    "changes no tree",
    [Arbitraries.backoff(), Arbitraries.inputs],
    ([p, given]) => {
      const before = structuralCopy(p.tree)
      const once = trace(p, given)
      expectSame(structuralCopy(p.tree), before)
      expectSame(trace(p, given), once)
    },
    law()
  )

  it.each<[string, Backoff.Backoff, number]>([
    ["linear", Backoff.fromCurve(Curve.linear({ base: 1, step: Number.MAX_SAFE_INTEGER })), 2],
    ["polynomial", Backoff.fromCurve(Curve.polynomial({ base: 1, degree: 1e308 })), 2],
    ["exponential", Backoff.exponential({ base: 1, factor: 1e308 }), 3],
    ["exponential of a late retry", Backoff.exponential({ base: 1 }), 2 ** 31],
    ["fibonacci", Backoff.fromCurve(Curve.fibonacci({ base: 1 })), 2 ** 31],
    ["constant", Backoff.constant({ delay: 1e300 }), 1],
    ["fromDelays", Backoff.fromDelays([1e300]), 1],
    ["proportional jitter", jittered(Backoff.constant({ delay: 1e300 }), Jitter.proportional({ ratio: 1 })), 1],
    ["additive jitter", jittered(Backoff.constant({ delay: 1e300 }), Jitter.additive({ max: 1e300 })), 1],
    ["decorrelated", Backoff.fromCurve(Curve.decorrelated({ base: 1e300 })), 1],
    ["decorrelatedSmooth", Backoff.fromCurve(Curve.decorrelatedSmooth({ base: 1e300 })), 2_000],
    ["ethernet", Classic.ethernet({ slot: 1e300 }), 15],
    ["celery", Classic.celery({ factor: 1e300, maximum: 1e300 }), 1_100]
  ])("stops growing at the longest delay: %s", (_, backoff, n) => {
    expect(delayAt(backoff, n, 1 - Number.EPSILON)).toSatisfy(
      // Celery answers whole seconds, and the smooth curve ends its step where its path says.
      (delay: number) => delay <= Millis.longestMillis && delay > Millis.longestMillis / 4
    )
  })
})

describe("BackoffTree.mapLeaves", () => {
  it.prop(
    "changes nothing when no leaf changes",
    [Arbitraries.backoff(), Arbitraries.inputs],
    ([p, given]) => {
      const copied = BackoffTree.mapLeaves(p.tree, (leaf) => ({ ...leaf }))
      expectSame(treeTrace(copied, given), trace(p, given))
    },
    law()
  )

  it("asks for every leaf once, however deep the parts that start over", () => {
    let nested = Backoff.exponential({ base: 1 })
    for (let depth = 1; depth <= 40; depth++) nested = resetAfter(nested, depth)
    let asked = 0
    const counted = BackoffTree.mapLeaves(nested.tree, (leaf) => {
      asked += 1
      return leaf
    })
    expect([asked, BackoffTree.countParts(counted)]).toEqual([1, 41])
    const stepped = BackoffTree.step(nested.tree, input())!.rest
    asked = 0
    BackoffTree.mapLeaves(stepped, (leaf) => {
      asked += 1
      return leaf
    })
    expect(asked).toBe(41)
  })

  it.prop(
    "composes",
    [Arbitraries.jitterable(), millis(1, 1_000), jitter, Arbitraries.inputs],
    ([p, cap, chance, given]) => {
      const first = (leaf: BackoffTree.Leaf) => ({ ...leaf, capMillis: cap })
      const second = (leaf: BackoffTree.Leaf) => ({ ...leaf, jitter: chance })
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

describe("BackoffTree.mostParts", () => {
  type Tree = BackoffTree.Tree

  /** Nodes around a tree until it has that many parts, made one by one: combinators would go through all of it each time. */
  const nested = (parts: number, around: (self: Tree) => Tree) => {
    let tree = now.tree
    const perNode = BackoffTree.countParts(around(tree)) - 1
    for (let count = 1; count + perNode <= parts; count += perNode) tree = around(tree)
    return fromTree("nested", tree)
  }

  it.each<[string, (self: Backoff.Backoff) => Backoff.Backoff, (self: Tree) => Tree]>([
    ["max", (self) => max(self, now), (left) => ({ _tag: "Max", left, right: now.tree })],
    ["min", (self) => min(now, self), (right) => ({ _tag: "Min", left: now.tree, right })],
    ["andThen", (self) => andThen(self, giveUp), (first) => ({ _tag: "AndThen", first, second: giveUp.tree })],
    [
      "byKind",
      (self) => Backoff.byKind({ Timeout: self, orElse: now }),
      (self) => ({ _tag: "ByKind", cases: { Timeout: self }, orElse: now.tree })
    ],
    [
      "resetAfter",
      (self) => resetAfter(self, "1 minute"),
      (self) => ({ _tag: "ResetAfter", self, initial: self, afterMillis: 60_000, sinceMillis: 0 })
    ],
    ["within", (self) => within(self, "1 minute"), (self) => ({ _tag: "Within", self, withinMillis: 60_000 })],
    ["take", (self) => take(self, 9), (self) => ({ _tag: "Take", self, left: 9 })]
  ])("bounds what can be nested, and all within the bound can be stepped and capped: %s", (name, combine, around) => {
    const deep = nested(BackoffTree.mostParts - 2, around)
    expect(BackoffTree.countParts(deep.tree)).toBeGreaterThan(BackoffTree.mostParts - 4)
    expect(around(now.tree)).toEqual(combine(now).tree)
    expect(delays(trace(capped(deep, 5), steps(3)))).toEqual([0, 0, 0])
    expect([deep.draws, BackoffTree.some(deep.tree, () => false)]).toEqual([false, false])
    expect(() => combine(combine(combine(combine(deep))))).toThrow(
      `Backoff.${name}: self must be a back-off of at most 1000 parts`
    )
  })

  it("bounds a back-off that is combined with itself again and again", () => {
    expect(() => {
      let backoff = now
      for (let i = 0; i < 64; i++) backoff = max(backoff, backoff)
    }).toThrow("Backoff.max: self must be a back-off of at most 1000 parts")
  })
})

describe("BackoffTree.draws", () => {
  it.each<[string, Backoff.Backoff, boolean]>([
    ["a curve", Backoff.exponential({ base: 1 }), false],
    ["a curve with the jitter none", jittered(Backoff.exponential({ base: 1 }), Jitter.none), false],
    ["a jittered curve", jittered(Backoff.exponential({ base: 1 }), Jitter.full), true],
    ["a jittered part", max(now, jittered(now, Jitter.equal)), true],
    ["a jittered second", andThen(now, jittered(now, Jitter.equal)), true],
    ["a jittered case", Backoff.byKind({ Client: jittered(now, Jitter.equal), orElse: now }), true],
    ["a jittered curve that resets", Backoff.resetAfter(jittered(now, Jitter.equal), 1), true],
    ["decorrelated", Backoff.fromCurve(Curve.decorrelated({ base: 1 })), true],
    ["decorrelatedSmooth", Backoff.fromCurve(Curve.decorrelatedSmooth({ base: 1 })), true],
    ["ethernet", Classic.ethernet({ slot: 1 }), true],
    ["celery", Classic.celery({ factor: 1 }), true],
    ["celery without jitter", Classic.celery({ factor: 1, jitter: false }), false]
  ])("knows whether a step needs chance: %s", (_, backoff, draws) => {
    expect([BackoffTree.draws(backoff.tree), backoff.draws]).toEqual([draws, draws])
  })

  it.prop(
    "says no only if the draw makes no difference",
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
    "says no only if time makes no difference",
    [Arbitraries.backoff(), Arbitraries.inputs],
    ([p, given]) => {
      if (p.readsTime) return
      expect(
        trace(
          p,
          given.map((one) => ({ ...one, ranMillis: 0, elapsedMillis: 0 }))
        )
      ).toEqual(trace(p, given))
    },
    law()
  )

  it("finds a reset at any depth", () => {
    const resets = Backoff.resetAfter(now, 1)
    const timed = [max(now, resets), Backoff.byKind({ Client: resets, orElse: now }), resets, within(now, 1)]
    expect(timed.map((p) => p.readsTime)).toEqual([true, true, true, true])
    expect(max(now, giveUp).readsTime).toBe(false)
  })
})

function steps(count: number): ReadonlyArray<BackoffTree.Input> {
  return Array.from({ length: count }, () => input())
}

function areWaits(waits: ReadonlyArray<number>): boolean {
  return waits.every((wait) => Number.isSafeInteger(wait) && wait >= 0 && wait <= Millis.longestMillis)
}

/** The data of a tree, without the functions of its jitters. */
function structuralCopy(tree: BackoffTree.Tree): unknown {
  return JSON.parse(JSON.stringify(tree))
}
