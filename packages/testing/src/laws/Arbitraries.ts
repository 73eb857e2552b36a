/**
 * Arbitrary delays, verdicts and policies for property tests with effect's `FastCheck`.
 *
 * Everything is built with the public constructors and combinators, and shrinks to something simple. A bound named
 * `max` is the longest initial delay of a back-off; its later delays are longer.
 */
import {
  AttemptTimeout,
  Backoff,
  Classic,
  type Classifier,
  Curve,
  Deadline,
  Hint,
  Jitter,
  type Policy,
  Verdict
} from "@effect-retry/core"
import type * as BackoffTree from "@effect-retry/core/unstable/BackoffTree"
import * as Duration from "effect/Duration"
import * as fc from "effect/FastCheck"

/**
 * A draw, including the lowest and the highest one.
 *
 * @category constructors
 */
export const draw: fc.Arbitrary<number> = /*#__PURE__*/ fc.oneof(
  fc.constantFrom(0, 0.5, 1 - Number.EPSILON / 2),
  fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
)

/**
 * A time in milliseconds between two bounds, inclusive; whole milliseconds or whole nanoseconds.
 *
 * @category constructors
 */
export const millis = (minMillis: number, maxMillis: number): fc.Arbitrary<number> =>
  fc.oneof(
    fc.constantFrom(minMillis, maxMillis),
    fc
      .double({ min: minMillis, max: maxMillis, noNaN: true })
      .map((millis) => Math.min(Math.round(millis * 1e6) / 1e6, maxMillis)),
    fc.integer({ min: Math.ceil(minMillis), max: maxMillis })
  )

/**
 * Any kind of failure.
 *
 * @category constructors
 */
export const kind: fc.Arbitrary<Verdict.Kind> = /*#__PURE__*/ fc.constantFrom(...Verdict.kinds)

/**
 * Any verdict: no opinion, a reason against a retry, or a kind with or without a hint.
 *
 * @category constructors
 */
export const verdict: fc.Arbitrary<Verdict.Verdict> = /*#__PURE__*/ fc.oneof(
  fc.constant(Verdict.noOpinion),
  fc.string().map(Verdict.terminal),
  fc
    .tuple(kind, fc.option(millis(0, 3_600_000), { nil: undefined }))
    .map(([kind, hint]) => Verdict.retryable(kind, { hint }))
)

/**
 * A classifier, which gives the same error the same verdict.
 *
 * @category constructors
 */
export const classifier = <E = unknown>(): fc.Arbitrary<Classifier.Classifier<E>> =>
  fc.func<[E], Verdict.Verdict>(verdict).map((judge) => (error) => judge(error))

/**
 * A jitter as a user might write it: it reaches below and above its bound, and is not uniform.
 *
 * @category constructors
 */
export const userJitter: Jitter.Jitter = /*#__PURE__*/ Jitter.make({
  name: "squared",
  interval: (bound) => [bound / 4, bound * 2],
  draw: (bound, u) => bound * (1 / 4 + (7 / 4) * u * u)
})

/**
 * Any built-in jitter, or `userJitter`.
 *
 * @category constructors
 */
export const jitter: fc.Arbitrary<Jitter.Jitter> = /*#__PURE__*/ fc.oneof(
  fc.constantFrom(Jitter.none, Jitter.full, Jitter.equal, userJitter),
  fc.double({ min: 0.01, max: 1, noNaN: true }).map((ratio) => Jitter.proportional({ ratio })),
  fc.integer({ min: 1, max: 10_000 }).map((max) => Jitter.additive({ max }))
)

/**
 * A curve as a user might write it, steeper than the built-in ones.
 *
 * @category constructors
 */
export const userCurve = (baseMillis: number): Curve.Curve<undefined> =>
  Curve.fromFunction("minus one", (n) => (baseMillis * (2 ** n - 1)) / 2)

/**
 * A random curve as a user might write it: it walks up or down from its last delay, and ends after 30 retries.
 *
 * @category constructors
 */
export const userWalk = (baseMillis: number): Curve.Curve<number> =>
  Curve.make({
    name: "walk",
    draws: true,
    initial: baseMillis,
    delayMillis: (n, last, capMillis, u) => (n > 30 ? undefined : Math.min(last * (0.5 + u), capMillis)),
    next: (delayMillis) => delayMillis,
    intervalMillis: (n, capMillis) => [0, Math.min(baseMillis * 1.5 ** n, capMillis)]
  })

/**
 * Curves that never end and never fall.
 *
 * @category constructors
 */
