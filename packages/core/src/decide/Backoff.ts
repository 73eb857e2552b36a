/**
 * Back-offs: how long to wait before the next attempt.
 *
 * A `Backoff` is an Effect `Schedule` whose output is the delay, so it works in `Effect.retry`, `Effect.repeat`,
 * `Stream.retry` and under every native combinator. It is also data, a `BackoffTree`, which our own loop and plan step
 * without the cost of a schedule. Combinators here change delays only; none but `fromDelays`, `ethernet` and
 * `connectRetry` ever ends, and no combinator but `longest` ends earlier than its parts.
 */
import { Duration, Effect, Predicate, Random, Schedule, ScheduleDecision, ScheduleInterval } from "effect"
import { dual } from "effect/Function"
import * as Argument from "../accept/InvalidArgument.ts"
import type { Kind } from "../classify/Verdict.ts"
import type { Tree } from "./BackoffTree.ts"
import * as BackoffTree from "./BackoffTree.ts"
import type { Curve } from "./Curve.ts"
import * as Jitter from "./Jitter.ts"
import type { RandomCurve } from "./RandomCurve.ts"

/**
 * @category models
 */
export const TypeId: unique symbol = Symbol.for("@effect-retry/core/Backoff")

/**
 * @category models
 */
export type TypeId = typeof TypeId

/**
 * A schedule of delays that can be read: `tree` holds its curves, caps and jitters.
 *
 * @category models
 */
export interface Backoff extends Schedule.Schedule<Duration.Duration> {
  readonly [TypeId]: TypeId
  readonly tree: Tree
  /** Whether a step needs a random number. */
  readonly draws: boolean
  /** Whether a step needs to know how long the attempt ran. */
  readonly readsTime: boolean
}

/**
 * @category guards
 */
export const isBackoff = (u: unknown): u is Backoff => Predicate.hasProperty(u, TypeId)

/**
 * The back-off that a tree describes.
 *
 * @category conversions
 */
export const fromTree = (tree: Tree): Backoff => {
  const draws = BackoffTree.draws(tree)
  return Object.assign(toSchedule(tree, draws), {
    [TypeId]: TypeId,
    tree,
    draws,
    readsTime: BackoffTree.readsTime(tree)
  } as const)
}

/**
 * Always the same delay. Formula: `delay`.
 *
 * @category constructors
 */
export const constant = (options: { readonly delay: Duration.DurationInput }): Backoff =>
  leaf({ _tag: "Constant", delayMillis: Argument.millis("Backoff.constant", "delay", options.delay, { min: 0 }) })

/**
 * Grows by the same step. Formula, for retry `n`: `base + step * (n - 1)`.
 *
 * @category constructors
 */
export const linear = (options: {
  readonly base: Duration.DurationInput
  readonly step: Duration.DurationInput
}): Backoff =>
  leaf({
    _tag: "Linear",
    baseMillis: Argument.millis("Backoff.linear", "base", options.base, { min: 0 }),
    stepMillis: Argument.millis("Backoff.linear", "step", options.step, { min: 0 })
  })

/**
 * Grows with a power of the retry's number. Formula, for retry `n`: `base * n^degree`.
 *
 * @category constructors
 */
export const polynomial = (options: {
  readonly base: Duration.DurationInput
  /** Above 0; 2 for a quadratic curve. */
  readonly degree: number
}): Backoff =>
  leaf({
    _tag: "Polynomial",
    baseMillis: Argument.millis("Backoff.polynomial", "base", options.base, { min: 0 }),
    degree: Argument.number("Backoff.polynomial", "degree", options.degree, { min: 0, exclusive: true })
  })

/**
 * Grows by a factor. Formula, for retry `n`: `base * factor^(n - 1)`.
 *
 * @category constructors
 */
export const exponential = (options: {
  readonly base: Duration.DurationInput
  /** At least 1. @default 2 */
  readonly factor?: number
}): Backoff =>
  leaf({
    _tag: "Exponential",
    baseMillis: Argument.millis("Backoff.exponential", "base", options.base, { min: 0 }),
    factor: Argument.number("Backoff.exponential", "factor", options.factor ?? 2, { min: 1 })
  })

