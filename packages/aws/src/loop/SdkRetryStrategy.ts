/**
 * A retry strategy for the AWS SDK for JavaScript v3, which runs core's own loop under a policy of yours.
 *
 * The SDK makes the attempts, signs them and reads their answers; the loop decides, pays and waits between them.
 */
import type { Deadline, Policy } from "@effect-retry/core"
import { Observe, TokenBucket } from "@effect-retry/core"
import * as BucketOrTag from "@effect-retry/core/unstable/BucketOrTag"
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as AtOnce from "@effect-retry/core/unstable/AtOnce"
import type { Prepared } from "@effect-retry/core/unstable/PolicyCheck"
import { prepareWithout } from "@effect-retry/core/unstable/PolicyCheck"
import type { Needs } from "@effect-retry/core/unstable/PolicyTypes"
import * as ShownCause from "@effect-retry/core/unstable/ShownCause"
import * as Stepped from "@effect-retry/core/unstable/Stepped"
import * as Untrusted from "@effect-retry/core/unstable/Untrusted"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberRef from "effect/FiberRef"
import * as FiberRefs from "effect/FiberRefs"
import * as Runtime from "effect/Runtime"
import * as RuntimeFlags from "effect/RuntimeFlags"
import * as Tracer from "effect/Tracer"
import * as AwsError from "../classify/AwsError.ts"
import * as AwsQuota from "../fund/AwsQuota.ts"

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
  readonly [permission]: Permission
}

const permission: unique symbol = Symbol("@effect-retry/aws/SdkRetryStrategy")

interface Permission {
  readonly held: Held
  readonly attempt: Stepped.Attempt
}

/** What the tokens of an operation share. The operation does not refer to it: it is collected with the last token. */
interface Held {
  readonly operation: Operation
  readonly isLongPoll: boolean
}

interface Operation {
  readonly stepped: Stepped.Stepped
  /** Runs the steps, with the key of the operation. */
  readonly runtime: Runtime.Runtime<never>
}

/**
 * A policy that a strategy can carry out: one that acts neither on a running attempt nor on results, since the SDK makes
 * the attempts and keeps their results.
 */
type Strategic = Policy.Fields<unknown, never> & { readonly [Field in (typeof beyond)[number]]?: undefined } & {
  readonly deadline?: Deadline.Deadline | undefined
}

const beyond = ["whenNested", "attempt", "attemptSpan", "attemptTimeout", "result", "release"] as const

/**
 * The `RetryStrategyV2` of the SDK, and what the SDK's own strategies have beside it.
 *
 * Source: https://github.com/smithy-lang/smithy-typescript, packages/types/src/retry.ts, `RetryStrategyV2`, 4.20.0.
 *
 * @category models
 */
export interface SdkRetryStrategy {
  /** What the user agent says to AWS: "adaptive" under a policy with a rate limiter, else "standard". */
  readonly mode: "standard" | "adaptive"
  /** `maxAttempts` of the policy. Give it to the client as its `maxAttempts`: the client says it in a header. */
  readonly maxAttempts: () => Promise<number>
  /** Begins an operation; answers when its first attempt may be made. */
  readonly acquireInitialRetryToken: (retryTokenScope: string) => Promise<Token>
  /** Ends an attempt with its error; answers when the next one may be made, and rejects where there is none. */
  readonly refreshRetryTokenForRetry: (token: RetryToken, errorInfo: ErrorInfo) => Promise<Token>
  /** Ends an attempt, and its operation, with success. */
  readonly recordSuccess: (token: RetryToken) => void
}

/**
 * What the SDK says of a failure. The policy's classifier judges the error alone: the SDK's own classes, and the hint it
 * read from a header, are not looked at.
 *
 * @category models
 */
export interface ErrorInfo {
  readonly error?: unknown
}

const owner = "SdkRetryStrategy.make"

/**
 * A strategy that retries as a policy says: for the `retryStrategy` of any client of the SDK.
 *
 * `AwsRetry.javascript`, and for DynamoDB `AwsRetry.javascriptDynamodb`, do exactly what the SDK does by itself: start
 * from these. `AwsRetry.standard` follows the guide, and gives up on a 429 without a code.
 *
 * Buckets, clock and chance are those of the effect's own context, one for all clients that share the strategy. Waits
 * are the strategy's own, so the delay of every token is 0 and what was waited is in `$retryLog`. The SDK's caller sees the
 * service's own error; where the rate limiter refuses the first attempt, an `AttemptRefused`.
 *
 * - An operation whose scope ends in `:longpoll` waits once where the bucket is empty, see `AwsQuota.longPolling`; what is
 *   before that, the `partition_id` of the SDK's context, is the `TokenBucket.Key` of keyed buckets.
 * - The SDK does not say that it abandons an operation (an abort, a streaming payload that cannot be sent again). A
 *   wait that runs then goes on to its end, and what an abandoned attempt had been granted stays spent, as in the SDK's own
 *   strategies. Nothing else stays: the operation is collected with its token, and buckets with `started` are then told that
 *   the attempt was abandoned, which is when the garbage collector runs and not earlier.
 * - A policy that acts on attempts or results is refused: whenNested, attempt, attemptSpan, attemptTimeout, result,
 *   release and a deadline that cuts. Observers see every event, with the reason for giving up.
 *
 * @category constructors
 */
