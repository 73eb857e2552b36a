/**
 * The one loop. In this order, for every operation: the rate limiter grants, the attempt runs, rate limiter, bucket and
 * observers are told how it ended; then the decision (not retryable, attempts spent, standing down, back-off ended, hint too
 * long, deadline), then a refusal that the rate limiter predicts, then the bucket; then what the attempt left open is
 * released, then the wait, and again from the beginning.
 *
 * There is no wait before a refusal. The deadline is checked at the decision, and again after every step that may have taken
 * time. Defects and interruption pass through untouched. A field that a policy leaves out costs nothing: a success under a
 * plain policy costs one `catchAllCause`.
 */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as AtOnce from "../../fund/fiber/AtOnce.ts"
import * as Causes from "../../fund/fiber/Causes.ts"
import * as Interruption from "../../fund/fiber/Interruption.ts"
import * as Line from "../../fund/fiber/Line.ts"
import * as Outcomes from "../../fund/port/Outcomes.ts"
import type { Refusal } from "../../fund/port/Port.ts"
import * as Attempt from "./Attempt.ts"
import * as Deciding from "./Deciding.ts"
import * as Elapsed from "./Elapsed.ts"
import * as Grants from "./Grants.ts"
import * as Judged from "./Judged.ts"
import * as Observers from "./Observers.ts"
import type { Expired } from "../policy/Expired.ts"
import type { Erased, Failure, OnStopped } from "./Operation.ts"
import * as Operation from "./Operation.ts"
import type { Prepared } from "../policy/PolicyCheck.ts"
import { ResultRejected } from "../policy/RetryStopped.ts"
import * as Services from "./Services.ts"
import * as Stop from "./Stop.ts"

type Op = Operation.Operation

/** Runs an effect under a policy. `onStopped` replaces failing with the last failure. */
export const run = (self: Erased, prepared: Prepared, onStopped?: OnStopped): Erased =>
  prepared.eager || onStopped !== undefined
    ? Line.withFiber((fiber, status) => begin(Operation.make(self, prepared, onStopped, fiber, status)))
    : Effect.catchAllCause(self, (cause) => afterFirst(self, prepared, cause))

/** Enters the loop after a first attempt made outside it, under a policy that is not `eager`. */
const afterFirst = (self: Erased, prepared: Prepared, cause: Cause.Cause<unknown>): Erased =>
  Line.withFiber((fiber, status) => {
    const op = Operation.make(self, prepared, undefined, fiber, status)
    op.attempts = 1
    return attemptFailed(op, cause)
  })

/** Begins an operation. */
export const begin = (op: Op): Erased => (!isPlain(op) && needsGuard(op) ? Stop.guarded(op, () => send(op)) : send(op))

/** Whether an interrupted attempt needs a clean-up. */
export const needsGuard = ({ bucket, prepared, rateLimiter }: Op): boolean =>
  prepared.hooks.release !== undefined || hearsAbandoned(bucket) || hearsAbandoned(rateLimiter)

const hearsAbandoned = (place: Operation.Place | undefined): boolean => Outcomes.hearsAbandoned(place?.bucket)

/** Whether the loop makes attempts with nothing around them. */
const isPlain = ({ isStepped, prepared }: Op): boolean => prepared.isBare && !isStepped

/** Asks the rate limiter, then makes the attempt if it may still start. */
const send = (op: Op): Erased => unlessLate(op, askRateLimiter)

const askRateLimiter = (op: Op): Erased => {
  const { rateLimiter } = op
  if (isPlain(op) && (rateLimiter !== undefined || needsGuard(op))) return askAndAttempt(op)
  if (rateLimiter === undefined) return start(op)
  return Stop.guarded(op, () => afterAnswer(op, Grants.askRateLimiter(op, rateLimiter)))
}

/** After an immediate answer the deadline need not be checked again, because no time has passed. */
const afterAnswer = (op: Op, answer: Grants.Answer): Erased =>
  answer === true
    ? start(op)
    : Grants.answered(answer, (granted) =>
        granted
          ? unlessLate(op, start)
          : Stop.refuse(op, Deciding.lateness(op) ?? { _tag: "RateLimiterRefused", ...Stop.refusal(op.rateLimiter) })
      )

/**
 * Asks the rate limiter and reports the start; if the answer is immediate, the attempt begins in the same step, so that a
 * grant is never held and an interruption has nothing to refund.
 */
const askAndAttempt = (op: Op): Erased => {
  if (!op.guarded && (needsGuard(op) || (op.rateLimiter !== undefined && Grants.hearsStart(op)))) return askInGuard(op)
  const rest = askInStep(op, op.guarded)
  if (rest !== undefined) return Stop.guarded(op, rest)
  startAttempt(op)
  return attempted(op, Attempt.handOver(op))
}

