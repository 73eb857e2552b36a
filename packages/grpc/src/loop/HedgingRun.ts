/**
 * Runs hedges: attempts in fibers of their own, and one coordinator that is told when they end and when the next is due.
 *
 * The coordinator alone changes the state and tells the observers, one thing after the other. The bucket answers in a fiber
 * of its own: while it is asked, the coordinator hears of attempts that end.
 */
import type { Retry, TokenBucket } from "@effect-retry/core"
import * as Judging from "@effect-retry/core/unstable/Judging"
import { longestTimerMillis } from "@effect-retry/core/unstable/Millis"
import * as MonotonicTime from "@effect-retry/core/unstable/MonotonicTime"
import { noTokens } from "@effect-retry/core/unstable/Port"
import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Hedges from "../decide/Hedges.ts"
import * as Events from "./HedgingEvents.ts"
import type { Checked } from "./HedgingPolicy.ts"

/** The effect of an attempt, without its types, which the front door has checked. */
export interface Call {
  (attempt: number): Effect.Effect<unknown, unknown, unknown>
}

interface Attempt {
  readonly number: number
  readonly granted: TokenBucket.Grant
  readonly started: TokenBucket.Started
  readonly startedMillis: number
  readonly fiber: Fiber.RuntimeFiber<unknown, unknown>
}

/** What the coordinator waits for. */
type Signal =
  | { readonly _tag: "Due"; readonly timer: Timer }
  | { readonly _tag: "Ended"; readonly attempt: Attempt; readonly exit: Exit.Exit<unknown, unknown> }
  | { readonly _tag: "Answered"; readonly granted: Option.Option<TokenBucket.Grant> }

/** Hedges have no rate limiter. */
const rateLimiterWait = Duration.zero

interface Timer {
  readonly dueMillis: number
}

/** The bucket is asked for an attempt. */
interface Asking {
  /** Its answer, until the coordinator has read it. */
  granted: Option.Option<TokenBucket.Grant>
  fiber: Fiber.RuntimeFiber<void> | undefined
}

/** How the operation ends, and what observers are told of it; a defect or an interruption has no last event. */
interface Ending {
  readonly answer: Effect.Effect<unknown, unknown>
  readonly attempt: number
  readonly happened: Events.Happened | undefined
}

/** A failure after which the other attempts go on. */
interface Failure {
  readonly error: unknown
  readonly cause: Cause.Cause<unknown>
}

/** A hedged operation. Made afresh whenever its effect is run; mutable, and used by the coordinator alone. */
interface Operation {
  readonly call: Call
  readonly policy: Checked
  readonly limits: Hedges.Limits
  readonly clock: Clock.Clock
  readonly beganMillis: number
  readonly restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  readonly signals: Queue.Queue<Signal>
  /** The attempts of which the bucket was not told how they ended. */
  readonly running: Set<Attempt>
  hedges: Hedges.Hedges
  timer: (Timer & { readonly fiber: Fiber.RuntimeFiber<unknown> }) | undefined
  asking: Asking | undefined
  refused: boolean
  last: Failure | undefined
}

export const run = (call: Call, policy: Checked): Effect.Effect<unknown, unknown, unknown> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.all([Effect.clock, Queue.unbounded<Signal>()]), ([clock, signals]) => {
      const beganMillis = MonotonicTime.read(clock)
      const { delayMillis, maxAttempts, withinMillis } = policy
      const op: Operation = {
        call,
        policy,
        limits: { maxAttempts, delayMillis, untilMillis: beganMillis + withinMillis },
        clock,
        beganMillis,
        restore,
        signals,
        running: new Set(),
        hedges: Hedges.initial,
        timer: undefined,
        asking: undefined,
        refused: false,
        last: undefined
      }
      return Effect.flatMap(Effect.ensuring(coordinate(op), cleanUp(op)), ({ answer, attempt, happened }) =>
        happened === undefined ? answer : Effect.zipRight(tell(op, attempt, happened), answer)
      )
    })
  )

