/**
 * The platform's clients, with their connections in plain sight.
 */
import { FetchHttpClient, type HttpClient } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import * as Undici from "undici"

export type Client = Layer.Layer<HttpClient.HttpClient>

const dispatcher = (make: () => Undici.Dispatcher) =>
  Layer.scoped(
    NodeHttpClient.Dispatcher,
    Effect.acquireRelease(Effect.sync(make), (dispatcher) => Effect.promise(() => dispatcher.destroy()))
  )

/** Over undici, with a dispatcher of its own. */
export const undici = (make: () => Undici.Dispatcher): Client =>
  Layer.provide(NodeHttpClient.layerUndiciWithoutDispatcher, dispatcher(make))

/** Over node:http, with an agent of its own. */
export const nodeHttp = (options: { readonly keepAlive: boolean; readonly maxSockets?: number }): Client =>
  Layer.provide(NodeHttpClient.layerWithoutAgent, NodeHttpClient.makeAgentLayer(options))

const fetchOver = (send: (input: string, init: Undici.RequestInit) => unknown, make: () => Undici.Dispatcher): Client =>
  Layer.provide(
    FetchHttpClient.layer,
    Layer.unwrapScoped(
      Effect.map(
        Effect.acquireRelease(Effect.sync(make), (dispatcher) => Effect.promise(() => dispatcher.destroy())),
        (dispatcher) =>
          Layer.succeed(FetchHttpClient.Fetch, ((input: string, init: Undici.RequestInit) =>
            send(input, { ...init, dispatcher })) as unknown as typeof globalThis.fetch)
      )
    )
  )

/** Over undici's `fetch`, with a dispatcher of its own. */
export const fetch = (make: () => Undici.Dispatcher): Client => fetchOver(Undici.fetch, make)

/** Over the global `fetch`, with a dispatcher of its own. */
export const globalFetchOver = (make: () => Undici.Dispatcher): Client =>
  fetchOver((input, init) => globalThis.fetch(input, init as unknown as RequestInit), make)

/** The global `fetch`, for a while with a dispatcher of its own: what others have left open would be waited for. */
export const globalFetch: Client = Layer.unwrapScoped(
  Effect.as(
    Effect.acquireRelease(
      Effect.sync(() => {
        const before = Undici.getGlobalDispatcher()
        const own = new Undici.Agent()
        Undici.setGlobalDispatcher(own)
        return { before, own }
      }),
      ({ before, own }) =>
        Effect.promise(() => {
          Undici.setGlobalDispatcher(before)
          return own.destroy()
        })
    ),
    FetchHttpClient.layer
  )
)

/** As they come, with connections of their own so that tests do not share them. */
export const all: ReadonlyArray<readonly [name: string, client: Client]> = [
  ["the global fetch", globalFetch],
  ["fetch", fetch(() => new Undici.Agent())],
  ["node:http", NodeHttpClient.layer],
  ["node:http that keeps connections", nodeHttp({ keepAlive: true })],
  ["undici", NodeHttpClient.layerUndici]
]

/** With a pool of one connection. */
export const narrow: ReadonlyArray<readonly [name: string, client: Client]> = [
  ["fetch", fetch(() => new Undici.Agent({ connections: 1 }))],
  ["node:http", nodeHttp({ keepAlive: true, maxSockets: 1 })],
  ["undici", undici(() => new Undici.Agent({ connections: 1 }))],
  [
    "a pool of undici",
    undici(() => new Undici.Agent({ factory: (origin) => new Undici.Pool(origin, { connections: 1 }) }))
  ]
]
