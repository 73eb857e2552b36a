import { DynamoDBClient, GetItemCommand } from "@aws-sdk/client-dynamodb"
import { AwsQuota, AwsRetry, SdkRetryStrategy } from "@effect-retry/aws"
import { Console, Effect } from "effect"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

// Stands for DynamoDB: the table is throttled, then the service fails, and the third request is answered.
const replies = [
  { status: 400, code: "ProvisionedThroughputExceededException", body: "{}" },
  { status: 500, code: "InternalServerError", body: "{}" },
  { status: 200, code: "", body: '{"Item":{"id":{"S":"7"}}}' }
]
const server = createServer((request, response) => {
  const { body, code, status } = replies.shift() ?? { status: 500, code: "", body: "{}" }
  request.resume()
  const headers = { "content-type": "application/x-amz-json-1.0", "x-amzn-errortype": code }
  response.writeHead(status, headers).end(body)
})
await once(server.listen(0), "listening")

const program = Effect.gen(function* () {
  const { port } = server.address() as AddressInfo
  const quota = yield* AwsQuota.standard
  const retryStrategy = yield* SdkRetryStrategy.make({ ...AwsRetry.javascriptDynamodb, bucket: quota })
  const client = new DynamoDBClient({
    endpoint: `http://localhost:${port}`,
    region: "eu-central-1",
    credentials: { accessKeyId: "any", secretAccessKey: "any" },
    retryStrategy,
    maxAttempts: retryStrategy.maxAttempts
  })
  yield* Effect.addFinalizer(() => Effect.sync(() => client.destroy()))

  const command = new GetItemCommand({ TableName: "orders", Key: { id: { S: "7" } } })
  const { $metadata, Item } = yield* Effect.tryPromise(() => client.send(command))
  yield* Console.log("order", Item?.["id"]?.S, "after", $metadata.attempts, "attempts")
  yield* Console.log("tokens left:", yield* quota.level)
})

await Effect.runPromise(Effect.scoped(program))
server.close()
