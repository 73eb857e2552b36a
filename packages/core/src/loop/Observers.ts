/**
 * Tells a policy's observers what happens. For a policy without observers there is nothing to run.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import { Key } from "../fund/Key.ts"
import type { Failure, Operation } from "./Operation.ts"
import { elapsed, wholeDuration } from "./Operation.ts"
import * as Readable from "./Readable.ts"
import type { Common, Details, RetryEvent } from "./RetryEvent.ts"
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
    : tell(op, (common) => ({
        _tag: "NestingNoticed",
        ...common,
        outer: { name: outer.name, attempt: outer.attempt }
      }))
}

/**
 * @category running
 */
export const attemptFailed = (op: Operation, { error, failedMillis, verdict }: Failure): Telling =>
  tell(op, (common) => ({
    _tag: "AttemptFailed",
    ...common,
    error,
    verdict,
    ran: wholeDuration(failedMillis - op.attemptStartedMillis),
    rateLimiterWait: wholeDuration(op.rateLimiterWaitMillis)
  }))

/**
 * @category running
 */
export const retryScheduled = (op: Operation, { error, verdict }: Failure, delayMillis: number): Telling =>
  tell(op, (common) => ({
    _tag: "RetryScheduled",
    ...common,
    error,
    verdict,
    delay: Duration.millis(delayMillis),
    source: op.source,
    cost: op.retryGrant?.tokens ?? 0
  }))

/**
 * @category running
 */
export const succeeded = (op: Operation): Telling =>
  tell(op, (common) => ({
    _tag: "Succeeded",
    ...common,
    rateLimiterWait: wholeDuration(op.rateLimiterWaitMillis)
  }))

/**
 * @category running
 */
export const gaveUp = (op: Operation, error: unknown, reason: StopReason): Telling =>
  tell(op, (common) => ({ _tag: "GaveUp", ...common, error, reason }))

const tell = (op: Operation, event: (common: Common) => RetryEvent): Telling => {
  const { observers, policy } = op.prepared
  if (observers.length === 0) return undefined
  const { currentContext } = op.fiber
  const told: RetryEvent = event({
    name: policy.name ?? "",
    attempt: op.attempts,
    maxAttempts: policy.maxAttempts,
    elapsed: elapsed(op),
    level: Services.level(op),
    details: () => detailsOf(told, currentContext)
  })
  const from = (index: number): Telling => {
    const observer = observers[index]
    if (observer === undefined) return undefined
    const first = Services.tell(op, "an observer", () => observer(told))
    return index + 1 === observers.length ? first : Services.both(first, () => from(index + 1))
  }
  return from(0)
}

/** What core knows: a protocol or a driver may know more. */
const detailsOf = (event: RetryEvent, context: Context.Context<never>): Details => ({
  subject: event.name,
  outcome: "error" in event ? Readable.outcome(event.error) : "",
  key: Context.get(context, Key),
  attributes: {},
  tags: {}
})
