/**
 * One operation of the AWS SDK, run by core's loop: every attempt is handed over to the SDK, which says how it ended.
 *
 * The loop runs in a fiber, which is suspended while the SDK makes an attempt. A policy that has nothing to do before its
 * first attempt has ended gets its fiber then, and no earlier. The SDK drops the token of an operation without a word where
 * the operation is aborted, or fails with a streaming payload; the fiber is then interrupted, once the token is collected.
 */
import { TokenBucket } from "@effect-retry/core"
import * as ShownCause from "@effect-retry/core/unstable/ShownCause"
import * as Untrusted from "@effect-retry/core/unstable/Untrusted"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"

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
 */
export interface Lifeline {
  readonly operation: Operation
  /** The scope that the SDK has named. */
  readonly scope: string
  readonly isLongPoll: boolean
}

/** An operation, as its fiber and the strategy see it. */
export interface Operation {
  /** How the first attempt ended, where the SDK has made it before the loop began; until the loop has heard of it. */
  first: Exit.Exit<void, unknown> | undefined
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

/** An operation that has not begun. */
export const make = (scope: string): Lifeline => ({
  operation: { first: undefined, attempts: 0, delayMillis: 0, end: undefined, waiting: undefined },
  scope,
  isLongPoll: scope.endsWith(longPoll)
})

/** What the scope of an operation names beside the long poll. */
const keyOf = ({ isLongPoll, scope }: Lifeline): string => (isLongPoll ? scope.slice(0, -longPoll.length) : scope)

/** The operation that a fiber runs: a service of the fiber. */
const Current = /*#__PURE__*/ Context.GenericTag<Operation>("@effect-retry/aws/SdkOperation")

const operationOf = (fiber: Fiber.RuntimeFiber<unknown, unknown>): Operation =>
  Context.unsafeGet(fiber.currentContext, Current)

/** The services of the fiber of an operation. */
export const contextOf = (lifeline: Lifeline, context: Context.Context<never>): Context.Context<never> => {
  const own = Context.add(context, Current, lifeline.operation)
  const key = keyOf(lifeline)
  return key === "" ? own : Context.add(own, TokenBucket.Key, key)
}

/** Every attempt of every operation, for core's loop: hands over to the SDK, and ends as the SDK says. */
export const attempt: Effect.Effect<void, unknown> = /*#__PURE__*/ Effect.withFiberRuntime((fiber) => {
  const operation = operationOf(fiber)
  const { first } = operation
  operation.first = undefined
  return first ?? Effect.async((resume) => handOver(operation, resume))
})

const handOver = (operation: Operation, end: End): void => {
  const { waiting } = operation
  operation.attempts += 1
  operation.end = end
  operation.waiting = undefined
  waiting?.resolve()
}

/**
 * The token of a first attempt before which nothing has to be done; `run` makes the loop begin once the attempt has ended.
 */
export const first = (lifeline: Lifeline, run: () => void): Token => {
  const { operation } = lifeline
  handOver(operation, (exit) => {
    operation.first = exit
    run()
  })
  return tokenOf(lifeline)
}

/** The token of the next attempt, once `run` has made the loop go on; rejects where the loop stops. */
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
 * The operation that a token permits an attempt of; `undefined` where the attempt has ended already, and where the token is
 * none of ours.
 */
export const running = (token: RetryToken): Lifeline | undefined => {
  const { attempt, lifeline } = (token as Partial<Token> | undefined)?.[held] ?? nothing
  const operation = lifeline?.operation
  return operation?.end !== undefined && operation.attempts === attempt ? lifeline : undefined
}

const nothing: Partial<Held> = {}

/** Ends the attempt that the SDK makes, if it makes one. */
export const end = ({ operation }: Lifeline, exit: Exit.Exit<void, unknown>): void => {
  const { end } = operation
  operation.end = undefined
  end?.(exit)
}

/**
 * Ends the loop of an operation. Never fails: the failure of an attempt is the SDK's own, and the SDK throws it itself.
 */
export const stopped = (cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Effect.withFiberRuntime((fiber) => {
    const operation = operationOf(fiber)
    const { waiting } = operation
    operation.waiting = undefined
    waiting?.reject(Cause.squash(cause))
    return Cause.isDie(cause)
      ? Effect.logError(
          "A policy died inside the AWS SDK, which does not show it",
          ShownCause.of(cause, Untrusted.shown)
        )
      : Effect.void
  })

/** Interrupts the fiber of an operation that the SDK has dropped. */
const dropped = /*#__PURE__*/ new FinalizationRegistry<Fiber.RuntimeFiber<void>>((fiber) =>
  fiber.unsafeInterruptAsFork(FiberId.none)
)

/**
 * Ties a fiber to its operation: it ends at the latest when the SDK has dropped the operation. Until it ends, the runtime
 * of Effect keeps every fiber alive.
 */
export const tie = (lifeline: Lifeline, fiber: Fiber.RuntimeFiber<void>): void => {
  if (fiber.unsafePoll() !== null) return
  const { operation } = lifeline
  dropped.register(lifeline, fiber, operation)
  fiber.addObserver(() => dropped.unregister(operation))
}

/** Notes the delay of every retry that is asked for: a bucket is told of it, in the fiber of the operation. */
export const notingDelays = (bucket: TokenBucket.TokenBucket): TokenBucket.TokenBucket => ({
  ...bucket,
  acquire: (request) => {
    const operation = Option.map(Fiber.getCurrentFiber(), operationOf)
    if (Option.isSome(operation)) operation.value.delayMillis = Duration.toMillis(request.delay)
    return bucket.acquire(request)
  }
})