/** Sends what is due, then waits for what comes first: the end of an attempt, or the time of the next one. */
const coordinate = (op: Operation): Effect.Effect<Ending, never, unknown> =>
  Effect.suspend(() => {
    if (op.last !== undefined && Hedges.isOver(op.hedges)) return Effect.succeed(spent(op, op.last))
    const isAsking = op.asking !== undefined
    if (!isAsking && op.hedges.dueMillis <= MonotonicTime.read(op.clock)) {
      return Effect.flatMap(send(op), () => coordinate(op))
    }
    const timed = isAsking ? Effect.void : setTimer(op)
    return Effect.flatMap(Effect.zipRight(timed, op.restore(Queue.take(op.signals))), (signal) => {
      switch (signal._tag) {
        case "Ended":
          return ended(op, signal.attempt, signal.exit)
        case "Answered":
          return Effect.flatMap(answered(op, signal.granted), () => coordinate(op))
        case "Due":
          if (op.timer?.dueMillis === signal.timer.dueMillis) op.timer = undefined
          return coordinate(op)
      }
    })
  })

const send = (op: Operation): Effect.Effect<void, never, unknown> => {
  const { bucket } = op.policy
  return op.hedges.sent === 0 || bucket === undefined ? launch(op, noTokens) : ask(op, bucket)
}

/** Asks the bucket in a fiber that outlives the operation: an answer that comes after the end is refunded there. */
const ask = (op: Operation, bucket: TokenBucket.TokenBucket): Effect.Effect<void> => {
  const asking: Asking = { granted: Option.none(), fiber: undefined }
  op.asking = asking
  const asked = Effect.flatMap(Events.acquire(bucket, op.hedges.sent + 1), (granted) => {
    if (op.asking !== asking) return Events.refund(granted)
    asking.granted = granted
    op.signals.unsafeOffer({ _tag: "Answered", granted })
    return Effect.void
  })
  return Effect.map(Effect.forkDaemon(asked), (fiber) => {
    asking.fiber = fiber
  })
}

const answered = (op: Operation, granted: Option.Option<TokenBucket.Grant>): Effect.Effect<unknown, never, unknown> => {
  op.asking = undefined
  if (Option.isNone(granted)) {
    op.refused = true
    op.hedges = Hedges.closed(op.hedges)
    return Effect.void
  }
  const nowMillis = MonotonicTime.read(op.clock)
  op.hedges = Hedges.granted(op.hedges, op.limits, nowMillis)
  return op.hedges.dueMillis <= nowMillis ? launch(op, granted.value) : Effect.forkDaemon(Events.refund(granted))
}

const launch = (op: Operation, granted: TokenBucket.Grant): Effect.Effect<void, never, unknown> => {
  const number = op.hedges.sent + 1
  const attempt = Effect.fork(op.restore(Effect.suspend(() => op.call(number))))
  const started = { attempt: number }
  return Effect.flatMap(Effect.zipRight(Events.started(op.policy, started), attempt), (fiber) => {
    const startedMillis = MonotonicTime.read(op.clock)
    const attempt: Attempt = { number, granted, started, startedMillis, fiber }
    op.running.add(attempt)
    op.hedges = Hedges.sent(op.hedges, op.limits, startedMillis)
    fiber.addObserver((exit) => op.signals.unsafeOffer({ _tag: "Ended", attempt, exit }))
    return Effect.void
  })
}

const setTimer = (op: Operation): Effect.Effect<void> => {
  const { dueMillis } = op.hedges
  if (op.timer?.dueMillis === dueMillis) return Effect.void
  op.timer?.fiber.unsafeInterruptAsFork(op.timer.fiber.id())
  op.timer = undefined
  if (dueMillis === Infinity) return Effect.void
  const timer = { dueMillis }
  // Whole milliseconds, and no longer than a timer of the platform holds: what wakes early is set again.
  const millis = Math.min(Math.ceil(dueMillis - MonotonicTime.read(op.clock) - 1e-6), longestTimerMillis)
  const slept = Effect.zipRight(Effect.sleep(Duration.millis(millis)), op.signals.offer({ _tag: "Due", timer }))
  return Effect.map(Effect.fork(Effect.interruptible(slept)), (fiber) => {
    op.timer = { ...timer, fiber }
  })
}

