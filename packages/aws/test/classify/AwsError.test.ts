import { AwsError } from "@effect-retry/aws"
import { describe, expect, it } from "@effect/vitest"
import * as Errors from "../support/Errors.ts"

const silent: AwsError.AwsError = {
  codes: [],
  status: undefined,
  fault: undefined,
  message: "",
  isRetryable: false,
  isThrottling: false,
  isSkewCorrected: false,
  connection: [],
  headers: []
}

describe("AwsError.read", () => {
  it("reads an exception of the SDK", () => {
    const error = Errors.exception(
      "SlowDown",
      503,
      { $retryable: { throttling: true }, $metadata: { httpStatusCode: 503, clockSkewCorrected: true } },
      { "X-Amz-Retry-After": "5", "Content-Type": "text/xml", Date: "today" }
    )
    expect(AwsError.read(error)).toEqual({
      codes: ["SlowDown"],
      status: 503,
      fault: "server",
      message: "words of the service",
      isRetryable: true,
      isThrottling: true,
      isSkewCorrected: true,
      connection: ["SlowDown"],
      headers: [
        ["x-amz-retry-after", "5"],
        ["date", "today"]
      ]
    })
  })

  const codes: ReadonlyArray<readonly [name: string, error: unknown, codes: ReadonlyArray<string>]> = [
    [
      "every place",
      { code: "A", Code: "B", errorCode: "C", Error: { Code: "D" }, __type: "E", name: "F", _tag: "G" },
      ["A", "B", "C", "D", "E", "F", "G"]
    ],
    ["a header", { headers: { "x-amzn-errortype": "A:http://host/" }, name: "B" }, ["A", "B"]],
    ["once each", { code: "A", name: "A", _tag: "A" }, ["A"]],
    ["namespaces and addresses", { __type: "com.amazon.coral#A", code: "aws.x#B:http://host/#C" }, ["B", "A"]],
    ["a dotted code", { Code: "AWS.SimpleQueueService.NonExistentQueue" }, ["AWS.SimpleQueueService.NonExistentQueue"]],
    ["names of the language", new RangeError("a"), []],
    ["names of platform", { _tag: "ResponseError", name: "ResponseError" }, []],
    ["numbers and signs", { code: 20, name: "", _tag: "<b>", errorCode: "1a", Code: "a b" }, []],
    ["what is too long", { code: `A${"x".repeat(100)}`, name: `B${"x".repeat(99)}` }, [`B${"x".repeat(99)}`]]
  ]
  it("finds codes, the fields named for one first", () => {
    expect(codes.map(([name, error]) => [name, error, AwsError.read(error).codes])).toEqual(codes)
  })

  const statuses: ReadonlyArray<readonly [error: unknown, status: number | undefined]> = [
    [{ $metadata: { httpStatusCode: 500 }, statusCode: 400 }, 500],
    [{ statusCode: 501, status: 400 }, 501],
    [{ status: 502, $response: { statusCode: 400 } }, 502],
    [{ $response: { statusCode: 503 } }, 503],
    [{ response: { status: 504 } }, 504],
    [{ ResponseMetadata: { HTTPStatusCode: 505 } }, 505],
    [{ status: "503" }, undefined],
    [{ status: 99 }, undefined],
    [{ status: 100 }, 100],
    [{ status: 599 }, 599],
    [{ status: 600 }, undefined],
    [{ status: 400.5 }, undefined],
    [{ status: NaN, statusCode: 503 }, 503]
  ]
  it("finds the status, a whole number", () => {
    expect(statuses.map(([error]) => [error, AwsError.read(error).status])).toEqual(statuses)
  })

  it("reads flags of the SDK and of the caller", () => {
    const flags = [{ $retryable: {} }, { retryable: true }, { throttling: true }, { $retryable: { throttling: true } }]
    const none = [
      { $retryable: null },
      { $retryable: false },
      { retryable: "yes" },
      { throttling: 1 },
      { $fault: "mine" }
    ]
    expect(flags.map(AwsError.read).map(({ isRetryable, isThrottling }) => [isRetryable, isThrottling])).toEqual([
      [true, false],
      [true, false],
      [false, true],
      [true, true]
    ])
    expect(none.map(AwsError.read)).toEqual(none.map(() => silent))
  })

  it("keeps a bounded part of the message", () => {
    expect(AwsError.read({ message: "x".repeat(1_000_000) }).message).toHaveLength(1_024)
  })
  it("never throws", () => {
    for (const [, error] of Errors.hostile) expect(AwsError.describe(AwsError.read(error)).length).toBeLessThan(121)
  })
})

describe("AwsError.chain", () => {
  it("reads the causes as far as asked", () => {
    const error = Errors.nested(3, { code: "A" })
    expect([0, 2, 3, 4].map((causes) => AwsError.chain(error, causes).map(({ codes }) => codes))).toEqual([
      [[]],
      [[], [], []],
      [[], [], [], ["A"]],
      [[], [], [], ["A"]]
    ])
  })
  it("ends when a cause is its own", () => {
    const error: { cause?: unknown } = {}
    error.cause = error
    expect(AwsError.chain(error, 10)).toHaveLength(11)
  })
  it("finds nothing in what is not an object", () => {
    expect([undefined, null, "SlowDown", 503].map((error) => AwsError.chain(error, 10))).toEqual([[], [], [], []])
  })
  it("names a request without a response last, unless a code says more", () => {
    const request = (cause?: unknown) => ({ _tag: "RequestError", reason: "Transport", cause })
    const last = (error: unknown) => AwsError.chain(error, 10).at(-1)?.connection
    expect([
      last(request()),
      last(request(new Error("closed"))),
      last(request({ code: "CERT_HAS_EXPIRED" })),
      last({ ...request(), reason: "Encode" })
    ]).toEqual([["Transport"], ["Transport"], ["CERT_HAS_EXPIRED"], ["RequestError"]])
  })
})

describe("AwsError.isAnswer", () => {
  it("is a failure that a service reported", () => {
    const errors = [{ status: 399 }, { status: 400 }, { $fault: "client" }, { code: "Throttling" }, { $metadata: {} }]
    expect(errors.map((error) => AwsError.isAnswer(AwsError.read(error)))).toEqual([false, true, true, false, false])
  })
})

describe("AwsError.isAborted", () => {
  it("is an abort by name, tag or code", () => {
    const errors = [{ name: "AbortError" }, { _tag: "AbortError" }, { code: "AbortError" }, { message: "AbortError" }]
    expect(errors.map((error) => AwsError.isAborted(AwsError.read(error)))).toEqual([true, true, true, false])
  })
})

describe("AwsError.describe", () => {
  it("names code and status", () => {
    const errors = [{ code: "A", status: 400 }, { code: "A" }, { status: 400 }, {}]
    expect(errors.map((error) => AwsError.describe(AwsError.read(error)))).toEqual([
      "A, status 400",
      "A",
      "status 400",
      "an error of a service"
    ])
  })
})
