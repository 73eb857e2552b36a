/**
 * What goes wrong with a call: it fails, takes long or hangs, or its answer is lost or broken.
 *
 * By itself, a fault applies to every call; `Faults` says which calls it affects. `Fault.status`, `reset`, `truncate`,
 * `garble` and `slowBody` are only for HTTP; all others also work for any effect.
 */
import { Classifier, Jitter, Verdict } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as Millis from "@effect-retry/core/unstable/Millis"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import type { Fault, Faults } from "./Tree.ts"
import { treeOf } from "./Tree.ts"

/**
 * The error with which `throttle` makes an effect fail: the server asks the client to wait. Over HTTP it is a response.
 *
 * @category models
 */
export class Throttled extends Data.TaggedError("Throttled")<{ readonly retryAfter: Duration.Duration }> {
  override get message(): string {
    return "a throttle that was injected"
  }
}

/**
 * The cause of injected HTTP errors: a connection that was reset. Classifiers read its `code`.
 *
 * @category models
 */
export class ConnectionReset extends Data.TaggedError("ConnectionReset")<{ readonly code: "ECONNRESET" }> {
  override get message(): string {
    return "a reset of the connection that was injected"
  }
}

/**
 * Judges `Throttled` as a throttle with its hint; has no opinion on other errors.
 *
 * @category constructors
 */
export const classifier: Classifier.Classifier = /*#__PURE__*/ Classifier.fromClass(Throttled, ({ retryAfter }) =>
  Verdict.retryable("Throttling", { hint: retryAfter })
)

/** When a call that is not made ends. */
interface Options {
  /** The time until it ends. @default at once */
  readonly after?: Duration.DurationInput
}

/**
 * The call is not made and fails with the given error.
 *
 * @category constructors
 */
export const fail = <const E>(error: E, options: Options = {}): Faults<E> =>
  fault({ _tag: "Fail", error, afterMillis: after("Fault.fail", "error", options) })

/**
 * The call is not made and dies.
 *
 * @category constructors
 */
export const die = (defect: unknown, options: Options = {}): Faults =>
  fault({ _tag: "Die", defect, afterMillis: after("Fault.die", "defect", options) })

/**
 * The call is not made and is throttled with a hint: an effect fails with `Throttled`; over HTTP the answer is a 429
 * with `retry-after`, and also `retry-after-ms` if the hint is not in whole seconds.
 *
 * @category constructors
 */
export const throttle = (hint: Duration.DurationInput, options: Options = {}): Faults<Throttled> =>
  fault({
    _tag: "Throttle",
    hintMillis: Argument.millis("Fault.throttle", "hint", hint, { min: 0 }),
    afterMillis: after("Fault.throttle", `"2 seconds"`, options)
  })

/**
 * The call is not made and never ends. It can be interrupted at any time.
 *
 * @category constructors
 */
export const hang: Faults = { tree: { _tag: "Leaf", fault: { _tag: "Hang" } } }

/**
 * The call is made after a time in which it cannot be interrupted, like a call of a library that does not support
 * interruption.
 *
 * @category constructors
 */
export const stuck = (duration: Duration.DurationInput): Faults =>
  fault({ _tag: "Stuck", millis: millis("Fault.stuck", "duration", duration) })

/**
 * How much longer a call takes.
 *
 * @category models
 */
export interface Latency {
  /** The extra time before the call is made. @default none */
  readonly before?: Duration.DurationInput
  /** The extra time between its end and the answer, when the work is done but the caller does not know. @default none */
  readonly after?: Duration.DurationInput
  /** Randomises both. @default Jitter.none */
  readonly jitter?: Jitter.Jitter
}

/**
 * The call is made and takes longer.
 *
 * @category constructors
 */
export const latency = (options: Latency): Faults => {
  const owner = "Fault.latency"
  const {
    after = 0,
    before = 0,
    jitter = Jitter.none
  } = Argument.options(owner, `{ before: "1 second" }`, options, { before: false, after: false, jitter: false })
  if (typeof jitter?.draw !== "function") {
    return Argument.refuse(owner, "jitter", "made by Jitter, such as Jitter.full", jitter)
  }
  return fault({
    _tag: "Latency",
    beforeMillis: millis(owner, "before", before),
    afterMillis: millis(owner, "after", after),
    jitter
  })
}

