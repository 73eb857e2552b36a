/**
 * A circuit breaker whose state a fleet shares.
 *
 * Every process has the breaker of `CircuitBreaker.make`, and the store holds the state of the circuit as a text. A process
 * makes a change in memory, and asks the store to replace the text that it knew. If another process has changed the text
 * meanwhile, the process takes over the new text, and makes its change again. Each process counts the attempts of a closed
 * circuit for itself: they change no text.
 */
import * as Backoff from "@effect-retry/core/Backoff"
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as AtOnce from "@effect-retry/core/unstable/AtOnce"
import * as Circuit from "@effect-retry/core/unstable/Circuit"
import * as CircuitBreaker from "@effect-retry/core/unstable/CircuitBreaker"
import * as CircuitSettings from "@effect-retry/core/unstable/CircuitSettings"
import { longestTimerMillis } from "@effect-retry/core/unstable/Millis"
import * as MonotonicTime from "@effect-retry/core/unstable/MonotonicTime"
import { type Grant, Key, type Request } from "@effect-retry/core/TokenBucket"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as BucketKey from "../../accept/BucketKey.ts"
import * as CircuitText from "../../decide/CircuitText.ts"
import * as Fleet from "../fleet/FleetBucket.ts"
import * as Outages from "../fleet/Outages.ts"
import * as Background from "../store/Background.ts"
import type { Store, Swapped } from "../store/Store.ts"

/**
 * The options of a shared circuit: those of `CircuitBreaker.make`, without waiting.
 *
 * @category models
 */
export interface Options extends Omit<CircuitSettings.Options, "whenShort" | "maxWait"> {
  /** The largest number of probes of the whole fleet under way at once, at most 1000. @default 1 */
  readonly probes?: number
  /** Names the circuit: processes that use the same name in the same store share it. Not empty. */
  readonly name: string
  /**
   * How old the state may be that a process knows: an attempt reads the store first if the latest call was longer ago. With
   * zero every attempt reads it.
   * @default "1 second"
   */
  readonly refreshAfter?: Duration.DurationInput
}

const known: Argument.Known<Options> = { name: true, refreshAfter: false, ...CircuitSettings.known }

/**
 * The circuit breaker that `RedisBucket.circuitBreaker` describes, over any store.
 *
 * @category constructors
 */
export const circuitBreaker = (
  owner: string,
  options: Options
): ((fleet: Pick<Fleet.FleetStore<unknown>, "store">) => Effect.Effect<CircuitBreaker.CircuitBreaker>) => {
  const { name, refreshAfter = "1 second", ...own } = Argument.options(owner, '{ name: "payments" }', options, known)
  Fleet.checkName(owner, name)
  const refreshMillis = Argument.millis(owner, "refreshAfter", refreshAfter, { min: 0, max: longestTimerMillis })
  Argument.number(owner, "probes", own.probes ?? 1, { min: 1, max: CircuitText.mostProbes, integer: true })
  const made = CircuitBreaker.parts(owner, own)
  checkTimes(owner, own)
  return ({ store }) =>
    Effect.gen(function* () {
      const key = yield* Key
      const parts = yield* made
      const bucketKey = BucketKey.make(name, key === "" ? undefined : key)
      yield* startTickets(parts)
      const shared = sharing(parts, { store, name, bucketKey, refreshMillis }, yield* parts.circuit)
      yield* shared.refreshed
      return breakerOf(parts, shared)
    })
}

/** Times that a text can hold. Those of a `Backoff` after its first are cut to the longest one. */
const checkTimes = (owner: string, { maxHint, openFor, probeTimeout }: CircuitSettings.Options): void => {
  const range = { min: 0, max: CircuitText.longestMillis }
  const first = Backoff.isBackoff(openFor) ? CircuitText.stepOf(openFor.tree)?.delayMillis : openFor
  for (const [field, time] of Object.entries({ openFor: first, maxHint, probeTimeout })) {
    if (time !== undefined) Argument.millis(owner, field, time, range)
  }
}

