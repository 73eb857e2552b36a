/**
 * A circuit breaker: after too many failures no attempt is made for a while, then a few probes find out whether the server
 * is back.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as PubSub from "effect/PubSub"
import * as Random from "effect/Random"
import type * as Scope from "effect/Scope"
import * as Argument from "../../accept/Argument.ts"
import * as Untrusted from "../../accept/Untrusted.ts"
import type { Kind } from "../../classify/Verdict.ts"
import * as Verdict from "../../classify/Verdict.ts"
import * as Backoff from "../../decide/Backoff.ts"
import * as BackoffTree from "../../decide/BackoffTree.ts"
import * as Jitter from "../../decide/Jitter.ts"
import * as Circuit from "../count/Circuit.ts"
import * as Failures from "../count/Failures.ts"
import * as AtOnce from "../fiber/AtOnce.ts"
import * as Line from "../fiber/Line.ts"
import type { Arithmetic } from "../port/Arithmetic.ts"
import type { Grant, Outcome, Refusal, Request, TokenBucket } from "../port/Port.ts"
import * as ShownCause from "../port/ShownCause.ts"
import * as Waiting from "../port/Waiting.ts"
import * as TokenStore from "../store/TokenStore.ts"

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

/**
 * A circuit breaker, which is a `TokenBucket` for a policy's `rateLimiter`.
 *
 * @category models
 */
export interface CircuitBreaker extends TokenBucket {
  /** The state now. A circuit whose open time is over is half open, even before its first probe. */
  readonly state: Effect.Effect<State>
  /** Refuses all attempts from now on, waiting ones included. Attempts under way continue, but no longer count. */
  readonly isolate: Effect.Effect<void>
  /** Resets the circuit to a new one: closed, with no failures counted. */
  readonly reset: Effect.Effect<void>
  /** Subscribes to the states after each change, in order; `changes` turns it into a stream. */
  readonly subscribe: Effect.Effect<Line.Subscription<State>, never, Scope.Scope>
}

