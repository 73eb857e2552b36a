/**
 * Runs hedges: attempts in children of the fiber that runs the operation, which waits for what comes first: the end of an
 * attempt, the time of the next one, the answer of the bucket, or the deadline.
 *
 * That fiber alone changes the state and tells bucket and observers, one thing after the other. A bucket that takes time
 * answers in a fiber of its own, so that attempts that end meanwhile are heard of.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberRef from "effect/FiberRef"
import { constVoid } from "effect/Function"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import * as RuntimeFlags from "effect/RuntimeFlags"
import * as Untrusted from "../../accept/Untrusted.ts"
import * as Judging from "../../classify/Judging.ts"
import * as Verdict from "../../classify/Verdict.ts"
import * as Hedges from "../../decide/Hedges.ts"
import * as TimeLeft from "../../decide/TimeLeft.ts"
import * as AtOnce from "../../fund/fiber/AtOnce.ts"
import * as Child from "../../fund/fiber/Child.ts"
import * as Interruption from "../../fund/fiber/Interruption.ts"
import * as Timer from "../../fund/fiber/Timer.ts"
import type { Grant, Outcome, Started } from "../../fund/port/Port.ts"
import { noTokens } from "../../fund/port/Port.ts"
import * as ShownCause from "../../fund/port/ShownCause.ts"
import type { HedgeStarted } from "../policy/RetryEvent.ts"
import type { StopReason } from "../policy/RetryStopped.ts"
import { ResultRejected } from "../policy/RetryStopped.ts"
import * as Elapsed from "../run/Elapsed.ts"
import * as Grants from "../run/Grants.ts"
import * as Observers from "../run/Observers.ts"
import type { Erased, Failure, Place } from "../run/Operation.ts"
import * as Operation from "../run/Operation.ts"
import * as Services from "../run/Services.ts"
import * as Stop from "../run/Stop.ts"
import type { Prepared } from "./HedgeCheck.ts"
import type { Call } from "./HedgeRecord.ts"

/** An attempt that was decided on. */
interface Attempt {
  readonly number: number
  readonly granted: Grant
  /** What a bucket with `started` is told. */
  readonly begun: Started
  /** Whether it was told. */
  isTold: boolean
  startedMillis: number
  parent: Child.Parent | undefined
  child: Child.Child<unknown, unknown> | undefined
}

/** A hedged operation. Made afresh whenever its effect is run; mutable, and used by its fiber. */
interface Run {
  readonly call: Call
  readonly prepared: Prepared
  readonly fiber: Child.AnyFiber
  /** `attempts` is the number of the attempt that is spoken of; how many there are stands in `hedges`. */
  readonly op: Operation.Operation
  hedges: Hedges.Hedges
  /** Attempts that the bucket may have to hear of, or that are to be stopped, should the operation end. */
  readonly open: Set<Attempt>
  /** Attempts that have ended, in this order, until they are looked at. */
  readonly ended: Array<Attempt>
  /** The bucket's answer for the next attempt: an exit once it is there. */
  answer: Exit.Exit<boolean> | Fiber.RuntimeFiber<boolean> | undefined
  /** Whether the next attempt starts because one has failed. */
  because: HedgeStarted["because"]
  isRefused: boolean
  /** The delay after the first attempt. */
  firstDelayMillis: number
  /** Ends the wait of the operation, where it waits. */
  wake: () => void
  /** The defect of the clock's sleep. */
  defect: Cause.Cause<never> | undefined
  isOver: boolean
}

/** How the operation ends. */
interface Ending {
  readonly answer: Erased
  /** What observers are told when nothing runs any more; a defect or an interruption has no last event. */
  readonly event?: () => Services.Telling
  /** What it means for the attempts that run that the deadline has cut them. */
  readonly cut?: { readonly error: unknown; readonly verdict: Verdict.Verdict }
}

type Step = Effect.Effect<Ending, never, unknown>