const ended = (
  op: Operation,
  attempt: Attempt,
  exit: Exit.Exit<unknown, unknown>
): Effect.Effect<Ending, never, unknown> => {
  const { number } = attempt
  if (Exit.isSuccess(exit)) {
    op.running.delete(attempt)
    const answer = Effect.zipRight(Fiber.inheritAll(attempt.fiber), exit)
    return Effect.as(Events.record(op.policy, { _tag: "Succeeded", ...endOf(op, attempt) }), {
      answer,
      attempt: number,
      happened: { _tag: "Succeeded", rateLimiterWait }
    })
  }
  const { cause } = exit
  const failure = Cause.isDie(cause) ? Option.none() : Cause.failureOption(cause)
  return Option.isSome(failure)
    ? failed(op, attempt, { error: failure.value, cause })
    : Effect.succeed({ answer: exit, attempt: number, happened: undefined })
}

/** What the bucket is told of every end. */
const endOf = (op: Operation, { granted, number, started, startedMillis }: Attempt) => ({
  attempt: number,
  granted,
  started,
  ran:
    op.policy.bucket?.timed === true
      ? Duration.millis(Math.max(0, MonotonicTime.read(op.clock) - startedMillis))
      : undefined
})

/** Tells bucket and observers of a failure, then ends the operation or goes on. */
const failed = (op: Operation, attempt: Attempt, failure: Failure): Effect.Effect<Ending, never, unknown> => {
  const { number, startedMillis } = attempt
  const { cause, error } = failure
  const nowMillis = MonotonicTime.read(op.clock)
  const elapsed = Duration.millis(nowMillis - op.beganMillis)
  const moment = { nowMillis: op.clock.unsafeCurrentTimeMillis(), attempt: number, elapsed }
  const verdict = Judging.ofError("Hedging.Policy", "classifier", op.policy.classifier, error, moment)
  op.running.delete(attempt)
  op.last = failure
  const recorded = Events.record(op.policy, { _tag: "Failed", ...endOf(op, attempt), verdict })
  const ran = Duration.millis(nowMillis - startedMillis)
  const told = Effect.zipRight(
    recorded,
    tell(op, number, { _tag: "AttemptFailed", error, verdict, ran, rateLimiterWait })
  )
  if (verdict._tag !== "Retryable") {
    const happened = { _tag: "GaveUp", error, reason: { _tag: "Terminal", why: Judging.whyNot(verdict) } } as const
    return Effect.as(told, { answer: Effect.failCause(cause), attempt: number, happened })
  }
  const pushback = Option.getOrUndefined(Option.map(verdict.hint, Duration.toMillis))
  op.hedges = Hedges.failed(op.hedges, op.limits, nowMillis, pushback)
  return Effect.zipRight(told, coordinate(op))
}

/** The ending where no attempt is left: the last failure. */
const spent = (op: Operation, { cause, error }: Failure): Ending => ({
  answer: Effect.failCause(cause),
  attempt: op.hedges.sent,
  happened: { _tag: "GaveUp", error, reason: reasonOf(op) }
})

const reasonOf = ({ hedges, policy, refused }: Operation): Retry.StopReason => {
  if (refused) return { _tag: "BucketEmpty" }
  if (hedges.heldMillis === Infinity) return { _tag: "HintTooLong", hint: Duration.infinity }
  return hedges.sent >= policy.maxAttempts
    ? { _tag: "AttemptsSpent", maxAttempts: policy.maxAttempts }
    : { _tag: "DeadlinePassed", within: Duration.millis(policy.withinMillis) }
}

/** Interrupts everything that still runs, and waits for all of it but the bucket. */
const cleanUp = (op: Operation): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { asking } = op
    op.asking = undefined
    asking?.fiber?.unsafeInterruptAsFork(asking.fiber.id())
    const left = [...op.running]
    const fibers = [...left.map(({ fiber }) => fiber), ...(op.timer === undefined ? [] : [op.timer.fiber])]
    const abandoned = Effect.forEach(
      left,
      (attempt) => Events.record(op.policy, { _tag: "Abandoned", ...endOf(op, attempt) }),
      { discard: true }
    )
    const refunded = asking === undefined ? Effect.void : Effect.forkDaemon(Events.refund(asking.granted))
    return Effect.all([refunded, Fiber.interruptAll(fibers), abandoned], { discard: true })
  })

const tell = (op: Operation, attempt: number, happened: Events.Happened): Effect.Effect<void> =>
  op.restore(
    Events.tell(op.policy, { attempt, elapsedMillis: MonotonicTime.read(op.clock) - op.beganMillis }, happened)
  )

/** The nanoseconds of a `Clock` do not follow the wall clock. */
