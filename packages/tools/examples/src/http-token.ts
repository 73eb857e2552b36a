import { answer, exchange, ok, unavailable } from "./http-scripted.ts"
// #region token
import { HttpRetry, Unauthorized } from "@effect-retry/http"
import { HttpClient, HttpClientRequest } from "@effect/platform"
import { Effect } from "effect"

/** `login` is run for the first request, and again when a token is refused: once, however many operations have it. */
const withToken = <E, R>(client: HttpClient.HttpClient, login: Effect.Effect<string, E, R>) =>
  Effect.map(Effect.cachedInvalidateWithTTL(login, "1 hour"), ([token, invalidate]) => {
    const authorized = (request: HttpClientRequest.HttpClientRequest) =>
      Effect.map(token, (token) => HttpClientRequest.bearerToken(request, token))
    const renewed = Unauthorized.renewing((request, refused) =>
      Effect.flatMap(authorized(request), (again) =>
        again.headers["authorization"] === refused.headers["authorization"]
          ? Effect.zipRight(invalidate, authorized(request))
          : Effect.succeed(again)
      )
    )
    return client.pipe(HttpClient.mapRequestEffect(authorized), HttpRetry.withRetry({ maxAttempts: 4, ...renewed }))
  })
// #endregion

const url = "https://api.example/orders"

/** What the server saw of two orders that are posted, one after the other or at the same time. */
const ordered = (concurrency: 1 | 2, answers: Parameters<typeof exchange>[0]) => {
  let logins = 0
  const login = Effect.delay(
    Effect.sync(() => `token-${++logins}`),
    "1 millis"
  )
  return Effect.map(
    exchange(answers, (client) =>
      Effect.flatMap(withToken(client, login), (client) =>
        Effect.map(Effect.all([client.post(url), client.post(url)], { concurrency }), ([, last]) => last)
      )
    ),
    ({ outcome, requests }) => ({ outcome, sent: requests.map(({ headers }) => headers["authorization"]) })
  )
}

const posted = (...answers: Parameters<typeof exchange>[0]) => ordered(1, answers)

export const program = Effect.all({
  valid: posted(ok),
  expired: posted(answer(401), ok),
  refused: posted(ok, answer(401)),
  failing: posted(answer(401), unavailable, ok),
  together: ordered(2, [answer(401), answer(401), ok])
})

// #region expected
export const expected = {
  valid: { outcome: 200, sent: ["Bearer token-1", "Bearer token-1"] },
  /** Sent again with a new token, which the second order has from the start. */
  expired: { outcome: 200, sent: ["Bearer token-1", "Bearer token-2", "Bearer token-2"] },
  /** A second 401 is the answer. */
  refused: { outcome: 401, sent: ["Bearer token-1", "Bearer token-1", "Bearer token-2"] },
  /** A POST that may have been carried out is not sent again. */
  failing: { outcome: 200, sent: ["Bearer token-1", "Bearer token-2", "Bearer token-2"] },
  /** The second order finds that its token has been replaced. */
  together: { outcome: 200, sent: ["Bearer token-1", "Bearer token-1", "Bearer token-2", "Bearer token-2"] }
}
// #endregion