export const make = <P extends Strategic>(
  policy: Policy.Checked<P>
): Effect.Effect<SdkRetryStrategy, never, Needs<P>[keyof Needs<P>]> => {
  const prepared = described(prepareWithout(owner, policy, beyond, "the SDK makes the attempts"))
  return Effect.map(Effect.runtime<Needs<P>[keyof Needs<P>]>(), (runtime) =>
    strategyOf(prepared, ofOperations(runtime))
  )
}

/** Observers are shown the code and the status of the service. */
const described = (prepared: Prepared): Prepared => {
  const observers = prepared.hooks.observers.map(Observe.describing(AwsError.details))
  return { ...prepared, hooks: { ...prepared.hooks, observers } }
}

const strategyOf = (prepared: Prepared, runtime: Runtime.Runtime<never>): SdkRetryStrategy => {
  const begin = beginning(prepared, runtime)
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
    // The SDK takes what this throws for a failure of the attempt, and retries: it throws nothing.
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

/** Makes the operations of scopes that the SDK names. */
const beginning = (prepared: Prepared, runtime: Runtime.Runtime<never>): ((scope: string) => Held) => {
  const { context, fiberRefs, runtimeFlags } = runtime
  const { bucket } = prepared.hooks
  const polling =
    bucket === undefined
      ? prepared
      : { ...prepared, hooks: { ...prepared.hooks, bucket: AwsQuota.longPolling(BucketOrTag.find(bucket, context)) } }
  const currentDefaultServices = FiberRefs.getOrDefault(fiberRefs, DefaultServices.currentServices)
  const getFiberRef = <A>(ref: FiberRef.FiberRef<A>): A => FiberRefs.getOrDefault(fiberRefs, ref)
  return (scope) => {
    const isLongPoll = scope.endsWith(longPoll)
    const key = isLongPoll ? scope.slice(0, -longPoll.length) : scope
    const own = key === "" ? runtime : Runtime.make({ ...runtime, context: Context.add(context, TokenBucket.Key, key) })
    const view = { currentContext: own.context, currentDefaultServices, getFiberRef }
    const stepped = Stepped.make(isLongPoll ? polling : prepared, view, runtimeFlags)
    return { operation: { stepped, runtime: own }, isLongPoll }
  }
}

/** Runs a step of an operation. One that has ended already needs no fiber. */
const run = ({ runtime }: Operation, step: Stepped.Step, then: (exit: Ended) => void): void => {
  const own = step as Effect.Effect<Stepped.Attempt | undefined, unknown>
  if (AtOnce.hasEnded(own)) return then(own)
  Runtime.runFork(runtime, own).addObserver((exit) => {
    then(exit)
    if (Exit.isFailure(exit) && Cause.isDie(exit.cause)) Runtime.runFork(runtime, logged(exit.cause))
  })
}

type Ended = Exit.Exit<Stepped.Attempt | undefined, unknown>

const ignore = () => {}

const logged = (cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Effect.logError("A policy died inside the AWS SDK, which does not show it", ShownCause.of(cause, Untrusted.shown))

/** The token of the attempt that a step permits; rejects where the loop stops. */
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
 * The operation that a token permits an attempt of; `undefined` where the attempt has ended already, and where the token is
 * none of ours.
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
  ({ runtime, stepped }) => void Runtime.runFork(runtime, Stepped.abandon(stepped))
)

/**
 * The runtime of operations: not part of a span that ended long ago, interruptible wherever the strategy was made, and
 * left out of the metric of active fibers: a step is no operation of the program.
 */
const ofOperations = (runtime: Runtime.Runtime<never>): Runtime.Runtime<never> =>
  Runtime.updateContext(runtime, (context) => Context.omit(Tracer.ParentSpan)(context) as Context.Context<never>).pipe(
    // Every fiber gets both anew; what it would inherit is only copied and compared.
    Runtime.updateFiberRefs((refs) =>
      FiberRefs.delete(FiberRefs.delete(refs, FiberRef.currentContext), FiberRef.currentScheduler)
    ),
    Runtime.enableRuntimeFlag(RuntimeFlags.Interruption),
    Runtime.disableRuntimeFlag(RuntimeFlags.RuntimeMetrics)
  )
