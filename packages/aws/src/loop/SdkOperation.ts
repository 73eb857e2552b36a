/**
 * One operation of the AWS SDK, run by core's loop in a fiber: every attempt is handed over to the SDK, which says how it
 * ended.
 *
 * While the SDK makes an attempt, the fiber is suspended, and only the tokens of the operation refer to it. The SDK drops
 * its token without a word where the operation is aborted, or fails with a streaming payload: token and fiber are then
 * collected together.
 */
import type { TokenBucket } from "@effect-retry/core"
import { Cause, Duration, Effect, Fiber, Option } from "effect"

/**
 * What the SDK reads of a token.
 *
 * @category models
 */
export interface RetryToken {
  /** Retries so far: 0 for the first attempt. */
  readonly getRetryCount: () => number
  /** Milliseconds that the SDK is to wait before the attempt. */
  readonly getRetryDelay: () => number
}

/**
 * The permission to make an attempt.
 *
 * @category models
 */
export interface Token extends RetryToken {
  /** Whether the operation polls, with a server that answers late on purpose. */
  readonly isLongPoll: () => boolean
  /** Milliseconds that the strategy has waited before it handed out the token; part of `$metadata.totalRetryDelay`. */
  readonly $retryLog: { readonly acquisitionDelay: number }
  readonly [held]: Held
}

const held: unique symbol = Symbol("@effect-retry/aws/SdkOperation")

interface Held {
  readonly lifeline: Lifeline
  /** The number of the attempt that the token permits, from 1. */
  readonly attempt: number
}

/**
 * What the tokens of an operation share, and its fiber does not refer to: it is collected when the SDK has dropped the last
 * token.
 *
 * @category models
 */
export interface Lifeline {
  readonly operation: Operation
  readonly isLongPoll: boolean
}

/**
 * An operation, as its fiber and the strategy see it.
 *
 * @category models
 */
export interface Operation {
  /** Attempts that were handed over. */
  attempts: number
  /** Milliseconds that the loop has decided to wait before the next attempt. */
  delayMillis: number
  /** Ends the attempt that the SDK makes; `undefined` while it makes none. */
  end: ((how: Effect.Effect<void, unknown>) => void) | undefined
  /** The call of the SDK that waits for the next attempt. */
  waiting: Waiting | undefined
  /** The fiber that runs the loop, once it has begun. */
  fiber: Fiber.RuntimeFiber<void> | undefined
}

interface Waiting {
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/**
 * An operation that has not begun.
 *
 * @category constructors
 */
export const make = (isLongPoll: boolean): Lifeline => ({
  operation: { attempts: 0, delayMillis: 0, end: undefined, waiting: undefined, fiber: undefined },
  isLongPoll
})

/**
 * An attempt for core's loop: hands over to the SDK, and ends as the SDK says.
 *
 * @category running
 */
export const attempt = (operation: Operation): Effect.Effect<void, unknown> =>
  Effect.async<void, unknown>((resume) => {
    const { waiting } = operation
    operation.attempts += 1
    operation.end = resume
    operation.waiting = undefined
    waiting?.resolve()
  })

/**
 * Notes that the loop has stopped. Never fails: a failure is the SDK's own, and the SDK throws it itself.
 *
 * @category running
 */
export const stopped = (operation: Operation, cause: Cause.Cause<unknown>): Effect.Effect<void> => {
  const { waiting } = operation
  operation.waiting = undefined
  waiting?.reject(Cause.squash(cause))
  return Cause.isDie(cause)
    ? Effect.logError("A policy died inside the AWS SDK, which does not show it", cause)
    : Effect.void
}

/**
 * Ends the attempt with a failure; answers as `next` does.
 *
 * @category running
 */
export const fail = ({ end, lifeline }: Ending, error: unknown): Promise<Token> => {
  const { operation } = lifeline
  if (operation.fiber !== undefined) failing.set(operation.fiber, operation)
  return next(lifeline, () => end(Effect.fail(error)))
}

/**
 * The token of the next attempt, once `run` has made the loop go on; rejects where the loop stops.
 *
 * @category running
 */
export const next = (lifeline: Lifeline, run: () => void): Promise<Token> =>
  new Promise((resolve, reject) => {
    lifeline.operation.waiting = { resolve: () => resolve(tokenOf(lifeline)), reject }
    run()
  })

/** The operations that fibers run, from a failure to what follows it. */
const failing = /*#__PURE__*/ new WeakMap<Fiber.RuntimeFiber<unknown, unknown>, Operation>()

/**
 * Notes the delay of every retry that is asked for: a bucket is told of it, and runs in the fiber of the operation.
 *
 * @category combinators
 */
export const notingDelays = (bucket: TokenBucket.TokenBucket): TokenBucket.TokenBucket => ({
  ...bucket,
  acquire: (request) => {
    const operation = Option.flatMapNullable(Fiber.getCurrentFiber(), (fiber) => failing.get(fiber))
    if (Option.isSome(operation)) operation.value.delayMillis = Duration.toMillis(request.delay)
    return bucket.acquire(request)
  }
})

/**
 * The operation that a token permits an attempt of, and the way to end that attempt: `undefined` where the attempt has
 * ended already, or the token is none of ours.
 *
 * @category destructors
 */
export const ending = (token: RetryToken): Ending | undefined => {
  const { attempt, lifeline } = (token as Partial<Token> | undefined)?.[held] ?? nothing
  const { attempts, end } = lifeline?.operation ?? nothing
  if (lifeline === undefined || end === undefined || attempts !== attempt) return undefined
  return {
    lifeline,
    end: (how) => {
      const { operation } = lifeline
      operation.end = undefined
      end(how)
    }
  }
}

interface Ending {
  readonly lifeline: Lifeline
  readonly end: NonNullable<Operation["end"]>
}

const nothing: Partial<Held & Operation> = {}

const tokenOf = (lifeline: Lifeline): Token => {
  const { attempts, delayMillis } = lifeline.operation
  return {
    getRetryCount: () => attempts - 1,
    getRetryDelay: () => 0,
    isLongPoll: () => lifeline.isLongPoll,
    $retryLog: { acquisitionDelay: delayMillis },
    [held]: { lifeline, attempt: attempts }
  }
}
