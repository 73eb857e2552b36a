/**
 * One retried call, watched from all sides: what the server saw, what the caller was told.
 */
import { type AttemptTimeout, type Backoff, Classifier, type Policy, Retry, Verdict } from "@effect-retry/core"
import { Clock, Effect, Option, Random } from "effect"
import type { CallFailed, Reply } from "./Client.ts"
import * as Client from "./Client.ts"
import type { Script } from "./Script.ts"
import type { Arrival, ScriptedServer } from "./Server.ts"

/**
 * How an operation ended.
 *
 * @category models
 */
export type Ending =
  | { readonly _tag: "Succeeded" }
  | { readonly _tag: "Stopped"; readonly reason: Retry.StopReason }
  /** All that a plain retry tells: its last error, or that somebody lost patience. */
  | { readonly _tag: "Failed"; readonly error: string }

/**
 * One attempt, as all three tell it.
 *
 * @category models
 */
export interface Attempt {
  readonly startedMillis: number
  /** As the server saw it, if it reached it. */
  readonly seen: Arrival | undefined
  /** As the toolkit told of it, if it failed. A plain retry tells of none. */
  readonly told: Retry.FailedAttempt<unknown> | undefined
}

/**
 * An operation and its attempts. Times count from the start of the first attempt.
 *
 * @category models
 */
export interface Run {
  readonly name: string
  readonly attempts: ReadonlyArray<Attempt>
  /** All that the server saw. */
  readonly arrivals: ReadonlyArray<Arrival>
  readonly elapsedMillis: number
  readonly ending: Ending
}

/**
 * A policy for calls.
 *
 * @category models
 */
export interface CallPolicy extends Policy.Policy<CallFailed, Reply, AttemptTimeout.AttemptTimedOut, never> {
  readonly backoff: Backoff.Backoff
}

/**
 * What is retryable about a call.
 *
 * @category constructors
 */
export const classifier = Classifier.fromTags<CallFailed>({
  Throttled: ({ retryAfter }) => Verdict.retryable("Throttling", { hint: retryAfter }),
  Unavailable: Verdict.server,
  Disconnected: Verdict.transient,
  Rejected: ({ status }) => Verdict.terminal(`${status} is final`)
})

/**
 * What is called, and where it is written down.
 *
 * @category models
 */
export interface Target {
  readonly server: ScriptedServer
  readonly path: string
  readonly script: Script
  readonly seed: string
  /** @default "GET" */
  readonly method?: "GET" | "POST"
}

/**
 * A call under a policy of the toolkit.
 *
 * @category running
 */
export const ours = (target: Target, policy: CallPolicy): Effect.Effect<Run> =>
  watched("ours", target, ({ call, remember }) => {
    // A success has no history to show, so each attempt hands in the failure it is the answer to.
    const attempt = Effect.flatMap(Retry.CurrentAttempt, ({ previous }) => {
      remember(Option.toArray(previous))
      return call
    })
    return Retry.orStopped(attempt, { ...policy, attempt: Retry.CurrentAttempt }).pipe(
      Effect.match({
        onFailure: ({ history, reason }): Ending => {
          remember(history.slice(-1))
          return { _tag: "Stopped", reason }
        },
        onSuccess: (): Ending => ({ _tag: "Succeeded" })
      })
    )
  })

/**
 * The same call, retried in another way.
 *
 * @category running
 */
export const native = (
  target: Target,
  retried: (call: Effect.Effect<Reply, CallFailed>) => Effect.Effect<Reply, { readonly _tag: string }>
): Effect.Effect<Run> =>
  watched("native", target, ({ call }) =>
    Effect.match(retried(call), {
      onFailure: ({ _tag }): Ending => ({ _tag: "Failed", error: _tag }),
      onSuccess: (): Ending => ({ _tag: "Succeeded" })
    })
  )

interface Watch {
  readonly call: Effect.Effect<Reply, CallFailed>
  readonly remember: (failures: ReadonlyArray<Retry.FailedAttempt<unknown>>) => void
}

const watched = (
  name: string,
  { method = "GET", path, script, seed, server }: Target,
  operate: (watch: Watch) => Effect.Effect<Ending>
): Effect.Effect<Run> =>
  Effect.gen(function* () {
    const route = `${path}/${name}`
    yield* server.play(route, script)
    const told: Array<Retry.FailedAttempt<unknown>> = []
    const starts: Array<number> = []
    const call = Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Client.call({ method, url: server.url + route, attempt: starts.push(now) })
    )
    const ending = yield* operate({ call, remember: (failures) => void told.push(...failures) }).pipe(
      // A generator for each operation: what it draws does not depend on the others.
      Effect.withRandom(Random.make(`${seed}${route}`))
    )
    const endedMillis = yield* Clock.currentTimeMillis
    const origin = starts[0] ?? endedMillis
    const arrivals = (yield* server.arrivals(route)).map((arrival) => since(arrival, origin))
    const attempts = starts.map((start, i): Attempt => ({
      startedMillis: start - origin,
      seen: arrivals.find(({ attempt }) => attempt === i + 1),
      told: told.find(({ attempt }) => attempt === i + 1)
    }))
    return { name, attempts, arrivals, elapsedMillis: endedMillis - origin, ending }
  })

const since = (arrival: Arrival, origin: number): Arrival => ({
  ...arrival,
  atMillis: arrival.atMillis - origin,
  endedMillis: Option.map(arrival.endedMillis, (ended) => ended - origin)
})
