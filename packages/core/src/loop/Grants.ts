/**
 * How the loop asks rate limiter and bucket for grants, holds, spends and refunds them, and tells both of attempts.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import * as RuntimeFlags from "effect/RuntimeFlags"
import * as Argument from "../accept/Argument.ts"
import type { Kind } from "../classify/Verdict.ts"
import * as AtOnce from "../fund/AtOnce.ts"
import type { Grant, Outcome, Request, TokenBucket } from "../fund/Port.ts"
import { noTokens } from "../fund/Port.ts"
import * as Elapsed from "./Elapsed.ts"
import type { Operation } from "./Operation.ts"
import * as Services from "./Services.ts"

const rateLimiterName = "the rate limiter"
const bucketName = "the bucket"

/**
 * Tells buckets with `started` that the next attempt begins.
 *
 * @category running
 */
export const started = (op: Operation): Services.Telling => {
  const { bucket, rateLimiter } = op
  if (bucket?.started === undefined && rateLimiter?.started === undefined) return undefined
  const attempt = op.attempts + 1
  op.retrySpent = noTokens
  op.sendSpent = noTokens
  const noteSend = () => {
    op.sendUnrecorded = attempt
  }
  const noteRetry = () => {
    op.retryUnrecorded = attempt
  }
  return Services.both(
    rateLimiter?.started && Services.tell(op, rateLimiterName, () => rateLimiter.started!(attempt), noteSend),
    () => bucket?.started && Services.tell(op, bucketName, () => bucket.started!(attempt), noteRetry)
  )
}

/**
 * Tells rate limiter and bucket how the attempt ended.
 *
 * @category running
 */
export const record = (op: Operation, outcome: (granted: Grant) => Outcome): Services.Telling => {
  const { bucket, rateLimiter } = op
  if (rateLimiter === undefined) return bucket && recordFor(op, forRetry, bucket, outcome)
  return Services.both(
    recordFor(op, forAttempt, rateLimiter, outcome),
    () => bucket && recordFor(op, forRetry, bucket, outcome)
  )
}

const recordFor = (
  op: Operation,
  purpose: Purpose,
  bucket: TokenBucket,
  outcome: (granted: Grant) => Outcome
): Services.Telling => {
  const record = () => bucket.record(outcome(purpose.spent(op)))
  return bucket.started === undefined
    ? Services.tell(op, purpose.service, record)
    : Services.tell(op, purpose.service, record, () => purpose.forget(op))
}

/** Tells buckets with `started` that an attempt has ended without an outcome. */
const abandon = (op: Operation): Services.Telling => {
  const { bucket, rateLimiter, retryUnrecorded, sendUnrecorded } = op
  op.retryUnrecorded = undefined
  op.sendUnrecorded = undefined
  const tellOf = (service: string, bucket: TokenBucket | undefined, attempt: number | undefined, granted: Grant) =>
    bucket && attempt !== undefined
      ? Services.tell(op, service, () => bucket.record({ _tag: "Abandoned", attempt, granted }))
      : undefined
  return Services.both(tellOf(rateLimiterName, rateLimiter, sendUnrecorded, op.sendSpent), () =>
    tellOf(bucketName, bucket, retryUnrecorded, op.retrySpent)
  )
}

/**
 * Whether tokens are granted: at once, or as an effect of which nothing has run.
 *
 * @category models
 */
export type Answer = boolean | Effect.Effect<boolean>

/**
 * Goes on with an answer, in the same step where it is there.
 *
 * @category running
 */
