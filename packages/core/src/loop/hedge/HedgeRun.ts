/**
 * Runs hedges. Attempts run in children of the operation's fiber, which waits for whatever comes first: the end of an
 * attempt, the time of the next one, the answer of the bucket, or the deadline.
 *
 * Only that fiber changes the state and calls bucket and observers, one after the other. A bucket that takes time answers in
 * its own fiber, so that attempts that end meanwhile are noticed.
 */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { constVoid } from "effect/Function"
import * as Option from "effect/Option"
import { whyNot } from "../../classify/Judging.ts"
import type * as Verdict from "../../classify/Verdict.ts"
import * as Hedges from "../../decide/Hedges.ts"
import * as TimeLeft from "../../decide/TimeLeft.ts"
import * as AtOnce from "../../fund/fiber/AtOnce.ts"
import * as Causes from "../../fund/fiber/Causes.ts"
import * as Child from "../../fund/fiber/Child.ts"
import * as Interruption from "../../fund/fiber/Interruption.ts"
import * as Line from "../../fund/fiber/Line.ts"
import * as Timer from "../../fund/fiber/Timer.ts"
import type { Grant } from "../../fund/port/Port.ts"
import { noTokens } from "../../fund/port/Port.ts"
import { ResultRejected } from "../policy/RetryStopped.ts"
import * as Elapsed from "../run/Elapsed.ts"
import * as Grants from "../run/Grants.ts"
import * as Judged from "../run/Judged.ts"
import * as Observers from "../run/Observers.ts"
import type { Erased, Failure, Place } from "../run/Operation.ts"
import * as Operation from "../run/Operation.ts"
import * as Services from "../run/Services.ts"
import * as Stop from "../run/Stop.ts"
import type { Prepared } from "./HedgeCheck.ts"
import type { Call } from "./HedgeRecord.ts"
import { cutNow, finish, gaveUp, interrupted, spent } from "./HedgeEnd.ts"
import type { Attempt, Ending, Run, Step } from "./HedgeState.ts"
import { attemptOf, exitOf, make, nanoMillis, stopOthers } from "./HedgeState.ts"
import { abandoned, measured, record } from "./HedgeTelling.ts"

export const run = (call: Call, prepared: Prepared): Erased =>
  Line.withFiber((_, { runtimeFlags }) =>
    // No interruption can come between starting an attempt and watching it.
    Effect.uninterruptible(
      Line.withFiber((fiber) => {
        // The fiber ends here, because the interruption is let through.
        if (Interruption.isPending(fiber, runtimeFlags)) return Effect.interruptible(Effect.never)
        const made = make(call, prepared, fiber, runtimeFlags)
        return isPlain(made) ? beginAtOnce(made) : guarded(made, () => next(made))
      })
    )
  )

/** Whether an immediate success of the first attempt ends the operation, without a service to call. */
const isPlain = ({ op }: Run): boolean => {
  const { observers, release, result } = op.prepared.hooks
  return (
    op.bucket === undefined &&
    observers.length === 0 &&
    release === undefined &&
    result === undefined &&
    Interruption.isInterruptible(op.runtimeFlags)
  )
}

const beginAtOnce = (run: Run): Erased =>
  AtOnce.andThen(delayAfter(run, 1), (delayMillis) => {
    const first = attemptOf(1, noTokens)
    begin(run, first, delayMillis)
    const exit = Child.exitOf(first.child!)
    if (exit === undefined || Exit.isFailure(exit)) return guarded(run, () => next(run))
    return AtOnce.andThen(measured(run), () => Child.joined(first.parent!, first.child!))
  })

/** Runs the steps of an operation and, however they end, stops and awaits the running attempts. */
const guarded = (run: Run, self: () => Step): Erased =>
  Effect.matchCauseEffect(Interruption.restore(run.op.runtimeFlags)(Effect.suspend(self)), {
    onFailure: (cause) => interrupted(run, cause),
    onSuccess: (ending) => finish(run, ending)
  })

