/**
 * Decides whether an operation of Cloud Storage may be repeated.
 *
 * Some operations may always be repeated, some never, and some only with a precondition that is no longer met once an
 * attempt has been carried out. The rules are data, and each decision has a reason. A policy of `@effect-retry/http`
 * takes such a value as its `idempotency`.
 *
 * @example
 * ```ts
 * import { StorageChoices, StorageIdempotency } from "@effect-retry/google"
 * import * as assert from "node:assert"
 *
 * const { decide, format, standard } = StorageIdempotency
 *
 * assert.strictEqual(
 *   format(decide(standard, { operation: "objects.insert" })),
 *   "not retried: objects.insert without ifGenerationMatch"
 * )
 * assert.strictEqual(
 *   format(decide(standard, { operation: "objects.insert", preconditions: ["ifGenerationMatch"] })),
 *   "retried: objects.insert with ifGenerationMatch"
 * )
 * // The same operation in the Python client.
 * assert.strictEqual(
 *   format(decide(StorageChoices.python, { operation: "objects.insert" })),
 *   "retried: objects.insert may always be repeated"
 * )
 * ```
 */
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Predicate from "effect/Predicate"
import * as Argument from "@effect-retry/core/unstable/Argument"
import type { Idempotency } from "@effect-retry/http"
import * as StorageHeader from "../accept/StorageHeader.ts"
import * as StorageOperation from "../classify/StorageOperation.ts"

/**
 * `conditional` judges by operation; `always` and `never` do not. Under `never`, even a request that was not sent is
 * not sent again.
 *
 * @category models
 */
export type Strategy = (typeof strategies)[number]

const strategies = ["conditional", "always", "never"] as const

/**
 * Rules for what may be repeated.
 *
 * @category models
 */
export interface Rules {
  readonly strategy: Strategy
  readonly operations: { readonly [Operation in StorageOperation.StorageOperation]: StorageOperation.Repetition }
}

/**
 * Rules that a policy takes as its `idempotency`.
 *
 * @category models
 */
export interface StorageIdempotency extends Idempotency.Idempotency {
  readonly rules: Rules
  readonly rule: Idempotency.Rule
}

/**
 * Makes rules from data, which are read once: `StorageIdempotency.make({ ...StorageIdempotency.standard.rules,
 * strategy: "always" })`.
 *
 * A request of an unknown operation may be repeated if it only reads. A request that the caller has declared
 * repeatable, or that was not sent or not processed, may also be repeated, unless the strategy is `never`. Throws an
 * `InvalidArgument` if a field has a value that its type cannot exclude.
 *
 * @category constructors
 */
export const make = (rules: Rules): StorageIdempotency => {
  const own = checked("StorageIdempotency.make", rules)
  return {
    // The token identifies attempts but permits nothing.
    methods: [],
    keyHeader: StorageHeader.token,
    createKeyFor: [],
    preconditions: [],
    rules: own,
    rule: (request, { declared, processing }) =>
      own.strategy !== "never" && (declared !== undefined || processing !== "Unknown")
        ? undefined
        : fromRequest(own, request)
  }
}

/**
 * The documented table: `StorageOperation.table`.
 *
 * @category constructors
 */
export const standard: StorageIdempotency = /*#__PURE__*/ make({
  strategy: "conditional",
  operations: /*#__PURE__*/ Object.fromEntries(
    /*#__PURE__*/ StorageOperation.names.map((name) => [name, StorageOperation.table[name].repetition])
  ) as Rules["operations"]
})

/**
 * Repeats every operation: Go's `RetryAlways`, Java's uniform strategy; Node's is `StorageChoices.nodeAlways`. A write
 * is carried out twice if its answer was lost.
 *
 * @category constructors
 */
export const always: StorageIdempotency = /*#__PURE__*/ make({ ...standard.rules, strategy: "always" })

/**
 * Repeats nothing: Go's `RetryNever`; Node's is `StorageChoices.nodeNever`.
 *
 * @category constructors
 */
export const never: StorageIdempotency = /*#__PURE__*/ make({ ...standard.rules, strategy: "never" })