export const endless = (max: Duration.DurationInput): fc.Arbitrary<Backoff.Backoff> => {
  const delay = upTo(max)
  return fc.oneof(
    delay.map((delay) => Backoff.constant({ delay })),
    fc.record({ base: delay, step: delay }).map((options) => Backoff.fromCurve(Curve.linear(options))),
    fc
      .record({ base: delay, degree: fc.double({ min: 0.1, max: 5, noNaN: true }) })
      .map((options) => Backoff.fromCurve(Curve.polynomial(options))),
    fc.record({ base: delay, factor: fc.double({ min: 1, max: 10, noNaN: true }) }).map(Backoff.exponential),
    delay.map((base) => Backoff.fromCurve(Curve.fibonacci({ base }))),
    upTo(max, 0.001).map((base) => Backoff.fromCurve(userCurve(base)))
  )
}

/**
 * Curves that end.
 *
 * @category constructors
 */
export const ending = (max: Duration.DurationInput): fc.Arbitrary<Backoff.Backoff> =>
  fc.oneof(
    fc.array(upTo(max), { maxLength: 6 }).map(Backoff.fromDelays),
    millis(1_000, 300_000).map((maximum) => Classic.connectRetry({ maximum }))
  )

/**
 * Curves that draw by definition.
 *
 * @category constructors
 */
export const drawing = (max: Duration.DurationInput): fc.Arbitrary<Backoff.Backoff> => {
  const base = upTo(max, 0.001)
  return fc.oneof(
    base.map((base) => Backoff.fromCurve(Curve.decorrelated({ base }))),
    base.map((base) => Backoff.fromCurve(Curve.decorrelatedSmooth({ base }))),
    base.map((slot) => Classic.ethernet({ slot })),
    fc.record({ factor: fc.nat(50), maximum: millis(1_000, 600_000) }).map((options) => Classic.celery(options)),
    base.map((base) => Backoff.fromCurve(userWalk(base)))
  )
}

/**
 * Back-offs of every kind: curves with or without cap and jitter, combined in any way.
 *
 * @category constructors
 */
export const backoff = (max: Duration.DurationInput = "100 seconds"): fc.Arbitrary<Backoff.Backoff> =>
  combined(anyLeaf(max), max, true)

/**
 * The same without `Backoff.within`, which makes a back-off end sooner if its delays are longer.
 *
 * @category constructors
 */
export const withoutWithin = (max: Duration.DurationInput = "100 seconds"): fc.Arbitrary<Backoff.Backoff> =>
  combined(anyLeaf(max), max, false)

/**
 * Back-offs without curves that draw by definition, which `Backoff.jittered` refuses.
 *
 * @category constructors
 */
export const jitterable = (max: Duration.DurationInput = "100 seconds"): fc.Arbitrary<Backoff.Backoff> =>
  combined(curve(max), max, true)

/**
 * Inputs for the steps of a back-off: one failure after another, with time passing in between.
 *
 * @category constructors
 */
export const inputs: fc.Arbitrary<ReadonlyArray<BackoffTree.Input>> = /*#__PURE__*/ fc
  .array(
    fc.record({
      u: draw,
      kind: fc.constantFrom(undefined, ...Verdict.kinds),
      ranMillis: fc.constantFrom(0, 1, 500, 60_000, 3_600_000),
      waitedMillis: fc.nat(50_000)
    }),
    { minLength: 8, maxLength: 20 }
  )
  .map((steps) => {
    let elapsedMillis = 0
    return steps.map(({ kind, ranMillis, u, waitedMillis }) => {
      elapsedMillis += ranMillis
      const input = { u, kind, ranMillis, elapsedMillis }
      elapsedMillis += waitedMillis
      return input
    })
  })

/**
 * Rules for hints, up to `max`.
 *
 * @category constructors
 */
export const hint = (max: Duration.DurationInput): fc.Arbitrary<Hint.Hint> => {
  const limit = fc.record({
    atMost: fc.constant(max),
    otherwise: fc.constantFrom("clamp" as const, "giveUp" as const, "ignore" as const),
    startsOver: fc.boolean()
  })
  return fc.oneof(
    fc.constant(Hint.ignore),
    limit.map(Hint.floor),
    limit.map((limit) => Hint.floor({ ...limit, jitterRatio: 0.5 })),
    limit.map(Hint.override),
    wholeUpTo(max, 0).map((above) => Hint.within({ above }))
  )
}

/**
 * Deadlines of every kind, within `max`, in whole milliseconds.
 *
 * @category constructors
 */
