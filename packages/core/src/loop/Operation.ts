/**
 * What a running operation remembers.
 */
import type { DefaultServices, Effect, Fiber } from "effect"
import { Clock, Context, Duration, Option, Random } from "effect"
import type { Retryable, Verdict } from "../classify/Verdict.ts"
import type { AttemptTimedOut } from "../decide/AttemptTimeout.ts"
import * as Backoff from "../decide/Backoff.ts"
import * as BackoffTree from "../decide/BackoffTree.ts"
import type { ChargingBucket, RetryBucket } from "../fund/RetryBucket.ts"
import type { SendRate } from "../fund/SendRate.ts"
import type { Decision } from "./Decision.ts"
import { bend, draws, passed, source } from "./Decision.ts"
import type { ErasedPolicy } from "./PolicyRecord.ts"
import type { ActiveOperation, DelaySource } from "./RetryEvent.ts"
import { CurrentOperation } from "./RetryEvent.ts"
import type { FailedAttempt, RetryStopped, StopReason } from "./RetryStopped.ts"

/**
 * An effect whose types are not looked at any more: the front doors of `Retry` have checked them.
 *
 * @category models
 */
export type Erased = Effect.Effect<unknown, unknown, unknown>

/**
 * A running operation. Made afresh whenever its effect is run; mutable, and seen by one fiber at a time.
 *
 * @category models
 */
export interface Operation {
  readonly self: Erased
  readonly policy: ErasedPolicy
  /** What to do instead of failing with the last failure; a history is kept only for this. */
  readonly onStopped: ((stopped: RetryStopped<unknown>) => Erased) | undefined
  /** Clock and chance. */
  readonly services: Context.Context<DefaultServices.DefaultServices>
  readonly sendRate: SendRate | undefined
  readonly bucket: RetryBucket | ChargingBucket | undefined
  /** The operation of whose attempt this one is part, where the policy asks. */
  readonly outer: ActiveOperation | undefined
  /** Failed attempts, as many as it `keeps`. */
  readonly history: Array<FailedAttempt<unknown>>
  readonly keeps: "nothing" | "last" | "all"
  /** Whether anything depends on time: if not, the operation never looks at the clock. Foreign schedules are told it. */
  readonly timed: boolean
  /** A random number for a step, once one was asked for. */
  draw: Effect.Effect<number> | undefined
  /** Attempts started. */
  attempts: number
  /** The timeout of the attempt that runs, once it has interrupted it. */
  timedOut: AttemptTimedOut | undefined
  /** The latest failure. */
  failure: Failure | undefined
  /** Tokens the last retry took. */
  cost: number
  /** Tokens taken for an attempt that has not started yet. */
  held: number | undefined
  /** Whether what is held is given back should the operation end before the attempt starts. */
  guarded: boolean
  /** What the latest attempt left open. */
  unreleased: Failure | undefined
  /** Whether what is open is released should the operation be interrupted. */
  releasing: boolean
  /** How long the latest attempt waited for the send rate. */
  sendWaitMillis: number
  /** Where the latest delay came from; told only to observers. */
  source: DelaySource
  /** How it ends, for whoever cuts it: what then happens is not cut any more. */
  ending: Erased | undefined
  tree: BackoffTree.Tree | undefined
  scheduleState: unknown
  /** Time since the first attempt started, at the last look at the clock. */
  elapsedMillis: number
  lookedAtMillis: number
  attemptStartedMillis: number
}

/**
 * An attempt that failed, and what the operation ends with should there be no other.
 *
 * @category models
 */
export interface Failure {
  readonly error: unknown
  /** What a foreign schedule reads: the error, or the result that was judged. */
  readonly input: unknown
  readonly verdict: Verdict
  /** Since the start of the first attempt. */
  readonly failedMillis: number
  readonly end: () => Erased
}

/**
 * @category constructors
 */
export const make = (
  self: Erased,
  policy: ErasedPolicy,
  onStopped: Operation["onStopped"],
  fiber: Fiber.RuntimeFiber<unknown, unknown>
): Operation => {
  const services = fiber.currentDefaultServices
  const backoff = Backoff.isBackoff(policy.backoff) ? policy.backoff : undefined
  const keeps = onStopped !== undefined ? "all" : policy.attempt || policy.deadline?._tag === "Cut" ? "last" : "nothing"
  // Without retries of its own nothing multiplies.
  const asksForOuter = policy.maxAttempts > 1 && (policy.observe !== undefined || policy.whenNested === "standDown")
  const timed =
    policy.observe !== undefined ||
    keeps !== "nothing" ||
    policy.deadline !== undefined ||
    backoff === undefined ||
    backoff.readsTime
  return {
    self,
    policy,
    onStopped,
    services,
    sendRate: policy.sendRate && Context.unsafeGet(fiber.currentContext, policy.sendRate),
    bucket: policy.bucket && Context.unsafeGet(fiber.currentContext, policy.bucket as Context.Tag<any, RetryBucket>),
    outer: asksForOuter
      ? Context.get(fiber.currentContext as Context.Context<CurrentOperation>, CurrentOperation)
      : undefined,
    history: [],
    keeps,
    timed,
    draw: undefined,
    attempts: 0,
    timedOut: undefined,
    failure: undefined,
    cost: 0,
    held: undefined,
    guarded: false,
    unreleased: undefined,
    releasing: false,
    sendWaitMillis: 0,
    source: "Curve",
    ending: undefined,
    tree: backoff?.tree,
    scheduleState: policy.backoff.initial,
    elapsedMillis: 0,
    lookedAtMillis: timed ? Context.get(services, Clock.Clock).unsafeCurrentTimeMillis() : 0,
    attemptStartedMillis: 0
  }
}

