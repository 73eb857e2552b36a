/**
 * Turns buckets that can fail, such as one in a remote store, into buckets that cannot.
 */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Argument from "../../accept/Argument.ts"
import { dual, type Given } from "../../accept/Dual.ts"
import { longestTimerMillis } from "../../decide/Millis.ts"
import * as AtOnce from "../fiber/AtOnce.ts"
import * as Line from "../fiber/Line.ts"
import { combined, empty, hearing, recordEach, unlimited, waitingAtMost } from "./Compose.ts"
import * as Answer from "../port/Answer.ts"
import * as MonotonicTime from "../port/MonotonicTime.ts"
import type { Grant, Request, TokenBucket } from "../port/Port.ts"
import * as Untrusted from "../../accept/Untrusted.ts"
import * as ShownCause from "../port/ShownCause.ts"
import { noTokens } from "../port/Port.ts"

/** How long a bucket may take, and what to call when it fails. */
interface Bounded<in E> {
  /** The longest time for one call of the bucket. A call without an answer by then has failed. */
  readonly within: Duration.DurationInput
  /**
   * Called for each call that failed, died or took too long (`TimeoutException`). Runs in its own fiber: the operation
   * does not wait for it, and a defect in it is logged.
   */
  readonly onFailure?: ((cause: Cause.Cause<E | Cause.TimeoutException>) => Effect.Effect<void>) | undefined
}

/** The options of `fallback`. */
interface Fallback<in E> extends Bounded<E> {
  /** Decides when the bucket does not answer. */
  readonly local: TokenBucket
}

/**
 * Asks the `local` bucket if the bucket fails, dies or does not answer within the bound.
 *
 * Both buckets record every attempt: the one that granted it with its grant, the other with no tokens. If the bucket
 * does not answer, the level is that of the local one. A call that is not answered in time is interrupted, and tokens
 * that it grants later are refunded. No call lasts longer than `within`, except for waits of the local bucket, which
 * `request.atMost` bounds. It foretells what the bucket foretells in time.
 *
 * @category combinators
 */
export function fallback<E>(options: Fallback<E>): (self: TokenBucket<E>) => TokenBucket
export function fallback<E>(self: TokenBucket<E>, options: Fallback<E>): TokenBucket
export function fallback(...given: Given): any {
  const owner = "TokenBucket.fallback"
  return dual(given, <E>(self: TokenBucket<E>, options: Fallback<E>): TokenBucket => {
    const { local } = options
    if (!Predicate.hasProperty(local, "acquire")) Argument.refuseForeign(owner, "local", "a TokenBucket", local)
    return withFallback(owner, self, local, options)
  })
}

/**
 * Grants at no cost if the bucket fails, dies or does not answer within the bound: `fallback` to `unlimited`.
 *
 * @category combinators
 */
export function failOpen<E>(options: Bounded<E>): (self: TokenBucket<E>) => TokenBucket
export function failOpen<E>(self: TokenBucket<E>, options: Bounded<E>): TokenBucket
export function failOpen(...given: Given): any {
  return dual(given, <E>(self: TokenBucket<E>, options: Bounded<E>): TokenBucket =>
    withFallback("TokenBucket.failOpen", self, unlimited, options)
  )
}

/**
 * Refuses if the bucket fails, dies or does not answer within the bound: `fallback` to `empty`.
 *
 * @category combinators
 */
export function failClosed<E>(options: Bounded<E>): (self: TokenBucket<E>) => TokenBucket
export function failClosed<E>(self: TokenBucket<E>, options: Bounded<E>): TokenBucket
export function failClosed(...given: Given): any {
  return dual(given, <E>(self: TokenBucket<E>, options: Bounded<E>): TokenBucket =>
    withFallback("TokenBucket.failClosed", self, empty, options)
  )
}

