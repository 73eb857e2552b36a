import { HttpClient, HttpClientResponse } from "@effect/platform"
// #region policy
import { TokenBucket } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { HttpApi, HttpApiClient, HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { Effect, Schema } from "effect"

const Order = Schema.Struct({ id: Schema.Number })

const api = HttpApi.make("shop").add(
  HttpApiGroup.make("orders")
    .add(HttpApiEndpoint.get("find", "/orders/1").addSuccess(Order))
    .add(HttpApiEndpoint.post("place", "/orders").addSuccess(Order))
)

/** The bucket is made while the service is built, so its callers do not see it. */
class Shop extends Effect.Service<Shop>()("app/Shop", {
  effect: Effect.flatMap(TokenBucket.successRatio({ ratio: 0.1, capacity: 10 }), (bucket) =>
    HttpApiClient.make(api, {
      baseUrl: "https://shop.example",
      transformClient: HttpRetry.withRetry({ maxAttempts: 4, bucket })
    })
  )
}) {}
// #endregion

/** Busy at first; then it has the order. */
const server = (busy: number) => {
  const requests: Array<string> = []
  const client = HttpClient.make((request) =>
    Effect.sync(() => {
      requests.push(request.method)
      const headers = { "content-type": "application/json", "retry-after": "1" }
      const answer = requests.length <= busy ? new Response(null, { status: 503, headers }) : undefined
      return HttpClientResponse.fromWeb(request, answer ?? new Response('{ "id": 1 }', { headers }))
    })
  )
  return { client, requests }
}

const asked = <A, E>(busy: number, use: (shop: Shop) => Effect.Effect<A, E>) =>
  Effect.suspend(() => {
    const { client, requests } = server(busy)
    return Effect.flatMap(Shop, use).pipe(
      Effect.exit,
      Effect.map((end) => ({ end: end._tag, requests: requests.join() })),
      Effect.provide(Shop.Default),
      Effect.provideService(HttpClient.HttpClient, client)
    )
  })

export const program = Effect.all({
  find: asked(2, (shop) => shop.orders.find()),
  place: asked(2, (shop) => shop.orders.place())
})

// #region expected
export const expected = {
  find: { end: "Success", requests: "GET,GET,GET" },
  place: { end: "Failure", requests: "POST" }
}
// #endregion