/** The same if services must be told of an interruption. Only the asking step and the attempt can then be interrupted. */
const askInGuard = (op: Op): Erased => {
  let rest: (() => Erased) | undefined
  const made = Effect.suspend(() => {
    rest = askInStep(op, true)
    if (rest !== undefined) return Effect.void
    startAttempt(op)
    return Attempt.handOver(op)
  })
  const onSuccess = (value: unknown): Erased =>
    rest === undefined ? succeededInGuard(op, value) : Stop.guarded(op, rest)
  const onFailure = (cause: Cause.Cause<unknown>) =>
    Option.isNone(Causes.errorOf(cause)) ? Stop.cleanedUp(op, cause) : Stop.guarded(op, () => attemptFailed(op, cause))
  return Effect.uninterruptible(
    Effect.matchCauseEffect(Interruption.restore(op.runtimeFlags)(made), { onFailure, onSuccess })
  )
}

/** Makes the calls that can be made within this step. Returns what is left to do; `undefined` if the attempt may be made. */
const askInStep = (op: Op, isGuarded: boolean): (() => Erased) | undefined => {
  const { rateLimiter } = op
  const answer = rateLimiter === undefined || Grants.askRateLimiter(op, rateLimiter)
  if (answer !== true) return () => afterAnswer(op, answer)
  if (!isGuarded && rateLimiter?.held!.hearsAbandoned === true) {
    // An interruption before the guard begins would not be told: the grant goes back, and the guarded operation asks again.
    const returned = Grants.giveBack(op)
    return () => Effect.flatMap(returned, () => unlessLate(op, askRateLimiter))
  }
  const told = Grants.started(op)
  return told && (() => Services.andThen(told, () => unlessLate(op, runAttempt)))
}

/** Continues with a result in an uninterruptible region. Judge and observers run under a guard. */
const succeededInGuard = (op: Op, value: unknown): Erased => {
  const { observers, result } = op.prepared.hooks
  if (result !== undefined || observers.length > 0) return Stop.guarded(op, () => attemptSucceeded(op, value))
  const told = Grants.record(op)
  return told === undefined
    ? Effect.succeed(value)
    : Stop.guarded(op, () => Services.andThen(told, () => Effect.succeed(value)))
}

const start = (op: Op): Erased => {
  const told = Grants.started(op)
  return told === undefined ? runAttempt(op) : Services.andThen(told, () => unlessLate(op, runAttempt))
}

const unlessLate = (op: Op, then: (op: Op) => Erased): Erased => {
  const isFirst = op.attempts === 0 && op.rateLimiter === undefined
  const late = isFirst ? undefined : Deciding.lateness(op)
  return late === undefined ? then(op) : Stop.refuse(op, late)
}

/** Makes an attempt and continues with its outcome. */
const runAttempt = (op: Op): Erased => {
  startAttempt(op)
  if (op.isStepped) return op.self
  return attempted(op, Attempt.effect(op))
}

/** Continues with the outcome of an attempt. */
const attempted = (op: Op, self: Erased): Erased => {
  const onFailure = (cause: Cause.Cause<unknown>) => attemptFailed(op, cause)
  return op.prepared.eager
    ? Effect.matchCauseEffect(self, { onFailure, onSuccess: (value) => attemptSucceeded(op, value) })
    : Effect.catchAllCause(self, onFailure)
}

const startAttempt = (op: Op): void => {
  op.attempts += 1
  op.expired = undefined
  op.released = false
  op.attemptStartedMillis = beginsAtOnce(op) ? 0 : Elapsed.millis(op)
}

/** Whether the running attempt began in the same step as the operation, which saves reading the clock. */
const beginsAtOnce = (op: Op): boolean => op.attempts === 1 && op.rateLimiter === undefined && !Grants.hearsStart(op)

/** Continues with the result of an attempt. */
export const attemptSucceeded = (op: Op, value: unknown): Erased => Operation.endAttempt(op, succeeded, value)

const succeeded = (op: Op, value: unknown): Erased =>
  op.prepared.hooks.result === undefined ? reportedSuccess(op, Grants.record(op), value) : judged(op, value)

/** In the most common case the services have been told within this step, and nothing is allocated for them. */
const reportedSuccess = (op: Op, recorded: Services.Telling, value: unknown): Erased =>
  recorded === undefined && op.outer === undefined
    ? toldSuccess(op, value)
    : reported(op, recorded, () => toldSuccess(op, value))

const toldSuccess = (op: Op, value: unknown): Erased => {
  const told = Observers.succeeded(op)
  return told === undefined ? Effect.succeed(value) : Services.andThen(told, () => Effect.succeed(value))
}

const judged = (op: Op, value: unknown): Erased => {
  const verdict = Judged.ofResult(op, value)
  if (verdict._tag === "NoOpinion") return reportedSuccess(op, Grants.record(op), value)
  const error = new ResultRejected({ result: value })
  return failed(
    op,
    Operation.fail(op, error, value, verdict, () => Effect.succeed(value))
  )
}

/** Tells observers of a nesting, after rate limiter and bucket, and continues. */
const reported = (op: Op, recorded: Services.Telling, then: () => Erased): Erased =>
  Services.andThen(recorded, () => Services.andThen(Observers.nestingNoticed(op), then))