/**
 * The call is made, but its answer is lost: once the call has ended, the caller gets these faults instead. Has no
 * effect on a fault that leaves the call as it is, such as `latency`.
 *
 * @category combinators
 */
export const lost = <E, Over extends "http">(self: Faults<E, Over>): Faults<E, Over> => ({
  tree: { _tag: "Lost", of: treeOf("Fault.lost", self) }
})

/** A made-up response. */
interface Response extends Options {
  /** @default only `content-type` */
  readonly headers?: Readonly<Record<string, string>>
  /** @default "" */
  readonly body?: string
}

/**
 * The request is not sent, and is answered with a status.
 *
 * @category constructors
 */
export const status = (status: number, options: Response = {}): Faults<never, "http"> => {
  const owner = "Fault.status"
  const known = { after: false, headers: false, body: false }
  const { after = 0, body = "", headers } = Argument.options(owner, `503, { after: "1 second" }`, options, known)
  return fault({
    _tag: "Status",
    status: Argument.number(owner, "status", status, { min: 200, max: 599, integer: true }),
    headers: { ...headers },
    body,
    afterMillis: millis(owner, "after", after)
  })
}

/** Where a connection breaks. */
interface Reset extends Options {
  /** How many bytes of the body arrive. @default none, and no head either */
  readonly afterBytes?: number
}

/**
 * The connection is reset: before the request is sent or, if `afterBytes` is given, within the body of the response.
 *
 * A client fails with a `RequestError`, a `fetch` rejects with a `TypeError`, and a body breaks while it is read; the
 * cause of each is a `ConnectionReset`. With `Fault.lost` it is a reset of a request that the server has carried out.
 *
 * @category constructors
 */
export const reset = (options: Reset = {}): Faults<never, "http"> => {
  const owner = "Fault.reset"
  const known = { after: false, afterBytes: false }
  const { after = 0, afterBytes } = Argument.options(owner, `{ after: "1 second" }`, options, known)
  const afterMillis = millis(owner, "after", after)
  if (afterBytes === undefined) return fault({ _tag: "Reset", afterMillis })
  if (afterMillis > 0) Argument.refuse(owner, "after", "absent with afterBytes", after)
  return fault({ _tag: "Broken", afterBytes: bytes(owner, afterBytes) })
}

/**
 * The body ends after this many bytes, without an error.
 *
 * @category constructors
 */
export const truncate = (afterBytes: number): Faults<never, "http"> =>
  fault({ _tag: "Truncate", afterBytes: bytes("Fault.truncate", afterBytes) })

/**
 * Random bytes of the body are changed.
 *
 * @category constructors
 */
export const garble = (
  options: { /** The share of bytes. @default 1 */ readonly ratio?: number } = {}
): Faults<never, "http"> => {
  const owner = "Fault.garble"
  const { ratio = 1 } = Argument.options(owner, "{ ratio: 0.1 }", options, { ratio: false })
  return fault({
    _tag: "Garble",
    ratio: Argument.number(owner, "ratio", ratio, { min: 0, max: 1, exclusive: true })
  })
}

/**
 * The body arrives slowly, in pieces of a tenth of a second.
 *
 * @category constructors
 */
export const slowBody = (bytesPerSecond: number): Faults<never, "http"> =>
  fault({
    _tag: "SlowBody",
    bytesPerSecond: Argument.number("Fault.slowBody", "bytesPerSecond", bytesPerSecond, { min: 1 })
  })

const fault = (fault: Fault): Faults<never, never> => ({ tree: { _tag: "Leaf", fault } })

const millis = (owner: string, field: string, value: Duration.DurationInput): number =>
  Argument.millis(owner, field, value, { min: 0, max: Millis.longestTimerMillis })

/** When a call that is not made ends; `first` is the first argument, for the call that a message shows. */
const after = (owner: string, first: string, options: Options): number => {
  const { after = 0 } = Argument.options(owner, `${first}, { after: "1 second" }`, options, { after: false })
  return millis(owner, "after", after)
}

const bytes = (owner: string, afterBytes: number): number =>
  Argument.number(owner, "afterBytes", afterBytes, { min: 0, integer: true })
