import { AttemptTimeout, Backoff, Classic, Curve, Deadline, Hint, Jitter, Policy } from "@effect-retry/core"
import * as BackoffTree from "@effect-retry/core/unstable/BackoffTree"
import { Plan } from "@effect-retry/plan"
import { describe, expect, it } from "@effect/vitest"
import { Duration, FastCheck as fc, Option } from "effect"
import { law } from "../../../core/test/support/Laws.ts"
import { policies } from "../Operations.ts"

/** What a plan may ask of curves at most: some tens of milliseconds of work. */
const mostAsked = 500_000

/** The same back-off with curves that count how often they are asked. */
const counting = (backoff: Backoff.Backoff, asked: () => void): Backoff.Backoff => {
  const counted = (curve: Curve.Curve): Curve.Curve => ({
    ...curve,
    delayMillis: (...step) => {
      asked()
      return curve.delayMillis(...step)
    },
    intervalMillis: (...step) => {
      asked()
      return curve.intervalMillis(...step)
    }
  })
  const tree = BackoffTree.mapLeaves(backoff.tree, (leaf) => ({ ...leaf, curve: counted(leaf.curve) }))
  return Object.assign(Object.create(Object.getPrototypeOf(backoff)), backoff, { tree })
}

const askedBy = (policy: Plan.Explainable, options?: Plan.Options) => {
  let asked = 0
  const plan = Plan.explain({ ...policy, backoff: counting(policy.backoff, () => (asked += 1)) }, options)
  return { asked, plan }
}

const decorrelated = Backoff.fromCurve(Curve.decorrelated({ base: 1000 }))

/** Every kind has a history of its own, and every attempt may start some of them over. */
const branching = Backoff.byKind({
  Throttling: Backoff.resetAfter(decorrelated, "10 seconds"),
  Timeout: Backoff.resetAfter(decorrelated, "5 seconds"),
  orElse: Backoff.resetAfter(Policy.standard.backoff, "20 seconds")
})

/** It has a state, and no chance. */
const stateful = Backoff.fromCurve(
  Curve.make({
    name: "stateful",
    draws: false,
    initial: 1,
    delayMillis: (_, last) => last,
    next: (delay) => delay,
    intervalMillis: () => [1, 1]
  })
)

const attemptTimeout = AttemptTimeout.constant("30 seconds")

const endless = { maxAttempts: Infinity, attemptTimeout, backoff: branching }

