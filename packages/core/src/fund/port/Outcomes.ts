/**
 * What outcomes say about the server.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Verdict from "../../classify/Verdict.ts"
import type { Outcome, TokenBucket } from "./Port.ts"

/** Whether the server asked for less load, even if the failure must not be retried. */
export const isThrottled = (outcome: Outcome): boolean =>
  outcome._tag === "Failed" && Option.contains(Verdict.kindOf(outcome.verdict), "Throttling")

/** The `record` of a bucket that ignores outcomes. */
export const ignored: TokenBucket["record"] = () => Effect.void

/** Whether a bucket is told of an outcome. */
export const isHeard = ({ started }: Pick<TokenBucket<unknown>, "started">, { _tag, granted }: Outcome): boolean =>
  _tag !== "Abandoned" || started !== undefined || granted.hearsAbandoned === true

/** Whether a bucket must be told of every abandoned attempt. */
export const hearsAbandoned = (bucket: TokenBucket | undefined): boolean =>
  bucket?.started !== undefined && bucket.record !== ignored
