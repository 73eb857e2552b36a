/**
 * Classifiers with the rules of the AWS SDKs, for any error: they judge a code, a status, a flag or a failed connection that
 * their table knows, call every other answer of a service terminal, and have no opinion on the rest, so they compose with
 * your own classifiers.
 *
 * Second stage of the flow.
 *
 * @example
 * ```ts
 * import { AwsClassifier } from "@effect-retry/aws"
 * import { Backoff, Classifier, Retry, Verdict } from "@effect-retry/core"
 * import { Data, Effect } from "effect"
 * import * as assert from "node:assert"
 *
 * class Draining extends Data.TaggedError("Draining")<{}> {}
 * class Throttled extends Data.TaggedError("ThrottlingException")<{}> {}
 *
 * const classifier = Classifier.firstOf(Classifier.fromTags({ Draining: Verdict.transient }), AwsClassifier.standard)
 * const failures = [new Draining(), new Throttled()]
 * const call = Effect.suspend(() => {
 *   const failure = failures.shift()
 *   return failure === undefined ? Effect.succeed("stored") : Effect.fail(failure)
 * })
 * const policy = { classifier, maxAttempts: 3, backoff: Backoff.constant({ delay: "1 milli" }) }
 * assert.strictEqual(await Effect.runPromise(Retry.retry(call, policy)), "stored")
 * ```
 */
import { type Classifier, Verdict } from "@effect-retry/core"
import * as AwsError from "./AwsError.ts"
import type { Row } from "./Codes.ts"
import * as ErrorTable from "./ErrorTable.ts"

/**
 * Judges by a table.
 *
 * The error is judged first, then its causes; the first one that the table knows counts. If it knows none, the first
 * answer of a service is terminal, with code and status in its `why`. An `AbortError` ends the causes and is terminal.
 * How long to wait is read from the headers of the error that counts.
 * The table is read once. Throws an `InvalidArgument` if it has a value of a wrong type.
 *
 * @category constructors
 */
export const fromTable = (table: ErrorTable.ErrorTable): Classifier.Classifier => {
  const own = ErrorTable.check("AwsClassifier.fromTable", table)
  // The loop reads the clock only for classifiers with a second parameter.
  return own.retryAfter.length > 1
    ? (error, moment) => judge(own, error, moment.nowMillis)
    : (error) => judge(own, error, NaN)
}

/**
 * `ErrorTable.standard`: the behaviour of 2026.
 *
 * @category constructors
 */
export const standard: Classifier.Classifier = /*#__PURE__*/ fromTable(ErrorTable.standard)

/**
 * `ErrorTable.sts`: the behaviour of 2026 for STS.
 *
 * @category constructors
 */
export const sts: Classifier.Classifier = /*#__PURE__*/ fromTable(ErrorTable.sts)

/**
 * `ErrorTable.guide`: the guide of 2020 to 2026.
 *
 * @category constructors
 */
export const guide: Classifier.Classifier = /*#__PURE__*/ fromTable(ErrorTable.guide)

/**
 * `ErrorTable.javascript`: the SDK for JavaScript.
 *
 * @category constructors
 */
export const javascript: Classifier.Classifier = /*#__PURE__*/ fromTable(ErrorTable.javascript)

/**
 * `ErrorTable.kotlin`: the SDK for Kotlin.
 *
 * @category constructors
 */
export const kotlin: Classifier.Classifier = /*#__PURE__*/ fromTable(ErrorTable.kotlin)

/**
 * `ErrorTable.botocore`: botocore's standard mode.
 *
 * @category constructors
 */
export const botocore: Classifier.Classifier = /*#__PURE__*/ fromTable(ErrorTable.botocore)

/**
 * `ErrorTable.botocoreLegacy`: botocore's legacy mode.
 *
 * @category constructors
 */
export const botocoreLegacy: Classifier.Classifier = /*#__PURE__*/ fromTable(ErrorTable.botocoreLegacy)

const judge = (table: ErrorTable.ErrorTable, error: unknown, nowMillis: number): Verdict.Verdict => {
  let terminal: Verdict.Terminal | undefined
  let depth = 0
  for (const current of AwsError.chain(error, table.causes)) {
    if (AwsError.isAborted(current)) return terminal ?? aborted
    const found = findRow(table, current, depth++)
    if (found !== undefined) return verdictOf(found, current, table.retryAfter(current.headers, nowMillis))
    if (AwsError.isAnswer(current)) terminal ??= Verdict.terminal(AwsError.describe(current))
  }
  return terminal ?? Verdict.noOpinion
}

const aborted = /*#__PURE__*/ Verdict.terminal("aborted")

/** Without a hint. */
const retryable: { readonly [K in Verdict.Kind]: Verdict.Retryable } = {
  Transient: Verdict.transient,
  Throttling: Verdict.throttling,
  Timeout: Verdict.timeout,
  Server: Verdict.server,
  Client: Verdict.client
}

const verdictOf = ({ kind, retried }: Found, error: AwsError.AwsError, hint: number | undefined): Verdict.Verdict =>
  retried
    ? hint === undefined
      ? retryable[kind]
      : Verdict.retryable(kind, { hint })
    : Verdict.terminal(AwsError.describe(error), { kind, hint })

interface Found {
  readonly kind: Verdict.Kind
  readonly retried: boolean
}

const findRow = (table: ErrorTable.ErrorTable, error: AwsError.AwsError, depth: number): Found | undefined => {
  const heedsThrottling = depth <= table.throttlingCauses
  const asked = heedsThrottling ? error : { ...error, isThrottling: false }
  const found: Signs = {
    code: first(table.codes, asked.codes, asked),
    metadata: counted(table.metadata(asked), asked),
    connection: first(table.connections, asked.connection, asked),
    status: asked.status === undefined ? undefined : counted(table.statuses[asked.status], asked)
  }
  for (const sign of table.order) {
    const one = sign === "throttling" ? throttle(found) : found[sign]
    if (one !== undefined && (heedsThrottling || one.kind !== "Throttling")) return one
  }
  return undefined
}

/** The finding of each sign. */
type Signs = { readonly [Sign in "code" | "metadata" | "connection" | "status"]: Found | undefined }

const throttle = ({ code, connection, metadata, status }: Signs): Found | undefined =>
  ifThrottle(code) ?? ifThrottle(metadata) ?? ifThrottle(connection) ?? ifThrottle(status)

const ifThrottle = (found: Found | undefined): Found | undefined => (found?.kind === "Throttling" ? found : undefined)

/** The first of the names with an applicable row. */
const first = (
  rows: { readonly [name: string]: Row | undefined },
  names: ReadonlyArray<string>,
  error: AwsError.AwsError
): Found | undefined => {
  for (const name of names) {
    const found = Object.hasOwn(rows, name) ? counted(rows[name], error) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

const counted = (row: Row | undefined, error: AwsError.AwsError): Found | undefined => {
  if (row === undefined) return undefined
  if (typeof row === "string") return { kind: row, retried: true }
  const { kind, message, retried = true, statuses } = row
  const isAmong = statuses === undefined || error.status === undefined || statuses.includes(error.status)
  return isAmong && (message === undefined || error.message.includes(message)) ? { kind, retried } : undefined
}
