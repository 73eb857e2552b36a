/**
 * The one loop. In this order, for every operation: the send rate grants, the attempt runs, the send rate, the bucket and
 * the observers hear; then not retryable, attempts spent, stood down, back-off ended, hint too long, deadline passed,
 * bucket empty; then what the attempt left open is released, then the wait, and again. A bucket that charges first
 * attempts is asked before the first grant.
 *
 * Nothing waits before a refusal. Defects and interruption pass through untouched. What a policy does not ask for is not
 * paid for: a success under a plain policy costs one `catchAllCause`.
 */
import { Cause, Duration, Effect, Exit, Option } from "effect"
import type { Kind, Retryable } from "../classify/Verdict.ts"
import * as Verdict from "../classify/Verdict.ts"
import type { AttemptTimedOut } from "../decide/AttemptTimeout.ts"
import * as Backoff from "../decide/Backoff.ts"
import type { Cut } from "../decide/Deadline.ts"
import { DeadlineExceeded } from "../decide/Deadline.ts"
import type { ChargingBucket } from "../fund/RetryBucket.ts"
import { isCharging } from "../fund/RetryBucket.ts"
import type { SendRate } from "../fund/SendRate.ts"
import * as Attempt from "./Attempt.ts"
import * as Decision from "./Decision.ts"
import * as Foreign from "./Foreign.ts"
import * as Observers from "./Observers.ts"
import type { Erased, Failure } from "./Operation.ts"
import * as Operation from "./Operation.ts"
import type { ErasedPolicy, Release } from "./PolicyRecord.ts"
import { check } from "./PolicyRecord.ts"
import type { StopReason } from "./RetryStopped.ts"
import { ResultRejected, RetryStopped, SendRefused } from "./RetryStopped.ts"
import { wait } from "./Wait.ts"

type Op = Operation.Operation
type Bucket = NonNullable<Op["bucket"]>

/**
 * Runs an effect under a policy. `onStopped` replaces failing with the last failure.
 *
 * @category running
 */
export const run = (owner: string, self: Erased, policy: ErasedPolicy, onStopped: Op["onStopped"]): Erased => {
  check(owner, policy)
  const begin = (f: (op: Op) => Erased): Erased =>
    Effect.withFiberRuntime((fiber) => f(Operation.make(self, policy, onStopped, fiber)))
  const { deadline } = policy
  if (deadline?._tag === "Cut") return begin((op) => cut(op, deadline))
  if (onStopped !== undefined || !isPlain(policy)) return begin(first)
  return Effect.catchAllCause(self, (cause) =>
    begin((op) => {
      op.attempts = 1
      return failed(op, cause)
    })
  )
}

/** Whether nothing has to happen before the first failure. */
const isPlain = (policy: ErasedPolicy): boolean =>
  policy.name === undefined &&
  policy.observe === undefined &&
  policy.attemptSpan === undefined &&
  policy.attempt === undefined &&
  policy.sendRate === undefined &&
  policy.attemptTimeout === undefined &&
  policy.result === undefined &&
  policy.deadline === undefined &&
  policy.bucket === undefined &&
  !(Backoff.isBackoff(policy.backoff) && policy.backoff.readsTime)

/** The whole operation, interrupted at its deadline. What it ends with is not under the deadline any more. */
const cut = (op: Op, deadline: Cut<unknown>): Erased =>
  Effect.flatten(
    Effect.timeoutTo(first(op), {
      duration: Duration.millis(deadline.withinMillis),
      // Called when the time is up, but to be looked at when the operation has come to its end.
      onTimeout: () => Effect.suspend(() => exceeded(op, deadline)),
      onSuccess: (value) => op.ending ?? Effect.succeed(value)
    })
  )

const exceeded = (op: Op, deadline: Cut<unknown>): Erased => {
  const within = Duration.millis(deadline.withinMillis)
  const cause = op.history.at(-1)?.error
  const error = deadline.onExceeded(new DeadlineExceeded({ within, attempts: op.attempts, cause }))
  return stopped(op, error, { _tag: "DeadlinePassed", within }, Effect.fail(error))
}

