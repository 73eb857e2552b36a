/**
 * The laws of jitters, curves, schedules and classifiers, as test suites for custom ones.
 *
 * A failing law prints the smallest case found, and the seed that reproduces it.
 */
import { Backoff, Classifier, type Curve, type Jitter, Verdict } from "@effect-retry/core"
import * as BackoffTree from "@effect-retry/core/unstable/BackoffTree"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import * as Option from "effect/Option"
import type * as Schedule from "effect/Schedule"
import * as ScheduleLine from "@effect-retry/core/unstable/ScheduleLine"
import * as Arbitraries from "./Arbitraries.ts"
import type { Runner } from "../run/Runner.ts"
import * as SeededRandom from "../run/SeededRandom.ts"

/**
 * How each law is tested.
 *
 * @category models
 */
export interface Trials {
  /** @default 1 */
  readonly seed?: number
  /** Cases per law. @default 200 */
  readonly numRuns?: number
}

/**
 * What a jitter promises besides its interval.
 *
 * @category models
 */
export interface JitterOptions extends Trials {
  /** Whether a greater draw never gives a shorter delay. @default true */
  readonly rises?: boolean
}

/**
 * Registers the laws of a jitter as tests under `name`.
 *
 * @category running
 */
export const jitter = (runner: Runner, name: string, self: Jitter.Jitter, options: JitterOptions = {}): void => {
  const { draw } = Arbitraries
  const bound = Arbitraries.millis(0, Number.MAX_SAFE_INTEGER)
  runner.describe(`${name} as a Jitter`, () => {
    const { expect, law } = lawsOf(runner, options)

    law("declares an interval that is finite, not negative and in order", fc.tuple(bound), ([bound]) => {
      const [low, high] = self.interval(bound)
      expect(low).toBeGreaterThanOrEqual(0)
      expect(high).toBeGreaterThanOrEqual(low)
      expect(high).toBeLessThanOrEqual(Number.MAX_VALUE)
    })

    law("keeps every draw within its interval", fc.tuple(bound, draw), ([bound, u]) => {
      const [low, high] = self.interval(bound)
      const delay = self.draw(bound, u)
      expect(delay).toBeGreaterThanOrEqual(low)
      expect(delay).toBeLessThanOrEqual(high)
    })

    law("answers the same for the same draw", fc.tuple(bound, draw, draw), ([bound, u, other]) => {
      const [delay, otherDelay, ...again] = [u, other, u, u].map((u) => self.draw(bound, u))
      expect(again).toEqual([delay, delay])
      if (!self.draws) expect(otherDelay).toBe(delay)
    })

    if (options.rises ?? true) {
      law("never answers a shorter delay for a greater draw", fc.tuple(bound, draw, draw), ([bound, u, other]) => {
        const delays = [u, other].toSorted((a, b) => a - b).map((u) => self.draw(bound, u))
        expect(delays).toEqual(delays.toSorted((a, b) => a - b))
      })
    }
  })
}

/**
 * Registers the laws of a curve as tests under `name`: its interval, its handling of caps and draws, and its delays as
 * a back-off.
 *
 * @category running
 */
export const curve = <S>(runner: Runner, name: string, self: Curve.Curve<S>, options: Trials = {}): void => {
  const { draw, millis } = Arbitraries
  const cap = fc.oneof(fc.constant(Infinity), millis(1, 100_000_000))
  const us = fc.array(draw, { minLength: 1, maxLength: 40 })
  runner.describe(`${name} as a Curve`, () => {
    const { expect, law } = lawsOf(runner, options)

    law("keeps every delay within its interval, after every history", fc.tuple(cap, us), ([cap, us]) => {
      for (const { delayMillis, n } of walkOf(self, cap, us)) {
        const [least, greatest] = self.intervalMillis(n, cap)
        expect(least).toBeGreaterThanOrEqual(0)
        expect(greatest).toBeLessThanOrEqual(Number.MAX_VALUE)
        expect(delayMillis).toBeGreaterThanOrEqual(least)
        expect(delayMillis).toBeLessThanOrEqual(greatest)
        // A curve that does not draw may leave the cap to the back-off.
        if (self.draws) expect(greatest).toBeLessThanOrEqual(cap)
      }
    })

    law("answers the same for the same draws, and without chance for all", fc.tuple(cap, us, draw), (given) => {
      const [cap, us, other] = given
      const delays = (us: ReadonlyArray<number>) => walkOf(self, cap, us).map(({ delayMillis }) => delayMillis)
      const answered = delays(us)
      expect(delays(us)).toEqual(answered)
      if (!self.draws) expect(delays(us.map(() => other))).toEqual(answered)
    })

    law("makes a back-off of whole delays, none above its cap", fc.tuple(millis(1, 1e9), us), ([cap, us]) => {
      let tree: BackoffTree.Tree = Backoff.capped(Backoff.fromCurve(self), cap).tree
      for (const u of us) {
        const stepped = BackoffTree.step(tree, { u, kind: undefined, ranMillis: 0, elapsedMillis: 0 })
        if (stepped === undefined) break
        expect(stepped.delayMillis).toBe(Math.trunc(stepped.delayMillis))
        expect(stepped.delayMillis).toBeLessThanOrEqual(Number.MAX_SAFE_INTEGER)
        expect(stepped.delayMillis).toBeGreaterThanOrEqual(0)
        expect(stepped.delayMillis).toBeLessThanOrEqual(cap)
        tree = stepped.rest
      }
    })
  })
}

