import { answer, exchange } from "./http-scripted.ts"
// #region decoded
import { Policy, Retry } from "@effect-retry/core"
import { HttpClassifier } from "@effect-retry/http"
import { HttpClient, HttpClientResponse } from "@effect/platform"
import { Effect, Schema } from "effect"

const Order = Schema.Struct({ id: Schema.Number })

const order = (client: HttpClient.HttpClient) =>
  HttpClient.filterStatusOk(client)
    .get("https://orders.example/1")
    .pipe(
      Effect.flatMap(HttpClientResponse.schemaBodyJson(Order)),
      Retry.retry({ ...Policy.standard, classifier: HttpClassifier.standard })
    )
// #endregion

/** A body that breaks after its first bytes. */
const half = answer(200)
const cut = (request: Parameters<typeof half>[0]) =>
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
