/**
 * The state of a running operation, without any decisions.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Verdict } from "../../classify/Verdict.ts"
import * as ScheduleLine from "../../decide/ScheduleLine.ts"
import * as BucketOrTag from "../../fund/port/BucketOrTag.ts"
import type { Grant, Refusal, Started, TokenBucket } from "../../fund/port/Port.ts"
import { noTokens } from "../../fund/port/Port.ts"
import * as ActiveOperation from "../../fund/fiber/ActiveOperation.ts"
import * as Elapsed from "./Elapsed.ts"
import type { Erased, Expiring } from "../policy/Expired.ts"
import type * as Interruption from "../../fund/fiber/Interruption.ts"
import * as Line from "../../fund/fiber/Line.ts"
import type { Prepared } from "../policy/PolicyCheck.ts"
import type { DelaySource } from "../policy/RetryEvent.ts"
import type { RetryStopped } from "../policy/RetryStopped.ts"
import { FailedAttempt } from "../policy/RetryStopped.ts"
import * as Progress from "./Progress.ts"

export type { Erased } from "../policy/Expired.ts"

/** What to do instead of failing with the last failure. */
export type OnStopped = (stopped: RetryStopped<unknown>) => Erased

/** A running operation. Made anew for each run of its effect; mutable, and used by one fiber at a time. */
export interface Operation extends Progress.Progress, Elapsed.Timed, Expiring {
  /** Attempts started. */
  attempts: number
  /** The effect of an attempt. */
  readonly self: Erased
  /** Whether another library makes the attempts: the loop then ends with `self` instead of running an attempt. */
  readonly isStepped: boolean
  readonly onStopped: OnStopped | undefined
  /** The fiber that runs the operation. */
  readonly fiber: Line.View
  /** The flags of the fiber that runs the loop, which say whether it can be interrupted. */
  runtimeFlags: Interruption.Flags
  readonly rateLimiter: Place | undefined
  readonly bucket: Place | undefined
  /** Whether one of them must be told how long attempts ran. */
  readonly timesAttempts: boolean
  /** The attempt of another operation inside which this one runs; looked up only for observers and `standDown`. */
  readonly outer: ActiveOperation.ActiveAttempt | undefined
  /** The latest failed attempts, at most `keeps` of them. */
  history: ReadonlyArray<FailedAttempt<unknown>>
  readonly keeps: number
  /** The latest attempt, as operations inside it see it. */
  active: ActiveOperation.ActiveAttempt | undefined
  /** Draws a random number; kept after the first draw. */
  next: Effect.Effect<number> | undefined
  /** The latest failure. */
  failure: Failure | undefined
  /** The delay that was decided on last. */
  delayMillis: number | undefined
  source: DelaySource
  /** The error or the judged result that may hold something open, until it is released. */
  open: Option.Some<unknown> | undefined
  /** Whether something that the latest attempt left open has been released. */
  released: boolean
  /** Whether a clean-up already follows an interruption or a defect of the operation. */
  guarded: boolean
  /** Whether the operation was interrupted, or has died. */
  over: boolean
  /** How long the latest attempt waited for the rate limiter. */
  rateLimiterWaitMillis: number
  attemptStartedMillis: number
  /** The latest attempt that was reported to buckets with `started`. */
  begun: Started | undefined
  /** How long the latest attempt ran, if a bucket must be told. */
  ran: Duration.Duration | undefined
}

/** A bucket in its place in the policy, and what it has granted to the operation. */
export interface Place {
  readonly service: "the rate limiter" | "the bucket"
  readonly bucket: TokenBucket
  /** The grant for the next attempt, until that starts. */
  held: Grant | undefined
  /** The grant of the running or latest attempt. */
  spent: Grant
  /** The attempt whose start was reported to the bucket, until its end is reported. */
  unrecorded: Started | undefined
  /** The error of the bucket at its last request, if another bucket answered for it. */
  failure: unknown
  /** What the bucket said when it refused its last request. */
  refusal: Refusal | undefined
}

/** A failed attempt, and how the operation ends if there is no further one. */
export interface Failure {
  readonly error: unknown
  /** The argument of a foreign schedule and of `release`: the error, or the result that was judged. */
  readonly input: unknown
  readonly verdict: Verdict
  /** Time since the operation began. */
  readonly failedMillis: number
  readonly end: () => Erased
}

