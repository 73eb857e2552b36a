import { exchange, ok, unavailable } from "./http-scripted.ts"
// #region hosts
import { HttpRetry } from "@effect-retry/http"
import { HttpClient, HttpClientRequest } from "@effect/platform"
import { Effect } from "effect"

const hosts = ["https://a.example", "https://b.example"]

const failingOver = (client: HttpClient.HttpClient) =>
  client.pipe(
    HttpClient.mapRequest(HttpClientRequest.prependUrl("https://a.example")),
    HttpRetry.withRetry({
      beforeRetry: (request, { number }) => {
        const { pathname, search } = new URL(request.url)
        const host = hosts[(number - 1) % hosts.length]
        return Effect.succeed(HttpClientRequest.setUrl(request, `${host}${pathname}${search}`))
      }
    })
  )
// #endregion

export const program = Effect.map(
  exchange([unavailable, unavailable, ok], (client) =>
    failingOver(client).get("/orders?page=2", { headers: { authorization: "Bearer for a", accept: "text/plain" } })
  ),
  ({ outcome, requests }) => ({
    outcome,
    sent: requests.map(({ headers, url }) => [url, headers["authorization"], headers["accept"]])
  })
)

// #region expected
export const expected = {
  outcome: 200,
  sent: [
    ["https://a.example/orders?page=2", "Bearer for a", "text/plain"],
    ["https://b.example/orders?page=2", undefined, "text/plain"],
    ["https://a.example/orders?page=2", undefined, "text/plain"]
  ]
}
// #endregion
