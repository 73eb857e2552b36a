/**
 * A request by the platform's clients, and what is put around them.
 */
import { AttemptTimeout, Deadline, Observe, TokenBucket } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { FetchHttpClient, HttpClient, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import type { HttpClientError } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { Effect, Fiber, Layer, ManagedRuntime } from "effect"
import type { Pace, Row, Workload } from "../Workload.ts"
import { insideFiberOf, manyRequests, prepared, requests } from "../Workload.ts"
import { policy as calls } from "./Calls.ts"
import { Loopback } from "./Loopback.ts"
import { pacing, retrying } from "./NativeLine.ts"

/** Three attempts, no wait. */
export const policy = { ...HttpRetry.standard, maxAttempts: calls.maxAttempts, backoff: calls.backoff }

/** What the tables ask of a client. */
type With<R> = Pick<HttpClient.HttpClient.With<unknown, R>, "get">
type Client = With<TokenBucket.RetryBucket>

type Way = (client: HttpClient.HttpClient) => Client

const plain = "`HttpRetry.withRetry`"
const inProduction = "`HttpRetry.withRetry`, in production"
const withoutName = "`HttpRetry.withRetry`, in production, no name"

/** The parts of a policy in production. Each of them makes a success run the whole loop. */
const parts = {
  bucket: TokenBucket.RetryBucket,
  attemptTimeout: AttemptTimeout.constant("10 seconds"),
  deadline: Deadline.refuse("30 seconds"),
  observe: [Observe.metrics],
  name: "benchmark"
}

export const ways: { readonly [name: string]: Way } = {
  "bare client": (client) => client,
  [plain]: (client) => HttpRetry.withRetry(client, policy),
  "`HttpRetry.withRetry`, keyed quota": (client) => HttpRetry.withRetry(client, { ...policy, bucket: parts.bucket }),
  [inProduction]: (client) => HttpRetry.withRetry(client, { ...policy, ...parts }),
  [withoutName]: (client) => HttpRetry.withRetry(client, { ...policy, ...parts, name: undefined }),
  "bare client, in a fiber of its own": (client) =>
    HttpClient.transformResponse(client, (sent) => Effect.flatMap(Effect.fork(sent), Fiber.join)),
  "bare client, `Effect.timeout`": (client) => HttpClient.transformResponse(client, Effect.timeout("10 seconds")),
  ...retrying
}

const withOnePart: typeof ways = {
  "attempt timeout alone": (client) => HttpRetry.withRetry(client, { ...policy, attemptTimeout: parts.attemptTimeout }),
  "deadline alone": (client) => HttpRetry.withRetry(client, { ...policy, deadline: parts.deadline }),
  "metrics alone": (client) => HttpRetry.withRetry(client, { ...policy, observe: parts.observe }),
  "name alone": (client) => HttpRetry.withRetry(client, { ...policy, name: parts.name })
}

export const pacedWays: typeof ways = {
  "bare client": (client) => client,
  [plain]: (client) => HttpRetry.withRetry(client, policy),
  "`HttpRetry.withRetry`, `HttpRetry.paced`": (client) =>
    HttpRetry.withRetry(client, { ...policy, rateLimiter: Effect.runSync(HttpRetry.paced()) }),
  ...pacing
}

export const quotas = Layer.effect(
  TokenBucket.RetryBucket,
  TokenBucket.keyed({ bucket: TokenBucket.quota(), maxKeys: 10, idleTimeToLive: "1 hour" })
)

export const transports = {
  undici: NodeHttpClient.layerUndici,
  node: NodeHttpClient.layer,
  fetch: FetchHttpClient.layer
}

/** Sends a GET, and reads the JSON of its response. */
export const json = <R>(client: With<R>, url: string) => Effect.flatMap(client.get(url), (response) => response.json)

type Services = HttpClient.HttpClient | TokenBucket.RetryBucket

/** Runs, inside one fiber of a runtime, of what is made once of its services. */
export const insideFiberWith = <R>(
  edge: ManagedRuntime.ManagedRuntime<R, never>,
  make: Effect.Effect<Effect.Effect<unknown, unknown, R>, never, R>,
  pace: Pace | undefined
): Row["sample"] => prepared(async () => insideFiberOf(edge, await edge.runPromise(make), pace))

/** The ways share server, client and connection: with one for each, a row differs from its own copy by a tenth. */
const comparing = <R>(
  workload: Pick<Workload, "title" | "about" | "rounds">,
  ways: { readonly [name: string]: Way },
  services: Layer.Layer<R | Services>,
  operation: (client: Client) => Effect.Effect<Effect.Effect<unknown, unknown, TokenBucket.RetryBucket>, never, R>,
  pace?: Pace,
  targets: { readonly [name: string]: number } = {}
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
      ...(targets[name] !== undefined && { target: { of: "ratio", atMost: targets[name] } as const })
    }))
  }
}

const overLoopback = (
  name: string,
  transport: Layer.Layer<HttpClient.HttpClient>,
  rounds: number,
  pace: Pace,
  production: number
): Workload =>
  comparing(
    {
      title: `HTTP with ${name}: succeeds at once`,
      about: [
        "A GET to a server on loopback in the same process, whose work is part of every row; the JSON of the answer is read.",
        "One request after the other over one connection, inside one fiber.",
        "A policy in production has a bucket for each host, an attempt timeout, a deadline, metrics and a name; another row leaves out the name.",
        "One row shows what a fiber alone costs, with nothing else around the client: an attempt under a timeout takes one.",
        "The row with `Effect.timeout` shows what a native timeout costs: it starts two fibers."
      ],
      rounds
    },
    ways,
    Layer.mergeAll(Loopback.layer(), quotas, transport),
    (client) => Effect.map(Loopback, ({ origin }) => json(client, `${origin}/ready`)),
    pace,
    { [plain]: 1.05, [inProduction]: production, [withoutName]: production }
  )

export const httpUndici = overLoopback("`NodeHttpClient.layerUndici`", transports.undici, 301, requests, 1.35)

export const httpNode = overLoopback("`NodeHttpClient.layer`", transports.node, 151, requests, 1.2)

export const httpPaced = comparing(
  {
    title: "HTTP at the pace of the server: succeeds at once",
    about: [
      "The same GET by `NodeHttpClient.layerUndici`, to a server that states its limit in three headers and never runs out.",
      "The paced row reads them from every response, and checks before each request what is left."
    ],
    rounds: 151
  },
  pacedWays,
  Layer.mergeAll(Loopback.layer(), quotas, transports.undici),
  (client) => Effect.map(Loopback, ({ origin }) => json(client, `${origin}/limited`)),
  requests
)

export const httpFetch = overLoopback("`FetchHttpClient.layer`", transports.fetch, 81, manyRequests, 1.25)

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
      "The difference to the bare client is what each row adds to a request; next to a real request it disappears."
    ],
    rounds: 61
  },
  { ...ways, ...withOnePart },
  Layer.merge(Layer.succeed(HttpClient.HttpClient, answers), quotas),
  (client) => Effect.succeed(client.get("http://127.0.0.1/ready"))
)
