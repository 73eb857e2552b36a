import { answer, exchange, reset, unavailable } from "./http-scripted.ts"
import type { Answer } from "./http-scripted.ts"
import { Effect } from "effect"
// #region counts
import { HttpRetry } from "@effect-retry/http"
import { HttpClient } from "@effect/platform"

const threeRetries = (client: HttpClient.HttpClient) => HttpClient.retryTransient(client, { times: 3 })
const noRetries = (client: HttpClient.HttpClient) => HttpClient.retryTransient(client, { times: 0 })

const fourAttempts = HttpRetry.withRetry({ maxAttempts: 4 })
const oneAttempt = HttpRetry.withRetry({ maxAttempts: 1 })
// #endregion

const url = "https://api.example/"
const alternating: readonly [Answer, ...ReadonlyArray<Answer>] = [
  unavailable,
  ...Array.from({ length: 99 }, (_, i) => ((i + 2) % 4 === 0 ? reset : unavailable))
]

type Retried = (client: HttpClient.HttpClient) => HttpClient.HttpClient

const get = (answers: typeof alternating, retried: Retried) =>
  Effect.map(
    exchange(answers, (client) => retried(client).get(url)),
    ({ sent }) => sent.length
  )

/** How many requests a server got that is never available, and gives up after a thousand. */
const endless = (retried: Retried) => {
  let requests = 0
  const impatient: Answer = (request) => (++requests > 1000 ? Effect.interrupt : unavailable(request))
  return Effect.map(Effect.exit(exchange([impatient], (client) => retried(client).get(url))), () =>
    requests > 1000 ? "endless" : requests
  )
}

const post = (retried: Retried) =>
  Effect.map(
    exchange([answer(500), answer(500), answer(200)], (client) => retried(client).post(url)),
    ({ sent }) => sent.length
  )

export const program = Effect.all({
  alternating: Effect.all([get(alternating, threeRetries), get(alternating, fourAttempts)]),
  none: Effect.all([endless(noRetries), endless(oneAttempt)]),
  post: Effect.all([post(threeRetries), post(fourAttempts)])
})

// #region expected
/** Requests under `retryTransient`, and under `withRetry`. */
export const expected = {
  /** 503, 503, 503, a reset connection, and so on. */
  alternating: [16, 4],
  none: ["endless", 1],
  /** A POST that is answered with 500. */
  post: [3, 1]
}
// #endregion