/** Makes tickets unlike those of other processes, but for a probability of one in four billion. */
const startTickets = ({ change, settings }: CircuitBreaker.Parts): Effect.Effect<void> =>
  Effect.flatMap(Random.nextIntBetween(0, 2 ** 32), (word) =>
    change((_, nowMillis) => Circuit.closed(settings, nowMillis, word * 2 ** 20))
  )

/** Where a circuit is kept. */
interface Place {
  readonly store: Store<unknown>
  readonly name: string
  readonly bucketKey: string
  readonly refreshMillis: number
}

interface Sharing {
  /** Reads the store if it was last asked too long ago. */
  readonly refreshed: Effect.Effect<void>
  readonly isFresh: () => boolean
  /** Makes a change in memory, and repeats it until the store has it or is away. */
  readonly shared: (change: Effect.Effect<void>) => Effect.Effect<void>
  /** Whether the store does not have the circuit of this process. */
  readonly isChanged: Effect.Effect<boolean>
}

/** A circuit that is sent to the store. Without `kept` the store is only read. */
interface Sent {
  readonly circuit: Circuit.Circuit
  readonly kept: CircuitText.Kept | undefined
}

/** The least time between two calls while the store is away. */
const leastAwayMillis = 1000

/** After so many calls a change stays in memory: other processes were always faster, or the store keeps nothing. */
const mostRounds = 16

const sharing = (
  { change, circuit, look, settings }: CircuitBreaker.Parts,
  { bucketKey, name, refreshMillis, store }: Place,
  initial: Circuit.Circuit
): Sharing => {
  const read = MonotonicTime.makeReader()
  const lock = Effect.unsafeMakeSemaphore(1)
  /** How many attempts and changes wait for the end of a call of the store. */
  let waiting = 0
  const waited = Effect.sync(() => void (waiting -= 1))
  let isAway = false
  let askedMillis = -Infinity
  let offsetMillis: number | undefined
  /** The text in the latest answer of the store, and the circuit that it stands for. */
  let text = ""
  let stored = initial
  /**
   * A change that the store has not answered: a frozen store may still carry it out. It is sent again before later changes, so
   * that it is not taken for a change of another process.
   */
  let unanswered: Sent | undefined
  const nowMillis = () => read(MonotonicTime.currentClock())
  const differs = (circuit: Circuit.Circuit) =>
    circuit !== stored && !(circuit._tag === "Closed" && stored._tag === "Closed" && circuit.ticket === stored.ticket)
  const isChanged = Effect.map(circuit, differs)

  const adopted = (answer: string, offset: number) =>
    change((local, now) => {
      // The store forgets the text of a closed circuit after a while, which does not change the circuit.
      const isSame = answer === text || (answer === "" && CircuitText.isClosed(text) && !differs(local))
      text = answer
      if (isSame) return local
      stored = CircuitText.decode(answer, local, settings, now, offset)
      return stored
    })

  const current = look((circuit, now): Sent => {
    if (offsetMillis === undefined || !differs(circuit)) return { circuit, kept: undefined }
    return { circuit, kept: CircuitText.encode(circuit, now, offsetMillis) }
  })

  /** Asks the store once: sends a change, or reads if there is none. Returns whether another process was faster. */
  const ask: Effect.Effect<boolean> = Effect.gen(function* () {
    askedMillis = nowMillis()
    const sent = unanswered ?? (yield* current)
    const next = sent.kept?.text ?? text
    const call = () => store.swap(bucketKey, text, next, sent.kept?.forMillis ?? 0)
    const exit: Exit.Exit<Swapped, unknown> = yield* Effect.exit(Effect.suspend(call))
    yield* Outages.note(store, name, exit)
    isAway = Exit.isFailure(exit)
    unanswered = isAway && sent.kept !== undefined ? sent : undefined
    if (Exit.isFailure(exit)) return false
    const offset = exit.value.nowMillis - nowMillis()
    offsetMillis = offset
    const isOvertaken = exit.value.text !== next
    if (isOvertaken) yield* adopted(exit.value.text, offset)
    else if (sent.kept !== undefined) {
      text = next
      stored = sent.circuit
    }
    return isOvertaken
  })

  const isFresh = () => nowMillis() - askedMillis < (isAway ? Math.max(refreshMillis, leastAwayMillis) : refreshMillis)
  const locked = (self: Effect.Effect<void>) =>
    Effect.uninterruptible(
      Effect.suspend(() => {
        waiting += 1
        return lock.withPermits(1)(Effect.zipRight(waited, self))
      })
    )

  /** Sends a change until the store has it or is away. Makes it again whenever another process was faster. */
  const send = (changed: Effect.Effect<void>, rounds = mostRounds): Effect.Effect<void> =>
    Effect.flatMap(isChanged, (isChanged) => {
      if (!isChanged || isAway || rounds === 0) return Effect.void
      return Effect.flatMap(ask, (isOvertaken) =>
        isOvertaken ? Effect.zipRight(changed, send(changed, rounds - 1)) : send(changed, rounds - 1)
      )
    })
  const shared = (changed: Effect.Effect<void>) =>
    // While the store is away, a change does not wait: the next call in the background sends it once the store is back.
    Effect.suspend(() => (isAway ? Effect.uninterruptible(changed) : locked(Effect.zipRight(changed, send(changed)))))
  const refreshed = Effect.suspend(() => {
    if (isFresh()) return Effect.void
    const seen = { askedMillis, isAway }
    // After a wait for the call of another attempt, the answer is known, or that there is none.
    const isAsked = () => askedMillis !== seen.askedMillis || isAway !== seen.isAway
    const once = locked(Effect.suspend(() => (isAsked() ? Effect.void : Effect.zipRight(ask, send(Effect.void)))))
    if (!isAway) return once
    // A call in the background begins only if nothing waits for an earlier call.
    return waiting > 0 ? Effect.void : Effect.asVoid(Background.begin(once))
  })
  return { refreshed, isFresh, shared, isChanged }
}

