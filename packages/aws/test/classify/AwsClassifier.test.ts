import { HttpClientError, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { AwsClassifier, ErrorTable } from "@effect-retry/aws"
import { AttemptTimeout, Classifier, Verdict } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Data, Duration, FastCheck as fc, Option } from "effect"
import * as Errors from "../support/Errors.ts"
import * as Verdicts from "../support/Verdicts.ts"

const { exception, named, nested, socketError } = Errors
const tables = ["standard", "sts", "guide", "javascript", "botocore", "botocoreLegacy", "kotlin"] as const
const { botocore, botocoreLegacy, guide, javascript, kotlin, sts } = AwsClassifier
const classifiers = { standard: AwsClassifier.standard, sts, guide, javascript, botocore, botocoreLegacy, kotlin }
const judge = (name: (typeof tables)[number], nowMillis = 0) => Verdicts.judgeWith(classifiers[name], nowMillis)
const standard = judge("standard")

/** Source: https://github.com/boto/botocore at 0e6e240, botocore/retries/standard.py; the same in all other SDKs. */
const throttlingCodes = [
  "BandwidthLimitExceeded",
  "EC2ThrottledException",
  "LimitExceededException",
  "PriorRequestNotComplete",
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "RequestThrottled",
  "RequestThrottledException",
  "SlowDown",
  "ThrottledException",
  "Throttling",
  "ThrottlingException",
  "TooManyRequestsException",
  "TransactionInProgressException"
]

describe("AwsClassifier: a throttling code", () => {
  for (const name of ["standard", "sts", "guide", "javascript", "botocore", "kotlin"] as const) {
    it(`is a throttle by ${name}`, () => {
      expect(throttlingCodes.map((code) => judge(name)(exception(code, 400)))).toEqual(
        throttlingCodes.map(() => "Throttling")
      )
    })
  }
  it("comes before the status of a server's fault", () => {
    for (const name of ["standard", "guide", "javascript", "botocore", "kotlin"] as const) {
      expect(judge(name)(exception("SlowDown", 503))).toBe("Throttling")
    }
  })
})

describe("AwsClassifier: codes and statuses by SDK", () => {
  type Row = readonly [
    code: string,
    status: number,
    standard: string,
    guide: string,
    javascript: string,
    botocore: string,
    kotlin: string
  ]
  const never = (code: string, status: number) => `never: ${code}, status ${status}`
  const all = (code: string, status: number, verdict: string): Row => [
    code,
    status,
    verdict,
    verdict,
    verdict,
    verdict,
    verdict
  ]
  /**
   * Sources: https://github.com/boto/botocore at 0e6e240; `@smithy/core` 3.41.0 on npm; aws/aws-sdk-kotlin at 05ea93b,
   * AwsRetryPolicy.kt; https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html.
   */
  const rows: ReadonlyArray<Row> = [
    ["RequestTimeout", 400, "Timeout", "Timeout", "Timeout", "Timeout", "Transient"],
    ["RequestTimeoutException", 408, "Timeout", "Timeout", "Timeout", "Timeout", "Transient"],
    [
      "InternalError",
      200,
      "Transient",
      "never: InternalError, status 200",
      "never: InternalError, status 200",
      "never: InternalError, status 200",
      "never: InternalError, status 200"
    ],
    [
      "IDPCommunicationError",
      400,
      never("IDPCommunicationError", 400),
      never("IDPCommunicationError", 400),
      never("IDPCommunicationError", 400),
      never("IDPCommunicationError", 400),
      "Transient"
    ],
    all("InternalServerError", 500, "Transient"),
    all("BadError", 502, "Transient"),
    all("ServiceUnavailable", 503, "Transient"),
    all("GatewayTimeout", 504, "Transient"),
    all("ValidationException", 400, never("ValidationException", 400)),
    all("AccessDenied", 403, never("AccessDenied", 403)),
    all("ResourceNotFoundException", 404, never("ResourceNotFoundException", 404)),
    all("NotImplemented", 501, never("NotImplemented", 501)),
    all("BadRequest", 509, never("BadRequest", 509)),
    [
      "SomeLimit",
      429,
      never("SomeLimit", 429),
      never("SomeLimit", 429),
      "Throttling",
      never("SomeLimit", 429),
      never("SomeLimit", 429)
    ],
    ["Late", 408, never("Late", 408), "Timeout", never("Late", 408), never("Late", 408), never("Late", 408)],
    [
      "ThrottlingException",
      409,
      "Throttling",
      never("ThrottlingException", 409),
      "Throttling",
      "Throttling",
      "Throttling"
    ]
  ]
  it("agree with their sources", () => {
    expect(
      rows.map(([code, status]) => [
        code,
        status,
        ...(["standard", "guide", "javascript", "botocore", "kotlin"] as const).map((name) =>
          judge(name)(exception(code, status))
        )
      ])
    ).toEqual(rows)
  })
})

