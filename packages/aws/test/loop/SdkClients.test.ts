import { DynamoDBClient, GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb"
import { GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3"
import { ReceiveMessageCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@effect/vitest"
import { NodeHttpHandler } from "@smithy/node-http-handler"
import { Readable } from "node:stream"
import { isDeepStrictEqual } from "node:util"
import * as ScriptedServer from "../servers/ScriptedServer.ts"
import * as SharedTime from "./SdkRuns/SharedTime.ts"
import type { Mode, Side } from "./SdkRuns/Strategies.ts"
import { ours, theirs } from "./SdkRuns/Strategies.ts"

const { make: newTime } = SharedTime
type Answer = ScriptedServer.Answer

let server: ScriptedServer.ScriptedServer
beforeAll(async () => {
  server = await ScriptedServer.start()
})
afterAll(() => server.close())

/** Milliseconds that a client waits for an answer: only a server that hangs may exceed it, on a busy machine too. */
const patience = 20_000
let requestTimeout = patience
afterEach(() => {
  requestTimeout = patience
})

const common = (side: Side) => ({
  endpoint: server.url,
  region: "eu-west-1",
  credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret" },
  requestHandler: new NodeHttpHandler({ requestTimeout, throwOnRequestTimeout: true }),
  retryStrategy: side.strategy
})

const dynamodb = (side: Side) => new DynamoDBClient(common(side))
const sqs = (side: Side) => new SQSClient({ ...common(side), md5: false })
const s3 = (side: Side) =>
  new S3Client({ ...common(side), forcePathStyle: true, requestChecksumCalculation: "WHEN_REQUIRED" })

/** A call of a client, with an abort signal that a script may use. */
type Call = (side: Side, abortSignal: AbortSignal) => Promise<{ readonly $metadata: Metadata }>
interface Metadata {
  readonly attempts?: number | undefined
  readonly totalRetryDelay?: number | undefined
}

const Key = { id: { S: "1" } }
const getItem: Call = (side, abortSignal) =>
  dynamodb(side).send(new GetItemCommand({ TableName: "t", Key }), { abortSignal })
const putItem: Call = (side) => dynamodb(side).send(new PutItemCommand({ TableName: "t", Item: Key }))
const QueueUrl = "http://localhost/1/q"
const sendMessage: Call = (side) => sqs(side).send(new SendMessageCommand({ QueueUrl, MessageBody: "m" }))
const receive: Call = (side) => sqs(side).send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 1 }))
const getObject: Call = (side) => s3(side).send(new GetObjectCommand({ Bucket: "b", Key: "k" }))
const putObject: Call = (side) => s3(side).send(new PutObjectCommand({ Bucket: "b", Key: "k", Body: "v" }))
const streamed: Call = (side) =>
  s3(side).send(new PutObjectCommand({ Bucket: "b", Key: "k", Body: Readable.from(["v"]), ContentLength: 1 }))

const fine: Answer = { status: 200, headers: { "content-type": "application/x-amz-json-1.0" }, body: "{}" }
const xml = (status: number, code: string): Answer => ({
  status,
  headers: { "content-type": "application/xml" },
  body: `<Error><Code>${code}</Code><Message>m</Message></Error>`
})
const json = (status: number, type: string, headers: { readonly [name: string]: string } = {}): Answer => ({
  status,
  headers: { "content-type": "application/x-amz-json-1.0", ...headers },
  body: JSON.stringify({ __type: `com.amazonaws#${type}`, message: "m" })
})
const broken = json(500, "InternalServerError")
const throttled = json(400, "ThrottlingException")
const exceeded = json(400, "ProvisionedThroughputExceededException")
const invalid = json(400, "ValidationException")
const waiting = (millis: string) => json(503, "ServiceUnavailable", { "x-amz-retry-after": millis })

/** As nginx limits requests in front of a service: no code, and a page. */
const limited: Answer = { status: 429, headers: { "content-type": "text/html" }, body: "<html>429</html>" }

interface Script {
  readonly what: string
  readonly calls: ReadonlyArray<Call>
  readonly answers: ReadonlyArray<Answer>
  readonly draw?: number
}

const times = <A>(count: number, value: A): ReadonlyArray<A> => Array.from({ length: count }, () => value)