const first = (op: Op): Erased => told(Observers.nestingNoticed(op), () => charged(op))

/** Takes the cost of the first attempt, where the bucket has one: before the send rate's grant, as for a retry. */
const charged = (op: Op): Erased => {
  const { bucket, sendRate } = op
  if (bucket === undefined || !isCharging(bucket)) {
    return sendRate === undefined ? attempt(op) : send(op, (op, reason) => refused(op, "send rate", reason))
  }
  const funded = Effect.flatMap(holding(op, 0, bucket.takeFirst), (granted) => {
    if (!granted) return refused(op, "bucket", { _tag: "BucketEmpty" })
    const by = sendRate === undefined || Operation.late(op) !== undefined ? "bucket" : "send rate"
    return send(op, (op, reason) => Effect.flatMap(givenBack(op, bucket), () => refused(op, by, reason)))
  })
  return guarded(op, bucket, funded)
}

const refused = (op: Op, by: SendRefused["by"], reason: StopReason): Erased => {
  const error = new SendRefused({ by })
  return endedBy(op, error, reason, () => Effect.fail(error))
}

const acquire = (op: Op, sendRate: SendRate): Effect.Effect<boolean> =>
  Effect.suspend(() => {
    const atMost = Operation.spare(op, 0)
    const askedMillis = Operation.elapsedMillis(op)
    return Effect.map(sendRate.acquire({ attempt: op.attempts + 1, atMost }), (granted) => {
      op.sendWaitMillis = Operation.elapsedMillis(op) - askedMillis
      return granted
    })
  })

/** Makes an attempt and goes on with what it came to. */
const attempt = (op: Op): Erased => {
  op.attempts += 1
  op.attemptStartedMillis = Operation.elapsedMillis(op)
  op.timedOut = undefined
  const self = spending(op, Attempt.effect(op))
  const onFailure = (cause: Cause.Cause<unknown>) => failed(op, cause)
  const { observe, result } = op.policy
  return op.sendRate === undefined && op.bucket === undefined && result === undefined && observe === undefined
    ? Effect.catchAllCause(self, onFailure)
    : Effect.matchCauseEffect(self, { onFailure, onSuccess: (value) => returned(op, value) })
}

const returned = (op: Op, value: unknown): Erased => {
  const verdict = op.policy.result?.(value) ?? Verdict.noOpinion
  const done = Effect.succeed(value)
  return verdict._tag === "NoOpinion"
    ? told(op.sendRate?.heard("Succeeded"), () =>
        told(op.bucket?.ended({ _tag: "Succeeded", attempt: op.attempts, cost: op.cost }), () =>
          end(op, () => told(Observers.succeeded(op), () => done))
        )
      )
    : judged(op, new ResultRejected({ result: value }), value, verdict, () => done)
}

const failed = (op: Op, cause: Cause.Cause<unknown>): Erased => {
  const { timedOut } = op
  if (timedOut !== undefined && Option.contains(Cause.failureOption(cause), timedOut)) return ranOut(op, timedOut)
  const end = () => Effect.failCause(cause)
  if (cause._tag === "Fail") return judged(op, cause.error, cause.error, op.policy.classifier(cause.error), end)
  const error = Cause.failureOption(cause)
  return Option.isNone(error) || Cause.isDie(cause)
    ? end()
    : judged(op, error.value, error.value, op.policy.classifier(error.value), end)
}

const ranOut = (op: Op, timedOut: AttemptTimedOut): Erased => {
  const { onTimeout, verdict } = op.policy.attemptTimeout!
  const error = onTimeout(timedOut)
  return judged(op, error, error, verdict, () => Effect.fail(error))
}

