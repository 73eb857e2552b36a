/**
 * Events as lines for people: what was called, how it ended, and why there is or is not another attempt.
 */
import * as Option from "effect/Option"
import * as Untrusted from "../accept/Untrusted.ts"
import { whyNot } from "../classify/Judging.ts"
import type { Verdict } from "../classify/Verdict.ts"
import * as Readable from "../loop/run/Readable.ts"
import type { RetryEvent } from "../loop/policy/RetryEvent.ts"
import { isAnswered } from "./Answered.ts"
import { formatWith } from "../loop/policy/RetryStopped.ts"

/**
 * An event in one line, such as `gave up: GET api.example → 503 after 4 attempts, 1.2 s (all attempts spent)`.
 *
 * Texts from outside are cut at 200 characters and have no line breaks.
 */
export const line = (event: RetryEvent): string => {
  switch (event._tag) {
    case "AttemptFailed":
      return `attempt ${event.attempt} failed${ofCall(event)} in ${Readable.time(event.ran)} (${because(event.verdict)})`
    case "RetryScheduled":
      return `${retry(event)}${ofCall(event)} (${because(event.verdict)})`
    case "Succeeded":
      return `${isAnswered(event) ? "answered" : "succeeded"}${ofCall(event)} ${after(event)}`
    case "GaveUp":
      return `gave up${ofCall(event)} ${after(event)} (${Readable.inLine(formatWith(event.reason, event.elapsed, Readable.time))})`
    case "NestingNoticed":
      return `nested${ofCall(event)} inside attempt ${event.outer.attempt} of ${Readable.inLine(event.outer.name)}, which retries too`
    case "HedgeStarted":
      return `hedge ${event.attempt - 1} of ${event.maxAttempts - 1}${ofCall(event)} (${hedge(event)}, ${event.inFlight} in flight)`
    case "HedgeRefused":
      return `hedge refused${ofCall(event)} ${after(event)}`
  }
}

/** `: GET api.example → 503`, as far as it is known. */
const ofCall = (event: RetryEvent): string => {
  const { outcome, subject } = event.details()
  const ended = outcome === "" && "error" in event ? Untrusted.outcome(Untrusted.inFull(event.error)) : outcome
  const known = [subject, ended].filter((text) => text !== "").map(Readable.inLine)
  return known.length === 0 ? "" : `: ${known.join(" → ")}`
}

const after = ({ attempt, elapsed }: RetryEvent): string =>
  `after ${attempt} ${attempt === 1 ? "attempt" : "attempts"}, ${Readable.time(elapsed)}`

/** Attempts of kinds with separate limits can exceed `maxAttempts`; then the total is unknown. */
const retry = ({ attempt, delay, maxAttempts }: Extract<RetryEvent, { readonly _tag: "RetryScheduled" }>): string => {
  const most = maxAttempts - 1
  const number = attempt <= most && most < Infinity ? `${attempt} of ${most}` : String(attempt)
  const wait = Readable.time(delay)
  return `retry ${number} ${wait === "0 ms" ? "at once" : `in ${wait}`}`
}

const hedge = ({ because, elapsed }: Extract<RetryEvent, { readonly _tag: "HedgeStarted" }>): string =>
  because === "Failure" ? "after a failure" : `no answer after ${Readable.time(elapsed)}`

const because = (verdict: Verdict): string => {
  if (verdict._tag === "NoOpinion") return whyNot(verdict)
  const found = verdict._tag === "Retryable" ? verdict.kind : `not retryable: ${Readable.inLine(verdict.why)}`
  return Option.isNone(verdict.hint) ? found : `${found}, asked to wait ${Readable.time(verdict.hint.value)}`
}
