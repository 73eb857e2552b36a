/**
 * Tells a policy's observers what happens. For a policy without observers there is nothing to run.
 */
import type { Option } from "effect"
import { Duration, Effect } from "effect"
import type { Failure, Operation } from "./Operation.ts"
import { elapsedMillis } from "./Operation.ts"
import type { Common, RetryEvent } from "./RetryEvent.ts"
import type { StopReason } from "./RetryStopped.ts"

type Telling = Effect.Effect<void> | undefined

/**
 * @category running
 */
export const nestingNoticed = (op: Operation): Telling => {
  const { outer } = op
  return outer === undefined ? undefined : tell(op, (common) => ({ _tag: "NestingNoticed", ...common, outer }))
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
    ran: Duration.millis(failedMillis - op.attemptStartedMillis),
    sendWait: Duration.millis(op.sendWaitMillis)
  }))

/**
 * @category running
 */
export const retryScheduled = (op: Operation, { verdict }: Failure, delayMillis: number): Telling =>
  tell(op, (common) => ({
    _tag: "RetryScheduled",
    ...common,
    verdict,
    delay: Duration.millis(delayMillis),
    source: op.source,
    cost: op.held ?? 0
  }))

/**
 * @category running
 */
export const succeeded = (op: Operation): Telling =>
  tell(op, (common) => ({ _tag: "Succeeded", ...common, sendWait: Duration.millis(op.sendWaitMillis) }))

/**
 * @category running
 */
export const gaveUp = (op: Operation, error: unknown, reason: StopReason): Telling =>
  tell(op, (common) => ({ _tag: "GaveUp", ...common, error, reason }))

const tell = (op: Operation, event: (common: Common) => RetryEvent): Telling => {
  const { name = "", observe } = op.policy
  if (observe === undefined || observe.length === 0) return undefined
  return Effect.flatMap(level(op), (level) => {
    const told = event({ name, attempt: op.attempts, elapsed: Duration.millis(elapsedMillis(op)), level })
    return Effect.forEach(observe, (observer) => harmless(Effect.suspend(() => observer(told))), { discard: true })
  })
}

/** A bucket that cannot tell its level is no reason to fail either. */
const level = ({ bucket }: Operation): Effect.Effect<Option.Option<number>> =>
  bucket === undefined
    ? Effect.succeedNone
    : Effect.catchAllCause(Effect.asSome(bucket.level.get), () => Effect.succeedNone)

/** Where the fiber itself is interrupted, no handler is asked: it catches defects and what interrupts itself. */
const harmless = (self: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.catchAllCause(self, (cause) => Effect.logWarning("a retry observer died", cause))
