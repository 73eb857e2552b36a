/**
 * A request by the platform's clients, and what is put around them.
 */
import { RetryBucket, TokenBucket } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { FetchHttpClient, HttpClient, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import type { HttpClientError } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { Effect, Layer, ManagedRuntime, Schedule } from "effect"
import type { Pace, Row, Workload } from "../Workload.ts"
import { insideFiberOf, manyRequests, prepared, requests } from "../Workload.ts"
import { nativeDelays, policy as calls } from "./Calls.ts"
import { Loopback } from "./Loopback.ts"

/** Three attempts, no wait. */
export const policy = { ...HttpRetry.standard, maxAttempts: calls.maxAttempts, backoff: calls.backoff }

const nativeSchedule = Schedule.intersect(nativeDelays, Schedule.recurs(policy.maxAttempts - 1))

type With<R> = HttpClient.HttpClient.With<HttpClientError.HttpClientError, R>
type Client = With<TokenBucket.Default>

export const ways: { readonly [name: string]: (client: HttpClient.HttpClient) => Client } = {
  "bare client": (client) => client,
  "`HttpRetry.withRetry`": (client) => HttpRetry.withRetry(client, policy),
  "`HttpRetry.withRetry`, keyed quota": (client) =>
    HttpRetry.withRetry(client, { ...policy, bucket: TokenBucket.Default }),
  "`HttpClient.retryTransient`": (client) => HttpClient.retryTransient(client, nativeSchedule)
}

export const quotas = Layer.effect(
  TokenBucket.Default,
  TokenBucket.keyed({ bucket: RetryBucket.quota(), maxKeys: 10, idleTimeToLive: "1 hour" })
)

export const transports = { undici: NodeHttpClient.layerUndici, fetch: FetchHttpClient.layer }

/** Sends a GET, and reads the JSON of its response. */
export const json = <R>(client: With<R>, url: string) => Effect.flatMap(client.get(url), (response) => response.json)

type Services = HttpClient.HttpClient | TokenBucket.Default

/** Runs, inside one fiber of a runtime, of what is made once of its services. */
export const insideFiberWith = <R>(
  edge: ManagedRuntime.ManagedRuntime<R, never>,
  make: Effect.Effect<Effect.Effect<unknown, unknown, R>, never, R>,
  pace: Pace | undefined
): Row["sample"] => prepared(async () => insideFiberOf(edge, await edge.runPromise(make), pace))

/** The ways share server, client and connection: with one for each, a row differs from its own copy by a tenth. */
const comparing = <R>(
  workload: Pick<Workload, "title" | "about" | "rounds">,
  services: Layer.Layer<R | Services>,
  operation: (client: Client) => Effect.Effect<Effect.Effect<unknown, unknown, TokenBucket.Default>, never, R>,
  pace?: Pace,
  atMost?: number
): Workload => {
  const edge = ManagedRuntime.make(services)
  return {
    ...workload,
    unit: "ns",
    baseline: "bare client",
    rows: Object.entries(ways).map(([name, way]) => ({
      name,
      sample: insideFiberWith(
        edge,
        Effect.flatMap(HttpClient.HttpClient, (client) => operation(way(client))),
        pace
      ),
      ...(atMost !== undefined && name === "`HttpRetry.withRetry`" && { target: { of: "ratio", atMost } as const })
    }))
  }
}

const overLoopback = (
  name: string,
  transport: Layer.Layer<HttpClient.HttpClient>,
  rounds: number,
  pace: Pace
): Workload =>
  comparing(
    {
      title: `HTTP with ${name}: succeeds at once`,
      about: [
        "A GET to a server on loopback in the same process, whose work is part of every row, and its JSON read.",
        "One request after the other over one connection, inside one fiber."
      ],
      rounds
    },
    Layer.mergeAll(Loopback.layer(), quotas, transport),
    (client) => Effect.map(Loopback, ({ origin }) => json(client, `${origin}/ready`)),
    pace,
    1.05
  )

export const httpUndici = overLoopback("`NodeHttpClient.layerUndici`", transports.undici, 301, requests)

export const httpFetch = overLoopback("`FetchHttpClient.layer`", transports.fetch, 81, manyRequests)

const noContent = HttpClientResponse.fromWeb(HttpClientRequest.get("/ready"), new Response(null, { status: 204 }))
const answers = HttpClient.makeWith<never, never, HttpClientError.HttpClientError, never>(
  Effect.as(noContent),
  Effect.succeed
)

export const httpInMemory = comparing(
  {
    title: "HTTP without a network: succeeds at once",
    about: [
      "A client that answers at once, always the same, and does nothing else: no span, no URL, no socket.",
      "What is above the bare client is what is added to a request; beside one, no ratio of this table is seen."
    ],
    rounds: 61
  },
  Layer.merge(Layer.succeed(HttpClient.HttpClient, answers), quotas),
  (client) => Effect.succeed(client.get("http://127.0.0.1/ready"))
)
