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
        const { pathname } = new URL(request.url)
        return Effect.succeed(HttpClientRequest.setUrl(request, `${hosts[(number - 1) % hosts.length]}${pathname}`))
      }
    })
  )
// #endregion

export const program = Effect.map(
  exchange([unavailable, unavailable, ok], (client) =>
    failingOver(client).get("/orders", { headers: { authorization: "Bearer for a", accept: "text/plain" } })
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
    ["https://a.example/orders", "Bearer for a", "text/plain"],
    ["https://b.example/orders", undefined, "text/plain"],
    ["https://a.example/orders", undefined, "text/plain"]
  ]
}
// #endregion