/**
 * What a schedule promises.
 *
 * @category models
 */
export interface ScheduleOptions extends Trials {
  /** Its longest wait. @default no limit */
  readonly cap?: Duration.DurationInput
  /** Whether no wait is shorter than the one before, as without jitter. @default false */
  readonly rises?: boolean
  /** How many retries to check. @default 100 */
  readonly retries?: number
}

/**
 * Registers the laws of a schedule, such as a `Backoff`, as tests under `name`. Give a schedule that reads errors some
 * with `Schedule.mapInput`.
 *
 * @category running
 */
export const schedule = (
  runner: Runner,
  name: string,
  self: Schedule.Schedule<unknown, unknown>,
  options: ScheduleOptions = {}
): void => {
  const { cap, retries = 100, rises = false } = options
  const waits = (seed: number) => waitsOf(self, seed, retries)
  runner.describe(`${name} as a Schedule`, () => {
    const { expect, law } = lawsOf(runner, options)
    const seed = fc.integer()

    law("waits only times that are finite and not negative", fc.tuple(seed), ([seed]) => {
      expect(waits(seed).filter((wait) => !(wait >= 0 && wait < Infinity))).toEqual([])
    })

    if (cap !== undefined) {
      law("waits no longer than its cap", fc.tuple(seed), ([seed]) => {
        expect(waits(seed).filter((wait) => !(wait <= Duration.toMillis(cap)))).toEqual([])
      })
    }

    if (rises) {
      law("waits no shorter from one retry to the next", fc.tuple(seed), ([seed]) => {
        expect(waits(seed)).toEqual(waits(seed).toSorted((a, b) => a - b))
      })
    }

    law("waits the same for the same seed, whatever operation comes between", fc.tuple(seed, seed), ([seed, other]) => {
      const first = waits(seed)
      waits(other)
      expect(waits(seed)).toEqual(first)
    })
  })
}

/**
 * Registers the laws of a classifier as tests under `name`: its verdicts on `errors`, alone and in a chain.
 *
 * @category running
 */
export const classifier = <E>(
  runner: Runner,
  name: string,
  self: Classifier.Classifier<E>,
  errors: fc.Arbitrary<E>,
  options: Trials = {}
): void => {
  const other = Arbitraries.classifier<E>()
  const { firstOf } = Classifier
  runner.describe(`${name} as a Classifier`, () => {
    const { expect, law } = lawsOf(runner, options)

    law("judges every error by a verdict, the same each time", fc.tuple(errors, moment), ([error, at]) => {
      const verdict = self(error, at)
      expect(faultsOf(verdict)).toEqual([])
      expect(self(error, at)).toEqual(verdict)
    })

    law("decides first in a chain, and leaves it where it has no opinion", fc.tuple(other, errors, moment), (given) => {
      const [next, error, at] = given
      const verdict = self(error, at)
      expect(firstOf(self, next)(error, at)).toEqual(verdict._tag === "NoOpinion" ? next(error, at) : verdict)
    })

    law("is not changed by a chain with those that have no opinion", fc.tuple(errors, moment), ([error, at]) => {
      const none = () => Verdict.noOpinion
      expect(firstOf(none, self)(error, at)).toEqual(self(error, at))
      expect(firstOf(self, none)(error, at)).toEqual(self(error, at))
    })

    law("may be grouped with others in any way", fc.tuple(other, other, errors, moment), ([a, b, error, at]) => {
      for (const [x, y, z] of [
        [self, a, b],
        [a, self, b],
        [a, b, self]
      ] as const) {
        expect(firstOf(firstOf(x, y), z)(error, at)).toEqual(firstOf(x, firstOf(y, z))(error, at))
      }
    })
  })
}

