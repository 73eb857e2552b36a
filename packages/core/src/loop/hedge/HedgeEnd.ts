/**
 * Ends a hedged operation: stops and awaits the running attempts, then tells observers.
 */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Untrusted from "../../accept/Untrusted.ts"
import * as AtOnce from "../../fund/fiber/AtOnce.ts"
import * as Causes from "../../fund/fiber/Causes.ts"
import * as Interruption from "../../fund/fiber/Interruption.ts"
import * as Logging from "../../fund/port/Logging.ts"
import * as ShownCause from "../../fund/port/ShownCause.ts"
import type { StopReason } from "../policy/RetryStopped.ts"
import * as Elapsed from "../run/Elapsed.ts"
import * as Grants from "../run/Grants.ts"
import * as Observers from "../run/Observers.ts"
import type { Erased, Failure } from "../run/Operation.ts"
import * as Services from "../run/Services.ts"
import * as Stop from "../run/Stop.ts"
import type { Attempt, Ending, Run, Step } from "./HedgeState.ts"
import { exitOf, nanoMillis, stopOthers } from "./HedgeState.ts"
import { abandoned, measured, record } from "./HedgeTelling.ts"

export const gaveUp = ({ op }: Run, { end, error }: Failure, reason: StopReason, attempt: number): Ending => ({
  answer: Effect.suspend(end),
  event: () => {
    op.attempts = attempt
    return Observers.gaveUp(op, error, reason)
  }
})

/** The ending when no attempt is running and none will start: the last failure. */
export const spent = (run: Run): Ending => gaveUp(run, run.op.failure!, reasonOf(run), run.hedges.started)

const reasonOf = ({ hedges, hintTooLong, isRefused, op, prepared: { limits } }: Run): StopReason => {
  if (isRefused) return { _tag: "BucketEmpty", ...Stop.refusal(op.bucket) }
  if (hintTooLong !== undefined) return { _tag: "HintTooLong", hint: hintTooLong }
  return hedges.started >= limits.maxAttempts
    ? { _tag: "AttemptsSpent", maxAttempts: limits.maxAttempts }
    : { _tag: "DeadlinePassed", within: Duration.millis(limits.deadline!.withinMillis) }
}

/** The ending when a cutting deadline has passed. */
export const cutNow = (run: Run): Step | undefined => {
  const { hedges, op } = run
  const { deadline } = op.prepared.policy
  op.attempts = hedges.started
  const expired = deadline?.machinery.cutMeanwhile(deadline, op, Elapsed.millis(op) + nanoMillis)
  if (expired === undefined) return undefined
  const cut = expired.failed()
  const ending: Ending = {
    answer: Effect.fail(cut.error),
    cut,
    event: () => Observers.gaveUp(op, cut.error, expired.reason!)
  }
  return AtOnce.andThen(measured(run), () => Effect.succeed(ending))
}

/** Stops and awaits the running attempts, and reports first how they ended and then how the operation ended. */
export const finish = (run: Run, { answer, cut, event }: Ending): Erased => {
  stop(run)
  if (run.open.size === 0 && run.answer === undefined) return toldLast(run, answer, event)
  return Effect.flatMap(awaited(run, cut), (defects) => {
    const logged = Effect.forEach(defects, logDefect)
    return Effect.zipRight(logged, toldLast(run, answer, event))
  })
}

/** The same after an interruption or a defect of the operation itself, with which the operation ends. */
export const interrupted = (run: Run, cause: Cause.Cause<never>): Erased => {
  stop(run)
  const isAged = Elapsed.millis(run.op) >= run.firstDelayMillis
  const ended = Effect.flatMap(isAged ? measured(run) : Effect.void, () => awaited(run, undefined))
  return Effect.flatMap(ended, (defects) =>
    Effect.zipRight(
      Stop.release(run.op, "Interrupted"),
      Effect.failCause(defects.reduce<Cause.Cause<never>>(Causes.both, cause))
    )
  )
}

/** Interrupts all attempts and the question to the bucket, without awaiting them yet. */
const stop = (run: Run): void => {
  run.isOver = true
  run.wake()
  stopOthers(run)
  const asking = Exit.isExit(run.answer) ? undefined : run.answer
  if (asking !== undefined) Interruption.send(asking, run.fiber)
}

const logDefect = (defect: Cause.Cause<never>): Effect.Effect<void> =>
  Logging.safely(
    Effect.logWarning("an attempt died while it was interrupted", ShownCause.of(defect, Untrusted.inBrief))
  )

/** Sends the last event, interruptibly, and then answers. If that is interrupted, what the answer holds open is released. */
const toldLast = (run: Run, answer: Erased, event: Ending["event"]): Erased => {
  const { op } = run
  const telling = event?.()
  if (telling === undefined && op.open === undefined) return answer
  return Effect.matchCauseEffect(Interruption.restore(op.runtimeFlags)(Services.run(telling)), {
    onFailure: (cause) => Effect.zipRight(Stop.release(op, "Interrupted"), Effect.failCause(cause)),
    onSuccess: () => answer
  })
}

/** Awaits all attempts, reports each to the bucket, and releases what it has left open. Returns the defects of the attempts. */
const awaited = (run: Run, cut: Ending["cut"]): Effect.Effect<ReadonlyArray<Cause.Cause<never>>> => {
  const left = [...run.open]
  return Effect.zipRight(
    Grants.callOff(run.op),
    Effect.map(
      Effect.forEach(left, (attempt) => ofLeft(run, attempt, cut)),
      (defects) => defects.flatMap(Option.toArray)
    )
  )
}

const ofLeft = (run: Run, attempt: Attempt, cut: Ending["cut"]): Effect.Effect<Option.Option<Cause.Cause<never>>> => {
  const { op } = run
  const { child, granted } = attempt
  if (child === undefined) {
    const refunded = Services.run(Services.tell(op, "the bucket", () => granted.refund))
    return Effect.as(Effect.zipRight(refunded, abandoned(run, attempt)), Option.none())
  }
  return Effect.flatMap(Fiber.await(child), () => {
    const exit = exitOf(attempt)
    const told = cut === undefined ? abandoned(run, attempt) : cutOff(run, attempt, cut)
    return Effect.as(
      Effect.zipRight(told, released(run, exit)),
      Exit.isFailure(exit) ? Causes.defectsOf(exit.cause) : Option.none()
    )
  })
}

/** Reports an attempt that the deadline interrupted as failed. */
const cutOff = (run: Run, attempt: Attempt, { error, verdict }: NonNullable<Ending["cut"]>): Effect.Effect<void> => {
  const { op } = run
  op.attempts = attempt.number
  op.attemptStartedMillis = attempt.startedMillis
  const failure: Failure = {
    error,
    input: error,
    verdict,
    failedMillis: Elapsed.millis(op),
    end: () => Effect.fail(error)
  }
  return Services.andThen(record(run, attempt, verdict), () => Services.run(Observers.attemptFailed(op, failure)))
}

/** Releases what an attempt has left open, unless the operation ended with it. */
const released = ({ op }: Run, exit: Exit.Exit<unknown, unknown>): Effect.Effect<void> => {
  const { release } = op.prepared.hooks
  const left = Exit.isSuccess(exit) ? Option.some(exit.value) : Cause.failureOption(exit.cause)
  if (release === undefined || Option.isNone(left) || op.open?.value === left.value) return Effect.void
  return Services.run(Services.tell(op, "release", () => release(left.value, "Interrupted")))
}
