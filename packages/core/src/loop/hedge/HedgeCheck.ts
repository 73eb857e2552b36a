/**
 * Checks a hedge and works out what it needs, once per hedge. The fields that it shares with a policy are checked as a
 * policy.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Argument from "../../accept/Argument.ts"
import * as Backoff from "../../decide/Backoff.ts"
import type * as Hedges from "../../decide/Hedges.ts"
import * as AtOnce from "../../fund/fiber/AtOnce.ts"
import * as PolicyCheck from "../policy/PolicyCheck.ts"
import type { Any, Delay } from "./HedgeRecord.ts"
import type { Percentile } from "./Percentile.ts"
import { isPercentile } from "./Percentile.ts"

/** A checked hedge. */
export interface Prepared {
  /** The fields that it shares with a policy. */
  readonly common: PolicyCheck.Prepared
  readonly limits: Hedges.Limits
  /** The delay before an attempt, in milliseconds. */
  readonly delayOf: (attempt: number) => Effect.Effect<number>
  /** The percentile that records latencies. */
  readonly percentile: Percentile | undefined
  /** No attempt starts after a hint longer than this. */
  readonly hintAtMostMillis: number
}

const fields = [
  "name",
  "observe",
  "attempt",
  "classifier",
  "result",
  "maxAttempts",
  "maxInFlight",
  "delay",
  "deadline",
  "release",
  "bucket"
] as const satisfies ReadonlyArray<keyof Any>

/** Hedges do not wait as retries do. */
const noBackoff = /*#__PURE__*/ Backoff.fromDelays([])

const count = { min: 1, integer: true }

/** The bound of a policy's default rule for hints. */
const minuteMillis = 60_000

/** Checks a hedge. A hint is bounded by `hintAtMostMillis`. */
export const prepare = (owner: string, given: Any, usage: string, hintAtMostMillis = minuteMillis): Prepared => {
  if (!Predicate.isRecord(given) || Effect.isEffect(given)) {
    return Argument.refuseForeign(owner, "hedge", `a record, as in ${usage}`, given)
  }
  Argument.fields(owner, given, fields, "fields of a hedge")
  const { delay, maxAttempts, maxInFlight = maxAttempts, ...common } = given as Any
  Argument.number(owner, "maxAttempts", maxAttempts, count)
  const prepared = PolicyCheck.prepare(owner, { ...common, maxAttempts, backoff: noBackoff })
  return {
    // When attempts are due depends on the time since the operation began.
    common: { ...prepared, timed: true },
    limits: {
      maxAttempts,
      maxInFlight: Argument.number(owner, "maxInFlight", maxInFlight, count),
      deadline: prepared.policy.deadline
    },
    delayOf: delays(owner, delay),
    percentile: isPercentile(delay) ? delay : undefined,
    hintAtMostMillis
  }
}

const delays = (owner: string, delay: Delay): Prepared["delayOf"] => {
  if (isPercentile(delay)) {
    const toMillis = Option.match({ onNone: () => Infinity, onSome: Duration.toMillis })
    const millis = AtOnce.suspend(() =>
      AtOnce.andThen(delay.estimate, (estimate) => Effect.succeed(toMillis(estimate)))
    )
    return () => millis
  }
  if (Predicate.isFunction(delay)) {
    return (attempt) => Effect.sync(() => millisOf(owner, `delay of attempt ${attempt}`, delay(attempt)))
  }
  const millis = Effect.succeed(millisOf(owner, "delay", delay))
  return () => millis
}

/** An infinite delay starts no attempt. */
const millisOf = (owner: string, field: string, delay: Duration.DurationInput): number => {
  const decoded = Option.getOrUndefined(Argument.decode(delay))
  return decoded === undefined
    ? Argument.refuse(owner, field, "a duration, a percentile or a function that returns a duration", delay)
    : Duration.toMillis(decoded)
}
