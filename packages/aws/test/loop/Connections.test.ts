/**
 * Connections as the guide says: usually reused after throttling, not reused after a transient error.
 *
 * Source: AWS SDKs and Tools reference guide, "Retry behavior",
 * https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html, read 2026-11-20.
 */
import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb"
import { HttpClient, HttpClientRequest } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { AwsQuota, AwsRetry, SdkRetryStrategy } from "@effect-retry/aws"
import { Backoff } from "@effect-retry/core"
import { Connections, Discard, HttpRetry, Idempotency } from "@effect-retry/http"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Answer, Served } from "./Answers.ts"
import { serve } from "./Answers.ts"

const quota = Layer.effect(AwsRetry.Quota, AwsQuota.standard)

/** The delays of `AwsRetry.standard` are not what is tested. */
const backoff = Backoff.constant({ delay: 1 })

const { classifier, ...aws } = AwsRetry.standard

const ok: Answer = { status: 200, body: '{"TableNames":[]}' }

const failures: ReadonlyArray<readonly [name: string, failure: Answer, kept: boolean]> = [
  ["ThrottlingException with 400", { status: 400, code: "ThrottlingException" }, true],
  ["SlowDown with 503", { status: 503, code: "SlowDown" }, true],
  ["a throttle with a namespace", { status: 400, code: "com.amazonaws#RequestLimitExceeded:http://x" }, true],
  ["a long throttle", { status: 400, code: "Throttling", body: " ".repeat(100_000) }, true],
  ["500", { status: 500 }, false],
  ["503 without a code", { status: 503 }, false],
  ["RequestTimeout with 400", { status: 400, code: "RequestTimeout" }, false],
  ["a long 502", { status: 502, body: " ".repeat(100_000) }, false]
]

/** Whether the second request, which is also the last, came on the connection of the first. */
const isKept = ({ connections: [first, second, ...others] }: Served): boolean => {
  expect(others).toEqual([])
  return first === second
}

describe("a client of @effect-retry/http under AwsRetry.standard", () => {
  const call = (url: string) =>
    Effect.flatMap(HttpClient.HttpClient, (client) => {
      const retried = HttpRetry.withRetry(client, {
        ...HttpRetry.standard,
        ...aws,
        backoff,
        // Time to read a body, on a machine that stalls too.
        drain: { ...Discard.standard, within: "1 minute" },
        opinion: classifier,
        idempotency: { ...Idempotency.standard, methods: [...Idempotency.standard.methods, "POST"] }
      })
      return Effect.flatMap(retried.execute(HttpClientRequest.post(url)), (response) => response.text)
    })

  const nodeHttp = Layer.provide(
    NodeHttpClient.layerWithoutAgent,
    NodeHttpClient.makeAgentLayer({ keepAlive: true, maxSockets: 1 })
  )

  it.scopedLive.each(failures)("keeps the connection after throttling alone: node:http, %s", ([, failure, kept]) =>
    Effect.gen(function* () {
      const server = yield* serve(failure, ok)
      expect(yield* call(server.url)).toBe(ok.body)
      expect(isKept(server)).toBe(kept)
    }).pipe(Effect.provide(Layer.merge(nodeHttp, quota)))
  )

  const undici = Layer.provide(
    NodeHttpClient.layerUndiciWithoutDispatcher,
    Layer.scoped(
      NodeHttpClient.Dispatcher,
      Effect.map(NodeHttpClient.makeDispatcher, (dispatcher) => dispatcher.compose(Connections.undiciInterceptor()))
    )
  )

  const transient = failures.filter(([, { status }, kept]) => !kept && Connections.transientStatuses.has(status))

  it.scopedLive.each(transient)("closes it after a transient failure: undici with the interceptor, %s", ([, failure]) =>
    Effect.gen(function* () {
      const server = yield* serve(failure, ok)
      expect(yield* call(server.url)).toBe(ok.body)
      expect(isKept(server)).toBe(false)
    }).pipe(Effect.provide(Layer.merge(undici, quota)))
  )
})

describe("a client of the SDK under SdkRetryStrategy", () => {
  /** The SDK reads every body, the code of an error is in it: so the connection is free after both sorts of failure. */
  it.scopedLive.each(failures)("keeps the connection: %s", ([, failure]) =>
    Effect.gen(function* () {
      const server = yield* serve(failure, ok)
      const retryStrategy = yield* SdkRetryStrategy.make({ ...AwsRetry.standard, backoff })
      const client = new DynamoDBClient({
        endpoint: server.url,
        region: "eu-central-1",
        credentials: { accessKeyId: "a", secretAccessKey: "b" },
        retryStrategy
      })
      yield* Effect.addFinalizer(() => Effect.sync(() => client.destroy()))
      const { $metadata } = yield* Effect.promise(() => client.send(new ListTablesCommand({})))
      expect($metadata.attempts).toBe(2)
      expect(isKept(server)).toBe(true)
    }).pipe(Effect.provide(quota))
  )
})
