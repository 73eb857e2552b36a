/**
 * Asks rate limiter and bucket for grants; holds, spends and refunds these; and reports attempts to both.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type { Kind, Verdict } from "../../classify/Verdict.ts"
import * as AtOnce from "../../fund/fiber/AtOnce.ts"
import * as Child from "../../fund/fiber/Child.ts"
import * as Line from "../../fund/fiber/Line.ts"
import * as BucketAnswer from "../../fund/port/Answer.ts"
import * as Free from "../../fund/port/Free.ts"
import type { Grant, Outcome, Refusal, Request, Started, TokenBucket } from "../../fund/port/Port.ts"
import { noTokens } from "../../fund/port/Port.ts"
import * as Elapsed from "./Elapsed.ts"
import * as Interruption from "../../fund/fiber/Interruption.ts"
import type { Operation, Place } from "./Operation.ts"
import * as Services from "./Services.ts"

type Telling = Services.Telling

type Tell<A> = (op: Operation, place: Place, about: A) => Telling

/** Tells the rate limiter, then the bucket, if the policy has them. */
const tellBoth = <A>(op: Operation, tell: Tell<A>, about: A): Telling => {
  const { bucket, rateLimiter } = op
  const first = rateLimiter && tell(op, rateLimiter, about)
  if (bucket === undefined) return first
  return first === undefined ? tell(op, bucket, about) : thenTell(op, bucket, first, tell, about)
}

const thenTell = <A>(op: Operation, bucket: Place, first: Telling, tell: Tell<A>, about: A): Telling =>
  Services.both(first, () => tell(op, bucket, about))

/** Whether a bucket is told of the start of attempts. */
export const hearsStart = ({ bucket, rateLimiter }: Operation): boolean =>
  bucket?.bucket.started !== undefined || rateLimiter?.bucket.started !== undefined

/** Tells buckets with `started` that the next attempt begins. */
export const started = (op: Operation): Telling => {
  if (!hearsStart(op)) return undefined
  op.begun = { attempt: op.attempts + 1 }
  return tellBoth(op, startedAt, op.begun)
}

const startedAt: Tell<Started> = (op, place, begun) =>
  place.bucket.started && noting(op, place, Services.calledOf(start, place.bucket, begun), noteStart)

const start = (bucket: TokenBucket, begun: Started) => bucket.started!(begun)

const noteStart: Note = (op, place) => {
  place.unrecorded = op.begun
}

/** Notes what the bucket of a place has been told. */
type Note = (op: Operation, place: Place) => void

/** Completes a call to a bucket and notes it. In the most common case the call has already ended, and nothing is allocated. */
const noting = (op: Operation, place: Place, told: Effect.Effect<void>, note: Note): Telling => {
  if (!AtOnce.hasEnded(told) || Exit.isFailure(told)) return notingLater(op, place, told, note)
  note(op, place)
  return undefined
}

const notingLater = (op: Operation, place: Place, told: Effect.Effect<void>, note: Note): Telling =>
  Services.telling(op, place.service, told, () => note(op, place))

/** Records with rate limiter and bucket that the attempt succeeded, or failed with this verdict. */
export const record = (op: Operation, verdict?: Verdict): Telling => {
  op.ran = ran(op)
  return tellBoth(op, recordAt, verdict)
}

/** How long the latest attempt has run, if a bucket must be told. */
const ran = (op: Operation): Duration.Duration | undefined =>
  op.timesAttempts ? Duration.millis(Math.max(0, Elapsed.millis(op) - op.attemptStartedMillis)) : undefined

const recordAt: Tell<Verdict | undefined> = (op, place, verdict) => {
  const { attempts: attempt, begun: started, ran } = op
  const { bucket, service, spent: granted } = place
  const outcome: Outcome =
    verdict === undefined
      ? { _tag: "Succeeded", attempt, granted, started, ran }
      : { _tag: "Failed", attempt, granted, started, ran, verdict }
  const told = Services.calledOf(tell, bucket, outcome)
  return bucket.started === undefined && granted.hearsAbandoned !== true
    ? Services.telling(op, service, told)
    : noting(op, place, told, noteEnd)
}

