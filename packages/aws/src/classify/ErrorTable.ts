/**
 * Tables of what is retryable, one per SDK where SDKs disagree. A table is a plain record: take one, change rows by
 * spread or with `withCodes` and `without`, and make a classifier from it with `AwsClassifier.fromTable`.
 *
 * The conflicts between SDKs, and the choice made in `standard`:
 * - a bare 429, without a known code: the SDK for JavaScript calls it a throttle; botocore, Kotlin and Rust do not retry it.
 *   `standard` does not either, because the guide of 2026 does not list it: add it with
 *   `statuses: { ...ErrorTable.standard.statuses, 429: "Throttling" }`;
 * - `InternalError`: in the guide of 2026 and in Swift;
 * - `IDPCommunicationError`: everywhere in the guide and in Kotlin, for STS only in botocore, Swift and Java. It is in
 *   `sts` and in `kotlin`;
 * - a host without an address (`ENOTFOUND`): JavaScript retries it, Go does not. It is in `connections`;
 * - a bare 408: in the guide before 2026 and in Swift only. It is in `guide`;
 * - `PriorRequestNotComplete`: botocore also lists it as transient; the throttle is checked first and counts.
 *
 * @example
 * ```ts
 * import { AwsClassifier, ErrorTable } from "@effect-retry/aws"
 * import { Verdict } from "@effect-retry/core"
 * import { Duration } from "effect"
 * import * as assert from "node:assert"
 *
 * // Here an exhausted account quota is no throttle, and the service has its own code.
 * const table = ErrorTable.withCodes(ErrorTable.without(ErrorTable.standard, ["LimitExceededException"]), {
 *   ShardMovedException: "Transient"
 * })
 * const classifier = AwsClassifier.fromTable(table)
 * const moment = { nowMillis: 0, attempt: 1, elapsed: Duration.zero }
 *
 * assert.deepStrictEqual(classifier({ name: "ShardMovedException" }, moment), Verdict.transient)
 * assert.strictEqual(classifier({ name: "LimitExceededException", status: 400 }, moment)._tag, "Terminal")
 * ```
 */
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as Property from "@effect-retry/core/unstable/Property"
import { Verdict } from "@effect-retry/core"
import { dual, type Given } from "@effect-retry/core/unstable/Dual"
import * as Predicate from "effect/Predicate"
import type * as AwsError from "./AwsError.ts"
import * as Codes from "./Codes.ts"
import * as RetryAfter from "./RetryAfter.ts"

export type { Row, Rows } from "./Codes.ts"

/** A sign in an error. `throttling` is any of the others that says `Throttling`. */
type Sign = (typeof signs)[number]

const signs = ["throttling", "code", "metadata", "connection", "status"] as const

/**
 * What is retryable, and in which order the signs of an error are checked.
 *
 * @category models
 */
export interface ErrorTable {
  /** Error codes of services. */
  readonly codes: Codes.Rows
  /**
   * Failures without a response, by code or name; `Transport` is an error of `@effect/platform` about which nothing
   * else is known.
   */
  readonly connections: Codes.Rows
  /** Statuses that count whatever the code. */
  readonly statuses: { readonly [status: number]: Codes.Row | undefined }
  /** The meaning of an error's flags. */
  readonly metadata: (error: AwsError.AwsError) => Verdict.Kind | undefined
  /** The first sign with an opinion counts. */
  readonly order: ReadonlyArray<Sign>
  /** How many causes of an error are checked after it, from 0 to 20. */
  readonly causes: number
  /** Like `causes`, for signs of throttling; at most `causes`. */
  readonly throttlingCauses: number
  /** Reads how long to wait. */
  readonly retryAfter: RetryAfter.Reader
}

/**
 * The flags as modelled: a throttle if the error says so; otherwise transient if it is retryable, or if the SDK for
 * JavaScript has corrected its clock.
 *
 * Source: https://smithy.io/2.0/spec/behavior-traits.html#smithy-api-retryable-trait.
 *
 * @category constructors
 */
export const modelled = (error: AwsError.AwsError): Verdict.Kind | undefined => {
  if (error.isThrottling) return "Throttling"
  return error.isRetryable || error.isSkewCorrected ? "Transient" : undefined
}

const throttlingFirst: ReadonlyArray<Sign> = ["throttling", "code", "metadata", "connection", "status"]

/**
 * The behaviour of 2026 (2.1): 14 throttling codes, 3 others, 4 statuses, flags and connection errors.
 *
 * A throttle is also found in a cause, so your own error around that of the SDK counts as one.
 * Source: https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html, read 2026-11-20.
 *
 * @category constructors
 */
export const standard: ErrorTable = {
  codes: { ...Codes.throttling, ...Codes.timeouts, InternalError: "Transient" },
  connections: { ...Codes.connections, ...Codes.otherConnections },
  statuses: Codes.statuses,
  metadata: modelled,
  order: throttlingFirst,
  causes: Property.mostCauses,
  throttlingCauses: Property.mostCauses,
  retryAfter: RetryAfter.standard
}

