/**
 * Where `@grpc/grpc-js` and this package differ beside the attempts they make: how they read a service config, and what a
 * caller is told of a deadline. The rows are those of "Inside grpc-js" in docs/google.md.
 */
import { GrpcRetry, ServiceConfig } from "@effect-retry/grpc"
import * as Interceptor from "@effect-retry/grpc/Interceptor"
import { describe, expect, it } from "@effect/vitest"
import { Client, type ClientOptions, credentials } from "@grpc/grpc-js"
import { Duration, Effect, Either } from "effect"
import * as Cases from "../support/Cases.ts"
import * as GrpcClient from "../support/Client.ts"
import * as GrpcServer from "../support/Server.ts"

const interceptor = (config: unknown) =>
  Effect.flatMap(Effect.flatMap(ServiceConfig.decode(config), GrpcRetry.make), (grpc) => Interceptor.make(grpc))

/** Whether a client is made with the config. */
const isTakenByGrpcJs = (config: unknown): boolean => {
  try {
    const options = { "grpc.service_config": JSON.stringify(config) }
    new Client("127.0.0.1:1", credentials.createInsecure(), options).close()
    return true
  } catch {
    return false
  }
}

const isTakenHere = (config: unknown): boolean =>
  Either.isRight(Effect.runSync(Effect.either(ServiceConfig.decode(config))))

const methods = (changes: object) => ({ methodConfig: [{ name: [{}], ...changes }] })

describe("ServiceConfig.decode and @grpc/grpc-js", () => {
  it.each<readonly [what: string, config: unknown, grpcJs: boolean, here: boolean]>([
    ["a policy", Cases.retrying({}), true, true],
    ["one attempt", Cases.retrying({ maxAttempts: 1 }), false, false],
    ["no code", Cases.retrying({ retryableStatusCodes: [] }), false, false],
    ["an unknown code", Cases.retrying({ retryableStatusCodes: ["BUSY"] }), false, false],
    ["a duration without its unit", Cases.retrying({ initialBackoff: "1" }), false, false],
    ["a name twice", { methodConfig: [{ name: [{}] }, { name: [{}] }] }, false, false],
    ["1001 tokens", Cases.retrying({}, { maxTokens: 1001, tokenRatio: 1 }), false, false],
    ["a back-off of no time", Cases.retrying({ initialBackoff: "0s", maxBackoff: "0s" }), true, false],
    ["half a token", Cases.retrying({}, { maxTokens: 9.5, tokenRatio: 1 }), true, false],
    ["a ratio that is rounded to 0", Cases.retrying({}, { maxTokens: 10, tokenRatio: 0.0001 }), true, false],
    ["a timeout in seconds and nanos", methods({ timeout: { seconds: 1, nanos: 0 } }), true, false],
    ["methods that are no list", { methodConfig: {} }, true, false],
    ["fatal codes that are no list", Cases.hedging({ nonFatalStatusCodes: "ABORTED" }), true, false],
    ["a method config without names", { methodConfig: [{}] }, false, true],
    ["a field that is not about retries", methods({ waitForReady: "yes" }), false, true]
  ])("take or refuse %s", (_, config, grpcJs, here) => {
    expect({ grpcJs: isTakenByGrpcJs(config), here: isTakenHere(config) }).toEqual({ grpcJs, here })
  })

  it.scopedLive("read the decimals of a timeout, grpc-js as nanoseconds", () =>
    Effect.gen(function* () {
      const config = methods({ timeout: "0.3s" })
      const read = yield* ServiceConfig.decode(config)
      expect(read.methodConfig[0]?.timeout).toEqual(Duration.millis(300))
      // A server that answers at once has no chance within three nanoseconds.
      const server = yield* GrpcServer.serve(() => Cases.ok)
      const client = yield* GrpcClient.connect(server.address, { "grpc.service_config": JSON.stringify(config) })
      expect((yield* GrpcClient.call(client)).code).toBe("DEADLINE_EXCEEDED")
      yield* server.settled
    })
  )
})

describe("Interceptor.make", () => {
  it.scopedLive("bounds requests by its own limit, and not by that of the client", () =>
    Effect.gen(function* () {
      const call = (options: ClientOptions) =>
        Effect.gen(function* () {
          const server = yield* GrpcServer.serve(Cases.answers(Cases.busy, Cases.ok))
          const client = yield* GrpcClient.connect(server.address, { "grpc.per_rpc_retry_buffer_size": 1, ...options })
          const { code } = yield* GrpcClient.call(client)
          return code
        })
      const config = Cases.retrying({})
      expect(yield* call({ "grpc.service_config": JSON.stringify(config) })).toBe("UNAVAILABLE")
      expect(yield* call({ interceptors: [yield* interceptor(config)] })).toBe("OK")
    })
  )

  it.scopedLive("has details of a deadline that describe only the last attempt", () =>
    Effect.gen(function* () {
      const config = Cases.retrying({})
      /**
       * The details under the first deadline that leaves time for two attempts, and that the client notices before the server,
       * which has the same deadline and answers without details.
       */
      const details = (options: ClientOptions) =>
        Effect.gen(function* () {
          for (const deadline of [100, 400, 1600, 6400]) {
            const server = yield* GrpcServer.serve(Cases.answers(Cases.busy, Cases.never))
            const client = yield* GrpcClient.connect(server.address, options)
            const ended = yield* GrpcClient.call(client, { deadline })
            if (server.calls.length === 2 && ended.details !== "Deadline exceeded") return ended.details
          }
          return "too slow"
        })
      const theirs = yield* details({ "grpc.service_config": JSON.stringify(config) })
      const ours = yield* details({ interceptors: [yield* interceptor(config)] })
      expect([theirs, ours].map((text) => text.startsWith("Deadline exceeded after "))).toEqual([true, true])
      expect([theirs, ours].map((text) => text.includes("previous attempts: 1"))).toEqual([true, false])
    })
  )
})