describe("AwsClassifier.guide", () => {
  // Source: https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html, in its form before 2026.
  const transient = [400, 408, 500, 502, 503, 504]
  const throttling = [400, 403, 429, 502, 503, 509]
  const statuses = Array.from({ length: 200 }, (_, index) => 400 + index)
  const kinds = (error: (status: number) => unknown) =>
    statuses.map((status) => [status, judge("guide")(error(status)).replace(/^never.*/, "never")])
  const expected = (verdict: (status: number) => string) => statuses.map((status) => [status, verdict(status)])
  const bare = (status: number) =>
    status === 408 ? "Timeout" : [500, 502, 503, 504].includes(status) ? "Transient" : "never"

  it("retries a transient status by itself, except bad requests", () => {
    expect(kinds((status) => ({ status }))).toEqual(expected(bare))
  })
  it("calls a throttling status a throttle if a code says so", () => {
    expect(kinds((status) => ({ code: "Throttling", status }))).toEqual(
      expected((status) => (throttling.includes(status) ? "Throttling" : bare(status)))
    )
  })
  it("calls a throttling status a throttle if a flag says so", () => {
    expect(kinds((status) => ({ $retryable: { throttling: true }, status }))).toEqual(
      expected((status) => (throttling.includes(status) ? "Throttling" : bare(status)))
    )
  })
  it("heeds the flag of a transient failure beside a transient status", () => {
    expect(kinds((status) => ({ $retryable: {}, status }))).toEqual(
      expected((status) => (transient.includes(status) ? "Transient" : bare(status)))
    )
  })
  it("believes a code or a flag without a status", () => {
    expect([judge("guide")({ code: "Throttling" }), judge("guide")({ $retryable: {} })]).toEqual([
      "Throttling",
      "Transient"
    ])
  })
})

