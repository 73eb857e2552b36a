/**
 * What bucket and percentile are told of the attempts of a hedge.
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
 * Tells the percentile how long the first attempt ran, or its age where it has not ended. To be told how long the winners ran
 * would lower the percentile, which makes more hedges, which lower it further.
 */
export const measured = ({ op, hedges, prepared, open }: Run): Effect.Effect<void> => {
  const { percentile } = prepared
  // The first attempt that has failed says nothing: it is not in `open`.
  const [first] = open
  if (percentile === undefined || first?.number !== 1 || hedges.started === 0) return Effect.void
  return percentile.record(Elapsed.millis(op) - first.startedMillis)
}

/** Tells the bucket how an attempt ended: with this verdict, or without one where it succeeded. */
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

/** Tells the bucket of an attempt that has no outcome. */
export const abandoned = ({ op, open }: Run, attempt: Attempt): Effect.Effect<void> => {
  const { bucket } = op
  open.delete(attempt)
  if (bucket === undefined || !hearsAbandoned(bucket, attempt)) return Effect.void
  return Services.run(
    Services.tell(op, bucket.service, () => bucket.bucket.record({ _tag: "Abandoned", ...endOf(op, attempt) }))
  )
}

/** A bucket with `started` hears of every attempt that it was told of, another one of those whose grant asks for it. */
const hearsAbandoned = ({ bucket }: Place, { child, granted, isTold }: Attempt): boolean =>
  bucket.started === undefined ? child !== undefined && granted.hearsAbandoned === true : isTold

/** What the bucket is told of every end. */
const endOf = (op: Operation.Operation, { begun, child, granted, number, startedMillis }: Attempt) => ({
  attempt: number,
  granted,
  started: op.bucket?.bucket.started && begun,
  // An attempt that has begun may not have been made.
  ran: op.timesAttempts
    ? Duration.millis(child === undefined ? 0 : Math.max(0, Elapsed.millis(op) - startedMillis))
    : undefined
})