/**
 * Grows like the Fibonacci numbers. Formula, for retry `n`: `base * F(n)`, `F` = 1, 1, 2, 3, 5, 8, ...
 *
 * @category constructors
 */
export const fibonacci = (options: { readonly base: Duration.DurationInput }): Backoff =>
  leaf({ _tag: "Fibonacci", baseMillis: Argument.millis("Backoff.fibonacci", "base", options.base, { min: 0 }) })

/**
 * A list of delays, then the end. The empty list never retries: the identity of `shortest` and `andThen`.
 *
 * @category constructors
 */
export const fromDelays = (delays: ReadonlyArray<Duration.DurationInput>): Backoff =>
  leaf({
    _tag: "Delays",
    delaysMillis: delays.map((delay, i) => Argument.millis("Backoff.fromDelays", `delays[${i}]`, delay, { min: 0 }))
  })

/**
 * Draws each delay between the base and three times the last one. Formula: `base + u * (3 * last - base)`, the first
 * `last` being `base`; means 2, 3.5, 5.75, 9.125 ... times the base. A cap limits `3 * last`; one below twice the base
 * lowers the base to `cap - base`, or to 0, so that no jitter is lost on the cap.
 *
 * Source: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/, "Decorrelated Jitter".
 *
 * @category constructors
 */
export const decorrelated = (options: { readonly base: Duration.DurationInput }): Backoff =>
  randomLeaf({
    _tag: "Decorrelated",
    baseMillis: Argument.millis("Backoff.decorrelated", "base", options.base, { min: 0, exclusive: true })
  })

/**
 * Draws delays whose sum is smooth: single delays vary, the total hardly does.
 *
 * Formula, for retry `n`: `(f(t) - f(last t)) * base / 1.4` with `f(t) = 2^t * tanh(sqrt(4t))`, `t = n - 1 + u`;
 * medians 0.9, 1.1, 2.0, 4.0, 8.0, 16 times the base. A cap limits the longest delay that the formula can reach.
 * Source: Polly.Contrib.WaitAndRetry, `DecorrelatedJitterBackoffV2`,
 * https://github.com/Polly-Contrib/Polly.Contrib.WaitAndRetry.
 *
 * @category constructors
 */
export const decorrelatedSmooth = (options: { readonly base: Duration.DurationInput }): Backoff =>
  randomLeaf({
    _tag: "DecorrelatedSmooth",
    baseMillis: Argument.millis("Backoff.decorrelatedSmooth", "base", options.base, { min: 0, exclusive: true })
  })

/**
 * Truncated binary exponential back-off: after collision `c`, a whole number of slots out of `0 ... 2^min(c, 10) - 1`;
 * ends at the 16th collision.
 *
 * Delays are whole milliseconds, so a slot below one millisecond is rounded up after the draw.
 * Source: IEEE 802.3, CSMA/CD, attemptLimit 16 and backoffLimit 10.
 *
 * @category constructors
 */
export const ethernet = (options: { readonly slot: Duration.DurationInput }): Backoff =>
  randomLeaf({
    _tag: "Ethernet",
    slotMillis: Argument.millis("Backoff.ethernet", "slot", options.slot, { min: 0, exclusive: true })
  })

/**
 * Celery's countdown in whole seconds. Formula, for retry `n`: `min(maximum, factor * 2^(n - 1))` seconds; with jitter a
 * whole number of seconds out of `0 ... countdown`.
 *
 * Source: https://github.com/celery/celery, `celery/utils/time.py`, `get_exponential_backoff_interval`.
 *
 * @category constructors
 */
export const celery = (options: {
  /** Celery's `retry_backoff`: a whole number of seconds. */
  readonly factor: number
  /** Celery's `retry_backoff_max`: at least one second. @default 10 minutes */
  readonly maximum?: Duration.DurationInput
  /** Celery's `retry_jitter`. @default true */
  readonly jitter?: boolean
}): Backoff =>
  randomLeaf({
    _tag: "Celery",
    factorSeconds: Argument.number("Backoff.celery", "factor", options.factor, { min: 0, integer: true }),
    maximumMillis: Argument.millis("Backoff.celery", "maximum", options.maximum ?? "10 minutes", { min: 1000 }),
    jitter: options.jitter ?? true
  })