const withFallback = <E>(owner: string, self: TokenBucket<E>, local: TokenBucket, options: Bounded<E>): TokenBucket => {
  const store = boundedBy(owner, self, options)
  const buckets = [store, local]
  const nowMillis = MonotonicTime.makeReader()
  const askBoth = (asked: Effect.Effect<Option.Option<Option.Option<Grant>>>, request: Request) =>
    Effect.clockWith((clock) => {
      const startMillis = nowMillis(clock)
      return Effect.flatMap(asked, (answer) => {
        if (Option.isSome(answer)) return Effect.succeed(answer.value)
        const leftMillis = untilMillis(request) - (nowMillis(clock) - startMillis)
        return Effect.map(
          local.acquire(leftMillis === Infinity ? request : waitingAtMost(request, leftMillis)),
          Option.map((grant): Grant => combined([noTokens, grant]))
        )
      })
    })
  return {
    acquire: (request) =>
      AtOnce.suspend(() => {
        const asked = store.acquire(request)
        return AtOnce.hasEnded(asked) && Exit.isSuccess(asked) && Option.isSome(asked.value)
          ? Exit.succeed(asked.value.value)
          : askBoth(asked, request)
      }),
    record: (outcome) => recordEach(buckets, outcome),
    level: Effect.flatMap(store.level, Option.match({ onNone: () => local.level, onSome: Effect.succeed })),
    refusalAfter: store.refusalAfter,
    ...hearing(buckets)
  }
}

const untilMillis = ({ atMost }: Request): number =>
  Option.match(atMost, { onNone: () => Infinity, onSome: Duration.toMillis })

/** A bucket that answers every call within a bound; `None` if the wrapped bucket does not answer. */
interface Store extends Pick<TokenBucket, "record" | "refusalAfter" | "started" | "timed"> {
  /** Asks within the caller's step. Call it only while an effect runs. */
  readonly acquire: (request: Request) => Effect.Effect<Option.Option<Option.Option<Grant>>>
  readonly level: Effect.Effect<Option.Option<number>>
}

const boundedBy = <E>(owner: string, self: TokenBucket<E>, options: Bounded<E>): Store => {
  const known = { within: false, onFailure: false, local: false }
  Argument.options<Partial<Fallback<E>>>(owner, '{ within: "50 millis" }', options, known)
  const range = { min: 0, exclusive: true, max: longestTimerMillis }
  const withinMillis = Argument.millis(owner, "within", options.within, range)
  const bound: Bound<E> = { owner, withinMillis, onFailure: options.onFailure }
  const call = <A>(effect: () => Effect.Effect<A, E>): Effect.Effect<Option.Option<A>> =>
    AtOnce.suspend(() =>
      callNow(bound, effect, (left) =>
        Effect.uninterruptibleMask((restore) => callWithin(bound, Effect.interruptible(left), restore))
      )
    )
  const refunding = (grant: Grant): Grant =>
    combined(
      [grant, noTokens],
      Effect.suspend(() => Effect.asVoid(call(() => grant.refund)))
    )
  const refundable = Option.map(latestOf(Option.map(refunding)))
  const refundLate = Option.match({ onNone: () => Effect.void, onSome: Answer.refund })
  const { refusalAfter, started, timed } = self
  return {
    acquire: (request) => {
      const inTime = {
        ...waitingAtMost(request, Math.min(withinMillis, untilMillis(request))),
        restore: Effect.interruptible
      }
      const { failed } = request
      const telling = failed === undefined ? bound : { ...bound, failed }
      const asked = callNow(
        telling,
        () => Answer.checked(owner, self.acquire(inTime)),
        (left) => callWithin(telling, left, request.restore, refundLate)
      )
      return AtOnce.hasEnded(asked) ? Exit.map(asked, refundable) : Effect.map(asked, refundable)
    },
    record: (outcome) => Effect.asVoid(call(() => self.record(outcome))),
    level: call(() => self.level),
    // A call that fails says nothing of the one after the wait.
    refusalAfter:
      refusalAfter &&
      ((delay) =>
        Effect.map(
          call(() => refusalAfter(delay)),
          Option.flatten
        )),
    started: started && ((begun) => Effect.asVoid(call(() => started(begun)))),
    timed
  }
}

/** Remembers the latest answer, because buckets may grant many attempts with the same value. */
const latestOf = <A, B>(f: (a: A) => B): ((a: A) => B) => {
  let latest: { readonly a: A; readonly b: B } | undefined
  return (a) => {
    if (latest === undefined || latest.a !== a) latest = { a, b: f(a) }
    return latest.b
  }
}

