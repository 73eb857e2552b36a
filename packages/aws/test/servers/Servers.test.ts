import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand
} from "@aws-sdk/client-dynamodb"
import {
  CreateBucketCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client
} from "@aws-sdk/client-s3"
import { ReceiveMessageCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs"
import { AwsQuota, AwsRetry, SdkRetryStrategy } from "@effect-retry/aws"
import { Backoff } from "@effect-retry/core"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@effect/vitest"
import dynalite from "dynalite"
import { Effect } from "effect"
import { type FauxqsServer, startFauxqs } from "fauxqs"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import * as FaultProxy from "./FaultProxy.ts"

const broken: FaultProxy.Fault = { status: 500, body: JSON.stringify({ __type: "InternalServerError" }) }
const throttled: FaultProxy.Fault = { status: 400, body: JSON.stringify({ __type: "ThrottlingException" }) }
const slowDown: FaultProxy.Fault = { status: 503, body: "<Error><Code>SlowDown</Code></Error>" }

/** The preset of all services, without its waits. */
const made = Effect.runSync(
  Effect.flatMap(AwsQuota.standard, (bucket) =>
    SdkRetryStrategy.make({ ...AwsRetry.javascript, backoff: Backoff.constant({ delay: 0 }), bucket })
  )
)

const common = (url: string) => ({
  endpoint: url,
  region: "us-east-1",
  credentials: { accessKeyId: "test", secretAccessKey: "test" },
  retryStrategy: made,
  maxAttempts: made.maxAttempts
})

describe("DynamoDB's client with SdkRetryStrategy, on dynalite", () => {
  let server: Server
  let proxy: FaultProxy.FaultProxy
  let client: DynamoDBClient
  const TableName = "orders"
  const Key = { id: { S: "1" } }
  const item = async () =>
    (await client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }))).Item?.["count"]?.N

  beforeAll(async () => {
    server = dynalite({ createTableMs: 0 })
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", () => resolve()))
    proxy = await FaultProxy.start((server.address() as AddressInfo).port)
    client = new DynamoDBClient(common(proxy.url))
    await client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: "PAY_PER_REQUEST",
        AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
        KeySchema: [{ AttributeName: "id", KeyType: "HASH" }]
      })
    )
    while ((await client.send(new DescribeTableCommand({ TableName }))).Table?.TableStatus !== "ACTIVE") {
      await new Promise((resolve) => void setImmediate(resolve))
    }
  })
  afterAll(async () => {
    client.destroy()
    await proxy.close()
    await new Promise<void>((resolve) => void server.close(() => resolve()))
  })
  beforeEach(async () => {
    await client.send(new PutItemCommand({ TableName, Item: { ...Key, count: { N: "0" } } }))
    proxy.passed.length = 0
  })

  it.each<{ readonly what: string; readonly faults: ReadonlyArray<FaultProxy.Fault>; readonly passed: number }>([
    { what: "nothing happens", faults: [], passed: 1 },
    { what: "the request is lost", faults: ["resetBefore"], passed: 1 },
    { what: "the answer is lost", faults: ["answerLost"], passed: 2 },
    { what: "the service is broken, then throttles", faults: [broken, throttled], passed: 1 }
  ])("puts an item when $what", async ({ faults, passed }) => {
    proxy.faults.push(...faults)
    const { $metadata } = await client.send(new PutItemCommand({ TableName, Item: { ...Key, count: { N: "7" } } }))
    expect($metadata.attempts).toBe(faults.length + 1)
    expect(proxy.passed).toHaveLength(passed)
    expect(await item()).toBe("7")
  })

  it("reads through faults", async () => {
    proxy.faults.push(throttled, "answerLost")
    expect(await item()).toBe("0")
    expect(proxy.passed).toHaveLength(2)
  })

  const increment = (from: string) =>
    client.send(
      new UpdateItemCommand({
        TableName,
        Key,
        UpdateExpression: "SET #c = #c + :one",
        ConditionExpression: "#c = :from",
        ExpressionAttributeNames: { "#c": "count" },
        ExpressionAttributeValues: { ":one": { N: "1" }, ":from": { N: from } }
      })
    )

  it.each<{ readonly what: string; readonly fault: FaultProxy.Fault }>([
    { what: "the request is lost", fault: "resetBefore" },
    { what: "the service is broken", fault: broken },
    { what: "the service throttles", fault: throttled }
  ])("writes under a condition exactly once when $what", async ({ fault }) => {
    proxy.faults.push(fault)
    await increment("0")
    expect(await item()).toBe("1")
    expect(proxy.passed.filter((operation) => operation.endsWith("UpdateItem"))).toHaveLength(1)
  })

  it("writes under a condition exactly once when the answer is lost, and says that the condition fails", async () => {
    proxy.faults.push("answerLost")
    await expect(increment("0")).rejects.toMatchObject({
      name: "ConditionalCheckFailedException",
      $metadata: { attempts: 2 }
    })
    expect(await item()).toBe("1")
  })

  it("does not repeat a condition that fails", async () => {
    await expect(increment("5")).rejects.toMatchObject({ $metadata: { attempts: 1 } })
    expect(proxy.passed).toHaveLength(1)
  })

  it("throws the error of the service when the attempts are spent", async () => {
    proxy.faults.push(broken, throttled, throttled)
    await expect(increment("0")).rejects.toMatchObject({ name: "ThrottlingException", $metadata: { attempts: 3 } })
    expect(proxy.passed).toEqual([])
  })
})

