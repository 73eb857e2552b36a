/**
 * Decides whether a request may be sent again.
 *
 * A request that may have been carried out is repeated only if a repetition does no harm: because of its method, a key, a
 * precondition, your own rule, or the caller's declaration. The verdict on the failure plays no part.
 *
 * @example
 * ```ts
 * import { Idempotency } from "@effect-retry/http"
 * import { HttpClientRequest } from "@effect/platform"
 * import * as assert from "node:assert"
 *
 * const judge = (headers: Record<string, string>) =>
 *   Idempotency.judge(
 *     Idempotency.standard,
 *     HttpClientRequest.patch("http://localhost/", { headers }),
 *     "Unknown",
 *     undefined
 *   )
 *
 * assert.deepStrictEqual(judge({ "if-match": '"v1"' }), {
 *   _tag: "Repeatable",
 *   because: "If-Match lets it be carried out only once"
 * })
 * // `*` is met both before and after the first attempt, so it protects nothing.
 * assert.deepStrictEqual(judge({ "if-match": "*" }), { _tag: "NotRepeatable", why: "PATCH without Idempotency-Key" })
 * ```
 */
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Predicate from "effect/Predicate"
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as HttpDate from "@effect-retry/core/unstable/HttpDate"
import * as Token from "../accept/Token.ts"
import type { Processing } from "../classify/HttpClassifier.ts"

export { declaredRepeatable as declared, RepeatableBecause as Declared } from "./Declared.ts"

/**
 * What makes a request repeatable. Names of headers are in lower case, names of methods in upper case.
 *
 * @category models
 */
export interface Idempotency {
  /** Methods that may be sent again as they are. */
  readonly methods: ReadonlyArray<string>
  /** The header with the key by which the server recognises a repetition. */
  readonly keyHeader: string
  /** Methods for which a missing key is created: for servers that honour keys. */
  readonly createKeyFor: ReadonlyArray<string>
  /**
   * Headers with a condition that is no longer met once the request has been carried out.
   *
   * For the three of RFC 9110 only these values count: `If-Match` with one entity tag, `If-Unmodified-Since` with a date and
   * without `If-Match`, `If-None-Match: *`. For any other header, every value but a blank one counts.
   */
  readonly preconditions: ReadonlyArray<string>
  /** Your own rule, asked before everything else here; if it returns `undefined`, the rest decides as usual. */
  readonly rule?: Rule | undefined
}

/**
 * Judges what methods, keys and preconditions do not show, such as the operations of one API: a POST that only reads,
 * or a PUT that must not be repeated. `undefined` leaves the request to the rest of the rules.
 *
 * It is also asked about requests that were not sent, or not processed, and about those that the caller has declared
 * repeatable: return `undefined` for these unless they must not be repeated either.
 *
 * @category models
 */
export interface Rule {
  (request: HttpClientRequest.HttpClientRequest, known: Known): Repeatable | undefined
}

/**
 * What is known about a failed request.
 *
 * @category models
 */
export interface Known {
  readonly processing: Processing
  /** The caller's reason why it may be repeated; `undefined` if there is none. */
  readonly declared: string | undefined
}

/**
 * Whether a request may be sent again, and why, in words.
 *
 * @category models
 */
export type Repeatable =
  | { readonly _tag: "Repeatable"; readonly because: string }
  | { readonly _tag: "NotRepeatable"; readonly why: string }

/**
 * Repeats idempotent methods, and requests with a key or one of HTTP's preconditions. No key is created, because a
 * server that does not know the header would carry out the repetition. For a server that does: `{
 * ...Idempotency.standard, createKeyFor: ["POST", "PATCH"] }`.
 *
 * Sources: RFC 9110, sections 9.2.2 and 13.1,
 * https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2; of QUERY RFC 10008, section 1,
 * https://www.rfc-editor.org/rfc/rfc10008; of the key
 * https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header.
 *
 * @category constructors
 */
export const standard: Idempotency = {
  methods: ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY"],
  keyHeader: "idempotency-key",
  createKeyFor: [],
  preconditions: ["if-match", "if-unmodified-since", "if-none-match"]
}

/**
 * Checks rules and returns them. Throws an `InvalidArgument` for a bad field.
 *
 * @category constructors
 */
