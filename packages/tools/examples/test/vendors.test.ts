/** Real errors of the vendors' clients, as log lines and spans show them; docs/observing.md has the attributes. */
import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb"
import { Sdk } from "@effect-retry/aws"
import { Backoff, Classifier, Observe, Retry } from "@effect-retry/core"
import { GoogleStatus, StorageRetry } from "@effect-retry/google"
import { GrpcRetry, ServiceConfig } from "@effect-retry/grpc"
import { FetchHttpClient, HttpClient } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Client, credentials, Metadata, Server, ServerCredentials, type ServiceError } from "@grpc/grpc-js"
import { Effect, Runtime, type Scope } from "effect"
import { Redis } from "ioredis"
import { Client as PgClient } from "pg"
import * as Vendors from "./Vendors.ts"

type Observers = ReadonlyArray<Observe.Observer>

const policy = {
  name: "orders",
  classifier: Classifier.always,
  maxAttempts: 2,
  backoff: Backoff.constant({ delay: "1 milli" })
}

const throttled = Effect.map(
  Vendors.httpServer(400, { "x-amzn-errortype": "ThrottlingException" }, '{"message":"Rate exceeded"}'),
  (port) =>
    new DynamoDBClient({
      endpoint: `http://127.0.0.1:${port}`,
      region: "eu-central-1",
      credentials: { accessKeyId: "any", secretAccessKey: "any" },
      maxAttempts: 1
    })
)

const listTables = (client: DynamoDBClient) => (options: Sdk.CallOptions) =>
  client.send(new ListTablesCommand({}), options)

const path = "/orders.v1.Orders/List"

const echo = (text: string) => Buffer.from(text)

/** A call of grpc-js to a server that is exhausted. */
const exhausted: Effect.Effect<Effect.Effect<unknown, ServiceError>, never, Scope.Scope> = Effect.gen(function* () {
  const server = new Server()
  server.register(
    path,
    (_: unknown, answer: (error: object) => void) => answer({ code: 8, details: "quota of the project" }),
    echo,
    String,
    "unary"
  )
  const port = yield* Effect.async<number>((resume) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (_, port) => resume(Effect.succeed(port)))
  })
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), { "grpc.enable_retries": 0 })
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      client.close()
      server.forceShutdown()
    })
  )
  return Effect.async<unknown, ServiceError>((resume) => {
    client.makeUnaryRequest(path, echo, String, "all", new Metadata(), (error, value) =>
      resume(error === null ? Effect.succeed(value) : Effect.fail(error))
    )
  })
})

const config = ServiceConfig.make({
  methodConfig: [
    {
      name: [{}],
      retryPolicy: {
        maxAttempts: 2,
        initialBackoff: "0.001s",
        maxBackoff: "0.001s",
        backoffMultiplier: 1,
        retryableStatusCodes: ["RESOURCE_EXHAUSTED"]
      }
    }
  ]
})

/** Observers of a promise have no span and no logger of their own: they get those of the test. */
const within =
  (runtime: Runtime.Runtime<never>) =>
  (observer: Observe.Observer): Observe.Observer =>
  (event) =>
    Effect.promise(() => Runtime.runPromise(runtime)(Effect.asVoid(observer(event) ?? Effect.void)))

interface Vendor {
  readonly vendor: string
  readonly operation: (observe: Observers) => Effect.Effect<unknown, unknown, Scope.Scope>
  readonly ended: string
  readonly attributes: object
}

const ofAws = {
  ended: "orders → ThrottlingException, status 400",
  attributes: {
    "error.type": "ThrottlingException",
    "http.response.status_code": 400,
    "exception.message": "Rate exceeded"
  }
}

