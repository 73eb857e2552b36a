/**
 * Error codes, statuses and names of connection failures on which SDKs agree, and those on which they do not.
 *
 * First stage of the flow. Data only; `ErrorTable` puts them together.
 */
import type { Verdict } from "@effect-retry/core"

/**
 * What a sign of failure means. A record can ask for a status or a message beside it; with `retried` false, buckets and rate
 * limiters record the failure by its kind, and it is not retried.
 *
 * @category models
 */
export type Row =
  | Verdict.Kind
  | {
      readonly kind: Verdict.Kind
      /** Counts only beside one of these statuses, or where the status is not known. @default any */
      readonly statuses?: ReadonlyArray<number>
      /** Counts only where the message contains this. @default any message */
      readonly message?: string
      /** Whether the failure is retried. @default true */
      readonly retried?: boolean
    }

/**
 * Rows by code or name. One set to `undefined` is taken out.
 *
 * @category models
 */
export type Rows = { readonly [code: string]: Row | undefined }

/**
 * The codes of throttles, the same in all SDKs.
 *
 * `LimitExceededException` is disputed: of some services it is a quota of the account that is used up, which no retry
 * cures. The SDK for Java did not retry it before 2026.
 * Source: https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html; https://github.com/boto/botocore
 * at 0e6e240, botocore/retries/standard.py.
 */
export const throttling = {
  BandwidthLimitExceeded: "Throttling",
  EC2ThrottledException: "Throttling",
  LimitExceededException: "Throttling",
  PriorRequestNotComplete: "Throttling",
  ProvisionedThroughputExceededException: "Throttling",
  RequestLimitExceeded: "Throttling",
  RequestThrottled: "Throttling",
  RequestThrottledException: "Throttling",
  SlowDown: "Throttling",
  ThrottledException: "Throttling",
  Throttling: "Throttling",
  ThrottlingException: "Throttling",
  TooManyRequestsException: "Throttling",
  TransactionInProgressException: "Throttling"
} as const satisfies Rows

/** The codes by which a service says that it timed out, the same in all SDKs. */
export const timeouts = {
  RequestTimeout: "Timeout",
  RequestTimeoutException: "Timeout"
} as const satisfies Rows

/** The statuses that all SDKs retry whatever the code. */
export const statuses = { 500: "Transient", 502: "Transient", 503: "Transient", 504: "Transient" } as const

/**
 * Failures without a response, as the SDK for JavaScript knows them.
 *
 * Where it has a code, the code counts: the SDK's handlers call resets `TimeoutError` too.
 * Source: `@smithy/core` 3.41.0, service-error-classification; `@smithy/node-http-handler` 4.14.2, read 2026-11-22.
 */
export const connections = {
  NGHTTP2_REFUSED_STREAM: "Transient",
  ECONNREFUSED: "Transient",
  ECONNRESET: "Transient",
  EPIPE: "Transient",
  ETIMEDOUT: "Timeout",
  EAI_AGAIN: "Transient",
  EHOSTUNREACH: "Transient",
  ENETUNREACH: "Transient",
  ENOTFOUND: "Transient",
  TimeoutError: "Timeout",
  "TypeError: Failed to fetch": "Transient",
  "TypeError: NetworkError when attempting to fetch resource": "Transient",
  "TypeError: The Internet connection appears to be offline": "Transient",
  "TypeError: Load failed": "Transient",
  "TypeError: Network request failed": "Transient"
} as const satisfies Rows

/**
 * Failures without a response of clients other than the SDK: of undici, of `@effect/platform` where the cause says
 * nothing, and of the time limits of Effect and of a policy.
 *
 * Source: https://undici.nodejs.org/#/docs/api/Errors.md, read 2026-11-22.
 */
export const otherConnections = {
  UND_ERR_CONNECT_TIMEOUT: "Timeout",
  UND_ERR_HEADERS_TIMEOUT: "Timeout",
  UND_ERR_BODY_TIMEOUT: "Timeout",
  UND_ERR_SOCKET: "Transient",
  AttemptTimedOut: "Timeout",
  TimeoutException: "Timeout",
  Transport: "Transient"
} as const satisfies Rows

/**
 * What botocore's legacy mode retries, by service, beside what it retries everywhere.
 *
 * Source: https://github.com/boto/botocore at 0e6e240, botocore/data/_retry.json. For DynamoDB it also compares a
 * checksum: `Checksum`.
 *
 * @category constructors
 */
export const botocoreLegacyServices = {
  cloudsearch: { BandwidthLimitExceeded: { kind: "Throttling", statuses: [509] } },
  dynamodb: {
    ReplicatedWriteConflictException: { kind: "Transient", statuses: [409] },
    TransactionInProgressException: { kind: "Throttling", statuses: [400] }
  },
  ec2: {
    EC2ThrottledException: { kind: "Throttling", statuses: [503] },
    RequestLimitExceeded: { kind: "Throttling", statuses: [503] }
  },
  glacier: { RequestTimeoutException: { kind: "Timeout", statuses: [408] } },
  kinesis: { LimitExceededException: { kind: "Throttling", statuses: [400] } },
  organizations: { TooManyRequestsException: { kind: "Throttling", statuses: [400] } },
  route53: {
    PriorRequestNotComplete: { kind: "Throttling", statuses: [400] },
    Throttling: { kind: "Throttling", statuses: [400] }
  },
  s3: {
    BadDigest: { kind: "Transient", statuses: [400] },
    RequestTimeout: { kind: "Timeout", statuses: [400] }
  },
  sqs: { RequestThrottled: { kind: "Throttling", statuses: [403] } },
  sts: { IDPCommunicationError: { kind: "Transient", statuses: [400] } }
} as const satisfies { readonly [service: string]: Rows }
