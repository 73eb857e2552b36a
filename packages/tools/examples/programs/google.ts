import { Retry } from "@effect-retry/core"
import { StorageRetry } from "@effect-retry/google"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "@effect/platform"
import { Console, Effect } from "effect"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

// Stands for Cloud Storage: the first request to each address gets a 503.
const requests = new Map<string, number>()
const server = createServer((request, response) => {
  const { url = "" } = request
  const count = (requests.get(url) ?? 0) + 1
  requests.set(url, count)
  request.resume()
  response.writeHead(count === 1 ? 503 : 200).end()
})
await once(server.listen(0), "listening")

const object = "/storage/v1/b/photos/o/cat"
const insert = "/upload/storage/v1/b/photos/o?uploadType=media&name=cat"
const insertOnce = `${insert}&ifGenerationMatch=0`

const program = Effect.gen(function* () {
  const { port } = server.address() as AddressInfo
  const storage = (yield* HttpClient.HttpClient).pipe(
    HttpClient.mapRequest(HttpClientRequest.prependUrl(`http://localhost:${port}`)),
    StorageRetry.withRetry({
      observe: [
        (event) => (event._tag === "GaveUp" ? Console.log("gave up:", Retry.format(event.reason)) : Effect.void)
      ]
    })
  )
  const read = yield* storage.get(object)
  yield* Console.log("read:", read.status, "after", requests.get(object), "requests")

  const written = yield* storage.post(insert)
  yield* Console.log("insert:", written.status, "after", requests.get(insert), "request")

  const writtenOnce = yield* storage.post(insertOnce)
  yield* Console.log(
    "insert with ifGenerationMatch:",
    writtenOnce.status,
    "after",
    requests.get(insertOnce),
    "requests"
  )
})

await Effect.runPromise(Effect.provide(program, FetchHttpClient.layer))
server.close()