const breakerOf = (
  { breaker, holds }: CircuitBreaker.Parts,
  { isChanged, isFresh, refreshed, shared }: Sharing
): CircuitBreaker.CircuitBreaker => {
  const refunding = (granted: Grant): Grant => ({ ...granted, refund: shared(granted.refund) })
  const isProbe = ({ hearsAbandoned }: Grant) => hearsAbandoned === true
  const decide = (request: Request): Effect.Effect<Option.Option<Grant>> =>
    AtOnce.andThen(breaker.acquire(request), (answer) =>
      Option.isSome(answer) && isProbe(answer.value) ? confirm(request, answer.value) : Exit.succeed(answer)
    )
  /** Lets a probe go once the store has it or is away. If another process was faster, the circuit decides again. */
  const confirm = (request: Request, granted: Grant): Effect.Effect<Option.Option<Grant>> =>
    Effect.flatMap(Effect.zipRight(shared(Effect.void), holds(granted)), (isHeld) =>
      isHeld ? Effect.succeed(Option.some(refunding(granted))) : decide(request)
    )
  return {
    ...breaker,
    acquire: (request) =>
      AtOnce.suspend(() => (isFresh() ? decide(request) : Effect.flatMap(refreshed, () => decide(request)))),
    record: (outcome) => {
      const record = breaker.record(outcome)
      if (isProbe(outcome.granted)) return shared(record)
      return Effect.flatMap(Effect.zipRight(record, isChanged), (isChanged) =>
        isChanged ? shared(Effect.void) : Effect.void
      )
    },
    state: Effect.zipRight(refreshed, breaker.state),
    isolate: shared(breaker.isolate),
    reset: shared(breaker.reset)
  }
}
