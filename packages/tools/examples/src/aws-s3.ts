import { SeededRandom } from "@effect-retry/testing"
import { serve } from "./aws-server.ts"
// #region client
import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3"
import { AwsQuota, AwsRetry, SdkRetryStrategy } from "@effect-retry/aws"
import { Effect, Layer } from "effect"

const makeClient = (endpoint: string) =>
  Effect.gen(function* () {
    const retryStrategy = yield* SdkRetryStrategy.make(AwsRetry.javascript)
    const { maxAttempts } = retryStrategy
    const credentials = { accessKeyId: "any", secretAccessKey: "any" }
    const where = { endpoint, region: "eu-central-1", credentials, forcePathStyle: true }
    const client = new S3Client({ ...where, retryStrategy, maxAttempts })
    yield* Effect.addFinalizer(() => Effect.sync(() => client.destroy()))
    return client
  })

const put = (client: S3Client, Key: string, Body: string) =>
  Effect.tryPromise(() => client.send(new PutObjectCommand({ Bucket: "invoices", Key, Body })))

const quota = Layer.effect(AwsRetry.Quota, AwsQuota.standard)
// #endregion

export const live = true

const scripted = Effect.gen(function* () {
  const { requests, url } = yield* serve(
    { status: 503, code: "SlowDown", body: "<Error><Code>SlowDown</Code></Error>" },
    { body: "" }
  )
  const { $metadata } = yield* Effect.flatMap(makeClient(url), (client) => put(client, "7.txt", "paid"))
  return { attempts: $metadata.attempts, requests }
})

export const program = scripted.pipe(
  Effect.scoped,
  Effect.provide(quota),
  Effect.provide(SeededRandom.layerConstant(0.01))
)

export const expected = { attempts: 2, requests: ["attempt=1; max=3", "attempt=2; max=3"] }
