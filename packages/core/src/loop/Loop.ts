/**
 * The one loop. In this order, for every operation: the rate limiter grants, the attempt runs, rate limiter, bucket and
 * observers are told how it ended; then the decision (not retryable, attempts spent, standing down, back-off ended, hint too
 * long, deadline), then the bucket; then what the attempt left open is released, then the wait, and again.
 *
 * Nothing waits before a refusal. The deadline is judged at the decision, and again after every step that may have taken
 * time. Defects and interruption pass through untouched. A field that a policy leaves out costs nothing: a success under a
 * plain policy costs one `catchAllCause`.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import * as Verdict from "../classify/Verdict.ts"
import * as AtOnce from "../fund/AtOnce.ts"
import * as Outcomes from "../fund/Outcomes.ts"
import type { TokenBucket } from "../fund/Port.ts"
import { noTokens } from "../fund/Port.ts"
import * as ActiveOperation from "./ActiveOperation.ts"
import * as Attempt from "./Attempt.ts"
import * as Decision from "./Decision.ts"
import * as ForeignSchedule from "./ForeignSchedule.ts"
import * as Observers from "./Observers.ts"
import type { Erased, Expired, Failure, OnStopped } from "./Operation.ts"
import * as Operation from "./Operation.ts"
import type { Prepared } from "./PolicyCheck.ts"
import type { StopReason } from "./RetryStopped.ts"
import { ResultRejected } from "./RetryStopped.ts"
import * as Services from "./Services.ts"
import * as Stop from "./Stop.ts"
import { wait } from "./Wait.ts"

type Op = Operation.Operation

/**
 * Runs an effect under a policy. `onStopped` replaces failing with the last failure.
 *
 * @category running
 */
export const run = (self: Erased, prepared: Prepared, onStopped?: OnStopped): Erased =>
  prepared.eager || onStopped !== undefined
    ? Effect.withFiberRuntime((fiber, status) => begin(Operation.make(self, prepared, onStopped, fiber, status)))
    : Effect.catchAllCause(self, (cause) => afterFirst(self, prepared, cause))

/**
 * Enters the loop after a first attempt that was made outside of it, under a policy that is not `eager`.
 *
 * @category running
 */
export const afterFirst = (self: Erased, prepared: Prepared, cause: Cause.Cause<unknown>): Erased =>
  Effect.withFiberRuntime((fiber, status) =>
    firstFailed(Operation.make(self, prepared, undefined, fiber, status), cause)
  )

/**
 * The same outside of a fiber, with the default services. What is answered may run in a fiber.
 *
 * @category running
 */
export const afterFirstCall = (self: Erased, prepared: Prepared, cause: Cause.Cause<unknown>): Erased =>
  firstFailed(Operation.make(self, prepared, undefined, Operation.noFiber, Runtime.defaultRuntime), cause)

const firstFailed = (op: Op, cause: Cause.Cause<unknown>): Erased => {
  op.attempts = 1
  return attemptFailed(op, cause)
}

const begin = (op: Op): Erased => {
  const { bucket, prepared, rateLimiter } = op
  const needsGuard =
    prepared.policy.release !== undefined || Outcomes.hearsAbandoned(bucket) || Outcomes.hearsAbandoned(rateLimiter)
  return needsGuard ? Stop.guarded(op, () => send(op)) : send(op)
}

/** Asks the rate limiter, and makes the attempt if it may still start. */
const send = (op: Op): Erased => unlessLate(op, askRateLimiter)

const askRateLimiter = (op: Op): Erased => {
  const { rateLimiter } = op
  if (rateLimiter === undefined) return start(op)
  const hearsStart = op.bucket?.started !== undefined || rateLimiter.started !== undefined
  if (op.prepared.isBare && !hearsStart) return askAndAttempt(op, rateLimiter)
  return Stop.guarded(op, () => afterAnswer(op, Services.askRateLimiter(op, rateLimiter)))
}

const afterAnswer = (op: Op, answer: Services.Answer): Erased =>
  Services.answered(answer, (granted) =>
    granted ? unlessLate(op, start) : Stop.refuse(op, lateness(op) ?? { _tag: "RateLimiterRefused" })
  )

/**
 * Asks the rate limiter in the very step that hands over to the attempt: a grant that comes at once is never held, and
 * an interruption has nothing to refund.
 */