const tell = (bucket: TokenBucket, outcome: Outcome) => bucket.record(outcome)

const noteEnd: Note = (_, place) => {
  place.unrecorded = undefined
  place.spent = noTokens
}

/** Whether a grant asks that its bucket be told if the attempt ends without an outcome. */
export const hearsAbandoned = ({ bucket, rateLimiter }: Operation): boolean =>
  bucket?.spent.hearsAbandoned === true || rateLimiter?.spent.hearsAbandoned === true

/** Tells a bucket that an attempt has ended without an outcome, if the bucket must know. */
const abandonAt: Tell<undefined> = (op, place) => {
  const { bucket, service, spent: granted, unrecorded: started } = place
  place.unrecorded = undefined
  if (started === undefined && granted.hearsAbandoned !== true) return undefined
  place.spent = noTokens
  const attempt = started?.attempt ?? op.attempts
  // An attempt that was reported as started may not have been made.
  const took = attempt === op.attempts ? ran(op) : op.timesAttempts ? Duration.zero : undefined
  const outcome: Outcome = { _tag: "Abandoned", attempt, granted, started, ran: took }
  return Services.telling(op, service, Services.calledOf(tell, bucket, outcome))
}

/** Whether tokens are granted: known at once, or as an effect that has not begun to run. */
export type Answer = boolean | Effect.Effect<boolean>

