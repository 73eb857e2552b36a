/**
 * A retry strategy for the AWS SDK for JavaScript v3 that runs core's own loop under your policy.
 *
 * The SDK makes the attempts, signs them and reads their answers; the loop decides, pays and waits between them.
 */
import type { Policy } from "@effect-retry/core"
import { Observe, TokenBucket } from "@effect-retry/core"
import * as BucketOrTag from "@effect-retry/core/unstable/BucketOrTag"
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as AtOnce from "@effect-retry/core/unstable/AtOnce"
import type { Prepared } from "@effect-retry/core/unstable/PolicyCheck"
import { prepareWithout } from "@effect-retry/core/unstable/PolicyCheck"
import type { Without } from "@effect-retry/core/unstable/PolicyRecord"
import type { Needs } from "@effect-retry/core/unstable/PolicyTypes"
import * as RunnerLine from "@effect-retry/core/unstable/RunnerLine"
import * as ShownCause from "@effect-retry/core/unstable/ShownCause"
import * as Stepped from "@effect-retry/core/unstable/Stepped"
import * as Untrusted from "@effect-retry/core/unstable/Untrusted"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Tracer from "effect/Tracer"
import * as AwsError from "../classify/AwsError.ts"
import * as AwsQuota from "../fund/AwsQuota.ts"
import * as StrategyLine from "./StrategyLine.ts"

/**
 * What the SDK reads from a token.
 *
 * @category models
 */
export interface RetryToken {
  /** Retries so far: 0 for the first attempt. */
  readonly getRetryCount: () => number
  /** How many milliseconds the SDK should wait before the attempt. */
  readonly getRetryDelay: () => number
}

/**
 * Permission to make an attempt.
 *
 * @category models
 */
export interface Token extends RetryToken {
  /** Whether the operation is a long poll. */
  readonly isLongPoll: () => boolean
  /** How many milliseconds the strategy waited before it returned the token; part of `$metadata.totalRetryDelay`. */
  readonly $retryLog: { readonly acquisitionDelay: number }
  readonly [permission]: Permission
}

const permission: unique symbol = Symbol("@effect-retry/aws/SdkRetryStrategy")

interface Permission {
  readonly held: Held
  readonly attempt: Stepped.Attempt
}

/** What the tokens of an operation share. The operation does not refer to it, so it is garbage-collected with the last token. */
interface Held {
  readonly operation: Operation
  readonly isLongPoll: boolean
}

interface Operation {
  readonly stepped: Stepped.Stepped
  /** Runs the steps, with the key of the operation. */
  readonly runner: StrategyLine.Runner
}

/**
 * A policy that a strategy can carry out: it acts neither on running attempts nor on results, because the SDK makes the
 * attempts and keeps their results.
 */
type Strategic = Without<
  Policy.Fields<unknown, never>,
  (typeof beyond)[number],
  "leave it out: the SDK makes the attempts"
>

const beyond = ["whenNested", "attempt", "attemptSpan", "attemptTimeout", "result", "release"] as const

/**
 * The SDK's `RetryStrategyV2`, with the further members of the SDK's own strategies.
 *
 * Source: https://github.com/smithy-lang/smithy-typescript, packages/types/src/retry.ts, `RetryStrategyV2`, 4.20.0.
 *
 * @category models
 */
export interface SdkRetryStrategy {
  /** The mode in the user agent: "adaptive" under a policy with a rate limiter, else "standard". */
  readonly mode: "standard" | "adaptive"
  /** `maxAttempts` of the policy. Give it to the client as its `maxAttempts`, which the client sends in a header. */
  readonly maxAttempts: () => Promise<number>
  /** Begins an operation; resolves when its first attempt may be made. */
  readonly acquireInitialRetryToken: (retryTokenScope: string) => Promise<Token>
  /** Ends an attempt with its error; resolves when the next one may be made, and rejects if there is none. */
  readonly refreshRetryTokenForRetry: (token: RetryToken, errorInfo: ErrorInfo) => Promise<Token>
  /** Ends an attempt, and its operation, with success. */
  readonly recordSuccess: (token: RetryToken) => void
}