describe("AwsClassifier.botocore", () => {
  type Row = readonly [status: number | undefined, error: unknown, verdict: string]
  const answer = (status: number | undefined, code?: string) =>
    code === undefined
      ? { ResponseMetadata: { HTTPStatusCode: status } }
      : { Error: { Code: code, Message: "words" }, ResponseMetadata: { HTTPStatusCode: status } }
  /** Source: https://github.com/boto/botocore at 0e6e240, tests/unit/retries/test_standard.py. */
  const throttled: ReadonlyArray<Row> = [
    [400, "Throttling", "Throttling"],
    [400, "ThrottlingException", "Throttling"],
    [400, "ThrottledException", "Throttling"],
    [400, "RequestThrottledException", "Throttling"],
    [400, "TooManyRequestsException", "Throttling"],
    [400, "ProvisionedThroughputExceededException", "Throttling"],
    [400, "TransactionInProgressException", "Throttling"],
    [503, "RequestLimitExceeded", "Throttling"],
    [509, "BandwidthLimitExceeded", "Throttling"],
    [400, "LimitExceededException", "Throttling"],
    [403, "RequestThrottled", "Throttling"],
    [503, "SlowDown", "Throttling"],
    // Listed as transient there as well; the throttle is asked first for cost and delay.
    [400, "PriorRequestNotComplete", "Throttling"],
    [502, "EC2ThrottledException", "Throttling"],
    [400, "NotAThrottlingError", "never: NotAThrottlingError, status 400"],
    [500, "InternalServerError", "Transient"],
    [400, undefined, "never: status 400"],
    [500, undefined, "Transient"],
    [200, undefined, "no opinion"]
  ]
  const transient: ReadonlyArray<Row> = [
    [400, "RequestTimeout", "Timeout"],
    [400, "RequestTimeoutException", "Timeout"],
    [500, undefined, "Transient"],
    [502, undefined, "Transient"],
    [503, undefined, "Transient"],
    [504, undefined, "Transient"],
    [500, "InternalServiceError", "Transient"],
    [502, "BadError", "Transient"],
    [undefined, socketError("ECONNRESET"), "Transient"],
    [
      undefined,
      new HttpClientError.RequestError({ request: HttpClientRequest.get("http://a/"), reason: "Transport" }),
      "Transient"
    ],
    [200, undefined, "no opinion"],
    [400, undefined, "never: status 400"]
  ]
  const errorOf = ([status, error]: Row) =>
    error === undefined || typeof error === "string" ? answer(status, error) : error
  it("agrees with botocore's own tables", () => {
    const rows = [...throttled, ...transient]
    expect(rows.map((row) => [row[0], row[1], judge("botocore")(errorOf(row))])).toEqual(rows)
  })

  /** Source: the same file, `RETRYABLE_MODELED_ERRORS`: traits are what `$retryable` carries. */
  it("heeds modelled errors", () => {
    expect([
      judge("botocore")(exception("ModeledThrottlingError", 400, { $retryable: { throttling: true } })),
      judge("botocore")(exception("ModeledRetryableError", 400, { $retryable: {} })),
      judge("botocore")(exception("ErrorCodeRetryable", 400, { $retryable: { throttling: true } })),
      judge("botocore")(exception("NonRetryableError", 400))
    ]).toEqual(["Throttling", "Transient", "Throttling", "never: NonRetryableError, status 400"])
  })

  /** Source: https://github.com/boto/botocore at 0e6e240, tests/unit/retries/test_special.py. */
  it("retries an identity provider that does not answer for STS only", () => {
    const sts = AwsClassifier.fromTable(
      ErrorTable.withCodes(ErrorTable.botocore, { IDPCommunicationError: "Transient" })
    )
    expect([
      Verdicts.judgeWith(sts)(answer(400, "IDPCommunicationError")),
      judge("botocore")(answer(400, "IDPCommunicationError")),
      Verdicts.judgeWith(sts)(answer(400, "NotIDPCommunicationError"))
    ]).toEqual(["Transient", "never: IDPCommunicationError, status 400", "never: NotIDPCommunicationError, status 400"])
  })
})

describe("AwsClassifier.sts", () => {
  it("retries an identity provider that does not answer, and everything that is standard", () => {
    expect([
      judge("sts")(exception("IDPCommunicationError", 400)),
      judge("sts")(exception("SlowDown", 503)),
      judge("sts")(exception("ValidationException", 400))
    ]).toEqual(["Transient", "Throttling", "never: ValidationException, status 400"])
  })
})

