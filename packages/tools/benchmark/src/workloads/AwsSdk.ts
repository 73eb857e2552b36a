import { DynamoDBClient, GetItemCommand } from "@aws-sdk/client-dynamodb"
import { AwsQuota, AwsRetry, SdkRetryStrategy } from "@effect-retry/aws"
import { HttpResponse } from "@smithy/core/protocols"
import { StandardRetryStrategy } from "@smithy/core/retry"
import { Effect } from "effect"
import { Readable } from "node:stream"
import type { Row, Workload } from "../Workload.ts"
import { awaitedOneByOne, type Pace } from "../Workload.ts"
import { policy } from "./Calls.ts"
import { withoutTimers } from "./Promises.ts"

const { maxAttempts } = policy

const theirs = () => new StandardRetryStrategy({ maxAttempts, baseDelay: 0 })

const ours = () =>
  Effect.runSync(
    Effect.flatMap(AwsQuota.standard, (bucket) =>
      SdkRetryStrategy.make({ ...AwsRetry.javascript, maxAttempts, backoff: policy.backoff, bucket })
    )
  )

type Strategy = ReturnType<typeof theirs> | ReturnType<typeof ours>

const answer = (statusCode: number): { readonly response: HttpResponse } => ({
  response: new HttpResponse({
    statusCode,
    headers: { "content-type": "application/x-amz-json-1.0" },
    body: Readable.from([Buffer.from("{}")])
  })
})

/** A client that answers from memory: so many times 500, and then 200. */
const client = (retryStrategy: Strategy, failures: number): DynamoDBClient => {
  let calls = 0
  return new DynamoDBClient({
    region: "eu-west-1",
    credentials: { accessKeyId: "key", secretAccessKey: "secret" },
    maxAttempts,
    retryStrategy,
    requestHandler: { handle: async () => answer(++calls % (failures + 1) === 0 ? 200 : 500) }
  })
}

const ways: { readonly [name: string]: () => Strategy } = {
  StandardRetryStrategy: theirs,
  "`SdkRetryStrategy`": ours
}

/**
 * A call takes a tenth of a millisecond and more: many of them, so that every sample has its share of the garbage, and
 * long enough before the first sample that what a call runs once is compiled, in every row.
 */
const pace: Pace = { warmUpMillis: 10_000, sampleMillis: 30, times: 100 }

const rows = (failures: number, atMost: number): ReadonlyArray<Row> =>
  Object.entries(ways).map(([name, strategy]) => {
    const sender = client(strategy(), failures)
    const command = () => new GetItemCommand({ TableName: "orders", Key: { id: { S: "1" } } })
    const sample = withoutTimers(awaitedOneByOne(() => sender.send(command()), pace))
    return { name, sample, ...(strategy === ours && { target: { of: "ratio", atMost } as const }) }
  })

const about =
  "A call of DynamoDB's client, signed, serialised and answered from memory; delays have base zero and no timers."

export const sdkSucceeds: Workload = {
  title: "AWS SDK: succeeds at once",
  about: [about, "Both strategies have a quota of 500 tokens."],
  unit: "ns",
  rounds: 41,
  baseline: "StandardRetryStrategy",
  rows: rows(0, 1.1)
}

export const sdkOneFailure: Workload = {
  title: "AWS SDK: one failure, then success",
  about: [about, "The first answer is a 500, for which the retry pays 14 tokens."],
  unit: "ns",
  rounds: 41,
  baseline: "StandardRetryStrategy",
  rows: rows(1, 1.15)
}
