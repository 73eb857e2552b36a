/**
 * A circuit breaker: after too many failures no attempt is made for a while, then a few probes find out whether the server
 * is back.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { constFalse } from "effect/Function"
import * as Option from "effect/Option"
import * as PubSub from "effect/PubSub"
import * as Random from "effect/Random"
import type * as Scope from "effect/Scope"
import * as Untrusted from "../../accept/Untrusted.ts"
import * as Verdict from "../../classify/Verdict.ts"
import * as Circuit from "../count/Circuit.ts"
import * as Failures from "../count/Failures.ts"
import * as AtOnce from "../fiber/AtOnce.ts"
import * as Line from "../fiber/Line.ts"
import type { Arithmetic } from "../port/Arithmetic.ts"
import type { Grant, Outcome, Refusal, Request, TokenBucket } from "../port/Port.ts"
import * as Free from "../port/Free.ts"
import * as ShownCause from "../port/ShownCause.ts"
import * as Waiting from "../port/Waiting.ts"
import * as TokenStore from "../store/TokenStore.ts"
import type { Options, Settings, State } from "./CircuitSettings.ts"
import * as CircuitSettings from "./CircuitSettings.ts"

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

const owner = "CircuitBreaker.make"

const endingOf = (outcome: Outcome, { kinds, slowMillis }: Settings): Circuit.Ending => {
  if (outcome._tag === "Abandoned") return { _tag: "Ignored", hintMillis: 0 }
  const ranMillis = outcome.ran === undefined ? 0 : Duration.toMillis(outcome.ran)
  if (outcome._tag === "Succeeded") return answered(ranMillis, slowMillis)
  const { verdict } = outcome
  const kind = Option.getOrUndefined(Verdict.kindOf(verdict))
  const hintMillis =
    verdict._tag !== "NoOpinion" && Option.isSome(verdict.hint) ? Duration.toMillis(verdict.hint.value) : 0
  if (kind !== undefined && kinds.includes(kind)) return { _tag: "Failed", kind, hintMillis, ranMillis }
  // A mistake of the caller, or a failure that needs no retry, still shows that the server answers.
  const isAnswer = kind === "Client" || (kind === undefined && verdict._tag === "Terminal")
  return isAnswer ? answered(ranMillis, slowMillis) : { _tag: "Ignored", hintMillis }
}

/** The end of an attempt that the server has answered. */
const answered = (ranMillis: number, slowMillis: number): Circuit.Ending =>
  ranMillis > slowMillis ? { _tag: "Failed", kind: "Timeout", hintMillis: 0, ranMillis } : succeeded

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
export const make = (options: Options = {}): Effect.Effect<CircuitBreaker> =>
  Effect.map(parts(owner, options), ({ breaker }) => breaker)

/** A breaker, and the access to its circuit that a breaker with a copy elsewhere needs. */
export interface Parts {
  readonly breaker: CircuitBreaker
  readonly settings: Circuit.Settings
  /** The circuit now. */
  readonly circuit: Effect.Effect<Circuit.Circuit>
  /** Whether a probe with this grant still counts. */
  readonly holds: (granted: Grant) => Effect.Effect<boolean>
  readonly look: <A>(f: (circuit: Circuit.Circuit, nowMillis: number) => A) => Effect.Effect<A>
  readonly change: (f: (circuit: Circuit.Circuit, nowMillis: number) => Circuit.Circuit) => Effect.Effect<void>
}

/** Makes the breaker of the constructor `owner`, and gives access to its circuit. */
export const parts = (owner: string, options: Options): Effect.Effect<Parts> => {
  const checked = CircuitSettings.check(owner, options)
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
    const look: Parts["look"] = (f) => store.look(({ circuit }, now) => f(circuit, now))
    const change: Parts["change"] = (f) =>
      store.change((held, now) => circuits.moved(held, f(held.circuit, now), now))()
    const maxWaitMillis = Option.getOrElse(maxWait, () => 0)
    const breaker = breakerOf({ settings, circuits, store, states, maxWaitMillis, look, change })
    const circuit = Effect.map(store.latest, ({ state }) => state.tokens.circuit)
    const holds: Parts["holds"] = (granted) =>
      Effect.map(circuit, (circuit) => "ticket" in granted && Circuit.holds(circuit, Number(granted.ticket)))
    return { breaker, settings, circuit, holds, look, change }
  })
}