const askAndAttempt = (op: Op, rateLimiter: TokenBucket): Erased => {
  let answer: Services.Answer
  const asked = Effect.suspend(() => {
    answer = Services.askRateLimiter(op, rateLimiter)
    if (answer !== true) return Effect.void
    startAttempt(op)
    Services.spend(op)
    return op.self
  })
  return Effect.matchCauseEffect(asked, {
    onFailure: (cause) => attemptFailed(op, cause),
    onSuccess: (value) =>
      answer === true ? attemptSucceeded(op, value) : Stop.guarded(op, () => afterAnswer(op, answer))
  })
}

const start = (op: Op): Erased => {
  const told = Services.started(op)
  return told === undefined ? runAttempt(op) : Services.andThen(told, () => unlessLate(op, runAttempt))
}

const unlessLate = (op: Op, then: (op: Op) => Erased): Erased => {
  const isFirst = op.attempts === 0 && op.rateLimiter === undefined
  const late = isFirst ? undefined : lateness(op)
  return late === undefined ? then(op) : Stop.refuse(op, late)
}

/** The deadline as a reason to stop, where it forbids an attempt now. */
const lateness = (op: Op): StopReason | undefined =>
  op.prepared.policy.deadline === undefined ? undefined : Decision.late(op.prepared, Operation.elapsedMillis(op))

/** Makes an attempt and goes on with its outcome. */
const runAttempt = (op: Op): Erased => {
  startAttempt(op)
  const self = Attempt.effect(op)
  const onFailure = (cause: Cause.Cause<unknown>) => attemptFailed(op, cause)
  const { name, result } = op.prepared.policy
  return op.reportsOutcomes || name !== undefined || result !== undefined
    ? Effect.matchCauseEffect(self, { onFailure, onSuccess: (value) => attemptSucceeded(op, value) })
    : Effect.catchAllCause(self, onFailure)
}

const startAttempt = (op: Op): void => {
  op.attempts += 1
  op.expired = undefined
  op.released = false
  op.retrySpent = noTokens
  op.sendSpent = noTokens
  op.attemptStartedMillis = beginsAtOnce(op) ? 0 : Operation.elapsedMillis(op)
}

/** Whether the running attempt began in the step in which the operation did: that spares a look at the clock. */
const beginsAtOnce = ({ attempts, bucket, rateLimiter }: Op): boolean =>
  attempts === 1 && rateLimiter === undefined && bucket?.started === undefined

const attemptSucceeded = (op: Op, value: unknown): Erased => {
  Operation.endAttempt(op)
  const { result } = op.prepared.policy
  const verdict = result === undefined ? Verdict.noOpinion : result(value, Operation.moment(op))
  if (verdict._tag !== "NoOpinion") {
    return failed(op, new ResultRejected({ result: value }), value, verdict, () => Effect.succeed(value))
  }
  const recorded = Services.record(op, (granted) => ({ _tag: "Succeeded", attempt: op.attempts, granted }))
  if (recorded === undefined && op.prepared.observers.length === 0) return Effect.succeed(value)
  return Services.andThen(recorded, () =>
    Services.andThen(Observers.nestingNoticed(op), () =>
      Services.andThen(Observers.succeeded(op), () => Effect.succeed(value))
    )
  )
}

const attemptFailed = (op: Op, cause: Cause.Cause<unknown>): Erased => {
  Operation.endAttempt(op)
  if (cause._tag !== "Fail" && (Cause.isDie(cause) || !Cause.isFailure(cause))) return Effect.failCause(cause)
  const error = cause._tag === "Fail" ? cause.error : Option.getOrThrow(Cause.failureOption(cause))
  if (op.expired !== undefined && error === op.expired) return expired(op, op.expired)
  const verdict = op.prepared.policy.classifier(error, Operation.moment(op))
  return failed(op, error, error, verdict, () => Effect.failCause(cause))
}

/** The loop itself has interrupted the attempt. What the attempt had left open by then is released. */
const expired = (op: Op, expired: Expired): Erased =>
  Effect.flatMap(Stop.release(op, "Interrupted"), () => {
    // An attempt that was interrupted before its first step was made all the same.
    Services.spend(op)
    op.released = false
    if (expired._tag === "Cut") {
      const error = Stop.exceeded(op, expired.deadline)
      return failed(op, error, error, cutVerdict, () => Effect.fail(error))
    }
    const { onTimeout, verdict } = op.prepared.policy.attemptTimeout!
    const error = onTimeout(expired.timedOut)
    return failed(op, error, error, verdict, () => Effect.fail(error))
  })