/** Tells the services how the attempt ended, then decides. */
const judged = (op: Op, error: unknown, input: unknown, verdict: Verdict.Verdict, end: Failure["end"]): Erased => {
  const failure: Failure = { error, input, verdict, failedMillis: Operation.elapsedMillis(op), end }
  op.failure = failure
  Operation.record(op, failure)
  if (op.policy.release === undefined) return heard(op, failure)
  op.unreleased = failure
  return releasing(op, () => heard(op, failure))
}

const heard = (op: Op, failure: Failure): Erased => {
  if (op.sendRate === undefined && op.bucket === undefined && op.policy.observe === undefined)
    return decide(op, failure)
  const { verdict } = failure
  const kind = Verdict.isRetryable(verdict) ? Option.some(verdict.kind) : Option.none<Kind>()
  const result = Option.contains(kind, "Throttling") ? "Throttled" : "Failed"
  return told(op.sendRate?.heard(result), () =>
    told(op.bucket?.ended({ _tag: "Failed", attempt: op.attempts, kind }), () =>
      told(Observers.attemptFailed(op, failure), () => decide(op, failure))
    )
  )
}

/** Lets go of what an attempt left open should the operation be interrupted; once for the whole operation. */
const releasing = (op: Op, self: () => Erased): Erased => {
  if (op.releasing) return self()
  op.releasing = true
  return Effect.onExit(Effect.suspend(self), (exit) =>
    Exit.isFailure(exit) && Option.isNone(Cause.failureOption(exit.cause)) ? released(op, "Interrupted") : Effect.void
  )
}

const released = (op: Op, because: Parameters<Release>[1]): Effect.Effect<void> => {
  const { policy, unreleased } = op
  if (unreleased === undefined || policy.release === undefined) return Effect.void
  return Effect.map(policy.release(unreleased.input, because), () => {
    op.unreleased = undefined
  })
}

const told = (telling: Effect.Effect<void> | undefined, then: () => Erased): Erased =>
  telling === undefined ? then() : Effect.flatMap(telling, then)

const decide = (op: Op, failure: Failure): Erased => {
  const verdict = Decision.retryable(op.policy, op.attempts, failure.verdict)
  if (verdict._tag !== "Retryable") return stop(op, failure, verdict)
  if (op.outer !== undefined && op.policy.whenNested === "standDown") {
    return stop(op, failure, { _tag: "StoodDown", outer: op.outer.name })
  }
  const withDraw = (u: number): Erased =>
    op.tree === undefined
      ? Effect.flatMap(
          Foreign.step(op.policy.backoff, op.lookedAtMillis, failure.input, op.scheduleState),
          (stepped) => {
            op.scheduleState = stepped.state
            const decision = Decision.bend(op.policy, verdict, stepped.delayMillis, failure.failedMillis, u)
            const { delayMillis } = stepped
            const noted = delayMillis === undefined ? undefined : { delayMillis, capped: false }
            Operation.noteSource(op, verdict, decision, noted, u)
            return proceed(op, failure, verdict, decision)
          }
        )
      : proceed(op, failure, verdict, Operation.decide(op, verdict, failure.failedMillis, u))
  const draw = Operation.draw(op)
  return draw === undefined ? withDraw(0) : Effect.flatMap(draw, withDraw)
}

/** Stops, or pays, waits and makes the next attempt. */
const proceed = (op: Op, failure: Failure, verdict: Retryable, decision: Decision.Decision): Erased => {
  if (typeof decision !== "number") return stop(op, failure, decision)
  const { bucket } = op
  return bucket === undefined ? next(op, failure, decision) : paid(op, bucket, failure, verdict.kind, decision)
}

const paid = (op: Op, bucket: Bucket, failure: Failure, kind: Kind, millis: number): Erased => {
  const funded = Effect.flatMap(
    holding(op, millis, (restore, atMost) => bucket.take(kind, restore, atMost)),
    (granted) => (granted ? next(op, failure, millis) : stop(op, failure, { _tag: "BucketEmpty" }))
  )
  return guarded(op, bucket, funded)
}

