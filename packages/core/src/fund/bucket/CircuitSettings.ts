/**
 * The states of a circuit breaker, its options, and their checks.
 */
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Argument from "../../accept/Argument.ts"
import type { Kind } from "../../classify/Verdict.ts"
import * as Verdict from "../../classify/Verdict.ts"
import * as Backoff from "../../decide/Backoff.ts"
import * as BackoffTree from "../../decide/BackoffTree.ts"
import * as Jitter from "../../decide/Jitter.ts"
import type * as Circuit from "../count/Circuit.ts"
import type * as Failures from "../count/Failures.ts"
import type * as Waiting from "../port/Waiting.ts"

/**
 * The state of a circuit breaker, which decides what it does with attempts.
 *
 * @category models
 */
export type State =
  /** Lets all attempts through, and counts those that fail. */
  | { readonly _tag: "Closed" }
  /** Refuses all attempts for the time in `retryAfter`. */
  | { readonly _tag: "Open"; readonly retryAfter: Duration.Duration }
  /** Lets a few attempts through as probes; `probes` is the number of them under way. */
  | { readonly _tag: "HalfOpen"; readonly probes: number }
  /** Refuses all attempts until it is reset. */
  | { readonly _tag: "Isolated" }

/** The options of `make`. */
export interface Options extends Waiting.Options {
  /**
   * How many failures open the circuit: a number of `consecutive` failures; a `ratio` of the `last` attempts (at most
   * 10000); or a `ratio` of the attempts in a `window` (at least 1 second), once there are `atLeast` of them. A ratio
   * is in (0, 1], and an equal share reaches it.
   *
   * @default { consecutive: 5 }; `atLeast` of `last` is `last`, that of a `window` is 20
   */
  readonly opensAt?:
    | { readonly consecutive: number }
    | { readonly ratio: number; readonly last: number; readonly atLeast?: number }
    | { readonly ratio: number; readonly window: Duration.DurationInput; readonly atLeast?: number }
  /** The kinds of failures that count. @default ["Server", "Timeout", "Transient"] */
  readonly kinds?: ReadonlyArray<Kind>
  /** An attempt that is answered but took longer than this counts as a failure. @default no limit */
  readonly slowerThan?: Duration.DurationInput
  /**
   * How long the circuit stays open: a fixed time, or a `Backoff` for growing times. A `Backoff` starts over once the
   * circuit has stayed closed for as long as it was last open.
   *
   * @default 10 to 15 seconds, at random
   */
  readonly openFor?: Duration.DurationInput | Backoff.Backoff
  /** The longest hint of the server that is followed; longer ones are cut to this. @default 1 hour */
  readonly maxHint?: Duration.DurationInput
  /** The largest number of probes under way at once while the circuit is half open. @default 1 */
  readonly probes?: number
  /** How many probes must succeed, one after the other or together, before the circuit closes. @default 1 */
  readonly successes?: number
  /**
   * A probe that has not ended after this long no longer counts, and another one may take its place.
   * @default the open time, at least 30 seconds
   */
  readonly probeTimeout?: Duration.DurationInput
  /** What happens to an attempt while the circuit is not closed: it is refused, or waits for its turn. @default "refuse" */
  readonly whenShort?: "refuse" | "wait"
  /** Called with the state after each change. Runs in its own fiber: no operation waits for it. */
  readonly onChange?: ((state: State) => Effect.Effect<void>) | undefined
}

const standardKinds: ReadonlyArray<Kind> = ["Server", "Timeout", "Transient"]

const mostRemembered = 10_000

const ruleOf = (owner: string, { opensAt = { consecutive: 5 } }: Options): Failures.Rule => {
  const whole = (field: string, value: number, max = Infinity) =>
    Argument.number(owner, field, value, { min: 1, max, integer: true })
  const only = (...known: ReadonlyArray<string>) =>
    Argument.fields(owner, opensAt, known, "fields of such a record", { path: "opensAt." })
  if (!Predicate.isRecord(opensAt)) return Argument.refuse(owner, "opensAt", "a record of numbers", opensAt)
  if ("consecutive" in opensAt) {
    only("consecutive")
    return { _tag: "Consecutive", failures: whole("opensAt.consecutive", opensAt.consecutive) }
  }
  const ratio = Argument.number(owner, "opensAt.ratio", opensAt.ratio, { min: 0, max: 1, exclusive: true })
  if ("window" in opensAt) {
    only("ratio", "window", "atLeast")
    const windowMillis = Argument.millis(owner, "opensAt.window", opensAt.window, { min: 1000 })
    return { _tag: "Window", ratio, windowMillis, atLeast: whole("opensAt.atLeast", opensAt.atLeast ?? 20) }
  }
  only("ratio", "last", "atLeast")
  const attempts = whole("opensAt.last", opensAt.last, mostRemembered)
  return { _tag: "Last", ratio, attempts, atLeast: whole("opensAt.atLeast", opensAt.atLeast ?? attempts, attempts) }
}

const standardOpenFor = (): Backoff.Backoff =>
  Backoff.jittered(Backoff.constant({ delay: "10 seconds" }), Jitter.additive({ max: "5 seconds" }))

const openForOf = (owner: string, { openFor = standardOpenFor() }: Options): Backoff.Backoff => {
  if (Backoff.isBackoff(openFor)) {
    const first = BackoffTree.step(openFor.tree, { u: 0, kind: undefined, ranMillis: 0, elapsedMillis: 0 })
    return first === undefined ? Argument.refuse(owner, "openFor", "a Backoff with a delay at least", openFor) : openFor
  }
  return Backoff.constant({ delay: Argument.millis(owner, "openFor", openFor, { min: 1 }) })
}

/** The checked options. */
export interface Settings extends Circuit.Settings {
  readonly kinds: ReadonlyArray<Kind>
  readonly slowMillis: number
}

/** The options of every circuit breaker; one in this process may also wait. */
export const known = {
  opensAt: false,
  kinds: false,
  slowerThan: false,
  openFor: false,
  maxHint: false,
  probes: false,
  successes: false,
  probeTimeout: false,
  onChange: false
} as const

/** Checks the options of the constructor `owner`. */
export const check = (owner: string, given: Options): Settings => {
  const options = Argument.options(owner, "{ opensAt: { consecutive: 5 } }", given, {
    ...known,
    whenShort: false,
    maxWait: false
  })
  const kinds = options.kinds ?? standardKinds
  if (!Array.isArray(kinds)) Argument.refuse(owner, "kinds", "an array of kinds", kinds)
  for (const kind of kinds) Argument.oneOf(owner, "kinds", kind, Verdict.kinds)
  const { onChange } = options
  if (onChange !== undefined && !Predicate.isFunction(onChange)) {
    Argument.refuse(owner, "onChange", "a function from a state to an effect", onChange)
  }
  const { draws, tree } = openForOf(owner, options)
  const count = (field: "probes" | "successes") =>
    Argument.number(owner, field, options[field] ?? 1, { min: 1, integer: true })
  const millis = (field: "maxHint" | "probeTimeout" | "slowerThan", value: Duration.DurationInput) =>
    Argument.millis(owner, field, value, { min: 1 })
  return {
    rule: ruleOf(owner, options),
    openFor: tree,
    draws,
    maxHintMillis: millis("maxHint", options.maxHint ?? "1 hour"),
    atOnce: count("probes"),
    successes: count("successes"),
    leaseMillis: options.probeTimeout === undefined ? undefined : millis("probeTimeout", options.probeTimeout),
    kinds: [...kinds],
    slowMillis: options.slowerThan === undefined ? Infinity : millis("slowerThan", options.slowerThan)
  }
}
