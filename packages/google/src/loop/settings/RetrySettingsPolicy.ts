/**
 * Retry settings as a policy.
 */
import type { Classifier } from "@effect-retry/core"
import { AttemptTimeout, Backoff, Curve, Deadline, Hint, Verdict } from "@effect-retry/core"
import * as Judging from "@effect-retry/core/unstable/Judging"
import * as Argument from "@effect-retry/core/unstable/Argument"
import type { StatusCode } from "@effect-retry/grpc"
import * as Predicate from "effect/Predicate"
import type { Fields, Millis } from "../../accept/RetrySettingsRecord.ts"
import { read } from "../../accept/RetrySettingsRecord.ts"
import * as Owner from "../../accept/Owner.ts"
import * as GoogleClassifier from "../../classify/GoogleClassifier.ts"
import * as GaxAlgorithm from "../../decide/GaxAlgorithm.ts"

/**
 * The policy made from settings; `C` is its classifier.
 *
 * @category models
 */
export interface Compiled<out C = Classifier.Classifier> {
  /** `undefined` if `initialRpcTimeout` is zero. */
  readonly attemptTimeout: AttemptTimeout.AttemptTimeout | undefined
  readonly classifier: C
  readonly maxAttempts: number
  readonly backoff: Backoff.Backoff
  /** `Hint.ignore`: the library follows no hints. */
  readonly hint: Hint.Hint
  /** `undefined` if `totalTimeout` is not set. */
  readonly deadline: Deadline.Deadline | undefined
}

/**
 * The codes after which a method is retried.
 *
 * @category models
 */
export interface Codes {
  /** An attempt that timed out is retried if `DEADLINE_EXCEEDED` is one of them. */
  readonly codes: ReadonlyArray<StatusCode.StatusCode>
}

/**
 * A classifier instead of codes.
 *
 * @category models
 */
export interface Judge<out C> {
  readonly classifier: C
  /** The verdict on an attempt that timed out. @default Verdict.timeout: it is retried */
  readonly timeout?: Verdict.Verdict | undefined
}

/**
 * Turns settings into a policy that behaves like the library: `Retry.retry(call, RetrySettings.toPolicy(settings, {
 * codes }))`.
 *
 * Its attempts have the start times and timeouts of `RetrySettings.table`. An attempt that timed out corresponds to the
 * library's `DEADLINE_EXCEEDED`. Settings with neither a total timeout nor a number of attempts never retry. Hints are
 * ignored, as in the library; `{ ...policy, hint: Hint.override({ … }) }` follows them.
 *
 * Throws an `InvalidArgument` for settings and codes out of their ranges.
 *
 * @category conversions
 */
export function toPolicy<C extends Classifier.Classifier<never>>(settings: Fields, options: Judge<C>): Compiled<C>
export function toPolicy(settings: Fields, options: Codes): Compiled
export function toPolicy(settings: Fields, options: Codes | Judge<Classifier.Classifier>): Compiled {
  if (!Predicate.isRecord(options)) return Argument.refuse(owner, "options", "codes or a classifier", options)
  const { classifier, timeout = Verdict.timeout } = isCodes(options) ? judgeOf(options) : options
  if (!Predicate.isFunction(classifier)) {
    Argument.refuse(owner, "classifier", "a function from error to verdict", classifier)
  }
  if (!Judging.isVerdict(timeout)) Argument.refuse(owner, "timeout", "a verdict", timeout)
  const millis = read(owner, settings)
  return {
    attemptTimeout: attemptTimeoutOf(millis, timeout),
    classifier,
    maxAttempts: maxAttemptsOf(millis),
    backoff: Backoff.fromCurve(curveOf(millis)),
    hint: Hint.ignore,
    deadline: deadlineOf(millis)
  }
}

const owner = "RetrySettings.toPolicy"

const isCodes = (options: object): options is Codes => "codes" in options

const judgeOf = ({ codes }: Codes): Judge<Classifier.Classifier> => ({
  classifier: Owner.calling(owner, () => GoogleClassifier.grpc({ codes, pushback: "ignore" })),
  timeout: codes.includes("DEADLINE_EXCEEDED")
    ? Verdict.timeout
    : Verdict.terminal("DEADLINE_EXCEEDED", { kind: "Timeout" })
})

const attemptTimeoutOf = (settings: Millis, verdict: Verdict.Verdict): AttemptTimeout.AttemptTimeout | undefined =>
  settings.initialRpcTimeout === 0
    ? undefined
    : AttemptTimeout.judged(
        AttemptTimeout.fromFunction("gax", (attempt) => GaxAlgorithm.rpcTimeoutOf(settings, attempt)),
        verdict
      )

const maxAttemptsOf = ({ maxAttempts, totalTimeout }: Millis): number =>
  maxAttempts > 0 ? maxAttempts : totalTimeout > 0 ? Infinity : 1

/** The remaining time counts in whole milliseconds, so an attempt starts while at least one is left. */
const deadlineOf = ({ totalTimeout }: Millis): Deadline.Deadline | undefined =>
  totalTimeout === 0 ? undefined : Deadline.refuse(totalTimeout, { reserve: "1 milli" })

/** The state is the bound of the delay that comes next. */
const curveOf = (settings: Millis): Curve.Curve<number> => {
  const bounded = (millis: number, capMillis: number) => Math.floor(Math.min(millis, capMillis))
  return Curve.make({
    name: "gax",
    draws: settings.jittered,
    initial: settings.initialRetryDelay,
    delayMillis: (_, millis, capMillis, u) =>
      settings.jittered ? GaxAlgorithm.drawn(bounded(millis, capMillis), u) : millis,
    next: (_delay, _n, millis) => GaxAlgorithm.grownDelay(settings, millis),
    intervalMillis: (n, capMillis) => {
      const millis = GaxAlgorithm.delayOf(settings, n)
      return settings.jittered ? [0, Math.max(0, bounded(millis, capMillis) - 1)] : [millis, millis]
    }
  })
}
