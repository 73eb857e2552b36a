/**
 * How the loop calls buckets, rate limiters and observers: no call changes how an attempt has ended.
 *
 * A call that dies is logged once, and counts as told, or as a refusal where it asked for tokens. A call that hangs is
 * interrupted at the deadline, where there is one.
 */
import type * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as RuntimeFlags from "effect/RuntimeFlags"
import { identity } from "effect/Function"
import * as Argument from "../accept/Argument.ts"
import type { Kind } from "../classify/Verdict.ts"
import * as AtOnce from "../fund/AtOnce.ts"
import type { Grant, Outcome, Request, TokenBucket } from "../fund/Port.ts"
import { noTokens } from "../fund/Port.ts"
import type { Operation } from "./Operation.ts"
import * as Op from "./Operation.ts"
import { within } from "./Within.ts"

/**
 * Something to tell a service before going on; `undefined` where there is nothing.
 *
 * @category models
 */
export type Telling = { readonly service: string; readonly telling: Effect.Effect<void> } | undefined

/**
 * Tells, then goes on, also where the service dies. Telling and going on are one step of the fiber.
 *
 * @category running
 */
export const andThen = <A, E, R>(told: Telling, next: () => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  told === undefined
    ? next()
    : Effect.matchCauseEffect(told.telling, {
        onFailure: (cause) => Effect.flatMap(died(told.service, cause), next),
        onSuccess: next
      })

const nothing = () => Effect.void

/**
 * Tells, and nothing else.
 *
 * @category running
 */
export const run = (told: Telling): Effect.Effect<void> => andThen(told, nothing)

/** Calls a service; `otherwise` is the answer where the service dies, or does not answer before the deadline. */
const safely = <A>(op: Operation, service: string, asked: Effect.Effect<A>, otherwise: A): Effect.Effect<A> => {
  const answered = logging(service, asked, otherwise)
  const { deadline } = op.prepared.policy
  return deadline === undefined || AtOnce.hasEnded(asked)
    ? answered
    : Effect.suspend(() =>
        within(answered, {
          millis: Op.leftMillis(op, deadline),
          onTimeout: () => Effect.as(Effect.logWarning(`${service} did not answer before the deadline`), otherwise),
          disconnected: true
        })
      )
}

const logging = <A>(service: string, asked: Effect.Effect<A>, otherwise: A): Effect.Effect<A> =>
  Effect.catchAllCause(asked, (cause) => Effect.as(died(service, cause), otherwise))

const died = (service: string, cause: Cause.Cause<never>): Effect.Effect<void> =>
  Effect.logWarning(`${service} died`, cause)

/** What a service answers: an exit where it answers at once. To be called in the step in which it is to be asked. */
const called = <A>(ask: () => Effect.Effect<A>): Effect.Effect<A> => {
  try {
    return AtOnce.run(ask())
  } catch (defect) {
    return Effect.die(defect)
  }
}

/**
 * Tells a service something. To be called in the step in which it is to be told: what takes one step is done already when
 * this answers. No interruption comes between the telling and its note.
 *
 * @category running
 */
export const tell = (op: Operation, service: string, ask: () => Effect.Effect<void>, note?: () => void): Telling => {
  const asked = called(ask)
  if (AtOnce.hasEnded(asked)) {
    note?.()
    return Exit.isSuccess(asked) ? undefined : { service, telling: asked }
  }
  const isBounded = op.prepared.policy.deadline !== undefined
  const telling = isBounded ? safely(op, service, asked, undefined) : asked
  if (note === undefined) return { service, telling }
  return { service, telling: Effect.uninterruptible(andThen({ service, telling }, () => Effect.sync(note))) }
}

/**
 * Tells a service something after the operation has gone on: no deadline bounds the call.
 *
 * @category running
 */
export const tellLate = (service: string, ask: () => Effect.Effect<void>): Effect.Effect<void> =>
  logging(service, called(ask), undefined)

const rateLimiterName = "the rate limiter"
const bucketName = "the bucket"

/**
 * Tells buckets with `started` that the next attempt begins.
 *
 * @category running
 */
export const started = (op: Operation): Telling => {
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
  return both(
    rateLimiter?.started && tell(op, rateLimiterName, () => rateLimiter.started!(attempt), noteSend),
    () => bucket?.started && tell(op, bucketName, () => bucket.started!(attempt), noteRetry)
  )
}

/**
 * Tells rate limiter and bucket how the attempt ended.
 *
 * @category running
 */
export const record = (op: Operation, outcome: (granted: Grant) => Outcome): Telling => {
  const { bucket, rateLimiter } = op
  if (rateLimiter === undefined) return bucket && recordRetry(op, bucket, outcome)
  return both(recordSend(op, rateLimiter, outcome), () => bucket && recordRetry(op, bucket, outcome))
}

const recordSend = (op: Operation, rateLimiter: TokenBucket, outcome: (granted: Grant) => Outcome): Telling => {
  const record = () => rateLimiter.record(outcome(op.sendSpent))
  if (rateLimiter.started === undefined) return tell(op, rateLimiterName, record)
  return tell(op, rateLimiterName, record, () => {
    op.sendUnrecorded = undefined
  })
}

const recordRetry = (op: Operation, bucket: TokenBucket, outcome: (granted: Grant) => Outcome): Telling => {
  const record = () => bucket.record(outcome(op.retrySpent))
  if (bucket.started === undefined) return tell(op, bucketName, record)
  return tell(op, bucketName, record, () => {
    op.retryUnrecorded = undefined
  })
}

/** Tells buckets with `started` that an attempt has ended without an outcome. */
const abandon = (op: Operation): Telling => {
  const { bucket, rateLimiter, retryUnrecorded, sendUnrecorded } = op
  op.retryUnrecorded = undefined
  op.sendUnrecorded = undefined
  const tellOf = (service: string, bucket: TokenBucket | undefined, attempt: number | undefined, granted: Grant) =>
    bucket && attempt !== undefined
      ? tell(op, service, () => bucket.record({ _tag: "Abandoned", attempt, granted }))
      : undefined
  return both(tellOf(rateLimiterName, rateLimiter, sendUnrecorded, op.sendSpent), () =>
    tellOf(bucketName, bucket, retryUnrecorded, op.retrySpent)
  )
}

/**
 * Tells one thing after the other.
 *
 * @category combinators
 */
export const both = (first: Telling, second: () => Telling): Telling =>
  first === undefined ? second() : { service: first.service, telling: andThen(first, () => run(second())) }

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
    const askedMillis = Op.elapsedMillis(op)
    return Effect.map(answer, (granted) => {
      op.rateLimiterWaitMillis = Op.elapsedMillis(op) - askedMillis
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
}

const forAttempt: Purpose = {
  service: rateLimiterName,
  hold: (op, grant) => {
    op.sendGrant = grant
  }
}

const forRetry: Purpose = {
  service: bucketName,
  hold: (op, grant) => {
    op.retryGrant = grant
  }
}

const ask = (op: Operation, purpose: Purpose, bucket: TokenBucket, delayMillis: number): Answer => {
  const request: Request = {
    attempt: op.attempts + 1,
    kind: latestKind(op),
    delay: delayMillis === 0 ? Duration.zero : Duration.millis(delayMillis),
    atMost: Op.spare(op, delayMillis),
    restore: RuntimeFlags.interruptible(op.runtimeFlags) ? Effect.interruptible : identity
  }
  const asked = called(() => bucket.acquire(request))
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
    Effect.onInterrupt(safely(op, purpose.service, Effect.uninterruptible(answered), false), () => over),
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
  return logging(service, refused, false)
}

const invalid = (service: string, grant: Grant): Effect.Effect<boolean> => {
  const refused = Effect.sync(() => Argument.refuse(service, "tokens of a grant", "a finite number >= 0", grant.tokens))
  return logging(service, Effect.zipRight(grant.refund, refused), false)
}

/**
 * Calls an attempt off that is not made after all, or that ends without an outcome: refunds what is held for it, and tells
 * buckets with `started` that it is abandoned.
 *
 * @category running
 */
export const callOff = (op: Operation): Effect.Effect<void> =>
  Effect.uninterruptible(Effect.suspend(() => andThen(abandon(op), () => run(refund(op)))))

const refund = (op: Operation): Telling => {
  const { retryGrant, sendGrant } = op
  op.retryGrant = undefined
  op.sendGrant = undefined
  return both(
    sendGrant && tell(op, rateLimiterName, () => sendGrant.refund),
    () => retryGrant && tell(op, bucketName, () => retryGrant.refund)
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
    const told = called(() => bucket.level)
    return AtOnce.hasEnded(told) && Exit.isSuccess(told)
      ? Exit.map(told, known)
      : Effect.map(safely(op, bucketName, told, NaN), known)
  })
}

const known = (level: number): Option.Option<number> => (Number.isNaN(level) ? Option.none() : Option.some(level))