/** What a breaker is made of. */
interface Made extends Pick<Parts, "look" | "change"> {
  readonly settings: Settings
  readonly circuits: Circuits
  readonly store: TokenStore.TokenStore<Held>
  readonly states: PubSub.PubSub<State>
  readonly maxWaitMillis: number
}

const breakerOf = ({ change, circuits, look, maxWaitMillis, settings, states, store }: Made): CircuitBreaker => {
  const isPass = (granted: Grant): granted is Pass => "breaker" in granted && granted.breaker === settings
  const isTimeless = Failures.readsTime(settings.rule) ? constFalse : isClosed
  const end = (ticket: number, ending: Circuit.Ending): Effect.Effect<void> => {
    let isDrawn = true
    const ignoresTime = ending._tag === "Succeeded" ? isTimeless : ending._tag === "Ignored" ? isClosed : constFalse
    const record = store.change((held, now, u: number | undefined) => {
      const after = Circuit.recorded(held.circuit, settings, now, ticket, ending, u)
      isDrawn = after !== Circuit.needsDraw
      return after === Circuit.needsDraw ? held : circuits.moved(held, after, now)
    }, ignoresTime)
    // Only a failure opens the circuit, and draws.
    if (ending._tag !== "Failed" || !settings.draws) return record(undefined)
    return AtOnce.suspend(() =>
      AtOnce.andThen(record(undefined), () => (isDrawn ? Effect.void : Effect.flatMap(Random.next, record)))
    )
  }
  /** Most attempts succeed while no failure is counted, and change nothing. */
  const succeed = (ticket: number): Effect.Effect<void> => {
    const changed = end(ticket, succeeded)
    return AtOnce.suspend(() => {
      const latest = AtOnce.value(store.latest)
      return latest !== undefined && Circuit.ignoresSuccess(latest.state.tokens.circuit, ticket) ? Effect.void : changed
    })
  }
  const refusal = look((circuit, now) => refusalOf(circuit, settings, now))
  const refusing = (answer: Option.Option<Grant>, { refused }: Request) =>
    Option.isSome(answer) || refused === undefined
      ? Effect.succeed(answer)
      : AtOnce.andThen(refusal, (refusal) => {
          refused(refusal)
          return Effect.succeed(answer)
        })
  const free = () => AtOnce.value(store.latest)?.state.tokens.pass ?? Option.none()
  return {
    // A circuit that is not closed does not grant within this step: by then the operation is ready to report an interrupted
    // probe.
    acquire: Free.orElse(free, (request) =>
      Effect.suspend(() => Effect.flatMap(store.acquire(request), (answer) => refusing(answer, request)))
    ),
    record: (outcome) => {
      const { granted } = outcome
      if (!isPass(granted)) return Effect.void
      const ending = endingOf(outcome, settings)
      return ending === succeeded ? (granted.succeeded ??= succeed(granted.ticket)) : end(granted.ticket, ending)
    },
    level: store.level,
    // A probe may end at any time, so a half-open circuit predicts no refusal.
    refusalAfter: (delay) =>
      look((circuit, now) => {
        const leftMillis = Circuit.millisUntil(circuit, settings, now) - Duration.toMillis(delay)
        const isRefused = circuit._tag === "Isolated" || (circuit._tag === "Open" && leftMillis > maxWaitMillis)
        return isRefused ? Option.some(refusalOf(circuit, settings, now)) : Option.none()
      }),
    timed: settings.slowMillis !== Infinity,
    state: look((circuit, now) => stateOf(circuit, settings, now)),
    isolate: change(Circuit.isolated),
    reset: change((circuit, now) => Circuit.reset(circuit, settings, now)),
    subscribe: PubSub.subscribe(states)
  }
}
