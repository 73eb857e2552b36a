import { SeededRandom } from "@effect-retry/testing"
import { answer, exchange, ok, unavailable } from "./http-scripted.ts"
// #region http
import { AwsClassifier, AwsHeaders, AwsRetry } from "@effect-retry/aws"
import { HttpClassifier, HttpRetry, Idempotency } from "@effect-retry/http"
import { HttpClient } from "@effect/platform"

const { backoff, bucket, hint, maxAttempts } = AwsRetry.standard

const retried = (client: HttpClient.HttpClient) =>
  client.pipe(
    HttpClient.mapRequestEffect(AwsHeaders.withInvocationId),
    HttpRetry.withRetry({
      ...HttpRetry.standard,
      backoff,
      bucket,
      hint,
      maxAttempts,
      opinion: AwsClassifier.standard,
      // The opinion reads `x-amz-retry-after`; `Retry-After` counts in the SDK for JavaScript alone.
      classifier: HttpClassifier.make({ ...HttpClassifier.standardTables, hints: [] }),
      idempotency: { ...Idempotency.standard, methods: [...Idempotency.standard.methods, "POST"] },
      attemptHeaders: AwsHeaders.attemptHeaders({ maxAttempts })
    })
  )
// #endregion

import { AwsQuota } from "@effect-retry/aws"
import { Effect, Layer } from "effect"

const throttled = answer(400, { "x-amzn-errortype": "ThrottlingException", "retry-after": "20" })

export const program = Effect.map(
  exchange([throttled, unavailable, ok], (client) => retried(client).post("https://dynamodb.example/")),
  ({ outcome, requests, sent }) => ({
    outcome,
    sent,
    requests: requests.map(({ headers }) => headers["amz-sdk-request"]),
    ids: new Set(requests.map(({ headers }) => headers["amz-sdk-invocation-id"])).size
  })
).pipe(Effect.provide(Layer.effect(AwsRetry.Quota, AwsQuota.standard)), Effect.provide(SeededRandom.layerConstant(0.5)))

export const expected = {
  outcome: 200,
  sent: [0, 500, 550],
  requests: ["attempt=1; max=3", "attempt=2; max=3", "attempt=3; max=3"],
  ids: 1
}
