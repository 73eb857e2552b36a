import { serve } from "./aws-server.ts"
// #region promise
import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb"
import { AwsQuota, AwsRetry, Sdk } from "@effect-retry/aws"
import { AttemptTimeout, Deadline } from "@effect-retry/core"
import { Effect } from "effect"

const policy = {
  ...AwsRetry.javascriptDynamodb,
  attemptTimeout: AttemptTimeout.constant("2 seconds"),
  deadline: Deadline.refuse("10 seconds"),
  bucket: Effect.runSync(AwsQuota.standard)
}

const tables = async (client: DynamoDBClient) => {
  const { TableNames = [] } = await Sdk.promise(
    client,
    (options) => client.send(new ListTablesCommand({}), options),
    policy
  )
  return TableNames
}
// #endregion

export const live = true

const credentials = { accessKeyId: "any", secretAccessKey: "any" }

export const program = Effect.gen(function* () {
  const { requests, url } = yield* serve({ status: 503 }, { body: '{"TableNames":["orders"]}' })
  const client = new DynamoDBClient({ endpoint: url, region: "eu-central-1", credentials, maxAttempts: 1 })
  return { tables: yield* Effect.promise(() => tables(client)), requests: requests.length }
}).pipe(Effect.scoped)

export const expected = { tables: ["orders"], requests: 2 }