/**
 * Looked up only where something waits or time counts.
 *
 * @category running
 */
export const clock = (op: Operation): Clock.Clock => Context.get(op.services, Clock.Clock)

/**
 * A random number for a step; absent where deciding on a delay takes none.
 *
 * @category running
 */
export const draw = (op: Operation): Effect.Effect<number> | undefined =>
  draws(op.policy) ? (op.draw ??= Context.get(op.services, Random.Random).next) : undefined

/**
 * Looks at the clock. A clock that steps back adds nothing, and the time after its step counts again.
 *
 * @category running
 */
export const elapsedMillis = (op: Operation): number => {
  if (!op.timed) return 0
  const now = clock(op).unsafeCurrentTimeMillis()
  op.elapsedMillis += Math.max(0, now - op.lookedAtMillis)
  op.lookedAtMillis = now
  return op.elapsedMillis
}

/**
 * Time until the deadline; `Infinity` without one.
 *
 * @category running
 */
export const leftMillis = (op: Operation): number =>
  op.policy.deadline === undefined ? Infinity : Math.max(0, op.policy.deadline.withinMillis - elapsedMillis(op))

/**
 * Time that can be spent waiting for a grant: what the deadline leaves beside the delay and the reserve. `None` without
 * a deadline.
 *
 * @category running
 */
export const spare = (op: Operation, delayMillis: number): Option.Option<Duration.Duration> =>
  Option.map(Option.fromNullable(op.policy.deadline), ({ reserveMillis }) =>
    Duration.millis(Math.max(0, leftMillis(op) - reserveMillis - delayMillis))
  )

/**
 * Why no attempt may start now, should the deadline have passed while the operation waited.
 *
 * @category running
 */
export const late = (op: Operation): StopReason | undefined => {
  const { deadline } = op.policy
  return deadline === undefined || leftMillis(op) > 0 ? undefined : passed(deadline)
}

/**
 * Adds the failure of the latest attempt to the history, as far as anybody asks for it.
 *
 * @category running
 */
export const record = (op: Operation, failure: Failure): void => {
  if (op.keeps === "nothing") return
  if (op.keeps === "last") op.history.length = 0
  op.history.push({
    attempt: op.attempts,
    error: failure.error,
    verdict: failure.verdict,
    startedAfter: Duration.millis(op.attemptStartedMillis),
    failedAfter: Duration.millis(failure.failedMillis),
    delay: Option.none()
  })
}

/**
 * Adds the wait that was decided on to the latest failure in the history.
 *
 * @category running
 */
export const waits = (op: Operation, millis: number): void => {
  const failure = op.history.pop()
  if (failure !== undefined) op.history.push({ ...failure, delay: Option.some(Duration.millis(millis)) })
}

/**
 * Steps the back-off and decides on the delay.
 *
 * @category running
 */
export const decide = (op: Operation, verdict: Retryable, failedMillis: number, u: number): Decision => {
  const before = op.tree
  if (before === undefined) return bend(op.policy, verdict, undefined, failedMillis, u)
  const input = {
    u,
    kind: verdict.kind,
    ranMillis: failedMillis - op.attemptStartedMillis,
    elapsedMillis: failedMillis
  }
  const stepped = BackoffTree.step(before, input)
  if (stepped !== undefined) op.tree = stepped.rest
  const decision = bend(op.policy, verdict, stepped?.delayMillis, failedMillis, u)
  if (op.policy.observe !== undefined) {
    noteSource(op, verdict, decision, stepped, u)
  }
  return decision
}

/**
 * Remembers for the observers where a delay came from.
 *
 * @category running
 */
export const noteSource = (
  op: Operation,
  verdict: Retryable,
  decision: Decision,
  stepped: Pick<BackoffTree.Step, "delayMillis" | "capped"> | undefined,
  u: number
): void => {
  if (op.policy.observe === undefined || stepped === undefined || typeof decision !== "number") return
  op.source = source(op.policy, verdict, decision, stepped, u)
}
