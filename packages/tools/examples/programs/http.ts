import { HttpRetry } from "@effect-retry/http"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "@effect/platform"
import { Console, Effect } from "effect"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

// A server on this machine: on each path the first two requests get a 503.
const requests = new Map<string, number>()
const server = createServer(({ url = "" }, response) => {
  const count = (requests.get(url) ?? 0) + 1
  requests.set(url, count)
  response.writeHead(count < 3 ? 503 : 200).end()
})
await once(server.listen(0), "listening")

const program = Effect.gen(function* () {
  const { port } = server.address() as AddressInfo
  const client = (yield* HttpClient.HttpClient).pipe(
    HttpClient.mapRequest(HttpClientRequest.prependUrl(`http://localhost:${port}`)),
    HttpRetry.withRetry(HttpRetry.standard)
  )
  const got = yield* client.get("/get")
  yield* Console.log("GET:", got.status, "after", requests.get("/get"), "requests")

  const posted = yield* client.post("/post")
  yield* Console.log("POST:", posted.status, "after", requests.get("/post"), "request")

  const keyed = yield* client.post("/keyed", { headers: { "idempotency-key": "order-17" } })
  yield* Console.log("POST with a key:", keyed.status, "after", requests.get("/keyed"), "requests")
})

await Effect.runPromise(Effect.provide(program, FetchHttpClient.layer))
server.close()