const scripts: ReadonlyArray<Script> = [
  { what: "successes", calls: [getItem, putItem, sendMessage, getObject], answers: times(4, fine) },
  { what: "throttles of DynamoDB", calls: [getItem, putItem], answers: [exceeded, throttled, fine, exceeded, fine] },
  { what: "server errors to the last attempt", calls: [putItem], answers: times(3, broken) },
  { what: "a failure, then a throttle", calls: [sendMessage], answers: [broken, throttled, fine] },
  {
    what: "a proxy that limits requests",
    calls: [getItem, getObject],
    answers: [limited, fine, limited, limited, fine]
  },
  { what: "resets", calls: [putItem, getObject], answers: ["reset", fine, "reset", "reset", xml(200, "none")] },
  { what: "a hanging server", calls: [getItem], answers: ["hang", fine] },
  { what: "server-directed waits", calls: [getItem, getItem], answers: [waiting("700"), waiting("90000"), fine, fine] },
  { what: "hints that are none", calls: [getItem], answers: [waiting("soon"), waiting("3"), fine] },
  { what: "errors that are not retried", calls: [putItem, getObject], answers: [invalid, xml(404, "NoSuchKey")] },
  {
    what: "S3 that slows down",
    calls: [putObject, getObject],
    answers: [xml(503, "SlowDown"), fine, xml(500, "I"), fine]
  },
  { what: "a streaming payload", calls: [streamed, getObject], answers: [xml(503, "SlowDown"), fine] },
  { what: "long polls", calls: [receive, receive], answers: [broken, fine, throttled, throttled, throttled] },
  // 17 operations of two retries take 476 tokens, and one retry of the next 14: then there are 10.
  { what: "an empty quota", calls: [...times(18, getItem), receive, getItem], answers: times(55, broken), draw: 0 },
  { what: "a poll on an empty quota", calls: [...times(18, getItem), receive], answers: times(54, broken), draw: 0.5 }
]

const outcome = async (call: Promise<{ readonly $metadata: Metadata }>) => {
  const told = (name: string, { $metadata: { attempts, totalRetryDelay } = {} }: { $metadata?: Metadata }) => ({
    name,
    attempts,
    totalRetryDelay
  })
  return call.then(
    (output) => told("fine", output),
    (error) => told(error.name, error)
  )
}

/** A rate limiter of the SDK waits once more when its timer has dropped a fraction: it is the sum that agrees. */
const sum = (waits: ReadonlyArray<number>): number => waits.reduce((total, wait) => total + wait, 0)

/** What a server and a caller see of a script, with the waits and the quota after each call. */
const run = async (make: typeof ours, mode: Mode, { answers, calls, draw = 0.5 }: Script) => {
  const time = newTime()
  time.draw = draw
  const side = await make(mode, time)
  server.received.length = 0
  server.script.splice(0, Infinity, ...answers)
  const seen = await side.run(async () => {
    const outcomes: Array<unknown> = []
    for (const call of calls) {
      const from = server.received.length
      const ended = await outcome(call(side, new AbortController().signal))
      const requests = server.received.slice(from).map(({ body, headers, method, url }) => ({
        method,
        url,
        body,
        attempt: headers["amz-sdk-request"],
        mode: /m\/([A-Z0-9b,]*)/.exec(headers["user-agent"] ?? "")?.[1]
      }))
      outcomes.push({ ...ended, requests, waitedMillis: sum(time.waits.splice(0)), level: side.level() })
    }
    return outcomes
  })
  return { seen, left: server.script.length }
}

/** All of it is waited for when the server hangs: the shortest is enough for a machine that does not stall. */
const timeouts = [200, 800, 3200]

/** What both sides do, when the server hangs under the first timeout under which they do the same. */
const compared = async (mode: Mode, script: Script) => {
  for (requestTimeout of script.answers.includes("hang") ? timeouts : []) {
    const expected = await run(theirs, mode, script)
    const found = await run(ours, mode, script)
    if (isDeepStrictEqual(found, expected)) return { expected, found }
  }
  requestTimeout = patience
  return { expected: await run(theirs, mode, script), found: await run(ours, mode, script) }
}

describe("clients of the SDK with SdkRetryStrategy.make", () => {
  for (const mode of ["standard", "adaptive"] as const) {
    it.each(scripts)(`${mode}: do as with the SDK's own strategy on $what`, async (script) => {
      const { expected, found } = await compared(mode, script)
      expect(found).toEqual(expected)
      expect(expected.left).toBe(0)
    })
  }

  it("dynamodb: do as with the strategy of DynamoDB's own client", async () => {
    const calls = [putItem, getItem, getItem, getItem]
    const script = [broken, limited, "reset", fine, ...times(4, throttled), limited, fine, invalid] as const
    const { expected, found } = await compared("dynamodb", { what: "DynamoDB", calls, answers: script })
    expect(found).toEqual(expected)
    expect(expected.left).toBe(0)
  })

  it.each([
    { name: "the SDK's own strategy", make: theirs },
    { name: "ours", make: ours }
  ])("end at once when the caller aborts, with $name", async ({ make }) => {
    const side = await make("standard", newTime())
    server.script.splice(0, Infinity, "hang")
    server.received.length = 0
    const controller = new AbortController()
    const ended = outcome(getItem(side, controller.signal))
    while (server.received.length === 0) await new Promise((resolve) => void setImmediate(resolve))
    controller.abort()
    expect(await ended).toMatchObject({ name: "AbortError" })
    expect([server.received.length, side.level()]).toEqual([1, 500])
  })
})