/**
 * `standard` for STS, where `IDPCommunicationError` is transient: the service could not reach the identity provider.
 *
 * Source: https://github.com/boto/botocore at 0e6e240, botocore/retries/special.py and its test_special.py.
 *
 * @category constructors
 */
export const sts: ErrorTable = {
  ...standard,
  codes: { ...standard.codes, IDPCommunicationError: "Transient" }
}

const transientStatuses = [400, 408, 500, 502, 503, 504]
const throttlingStatuses = [400, 403, 429, 502, 503, 509]

const beside = (codes: Codes.Rows, statuses: ReadonlyArray<number>): Codes.Rows =>
  Object.fromEntries(
    Object.entries(codes).map(([code, row]) => [code, typeof row === "string" ? { kind: row, statuses } : row])
  )

/**
 * The guide of 2020 to 2026, with its statuses: transient 400, 408, 500, 502, 503, 504; throttling 400, 403, 429, 502,
 * 503, 509.
 *
 * A throttling status is a throttle only if a code or flag says so, and a code or flag counts only with a status of its
 * kind. A transient status counts by itself, but 400 needs a code.
 * Source: https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html in its form before 2026.
 *
 * @category constructors
 */
export const guide: ErrorTable = {
  ...standard,
  codes: {
    ...beside(Codes.throttling, throttlingStatuses),
    ...beside(Codes.timeouts, transientStatuses)
  },
  statuses: { ...Codes.statuses, 408: "Timeout" },
  metadata: (error) => {
    const kind = modelled(error)
    const statuses = kind === "Throttling" ? throttlingStatuses : transientStatuses
    return error.status === undefined || statuses.includes(error.status) ? kind : undefined
  },
  retryAfter: RetryAfter.none
}

/**
 * The SDK for JavaScript: status 429 is a throttle, `InvalidSignatureException` with "Signature expired" is retried,
 * and either header says how long to wait.
 *
 * It follows one more cause than its constant says, and finds no throttle in a cause: there, a throttle counts as transient.
 * Source: `@smithy/core` 3.41.0 on npm, service-error-classification, read 2026-11-22.
 *
 * @category constructors
 */
export const javascript: ErrorTable = {
  ...standard,
  codes: {
    ...Codes.throttling,
    ...Codes.timeouts,
    InvalidSignatureException: { kind: "Transient", message: "Signature expired" }
  },
  connections: Codes.connections,
  statuses: { ...Codes.statuses, 429: "Throttling" },
  causes: Property.mostCauses + 1,
  throttlingCauses: 0,
  retryAfter: RetryAfter.javascript
}

/**
 * Botocore's standard mode. For `IDPCommunicationError` of STS, use
 * `withCodes(ErrorTable.botocore, { IDPCommunicationError: "Transient" })`.
 *
 * Only codes and flags indicate a throttle. Every failure without a response is transient.
 * Source: https://github.com/boto/botocore at 0e6e240, botocore/retries/standard.py.
 *
 * @category constructors
 */
export const botocore: ErrorTable = { ...standard, codes: { ...Codes.throttling, ...Codes.timeouts } }

/**
 * Botocore's legacy mode, without the rows of services: codes count only with one status, and flags do not count. Add
 * the rows of a service with `withCodes(ErrorTable.botocoreLegacy, ErrorTable.botocoreLegacyServices.s3)`.
 *
 * The rules name no kinds: those here are for buckets and observers, because legacy mode has no quota.
 * Source: https://github.com/boto/botocore at 0e6e240, botocore/data/_retry.json.
 *
 * @category constructors
 */
export const botocoreLegacy: ErrorTable = {
  ...standard,
  codes: beside(
    {
      Throttling: "Throttling",
      ThrottlingException: "Throttling",
      ThrottledException: "Throttling",
      RequestThrottledException: "Throttling",
      ProvisionedThroughputExceededException: "Throttling"
    },
    [400]
  ),
  statuses: { ...Codes.statuses, 429: "Throttling", 509: "Throttling" },
  metadata: () => undefined,
  retryAfter: RetryAfter.none
}

export { botocoreLegacyServices } from "./Codes.ts"

/**
 * The meaning of an exception's flags: by fault for a service's exception, `Client` for a client's, and as flagged for
 * any other.
 */
const kotlinMetadata = (error: AwsError.AwsError): Verdict.Kind | undefined => {
  if (error.isRetryable && error.fault === "server") return "Server"
  if (error.isRetryable && error.fault === "client") return "Client"
  if (error.isRetryable && error.codes.includes("ClientException")) return "Client"
  return error.isThrottling ? "Throttling" : error.isRetryable ? "Transient" : undefined
}