const cutVerdict = /*#__PURE__*/ Verdict.terminal("the deadline interrupted the attempt", { kind: "Timeout" })

/** Tells the services how the attempt ended, then decides. */
const failed = (op: Op, error: unknown, input: unknown, verdict: Verdict.Verdict, end: Failure["end"]): Erased => {
  const failure: Failure = { error, input, verdict, failedMillis: Operation.elapsedMillis(op), end }
  Operation.fail(op, failure)
  if (!op.reportsOutcomes) return decide(op, failure, undefined, undefined)
  const recorded = Services.record(op, (granted) => ({ _tag: "Failed", attempt: op.attempts, granted, verdict }))
  return Services.andThen(recorded, () =>
    Services.andThen(Observers.nestingNoticed(op), () =>
      Services.andThen(Observers.attemptFailed(op, failure), () => decide(op, failure, undefined, undefined))
    )
  )
}

/** Asks for the decision, and gives it the draw or the step of a foreign schedule that it needs. */
const decide = (op: Op, failure: Failure, u: Decision.Progress["u"], stepped: Decision.Progress["stepped"]): Erased => {
  if (op.expired?._tag === "Cut") return Stop.stop(op, failure, Decision.passed(op.expired.deadline))
  const decision = Decision.decide(op.prepared, progress(op, failure, u, stepped), failure.verdict)
  switch (decision._tag) {
    case "Stop":
      op.delayMillis = decision.delayMillis
      return Stop.stop(op, failure, decision.reason)
    case "NeedsDraw":
      return AtOnce.andThen(Operation.draw(op), (u) => decide(op, failure, u, stepped))
    case "NeedsStep":
      return Effect.flatMap(stepForeign(op, failure), (delayMillis) => decide(op, failure, u, delayMillis))
    case "Retry":
      op.tree = decision.tree
      op.source = decision.source
      if (decision.startsOver) op.scheduleState = op.prepared.policy.backoff.initial
      return payForRetry(op, failure, decision.delayMillis)
  }
}

const progress = (
  op: Op,
  { failedMillis }: Failure,
  u: Decision.Progress["u"],
  stepped: Decision.Progress["stepped"]
): Decision.Progress => ({
  attempts: Operation.counted(op),
  failures: op.failures,
  elapsedMillis: Operation.elapsedMillis(op),
  ranMillis: failedMillis - op.attemptStartedMillis,
  tree: op.tree,
  outer: op.prepared.policy.whenNested === "standDown" ? runningOuter(op) : undefined,
  u,
  stepped
})

const runningOuter = ({ outer }: Op): string | undefined =>
  outer !== undefined && ActiveOperation.isRunning(outer) ? outer.name : undefined

const stepForeign = (op: Op, { input }: Failure): Effect.Effect<Option.Option<number>, never, unknown> => {
  const now = Operation.clock(op).unsafeCurrentTimeMillis()
  return Effect.map(
    ForeignSchedule.step(op.prepared.policy.backoff, now, input, op.scheduleState),
    ({ delayMillis, state }) => {
      op.scheduleState = state
      return delayMillis
    }
  )
}

const payForRetry = (op: Op, failure: Failure, delayMillis: number): Erased => {
  const { bucket } = op
  if (bucket === undefined) return announce(op, failure, delayMillis)
  return Stop.guarded(op, () =>
    Services.answered(Services.askBucket(op, bucket, delayMillis), (granted) => {
      if (granted) return ifInTime(op, delayMillis, (fitted) => announce(op, failure, fitted))
      op.delayMillis = delayMillis
      return Stop.refuse(op, lateness(op) ?? { _tag: "BucketEmpty" })
    })
  )
}

/** Judges the deadline again after something that may have taken time. */
const ifInTime = (op: Op, delayMillis: number, then: (delayMillis: number) => Erased): Erased => {
  if (op.prepared.policy.deadline === undefined) return then(delayMillis)
  const fitted = Decision.fit(op.prepared, Operation.elapsedMillis(op), delayMillis)
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
  const { deadline } = op.prepared.policy
  // The wait is cut where the deadline passes first; then the attempt is late.
  const millis =
    deadline?._tag === "Cut" ? Math.min(delayMillis, Math.ceil(Operation.leftMillis(op, deadline))) : delayMillis
  return wait(Operation.clock(op), millis, () => send(op))
}