/** Does what is due now, then waits. */
const next = (run: Run): Step => {
  const { hedges, op } = run
  const ended = takeEnded(run)
  if (ended !== undefined) return afterEnd(run, ended)
  if (run.defect !== undefined) return Effect.failCause(run.defect)
  const cut = cutNow(run)
  if (cut !== undefined) return cut
  if (Exit.isExit(run.answer)) return answered(run, run.answer)
  if (Hedges.isOver(hedges)) return Effect.succeed(spent(run))
  if (run.answer === undefined && isDue(hedges.dueMillis, Elapsed.millis(op))) return start(run)
  return Effect.flatMap(waited(run), () => next(run))
}

const isDue = (dueMillis: number, nowMillis: number): boolean => dueMillis <= nowMillis + nanoMillis

/** Takes an attempt that has ended: a success first, and of several the one with the lowest number. */
const takeEnded = (run: Run): Attempt | undefined => {
  const { ended } = run
  if (ended.length < 2) return ended.shift()
  const won = ended.filter((attempt) => Exit.isSuccess(exitOf(attempt)))
  const first = won.reduce((one, other) => (other.number < one.number ? other : one), won[0] ?? ended[0]!)
  ended.splice(ended.indexOf(first), 1)
  return first
}

/** Waits for the end of an attempt, for an answer of the bucket, or for a time. */
const waited = (run: Run): Effect.Effect<void> =>
  Effect.async<void>((resume) => {
    let cancel: Timer.Cancel = constVoid
    run.wake = () => {
      run.wake = constVoid
      cancel()
      resume(Effect.void)
    }
    cancel = setTimer(run)
  })

const setTimer = (run: Run): Timer.Cancel => {
  const { fiber, op } = run
  const { runtimeFlags } = op
  const atMillis = wakesAtMillis(run)
  if (atMillis === Infinity) return constVoid
  const ends = (defect?: Cause.Cause<never>) => {
    run.defect = defect
    run.wake()
  }
  try {
    // After an early wake-up, the loop waits again.
    const millis = Math.max(0, Math.ceil(atMillis - Elapsed.millis(op) - nanoMillis))
    const parent = Child.parentOf(fiber, runtimeFlags, undefined)
    return Timer.after(Elapsed.clock(op), millis, Child.runnerOf(parent), ends)
  } catch (defect) {
    ends(Cause.die(defect))
    return constVoid
  }
}

const wakesAtMillis = ({ answer, hedges, op }: Run): number => {
  const { deadline } = op.prepared.policy
  const dueMillis = answer === undefined ? hedges.dueMillis : Infinity
  return deadline?._tag === "Cut" ? Math.min(dueMillis, deadline.withinMillis) : dueMillis
}

/** Starts the attempt that is due, if the bucket grants it. */
const start = (run: Run): Step => {
  const { bucket } = run.op
  if (run.hedges.started === 0 || bucket === undefined) return startPaid(run, noTokens)
  return ask(run, bucket)
}

/** A hedge never waits for tokens. */
const notAtAll = /*#__PURE__*/ Option.some(Duration.zero)

const ask = (run: Run, bucket: Place): Step => {
  const { because, hedges, op } = run
  op.attempts = hedges.started
  const answer = Grants.ask(op, bucket, 0, because === "Delay" ? Option.none() : undefined, notAtAll)
  if (typeof answer === "boolean") return answered(run, Exit.succeed(answer))
  // In a fiber that outlives the operation and refunds a grant that comes after its end.
  const asked = Effect.onExit(answer, (exit) => {
    if (run.isOver) return Grants.callOff(op)
    run.answer = exit
    run.wake()
    return Effect.void
  })
  return Effect.uninterruptible(
    Effect.map(Line.forkUninterruptible(Interruption.restore(op.runtimeFlags)(asked)), (fiber) => {
      if (run.answer === undefined) run.answer = fiber
    })
  ).pipe(Effect.flatMap(() => next(run)))
}