/**
 * The SDK for Kotlin, `AwsRetryPolicy`: 17 codes, then 4 statuses, then flags. A service exception with the retryable
 * flag is `Server` or `Client` by its fault; an error named `ClientException` with it is `Client`; any other error is
 * `Throttling` or `Transient` as its flags say.
 *
 * So a retryable service exception with the throttling flag and an unknown code is classified by its fault. In
 * smithy-kotlin before a04c2cb (2023-04-19) the throttling flag was checked first.
 * Source: https://github.com/aws/aws-sdk-kotlin at 05ea93b, AwsRetryPolicy.kt, and
 * https://github.com/smithy-lang/smithy-kotlin at 6373a5f, StandardRetryPolicy.kt.
 *
 * @category constructors
 */
export const kotlin: ErrorTable = {
  ...standard,
  codes: {
    ...Codes.throttling,
    IDPCommunicationError: "Transient",
    RequestTimeout: "Transient",
    RequestTimeoutException: "Transient"
  },
  // Its connection exceptions are retryable but have no type, so they are transient.
  connections: Object.fromEntries(Object.keys(standard.connections).map((name) => [name, "Transient" as const])),
  metadata: kotlinMetadata,
  order: ["code", "status", "metadata", "connection"]
}

/**
 * Adds rows of codes or changes them.
 *
 * @category combinators
 */
export function withCodes(rows: Codes.Rows): (self: ErrorTable) => ErrorTable
export function withCodes(self: ErrorTable, rows: Codes.Rows): ErrorTable
export function withCodes(...given: Given): any {
  return dual(given, (self: ErrorTable, rows: Codes.Rows): ErrorTable => ({
    ...self,
    codes: { ...self.codes, ...rows }
  }))
}

/**
 * Removes codes. A code that is not in the table is refused, because it must be misspelt.
 *
 * @category combinators
 */
export function without(codes: ReadonlyArray<string>): (self: ErrorTable) => ErrorTable
export function without(self: ErrorTable, codes: ReadonlyArray<string>): ErrorTable
export function without(...given: Given): any {
  return dual(given, (self: ErrorTable, codes: ReadonlyArray<string>): ErrorTable => {
    for (const code of codes) {
      if (!Object.hasOwn(self.codes, code)) Argument.refuse("ErrorTable.without", "codes", "codes of the table", code)
    }
    return { ...self, codes: Object.fromEntries(Object.entries(self.codes).filter(([code]) => !codes.includes(code))) }
  })
}

/**
 * A checked copy of a table. Throws an `InvalidArgument` if it has a value that its type cannot exclude.
 *
 * @category guards
 */
export const check = (owner: string, table: ErrorTable): ErrorTable => {
  if (!Predicate.isRecord(table)) return Argument.refuse(owner, "table", "a record of rows", table)
  const { causes, order, throttlingCauses } = table
  for (const field of ["codes", "connections", "statuses"] as const) checkRows(owner, field, table[field])
  for (const status of Object.keys(table.statuses)) checkStatus(owner, "statuses", Number(status))
  if (!Array.isArray(order)) return Argument.refuse(owner, "order", "a list of signs", order)
  for (const sign of order) Argument.oneOf(owner, "order", sign, signs)
  Argument.number(owner, "causes", causes, { min: 0, max: 20, integer: true })
  Argument.number(owner, "throttlingCauses", throttlingCauses, { min: 0, max: causes, integer: true })
  for (const field of ["metadata", "retryAfter"] as const) {
    if (typeof table[field] !== "function") Argument.refuse(owner, field, "a function", table[field])
  }
  const { codes, connections, statuses } = table
  return {
    ...table,
    codes: { ...codes },
    connections: { ...connections },
    statuses: { ...statuses },
    order: [...order]
  }
}

const checkStatus = (owner: string, field: string, status: unknown): void =>
  void Argument.number(owner, field, status, { min: 100, max: 599, integer: true })

const checkRows = (owner: string, field: string, rows: unknown): void => {
  if (!Predicate.isRecord(rows)) return Argument.refuse(owner, field, "a table", rows)
  for (const [code, row] of Object.entries(rows)) if (row !== undefined) checkRow(owner, `${field}.${code}`, row)
}

const checkRow = (owner: string, field: string, row: unknown): void => {
  if (!Predicate.isRecord(row)) return void Argument.oneOf(owner, field, row, Verdict.kinds)
  const { kind, message, retried, statuses } = row
  Argument.oneOf(owner, `${field}.kind`, kind, Verdict.kinds)
  if (message !== undefined && !Predicate.isString(message))
    Argument.refuse(owner, `${field}.message`, "a text", message)
  if (retried !== undefined && !Predicate.isBoolean(retried)) {
    Argument.refuse(owner, `${field}.retried`, "true or false", retried)
  }
  if (statuses === undefined) return
  if (!Array.isArray(statuses)) return Argument.refuse(owner, `${field}.statuses`, "a list of statuses", statuses)
  for (const status of statuses) checkStatus(owner, `${field}.statuses`, status)
}