/**
 * 1, 2, 4 ... seconds while the delay is at most half of `maximum`: there is no wait after the last attempt. With
 * `maximum` 128 seconds: 8 attempts and 127 seconds of waiting.
 *
 * Source: Stevens and Rago, Advanced Programming in the UNIX Environment, `connect_retry`.
 *
 * @category constructors
 */
export const connectRetry = (options?: {
  /** At least one second. @default 128 seconds */
  readonly maximum?: Duration.DurationInput
}): Backoff =>
  leaf({
    _tag: "ConnectRetry",
    maximumMillis: Argument.millis("Backoff.connectRetry", "maximum", options?.maximum ?? "128 seconds", { min: 1000 })
  })

/**
 * Truncated exponential back-off as Cloud Storage documents it. Formula, for retry `n`:
 * `min(base * factor^(n - 1) + u * randomMillis, maximum)`.
 *
 * By its specification it clamps after the draw, so late delays gather on `maximum`; `exponential` with a `jittered` and
 * `capped` does not.
 * Source: https://cloud.google.com/storage/docs/retry-strategy, read 2026-11-20.
 *
 * @category constructors
 */
export const truncated = (options: {
  readonly base: Duration.DurationInput
  /** At least 1. @default 2 */
  readonly factor?: number
  readonly maximum: Duration.DurationInput
  /** The random addition is below so many milliseconds. @default 1000 */
  readonly randomMillis?: number
}): Backoff =>
  randomLeaf({
    _tag: "Truncated",
    baseMillis: Argument.millis("Backoff.truncated", "base", options.base, { min: 0 }),
    factor: Argument.number("Backoff.truncated", "factor", options.factor ?? 2, { min: 1 }),
    maximumMillis: Argument.millis("Backoff.truncated", "maximum", options.maximum, { min: 1 }),
    randomMillis: Argument.number("Backoff.truncated", "randomMillis", options.randomMillis ?? 1000, { min: 0 })
  })

/**
 * Bounds every delay. The cap acts on the bounds, before any draw, and never ends anything.
 *
 * `capped(a)` of `capped(b)` is `capped(min(a, b))`, and the order of `capped` and `jittered` makes no difference.
 *
 * @category combinators
 */
export const capped: {
  (cap: Duration.DurationInput): (self: Backoff) => Backoff
  (self: Backoff, cap: Duration.DurationInput): Backoff
} = /*#__PURE__*/ dual(2, (self: Backoff, cap: Duration.DurationInput): Backoff => {
  const capMillis = Argument.millis("Backoff.capped", "cap", cap, { min: 1 })
  return fromTree(
    BackoffTree.mapLeaves(self.tree, (leaf) => ({ ...leaf, capMillis: Math.min(leaf.capMillis, capMillis) }))
  )
})

/**
 * Randomises every delay, last of all. A second `jittered` replaces the first.
 *
 * Throws for curves that draw by definition: `decorrelated`, `decorrelatedSmooth`, `ethernet`, `celery`, `truncated`.
 *
 * @category combinators
 */
export const jittered: {
  (jitter: Jitter.Jitter): (self: Backoff) => Backoff
  (self: Backoff, jitter: Jitter.Jitter): Backoff
} = /*#__PURE__*/ dual(2, (self: Backoff, jitter: Jitter.Jitter): Backoff =>
  fromTree(
    BackoffTree.mapLeaves(self.tree, (leaf) =>
      leaf._tag === "Leaf"
        ? { ...leaf, jitter }
        : Argument.refuse("Backoff.jittered", "self", "a curve that does not draw by itself", leaf.curve._tag)
    )
  )
)

/**
 * An immediate first retry, then the delays of `self` from its beginning.
 *
 * @category combinators
 */
export const delayedFirst = (self: Backoff): Backoff => andThen(fromDelays([0]), self)

/**
 * The first to its end, then the second. Associative, with `fromDelays([])` as identity on both sides.
 *
 * @category combinators
 */
export const andThen: {
  (that: Backoff): (self: Backoff) => Backoff
  (self: Backoff, that: Backoff): Backoff
} = /*#__PURE__*/ dual(2, (self: Backoff, that: Backoff): Backoff =>
  fromTree({ _tag: "AndThen", first: self.tree, second: that.tree })
)