/**
 * What the SDK says about a failure. The policy's classifier judges only the error; the SDK's own classification, and
 * the hint that it read from a header, are ignored.
 *
 * @category models
 */
export interface ErrorInfo {
  readonly error?: unknown
}

const owner = "SdkRetryStrategy.make"

/**
 * Makes a strategy that retries as a policy says, for the `retryStrategy` of any client of the SDK.
 *
 * `AwsRetry.javascript`, and for DynamoDB `AwsRetry.javascriptDynamodb`, do exactly what the SDK does by itself, so
 * start from these. `AwsRetry.standard` follows the guide, and gives up on a 429 without a code.
 *
 * Buckets, clock and random numbers come from the effect's context, and all clients that share the strategy share them.
 * The strategy itself waits, so the delay of every token is 0, and the time waited is in `$retryLog`. The SDK's
 * caller sees the service's own error or, if the rate limiter refuses the first attempt, an `AttemptRefused`.
 *
 * - An operation whose scope ends in `:longpoll` waits once when the bucket is empty, see `AwsQuota.longPolling`. The
 *   part of the scope before that, the `partition_id` of the SDK's context, is the `TokenBucket.Key` of keyed buckets.
 * - The SDK does not report that it abandons an operation: after an abort, or if a streaming payload cannot be sent
 *   again. A running wait then continues to its end, and the tokens of the abandoned attempt stay spent, as in the SDK's
 *   own strategies. Nothing else remains: the operation is garbage-collected with its token, and only then are buckets
 *   with `started` told that the attempt was abandoned.
 * - A policy with a field that acts on attempts or results is refused: whenNested, attempt, attemptSpan, attemptTimeout,
 *   result, release and `Deadline.cut`. Observers see every event, with the reason for giving up.
 *
 * @category constructors
 */
export const make = <P extends Strategic>(
  policy: Policy.Checked<P>
): Effect.Effect<SdkRetryStrategy, never, Needs<P>[keyof Needs<P>]> => {
  const prepared = described(prepareWithout(owner, policy, beyond, "the SDK makes the attempts"))
  const made = Effect.map(RunnerLine.runner, (runner) => strategyOf(prepared, ofOperations(runner)))
  return made as Effect.Effect<SdkRetryStrategy, never, Needs<P>[keyof Needs<P>]>
}

/** Adds the service's code and status to what observers see. */
const described = (prepared: Prepared): Prepared => {
  const observers = prepared.hooks.observers.map(Observe.describing(AwsError.details))
  return { ...prepared, hooks: { ...prepared.hooks, observers } }
}

const strategyOf = (prepared: Prepared, runner: StrategyLine.Runner): SdkRetryStrategy => {
  const begin = beginning(prepared, runner)
  return {
    mode: prepared.hooks.rateLimiter === undefined ? "standard" : "adaptive",
    maxAttempts: () => Promise.resolve(prepared.policy.maxAttempts),
    acquireInitialRetryToken: async (retryTokenScope) => {
      const held = begin(retryTokenScope)
      const { stepped } = held.operation
      if (Stepped.hearsAbandoned(stepped)) dropped.register(held, held.operation)
      return permitted(held, Stepped.begin(stepped))
    },
    refreshRetryTokenForRetry: (token, { error }) => {
      const held = running(token)
      return held === undefined
        ? refuseToken(token)
        : permitted(
            held,
            Effect.suspend(() => Stepped.failed(held.operation.stepped, Cause.fail(error)))
          )
    },
    // Throws nothing: the SDK would take an exception for a failure of the attempt, and retry.
    recordSuccess: (token) => {
      const held = running(token)
      if (held === undefined) return
      const { operation } = held
      run(
        operation,
        Effect.suspend(() => Stepped.succeeded(operation.stepped, undefined)),
        ignore
      )
    }
  }
}