describe("AwsClassifier.botocoreLegacy", () => {
  /** Source: https://github.com/boto/botocore at 0e6e240, botocore/data/_retry.json, `__default__`. */
  const rows: ReadonlyArray<readonly [code: string | undefined, status: number, verdict: string]> = [
    [undefined, 500, "Transient"],
    [undefined, 502, "Transient"],
    [undefined, 503, "Transient"],
    [undefined, 504, "Transient"],
    [undefined, 509, "Throttling"],
    [undefined, 429, "Throttling"],
    ["Throttling", 400, "Throttling"],
    ["ThrottlingException", 400, "Throttling"],
    ["ThrottledException", 400, "Throttling"],
    ["RequestThrottledException", 400, "Throttling"],
    ["ProvisionedThroughputExceededException", 400, "Throttling"],
    ["ThrottlingException", 403, "never: ThrottlingException, status 403"],
    ["SlowDown", 400, "never: SlowDown, status 400"],
    ["RequestTimeout", 400, "never: RequestTimeout, status 400"]
  ]
  it("retries by code and status together", () => {
    expect(rows.map(([code, status]) => [code, status, judge("botocoreLegacy")({ code, status })])).toEqual(rows)
  })
  it("does not heed modelled errors", () => {
    expect(judge("botocoreLegacy")(exception("Odd", 400, { $retryable: { throttling: true } }))).toBe(
      "never: Odd, status 400"
    )
  })
  it("retries a failed connection", () => {
    expect(judge("botocoreLegacy")(socketError("ECONNREFUSED"))).toBe("Transient")
  })

  /** Source: the same file, by service. */
  const services: ReadonlyArray<
    readonly [service: keyof typeof ErrorTable.botocoreLegacyServices, code: string, status: number, verdict: string]
  > = [
    ["dynamodb", "ReplicatedWriteConflictException", 409, "Transient"],
    ["dynamodb", "TransactionInProgressException", 400, "Throttling"],
    ["ec2", "RequestLimitExceeded", 503, "Throttling"],
    ["ec2", "EC2ThrottledException", 503, "Throttling"],
    ["cloudsearch", "BandwidthLimitExceeded", 509, "Throttling"],
    ["kinesis", "LimitExceededException", 400, "Throttling"],
    ["sqs", "RequestThrottled", 403, "Throttling"],
    ["s3", "RequestTimeout", 400, "Timeout"],
    ["s3", "BadDigest", 400, "Transient"],
    ["glacier", "RequestTimeoutException", 408, "Timeout"],
    ["route53", "Throttling", 400, "Throttling"],
    ["route53", "PriorRequestNotComplete", 400, "Throttling"],
    ["sts", "IDPCommunicationError", 400, "Transient"],
    ["organizations", "TooManyRequestsException", 400, "Throttling"]
  ]
  it("takes the rows of a service, each beside its status alone", () => {
    const of = (service: keyof typeof ErrorTable.botocoreLegacyServices) =>
      Verdicts.judgeWith(
        AwsClassifier.fromTable(
          ErrorTable.withCodes(ErrorTable.botocoreLegacy, ErrorTable.botocoreLegacyServices[service])
        )
      )
    expect(services.map(([service, code, status]) => [service, code, status, of(service)({ code, status })])).toEqual(
      services
    )
    expect(services.map(([service, code]) => of(service)({ code, status: 404 }))).toEqual(
      services.map(([, code]) => `never: ${code}, status 404`)
    )
  })
})

describe("AwsClassifier.kotlin", () => {
  const retryable = { $retryable: {} }
  const flagged = (more: object) => ({ name: "Odd", retryable: true, ...more })
  /** Source: smithy-lang/smithy-kotlin at 6373a5f, StandardRetryPolicyTest.kt, and its StandardRetryPolicy.kt. */
  const rows: ReadonlyArray<readonly [name: string, error: unknown, verdict: string]> = [
    ["any, throttling flag", { throttling: true }, "Throttling"],
    ["service, throttling flag", { $fault: "client", throttling: true }, "Throttling"],
    ["service, retryable flag, server", flagged({ $fault: "server" }), "Server"],
    ["service, retryable flag, client", flagged({ $fault: "client" }), "Client"],
    ["service, both flags, client", exception("Odd", 400, { $retryable: { throttling: true } }), "Client"],
    ["service, both flags, known code", exception("SlowDown", 400, { $retryable: { throttling: true } }), "Throttling"],
    ["service, retryable flag, known status", exception("Odd", 500, retryable), "Transient"],
    ["client, retryable flag", { name: "ClientException", ...retryable }, "Client"],
    ["base, retryable flag", flagged({}), "Transient"],
    ["base, connection", named("TimeoutError"), "Transient"],
    ["client, no flag", named("ClientException"), "no opinion"],
    ["unknown type", new RangeError("argument"), "no opinion"]
  ]
  it("judges flags by the type of the exception", () => {
    expect(rows.map(([name, error]) => [name, error, judge("kotlin")(error)])).toEqual(rows)
  })
})