function checked(owner: string, rules: Rules): Rules {
  if (!Predicate.isRecord(rules)) return Argument.refuse(owner, "rules", "a record of rules", rules)
  const strategy = Argument.oneOf(owner, "strategy", rules.strategy, strategies)
  if (!Predicate.isRecord(rules.operations)) return Argument.refuse(owner, "operations", "a table", rules.operations)
  for (const name of Object.keys(rules.operations)) {
    Argument.oneOf(owner, "operations", name, StorageOperation.names)
  }
  for (const name of StorageOperation.names) {
    const given: unknown = rules.operations[name]
    if (!isRepetition(given)) {
      return Argument.refuse(owner, `operations[${name}]`, "always, never, or a list of preconditions", given)
    }
  }
  return { strategy, operations: { ...rules.operations } }
}

function isRepetition(given: unknown): boolean {
  return Array.isArray(given)
    ? given.every((one) => StorageOperation.preconditions.includes(one))
    : given === "always" || given === "never"
}

/**
 * Decides for a named operation; `preconditions` are those that the call carries. Throws an `InvalidArgument` for an
 * unknown name.
 *
 * @category destructors
 */
export const decide = (
  { rules }: StorageIdempotency,
  call: {
    readonly operation: StorageOperation.StorageOperation
    readonly preconditions?: ReadonlyArray<StorageOperation.Precondition> | undefined
  }
): Idempotency.Repeatable => {
  if (!Predicate.isRecord(call)) return Argument.refuse("StorageIdempotency.decide", "call", "a record", call)
  const operation = Argument.oneOf("StorageIdempotency.decide", "operation", call.operation, StorageOperation.names)
  return decideBy(rules, operation, checkedPreconditions(call.preconditions ?? []))
}

const checkedPreconditions = (given: unknown): ReadonlyArray<StorageOperation.Precondition> =>
  Array.isArray(given)
    ? given.map((one) =>
        Argument.oneOf("StorageIdempotency.decide", "preconditions", one, StorageOperation.preconditions)
      )
    : Argument.refuse("StorageIdempotency.decide", "preconditions", "a list of preconditions", given)

/**
 * Decides for the operation that a request calls.
 *
 * @category destructors
 */
export const judge = (
  { rules }: StorageIdempotency,
  request: HttpClientRequest.HttpClientRequest
): Idempotency.Repeatable => fromRequest(rules, request)

const fromRequest = (rules: Rules, request: HttpClientRequest.HttpClientRequest): Idempotency.Repeatable => {
  const call = StorageOperation.fromRequest(request)
  if (call !== undefined) return decideBy(rules, call.operation, call.preconditions)
  const byStrategy = ofStrategy(rules)
  if (byStrategy !== undefined) return byStrategy
  return safe.includes(request.method)
    ? repeatable(`${request.method} only reads`)
    : notRepeatable(`${request.method} calls no known operation of Cloud Storage`)
}

/** Source: RFC 9110, section 9.2.1, https://www.rfc-editor.org/rfc/rfc9110#section-9.2.1. */
const safe: ReadonlyArray<string> = ["GET", "HEAD", "OPTIONS", "TRACE"]

const decideBy = (
  rules: Rules,
  operation: StorageOperation.StorageOperation,
  carried: ReadonlyArray<StorageOperation.Precondition>
): Idempotency.Repeatable => {
  const byStrategy = ofStrategy(rules)
  if (byStrategy !== undefined) return byStrategy
  const repetition = rules.operations[operation]
  if (repetition === "always") return repeatable(`${operation} may always be repeated`)
  if (repetition === "never") return notRepeatable(`${operation} may never be repeated`)
  const found = repetition.find((one) => carried.includes(one))
  return found === undefined
    ? notRepeatable(`${operation} without ${repetition.join(" or ")}`)
    : repeatable(`${operation} with ${found}`)
}

const ofStrategy = ({ strategy }: Rules): Idempotency.Repeatable | undefined => {
  switch (strategy) {
    case "always":
      return repeatable("the strategy is to retry always")
    case "never":
      return notRepeatable("the strategy is to retry never")
    case "conditional":
      return undefined
  }
}

const repeatable = (because: string): Idempotency.Repeatable => ({ _tag: "Repeatable", because })

const notRepeatable = (why: string): Idempotency.Repeatable => ({ _tag: "NotRepeatable", why })

/**
 * A decision in words, such as `not retried: objects.insert without ifGenerationMatch`.
 *
 * @category conversions
 */
export const format = (decision: Idempotency.Repeatable): string =>
  decision._tag === "Repeatable" ? `retried: ${decision.because}` : `not retried: ${decision.why}`
