// #region interceptor
import { GrpcRetry, ServiceConfig } from "@effect-retry/grpc"
import * as Interceptor from "@effect-retry/grpc/Interceptor"
import { Client, credentials } from "@grpc/grpc-js"
import { Effect } from "effect"

const config = ServiceConfig.make({
  methodConfig: [
    {
      name: [{ service: "library.v1.Library" }],
      retryPolicy: {
        maxAttempts: 4,
        initialBackoff: "0.01s",
        maxBackoff: "1s",
        backoffMultiplier: 2,
        retryableStatusCodes: ["UNAVAILABLE"]
      }
    }
  ],
  retryThrottling: { maxTokens: 10, tokenRatio: 0.1 }
})

const library = (address: string) =>
  Effect.gen(function* () {
    const interceptor = yield* Interceptor.make(yield* GrpcRetry.make(config))
    const options = { interceptors: [interceptor], "grpc.enable_retries": 0 }
    // A generated client takes the same arguments.
    return new Client(address, credentials.createInsecure(), options)
  })
// #endregion

import { SeededRandom } from "@effect-retry/testing"
import { type handleUnaryCall, Server, ServerCredentials, type ServiceError, status } from "@grpc/grpc-js"

const serialize = (text: string) => Buffer.from(text)
const deserialize = (bytes: Buffer) => bytes.toString()
const path = "/library.v1.Library/ListBooks"

/** Answers the third attempt of a call, and writes down what each says of those before it. */
const listening = (previous: Array<unknown>) => {
  const listBooks: handleUnaryCall<string, string> = ({ metadata, request }, answer) => {
    const attempt = previous.push(metadata.get("grpc-previous-rpc-attempts").join())
    answer(attempt < 3 ? { code: status.UNAVAILABLE } : null, `books about ${request}`)
  }
  const server = new Server()
  server.addService(
    {
      listBooks: {
        path,
        requestStream: false,
        responseStream: false,
        requestSerialize: serialize,
        requestDeserialize: deserialize,
        responseSerialize: serialize,
        responseDeserialize: deserialize
      }
    },
    { listBooks }
  )
  const bound = Effect.async<string, Error>((resume) =>
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
      resume(error === null ? Effect.succeed(`127.0.0.1:${port}`) : Effect.fail(error))
    )
  )
  return Effect.acquireRelease(bound, () => Effect.sync(() => server.forceShutdown()))
}

export const program = Effect.gen(function* () {
  const previous: Array<unknown> = []
  const address = yield* listening(previous)
  const client = yield* Effect.acquireRelease(library(address), (client) => Effect.sync(() => client.close()))
  const answer = yield* Effect.async<string | undefined, ServiceError>((resume) => {
    client.makeUnaryRequest(path, serialize, deserialize, "cats", (error, books) =>
      resume(error === null ? Effect.succeed(books) : Effect.fail(error))
    )
  })
  return { answer, previous }
}).pipe(Effect.scoped, Effect.provide(SeededRandom.layerConstant(0.5)))

export const live = true

export const expected = { answer: "books about cats", previous: ["", "1", "2"] }
