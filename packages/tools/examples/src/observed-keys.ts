import { answer, exchange, unavailable } from "./http-scripted.ts"
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

import { Metric } from "effect"

/** The counters of attempts of this client: their tags, and how many. */
const attempts = Effect.map(Metric.snapshot, (pairs) =>
  Array.from(pairs, ({ metricKey, metricState }) => {
    const tags = metricKey.tags.map(({ key, value }) => `${key}=${value}`).toSorted()
    const count = "count" in metricState ? String(metricState.count) : ""
    return { name: metricKey.name, tags, text: `${metricKey.name}{${tags.join(", ")}} ${count}` }
  })
    .filter(({ name, tags }) => name === "retry.attempts" && tags.includes("retry.operation=partners"))
    .map(({ text }) => text)
    .toSorted()
)

export const program = Effect.gen(function* () {
  yield* exchange([unavailable, answer(200)], (client) =>
    Effect.gen(function* () {
      const partners = yield* Effect.provideService(counted, HttpClient.HttpClient, client)
      yield* partners.get("https://a.example/")
      yield* partners.get("https://b.example/")
    })
  )
  return (yield* attempts).join("\n")
})

export const expected = [
  "retry.attempts{http.request.method=GET, http.response.status_class=2xx, retry.key=a.example, retry.kind=none, retry.operation=partners, retry.outcome=succeeded, url.template=none} 1",
  "retry.attempts{http.request.method=GET, http.response.status_class=2xx, retry.key=b.example, retry.kind=none, retry.operation=partners, retry.outcome=succeeded, url.template=none} 1",
  "retry.attempts{http.request.method=GET, http.response.status_class=5xx, retry.key=a.example, retry.kind=Server, retry.operation=partners, retry.outcome=failed, url.template=none} 1"
].join("\n")
