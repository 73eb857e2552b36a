/**
 * The back-off of gRPC's retry policy.
 */
import { Backoff, Curve, Jitter } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import { times } from "@effect-retry/core/unstable/Millis"
import type * as Duration from "effect/Duration"
import * as Predicate from "effect/Predicate"

/** The three fields of a retry policy that define its back-off. */
interface Settings {
  /** Above zero. */
  readonly initialBackoff: Duration.DurationInput
  /** Above zero. */
  readonly maxBackoff: Duration.DurationInput
  /** Above 0. */
  readonly backoffMultiplier: number
}

/**
 * 20 % either way.
 *
 * Source: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Exponential Backoff".
 */
const standardJitter = /*#__PURE__*/ Jitter.proportional({ ratio: 0.2 })

/**
 * The back-off of gRPC's retry policy.
 *
 * Formula, for retry `n`: `min(initialBackoff * backoffMultiplier^(n - 1), maxBackoff) * U[0.8, 1.2)`. The draw comes
 * after the limit, so a delay may exceed `maxBackoff` by 20 %; use `Backoff.capped` for a strict limit. Older text and
 * older clients multiply by `U[0, 1)`, which is `Jitter.full`.
 * Source: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Exponential Backoff".
 *
 * @category constructors
 */
export const backoff = (settings: Settings, jitter: Jitter.Jitter = standardJitter): Backoff.Backoff => {
  const owner = "GrpcRetry.backoff"
  if (!Predicate.isRecord(settings)) return Argument.refuse(owner, "settings", "a record", settings)
  checkJitter(owner, jitter)
  const above = { min: 0, exclusive: true }
  const initial = Argument.millis(owner, "initialBackoff", settings.initialBackoff, above)
  const max = Argument.millis(owner, "maxBackoff", settings.maxBackoff, above)
  const multiplier = Argument.number(owner, "backoffMultiplier", settings.backoffMultiplier, above)
  const curve = Curve.fromFunction("grpc", (n) => Math.min(times(initial, multiplier ** (n - 1)), max))
  return Backoff.jittered(Backoff.fromCurve(curve), jitter)
}

export const checkJitter = (owner: string, jitter: Jitter.Jitter): void => {
  if (!Predicate.hasProperty(jitter, "draw")) Argument.refuse(owner, "jitter", "a jitter", jitter)
}
