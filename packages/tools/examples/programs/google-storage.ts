import { StorageRetry } from "@effect-retry/google"
import { HttpClient, HttpClientResponse } from "@effect/platform"
import { Console, Effect } from "effect"

// Stands for a client that signs its requests: Cloud Storage answers the first one to each address with a 503.
const asked = new Set<string>()
const signing = HttpClient.make((request, { href }) => {
  const status = asked.has(href) ? 200 : 503
  asked.add(href)
  return Effect.succeed(HttpClientResponse.fromWeb(request, new Response(null, { status })))
})

const storage = StorageRetry.withRetry(signing, StorageRetry.standard)
const objects = "https://storage.googleapis.com/storage/v1/b/photos/o"

const program = Effect.gen(function* () {
  const read = yield* storage.get(`${objects}/cat`)
  const patched = yield* storage.patch(`${objects}/cat?ifMetagenerationMatch=3`)
  const blind = yield* storage.patch(`${objects}/dog`)
  yield* Console.log(`read: ${read.status}, patched: ${patched.status}, without a precondition: ${blind.status}`)
})

Effect.runPromise(program)
