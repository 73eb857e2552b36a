import { GrpcRetry, ServiceConfig } from "@effect-retry/grpc"
import { Console, Effect } from "effect"

const config = ServiceConfig.make({
  methodConfig: [
    {
      name: [{ service: "library.v1.Library" }],
      retryPolicy: {
        maxAttempts: 4,
        initialBackoff: "0.1s",
        maxBackoff: "1s",
        backoffMultiplier: 2,
        retryableStatusCodes: ["UNAVAILABLE"]
      }
    }
  ],
  retryThrottling: { maxTokens: 10, tokenRatio: 0.1 }
})

// Stands for your call: the server is unavailable twice, and then it answers.
const listBooks = (attempt: number): Effect.Effect<string, { readonly code: string }> =>
  attempt < 3 ? Effect.fail({ code: "UNAVAILABLE" }) : Effect.succeed(`books, in attempt ${attempt}`)

const program = Effect.gen(function* () {
  const grpc = yield* GrpcRetry.make(config)
  const books = yield* grpc.call("/library.v1.Library/ListBooks", listBooks)
  yield* Console.log(books)
})

Effect.runPromise(program)
