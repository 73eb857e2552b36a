import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as Failures from "../../../src/fund/count/Failures.ts"
import { law } from "../../support/Laws.ts"

interface Attempt {
  readonly isFailure: boolean
  readonly at: number
}

const share = (attempts: ReadonlyArray<Attempt>): number =>
  attempts.filter(({ isFailure }) => isFailure).length / attempts.length

const reaches = (
  attempts: ReadonlyArray<Attempt>,
  { atLeast, ratio }: { readonly atLeast: number; readonly ratio: number }
): boolean => attempts.length >= atLeast && share(attempts) >= ratio - 1e-9

/** Whether there are too many failures, asked of a list of all attempts. */
const areTooMany = (rule: Failures.Rule, attempts: ReadonlyArray<Attempt>): boolean => {
  switch (rule._tag) {
    case "Consecutive":
      return attempts.length - 1 - attempts.findLastIndex(({ isFailure }) => !isFailure) >= rule.failures
    case "Last":
      return reaches(attempts.slice(-rule.attempts), rule)
    case "Window": {
      // The slots of a window are a hundredth of it, and the newest one is still open.
      const slot = (at: number): number => Math.floor(at / (rule.windowMillis / 100))
      const newest = slot(attempts.at(-1)?.at ?? 0)
      return reaches(
        attempts.filter(({ at }) => newest - slot(at) <= 100),
        rule
      )
    }
  }
}

const rules = fc.oneof(
  fc.record({ _tag: fc.constant("Consecutive" as const), failures: fc.integer({ min: 1, max: 4 }) }),
  fc
    .tuple(
      fc.constantFrom(0.1, 0.25, 0.5, 1),
      fc.constantFrom(1, 3, 31, 32, 33, 64, 70),
      fc.double({ min: 0, max: 1, noNaN: true })
    )
    .map(([ratio, attempts, part]) => ({
      _tag: "Last" as const,
      ratio,
      attempts,
      atLeast: Math.max(1, Math.ceil(attempts * part))
    })),
  fc.record({
    _tag: fc.constant("Window" as const),
    ratio: fc.constantFrom(0.1, 0.25, 0.5, 1),
    windowMillis: fc.constant(1000),
    atLeast: fc.integer({ min: 1, max: 6 })
  })
)

describe("Failures.areTooMany", () => {
  it.prop(
    "is what a list of all attempts says after each of them",
    [
      rules,
      fc.array(
        fc.tuple(
          fc.integer({ min: 1, max: 40 }),
          fc.constantFrom(0, 0.3, 0.5, 1),
          fc.constantFrom(0, 1, 10, 300, 1010)
        ),
        {
          minLength: 1,
          maxLength: 8
        }
      )
    ],
    ([rule, phases]) => {
      const attempts: Array<Attempt> = []
      let sample = Failures.none(rule)
      let now = 0
      expect(Failures.areTooMany(rule, sample)).toBe(false)
      for (const [count, failing, pause] of phases) {
        for (let i = 0; i < count; i += 1) {
          const isFailure = Math.floor((i + 1) * failing) > Math.floor(i * failing)
          now += pause
          attempts.push({ isFailure, at: now })
          const before = sample
          sample = Failures.added(rule, sample, isFailure, now)
          expect(Failures.areTooMany(rule, sample)).toBe(areTooMany(rule, attempts))
          if (!isFailure && Failures.ignoresSuccess(before)) expect(sample).toBe(before)
        }
      }
    },
    law()
  )
})

describe("Failures.added", () => {
  it("keeps the same value if a success in a row of successes changes nothing", () => {
    const rule = { _tag: "Consecutive", failures: 2 } as const
    const none = Failures.none(rule)
    expect(Failures.added(rule, none, false, 0)).toBe(none)
    expect(Failures.ignoresSuccess(none)).toBe(true)
    expect(Failures.ignoresSuccess(Failures.added(rule, none, true, 0))).toBe(false)
  })

  it.each([
    { _tag: "Last", ratio: 0.5, attempts: 3, atLeast: 1 } as const,
    { _tag: "Window", ratio: 0.5, windowMillis: 1000, atLeast: 1 } as const
  ])("counts a success in a share of attempts: $_tag", (rule) => {
    expect(Failures.ignoresSuccess(Failures.none(rule))).toBe(false)
  })

  it("copies no record of the last attempts if an attempt ends like the one that it replaces", () => {
    const rule = { _tag: "Last", ratio: 0.5, attempts: 40, atLeast: 1 } as const
    const bitsOf = (sample: Failures.Sample) => (sample._tag === "Last" ? sample.bits : undefined)
    const none = Failures.none(rule)
    expect(bitsOf(none)).toEqual([0, 0])
    expect(bitsOf(Failures.added(rule, none, false, 0))).toBe(bitsOf(none))
  })
})

describe("Failures.readsTime", () => {
  it.each([
    { rule: { _tag: "Consecutive", failures: 2 } as const, reads: false },
    { rule: { _tag: "Last", ratio: 0.5, attempts: 3, atLeast: 1 } as const, reads: false },
    { rule: { _tag: "Window", ratio: 0.5, windowMillis: 1000, atLeast: 1 } as const, reads: true }
  ])("is $reads for $rule._tag", ({ reads, rule }) => {
    expect(Failures.readsTime(rule)).toBe(reads)
  })
})
