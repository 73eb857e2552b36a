/**
 * What becomes of requests whose proxy does not connect to the server, which sees none of them.
 */
import { HttpBody, HttpClient, HttpClientRequest, FetchHttpClient } from "@effect/platform"
import { Backoff, Retry } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { ProxyAgent } from "undici"
import * as Clients from "../support/Clients.ts"
import * as HttpServer from "../support/HttpServer.ts"
import * as ProxyServer from "../support/ProxyServer.ts"
import { gaveUp } from "../support/ScriptedClient.ts"

const quick = { ...HttpRetry.standard, backoff: Backoff.constant({ delay: 0 }) }

const clients = { undici: Clients.undici, fetch: Clients.fetch, "the global fetch": Clients.globalFetchOver }

/** What a request ends with, how many tunnels were asked for, what the server saw, and why the client gave up. */
const sent = (name: keyof typeof clients, method: "GET" | "POST", ...statuses: Parameters<typeof ProxyServer.serve>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const server = yield* HttpServer.serve(HttpServer.responding({ status: 200 }))
      const proxy = yield* ProxyServer.serve(...statuses)
      const { observe, reasons } = gaveUp()
      const agent = () => new ProxyAgent({ uri: proxy.url, proxyTunnel: true })
      const request = HttpClientRequest.make(method)(server.url, {
        ...(method === "POST" && { body: HttpBody.text("a body") })
      })
      const answer = yield* Effect.flatMap(HttpClient.HttpClient, (client) =>
        HttpRetry.withRetry(client, { ...quick, observe }).execute(request)
      ).pipe(
        Effect.map(({ status }) => status),
        Effect.catchAll(({ _tag }) => Effect.succeed(_tag)),
        // Then no failure can come from elsewhere, and a refusal before the request proves something.
        Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
        Effect.provide(clients[name](agent))
      )
      return { answer, asked: proxy.asked(), saw: server.methods.join(), why: reasons.map(Retry.format).join() }
    })
  )

describe.each(["undici", "fetch", "the global fetch"] as const)("a proxy that refuses a tunnel, over %s", (name) => {
  it.live.each(
    (["GET", "POST"] as const).flatMap((method) =>
      [429, 500, 502, 503, 504, 599].map((status) => [method, status] as const)
    )
  )("is asked again, whatever the method, since nothing was sent: %s, %d", ([method, status]) =>
    Effect.gen(function* () {
      expect(yield* sent(name, method, status, 200)).toEqual({ answer: 200, asked: 2, saw: method, why: "" })
    })
  )

  it.live.each([403, 404, 407])("is not asked again: %d", (status) =>
    Effect.gen(function* () {
      const why = `not retryable: transport error PROXY_${status}`
      expect(yield* sent(name, "GET", status)).toEqual({ answer: "RequestError", asked: 1, saw: "", why })
    })
  )

  it.live("is given up on when it goes on refusing", () =>
    Effect.gen(function* () {
      const why = "all attempts spent"
      expect(yield* sent(name, "POST", 503)).toEqual({ answer: "RequestError", asked: 3, saw: "", why })
    })
  )
})