export const run = (call: Call, prepared: Prepared): Erased =>
  Effect.withFiberRuntime((_, { runtimeFlags }) =>
    // No interruption can come between starting an attempt and watching it.
    Effect.uninterruptible(
      Effect.withFiberRuntime((fiber) => {
        // Ends here: the interruption is let through.
        if (Interruption.isPending(fiber, runtimeFlags)) return Effect.interruptible(Effect.never)
        const made = make(call, prepared, fiber, runtimeFlags)
        return isPlain(made) ? beginAtOnce(made) : guarded(made, () => next(made))
      })
    )
  )

const make = (call: Call, prepared: Prepared, fiber: Child.AnyFiber, runtimeFlags: RuntimeFlags.RuntimeFlags): Run => ({
  call,
  prepared,
  fiber,
  op: Operation.make(Effect.void, prepared.common, undefined, fiber, { runtimeFlags }),
  hedges: Hedges.initial,
  open: new Set(),
  ended: [],
  answer: undefined,
  because: "Delay",
  isRefused: false,
  firstDelayMillis: Infinity,
  wake: constVoid,
  defect: undefined,
  isOver: false
})

/** Whether a first attempt that succeeds at once ends the operation, with no service to tell. */
const isPlain = ({ op }: Run): boolean => {
  const { observers, release, result } = op.prepared.hooks
  return (
    op.bucket === undefined &&
    observers.length === 0 &&
    release === undefined &&
    result === undefined &&
    RuntimeFlags.interruptible(op.runtimeFlags)
  )
}

const beginAtOnce = (run: Run): Erased =>
  AtOnce.andThen(delayAfter(run, 1), (delayMillis) => {
    const first = attemptOf(1, noTokens)
    begin(run, first, delayMillis)
    const exit = run.ended.length === 0 ? undefined : exitOf(first)
    if (exit === undefined || Exit.isFailure(exit)) return guarded(run, () => next(run))
    return AtOnce.andThen(measured(run), () => Child.joined(first.parent!, first.child!))
  })

/** Runs the steps of an operation, and whatever comes of them, stops and awaits what still runs. */
const guarded = (run: Run, self: () => Step): Erased =>
  Effect.matchCauseEffect(Interruption.restore(run.op.runtimeFlags)(Effect.suspend(self)), {
    onFailure: (cause) => finish(run, cause, { answer: Effect.failCause(cause) }),
    onSuccess: (ending) => finish(run, undefined, ending)
  })

/** Does what is to be done now, then waits. */
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

/** A nanosecond: less than that is a floating-point error, which no timer waits for. */
const nanoMillis = 1e-6

const isDue = (dueMillis: number, nowMillis: number): boolean => dueMillis <= nowMillis + nanoMillis

/** A success before all else, and of several that of the lowest number. */
const takeEnded = (run: Run): Attempt | undefined => {
  const { ended } = run
  if (ended.length < 2) return ended.shift()
  const won = ended.filter((attempt) => Exit.isSuccess(exitOf(attempt)))
  const first = won.reduce((one, other) => (other.number < one.number ? other : one), won[0] ?? ended[0]!)
  ended.splice(ended.indexOf(first), 1)
  return first
}

const exitOf = ({ child }: Attempt): Exit.Exit<unknown, unknown> => Child.exitOf(child!.unsafePoll()!)

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
    // What wakes early waits again.
    const millis = Math.max(0, Math.ceil(atMillis - Elapsed.millis(op) - nanoMillis))
    const fiberRefs = Child.fiberRefsOf(fiber, runtimeFlags)
    const runtime = Runtime.make({ context: fiber.currentContext, runtimeFlags, fiberRefs })
    return Timer.after(Elapsed.clock(op), millis, runtime, ends)
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

/** No hedge waits for tokens. */
const notAtAll = /*#__PURE__*/ Option.some(Duration.zero)

