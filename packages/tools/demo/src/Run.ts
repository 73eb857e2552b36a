/**
 * One retried call, watched from all sides: what the server saw, what the caller was told.
 */
import type { AttemptTimeout, Backoff, Retry } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { HttpClient, type HttpClientError, HttpClientRequest } from "@effect/platform"
import { Clock, Duration, Effect, Option, Random } from "effect"
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
export interface CallPolicy extends HttpRetry.Policy<
  HttpClientError.HttpClientError,
  AttemptTimeout.AttemptTimedOut,
  never
> {
  readonly backoff: Backoff.Backoff
}

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
export const ours = (target: Target, policy: CallPolicy, name = "ours"): Effect.Effect<Run> =>
  watched(name, target, ({ client, request, told }) => {
    let reason: Retry.StopReason | undefined
    const remember: Retry.Observer = (event) =>
      Effect.sync(() => {
        if (event._tag === "AttemptFailed") told.push(failedAttempt(event))
        if (event._tag === "RetryScheduled") told.push(...scheduled(told.splice(-1), event))
        if (event._tag === "GaveUp") reason = event.reason
      })
    const retried = client.pipe(
      HttpClient.filterStatusOk,
      HttpRetry.withRetry<HttpClientError.HttpClientError, CallPolicy>({ ...policy, observe: [remember] })
    )
    return Effect.match(Client.send(retried, request), {
      onFailure: (error): Ending =>
        reason === undefined ? { _tag: "Failed", error: named(error) } : { _tag: "Stopped", reason },
      onSuccess: (): Ending => ({ _tag: "Succeeded" })
    })
  })

type EventOf<Tag> = Extract<Parameters<Retry.Observer>[0], { readonly _tag: Tag }>

const failedAttempt = ({ attempt, elapsed, error, ran, verdict }: EventOf<"AttemptFailed">) => ({
  attempt,
  error,
  verdict,
  startedAfter: Duration.subtract(elapsed, ran),
  failedAfter: elapsed,
  delay: Option.none<Duration.Duration>()
})

const scheduled = (
  latest: ReadonlyArray<Retry.FailedAttempt<unknown>>,
  { delay }: EventOf<"RetryScheduled">
): ReadonlyArray<Retry.FailedAttempt<unknown>> => latest.map((told) => ({ ...told, delay: Option.some(delay) }))

/**
 * What a caller does without the toolkit: retries the call, or sends it by a client of its own making.
 *
 * @category models
 */
export interface Plain {
  (
    call: Effect.Effect<string, HttpClientError.HttpClientError>,
    through: (
      made: (client: HttpClient.HttpClient) => HttpClient.HttpClient
    ) => Effect.Effect<string, HttpClientError.HttpClientError>
  ): Effect.Effect<string, HttpClientError.HttpClientError | { readonly _tag: "TimeoutException" }>
}

/**
 * The same call, retried in another way.
 *
 * @category running
 */
export const native = (target: Target, retried: Plain): Effect.Effect<Run> =>
  watched("native", target, ({ client, request }) => {
    const through: Parameters<Plain>[1] = (made) => Client.send(HttpClient.filterStatusOk(made(client)), request)
    return Effect.match(
      retried(
        through((client) => client),
        through
      ),
      {
        onFailure: (error): Ending => ({ _tag: "Failed", error: named(error) }),
        onSuccess: (): Ending => ({ _tag: "Succeeded" })
      }
    )
  })

const named = (error: HttpClientError.HttpClientError | { readonly _tag: string }): string => {
  if (!("reason" in error)) return error._tag
  return error._tag === "ResponseError" ? `status ${error.response.status}` : error._tag
}

interface Watch {
  readonly client: HttpClient.HttpClient
  readonly request: HttpClientRequest.HttpClientRequest
  readonly told: Array<Retry.FailedAttempt<unknown>>
}

const watched = (
  name: string,
  { method = "GET", path, script, seed, server }: Target,
  operate: (watch: Watch) => Effect.Effect<Ending>
): Effect.Effect<Run> =>
  Effect.gen(function* () {
    const route = `${path}/${name.replaceAll(" ", "-")}`
    yield* server.play(route, script)
    const told: Array<Retry.FailedAttempt<unknown>> = []
    const starts: Array<number> = []
    const client = yield* Client.make(Effect.map(Clock.currentTimeMillis, (now) => starts.push(now)))
    const request = HttpClientRequest.make(method)(server.url + route)
    const ending = yield* operate({ client, request, told }).pipe(
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