/** Source: @smithy/core 3.41.0, retryMiddleware. */
const longPoll = ":longpoll"

/** Makes the operations of the scopes named by the SDK. */
const beginning = (prepared: Prepared, runner: StrategyLine.Runner): ((scope: string) => Held) => {
  const context = RunnerLine.contextOf(runner)
  const { bucket } = prepared.hooks
  const polling =
    bucket === undefined
      ? prepared
      : { ...prepared, hooks: { ...prepared.hooks, bucket: AwsQuota.longPolling(BucketOrTag.find(bucket, context)) } }
  return (scope) => {
    const isLongPoll = scope.endsWith(longPoll)
    const key = isLongPoll ? scope.slice(0, -longPoll.length) : scope
    const own = key === "" ? runner : StrategyLine.withContext(runner, Context.add(context, TokenBucket.Key, key))
    const stepped = Stepped.make(isLongPoll ? polling : prepared, ...StrategyLine.seenIn(own))
    return { operation: { stepped, runner: own }, isLongPoll }
  }
}

/** Runs a step of an operation. One that has ended already needs no fiber. */
const run = ({ runner }: Operation, step: Stepped.Step, then: (exit: Ended) => void): void => {
  const own = step as Effect.Effect<Stepped.Attempt | undefined, unknown>
  if (AtOnce.hasEnded(own)) return then(own)
  RunnerLine.runFork(runner, own).addObserver((exit) => {
    then(exit)
    if (Exit.isFailure(exit) && Cause.isDie(exit.cause)) RunnerLine.runFork(runner, logged(exit.cause))
  })
}

type Ended = Exit.Exit<Stepped.Attempt | undefined, unknown>

const ignore = () => {}

const logged = (cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Effect.logError("A policy died inside the AWS SDK, which does not show it", ShownCause.of(cause, Untrusted.shown))

/** The token of the attempt that a step permits; rejects if the loop stops. */
const permitted = (held: Held, step: Stepped.Step): Promise<Token> =>
  new Promise((resolve, reject) =>
    run(held.operation, step, (exit) => {
      if (Exit.isFailure(exit)) reject(Cause.squash(exit.cause))
      else if (exit.value !== undefined) resolve(tokenOf({ held, attempt: exit.value }))
    })
  )

const tokenOf = (permitted: Permission): Token => {
  const { attempt, held } = permitted
  return {
    getRetryCount: () => attempt.number - 1,
    getRetryDelay: () => 0,
    isLongPoll: () => held.isLongPoll,
    $retryLog: { acquisitionDelay: Duration.toMillis(attempt.delay) },
    [permission]: permitted
  }
}

/**
 * The operation of a token; `undefined` if the attempt has already ended, or if the token is not ours.
 */
const running = (token: RetryToken): Held | undefined => {
  const permitted = (token as Partial<Token> | undefined)?.[permission]
  return permitted !== undefined && permitted.held.operation.stepped.running === permitted.attempt
    ? permitted.held
    : undefined
}

const refuseToken = async (token: unknown): Promise<never> =>
  Argument.refuse("SdkRetryStrategy.refreshRetryTokenForRetry", "token", "that of a running attempt", token)

/** Abandons the operations that the SDK has dropped. */
const dropped = /*#__PURE__*/ new FinalizationRegistry<Operation>(
  ({ runner, stepped }) => void RunnerLine.runFork(runner, Stepped.abandon(stepped))
)

/** The runtime of operations: outside any span that has ended. A step is not an operation of the program. */
const ofOperations = (runner: StrategyLine.Runner): StrategyLine.Runner => {
  const context = Context.omit(Tracer.ParentSpan)(RunnerLine.contextOf(runner))
  return StrategyLine.ofSteps(StrategyLine.withContext(runner, context as Context.Context<never>))
}