/**
 * The longer delay of two; ends when either does. Both see the same draw.
 *
 * With `shortest` a distributive lattice, path by path; identity: `constant({ delay: 0 })`.
 *
 * @category combinators
 */
export const longest: {
  (that: Backoff): (self: Backoff) => Backoff
  (self: Backoff, that: Backoff): Backoff
} = /*#__PURE__*/ dual(2, (self: Backoff, that: Backoff): Backoff =>
  fromTree({ _tag: "Longest", left: self.tree, right: that.tree })
)

/**
 * The shorter delay of two; ends when both have. Both see the same draw.
 *
 * To bound delays use `capped`, which never changes when a back-off ends. Identity: `fromDelays([])`.
 *
 * @category combinators
 */
export const shortest: {
  (that: Backoff): (self: Backoff) => Backoff
  (self: Backoff, that: Backoff): Backoff
} = /*#__PURE__*/ dual(2, (self: Backoff, that: Backoff): Backoff =>
  fromTree({ _tag: "Shortest", left: self.tree, right: that.tree })
)

/**
 * A back-off for each kind of failure, and one for all others.
 *
 * All of them advance with every retry, so an exponent counts the retries of the operation: a transient failure and then
 * a throttling one wait the first delay of the one and the second delay of the other. Ends when the back-off of the
 * failure at hand has ended. Under native `Effect.retry`, where no kind is known, `orElse` answers.
 *
 * @category constructors
 */
export const byKind = (cases: { readonly [K in Kind]?: Backoff } & { readonly orElse: Backoff }): Backoff => {
  const { orElse, ...kinds } = cases
  return fromTree({
    _tag: "ByKind",
    cases: Object.fromEntries(Object.entries(kinds).map(([kind, backoff]) => [kind, backoff.tree])),
    orElse: orElse.tree
  })
}

/**
 * Starts over when an attempt ran for at least `inactivity` before it failed: a long-lived connection that is lost after
 * an hour is reconnected as if for the first time.
 *
 * Time spent waiting does not count, so a delay longer than `inactivity` never resets itself.
 *
 * @category combinators
 */
export const resetAfter: {
  (inactivity: Duration.DurationInput): (self: Backoff) => Backoff
  (self: Backoff, inactivity: Duration.DurationInput): Backoff
} = /*#__PURE__*/ dual(2, (self: Backoff, inactivity: Duration.DurationInput): Backoff =>
  fromTree({
    _tag: "ResetAfter",
    self: self.tree,
    initial: self.tree,
    afterMillis: Argument.millis("Backoff.resetAfter", "inactivity", inactivity, { min: 1 })
  })
)

const leaf = (curve: Curve): Backoff =>
  fromTree({ _tag: "Leaf", curve, capMillis: Infinity, jitter: Jitter.none, n: 1 })

const randomLeaf = (curve: RandomCurve): Backoff =>
  fromTree({ _tag: "RandomLeaf", curve, capMillis: Infinity, n: 1, previous: 0 })

interface ScheduleState {
  readonly tree: Tree
  /** When the attempt that is now failing began; unknown for the first one. */
  readonly startedAt: number | undefined
}

const toSchedule = (tree: Tree, draws: boolean): Schedule.Schedule<Duration.Duration> => {
  const answer = (now: number, state: ScheduleState, u: number) => {
    const ranMillis = state.startedAt === undefined ? 0 : Math.max(0, now - state.startedAt)
    const stepped = BackoffTree.step(state.tree, { u, kind: undefined, ranMillis })
    if (stepped === undefined) return [state, Duration.zero, ScheduleDecision.done] as const
    const startedAt = now + stepped.delayMillis
    return [
      { tree: stepped.rest, startedAt },
      Duration.millis(stepped.delayMillis),
      ScheduleDecision.continueWith(ScheduleInterval.after(startedAt))
    ] as const
  }
  return Schedule.makeWithState<ScheduleState, unknown, Duration.Duration>(
    { tree, startedAt: undefined },
    (now, _, state) =>
      draws ? Effect.map(Random.next, (u) => answer(now, state, u)) : Effect.sync(() => answer(now, state, 0))
  )
}
