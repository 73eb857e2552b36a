/**
 * One retried call: what the client did and when, what the server saw, and what the toolkit reported.
 */
import type { Observe, Retry, Verdict } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { Timeline } from "@effect-retry/testing"
import { FetchHttpClient, HttpClient, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import type { Duration } from "effect"
import { Effect } from "effect"
import * as Chance from "./Chance.ts"
import type { Arrival, Server, Step } from "./Server.ts"

/**
 * @category models
 */
export interface Run {
  readonly name: string
  readonly timeline: Timeline.Timeline
  /** All that the server saw. */
  readonly arrivals: ReadonlyArray<Arrival>
  /** How the toolkit judged failed attempts, by number. A plain retry reports none. */
  readonly verdicts: ReadonlyMap<number, Verdict.Verdict>
  /** How long the toolkit decided to wait after failed attempts, by number. A plain retry reports none. */
  readonly delays: ReadonlyMap<number, Duration.Duration>
  /** Why the toolkit stopped. */
  readonly reason: Retry.StopReason | undefined
}

/**
 * What is called. Scenes share the server; each has paths of its own.
 *
 * @category models
 */
export interface Target {
  readonly server: Server
  readonly seed: string
  readonly path: string
  readonly steps: ReadonlyArray<Step>
  /** @default "GET" */
  readonly method?: "GET" | "POST" | undefined
}

/**
 * Wraps a client so that its calls are retried.
 *
 * @category models
 */
export type Retrying = (client: HttpClient.HttpClient) => Pick<HttpClient.HttpClient.With<unknown>, "execute">

/**
 * A call under a policy of the toolkit.
 *
 * @category running
 */
export const ours = (target: Target, policy: HttpRetry.Preset<unknown>): Effect.Effect<Run> =>
  Effect.suspend(() => {
    const verdicts = new Map<number, Verdict.Verdict>()
    const delays = new Map<number, Duration.Duration>()
    let reason: Retry.StopReason | undefined
    const remember: Observe.Observer = (event) =>
      Effect.sync(() => {
        if (event._tag === "AttemptFailed") verdicts.set(event.attempt, event.verdict)
        if (event._tag === "RetryScheduled") delays.set(event.attempt, event.delay)
        if (event._tag === "GaveUp") reason = event.reason
      })
    const run = recorded("ours", target, HttpRetry.withRetry({ ...policy, observe: [remember] }))
    return Effect.map(run, (run) => ({ ...run, verdicts, delays, reason }))
  })

/**
 * The same call, retried without the toolkit.
 *
 * @category running
 */
export const native = (target: Target, retrying: Retrying): Effect.Effect<Run> => recorded("native", target, retrying)

const recorded = (
  name: string,
  { method = "GET", path, seed, server, steps }: Target,
  retrying: Retrying
): Effect.Effect<Run> =>
  Effect.gen(function* () {
    const route = `${path}/${name}`
    const arrivals = yield* server.play(route, steps)
    const client = retrying(yield* numbering)
    const call = client.execute(HttpClientRequest.make(method)(server.url + route)).pipe(
      Effect.flatMap(HttpClientResponse.filterStatusOk),
      Effect.flatMap(({ text }) => text)
    )
    const timeline = yield* Timeline.record(call).pipe(Chance.seeded(seed + route))
    return { name, timeline, arrivals, verdicts: new Map(), delays: new Map(), reason: undefined }
  })

/** A client that says in each request the number of the attempt. */
const numbering: Effect.Effect<HttpClient.HttpClient> = Effect.map(HttpClient.HttpClient, (fetching) => {
  let number = 0
  return HttpClient.make((request) =>
    Effect.suspend(() => {
      number += 1
      return Timeline.attempt(fetching.execute(HttpClientRequest.setHeader(request, "attempt", String(number))))
    })
  )
}).pipe(Effect.provide(FetchHttpClient.layer))