/** Gives back what is held should the operation end before it is spent; once for the whole operation. */
const guarded = (op: Op, bucket: Bucket, self: Erased): Erased => {
  if (op.guarded) return self
  op.guarded = true
  return Effect.onError(self, () => givenBack(op, bucket))
}

/** Waits and makes the next attempt, if it may still be sent. */
const next = (op: Op, failure: Failure, millis: number): Erased => {
  Operation.waits(op, millis)
  return op.policy.observe === undefined
    ? waited(op, millis)
    : told(Observers.retryScheduled(op, failure, millis), () => waited(op, millis))
}

const waited = (op: Op, millis: number): Erased =>
  op.unreleased === undefined ? sent(op, millis) : Effect.flatMap(released(op, "Retried"), () => sent(op, millis))

const sent = (op: Op, millis: number): Erased =>
  millis === 0 ? send(op, unsent) : wait(Operation.clock(op), millis, () => send(op, unsent))

type Refused = (op: Op, reason: StopReason) => Erased

/** Stops with the latest failure, and gives back what is held for the attempt that is not sent. */
const unsent: Refused = (op, reason) => {
  const { bucket, failure } = op
  return told(bucket && givenBack(op, bucket), () => stop(op, failure!, reason))
}

const send = (op: Op, refused: Refused): Erased => {
  const { sendRate } = op
  const late = Operation.late(op)
  if (late !== undefined) return refused(op, late)
  if (sendRate === undefined) return attempt(op)
  return Effect.flatMap(acquire(op, sendRate), (granted) => {
    const reason: StopReason | undefined = granted ? Operation.late(op) : { _tag: "SendRateRefused" }
    return reason === undefined ? attempt(op) : refused(op, reason)
  })
}

/** Takes the cost of an attempt, and holds it until the attempt starts. */
const holding = (op: Op, delayMillis: number, take: ChargingBucket["takeFirst"]): Effect.Effect<boolean> =>
  Effect.uninterruptibleMask((restore) => {
    const spare = Option.getOrUndefined(Operation.spare(op, delayMillis))
    return Effect.map(take(restore, spare), (taken) => {
      op.held = Option.getOrUndefined(taken)
      return op.held !== undefined
    })
  })

/** Gives back what is held for an attempt that is not sent after all: by refusal, interruption or defect. */
const givenBack = (op: Op, bucket: Bucket): Effect.Effect<void> =>
  Effect.uninterruptible(
    Effect.suspend(() => {
      const { held } = op
      op.held = undefined
      return held === undefined ? Effect.void : bucket.giveBack(held)
    })
  )

/** What is held is spent at the very moment when the attempt starts. */
const spending = (op: Op, self: Erased): Erased =>
  op.held === undefined
    ? self
    : Effect.suspend(() => {
        op.cost = op.held ?? 0
        op.held = undefined
        return self
      })

const stop = (op: Op, failure: Failure, reason: StopReason): Erased => endedBy(op, failure.error, reason, failure.end)

const endedBy = (op: Op, error: unknown, reason: StopReason, otherwise: () => Erased): Erased => {
  const { deadline } = op.policy
  return end(op, () =>
    reason._tag === "DeadlinePassed" && deadline?._tag === "Cut"
      ? exceeded(op, deadline)
      : stopped(op, error, reason, otherwise())
  )
}

/** Goes on with how the operation ends; where a deadline cuts, outside of it. */
const end = (op: Op, ending: () => Erased): Erased => {
  if (op.policy.deadline?._tag !== "Cut") return ending()
  op.ending = Effect.suspend(ending)
  return Effect.void
}

const stopped = (op: Op, error: unknown, reason: StopReason, otherwise: Erased): Erased =>
  told(Observers.gaveUp(op, error, reason), () =>
    op.onStopped === undefined
      ? otherwise
      : op.onStopped(
          new RetryStopped({
            reason,
            error,
            attempts: op.attempts,
            elapsed: Duration.millis(Operation.elapsedMillis(op)),
            history: op.history,
            cause: error
          })
        )
  )
