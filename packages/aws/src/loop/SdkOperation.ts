/**
 * One operation of the AWS SDK, run by core's loop: every attempt is handed over to the SDK, which says how it ended.
 *
 * The loop runs in a fiber, which is suspended while the SDK makes an attempt. A policy that has nothing to do before its
 * first attempt has ended gets its fiber then, and no earlier. The SDK drops the token of an operation without a word where
 * the operation is aborted, or fails with a streaming payload; the fiber is then interrupted, once the token is collected.
 */
import type { TokenBucket } from "@effect-retry/core"
import { Cause, Duration, Effect, Exit, Fiber, FiberId, Option } from "effect"

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
  /** Whether the operation polls a server that answers late on purpose. */
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
 * What the tokens of an operation share. A suspended fiber does not refer to it, so it is collected when the SDK has dropped
 * the last token.
 *
 * @category models
 */
export interface Lifeline {
  readonly operation: Operation
  /** The scope that the SDK has named. */
  readonly scope: string
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
  end: End | undefined
  /** The call of the SDK that waits for the next attempt. */
  waiting: Waiting | undefined
}

/** Takes how an attempt of the SDK ended. */
type End = (exit: Exit.Exit<void, unknown>) => void

interface Waiting {
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** Source: @smithy/core 3.41.0, retryMiddleware. */
const longPoll = ":longpoll"

/**
 * An operation that has not begun.
 *
 * @category constructors
 */
export const make = (scope: string): Lifeline => ({
  operation: { attempts: 0, delayMillis: 0, end: undefined, waiting: undefined },
  scope,
  isLongPoll: scope.endsWith(longPoll)
})

/**
 * What the scope of an operation names beside the long poll.
 *
 * @category destructors
 */
export const keyOf = ({ isLongPoll, scope }: Lifeline): string =>
  isLongPoll ? scope.slice(0, -longPoll.length) : scope

/**
 * An attempt for core's loop: hands over to the SDK, and ends as the SDK says.
 *
 * @category running
 */
export const attempt = (operation: Operation): Effect.Effect<void, unknown> =>
  Effect.async<void, unknown>((resume) => {
    handOver(operation, resume)
  })

/**
 * The same where the SDK has made the first attempt already, which ended so.
 *
 * @category running
 */
export const attemptAfter = (operation: Operation, first: Exit.Exit<void, unknown>): Effect.Effect<void, unknown> => {
  if (Exit.isSuccess(first)) return first
  let isFirst = true
  return Effect.withFiberRuntime<void, unknown>((fiber) => {
    if (!isFirst) return attempt(operation)
    isFirst = false
    operations.set(fiber, operation)
    return first
  })
}

const handOver = (operation: Operation, end: End): void => {
  const { waiting } = operation
  operation.attempts += 1
  operation.end = end
  operation.waiting = undefined
  waiting?.resolve()
}

/**
 * The token of a first attempt before which nothing has to be done; `end` hears how it ended.
 *
 * @category running
 */
export const first = (lifeline: Lifeline, end: End): Token => {
  handOver(lifeline.operation, end)
  return tokenOf(lifeline)
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

/**
 * The operation that a token permits an attempt of, and what ends that attempt; `undefined` where the attempt has ended
 * already, and where the token is none of ours.
 *
 * @category destructors
 */
export const running = (token: RetryToken): { readonly lifeline: Lifeline; readonly end: End } | undefined => {
  const { attempt, lifeline } = (token as Partial<Token> | undefined)?.[held] ?? nothing
  const { attempts, end } = lifeline?.operation ?? nothing
  if (lifeline === undefined || end === undefined || attempts !== attempt) return undefined
  return {
    lifeline,
    end: (exit) => {
      lifeline.operation.end = undefined
      end(exit)
    }
  }
}

const nothing: Partial<Held & Operation> = {}

/**
 * Ends the loop of an operation. Never fails: the failure of an attempt is the SDK's own, and the SDK throws it itself.
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

/** Interrupts the fiber of an operation that the SDK has dropped. */
const dropped = /*#__PURE__*/ new FinalizationRegistry<Fiber.RuntimeFiber<void>>((fiber) =>
  fiber.unsafeInterruptAsFork(FiberId.none)
)

/** The operations that fibers run. */
const operations = /*#__PURE__*/ new WeakMap<Fiber.RuntimeFiber<unknown, unknown>, Operation>()

/**
 * Ties a fiber to its operation: it ends at the latest when the SDK has dropped the operation. Until it ends, the runtime
 * of Effect keeps every fiber alive.
 *
 * @category running
 */
export const tie = (lifeline: Lifeline, fiber: Fiber.RuntimeFiber<void>): void => {
  if (fiber.unsafePoll() !== null) return
  const { operation } = lifeline
  operations.set(fiber, operation)
  dropped.register(lifeline, fiber, operation)
  fiber.addObserver(() => dropped.unregister(operation))
}

/**
 * Notes the delay of every retry that is asked for: a bucket is told of it, in the fiber of the operation.
 *
 * @category combinators
 */
export const notingDelays = (bucket: TokenBucket.TokenBucket): TokenBucket.TokenBucket => ({
  ...bucket,
  acquire: (request) => {
    const operation = Option.flatMapNullable(Fiber.getCurrentFiber(), (fiber) => operations.get(fiber))
    if (Option.isSome(operation)) operation.value.delayMillis = Duration.toMillis(request.delay)
    return bucket.acquire(request)
  }
})