interface Bound<in E> extends Pick<Bounded<E>, "onFailure"> {
  readonly owner: string
  readonly withinMillis: number
  readonly failed?: Request["failed"]
}

/**
 * Calls within the caller's step: an immediate answer takes neither a fiber nor a timer. Otherwise `wait` gets the rest of
 * the call.
 */
const callNow = <A, E>(
  bound: Bound<E>,
  call: () => Effect.Effect<A, E>,
  wait: (left: Effect.Effect<A, E>) => Effect.Effect<Option.Option<A>>
): Effect.Effect<Option.Option<A>> => {
  const called = started(call)
  if (!AtOnce.hasEnded(called)) return wait(called)
  return Exit.isSuccess(called)
    ? Exit.succeed(Option.some(called.value))
    : Effect.as(report(bound)(called.cause), Option.none<A>())
}

const started = <A, E>(call: () => Effect.Effect<A, E>): Effect.Effect<A, E> => {
  try {
    return AtOnce.run(call())
  } catch (defect) {
    return Exit.die(defect)
  }
}

/**
 * Waits for a call as long as the bound allows, interruptibly if `restore` makes it so. A late answer goes to `late`.
 * Must be run uninterruptibly.
 *
 * Whichever of call, timer and interruption completes `answer` first decides. Not `Effect.raceFirst`, which hangs when it is
 * interrupted between two of its own steps.
 */
const callWithin = <A, E>(
  bound: Bound<E>,
  call: Effect.Effect<A, E>,
  restore: Request["restore"],
  late: (answer: A) => Effect.Effect<void> = () => Effect.void
): Effect.Effect<Option.Option<A>> =>
  Effect.gen(function* () {
    const answer = yield* Deferred.make<Exit.Exit<A, E | Cause.TimeoutException>>()
    const decide = (exit: Exit.Exit<A, E | Cause.TimeoutException>) => Deferred.succeed(answer, exit)
    const calling = Effect.flatMap(Effect.exit(call), (exit) =>
      Effect.flatMap(decide(exit), (isFirst) =>
        isFirst || Exit.isFailure(exit) ? Effect.void : Effect.catchAllCause(late(exit.value), report(bound))
      )
    )
    const caller = yield* Line.forkUninterruptible(calling)
    const timer = yield* Effect.forkDaemon(
      Effect.interruptible(Effect.delay(timeOut(bound, decide), bound.withinMillis))
    )
    const waited = yield* Effect.exit(restore(Deferred.await(answer)))
    // An interruption after the answer is left to the operation, which then has tokens to refund.
    const isInterrupted = Exit.isFailure(waited) && (yield* decide(Exit.failCause(waited.cause)))
    yield* Effect.zipRight(Line.interrupt(timer), Line.interrupt(caller))
    if (isInterrupted) return yield* Effect.failCause(waited.cause)
    const exit = yield* Deferred.await(answer)
    if (Exit.isSuccess(exit)) return Option.some(exit.value)
    yield* report(bound)(exit.cause)
    return Option.none()
  })

const timeOut = <A>(
  { owner, withinMillis }: Bound<never>,
  decide: (exit: Exit.Exit<never, Cause.TimeoutException>) => Effect.Effect<A>
): Effect.Effect<A> =>
  Effect.suspend(() => decide(Exit.fail(new Cause.TimeoutException(`${owner}: no answer within ${withinMillis} ms`))))

const report =
  <E>({ failed, onFailure, owner }: Bound<E>) =>
  (cause: Cause.Cause<E | Cause.TimeoutException>): Effect.Effect<void> => {
    failed?.(Cause.squash(cause))
    if (onFailure === undefined) return Effect.void
    const reported = Effect.catchAllCause(
      Effect.suspend(() => onFailure(cause)),
      (died) => Effect.logWarning(`${owner}: onFailure died`, ShownCause.of(died, Untrusted.shown))
    )
    return Effect.asVoid(Effect.forkDaemon(Effect.interruptible(reported)))
  }