export const make = (rules: Idempotency): Idempotency => check("Idempotency.make", rules)

/**
 * Checks rules. Throws if a field has a value that its type cannot exclude.
 *
 * @category guards
 */
export const check = (owner: string, rules: Idempotency): Idempotency => {
  if (!Predicate.isRecord(rules)) {
    return Argument.refuse(owner, "idempotency", "a record of rules, such as Idempotency.standard", rules)
  }
  Token.list(owner, "methods", rules.methods, Token.method)
  Token.header(owner, "keyHeader", rules.keyHeader)
  Token.list(owner, "createKeyFor", rules.createKeyFor, Token.method)
  Token.list(owner, "preconditions", rules.preconditions, Token.header)
  if (rules.rule !== undefined && !Predicate.isFunction(rules.rule)) {
    return Argument.refuse(owner, "rule", "a function of a request", rules.rule)
  }
  return rules
}

/**
 * Whether a request must get a key before it is sent: it has none, and the rules ask for one.
 *
 * @category guards
 */
export const wantsKey = (rules: Idempotency, request: HttpClientRequest.HttpClientRequest): boolean =>
  rules.createKeyFor.includes(request.method) && valueOf(request, rules.keyHeader) === ""

/**
 * Judges a request that has failed. `declared` is the caller's reason why it may be repeated, if there is one.
 *
 * @category destructors
 */
export const judge = (
  rules: Idempotency,
  request: HttpClientRequest.HttpClientRequest,
  processing: Processing,
  declared: string | undefined
): Repeatable => {
  const own = rules.rule?.(request, { processing, declared })
  return own === undefined ? judgeBy(rules, request, processing, declared) : checkedAnswer(own)
}

/** An answer written by hand may lack its reason. */
const checkedAnswer = (given: Repeatable): Repeatable =>
  Predicate.isRecord(given) && Predicate.isString(given._tag === "Repeatable" ? given.because : given.why)
    ? given
    : Argument.refuse("HttpRetry.Policy", "idempotency.rule", "a function that answers with a reason", given)

const judgeBy = (
  rules: Idempotency,
  request: HttpClientRequest.HttpClientRequest,
  processing: Processing,
  declared: string | undefined
): Repeatable => {
  if (processing === "NotSent") return repeatable("it was not sent")
  if (processing === "NotProcessed") return repeatable("the server did not process it")
  if (declared !== undefined) return repeatable(declared)
  if (rules.methods.includes(request.method)) return repeatable(`${request.method} is idempotent`)
  if (valueOf(request, rules.keyHeader) !== "") return repeatable(`it carries ${spelt(rules.keyHeader)}`)
  const precondition = rules.preconditions.find((name) => isProtected(request, name))
  if (precondition !== undefined) return repeatable(`${spelt(precondition)} lets it be carried out only once`)
  return { _tag: "NotRepeatable", why: `${request.method} without ${spelt(rules.keyHeader)}` }
}

const repeatable = (because: string): Repeatable => ({ _tag: "Repeatable", because })

/** The value without surrounding blanks: a blank header counts as absent. */
const valueOf = ({ headers }: HttpClientRequest.HttpClientRequest, name: string): string => headers[name]?.trim() ?? ""

/** Spells a header as the standards do: `idempotency-key` is `Idempotency-Key`. */
const spelt = (header: string): string => header.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase())

const isProtected = (request: HttpClientRequest.HttpClientRequest, name: string): boolean => {
  const value = valueOf(request, name)
  switch (name) {
    case "if-match":
      return entityTag.test(value)
    case "if-unmodified-since":
      // Servers ignore it next to `If-Match`: section 13.1.4.
      return isDate(value) && valueOf(request, "if-match") === ""
    case "if-none-match":
      return value === "*"
    default:
      return value !== ""
  }
}

/**
 * A single tag: in a list, the second may be what the first attempt turned the first into; `*` is met before and after
 * (13.1.1).
 */
const entityTag = /^(?:W\/)?"[!#-~\u0080-\u00ff]*"$/

/**
 * Only the form that senders must use, and only a date that exists: servers may ignore others (5.6.7), and do not agree
 * on leap seconds.
 */
const isDate = (value: string): boolean => form.test(value) && HttpDate.parse(value, NaN) !== undefined

const form = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:[0-5]\d GMT$/
