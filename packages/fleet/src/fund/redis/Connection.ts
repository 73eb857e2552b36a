/**
 * A connection of our own: kept open for as long as a scope, and never in the way of the calls.
 *
 * The client library opens it and says when it is closed. When to open it again is decided here, for both libraries alike
 * and with jitter, so the processes of a fleet do not come back all at once. Meanwhile calls fail: none is queued, none is
 * sent again.
 */
import * as Backoff from "@effect-retry/core/Backoff"
import * as Jitter from "@effect-retry/core/Jitter"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as RedisFailure from "../../classify/RedisFailure.ts"
import * as Bounded from "../store/Bounded.ts"
import type { RedisClient } from "./RedisClient.ts"
import type { Watch } from "./ScriptCalls.ts"

/** What the library of a client does for it. */
export interface Link {
  readonly client: RedisClient
  /** Opens the connection, until commands can be sent. */
  readonly open: () => Promise<unknown>
  /** Ends the connection, or the opening of it, at once and for good. Does nothing where there is none. */
  readonly close: () => void
  readonly listen: (listeners: { readonly onError: (error: unknown) => void; readonly onClosed: () => void }) => void
}

/** A client by a connection that is opened again when it is closed, and what it has to be told. */
export interface Kept {
  readonly client: RedisClient
  readonly watch: Watch
}

/** The longest time until commands can be sent, after any number of openings without an answer: the timeout of node-redis. */
const longestOpenMillis = 5000

/** A connection, or its opening, ends after this many bounds of calls in a row without an answer. */
const longestSilence = 3

const backoff = /*#__PURE__*/ Backoff.exponential({ base: "50 millis" }).pipe(
  Backoff.capped("1 second"),
  Backoff.jittered(Jitter.full),
  Backoff.resetAfter("10 seconds")
)

/**
 * Opens a connection and keeps it open. Answers when the first opening has ended, well or not, and at the latest after
 * `withinMillis`: without a server there is a store all the same, and every call says why it fails.
 *
 * A connection without an answer for three bounds of calls (a partition of the network, which ends no connection) is
 * closed and opened again, and so is one to a server that became a replica. An opening has three bounds of calls as well.
 * That time doubles after each opening in a row without an answer, up to 5 seconds, or to the bound of one call if that
 * is longer. So the last opening before the server is back begins no earlier than in the second half of its absence, and
 * a server that always takes longer than three bounds to accept a client is reached too.
 */
export const keep = (make: () => Link, withinMillis: number): Effect.Effect<Kept, never, Scope.Scope> =>
  Effect.gen(function* () {
    const link = yield* Effect.acquireRelease(Effect.sync(make), ({ close }) => Effect.sync(close))
    const longestMillis = Math.max(longestOpenMillis, withinMillis)
    const openMillis = Math.min(longestMillis, longestSilence * withinMillis)
    const state: State = { failure: undefined, onClosed: () => {}, openMillis, silence: 0, periods: 0 }
    link.listen({
      onError: (error) => {
        state.failure = { thrown: error }
      },
      onClosed: () => state.onClosed()
    })
    const isTried = yield* Deferred.make<void>()
    yield* Effect.forkScoped(Effect.interruptible(Effect.retry(life(link, state, openMillis, isTried), backoff)))
    yield* Effect.timeoutOption(Deferred.await(isTried), withinMillis)
    return { client: explained(link, state), watch: watch(link, state) }
  })

interface State {
  /** What the library said last, unless the connection is open. */
  failure: { readonly thrown: unknown } | undefined
  onClosed: () => void
  /** The longest time of the next opening. */
  openMillis: number
  /** Bounds that have passed without an answer to a call sent in them: since the latest answer, and in all. */
  silence: number
  periods: number
}

/** From the opening of a connection to its end. */
const life = (
  link: Link,
  state: State,
  firstMillis: number,
  isTried: Deferred.Deferred<void>
): Effect.Effect<never, "closed"> =>
  Effect.gen(function* () {
    const closed = yield* Deferred.make<never, "closed">()
    state.onClosed = () => Deferred.unsafeDone(closed, Effect.fail("closed"))
    yield* Effect.ensuring(open(link, state, firstMillis), Deferred.succeed(isTried, undefined))
    return yield* Deferred.await(closed)
  })

const open = (link: Link, state: State, firstMillis: number): Effect.Effect<void, "closed"> =>
  Bounded.call<void, "closed">({
    withinMillis: state.openMillis,
    send: link.open,
    onAnswer: () => {
      state.failure = undefined
      state.openMillis = firstMillis
      return Effect.void
    },
    onThrown: (thrown) => {
      state.failure ??= { thrown }
      return Effect.fail("closed")
    },
    onTimeout: () => {
      state.openMillis = Math.min(Math.max(longestOpenMillis, state.openMillis), 2 * state.openMillis)
      link.close()
      return Effect.fail("closed")
    }
  })

/** Says why there is no connection, where the library itself says only that there is none. */
const explained = ({ client, close }: Link, state: State): RedisClient => {
  const onThrown = (thrown: unknown): never => {
    const { code, reason } = RedisFailure.fromUnknown(thrown)
    if (code === "READONLY") close()
    throw reason === "Unavailable" && code === "" && state.failure !== undefined ? state.failure.thrown : thrown
  }
  return {
    evalsha: (sha, key, args) => client.evalsha(sha, key, args).catch(onThrown),
    eval: (script, key, args) => client.eval(script, key, args).catch(onThrown)
  }
}

const watch =
  ({ close }: Link, state: State): Watch =>
  () => {
    const period = state.periods
    return (isAnswered) => {
      if (isAnswered) state.silence = 0
      else if (period === state.periods) {
        state.periods += 1
        state.silence += 1
        if (state.silence % longestSilence === 0) close()
      }
    }
  }