/** The history is bounded, because an operation may retry for as long as the program runs. */
const mostRemembered = 100

// Shared by all operations, because most of them succeed and never need their own.
const noHistory: Operation["history"] = []

export const make = (
  self: Erased,
  prepared: Prepared,
  onStopped: OnStopped | undefined,
  fiber: Line.View,
  { runtimeFlags }: Line.Status,
  isStepped = false
): Operation => {
  const { hooks, policy } = prepared
  const services = Line.services(fiber)
  // An operation of one attempt cannot multiply the attempts of another one.
  const asksForOuter = prepared.retries && (hooks.observers.length > 0 || policy.whenNested === "standDown")
  const keeps = onStopped !== undefined ? mostRemembered : policy.attempt !== undefined ? 1 : 0
  const rateLimiter = hooks.rateLimiter && placeOf("the rate limiter", hooks.rateLimiter, fiber)
  const bucket = hooks.bucket && placeOf("the bucket", hooks.bucket, fiber)
  const timesAttempts = bucket?.bucket.timed === true || rateLimiter?.bucket.timed === true
  const timed = prepared.timed || onStopped !== undefined
  const clock = timed ? Elapsed.clockOf(services) : undefined
  return {
    self,
    isStepped,
    prepared,
    onStopped,
    fiber,
    runtimeFlags,
    services,
    clock,
    rateLimiter,
    bucket,
    outer: asksForOuter ? ActiveOperation.current(fiber) : undefined,
    history: noHistory,
    keeps,
    timed: timed || timesAttempts,
    timesAttempts,
    active: undefined,
    next: undefined,
    attempts: 0,
    outdated: 0,
    failures: Progress.noFailures,
    failure: undefined,
    delayMillis: undefined,
    source: "Curve",
    expired: undefined,
    open: undefined,
    released: false,
    guarded: false,
    over: false,
    rateLimiterWaitMillis: 0,
    tree: prepared.tree,
    scheduleState: ScheduleLine.start,
    elapsedMillis: 0,
    // If only attempts are timed, the first reading of the clock starts the time.
    lookedAtMillis: clock === undefined ? Infinity : Elapsed.nowMillis(clock),
    attemptStartedMillis: 0,
    begun: undefined,
    ran: undefined
  }
}

const placeOf = (service: Place["service"], given: BucketOrTag.BucketOrTag, fiber: Line.View): Place => ({
  service,
  bucket: BucketOrTag.find(given, Line.context(fiber)),
  held: undefined,
  spent: noTokens,
  unrecorded: undefined,
  failure: undefined,
  refusal: undefined
})

/** Notes that the latest attempt has ended, and continues with its outcome. */
export const endAttempt = <A>(op: Operation, then: (op: Operation, outcome: A) => Erased, outcome: A): Erased => {
  const leave = op.active && ActiveOperation.end(op.active)
  return leave === undefined ? then(op, outcome) : Effect.flatMap(leave, () => then(op, outcome))
}

/** Notes that the latest attempt has failed now. */
export const fail = (op: Operation, error: unknown, input: unknown, verdict: Verdict, end: Failure["end"]): Failure => {
  const failure: Failure = { error, input, verdict, failedMillis: Elapsed.millis(op), end }
  Progress.fail(op.prepared, op, verdict)
  op.failure = failure
  op.delayMillis = undefined
  if (op.keeps > 0) remember(op, failure)
  return failure
}

const remember = (op: Operation, { error, failedMillis, verdict }: Failure): void => {
  const failed = new FailedAttempt<unknown>({
    attempt: op.attempts,
    error,
    verdict,
    startedAfter: Elapsed.wholeDuration(op.attemptStartedMillis),
    failedAfter: Elapsed.wholeDuration(failedMillis),
    delay: Option.none(),
    cost: 0
  })
  op.history = [...op.history.slice(op.history.length >= op.keeps ? 1 : 0), failed]
}

/** Notes the wait, and what the bucket granted for the attempt after it. */
export const schedule = (op: Operation, delayMillis: number): void => {
  op.delayMillis = delayMillis
  const latest = op.history.at(-1)
  if (latest === undefined) return
  const { error } = latest
  const cost = op.bucket?.held?.tokens ?? 0
  const waiting = new FailedAttempt({ ...latest, error, delay: Option.some(Duration.millis(delayMillis)), cost })
  op.history = [...op.history.slice(0, -1), waiting]
}
