/**
 * Back-offs: how long to wait before the next attempt.
 *
 * A `Backoff` is an Effect `Schedule` whose output is the delay, so it works in `Effect.retry`, `Effect.repeat`,
 * `Stream.retry` and with every native combinator. It is also data, a `BackoffTree`, which the loop and the plan step
 * without the cost of a schedule.
 *
 * `within` and `take` end a back-off and never change a delay. `capped` and `jittered` change delays and never when it ends,
 * except that more delays fit `within` a time if they are shorter.
 */
import type * as Duration from "effect/Duration"
import * as Argument from "../accept/Argument.ts"
import { dual, type Given } from "../accept/Dual.ts"
import type { Kind } from "../classify/Verdict.ts"
import { kinds } from "../classify/Verdict.ts"
import type { Backoff } from "./BackoffSchedule.ts"
import { fromTree, isBackoff } from "./BackoffSchedule.ts"
import type { Tree } from "./BackoffTree.ts"
import * as BackoffTree from "./BackoffTree.ts"
import * as Bounds from "./Bounds.ts"
import type { Curve } from "./CurveShape.ts"
import { bounds, isCurve } from "./CurveShape.ts"
import * as Jitter from "./Jitter.ts"
import { times } from "./Millis.ts"

export { isBackoff, type Backoff } from "./BackoffSchedule.ts"

/**
 * Always the same delay. Formula: `delay`.
 *
 * @category constructors
 */
export const constant = (options: { readonly delay: Duration.DurationInput }): Backoff => {
  const given = Argument.options("Backoff.constant", '{ delay: "1 second" }', options, { delay: true })
  const delay = times(Argument.millis("Backoff.constant", "delay", given.delay, Bounds.delay), 1)
  return leaf(
    "Backoff.constant",
    bounds("constant", () => delay)
  )
}

/**
 * Grows by a factor. Formula, for retry `n`: `base * factor^(n - 1)`.
 *
 * @category constructors
 */
export const exponential = (options: {
  readonly base: Duration.DurationInput
  /** At least 1. @default 2 */
  readonly factor?: number
}): Backoff => {
  const given = Argument.options("Backoff.exponential", '{ base: "1 second" }', options, { base: true, factor: false })
  const base = Argument.millis("Backoff.exponential", "base", given.base, Bounds.delay)
  const factor = Argument.number("Backoff.exponential", "factor", given.factor ?? 2, Bounds.factor)
  return leaf(
    "Backoff.exponential",
    bounds("exponential", (n) => times(base, factor ** (n - 1)))
  )
}

/**
 * Takes its delays from a list, then ends. The empty list never retries: it is the identity of `min` and `andThen`.
 *
 * @category constructors
 */
export const fromDelays = (delays: ReadonlyArray<Duration.DurationInput>): Backoff => {
  const millis = delays.map((delay, i) =>
    times(Argument.millis("Backoff.fromDelays", `delays[${i}]`, delay, Bounds.delay), 1)
  )
  return leaf(
    "Backoff.fromDelays",
    bounds("delays", (n) => millis[n - 1])
  )
}

/**
 * Makes a back-off from a curve: one of the module `Curve`, or your own made with `Curve.make`.
 *
 * @category constructors
 */
export const fromCurve = <S>(curve: Curve<S>): Backoff =>
  isCurve(curve)
    ? leaf("Backoff.fromCurve", curve)
    : Argument.refuse("Backoff.fromCurve", "curve", "a curve of the module Curve", curve)

/**
 * Bounds every delay by `cap`, at least one millisecond. The cap acts on the bounds, before any draw, and never ends the
 * back-off.
 *
 * `capped(a)` of `capped(b)` is `capped(min(a, b))`, and the order of `capped` and `jittered` makes no difference.
 *
 * @category combinators
 */