const ask = (run: Run, bucket: Place): Step => {
  const { because, hedges, op } = run
  op.attempts = hedges.started
  const unlike = { atMost: notAtAll, ...(because === "Delay" && { kind: Option.none() }) }
  const answer = Grants.ask(op, bucket, 0, unlike)
  if (typeof answer === "boolean") return answered(run, Exit.succeed(answer))
  // In a fiber that outlives the operation: a grant that comes after the end is refunded there.
  const asked = Effect.onExit(answer, (exit) => {
    if (run.isOver) return Grants.callOff(op)
    run.answer = exit
    run.wake()
    return Effect.void
  })
  return Effect.uninterruptible(
    Effect.map(Effect.forkDaemon(Interruption.restore(op.runtimeFlags)(asked)), (fiber) => {
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

const attemptOf = (number: number, granted: Grant): Attempt => ({
  number,
  granted,
  begun: { attempt: number },
  isTold: false,
  startedMillis: 0,
  parent: undefined,
  child: undefined
})

/** How long the attempt after this one waits. */
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

/** Whether no attempt is to be started after all, since one has succeeded or the deadline has passed meanwhile. */
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
  // A long series of attempts that end at once is no recursion.
  return forked === undefined && number === 1 ? goOn() : Effect.flatMap(forked ?? Effect.void, goOn)
}

/** Begins an attempt in this very step; answers what is to be run for it where the fiber cannot be interrupted. */
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
  const fiberRefs = Child.fiberRefsOf(fiber, runtimeFlags)
  const parent = (attempt.parent = { fiber, runtimeFlags, fiberRefs, handed: handed(run, attempt) })
  const handing = Child.handing(run.call(number), runtimeFlags)
  const watch = (child: Child.Child<unknown, unknown>) => {
    attempt.child = child
    // Called at once where the child has ended.
    child.addObserver(() => {
      run.ended.push(attempt)
      run.wake()
    })
  }
  if (!RuntimeFlags.interruptible(runtimeFlags)) return Effect.map(Child.fork(parent, handing), watch)
  watch(Child.begin(parent, handing))
  return undefined
}

/** The attempt, for an effect that reads it. */
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
  return { ref: FiberRef.currentContext, value: Context.add(tag, attempt), next: undefined }
}

/** Goes on with an attempt that has ended. */
const afterEnd = (run: Run, attempt: Attempt): Step => {
  const { op } = run
  op.attempts = attempt.number
  op.attemptStartedMillis = attempt.startedMillis
  const exit = exitOf(attempt)
  if (Exit.isSuccess(exit)) return succeeded(run, attempt, exit.value)
  const { cause } = exit
  const error = Stop.failureOf(cause)
  if (Option.isNone(error)) {
    stopOthers(run, attempt)
    return Effect.map(abandoned(run, attempt), (): Ending => ({ answer: Effect.failCause(cause) }))
  }
  const { classifier } = op.prepared.hooks
  const verdict = Judging.ofError(run.prepared.owner, "classifier", classifier, error.value, Elapsed.moment(op))
  return failed(run, attempt, error.value, verdict, { error: error.value, end: () => Effect.failCause(cause) })
}

const succeeded = (run: Run, attempt: Attempt, value: unknown): Step => {
  const { op, prepared } = run
  const { result } = op.prepared.hooks
  const verdict =
    result === undefined
      ? Verdict.noOpinion
      : Judging.ofResult(prepared.owner, "result", result, value, Elapsed.moment(op))
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

/** Interrupts all attempts but this one, and does not wait for them yet. */
const stopOthers = ({ fiber, open }: Run, won?: Attempt): void => {
  for (const attempt of open) {
    if (attempt !== won) attempt.child?.unsafeInterruptAsFork(fiber.id())
  }
}

/**
 * Tells the percentile how long the first attempt ran, or its age where it has not ended. To be told how long the winners ran
 * would lower the percentile, which makes more hedges, which lower it further.
 */
const measured = ({ op, hedges, prepared, open }: Run): Effect.Effect<void> => {
  const { percentile } = prepared
  // The first attempt that has failed says nothing: it is not in `open`.
  const [first] = open
  if (percentile === undefined || first?.number !== 1 || hedges.started === 0) return Effect.void
  return percentile.record(Elapsed.millis(op) - first.startedMillis)
}

/** Tells the bucket how an attempt ended; `undefined` where it has no outcome. */
const record = ({ op, open }: Run, attempt: Attempt, verdict?: Verdict.Verdict): Services.Telling => {
  const { bucket } = op
  const note = () => void open.delete(attempt)
  if (bucket === undefined) return note()
  const outcome: Outcome =
    verdict === undefined
      ? { _tag: "Succeeded", ...endOf(op, attempt) }
      : { _tag: "Failed", ...endOf(op, attempt), verdict }
  return Services.tell(op, bucket.service, () => bucket.bucket.record(outcome), note)
}

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

/** Releases what was open before, and notes what is open now. */
const leaveOpen = ({ op }: Run, value: unknown): Effect.Effect<void> => {
  const { release } = op.prepared.hooks
  if (release === undefined) return Effect.void
  return Effect.uninterruptible(
    Effect.map(Stop.release(op, "Retried"), () => {
      op.open = Option.some(value) as Option.Some<unknown>
    })
  )
}

/** Tells services, interruptibly, then goes on. */
const told = (telling: Services.Telling, then: () => Step): Step => Services.andThen(telling, then)

/** Goes on after a failure: with the next attempt, or without. `input` is what is open. */
const failed = (
  run: Run,
  attempt: Attempt,
  input: unknown,
  verdict: Verdict.Verdict,
  { end, error }: Pick<Failure, "end" | "error">
): Step => {
  const { op } = run
  const nowMillis = Elapsed.millis(op)
  const failure: Failure = { error, input, verdict, failedMillis: nowMillis, end }
  const isTerminal = verdict._tag !== "Retryable"
  if (isTerminal) stopOthers(run, attempt)
  else afterFailure(run, verdict, nowMillis)
  Operation.fail(op, failure)
  const timedOut = attempt.number === 1 && verdict._tag === "Retryable" && verdict.kind === "Timeout"
  const timed = timedOut ? measured(run) : Effect.void
  const recorded = AtOnce.andThen(leaveOpen(run, input), () =>
    told(record(run, attempt, verdict), () => {
      op.attempts = attempt.number
      op.attemptStartedMillis = attempt.startedMillis
      return told(Observers.attemptFailed(op, failure), () =>
        isTerminal
          ? Effect.succeed(gaveUp(run, failure, { _tag: "Terminal", why: Judging.whyNot(verdict) }, attempt.number))
          : next(run)
      )
    })
  )
  return AtOnce.andThen(timed, () => recorded)
}

const afterFailure = (run: Run, { hint }: Verdict.Retryable, nowMillis: number): void => {
  const { limits, hintAtMostMillis } = run.prepared
  const hintMillis = Option.match(hint, { onNone: () => 0, onSome: Duration.toMillis })
  run.because = "Failure"
  run.hedges = Hedges.failed(run.hedges, limits, nowMillis, hintMillis > hintAtMostMillis ? Infinity : hintMillis)
}

const gaveUp = ({ op }: Run, { end, error }: Failure, reason: StopReason, attempt: number): Ending => ({
  answer: Effect.suspend(end),
  event: () => {
    op.attempts = attempt
    return Observers.gaveUp(op, error, reason)
  }
})

/** The ending where no attempt runs and none will start: the last failure. */
const spent = (run: Run): Ending => gaveUp(run, run.op.failure!, reasonOf(run), run.hedges.started)

const reasonOf = ({ hedges, isRefused, op, prepared: { limits } }: Run): StopReason => {
  if (isRefused) return { _tag: "BucketEmpty", ...Stop.refusal(op.bucket) }
  if (hedges.heldMillis === Infinity) {
    const { verdict } = op.failure!
    const hint = verdict._tag === "NoOpinion" ? Option.none() : verdict.hint
    return { _tag: "HintTooLong", hint: Option.getOrElse(hint, () => Duration.infinity) }
  }
  return hedges.started >= limits.maxAttempts
    ? { _tag: "AttemptsSpent", maxAttempts: limits.maxAttempts }
    : { _tag: "DeadlinePassed", within: Duration.millis(limits.deadline!.withinMillis) }
}

/** The ending where a deadline that cuts has passed. */
const cutNow = (run: Run): Step | undefined => {
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
  return AtOnce.andThen(hedges.running === 0 ? Effect.void : measured(run), () => Effect.succeed(ending))
}

/** Stops and awaits what still runs, tells how that ended, and then how the operation did. */
const finish = (run: Run, interrupted: Cause.Cause<never> | undefined, { answer, cut, event }: Ending): Erased => {
  const { op, open } = run
  run.isOver = true
  run.wake()
  if (open.size === 0 && run.answer === undefined && interrupted === undefined) return toldLast(run, answer, event)
  stopOthers(run)
  const asking = Exit.isExit(run.answer) ? undefined : run.answer
  asking?.unsafeInterruptAsFork(run.fiber.id())
  const isAged = interrupted !== undefined && Elapsed.millis(op) >= run.firstDelayMillis
  const ended = Effect.flatMap(isAged ? measured(run) : Effect.void, () => awaited(run, cut))
  return Effect.flatMap(ended, (defects) => {
    if (interrupted !== undefined) {
      const cause = defects.reduce<Cause.Cause<never>>(Cause.parallel, interrupted)
      return Effect.zipRight(Stop.release(op, "Interrupted"), Effect.failCause(cause))
    }
    const logged = Effect.forEach(defects, logDefect, { discard: true })
    return Effect.zipRight(logged, toldLast(run, answer, event))
  })
}

const logDefect = (defect: Cause.Cause<never>): Effect.Effect<void> =>
  Effect.logWarning("an attempt died while it was interrupted", ShownCause.of(defect, Untrusted.inBrief))

/** Tells the last event, interruptibly, and answers. What the answer holds open is released where that is interrupted. */
const toldLast = (run: Run, answer: Erased, event: Ending["event"]): Erased => {
  const { op } = run
  const telling = event?.()
  if (telling === undefined && op.open === undefined) return answer
  return Effect.matchCauseEffect(Interruption.restore(op.runtimeFlags)(Services.run(telling)), {
    onFailure: (cause) => Effect.zipRight(Stop.release(op, "Interrupted"), Effect.failCause(cause)),
    onSuccess: () => answer
  })
}

/** Awaits all attempts, tells the bucket of each, and releases what it has left open. Answers the defects of those. */
const awaited = (run: Run, cut: Ending["cut"]): Effect.Effect<ReadonlyArray<Cause.Cause<never>>> => {
  const { op, open } = run
  const left = [...open]
  const refunded = run.answer !== undefined && !Exit.isExit(run.answer) ? Effect.void : Grants.callOff(op)
  return Effect.zipRight(
    refunded,
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
      Exit.isFailure(exit) ? Cause.keepDefects(exit.cause) : Option.none()
    )
  })
}

const abandoned = ({ op, open }: Run, attempt: Attempt): Effect.Effect<void> => {
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

/** An attempt that the deadline has interrupted has failed. */
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

/** Releases what an attempt has left open, unless that is what the operation has ended with. */
const released = ({ op }: Run, exit: Exit.Exit<unknown, unknown>): Effect.Effect<void> => {
  const { release } = op.prepared.hooks
  const left = Exit.isSuccess(exit) ? Option.some(exit.value) : Cause.failureOption(exit.cause)
  if (release === undefined || Option.isNone(left) || op.open?.value === left.value) return Effect.void
  return Services.run(Services.tell(op, "release", () => release(left.value, "Interrupted")))
}