export const answered = <A, E, R>(
  answer: Answer,
  next: (granted: boolean) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => (typeof answer === "boolean" ? next(answer) : Effect.flatMap(answer, next))

/**
 * Asks the rate limiter for the next attempt; the grant is held until the attempt starts.
 *
 * @category running
 */
export const askRateLimiter = (op: Operation, rateLimiter: TokenBucket): Answer => {
  const answer = ask(op, forAttempt, rateLimiter, 0)
  op.rateLimiterWaitMillis = 0
  return typeof answer === "boolean" ? answer : waitTimed(op, answer)
}

const waitTimed = (op: Operation, answer: Effect.Effect<boolean>): Effect.Effect<boolean> =>
  Effect.suspend(() => {
    const askedMillis = Elapsed.millis(op)
    return Effect.map(answer, (granted) => {
      op.rateLimiterWaitMillis = Elapsed.millis(op) - askedMillis
      return granted
    })
  })

/**
 * Asks the bucket for a retry; the grant is held until the attempt starts.
 *
 * @category running
 */
export const askBucket = (op: Operation, bucket: TokenBucket, delayMillis: number): Answer =>
  ask(op, forRetry, bucket, delayMillis)

const latestKind = ({ failure }: Operation): Option.Option<Kind> =>
  failure?.verdict._tag === "Retryable" ? Option.some(failure.verdict.kind) : Option.none()

/** What tokens are for. */
interface Purpose {
  readonly service: string
  readonly hold: (op: Operation, grant: Grant) => void
  /** What was granted to the running or latest attempt. */
  readonly spent: (op: Operation) => Grant
  /** Notes that a bucket with `started` was told of the attempt's end. */
  readonly forget: (op: Operation) => void
}

const forAttempt: Purpose = {
  service: rateLimiterName,
  hold: (op, grant) => {
    op.sendGrant = grant
  },
  spent: (op) => op.sendSpent,
  forget: (op) => {
    op.sendUnrecorded = undefined
  }
}

const forRetry: Purpose = {
  service: bucketName,
  hold: (op, grant) => {
    op.retryGrant = grant
  },
  spent: (op) => op.retrySpent,
  forget: (op) => {
    op.retryUnrecorded = undefined
  }
}

const ask = (op: Operation, purpose: Purpose, bucket: TokenBucket, delayMillis: number): Answer => {
  const request: Request = {
    attempt: op.attempts + 1,
    kind: latestKind(op),
    delay: delayMillis === 0 ? Duration.zero : Duration.millis(delayMillis),
    atMost: Elapsed.spare(op, delayMillis),
    restore: RuntimeFlags.interruptible(op.runtimeFlags) ? Effect.interruptible : identity
  }
  const asked = Services.called(() => bucket.acquire(request))
  return AtOnce.hasEnded(asked) && Exit.isSuccess(asked)
    ? held(op, purpose, asked.value)
    : Effect.suspend(() => askInTime(op, purpose, asked))
}

const askInTime = (
  op: Operation,
  purpose: Purpose,
  asked: Effect.Effect<Option.Option<Grant>>
): Effect.Effect<boolean> => {
  // Set when the loop goes on without the answer: a grant that comes later is refunded.
  let isOver = false
  const answered = Effect.flatMap(asked, (answer) => {
    if (isOver) return Effect.as(Option.isSome(answer) ? answer.value.refund : Effect.void, false)
    const isHeld = held(op, purpose, answer)
    return typeof isHeld === "boolean" ? Effect.succeed(isHeld) : isHeld
  })
  const over = Effect.sync(() => {
    isOver = true
  })
  return Effect.tap(
    Effect.onInterrupt(Services.safely(op, purpose.service, Effect.uninterruptible(answered), false), () => over),
    (ok) => (ok ? Effect.void : over)
  )
}

/** Holds a grant, if there is one. */
const held = (op: Operation, { hold, service }: Purpose, answer: Option.Option<Grant>): Answer => {
  if (!Option.isOption(answer)) return noOption(service, answer)
  if (Option.isNone(answer)) return false
  const grant = answer.value
  if (!(grant.tokens >= 0 && grant.tokens < Infinity)) return invalid(service, grant)
  hold(op, grant)
  return true
}

const noOption = (service: string, answer: unknown): Effect.Effect<boolean> => {
  const refused = Effect.sync(() => Argument.refuse(service, "acquire", "an effect of an Option", answer))
  return Services.logging(service, refused, false)
}

const invalid = (service: string, grant: Grant): Effect.Effect<boolean> => {
  const refused = Effect.sync(() => Argument.refuse(service, "tokens of a grant", "a finite number >= 0", grant.tokens))
  return Services.logging(service, Effect.zipRight(grant.refund, refused), false)
}

/**
 * Calls an attempt off that is not made after all, or that ends without an outcome: refunds what is held for it, and tells
 * buckets with `started` that it is abandoned.
 *
 * @category running
 */
export const callOff = (op: Operation): Effect.Effect<void> =>
  Effect.uninterruptible(Effect.suspend(() => Services.andThen(abandon(op), () => Services.run(refund(op)))))

const refund = (op: Operation): Services.Telling => {
  const { retryGrant, sendGrant } = op
  op.retryGrant = undefined
  op.sendGrant = undefined
  return Services.both(
    sendGrant && Services.tell(op, rateLimiterName, () => sendGrant.refund),
    () => retryGrant && Services.tell(op, bucketName, () => retryGrant.refund)
  )
}

/**
 * Spends the grants that are held for the attempt, if there are any.
 *
 * @category running
 */
export const spend = (op: Operation): void => {
  op.retrySpent = op.retryGrant ?? op.retrySpent
  op.sendSpent = op.sendGrant ?? op.sendSpent
  op.retryGrant = undefined
  op.sendGrant = undefined
}

/**
 * The tokens of the bucket now; `None` without one, and where it cannot tell.
 *
 * @category running
 */
export const level = (op: Operation): Effect.Effect<Option.Option<number>> => {
  const { bucket } = op
  if (bucket === undefined) return Effect.succeedNone
  return AtOnce.suspend(() => {
    const told = Services.called(() => bucket.level)
    return AtOnce.hasEnded(told) && Exit.isSuccess(told)
      ? Exit.map(told, known)
      : Effect.map(Services.safely(op, bucketName, told, NaN), known)
  })
}

const known = (level: number): Option.Option<number> => (Number.isNaN(level) ? Option.none() : Option.some(level))