describe("the clients of SQS and S3 with SdkRetryStrategy, on fauxqs", () => {
  let server: FauxqsServer
  let proxy: FaultProxy.FaultProxy
  let sqs: SQSClient
  let s3: S3Client
  let QueueUrl: string
  const Bucket = "bucket"

  beforeAll(async () => {
    server = await startFauxqs({ port: 0, logger: false })
    proxy = await FaultProxy.start(server.port)
    sqs = new SQSClient({ ...common(proxy.url), useQueueUrlAsEndpoint: false })
    s3 = new S3Client({ ...common(proxy.url), forcePathStyle: true })
    await s3.send(new CreateBucketCommand({ Bucket }))
  })
  afterAll(async () => {
    sqs.destroy()
    s3.destroy()
    await proxy.close()
    await server.stop()
  })
  let queues = 0
  beforeEach(() => {
    QueueUrl = server.createQueue(`queue-${++queues}`).queueUrl
    proxy.passed.length = 0
  })
  const ready = () => server.inspectQueue(`queue-${queues}`)?.messages.ready.length

  it.each<{ readonly what: string; readonly fault: FaultProxy.Fault; readonly sent: number }>([
    { what: "the request is lost", fault: "resetBefore", sent: 1 },
    { what: "the service throttles", fault: throttled, sent: 1 },
    // A standard queue delivers at least once: the producer cannot know that the first message is there.
    { what: "the answer is lost", fault: "answerLost", sent: 2 }
  ])("leaves $sent messages in a queue when $what", async ({ fault, sent }) => {
    proxy.faults.push(fault)
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "m" }))
    expect(ready()).toBe(sent)
  })

  it("receives by long polling through faults", async () => {
    proxy.faults.push(broken, "resetBefore")
    const received = sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }))
    while (proxy.passed.length === 0) await new Promise((resolve) => void setImmediate(resolve))
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "late" }))
    const { $metadata, Messages } = await received
    expect(Messages?.map(({ Body }) => Body)).toEqual(["late"])
    expect($metadata.attempts).toBe(3)
  })

  it.each<{ readonly what: string; readonly faults: ReadonlyArray<FaultProxy.Fault> }>([
    { what: "the request is lost", faults: ["resetBefore"] },
    { what: "the answer is lost", faults: ["answerLost"] },
    { what: "the service slows down, twice", faults: [slowDown, slowDown] }
  ])("puts one object and gets it when $what", async ({ faults }) => {
    const Key = `object-${queues}`
    proxy.faults.push(...faults)
    const put = await s3.send(new PutObjectCommand({ Bucket, Key, Body: "content" }))
    expect(put.$metadata.attempts).toBe(faults.length + 1)
    proxy.faults.push(...faults)
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }))
    expect(await Body?.transformToString()).toBe("content")
    expect((await s3.send(new ListObjectsV2Command({ Bucket, Prefix: Key }))).KeyCount).toBe(1)
  })
})