/** The options of `make`. */
interface Options extends Waiting.Options {
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

const owner = "CircuitBreaker.make"

const standardKinds: ReadonlyArray<Kind> = ["Server", "Timeout", "Transient"]

const mostRemembered = 10_000

const ruleOf = ({ opensAt = { consecutive: 5 } }: Options): Failures.Rule => {
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

const openForOf = ({ openFor = standardOpenFor() }: Options): Backoff.Backoff => {
  if (Backoff.isBackoff(openFor)) {
    const first = BackoffTree.step(openFor.tree, { u: 0, kind: undefined, ranMillis: 0, elapsedMillis: 0 })
    return first === undefined ? Argument.refuse(owner, "openFor", "a Backoff with a delay at least", openFor) : openFor
  }
  return Backoff.constant({ delay: Argument.millis(owner, "openFor", openFor, { min: 1 }) })
}

interface Settings extends Circuit.Settings {
  readonly kinds: ReadonlyArray<Kind>
  readonly slowMillis: number
}

const check = (given: Options): Settings => {
  const options = Argument.options(owner, "{ opensAt: { consecutive: 5 } }", given)
  const kinds = options.kinds ?? standardKinds
  if (!Array.isArray(kinds)) Argument.refuse(owner, "kinds", "an array of kinds", kinds)
  for (const kind of kinds) Argument.oneOf(owner, "kinds", kind, Verdict.kinds)
  const { draws, tree } = openForOf(options)
  const count = (field: "probes" | "successes") =>
    Argument.number(owner, field, options[field] ?? 1, { min: 1, integer: true })
  const millis = (field: "maxHint" | "probeTimeout" | "slowerThan", value: Duration.DurationInput) =>
    Argument.millis(owner, field, value, { min: 1 })
  return {
    rule: ruleOf(options),
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

const endingOf = (outcome: Outcome, { kinds, slowMillis }: Settings): Circuit.Ending => {
  if (outcome._tag === "Abandoned") return { _tag: "Ignored", hintMillis: 0 }
  const ranMillis = outcome.ran === undefined ? 0 : Duration.toMillis(outcome.ran)
  const answered = (): Circuit.Ending =>
    ranMillis > slowMillis ? { _tag: "Failed", kind: "Timeout", hintMillis: 0, ranMillis } : succeeded
  if (outcome._tag === "Succeeded") return answered()
  const { verdict } = outcome
  const kind = Option.getOrUndefined(Verdict.kindOf(verdict))
  const hintMillis =
    verdict._tag !== "NoOpinion" && Option.isSome(verdict.hint) ? Duration.toMillis(verdict.hint.value) : 0
  if (kind !== undefined && kinds.includes(kind)) return { _tag: "Failed", kind, hintMillis, ranMillis }
  // A mistake of the caller, or a failure that needs no retry, still shows that the server answers.
  const isAnswer = kind === "Client" || (kind === undefined && verdict._tag === "Terminal")
  return isAnswer ? answered() : { _tag: "Ignored", hintMillis }
}

const succeeded: Circuit.Ending = { _tag: "Succeeded" }

/** What the store keeps. */
interface Held {
  readonly circuit: Circuit.Circuit
  /** Granted to every attempt while the circuit is closed. */
  readonly pass: Option.Option<Pass>
}

/** The grant of an attempt that the circuit lets through. */
interface Pass extends Grant {
  /** The breaker that has made it. */
  readonly breaker: Settings
  readonly ticket: number
  /** Records a success. Made at the first success, and shared by all attempts that hold the pass. */
  succeeded?: Effect.Effect<void>
}

const stateOf = (circuit: Circuit.Circuit, settings: Settings, nowMillis: number): State => {
  const { _tag } = circuit
  if (_tag === "Closed" || _tag === "Isolated") return { _tag }
  const untilMillis = Circuit.millisUntil(circuit, settings, nowMillis)
  if (_tag === "Open" && untilMillis > 0) return { _tag, retryAfter: Duration.millis(Math.ceil(untilMillis)) }
  return { _tag: "HalfOpen", probes: settings.atOnce - Circuit.places(circuit, settings, nowMillis) }
}

const refusalOf = (circuit: Circuit.Circuit, settings: Settings, nowMillis: number): Refusal => {
  const millis = Math.ceil(Circuit.millisUntil(circuit, settings, nowMillis))
  return {
    state: stateOf(circuit, settings, nowMillis)._tag,
    retryAfter: millis === Infinity ? Option.none() : Option.some(Duration.millis(millis))
  }
}

const never = () => false

const always = () => true

const isClosed = ({ circuit }: Held): boolean => circuit._tag === "Closed"

/** Publishes a change of state, in the step that makes it. */
type Changed = (state: State) => void

const arithmeticOf = (settings: Settings, changed: Changed): Circuits => {
  const granted = (ticket: number, refund: Effect.Effect<void>): Pass => ({
    tokens: 0,
    refund,
    hearsAbandoned: true,
    breaker: settings,
    ticket
  })
  const passOf = (ticket: number): Pass => ({ tokens: 0, refund: Effect.void, breaker: settings, ticket })
  const hold = (circuit: Circuit.Circuit): Held => ({
    circuit,
    pass: circuit._tag === "Closed" ? Option.some(passOf(circuit.ticket)) : Option.none()
  })
  const moved = (held: Held, circuit: Circuit.Circuit, nowMillis: number): Held => {
    const { circuit: before, pass } = held
    if (circuit === before) return held
    if (circuit._tag !== before._tag) changed(stateOf(circuit, settings, nowMillis))
    const isSame = circuit._tag === "Closed" && before._tag === "Closed" && circuit.ticket === before.ticket
    return isSame ? { circuit, pass } : hold(circuit)
  }
  return {
    moved,
    initial: (nowMillis) => hold(Circuit.closed(settings, nowMillis)),
    free: ({ pass }) => pass,
    isShut: ({ circuit }) => circuit._tag === "Isolated",
    granted,
    take: (held, now) => {
      const [ticket, after] = Circuit.asked(held.circuit, settings, now)
      return ticket === undefined ? undefined : [ticket, moved(held, after, now)]
    },
    put: (held, now, ticket) => moved(held, Circuit.refunded(held.circuit, ticket), now),
    millisUntil: ({ circuit }, now) => Circuit.millisUntil(circuit, settings, now),
    soonestMillis: ({ circuit }, now) =>
      circuit._tag === "HalfOpen" ? 0 : Circuit.millisUntil(circuit, settings, now),
    level: ({ circuit }, now) => Circuit.places(circuit, settings, now)
  }
}

interface Circuits extends Arithmetic<Held> {
  readonly moved: (held: Held, circuit: Circuit.Circuit, nowMillis: number) => Held
}

/**
 * A circuit breaker: too many failures open the circuit, and no attempt is made until the open time is over. Then the
 * circuit is half open: up to `probes` attempts at a time are let through, `successes` of them close the circuit, and one
 * failure opens it again.
 *
 * A policy asks its `rateLimiter` before every attempt, so attempts are counted, not operations. A success, a terminal
 * failure without a kind and a failure of kind `Client` count as answers of the server. A failure whose kind is not in
 * `kinds`, an unknown error, an interruption and a defect count neither way; a probe that ends like that gives its
 * place to the next attempt. Only a failure opens the circuit, and an outcome counts only in the state that let its
 * attempt through: later outcomes change nothing. If the failure that opens the circuit carries a hint, the open time
 * is at least that long.
 *
 * A refusal carries the state and when to ask again: see `refusal` of `Retry.AttemptRefused` and of the reasons of
 * `Retry.RetryStopped`. An operation whose next attempt would find the circuit still open stops before its back-off
 * instead of after it. A waiting attempt is served in its turn, and is refused as soon as the circuit opens for longer
 * than the attempt may wait. Its level is the number of attempts that would be let through. Draws from `Random` when it
 * opens, if `openFor` does. Sources of the defaults: five consecutive failures, Envoy's `consecutive_5xx`,
 * https://www.envoyproxy.io/docs/envoy/latest/intro/arch_overview/upstream/outlier, and Finagle's failure accrual,
 * https://twitter.github.io/finagle/guide/Clients.html, read 2026-11-24.
 *
 * @category constructors
 */
export const make = (options: Options = {}): Effect.Effect<CircuitBreaker> => {
  const checked = check(options)
  const maxWait = Waiting.check(owner, options, "refuse")
  const { onChange } = options
  return Effect.gen(function* () {
    // A copy for this breaker alone, because grants identify their breaker by it.
    const settings = { ...checked }
    const runner = yield* Line.runner
    const states = yield* PubSub.unbounded<State>()
    const changed: Changed = (state) => {
      Line.publish(states, state)
      if (onChange === undefined) return
      const told = Effect.catchAllCause(
        Effect.suspend(() => onChange(state)),
        (cause) => Effect.logWarning(`${owner}: onChange died`, ShownCause.of(cause, Untrusted.shown))
      )
      // Later: the effect must not see this step half done.
      Line.runLater(runner, told)
    }
    const circuits = arithmeticOf(settings, changed)
    const store = yield* TokenStore.make<Held>(circuits, maxWait)
    return breakerOf(
      settings,
      circuits,
      store,
      states,
      Option.getOrElse(maxWait, () => 0)
    )
  })
}

const breakerOf = (
  settings: Settings,
  { moved }: Circuits,
  store: TokenStore.TokenStore<Held>,
  states: PubSub.PubSub<State>,
  maxWaitMillis: number
): CircuitBreaker => {
  const isPass = (granted: Grant): granted is Pass => "breaker" in granted && granted.breaker === settings
  const isTimeless = Failures.readsTime(settings.rule) ? never : isClosed
  const end = (ticket: number, ending: Circuit.Ending): Effect.Effect<void> => {
    let isDrawn = true
    const ignoresTime = ending._tag === "Succeeded" ? isTimeless : ending._tag === "Ignored" ? isClosed : never
    const record = store.change((held, now, u: number | undefined) => {
      const after = Circuit.recorded(held.circuit, settings, now, ticket, ending, u)
      isDrawn = after !== Circuit.needsDraw
      return after === Circuit.needsDraw ? held : moved(held, after, now)
    }, ignoresTime)
    // Only a failure opens the circuit, and draws.
    if (ending._tag !== "Failed" || !settings.draws) return record(undefined)
    return AtOnce.suspend(() =>
      AtOnce.andThen(record(undefined), () => (isDrawn ? Effect.void : Effect.flatMap(Random.next, record)))
    )
  }
  const pass = store.look(({ pass }) => pass, always)
  const look = store.look(({ circuit }, now) => refusalOf(circuit, settings, now))
  const answered = (answer: Option.Option<Grant>, { refused }: Request) =>
    Option.isSome(answer) || refused === undefined
      ? Effect.succeed(answer)
      : AtOnce.andThen(look, (refusal) => {
          refused(refusal)
          return Effect.succeed(answer)
        })
  const change = (f: (circuit: Circuit.Circuit, nowMillis: number) => Circuit.Circuit) =>
    store.change((held, now) => moved(held, f(held.circuit, now), now))()
  return {
    // A circuit that is not closed does not grant within this step: by then the operation is ready to report an interrupted
    // probe.
    acquire: (request) =>
      AtOnce.suspend(() =>
        AtOnce.andThen(pass, (pass) =>
          Option.isSome(pass)
            ? Exit.succeed(pass)
            : Effect.suspend(() => Effect.flatMap(store.acquire(request), (answer) => answered(answer, request)))
        )
      ),
    record: (outcome) => {
      const { granted } = outcome
      if (!isPass(granted)) return Effect.void
      const ending = endingOf(outcome, settings)
      return ending === succeeded ? (granted.succeeded ??= end(granted.ticket, ending)) : end(granted.ticket, ending)
    },
    level: store.level,
    // A probe may end at any time, so a half-open circuit predicts no refusal.
    refusalAfter: (delay) =>
      store.look(({ circuit }, now) => {
        const leftMillis = Circuit.millisUntil(circuit, settings, now) - Duration.toMillis(delay)
        const isRefused = circuit._tag === "Isolated" || (circuit._tag === "Open" && leftMillis > maxWaitMillis)
        return isRefused ? Option.some(refusalOf(circuit, settings, now)) : Option.none()
      }),
    timed: settings.slowMillis !== Infinity,
    state: store.look(({ circuit }, now) => stateOf(circuit, settings, now)),
    isolate: change(Circuit.isolated),
    reset: change((circuit, now) => Circuit.reset(circuit, settings, now)),
    subscribe: PubSub.subscribe(states)
  }
}