/** Continues with an answer, in the same step if it is known. */
export const answered = <A, E, R>(
  answer: Answer,
  next: (granted: boolean) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => (typeof answer === "boolean" ? next(answer) : Effect.flatMap(answer, next))

/** Asks the rate limiter for the next attempt; the grant is held until the attempt starts. */
export const askRateLimiter = (op: Operation, rateLimiter: Place): Answer => {
  const answer = ask(op, rateLimiter, 0)
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
 * The refusal that the rate limiter predicts for the attempt after a wait; `undefined` if it cannot predict one. A defect
 * predicts none.
 */
export const foretold = (
  op: Operation,
  rateLimiter: Place,
  delayMillis: number
): Effect.Effect<Option.Option<Refusal>> | undefined => {
  if (rateLimiter.bucket.refusalAfter === undefined) return undefined
  const told = Services.calledOf(refusalAfter, rateLimiter.bucket, Duration.millis(delayMillis))
  return AtOnce.hasEnded(told) && Exit.isSuccess(told)
    ? told
    : Services.safely(op, rateLimiter.service, told, Option.none())
}

const refusalAfter = (bucket: TokenBucket, delay: Duration.Duration) => bucket.refusalAfter!(delay)

const latestKind = ({ failure }: Operation): Option.Option<Kind> =>
  failure?.verdict._tag === "Retryable" ? Option.some(failure.verdict.kind) : Option.none()

/** Asks a bucket, which may wait, for the next attempt; the grant is held until the attempt starts. */
export const ask = (
  op: Operation,
  place: Place,
  delayMillis: number,
  kind?: Request["kind"],
  atMost?: Request["atMost"]
): Answer => {
  place.failure = undefined
  place.refusal = undefined
  const free = Free.grant(place.bucket)
  if (free === undefined) return askWith(op, place, requestOf(op, place, delayMillis, kind, atMost))
  place.held = free
  return true
}

const requestOf = (
  op: Operation,
  place: Place,
  delayMillis: number,
  kind: Request["kind"] = latestKind(op),
  atMost: Request["atMost"] = Elapsed.spare(op, delayMillis)
): Request => ({
  attempt: op.attempts + 1,
  kind,
  delay: delayMillis === 0 ? Duration.zero : Duration.millis(delayMillis),
  atMost,
  restore: Interruption.restore(op.runtimeFlags),
  failed: (error) => {
    place.failure = error
  },
  refused: (refusal) => {
    place.refusal = refusal
  }
})

const askWith = (op: Operation, place: Place, request: Request): Answer => {
  const asked = Services.calledOf(acquire, place.bucket, request)
  return AtOnce.hasEnded(asked) && Exit.isSuccess(asked)
    ? hold(place, asked.value)
    : askLater(op, place, request, asked)
}

const acquire = (bucket: TokenBucket, request: Request) => bucket.acquire(request)

const askLater = (op: Operation, place: Place, request: Request, asked: Asked): Answer =>
  Effect.suspend(() => askInTime(op, place, request, asked))

type Asked = Effect.Effect<Option.Option<Grant>>

/**
 * How much longer than allowed a bucket may take to answer: its wait is rounded up to whole milliseconds, and waiters
 * ahead in a queue end first.
 */
const latenessMillis = 5

const askInTime = (op: Operation, place: Place, { atMost }: Request, asked: Asked): Effect.Effect<boolean> => {
  // Set when the loop continues; a later grant is refunded.
  let isOver = false
  const answered = Effect.flatMap(asked, (answer) => {
    if (isOver) return Effect.as(Option.isSome(answer) ? BucketAnswer.refund(answer.value) : Effect.void, false)
    const isHeld = hold(place, answer)
    return typeof isHeld === "boolean" ? Effect.succeed(isHeld) : isHeld
  })
  const leastMillis = Option.isSome(atMost) ? Duration.toMillis(atMost.value) + latenessMillis : 0
  const asking = Services.safely(op, place.service, Effect.uninterruptible(answered), false, leastMillis)
  const ended = Effect.sync(() => {
    isOver = true
  })
  return Effect.ensuring(asking, ended)
}

/** Holds a grant, if there is one. An invalid answer counts as a refusal, and is logged. */
const hold = (place: Place, answer: Option.Option<Grant>): Answer => {
  const refused = BucketAnswer.refused(place.service, answer)
  if (refused !== undefined) return Services.logging(place.service, refused, false)
  if (answer._tag === "None") return false
  place.held = answer.value
  return true
}

/**
 * Calls off an attempt that is not made after all, or that ends without an outcome: refunds what is held for it, and tells
 * buckets with `started` that it is abandoned.
 */
export const callOff = (op: Operation): Effect.Effect<void> =>
  Effect.uninterruptible(
    Effect.suspend(() =>
      Services.andThen(tellBoth(op, abandonAt, undefined), () => Services.run(tellBoth(op, refundAt, undefined)))
    )
  )

/**
 * Calls off within this step. What takes longer goes on in a fiber of its own, which an interruption of the operation does
 * not reach; the effect waits for it.
 */
export const giveBack = (op: Operation): Effect.Effect<void> => {
  const parent = Child.parentOf(Line.currentFiber(), op.runtimeFlags, undefined)
  return Effect.asVoid(Fiber.await(Child.begin(parent, Child.handing(callOff(op), op.runtimeFlags))))
}

const refundAt: Tell<undefined> = (op, place) => {
  const { held, service } = place
  place.held = undefined
  return held && Services.tell(op, service, () => held.refund)
}

/** Spends the grants that are held for the attempt, if there are any. */
export const spend = ({ bucket, rateLimiter }: Operation): void => {
  spendAt(bucket)
  spendAt(rateLimiter)
}

const spendAt = (place: Place | undefined): void => {
  if (place?.held === undefined) return
  place.spent = place.held
  place.held = undefined
}

/** The tokens of the bucket now; `None` without a bucket, or if it cannot tell. */
export const level = (op: Operation): Effect.Effect<Option.Option<number>> => {
  const place = op.bucket
  if (place === undefined) return Effect.succeedNone
  return AtOnce.suspend(() => {
    const told = Services.calledOf(levelOf, place.bucket, undefined)
    return AtOnce.hasEnded(told) && Exit.isSuccess(told)
      ? Effect.succeed(known(told.value))
      : Effect.map(Services.safely(op, place.service, told, NaN), known)
  })
}

const levelOf = (bucket: TokenBucket) => bucket.level

const known = (level: number): Option.Option<number> => (Number.isNaN(level) ? Option.none() : Option.some(level))