describe("AwsClassifier.javascript", () => {
  it("retries an expired signature", () => {
    const expired = named("InvalidSignatureException", "Signature expired: 20261120T000000Z is now earlier", {
      $fault: "client"
    })
    const wrong = named("InvalidSignatureException", "does not match", { $fault: "client" })
    expect([judge("javascript")(expired), judge("javascript")(wrong)]).toEqual([
      "Transient",
      "never: InvalidSignatureException"
    ])
  })
  it("finds a throttle inside the error with which Effect wraps a rejected promise, and in no other cause", () => {
    const cause = exception("SlowDown", 400)
    expect([new Cause.UnknownException(cause), new Error("outer", { cause })].map(judge("javascript"))).toEqual([
      "Throttling",
      "never: SlowDown, status 400"
    ])
  })
  it("reads either header, against the clock of the moment", () => {
    const headers = { "Retry-After": "Fri, 20 Nov 2026 00:00:30 GMT", "x-amz-retry-after": "1" }
    expect(judge("javascript", Date.UTC(2026, 10, 20))(exception("SlowDown", 503, {}, headers))).toBe("Throttling 30s")
  })
})

describe("AwsClassifier.standard", () => {
  const request = HttpClientRequest.get("http://localhost/?secret=hidden")
  const response = (status: number, headers: Record<string, string> = {}) =>
    HttpClientResponse.fromWeb(request, new Response(null, { status, headers }))
  const transportError = (cause?: unknown) => new HttpClientError.RequestError({ request, reason: "Transport", cause })
  const http2 = socketError("ERR_HTTP2_STREAM_ERROR", {
    message: "Stream closed with error code NGHTTP2_REFUSED_STREAM"
  })

  /** Source of codes and messages: `@smithy/core` 3.41.0 on npm, service-error-classification, read 2026-11-22. */
  const connections: ReadonlyArray<readonly [name: string, error: unknown, verdict: string]> = [
    ["reset", socketError("ECONNRESET"), "Transient"],
    ["refused", socketError("ECONNREFUSED"), "Transient"],
    ["broken pipe", socketError("EPIPE"), "Transient"],
    ["connect timeout", socketError("ETIMEDOUT"), "Timeout"],
    ["host unreachable", socketError("EHOSTUNREACH"), "Transient"],
    ["network unreachable", socketError("ENETUNREACH"), "Transient"],
    ["no such host", socketError("ENOTFOUND"), "Transient"],
    ["resolver busy", socketError("EAI_AGAIN"), "Transient"],
    ["timeout of the SDK's handlers", named("TimeoutError", "timed out"), "Timeout"],
    ["reset that the SDK's handler renamed", socketError("ECONNRESET", { name: "TimeoutError" }), "Transient"],
    ["refused stream", http2, "Transient"],
    ["other end of a stream", socketError("ERR_HTTP2_STREAM_ERROR"), "no opinion"],
    ["Chromium", new TypeError("Failed to fetch"), "Transient"],
    ["Firefox", new TypeError("NetworkError when attempting to fetch resource"), "Transient"],
    ["Safari offline", new TypeError("The Internet connection appears to be offline"), "Transient"],
    ["Safari", new TypeError("Load failed"), "Transient"],
    ["React Native", new TypeError("Network request failed"), "Transient"],
    ["the same words of another error", new Error("Failed to fetch"), "no opinion"],
    ["another type error", new TypeError("x is not a function"), "no opinion"],
    ["a file", socketError("ENOENT"), "no opinion"],
    ["undici's socket", new TypeError("fetch failed", { cause: socketError("UND_ERR_SOCKET") }), "Transient"],
    [
      "undici's connect timeout",
      new TypeError("fetch failed", { cause: socketError("UND_ERR_CONNECT_TIMEOUT") }),
      "Timeout"
    ],
    [
      "undici's headers timeout",
      new TypeError("fetch failed", { cause: socketError("UND_ERR_HEADERS_TIMEOUT") }),
      "Timeout"
    ],
    ["undici's body timeout", new TypeError("terminated", { cause: socketError("UND_ERR_BODY_TIMEOUT") }), "Timeout"],
    [
      "attempt timeout of a policy",
      new AttemptTimeout.AttemptTimedOut({ attempt: 1, after: Duration.seconds(1) }),
      "Timeout"
    ],
    ["timeout of Effect", new Cause.TimeoutException(), "Timeout"]
  ]
  it("knows failures without a response", () => {
    expect(connections.map(([name, error]) => [name, error, standard(error)])).toEqual(connections)
  })

  /** Errors of the caller's own, and of other clients. */
  class TableBusy extends Data.TaggedError("TableBusy")<{ readonly code: string; readonly statusCode?: number }> {}
  class ThrottlingException extends Data.TaggedError("ThrottlingException")<{ readonly message: string }> {}
  class Wrapped extends Data.TaggedError("Wrapped")<{ readonly cause: unknown }> {}
  const shapes: ReadonlyArray<readonly [name: string, error: unknown, verdict: string]> = [
    ["tagged, with a code", new TableBusy({ code: "SlowDown", statusCode: 503 }), "Throttling"],
    ["tagged, with a status", new TableBusy({ code: "odd", statusCode: 500 }), "Transient"],
    ["tagged, refused", new TableBusy({ code: "odd", statusCode: 409 }), "never: odd, status 409"],
    ["tagged, code alone", new TableBusy({ code: "odd" }), "no opinion"],
    ["tagged by a code", new ThrottlingException({ message: "" }), "Throttling"],
    ["around an exception", new Wrapped({ cause: exception("SlowDown", 503) }), "Throttling"],
    [
      "around a refusal",
      new Wrapped({ cause: exception("ValidationException", 400) }),
      "never: ValidationException, status 400"
    ],
    ["around anything else", new Wrapped({ cause: "SlowDown" }), "no opinion"],
    ["a rejected promise of Effect", new Cause.UnknownException(exception("SlowDown", 503)), "Throttling"],
    ["version 2 of the SDK", named("Odd", "", { code: "Odd", statusCode: 400, retryable: true }), "Transient"],
    [
      "version 2, refused",
      named("Odd", "", { code: "Odd", statusCode: 400, retryable: false }),
      "never: Odd, status 400"
    ],
    [
      "a namespace and an address",
      { __type: "com.amazonaws.dynamodb.v20120810#SlowDown:http://a/", status: 400 },
      "Throttling"
    ],
    ["a parsed document", { Error: { Code: "SlowDown" }, ResponseMetadata: { HTTPStatusCode: 400 } }, "Throttling"],
    ["a response", { status: 503, headers: {} }, "Transient"],
    ["a response of Node", { statusCode: 404, headers: {} }, "never: status 404"],
    ["a response with a code", { status: 400, headers: { "X-Amzn-ErrorType": "ThrottlingException:" } }, "Throttling"],
    ["a response of fetch", new Response(null, { status: 504 }), "Transient"],
    ["a success", { status: 200, headers: { "x-amz-retry-after": "5000" } }, "no opinion"],
    ["a response of platform", response(502), "Transient"],
    [
      "a response error of platform",
      new HttpClientError.ResponseError({
        request,
        response: response(400, { "x-amzn-errortype": "SlowDown", "x-amz-retry-after": "7000" }),
        reason: "StatusCode"
      }),
      "Throttling 7s"
    ],
    [
      "refused over platform",
      new HttpClientError.ResponseError({ request, response: response(404), reason: "StatusCode" }),
      "never: status 404"
    ],
    ["transport of platform", transportError(), "Transient"],
    ["transport of platform, reset", transportError(socketError("ECONNRESET")), "Transient"],
    ["transport of platform, timeout", transportError(named("TimeoutError")), "Timeout"],
    [
      "transport of platform, without a code",
      transportError(new TypeError("fetch failed", { cause: new Error("closed") })),
      "Transient"
    ],
    ["transport of platform, a certificate", transportError(socketError("CERT_HAS_EXPIRED")), "no opinion"],
    ["transport of platform, aborted", transportError(named("AbortError")), "never: aborted"],
    ["an address of platform", new HttpClientError.RequestError({ request, reason: "InvalidUrl" }), "no opinion"],
    ["a service without a code", { $fault: "client" }, "never: an error of a service"],
    ["an error", new Error("boom"), "no opinion"],
    ["a tag", { _tag: "Busy" }, "no opinion"]
  ]
  it("reads errors by their shape", () => {
    expect(shapes.map(([name, error]) => [name, error, standard(error)])).toEqual(shapes)
  })

  /** Source: https://smithy.io/2.0/spec/behavior-traits.html#smithy-api-retryable-trait. */
  const flags: ReadonlyArray<readonly [name: string, error: unknown, verdict: string]> = [
    ["retryable", exception("Odd", 400, { $retryable: {} }), "Transient"],
    ["throttling", exception("Odd", 400, { $retryable: { throttling: true } }), "Throttling"],
    ["not throttling", exception("Odd", 400, { $retryable: { throttling: false } }), "Transient"],
    ["throttling, on a server's fault", exception("Odd", 500, { $retryable: { throttling: true } }), "Throttling"],
    ["a throttling code, modelled as retryable", exception("SlowDown", 400, { $retryable: {} }), "Throttling"],
    [
      "a timeout code, modelled as a throttle",
      exception("RequestTimeout", 400, { $retryable: { throttling: true } }),
      "Throttling"
    ],
    ["a timeout code on a server's fault", exception("RequestTimeout", 500), "Timeout"],
    [
      "clock corrected",
      exception("Odd", 403, { $metadata: { httpStatusCode: 403, clockSkewCorrected: true } }),
      "Transient"
    ],
    ["without a flag", exception("Odd", 400, { $retryable: undefined }), "never: Odd, status 400"]
  ]
  it("heeds flags before the status, and a throttle before everything else", () => {
    expect(flags.map(([name, error]) => [name, error, standard(error)])).toEqual(flags)
  })

  it("follows as many causes as the table says", () => {
    const depths = Array.from({ length: 13 }, (_, depth) => depth)
    const found = (name: (typeof tables)[number], innermost: unknown) =>
      depths.filter((depth) => judge(name)(nested(depth, innermost)) !== "no opinion").at(-1)
    expect([
      found("standard", socketError("ECONNRESET")),
      found("standard", exception("SlowDown", 400)),
      // `depth <= 10` of @smithy/core 3.41.0 asks the eleventh cause too.
      found("javascript", socketError("ECONNRESET"))
    ]).toEqual([10, 10, 11])
  })
  it("asks the error before its causes", () => {
    const cause = exception("SlowDown", 503)
    expect([
      standard(exception("ValidationException", 400, { cause: socketError("EPIPE") })),
      standard(exception("Odd", 500, { cause })),
      standard(new Error("outer", { cause: new Error("inner", { cause }) })),
      standard(exception("ValidationException", 400, { cause: exception("NotFound", 404) }))
    ]).toEqual(["Transient", "Transient", "Throttling", "never: ValidationException, status 400"])
  })

  it("never retries an abort, wherever it is", () => {
    const abort = named("AbortError", "", { code: "ABORT_ERR" })
    expect([
      standard(abort),
      standard(new DOMException("stopped", "AbortError")),
      standard(new Error("outer", { cause: abort })),
      standard(named("AbortError", "", { cause: socketError("ECONNRESET") })),
      standard(named("AbortError", "", { status: 503 })),
      standard(exception("ValidationException", 400, { cause: abort }))
    ]).toEqual([
      "never: aborted",
      "never: aborted",
      "never: aborted",
      "never: aborted",
      "never: aborted",
      "never: ValidationException, status 400"
    ])
  })
  it("retries a timeout that was carried out by an abort", () => {
    expect(standard(named("TimeoutError", "", { cause: named("AbortError") }))).toBe("Timeout")
  })

  it("hands the server's wait to a verdict, and never retries for a header alone", () => {
    const headers = { "X-Amz-Retry-After": "1500" }
    expect([
      standard(exception("SlowDown", 503, {}, headers)),
      standard(exception("Odd", 500, {}, headers)),
      standard(exception("ValidationException", 400, {}, headers)),
      standard({ status: 302, headers })
    ]).toEqual(["Throttling 1s 500ms", "Transient 1s 500ms", "never: ValidationException, status 400", "no opinion"])
  })

  it("names code and status of what it refuses, and nothing else of the error", () => {
    const whys = [
      exception("https://user:secret@host/", 400),
      exception("x".repeat(500), 400),
      exception("A b", 400),
      new HttpClientError.ResponseError({ request, response: response(403), reason: "StatusCode" })
    ].map(standard)
    expect(whys).toEqual(["never: https, status 400", "never: status 400", "never: status 400", "never: status 403"])
  })

  it("composes with classifiers of other errors", () => {
    class Draining extends Data.TaggedError("Draining")<{}> {}
    const composed = Verdicts.judgeWith(
      Classifier.firstOf(Classifier.fromTags({ Draining: Verdict.server }), AwsClassifier.standard, Classifier.always)
    )
    expect([
      composed(new Draining()),
      composed(exception("SlowDown", 503)),
      composed(exception("ValidationException", 400)),
      composed(new Error("boom"))
    ]).toEqual(["Server", "Throttling", "never: ValidationException, status 400", "Transient"])
  })

  it("says by its parameters whether it reads the moment", () => {
    expect(tables.map((name) => [name, classifiers[name].length])).toEqual([
      ["standard", 1],
      ["sts", 1],
      ["guide", 1],
      ["javascript", 2],
      ["botocore", 1],
      ["botocoreLegacy", 1],
      ["kotlin", 1]
    ])
  })
})