export function capped(cap: Duration.DurationInput): (self: Backoff) => Backoff
export function capped(self: Backoff, cap: Duration.DurationInput): Backoff
export function capped(...given: Given): any {
  return dual(given, (self: Backoff, cap: Duration.DurationInput): Backoff => {
    const owner = "Backoff.capped"
    const capMillis = Argument.millis(owner, "cap", cap, Bounds.cap)
    return fromTree(
      owner,
      BackoffTree.mapLeaves(treeOf(owner, "self", self), (leaf) => ({
        ...leaf,
        capMillis: Math.min(leaf.capMillis, capMillis)
      }))
    )
  })
}

/**
 * Randomises every delay, after all other changes. A second `jittered` replaces the first.
 *
 * Throws for curves that draw by definition, such as `Curve.decorrelated` and `Classic.ethernet`.
 *
 * @category combinators
 */
export function jittered(jitter: Jitter.Jitter): (self: Backoff) => Backoff
export function jittered(self: Backoff, jitter: Jitter.Jitter): Backoff
export function jittered(...given: Given): any {
  return dual(given, (self: Backoff, jitter: Jitter.Jitter): Backoff => {
    const owner = "Backoff.jittered"
    if (typeof jitter?.draw !== "function" || typeof jitter.interval !== "function") {
      return Argument.refuse(owner, "jitter", "made by Jitter, such as Jitter.full", jitter)
    }
    return fromTree(
      owner,
      BackoffTree.mapLeaves(treeOf(owner, "self", self), (leaf) =>
        leaf.curve.draws
          ? Argument.refuse(owner, "self", "a curve that does not draw by itself", leaf.curve.name)
          : { ...leaf, jitter }
      )
    )
  })
}

/**
 * Ends when the next attempt could not start before `duration` has passed: when elapsed time plus delay reach it.
 *
 * Time counts from the first attempt in our loop and from the first failure in a native schedule, even for a part that
 * begins later, such as the second of `andThen`; inside `resetAfter` it counts anew from the failure that starts over.
 * Never changes a delay. `within(a)` of `within(b)` is `within(min(a, b))`. In a policy, a hint that lengthens the wait
 * counts, and the tighter of this and the policy's deadline applies. A native driver reads the wall clock, our loop the
 * monotonic one.
 *
 * @category combinators
 */
export function within(duration: Duration.DurationInput): (self: Backoff) => Backoff
export function within(self: Backoff, duration: Duration.DurationInput): Backoff
export function within(...given: Given): any {
  return dual(given, (self: Backoff, duration: Duration.DurationInput): Backoff => {
    const owner = "Backoff.within"
    const withinMillis = Argument.millis(owner, "duration", duration, Bounds.deadline)
    return fromTree(owner, { _tag: "Within", self: treeOf(owner, "self", self), withinMillis })
  })
}

/**
 * Ends after `n` delays: an operation makes at most `n` retries.
 *
 * Inside `byKind` it counts all retries of the operation, of any kind; inside `resetAfter` it starts over. Never changes a
 * delay. `take(a)` of `take(b)` is `take(min(a, b))`.
 *
 * @category combinators
 */
export function take(n: number): (self: Backoff) => Backoff
export function take(self: Backoff, n: number): Backoff
export function take(...given: Given): any {
  return dual(given, (self: Backoff, n: number): Backoff => {
    const owner = "Backoff.take"
    const left = Argument.number(owner, "n", n, { min: 0, integer: true })
    return fromTree(owner, { _tag: "Take", self: treeOf(owner, "self", self), left })
  })
}

/**
 * Follows the first back-off to its end, then the second. Associative, with `fromDelays([])` as identity on both sides.
 *
 * If a `resetAfter` inside the first starts over, the first is followed again, and the second keeps its position.
 * `andThen(fromDelays([0]), self)` makes the first retry at once.
 *
 * @category combinators
 */
