// #region call
import { GrpcRetry, ServiceConfig } from "@effect-retry/grpc"
import { Effect } from "effect"

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
    },
    {
      name: [{ service: "library.v1.Library", method: "Search" }],
      hedgingPolicy: { maxAttempts: 3, hedgingDelay: "0.2s", nonFatalStatusCodes: ["UNAVAILABLE"] }
    }
  ],
  retryThrottling: { maxTokens: 10, tokenRatio: 0.1 }
})

const library = Effect.map(GrpcRetry.make(config), (grpc) => ({
  // Any effect that fails with a `code`, as errors of gRPC clients do.
  listBooks: (send: (metadata: object) => Effect.Effect<string, { readonly code: number }>) =>
    grpc.call("/library.v1.Library/ListBooks", (attempt) => send(GrpcRetry.attemptHeaders(attempt))),
  search: (send: () => Effect.Effect<string, { readonly code: number }>) =>
    grpc.call("/library.v1.Library/Search", send)
}))
// #endregion

import { SeededRandom } from "@effect-retry/testing"
import { Clock } from "effect"

export const program = Effect.gen(function* () {
  const sent: Array<object> = []
  const answers = [Effect.fail({ code: 14 }), Effect.fail({ code: 14 })]
  const slow = [Effect.delay(Effect.succeed("late"), "5 seconds")]
  const { listBooks, search } = yield* library
  const books = yield* listBooks((metadata) => {
    sent.push(metadata)
    return answers.shift() ?? Effect.succeed("books")
  })
  const listedAt = yield* Clock.currentTimeMillis
  const found = yield* search(() => slow.shift() ?? Effect.succeed("found"))
  return { books, sent, listedAt, found, foundAt: yield* Clock.currentTimeMillis }
}).pipe(Effect.provide(SeededRandom.layerConstant(0.5)))

/** Waits of 100 and 200 milliseconds; the hedge answers 200 milliseconds after the first attempt was sent. */
export const expected = {
  books: "books",
  sent: [{}, { "grpc-previous-rpc-attempts": "1" }, { "grpc-previous-rpc-attempts": "2" }],
  listedAt: 300,
  found: "found",
  foundAt: 500
}
