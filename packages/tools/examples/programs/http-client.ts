import { HttpRetry, Idempotency } from "@effect-retry/http"
import { HttpClient, HttpClientResponse } from "@effect/platform"
import { Console, Effect } from "effect"

// Stands for the client of your program: the server answers every other request with a 503.
let requests = 0
const client = HttpClient.make((request) => {
  requests++
  const status = requests % 2 === 1 ? 503 : 200
  return Effect.succeed(HttpClientResponse.fromWeb(request, new Response(null, { status })))
})

const orders = client.pipe(
  HttpRetry.withRetry({
    idempotency: { ...Idempotency.standard, createKeyFor: ["POST"] }
  })
)

const program = Effect.gen(function* () {
  const read = yield* orders.get("https://orders.example/7")
  const placed = yield* orders.post("https://orders.example")
  yield* Console.log(`read: ${read.status}, placed: ${placed.status}, ${requests} requests`)
})

Effect.runPromise(program)