/** When an error is judged. */
const moment: fc.Arbitrary<Classifier.Moment> = /*#__PURE__*/ fc.record({
  nowMillis: fc.integer({ min: 0, max: 4_102_444_800_000 }),
  attempt: fc.integer({ min: 1, max: 20 }),
  elapsed: fc.nat(3_600_000).map(Duration.millis)
})

const lawsOf = ({ expect, it }: Runner, { numRuns = 200, seed = 1 }: Trials) => ({
  expect: ofNumbers(expect),
  law: <T>(sentence: string, arbitrary: fc.Arbitrary<T>, holds: (given: T) => void): void =>
    it.effect(sentence, () =>
      Effect.sync(() => {
        let held = 0
        const property = fc.property(arbitrary, (given) => {
          holds(given)
          held += 1
        })
        fc.assert(property, { seed, numRuns })
        expect(held).toBe(numRuns)
      })
    )
})

/**
 * Calls the runner's `expect` only for comparisons of numbers, or of lists of numbers, that fail: a law makes tens of
 * thousands, and an `expect` takes longer than the comparison.
 */
const ofNumbers =
  (expect: Runner["expect"]): Runner["expect"] =>
  (actual, message) => {
    const expectation = expect.bind(undefined, actual, message)
    return {
      toBe: (expected) => Object.is(actual, expected) || expectation().toBe(expected),
      toBeGreaterThanOrEqual: (least) =>
        (typeof actual === "number" && actual >= least) || expectation().toBeGreaterThanOrEqual(least),
      toBeLessThanOrEqual: (most) =>
        (typeof actual === "number" && actual <= most) || expectation().toBeLessThanOrEqual(most),
      toEqual: (expected) => areSameNumbers(actual, expected) || expectation().toEqual(expected),
      toContainEqual: (expected) => expectation().toContainEqual(expected),
      toHaveLength: (length) => expectation().toHaveLength(length),
      toBeCloseTo: (expected, digits) => expectation().toBeCloseTo(expected, digits)
    }
  }

const areSameNumbers = (actual: unknown, expected: unknown): boolean =>
  Array.isArray(actual) &&
  Array.isArray(expected) &&
  actual.length === expected.length &&
  actual.every((one, i) => typeof one === "number" && Object.is(one, expected[i]))

interface Walked {
  readonly n: number
  readonly delayMillis: number
}

/** The delays of a curve under these draws, to its end. */
const walkOf = <S>(self: Curve.Curve<S>, capMillis: number, us: ReadonlyArray<number>): ReadonlyArray<Walked> => {
  const walked: Array<Walked> = []
  let state = self.initial
  for (const [i, u] of us.entries()) {
    const n = i + 1
    const delayMillis = self.delayMillis(n, state, capMillis, u)
    if (delayMillis === undefined) break
    walked.push({ n, delayMillis })
    state = self.next(delayMillis, n, state, capMillis, u)
  }
  return walked
}

/** The waits in milliseconds, stepped by hand: without sleeping, and without rounding. */
const waitsOf = (self: Schedule.Schedule<unknown, unknown>, seed: number, retries: number): ReadonlyArray<number> =>
  Effect.gen(function* () {
    const waits: Array<number> = []
    let state: unknown = ScheduleLine.start
    let now = 0
    for (let retry = 1; retry <= retries; retry++) {
      const stepped = yield* ScheduleLine.step(self, now, undefined, state)
      if (stepped.delayMillis === undefined) break
      waits.push(stepped.delayMillis)
      if (!Number.isFinite(stepped.delayMillis)) break
      state = stepped.state
      now += stepped.delayMillis
    }
    return waits
  }).pipe(Effect.provide(SeededRandom.layer(seed)), Effect.runSync)

const faultsOf = (verdict: Verdict.Verdict): ReadonlyArray<string> => {
  switch (verdict._tag) {
    case "NoOpinion":
      return []
    case "Terminal":
      return typeof verdict.why === "string" ? [] : [`why is ${String(verdict.why)}`]
    case "Retryable":
      return [
        ...(Verdict.kinds.includes(verdict.kind) ? [] : [`kind is ${String(verdict.kind)}`]),
        ...(Option.isOption(verdict.hint) ? [] : [`hint is ${String(verdict.hint)}`])
      ]
    default:
      return [`no verdict: ${JSON.stringify(verdict)}`]
  }
}
