/**
 * What a classifier says about a failure, or about a result that may mean "again".
 *
 * A verdict never says when to retry or whether the budget allows it: the stages `decide` and `fund` do that.
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Argument from "../accept/Argument.ts"

/**
 * The class of a retryable failure: delays, costs and metrics depend on it.
 *
 * `Transient` is a passing fault (a connection reset, a lost leader), `Throttling` means that the client sends too much,
 * `Timeout` that no answer came in time, `Server` is a fault of the server, and `Client` a fault of the request that another
 * attempt may cure.
 *
 * @category models
 */
export type Kind = (typeof kinds)[number]

/**
 * All kinds, in the order of this module's documentation.
 *
 * @category models
 */
export const kinds = ["Transient", "Throttling", "Timeout", "Server", "Client"] as const

/**
 * Another attempt may cure the failure. `hint` is how long the server asked us to wait.
 *
 * `progressed` says that the attempt made progress before it failed, like a stream that had delivered something: the
 * number of attempts, the back-off and the attempt timeout then start over, as after a first attempt. The deadline and
 * all other time limits keep running.
 *
 * @category models
 */
export interface Retryable {
  readonly _tag: "Retryable"
  readonly kind: Kind
  readonly hint: Option.Option<Duration.Duration>
  /** @default false */
  readonly progressed?: boolean | undefined
}

/**
 * The failure must not be repeated; `why` says so in words.
 *
 * Buckets and rate limiters are still told its kind and its hint: a throttle that must not be retried is still a throttle.
 *
 * @category models
 */
export interface Terminal {
  readonly _tag: "Terminal"
  readonly why: string
  readonly kind: Option.Option<Kind>
  readonly hint: Option.Option<Duration.Duration>
}

/** This classifier does not know the failure. A chain that ends here does not retry. */
type NoOpinion = {
  readonly _tag: "NoOpinion"
}

/**
 * The answer of a classifier.
 *
 * @category models
 */
export type Verdict = Retryable | Terminal | NoOpinion

/**
 * A retryable failure of `kind`, with the wait the server asked for, if it did, and whether the attempt had made progress.
 *
 * Hints come from outside: one that is negative, NaN or not a duration counts as no hint, and one of a century or more
 * as infinite.
 *
 * @category constructors
 */
export const retryable = (
  kind: Kind,
  options?: {
    readonly hint?: Duration.DurationInput | undefined
    /** @default false */
    readonly progressed?: boolean | undefined
  }
): Retryable => ({
  _tag: "Retryable",
  kind: Argument.oneOf("Verdict.retryable", "kind", kind, kinds),
  hint: readHint(options?.hint),
  ...(options?.progressed === true && { progressed: true })
})

const readHint = (hint: Duration.DurationInput | undefined): Option.Option<Duration.Duration> =>
  hint === undefined ? Option.none() : Option.map(Argument.decode(hint), orInfinity)

/** A century is longer than any clock can hold or any text can show. */
const orInfinity = (hint: Duration.Duration): Duration.Duration =>
  Duration.lessThan(hint, Duration.weeks(5200)) ? hint : Duration.infinity

const plain = (kind: Kind): Retryable => ({ _tag: "Retryable", kind, hint: Option.none() })

/**
 * A passing fault.
 *
 * @category constructors
 */
export const transient: Retryable = /*#__PURE__*/ plain("Transient")

/**
 * The server asks us to send less.
 *
 * @category constructors
 */
export const throttling: Retryable = /*#__PURE__*/ plain("Throttling")

/**
 * No answer in time.
 *
 * @category constructors
 */
export const timeout: Retryable = /*#__PURE__*/ plain("Timeout")

/**
 * A fault of the server.
 *
 * @category constructors
 */
export const server: Retryable = /*#__PURE__*/ plain("Server")

/**
 * A fault of the request that another attempt may cure.
 *
 * @category constructors
 */
export const client: Retryable = /*#__PURE__*/ plain("Client")

/**
 * A failure that must not be retried, and why; optionally with a kind and a hint for buckets and rate limiters.
 *
 * @category constructors
 */
export const terminal = (
  why: string,
  options?: { readonly kind?: Kind | undefined; readonly hint?: Duration.DurationInput | undefined }
): Terminal => ({
  _tag: "Terminal",
  why,
  kind:
    options?.kind === undefined
      ? Option.none()
      : Option.some(Argument.oneOf("Verdict.terminal", "kind", options.kind, kinds)),
  hint: readHint(options?.hint)
})

/**
 * No opinion on a failure: the identity of `Classifier.firstOf`.
 *
 * @category constructors
 */
export const noOpinion: NoOpinion = { _tag: "NoOpinion" }

/**
 * Attaches a hint to a verdict; `NoOpinion` stays as it is, and so does any verdict if there is no hint.
 *
 * @category combinators
 */
export const withHint = (self: Verdict, hint: Duration.DurationInput | undefined): Verdict =>
  self._tag === "NoOpinion" || hint === undefined ? self : { ...self, hint: readHint(hint) }

/**
 * The kind of a failure, retryable or not; `None` if it is unknown.
 *
 * @category destructors
 */
export const kindOf = (self: Verdict): Option.Option<Kind> => {
  if (self._tag === "Retryable") return Option.some(self.kind)
  return self._tag === "Terminal" ? self.kind : Option.none()
}
