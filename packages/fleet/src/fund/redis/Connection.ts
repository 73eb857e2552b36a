/**
 * The store's own connection, kept open for as long as a scope without ever blocking calls.
 *
 * The client library opens it and reports when it closes. This module decides when to reopen it, in the same way for
 * both libraries and with jitter, so that the processes of a fleet do not return all at once. Meanwhile calls fail:
 * none is queued or sent again.
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

/** What the client library provides. */
export interface Link {
  readonly client: RedisClient
  /** Opens the connection, until commands can be sent. */
  readonly open: () => Promise<unknown>
  /** Ends the connection, or its opening, at once and for good. Does nothing if there is none. */
  readonly close: () => void
  readonly listen: (listeners: { readonly onError: (error: unknown) => void; readonly onClosed: () => void }) => void
}

/** A client on a connection that is reopened when it closes, and the callback that it needs. */
export interface Kept {
  readonly client: RedisClient
  readonly watch: Watch
}

/** The longest time allowed for an opening, after any number of unanswered openings: the timeout of node-redis. */
const longestOpenMillis = 5000

/** A connection, or its opening, is ended after this many call timeouts in a row without an answer. */
const longestSilence = 3

const backoff = /*#__PURE__*/ Backoff.exponential({ base: "50 millis" }).pipe(
  Backoff.capped("1 second"),
  Backoff.jittered(Jitter.full),
  Backoff.resetAfter("10 seconds")
)

/**
 * Opens a connection and keeps it open. Returns when the first opening has ended, successful or not, and at the latest after
 * `withinMillis`: without a server the store exists all the same, and every call fails with the reason.
 *
 * A connection without an answer for three call timeouts (as in a network partition, which ends no connection) is
 * closed and reopened, and so is one to a server that became a replica. An opening may also take three call timeouts;
 * that time doubles after each unanswered opening in a row, up to 5 seconds, or to the timeout of one call if that is
 * longer. So the last opening before the server is back begins in the second half of its absence at the earliest, and a
 * server that always takes longer than three timeouts to accept a client is reached too.
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
  /** The library's latest error, unless the connection is open. */
  failure: { readonly thrown: unknown } | undefined
  onClosed: () => void
  /** The time limit of the next opening. */
  openMillis: number
  /** How many call timeouts have passed without an answer: since the latest answer, and in all. */
  silence: number
  periods: number
}

/** The life of a connection, from its opening to its end. */
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

/** Explains why there is no connection, if the library itself says only that there is none. */
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