export function andThen(that: Backoff): (self: Backoff) => Backoff
export function andThen(self: Backoff, that: Backoff): Backoff
export function andThen(...given: Given): any {
  return dual(given, (self: Backoff, that: Backoff): Backoff => {
    const owner = "Backoff.andThen"
    return fromTree(owner, {
      _tag: "AndThen",
      first: treeOf(owner, "self", self),
      second: treeOf(owner, "that", that)
    })
  })
}

/**
 * Takes the longer delay of two back-offs; ends when either ends. Both see the same draw.
 *
 * Forms a distributive lattice with `min`, path by path; identity: `constant({ delay: 0 })`.
 *
 * @category combinators
 */
export function max(that: Backoff): (self: Backoff) => Backoff
export function max(self: Backoff, that: Backoff): Backoff
export function max(...given: Given): any {
  return dual(given, (self: Backoff, that: Backoff): Backoff => pair("Backoff.max", "Max", self, that))
}

/**
 * Takes the shorter delay of two back-offs; ends when both have ended. Both see the same draw.
 *
 * To bound delays use `capped`, which never changes when a back-off ends. Identity: `fromDelays([])`.
 *
 * @category combinators
 */
export function min(that: Backoff): (self: Backoff) => Backoff
export function min(self: Backoff, that: Backoff): Backoff
export function min(...given: Given): any {
  return dual(given, (self: Backoff, that: Backoff): Backoff => pair("Backoff.min", "Min", self, that))
}

/**
 * A back-off for each kind of failure, and one for all others.
 *
 * All of them advance with every retry, so an exponent counts the retries of the operation: a transient failure
 * followed by a throttling one waits the first delay of the one back-off and the second delay of the other. Ends when
 * the back-off for the current failure has ended. Native `Effect.retry` knows no kind and uses `orElse`.
 *
 * @category combinators
 */
export const byKind = (cases: { readonly [K in Kind]?: Backoff } & { readonly orElse: Backoff }): Backoff => {
  const owner = "Backoff.byKind"
  const { orElse, ...named } = cases
  const trees = Object.entries(named).map(([kind, backoff]) => [
    Argument.oneOf(owner, "case", kind, kinds),
    treeOf(owner, kind, backoff)
  ])
  return fromTree(owner, {
    _tag: "ByKind",
    cases: Object.fromEntries(trees),
    orElse: treeOf(owner, "orElse", orElse)
  })
}

/**
 * Starts over when an attempt ran for at least `inactivity` before it failed: a long-lived connection that is lost after
 * an hour is reconnected as if for the first time. Also restarts a back-off that has ended as a part of another.
 *
 * Time spent waiting does not count, so a delay longer than `inactivity` causes no reset.
 *
 * @category combinators
 */
export function resetAfter(inactivity: Duration.DurationInput): (self: Backoff) => Backoff
export function resetAfter(self: Backoff, inactivity: Duration.DurationInput): Backoff
export function resetAfter(...given: Given): any {
  return dual(given, (self: Backoff, inactivity: Duration.DurationInput): Backoff => {
    const owner = "Backoff.resetAfter"
    const tree = treeOf(owner, "self", self)
    const afterMillis = Argument.millis(owner, "inactivity", inactivity, { min: 1 })
    return fromTree(owner, { _tag: "ResetAfter", self: tree, initial: tree, afterMillis, sinceMillis: 0 })
  })
}

const treeOf = (owner: string, field: string, backoff: unknown): Tree =>
  isBackoff(backoff) ? backoff.tree : Argument.refuse(owner, field, "a back-off", backoff)

const pair = (owner: string, _tag: "Max" | "Min", self: Backoff, that: Backoff): Backoff =>
  fromTree(owner, { _tag, left: treeOf(owner, "self", self), right: treeOf(owner, "that", that) })

const leaf = (owner: string, curve: Curve<any>): Backoff =>
  fromTree(owner, { _tag: "Leaf", curve, state: curve.initial, capMillis: Infinity, jitter: Jitter.none, n: 1 })
