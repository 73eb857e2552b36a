/**
 * Reports the attempts of a hedge to the bucket and the percentile.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Verdict from "../../classify/Verdict.ts"
import type { Outcome } from "../../fund/port/Port.ts"
import * as Elapsed from "../run/Elapsed.ts"
import type { Place } from "../run/Operation.ts"
import type * as Operation from "../run/Operation.ts"
import * as Services from "../run/Services.ts"
import type { Attempt, Run } from "./HedgeState.ts"

/**
 * Records in the percentile how long the first attempt ran, or its age if it has not ended. Recording the winners
 * instead would lower the percentile, which would start more hedges, which would lower it further.
 */
export const measured = ({ op, hedges, prepared, open }: Run): Effect.Effect<void> => {
  const { percentile } = prepared
  // A first attempt that has failed is not in `open`, and is not measured.
  const [first] = open
  if (percentile === undefined || first?.number !== 1 || hedges.started === 0) return Effect.void
  return percentile.record(Elapsed.millis(op) - first.startedMillis)
}

/** Records with the bucket how an attempt ended: with this verdict, or, without one, as a success. */
export const record = ({ op, open }: Run, attempt: Attempt, verdict?: Verdict.Verdict): Services.Telling => {
  const { bucket } = op
  const note = () => void open.delete(attempt)
  if (bucket === undefined) return note()
  const outcome: Outcome =
    verdict === undefined
      ? { _tag: "Succeeded", ...endOf(op, attempt) }
      : { _tag: "Failed", ...endOf(op, attempt), verdict }
  return Services.tell(op, bucket.service, () => bucket.bucket.record(outcome), note)
}

/** Records with the bucket an attempt that has no outcome. */
export const abandoned = ({ op, open }: Run, attempt: Attempt): Effect.Effect<void> => {
  const { bucket } = op
  open.delete(attempt)
  if (bucket === undefined || !hearsAbandoned(bucket, attempt)) return Effect.void
  return Services.run(
    Services.tell(op, bucket.service, () => bucket.bucket.record({ _tag: "Abandoned", ...endOf(op, attempt) }))
  )
}

/**
 * Whether the bucket is told of an abandoned attempt: with `started`, if it was told of the start; otherwise, if the grant
 * asks for it.
 */
const hearsAbandoned = ({ bucket }: Place, { child, granted, isTold }: Attempt): boolean =>
  bucket.started === undefined ? child !== undefined && granted.hearsAbandoned === true : isTold

/** The fields of every outcome. */
const endOf = (op: Operation.Operation, { begun, child, granted, number, startedMillis }: Attempt) => ({
  attempt: number,
  granted,
  started: op.bucket!.bucket.started && begun,
  // An attempt that was reported as started may not have been made.
  ran: op.timesAttempts
    ? Duration.millis(child === undefined ? 0 : Math.max(0, Elapsed.millis(op) - startedMillis))
    : undefined
})