const answered = (run: Run, answer: Exit.Exit<boolean>): Step => {
  const { op, prepared } = run
  run.answer = undefined
  if (!Exit.isSuccess(answer) || !answer.value) {
    run.isRefused = true
    run.hedges = Hedges.closed(run.hedges)
    op.attempts = run.hedges.started
    return told(Observers.hedgeRefused(op), () => next(run))
  }
  const nowMillis = Elapsed.millis(op)
  run.hedges = Hedges.granted(run.hedges, prepared.limits, nowMillis)
  if (!isDue(run.hedges.dueMillis, nowMillis)) return Effect.flatMap(Grants.callOff(op), () => next(run))
  const granted = op.bucket!.held!
  op.bucket!.held = undefined
  return startPaid(run, granted)
}

/** The delay before the attempt after this one. */
const delayAfter = ({ prepared }: Run, number: number): Effect.Effect<number> =>
  number < prepared.limits.maxAttempts ? prepared.delayOf(number + 1) : noDelay

const noDelay = /*#__PURE__*/ Effect.succeed(Infinity)

const startPaid = (run: Run, granted: Grant): Step => {
  const { bucket } = run.op
  const attempt = attemptOf(run.hedges.started + 1, granted)
  run.open.add(attempt)
  const note = () => {
    attempt.isTold = true
  }
  const starts =
    bucket?.bucket.started && Services.tell(run.op, bucket.service, () => bucket.bucket.started!(attempt.begun), note)
  return Services.andThen(starts, () =>
    starts !== undefined && isSettled(run)
      ? next(run)
      : AtOnce.andThen(delayAfter(run, attempt.number), (delayMillis) => launch(run, attempt, delayMillis))
  )
}

/** Whether no attempt may start any more, because one has succeeded or the deadline has passed meanwhile. */
const isSettled = ({ ended, op }: Run): boolean => {
  const { deadline } = op.prepared.policy
  const isLate = deadline !== undefined && TimeLeft.isLate(deadline, Elapsed.millis(op))
  return isLate || ended.some((attempt) => Exit.isSuccess(exitOf(attempt)))
}

const launch = (run: Run, attempt: Attempt, delayMillis: number): Step => {
  const { because, op } = run
  const { granted, number } = attempt
  const hears = op.prepared.hooks.observers.length > 0 && number > 1
  const goOn = () => {
    if (!hears) return next(run)
    op.attempts = number
    const { running: inFlight } = run.hedges
    return told(Observers.hedgeStarted(op, { because, inFlight, cost: granted.tokens }), () => next(run))
  }
  const forked = begin(run, attempt, delayMillis)
  // A flat map, so that many attempts that end at once do not recurse.
  return forked === undefined && number === 1 ? goOn() : Effect.flatMap(forked ?? Effect.void, goOn)
}

/** Begins an attempt within this step. If the fiber cannot be interrupted, returns the effect that begins it. */
const begin = (run: Run, attempt: Attempt, delayMillis: number): Effect.Effect<void, never, unknown> | undefined => {
  const { fiber, op, prepared } = run
  const { runtimeFlags } = op
  const { number } = attempt
  const nowMillis = Elapsed.millis(op)
  if (number === 1) run.firstDelayMillis = delayMillis
  run.because = "Delay"
  run.hedges = Hedges.started(run.hedges, prepared.limits, nowMillis, delayMillis)
  run.open.add(attempt)
  attempt.startedMillis = nowMillis
  const parent = (attempt.parent = Child.parentOf(fiber, runtimeFlags, handed(run, attempt)))
  const handing = Child.handing(run.call(number), runtimeFlags)
  const watch = (child: Child.Child<unknown, unknown>) => {
    attempt.child = child
    // Called at once if the child has already ended.
    child.addObserver(() => {
      run.ended.push(attempt)
      run.wake()
    })
  }
  if (!Interruption.isInterruptible(runtimeFlags)) return Effect.map(Child.fork(parent, handing), watch)
  watch(Child.begin(parent, handing))
  return undefined
}

/** Provides the attempt to an effect that reads it. */
const handed = ({ op }: Run, { number, startedMillis }: Attempt): Child.Handed | undefined => {
  const { attempt: tag, deadline } = op.prepared.policy
  if (tag === undefined) return undefined
  const leftMillis = deadline === undefined ? Infinity : deadline.withinMillis - startedMillis
  const attempt = {
    number,
    timeLeft: Effect.sync(() =>
      leftMillis === Infinity
        ? Option.none()
        : Option.some(Duration.millis(Math.max(0, leftMillis - (Elapsed.millis(op) - startedMillis))))
    ),
    previous: Option.fromNullable(op.history.at(-1))
  }
  return Child.service(tag, attempt)
}

