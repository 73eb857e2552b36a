/**
 * May this request be sent again?
 *
 * A request that may have been carried out is repeated only where a repetition does no harm:
 * by its method, a key, a precondition, a rule of one's own, or the caller's word. The verdict on the failure plays no
 * part.
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
 * // Met before and after the first attempt.
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
 * What makes a request repeatable. Names of headers in lower case, of methods in upper case.
 *
 * @category models
 */
export interface Idempotency {
  /** Methods that may be sent again as they are. */
  readonly methods: ReadonlyArray<string>
  /** The header with a key by which the server recognises a repetition. */
  readonly keyHeader: string
  /** Methods for which a missing key is created: for servers that honour keys. */
  readonly createKeyFor: ReadonlyArray<string>
  /**
   * Headers with a condition that a repetition of a request that was carried out no longer meets.
   *
   * The values of the three of RFC 9110 are looked at: `If-Match` with one entity tag, `If-Unmodified-Since` with a
   * date and without `If-Match`, `If-None-Match: *`. Other values of theirs protect nothing. Of any other header every
   * value but a blank one counts.
   */
  readonly preconditions: ReadonlyArray<string>
  /** A rule of one's own, asked before everything else here; what it leaves undecided is decided as without it. */
  readonly rule?: Rule | undefined
}

/**
 * Judges what methods, keys and preconditions do not tell, such as the operations of one API: a POST of it that only
 * reads, or a PUT that must not be repeated. `undefined` leaves the request to the rest of the rules.
 *
 * It is also asked of requests that were not sent, or not processed, and of those that the caller has declared
 * repeatable: leave these undecided unless they must not be repeated either.
 *
 * @category models
 */
export interface Rule {
  (request: HttpClientRequest.HttpClientRequest, known: Known): Repeatable | undefined
}

/**
 * What is known of a request that has failed.
 *
 * @category models
 */
export interface Known {
  readonly processing: Processing
  /** The caller's reason to repeat it; `undefined` where there is none. */
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
 * The idempotent methods, what carries a key, and what carries one of the preconditions of HTTP. No key is created: a
 * server that does not know the header carries a repetition out again. For one that does:
 * `{ ...Idempotency.standard, createKeyFor: ["POST", "PATCH"] }`.
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
 * Checks rules and answers them.
 *
 * @category constructors
 */
export const make = (rules: Idempotency): Idempotency => check("Idempotency.make", rules)

/**
 * Throws where a field has a value that its type cannot exclude.
 *
 * @category guards
 */
export const check = (owner: string, rules: Idempotency): Idempotency => {
  if (!Predicate.isRecord(rules)) return Argument.refuse(owner, "idempotency", "a record of rules", rules)
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
 * Whether a request is to get a key before it is sent: it carries none, and the rules ask for one.
 *
 * @category guards
 */
export const wantsKey = (rules: Idempotency, request: HttpClientRequest.HttpClientRequest): boolean =>
  rules.createKeyFor.includes(request.method) && valueOf(request, rules.keyHeader) === ""

/**
 * Judges a request that has failed. `declared` is the caller's reason to repeat it, if there is one.
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

/** An answer that is written by hand can lack its reason. */
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

/** Blank is what is left of a header whose value was forgotten. */
const valueOf = ({ headers }: HttpClientRequest.HttpClientRequest, name: string): string => headers[name]?.trim() ?? ""

/** As the standards write it: `idempotency-key` is `Idempotency-Key`. */
const spelt = (header: string): string => header.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase())

const isProtected = (request: HttpClientRequest.HttpClientRequest, name: string): boolean => {
  const value = valueOf(request, name)
  switch (name) {
    case "if-match":
      return entityTag.test(value)
    case "if-unmodified-since":
      // With `If-Match` beside it, it is ignored: section 13.1.4.
      return isDate(value) && valueOf(request, "if-match") === ""
    case "if-none-match":
      return value === "*"
    default:
      return value !== ""
  }
}

/** One: of a list the second can be what the first attempt made of the first; `*` is met before and after (13.1.1). */
const entityTag = /^(?:W\/)?"[!#-~\u0080-\u00ff]*"$/

/**
 * The form that senders must use, and a date that exists: servers may ignore others (5.6.7). They do not agree on leap
 * seconds.
 */
const isDate = (value: string): boolean => form.test(value) && HttpDate.parse(value, NaN) !== undefined

const form = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:[0-5]\d GMT$/
