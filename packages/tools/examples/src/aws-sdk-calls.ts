import { SeededRandom } from "@effect-retry/testing"
import { serve } from "./aws-server.ts"
// #region calls
import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb"
import { AwsQuota, AwsRetry, Sdk } from "@effect-retry/aws"
import { AttemptTimeout, Deadline } from "@effect-retry/core"
import { Effect, Layer } from "effect"

const policy = {
  ...AwsRetry.javascriptDynamodb,
  attemptTimeout: AttemptTimeout.constant("2 seconds"),
  deadline: Deadline.refuse("10 seconds")
}

const credentials = { accessKeyId: "any", secretAccessKey: "any" }

const listTables = (endpoint: string) => {
  const client = new DynamoDBClient({ endpoint, region: "eu-central-1", credentials, maxAttempts: 1 })
  return Sdk.retry(client, (options) => client.send(new ListTablesCommand({}), options), policy)
}
// #endregion

export const live = true

const scripted = Effect.gen(function* () {
  const { requests, url } = yield* serve({ status: 503 }, { body: '{"TableNames":["orders"]}' })
  const { TableNames } = yield* listTables(url)
  return { TableNames, requests }
})

export const program = scripted.pipe(
  Effect.scoped,
  Effect.provide(Layer.effect(AwsRetry.Quota, AwsQuota.standard)),
  Effect.provide(SeededRandom.layerConstant(0.5))
)

export const expected = { TableNames: ["orders"], requests: ["attempt=1; max=1", "attempt=1; max=1"] }