/** Continues after an attempt that did not succeed. */
export const attemptFailed = (op: Op, cause: Cause.Cause<unknown>): Erased => Operation.endAttempt(op, ended, cause)

const ended = (op: Op, cause: Cause.Cause<unknown>): Erased => {
  if (op.expired !== undefined && Option.isSome(Causes.errorOf(cause))) {
    return expired(op, (op.expired = cutMeanwhile(op) ?? op.expired))
  }
  const failure = Judged.ofCause(op, cause)
  return failure === undefined ? Effect.failCause(cause) : failed(op, failure)
}

/** A cut around a timeout takes precedence, even if no attempt is left. */
const cutMeanwhile = (op: Op): Expired | undefined => {
  const { deadline } = op.prepared.policy
  return deadline?.machinery.cutMeanwhile(deadline, op, Elapsed.millis(op))
}

/** Continues after the loop itself has interrupted the attempt. Whatever the attempt left open is released. */
const expired = (op: Op, expired: Expired): Erased =>
  Effect.flatMap(Stop.release(op, "Interrupted"), () => {
    // An attempt that was interrupted before its first step still counts as made.
    Grants.spend(op)
    op.released = false
    const { error, verdict } = expired.failed()
    return failed(
      op,
      Operation.fail(op, error, error, verdict, () => Effect.fail(error))
    )
  })

/** Reports to the services how the attempt ended, then decides. */
const failed = (op: Op, failure: Failure): Erased => {
  const recorded = Grants.record(op, failure.verdict)
  return recorded === undefined && op.prepared.hooks.observers.length === 0
    ? decide(op, failure)
    : reported(op, recorded, () => Services.andThen(Observers.attemptFailed(op, failure), () => decide(op, failure)))
}

const decide = (op: Op, failure: Failure): Erased => {
  const reason = op.expired?.reason
  if (reason !== undefined) return Stop.stop(op, reason)
  return Deciding.afterFailure(op, failure, (decision) => {
    if (decision._tag === "Stop") {
      op.delayMillis = decision.delayMillis
      return Stop.stop(op, decision.reason)
    }
    op.source = decision.source
    return unlessForetold(op, decision.delayMillis, (delayMillis) => payForRetry(op, failure, delayMillis))
  })
}

/** Stops if the rate limiter knows that it will refuse the attempt after the wait, so that there is no wait before a refusal. */
const unlessForetold = (op: Op, delayMillis: number, then: (delayMillis: number) => Erased): Erased => {
  const { rateLimiter } = op
  if (rateLimiter === undefined) return then(delayMillis)
  const foretold = Grants.foretold(op, rateLimiter, delayMillis)
  if (foretold === undefined) return then(delayMillis)
  const goOn = (refusal: Option.Option<Refusal>, next: () => Erased): Erased => {
    if (!Option.isSome(refusal)) return next()
    op.delayMillis = delayMillis
    return Stop.stop(op, { _tag: "RateLimiterRefused", refusal: refusal.value })
  }
  return AtOnce.hasEnded(foretold) && Exit.isSuccess(foretold)
    ? goOn(foretold.value, () => then(delayMillis))
    : Effect.flatMap(foretold, (refusal) => goOn(refusal, () => ifInTime(op, delayMillis, then)))
}

const payForRetry = (op: Op, failure: Failure, delayMillis: number): Erased => {
  const { bucket } = op
  if (bucket === undefined) return announce(op, failure, delayMillis)
  return Stop.guarded(op, () =>
    Grants.answered(Grants.ask(op, bucket, delayMillis), (granted) => {
      if (granted) return ifInTime(op, delayMillis, (fitted) => announce(op, failure, fitted))
      op.delayMillis = delayMillis
      return Stop.refuse(op, Deciding.lateness(op) ?? { _tag: "BucketEmpty", ...Stop.refusal(bucket) })
    })
  )
}

/** Checks the deadline again after something that may have taken time. */
const ifInTime = (op: Op, delayMillis: number, then: (delayMillis: number) => Erased): Erased => {
  const fitted = Deciding.fit(op, delayMillis)
  if (typeof fitted === "number") return then(fitted)
  op.delayMillis = delayMillis
  return Stop.refuse(op, fitted)
}

const announce = (op: Op, failure: Failure, delayMillis: number): Erased => {
  Operation.schedule(op, delayMillis)
  const told = Observers.retryScheduled(op, failure, delayMillis)
  if (told === undefined) return releaseThenWait(op, delayMillis)
  return Services.andThen(told, () => ifInTime(op, delayMillis, (fitted) => releaseThenWait(op, fitted)))
}

const releaseThenWait = (op: Op, delayMillis: number): Erased => {
  if (op.open === undefined) return waitThenSend(op, delayMillis)
  return Effect.flatMap(Stop.release(op, "Retried"), () =>
    ifInTime(op, delayMillis, (fitted) => waitThenSend(op, fitted))
  )
}

const waitThenSend = (op: Op, delayMillis: number): Erased => {
  if (op.delayMillis !== delayMillis) Operation.schedule(op, delayMillis)
  return Elapsed.wait(op, delayMillis, () => send(op))
}