const vendors: ReadonlyArray<Vendor> = [
  {
    vendor: "the AWS SDK, by Sdk.retry",
    operation: (observe) =>
      Effect.flatMap(throttled, (client) => Sdk.retry(client, listTables(client), { ...policy, observe })),
    ...ofAws
  },
  {
    vendor: "the AWS SDK, by Sdk.promise",
    operation: (observe) =>
      Effect.gen(function* () {
        const client = yield* throttled
        const runtime = yield* Effect.runtime()
        return yield* Effect.tryPromise(() =>
          Sdk.promise(client, listTables(client), { ...policy, observe: observe.map(within(runtime)) })
        )
      }),
    ...ofAws
  },
  {
    vendor: "Cloud Storage, by StorageRetry",
    operation: (observe) =>
      Effect.gen(function* () {
        const body = '{"error":{"code":429,"errors":[{"reason":"rateLimitExceeded"}]}}'
        const port = yield* Vendors.httpServer(429, { "content-type": "application/json" }, body)
        const bare = yield* HttpClient.HttpClient
        const { backoff, maxAttempts } = policy
        const client = StorageRetry.withRetry(bare, { ...StorageRetry.standard, backoff, maxAttempts, observe })
        return yield* client.get(`http://127.0.0.1:${port}/storage/v1/b/orders/o`)
      }).pipe(Effect.provide(FetchHttpClient.layer)),
    ended: "GET 127.0.0.1:PORT → 429 rateLimitExceeded",
    attributes: { "error.type": "rateLimitExceeded", "http.response.status_code": 429 }
  },
  {
    vendor: "grpc-js, by GrpcRetry",
    operation: (observe) =>
      Effect.gen(function* () {
        const call = yield* exhausted
        const grpc = yield* GrpcRetry.make(config, { observe: [...observe] })
        return yield* grpc.call(path, () => call)
      }),
    ended: `${path} → RESOURCE_EXHAUSTED`,
    attributes: { "error.type": "RESOURCE_EXHAUSTED", "rpc.response.status_code": "RESOURCE_EXHAUSTED" }
  },
  {
    vendor: "Google's clients over gRPC, by GoogleStatus.details",
    operation: (observe) =>
      Effect.flatMap(exhausted, (call) =>
        Retry.retry(call, { ...policy, observe: observe.map(Observe.describing(GoogleStatus.details)) })
      ),
    ended: "orders → RESOURCE_EXHAUSTED",
    attributes: { "error.type": "RESOURCE_EXHAUSTED" }
  },
  {
    vendor: "pg",
    operation: (observe) =>
      Effect.gen(function* () {
        const port = yield* Vendors.postgres("40001", "could not serialize access")
        const client = new PgClient({ host: "127.0.0.1", port, user: "any", password: "any" })
        yield* Effect.promise(() => client.connect())
        yield* Effect.addFinalizer(() => Effect.promise(() => client.end()))
        const query = Effect.tryPromise({ try: () => client.query("SELECT 1"), catch: (error) => error })
        return yield* Retry.retry(query, { ...policy, observe })
      }),
    ended: 'orders → DatabaseError 40001 "could not serialize access"',
    attributes: { "error.type": "40001", "exception.message": "could not serialize access" }
  },
  {
    vendor: "ioredis",
    operation: (observe) =>
      Effect.gen(function* () {
        const port = yield* Vendors.socketServer((_, socket) => void socket.write("-BUSY Redis is busy\r\n"))
        const client = new Redis({
          host: "127.0.0.1",
          port,
          enableReadyCheck: false,
          disableClientInfo: true,
          retryStrategy: () => null
        })
        yield* Effect.addFinalizer(() => Effect.sync(() => client.disconnect()))
        const get = Effect.tryPromise({ try: () => client.get("key"), catch: (error) => error })
        return yield* Retry.retry(get, { ...policy, observe })
      }),
    ended: 'orders → ReplyError "BUSY Redis is busy"',
    attributes: { "error.type": "ReplyError", "exception.message": "BUSY Redis is busy" }
  }
]

describe("lines and spans of a vendor's error", () => {
  it.live.each(vendors)("show what $vendor says", ({ attributes, ended, operation }) =>
    Effect.gen(function* () {
      const { events, lines } = yield* Vendors.shownBy(operation)
      const [first, last] = lines.map((line) => line.replace(/127\.0\.0\.1:\d+/, "127.0.0.1:PORT"))
      expect(first).toMatch(new RegExp(`^retry 1 of 1 in \\d+ ms: ${ended.replaceAll(".", "\\.")} \\(`))
      expect(last).toContain(`gave up: ${ended} after 2 attempts`)
      expect(events.map(([name]) => name)).toEqual([
        "retry.attempt_failed",
        "retry.scheduled",
        "retry.attempt_failed",
        "retry.gave_up"
      ])
      for (const [, , shown] of events) expect(shown).toMatchObject(attributes)
    })
  )
})
