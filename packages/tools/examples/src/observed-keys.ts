import { answer, exchange, unavailable } from "./http-scripted.ts"
import { metricLines } from "./metric-lines.ts"
// #region keys
import { Observe } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { HttpClient } from "@effect/platform"
import { Effect } from "effect"

const counted = Effect.gen(function* () {
  const metrics = yield* Observe.metricsByKey({ maxKeys: 100 })
  return HttpRetry.withRetry(yield* HttpClient.HttpClient, { name: "partners", observe: [metrics] })
})
// #endregion

export const program = Effect.gen(function* () {
  yield* exchange([unavailable, answer(200)], (client) =>
    Effect.gen(function* () {
      const partners = yield* Effect.provideService(counted, HttpClient.HttpClient, client)
      yield* partners.get("https://a.example/")
      yield* partners.get("https://b.example/")
    })
  )
  const attempts = yield* metricLines(["retry.attempts"])
  return attempts.filter((line) => line.includes("retry.operation=partners")).join("\n")
})

export const expected = [
  "retry.attempts{http.request.method=GET, http.response.status_class=2xx, retry.key=a.example, retry.kind=none, retry.operation=partners, retry.outcome=succeeded, url.template=none} 1",
  "retry.attempts{http.request.method=GET, http.response.status_class=2xx, retry.key=b.example, retry.kind=none, retry.operation=partners, retry.outcome=succeeded, url.template=none} 1",
  "retry.attempts{http.request.method=GET, http.response.status_class=5xx, retry.key=a.example, retry.kind=Server, retry.operation=partners, retry.outcome=failed, url.template=none} 1"
].join("\n")
