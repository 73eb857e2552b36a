import { SeededRandom } from "@effect-retry/testing"
import { serve } from "./aws-server.ts"
// #region strategy
import { DynamoDBClient, GetItemCommand } from "@aws-sdk/client-dynamodb"
import { AwsQuota, AwsRetry, SdkRetryStrategy } from "@effect-retry/aws"
import { Effect, Layer } from "effect"

const credentials = { accessKeyId: "any", secretAccessKey: "any" }

const makeClient = (endpoint: string) =>
  Effect.gen(function* () {
    const retryStrategy = yield* SdkRetryStrategy.make(AwsRetry.javascriptDynamodb)
    const { maxAttempts } = retryStrategy
    const client = new DynamoDBClient({ endpoint, region: "eu-central-1", credentials, retryStrategy, maxAttempts })
    yield* Effect.addFinalizer(() => Effect.sync(() => client.destroy()))
    return client
  })

const quota = Layer.effect(AwsRetry.Quota, AwsQuota.standard)
// #endregion

// #region use
const getOrder = (client: DynamoDBClient, id: string) =>
  Effect.tryPromise(() => client.send(new GetItemCommand({ TableName: "orders", Key: { id: { S: id } } })))
// #endregion

export const live = true

const scripted = Effect.gen(function* () {
  const { requests, url } = yield* serve(
    { status: 400, code: "ProvisionedThroughputExceededException" },
    { status: 500, code: "InternalServerError" },
    { body: '{"Item":{"id":{"S":"7"}}}' }
  )
  const client = yield* makeClient(url)
  const { $metadata, Item } = yield* getOrder(client, "7")
  const level = yield* Effect.flatMap(AwsRetry.Quota, ({ level }) => level)
  return { id: Item?.["id"]?.S, attempts: $metadata.attempts, requests, level }
})

export const program = scripted.pipe(
  Effect.scoped,
  Effect.provide(quota),
  // The strategy draws from the `Random` of its effect: a hundredth of each bound is waited.
  Effect.provide(SeededRandom.layerConstant(0.01))
)

/** The throttle cost 5 tokens, the failure 14, which the success returned. */
export const expected = {
  id: "7",
  attempts: 3,
  requests: ["attempt=1; max=4", "attempt=2; max=4", "attempt=3; max=4"],
  level: 495
}