/** Continues after an attempt has ended. */
const afterEnd = (run: Run, attempt: Attempt): Step => {
  const { op } = run
  op.attempts = attempt.number
  op.attemptStartedMillis = attempt.startedMillis
  const exit = exitOf(attempt)
  if (Exit.isSuccess(exit)) return succeeded(run, attempt, exit.value)
  const { cause } = exit
  const error = Causes.errorOf(cause)
  if (Option.isNone(error)) {
    stopOthers(run, attempt)
    return Effect.map(abandoned(run, attempt), (): Ending => ({ answer: Effect.failCause(cause) }))
  }
  return failed(run, attempt, error.value, Judged.ofError(op, error.value), {
    error: error.value,
    end: () => Effect.failCause(cause)
  })
}

const succeeded = (run: Run, attempt: Attempt, value: unknown): Step => {
  const { op } = run
  const verdict = Judged.ofResult(op, value)
  if (verdict._tag !== "NoOpinion") {
    const end = () => Effect.succeed(value)
    return failed(run, attempt, value, verdict, { error: new ResultRejected({ result: value }), end })
  }
  stopOthers(run, attempt)
  const ending: Ending = {
    answer: Child.joined(attempt.parent!, attempt.child!),
    event: () => {
      op.attempts = attempt.number
      return Observers.succeeded(op)
    }
  }
  return AtOnce.andThen(measured(run), () =>
    AtOnce.andThen(leaveOpen(run, value), () => told(record(run, attempt), () => Effect.succeed(ending)))
  )
}

/** Releases what was left open before, and notes what is open now. */
const leaveOpen = ({ op }: Run, value: unknown): Effect.Effect<void> => {
  const { release } = op.prepared.hooks
  if (release === undefined) return Effect.void
  return Effect.uninterruptible(
    Effect.map(Stop.release(op, "Retried"), () => {
      op.open = Option.some(value) as Option.Some<unknown>
    })
  )
}

/** Calls services, interruptibly, then continues. */
const told = (telling: Services.Telling, then: () => Step): Step => Services.andThen(telling, then)

/** Continues after a failure, with or without a next attempt. `input` is what may hold something open. */
const failed = (
  run: Run,
  attempt: Attempt,
  input: unknown,
  verdict: Verdict.Verdict,
  { end, error }: Pick<Failure, "end" | "error">
): Step => {
  const { op } = run
  const failure = Operation.fail(op, error, input, verdict, end)
  const isTerminal = verdict._tag !== "Retryable"
  if (isTerminal) stopOthers(run, attempt)
  else afterFailure(run, verdict, failure.failedMillis)
  const timedOut = attempt.number === 1 && verdict._tag === "Retryable" && verdict.kind === "Timeout"
  const timed = timedOut ? measured(run) : Effect.void
  const recorded = AtOnce.andThen(leaveOpen(run, input), () =>
    told(record(run, attempt, verdict), () => {
      op.attempts = attempt.number
      op.attemptStartedMillis = attempt.startedMillis
      return told(Observers.attemptFailed(op, failure), () =>
        isTerminal
          ? Effect.succeed(gaveUp(run, failure, { _tag: "Terminal", why: whyNot(verdict) }, attempt.number))
          : next(run)
      )
    })
  )
  return AtOnce.andThen(timed, () => recorded)
}

const afterFailure = (run: Run, { hint }: Verdict.Retryable, nowMillis: number): void => {
  const { limits, hintAtMostMillis } = run.prepared
  const hintMillis = Option.match(hint, { onNone: () => 0, onSome: Duration.toMillis })
  const heldMillis = hintMillis > hintAtMostMillis ? Infinity : hintMillis
  if (heldMillis === Infinity) run.hintTooLong = Option.getOrUndefined(hint)
  run.because = "Failure"
  run.hedges = Hedges.failed(run.hedges, limits, nowMillis, heldMillis)
}