describe("Plan.explain, with many operations to follow", () => {
  it.prop(
    "asks the curves of any policy a bounded number of times",
    [policies, fc.oneof(fc.integer({ min: 1, max: 10_000 }), fc.constant(Infinity)), fc.integer({ min: 1, max: 1000 })],
    ([policy, maxAttempts, rows]) => {
      expect(askedBy({ ...policy, maxAttempts }, { rows, attemptTakes: "3 seconds" }).asked).toBeLessThan(mostAsked)
    },
    law(25)
  )

  it.each<readonly [string, Plan.Explainable]>([
    ["histories by kind that start over", { maxAttempts: 20, attemptTimeout, backoff: branching }],
    ["the same with no end but a deadline", { ...endless, deadline: Deadline.refuse("1 day") }],
    ["the same within a time", { maxAttempts: 20, attemptTimeout, backoff: Backoff.within(branching, "1 hour") }],
    ["a count for every kind", { ...Policy.standard, attemptsByKind: { Throttling: 99, Timeout: 99, Server: 99 } }],
    [
      "hints that start the back-off over",
      {
        maxAttempts: 1_000,
        backoff: branching,
        hint: Hint.override({ atMost: "1 hour", otherwise: "clamp", startsOver: true })
      }
    ],
    [
      "a back-off of as many parts as there can be",
      {
        maxAttempts: 100,
        attemptTimeout,
        backoff: Array.from({ length: 400 }, (_, i) => Backoff.constant({ delay: i + 1 })).reduce(Backoff.max)
      }
    ],
    ["a long list", { maxAttempts: Infinity, backoff: Backoff.fromDelays(Array.from({ length: 200_000 }, () => 5)) }]
  ])("asks curves a bounded number of times: %s", (_, policy) => {
    const { asked, plan } = askedBy(policy)
    expect(asked).toBeLessThan(mostAsked)
    expect(plan.warnings.map(({ _tag }) => _tag)).toContainEqual("NotFollowed")
  })

  it("asks curves a bounded number of times when nothing ends an operation", () => {
    const { asked, plan } = askedBy(endless, { rows: 1_000 })
    expect(asked).toBeLessThan(mostAsked)
    expect(plan.warnings.map(({ _tag }) => _tag)).toEqual(["NeverEnds"])
  })

  it("asks for no more than it shows", () => {
    const backoff = Backoff.constant({ delay: 10 })
    expect(askedBy({ maxAttempts: Infinity, backoff }, { rows: 3 }).asked).toBeLessThan(5_000)
    // A mean takes hundreds of draws.
    const jittered = Backoff.jittered(backoff, Jitter.full)
    expect(askedBy({ maxAttempts: 2, backoff: jittered }, { rows: 1 }).asked).toBeLessThan(20)
  })

  const constant = Backoff.constant({ delay: 1 })
  const both = Backoff.max(constant, constant)

  it.each<readonly [string, Backoff.Backoff, attempts: number]>([
    ["a curve", constant, 2_000],
    ["a curve and a count", Backoff.take(constant, 9_999), 1_001],
    ["two curves", both, 667],
    ["kinds", Backoff.byKind({ Throttling: constant, orElse: constant }), 334],
    ["a curve and a time", Backoff.within(constant, "1 day"), 429]
  ])("follows fewer attempts the more there is to step: %s", (_, backoff, attempts) => {
    const warnings = (maxAttempts: number) => Plan.explain({ maxAttempts, backoff }, { rows: 1 }).warnings
    expect(warnings(attempts)).toEqual([])
    expect(warnings(attempts + 1)).toMatchObject([{ _tag: "NotFollowed", attempts }])
  })

  it("steps a back-off once for kinds that it does not tell apart", () => {
    const policy = { maxAttempts: 9, backoff: Backoff.take(constant, 1) }
    const asked = askedBy({ ...policy, attemptsByKind: { Throttling: 9, Timeout: 9 } }).asked
    expect(asked).toBe(askedBy(policy).asked)
  })

  it.each<readonly [string, (jittered: Backoff.Backoff) => Backoff.Backoff, rows: number, draws: number]>([
    ["a curve", (jittered) => jittered, 20, 1_000],
    ["a curve in a small table", (jittered) => jittered, 2, 1_000],
    ["a curve in a large table", (jittered) => jittered, 100, 200],
    ["two curves", (jittered) => Backoff.max(jittered, constant), 20, 333],
    ["two curves, one with a state", (jittered) => Backoff.max(jittered, stateful), 20, 333],
    ["two curves in a large table", (jittered) => Backoff.max(jittered, constant), 1_000, 8],
    ["kinds", (jittered) => Backoff.byKind({ Throttling: jittered, orElse: constant }), 20, 2 * 166]
  ])("draws less for a mean the more there is to step: %s", (_, combine, rows, draws) => {
    let drawn = 0
    const watched: Jitter.Jitter = {
      ...Jitter.full,
      draw: (bound, u) => {
        drawn += 1
        return Jitter.full.draw(bound, u)
      }
    }
    Plan.explain({ maxAttempts: 2, backoff: combine(Backoff.jittered(constant, watched)), hint: Hint.ignore }, { rows })
    expect(drawn).toBe(draws)
  })

  it.each<readonly [string, Backoff.Backoff]>([
    ["in two parts at once", Backoff.max(Backoff.within(constant, 100), Backoff.within(constant, 100))],
    ["that has started over", Backoff.within(Backoff.constant({ delay: 100 }), 300).pipe(Backoff.resetAfter(50))]
  ])("does not follow attempts whose time may have ended, or not: %s", (_, backoff) => {
    const policy = {
      maxAttempts: 5,
      backoff,
      attemptTimeout: AttemptTimeout.constant(300),
      deadline: Deadline.cut(700)
    }
    expect(Plan.explain(policy).warnings.map(({ _tag }) => _tag)).toContainEqual("NotFollowed")
  })

  it("takes the mean of a curve that remembers nothing over all draws", () => {
    const { asked } = askedBy({ maxAttempts: 2, backoff: Classic.ethernet({ slot: 10 }), hint: Hint.ignore })
    expect(asked).toBeGreaterThan(1_000)
  })

  it("counts the attempts of all kinds that it does not follow", () => {
    const attemptsByKind = { Throttling: 99, Timeout: 99, Server: 99 }
    expect(Plan.explain({ ...Policy.standard, attemptsByKind }).worst.attempts).toBe(1 + 3 * 98 + 2)
  })

  it("bounds the attempts that it does not follow", () => {
    const capped = Backoff.capped(branching, "1 minute")
    const plan = Plan.explain({ maxAttempts: 20, attemptTimeout, backoff: capped })
    expect(plan.warnings).toEqual([
      {
        _tag: "NotFollowed",
        attempts: plan.attempts.length,
        message: `attempts after ${plan.attempts.length} are not followed one by one: the worst case is an upper bound`
      }
    ])
    expect(plan.attempts.length).toBeGreaterThan(4)
    expect(plan.worst.attempts).toBe(20)
    // Three times the base, nine times, 27 times, and then the cap.
    const waited = 3_000 + 9_000 + 27_000 + 16 * 60_000
    expect(Duration.toMillis(plan.worst.waited)).toBe(waited)
    expect(Duration.toMillis(plan.worst.elapsed)).toBeGreaterThan(waited)
    expect(Duration.toMillis(plan.worst.elapsed)).toBeLessThanOrEqual(waited + 20 * 30_000)
  })

  it("bounds them from the longest of the ways that lead to them", () => {
    const backoff = Backoff.byKind({ Throttling: Backoff.constant({ delay: 10 }), orElse: constant })
    const plan = Plan.explain({ maxAttempts: 2_000, attemptsByKind: { Throttling: 3 }, backoff })
    const followed = plan.warnings.flatMap((warning) => (warning._tag === "NotFollowed" ? [warning.attempts] : []))[0]!
    // Two failures of the kind with the longer delays among those that are followed, and those of the rest may all be.
    const waited = 2 * 10 + (followed - 3) * 1 + (2_002 - followed) * 10
    expect(plan.worst).toMatchObject({
      attempts: 2_002,
      waited: Duration.millis(waited),
      elapsed: Duration.millis(waited)
    })
  })

  it.each([
    { maxAttempts: 500, delay: 1 },
    { maxAttempts: 501, delay: 5 }
  ])("bounds them by the cap when the delays of all curves are too many: $maxAttempts attempts", (given) => {
    const { delay, maxAttempts } = given
    const curves = Array.from({ length: 39 }, () => constant).reduce((one, other) => Backoff.max(one, other))
    const { warnings, worst } = Plan.explain({
      maxAttempts,
      backoff: Backoff.max(Backoff.capped(curves, 5), Backoff.capped(constant, 3))
    })
    const followed = warnings.flatMap((warning) => (warning._tag === "NotFollowed" ? [warning.attempts] : []))[0]!
    expect(worst.waited).toEqual(Duration.millis(followed - 1 + (maxAttempts - followed) * delay))
  })

  it("bounds them by no time that hints are longer than", () => {
    const plan = Plan.explain({
      maxAttempts: 1_000,
      backoff: Backoff.within(constant, "1 minute"),
      hint: Hint.override({ atMost: "1 second", otherwise: "clamp" })
    })
    expect(Option.map(plan.hinted, ({ waited }) => waited)).toEqual(Option.some(Duration.seconds(999)))
  })

  it("bounds them by the deadline, and by the time that a back-off keeps", () => {
    const deadline = Deadline.refuse("5 minutes")
    const policy = { maxAttempts: 20, attemptTimeout }
    const bounded = [
      Plan.explain({ ...policy, backoff: branching, deadline }),
      Plan.explain({ ...policy, backoff: Backoff.within(branching, "5 minutes") })
    ]
    for (const { worst } of bounded) {
      expect(Duration.toMillis(worst.waited)).toBeLessThan(300_000)
      expect(Duration.toMillis(worst.elapsed)).toBeLessThan(330_000)
    }
  })
})
