import { GrpcRetry, ServiceConfig } from "@effect-retry/grpc"
import * as Interceptor from "@effect-retry/grpc/Interceptor"
import { Client, credentials, type handleUnaryCall, Server, ServerCredentials, status } from "@grpc/grpc-js"
import { Effect } from "effect"

const path = "/library.v1.Library/ListBooks"
const toBytes = (text: string) => Buffer.from(text)
const toText = (bytes: Buffer) => bytes.toString()

// Stands for your service: it is unavailable twice, and then it answers.
let calls = 0
const listBooks: handleUnaryCall<string, string> = ({ request }, answer) => {
  calls++
  answer(calls < 3 ? { code: status.UNAVAILABLE } : null, `books about ${request}, after ${calls} calls`)
}
const server = new Server()
server.addService(
  {
    listBooks: {
      path,
      requestStream: false,
      responseStream: false,
      requestSerialize: toBytes,
      requestDeserialize: toText,
      responseSerialize: toBytes,
      responseDeserialize: toText
    }
  },
  { listBooks }
)
const port = await new Promise<number>((resolve, reject) =>
  server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
    error === null ? resolve(port) : reject(error)
  )
)

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
  ]
})

const grpc = await Effect.runPromise(GrpcRetry.make(config))
const interceptor = await Effect.runPromise(Interceptor.make(grpc))

// A generated client takes the same arguments.
const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), { interceptors: [interceptor] })

client.makeUnaryRequest(path, toBytes, toText, "Effect", (error, books) => {
  console.log(error ?? books)
  client.close()
  server.forceShutdown()
})
