/**
 * Tells a policy's observers what happens. For a policy without observers there is nothing to run.
 *
 * Fields of an event are its own, so that it can be spread, compared and written as JSON; what costs something to find
 * out is found out when an observer asks for it.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import { Key } from "../fund/Key.ts"
import type { Failure, Operation } from "./Operation.ts"
import { elapsed, wholeDuration } from "./Operation.ts"
import * as Readable from "./Readable.ts"
import type { Common, RetryEvent } from "./RetryEvent.ts"
import type { StopReason } from "./RetryStopped.ts"
import type { Telling } from "./Services.ts"
import * as Services from "./Services.ts"

/**
 * @category running
 */
export const nestingNoticed = (op: Operation): Telling => {
  const { outer } = op
  return outer === undefined || op.attempts > 1
    ? undefined
    : tell(op, () =>
        Object.assign(common(op, "NestingNoticed"), {
          outer: { name: outer.name, attempt: outer.attempt }
        })
      )
}

/**
 * @category running
 */
export const attemptFailed = (op: Operation, failure: Failure): Telling =>
  tell(op, () =>
    Object.assign(common(op, "AttemptFailed", failure), {
      error: failure.error,
      verdict: failure.verdict,
      ran: wholeDuration(failure.failedMillis - op.attemptStartedMillis),
      rateLimiterWait: wholeDuration(op.rateLimiterWaitMillis)
    })
  )

/**
 * @category running
 */
export const retryScheduled = (op: Operation, failure: Failure, delayMillis: number): Telling =>
  tell(op, () =>
    Object.assign(common(op, "RetryScheduled", failure), {
      error: failure.error,
      verdict: failure.verdict,
      delay: Duration.millis(delayMillis),
      source: op.source,
      cost: op.retryGrant?.tokens ?? 0
    })
  )

/**
 * @category running
 */
export const succeeded = (op: Operation): Telling =>
  tell(op, () =>
    Object.assign(common(op, "Succeeded"), {
      rateLimiterWait: wholeDuration(op.rateLimiterWaitMillis)
    })
  )

/**
 * @category running
 */
export const gaveUp = (op: Operation, error: unknown, reason: StopReason): Telling =>
  tell(op, () => Object.assign(common(op, "GaveUp", { error }), { error, reason }))

/** What every event tells. Of the details it knows what core knows: a protocol or a driver may know more. */
const common = <T extends RetryEvent["_tag"]>(
  op: Operation,
  _tag: T,
  failed?: { readonly error: unknown }
): Common & { readonly _tag: T } => {
  const { maxAttempts, name = "" } = op.prepared.policy
  const { currentContext } = op.fiber
  return {
    _tag,
    name,
    attempt: op.attempts,
    maxAttempts,
    elapsed: elapsed(op),
    level: Services.level(op),
    details: () => ({
      subject: name,
      outcome: failed === undefined ? "" : Readable.outcome(failed.error),
      key: Context.get(currentContext, Key),
      attributes: {},
      tags: {}
    })
  }
}

const tell = (op: Operation, event: () => RetryEvent): Telling =>
  op.prepared.observers.length === 0 ? undefined : tellFrom(op, event(), 0)

/** Tells the observers from `index` on. */
const tellFrom = (op: Operation, event: RetryEvent, index: number): Telling => {
  const observer = op.prepared.observers[index]
  if (observer === undefined) return undefined
  return Services.both(
    Services.tell(op, "an observer", () => observer(event)),
    () => tellFrom(op, event, index + 1)
  )
}
