import { answer, exchange } from "./http-scripted.ts"
// #region execute
import { HttpRetry } from "@effect-retry/http"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { Schema } from "effect"

const Order = Schema.Struct({ id: Schema.Number })

const orders = (client: HttpClient.HttpClient) =>
  client.pipe(HttpRetry.withRetry(HttpRetry.standard), HttpClient.filterStatusOk)

const order = (client: HttpClient.HttpClient) =>
  HttpRetry.execute(
    orders(client),
    HttpClientRequest.get("https://orders.example/1"),
    HttpClientResponse.schemaBodyJson(Order)
  )
// #endregion

import { Effect } from "effect"

/** A body that breaks after its first bytes. */
const cut = (request: HttpClientRequest.HttpClientRequest) =>
  Effect.sync(() => {
    let pulls = 0
    const body = new ReadableStream({
      pull: (controller) =>
        pulls++ === 0
          ? controller.enqueue(new TextEncoder().encode('{ "id"'))
          : controller.error(Object.assign(new Error("aborted"), { code: "ECONNRESET" }))
    })
    return HttpClientResponse.fromWeb(request, new Response(body))
  })

const ended = (...answers: Parameters<typeof exchange>[0]) =>
  Effect.map(exchange(answers, order), ({ outcome, sent }) => ({ outcome, attempts: sent.length }))

export const program = Effect.all({
  broken: ended(cut, answer(503), answer(200, {}, '{ "id": 1 }')),
  malformed: Effect.map(ended(answer(200, {}, '{ "name": "x" }')), ({ attempts }) => attempts)
})

/** A body that does not fit its schema is not retried: another attempt would answer the same. */
export const expected = { broken: { outcome: { id: 1 }, attempts: 3 }, malformed: 1 }
