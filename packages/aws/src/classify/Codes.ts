/**
 * Error codes, statuses and names of connection failures on which SDKs agree, and those on which they do not.
 *
 * Data only; `ErrorTable` combines them.
 */
import type { Verdict } from "@effect-retry/core"

/**
 * The meaning of a code, status or name. A record may also require a status or a message; with `retried` false, the
 * failure is not retried, but buckets and rate limiters record it by its kind.
 *
 * @category models
 */
export type Row =
  | Verdict.Kind
  | {
      readonly kind: Verdict.Kind
      /** Applies only with one of these statuses, or if the status is unknown. @default any */
      readonly statuses?: ReadonlyArray<number>
      /** Applies only if the message contains this. @default any message */
      readonly message?: string
      /** Whether the failure is retried. @default true */
      readonly retried?: boolean
    }

/**
 * Rows by code or name. A row set to `undefined` is removed.
 *
 * @category models
 */
export type Rows = { readonly [code: string]: Row | undefined }

/**
 * The codes of throttles, the same in all SDKs.
 *
 * `LimitExceededException` is disputed: for some services it means that a quota of the account is used up, which no
 * retry cures. The SDK for Java did not retry it before 2026.
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

/** The statuses that all SDKs retry, whatever the code. */
export const statuses = { 500: "Transient", 502: "Transient", 503: "Transient", 504: "Transient" } as const

/**
 * Failures without a response, as in the SDK for JavaScript.
 *
 * If there is a code, the code counts: the SDK's handlers also call resets `TimeoutError`.
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
 * Failures without a response from clients other than the SDK: undici, `@effect/platform` if the cause says nothing,
 * and the time limits of Effect and of a policy.
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
 * What botocore's legacy mode retries for single services, in addition to what it retries for all.
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