describe("AwsClassifier.fromTable", () => {
  it("reports a throttle that is not retried as a throttle", () => {
    const table = ErrorTable.withCodes(ErrorTable.standard, {
      LimitExceededException: { kind: "Throttling", retried: false }
    })
    const refused = { name: "LimitExceededException", status: 400, cause: socketError("EPIPE") }
    const verdict = AwsClassifier.fromTable(table)(refused, Verdicts.at(0))
    expect(Verdicts.inWords(verdict)).toBe("never: LimitExceededException, status 400 (Throttling)")
    expect(Verdict.kindOf(verdict)).toEqual(Option.some("Throttling"))
  })
  it("keeps the table as it was given", () => {
    const codes: { [code: string]: "Transient" } = {}
    const classifier = AwsClassifier.fromTable({ ...ErrorTable.standard, codes })
    codes["Odd"] = "Transient"
    expect(Verdicts.judgeWith(classifier)({ name: "Odd" })).toBe("no opinion")
  })
  it("does not take properties of every object for rows", () => {
    expect(Errors.hostile.filter(([name]) => name.startsWith("names")).map(([, error]) => standard(error))).toEqual([
      "no opinion"
    ])
  })
})

describe("AwsClassifier: hostile errors", () => {
  for (const table of tables) {
    it(`have no opinion from ${table}, and nothing throws`, () => {
      const verdicts = Errors.hostile.map(([name, error]) => [name, judge(table)(error)])
      // A flag that is an object is one, whatever is in it.
      expect(verdicts.filter(([, verdict]) => verdict !== "no opinion").map(([name]) => name)).toEqual(
        table === "botocoreLegacy"
          ? []
          : [
              "properties arrays",
              "properties objects",
              "properties functions",
              "properties proxies that throw",
              "properties revoked proxies",
              "properties revoked proxies of arrays"
            ]
      )
    })
  }

  it.prop(
    "of any shape are judged without throwing",
    [
      fc.anything({
        withNullPrototype: true,
        maxDepth: 3,
        key: fc.constantFrom("name", "code", "cause", "$retryable", "headers", "status", "message")
      })
    ],
    ([error]) => {
      for (const table of tables) expect(judge(table)(error)).toMatch(/^[A-Z]|^never|^no opinion/)
    }
  )
})