export const deadline = (max: Duration.DurationInput): fc.Arbitrary<Deadline.Deadline<Deadline.DeadlineExceeded>> => {
  const within = wholeUpTo(max, 1)
  const reserve = (min: number) => fc.integer({ min, max: Math.ceil(Duration.toMillis(max) / 50) })
  return fc.oneof(
    fc
      .tuple(within, reserve(0))
      .map(([within, reserve]) => Deadline.refuse(within, { reserve: Math.min(within, reserve) })),
    fc
      .tuple(within, reserve(1))
      .map(([within, reserve]) => Deadline.truncate(within, { reserve: Math.min(within, reserve) })),
    within.map((within) => Deadline.cut(within))
  )
}

/**
 * Constant and growing attempt timeouts, up to `max`, in whole milliseconds.
 *
 * @category constructors
 */
export const attemptTimeout = (max: Duration.DurationInput): fc.Arbitrary<AttemptTimeout.AttemptTimeout> =>
  fc.oneof(
    wholeUpTo(max, 1).map((time) => AttemptTimeout.constant(time)),
    fc
      .record({ initial: wholeUpTo(max, 1), factor: fc.integer({ min: 1, max: 3 }) })
      .map(({ factor, initial }) => AttemptTimeout.growing({ initial, factor, maximum: max }))
  )

/**
 * A policy that requires no services.
 *
 * @category models
 */
export interface PlainPolicy extends Policy.Policy<
  unknown,
  AttemptTimeout.AttemptTimedOut | Deadline.DeadlineExceeded
> {
  readonly backoff: Backoff.Backoff
}

/**
 * Policies with every field that requires no services, for few attempts.
 *
 * Hints, attempt timeouts and deadlines are of the size of `max`, so that each of them matters in some of the policies.
 *
 * @category constructors
 */
export const policy = (max: Duration.DurationInput = "2 seconds"): fc.Arbitrary<PlainPolicy> =>
  fc.record({
    attemptTimeout: fc.option(attemptTimeout(Duration.times(Duration.decode(max), 2.5)), { nil: undefined }),
    classifier: classifier(),
    maxAttempts: fc.integer({ min: 1, max: 6 }),
    backoff: backoff(max),
    hint: hint(Duration.times(Duration.decode(max), 1.5)),
    deadline: fc.option(deadline(Duration.times(Duration.decode(max), 10)), { nil: undefined })
  })

const upTo = (max: Duration.DurationInput, minMillis = 0) => millis(minMillis, Duration.toMillis(max))

const wholeUpTo = (max: Duration.DurationInput, min: number) =>
  fc.integer({ min, max: Math.floor(Duration.toMillis(max)) })

const cappedBy = (self: Backoff.Backoff, cap: number | null) => (cap === null ? self : Backoff.capped(self, cap))

/** Curves, each with or without a cap and a jitter. */
const curve = (max: Duration.DurationInput): fc.Arbitrary<Backoff.Backoff> =>
  fc
    .tuple(fc.oneof(endless(max), endless(max), ending(max)), fc.option(jitter), fc.option(upTo(max, 1)))
    .map(([curve, jitter, cap]) => cappedBy(jitter === null ? curve : Backoff.jittered(curve, jitter), cap))

/** Such curves, and those that draw by definition. */
const anyLeaf = (max: Duration.DurationInput): fc.Arbitrary<Backoff.Backoff> =>
  fc.oneof(
    curve(max),
    fc.tuple(drawing(max), fc.option(upTo(max, 1))).map(([self, cap]) => cappedBy(self, cap))
  )

/** Trees of such leaves. */
const combined = (
  leaves: fc.Arbitrary<Backoff.Backoff>,
  max: Duration.DurationInput,
  within: boolean
): fc.Arbitrary<Backoff.Backoff> =>
  fc.letrec<{ readonly tree: Backoff.Backoff }>((tie) => {
    const self = tie("tree")
    const pair = fc.tuple(self, self)
    const times = fc.constantFrom(1, 1_000, 60_000, 3_600_000)
    return {
      tree: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        leaves,
        pair.map(([a, b]) => Backoff.max(a, b)),
        pair.map(([a, b]) => Backoff.min(a, b)),
        pair.map(([a, b]) => Backoff.andThen(a, b)),
        fc.tuple(self, fc.nat(8)).map(([a, n]) => Backoff.take(a, n)),
        fc
          .record({ Throttling: self, Timeout: self, orElse: self }, { requiredKeys: ["Throttling", "orElse"] })
          .map(Backoff.byKind),
        fc.tuple(self, fc.constantFrom(1, 500, 60_000)).map(([a, after]) => Backoff.resetAfter(a, after)),
        fc.tuple(self, upTo(max, 1)).map(([a, cap]) => Backoff.capped(a, cap)),
        ...(within ? [fc.tuple(self, times).map(([a, duration]) => Backoff.within(a, duration))] : [])
      )
    }
  }).tree
