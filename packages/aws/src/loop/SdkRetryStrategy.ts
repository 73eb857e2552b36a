/**
 * A retry strategy for the AWS SDK for JavaScript v3, which runs core's own loop under a policy of yours.
 *
 * The SDK makes the attempts, signs them and reads their answers; the loop decides, pays and waits between them.
 */
import type { Policy } from "@effect-retry/core"
import { Retry, type TokenBucket } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import type { Needs } from "@effect-retry/core/unstable/PolicyTypes"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberRef from "effect/FiberRef"
import * as FiberRefs from "effect/FiberRefs"
import * as Runtime from "effect/Runtime"
import * as RuntimeFlags from "effect/RuntimeFlags"
import * as Scheduler from "effect/Scheduler"
import * as Tracer from "effect/Tracer"
import * as AwsQuota from "../fund/AwsQuota.ts"
import type { Lifeline, RetryToken, Token } from "./SdkOperation.ts"
import * as SdkOperation from "./SdkOperation.ts"
import type { Funded, Strategic } from "./SdkPolicy.ts"
import { check, fund, startsLate } from "./SdkPolicy.ts"

export type { RetryToken, Token } from "./SdkOperation.ts"

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
  check(owner, policy)
  return Effect.map(Effect.runtime<Needs<P>[keyof Needs<P>]>(), (runtime) => strategyOf(policy, runtime))
}

const strategyOf = (policy: Strategic, runtime: Runtime.Runtime<never>): SdkRetryStrategy => {
  const funded = fund(policy, runtime.context)
  const run = running(funded, ofOperations(runtime))
  const isLate = startsLate(owner, funded)
  return {
    mode: funded.rateLimiter === undefined ? "standard" : "adaptive",
    maxAttempts: () => Promise.resolve(funded.maxAttempts),
    acquireInitialRetryToken: async (retryTokenScope) => {
      const lifeline = SdkOperation.make(retryTokenScope)
      return isLate
        ? SdkOperation.first(lifeline, () => run(lifeline))
        : SdkOperation.next(lifeline, () => run(lifeline))
    },
    refreshRetryTokenForRetry: (token, { error }) => {
      const lifeline = SdkOperation.running(token)
      return lifeline === undefined
        ? refuseToken(token)
        : SdkOperation.next(lifeline, () => SdkOperation.end(lifeline, Exit.fail(error)))
    },
    // The SDK takes what this throws for a failure of the attempt, and retries: it throws nothing.
    recordSuccess: (token) => {
      const lifeline = SdkOperation.running(token)
      if (lifeline !== undefined) SdkOperation.end(lifeline, Exit.void)
    }
  }
}

const refuseToken = async (token: unknown): Promise<never> =>
  Argument.refuse("SdkRetryStrategy.refreshRetryTokenForRetry", "token", "that of a running attempt", token)

/** Runs the loop of an operation. The loop is the same effect for all of them; the operation is a service of its fiber. */
const running = (policy: Funded, runtime: Runtime.Runtime<never>): ((lifeline: Lifeline) => void) => {
  const loopOf = (bucket: TokenBucket.TokenBucket) =>
    Effect.catchAllCause(
      Retry.retry(SdkOperation.attempt, { ...policy, bucket: SdkOperation.notingDelays(bucket) }),
      SdkOperation.stopped
    )
  const plain = loopOf(policy.bucket)
  const polling = loopOf(AwsQuota.longPolling(policy.bucket))
  const options = { scheduler: makeScheduler() }
  return (lifeline) => {
    const context = SdkOperation.contextOf(lifeline, runtime.context)
    const fiber = Runtime.runFork(Runtime.make({ ...runtime, context }), lifeline.isLongPoll ? polling : plain, options)
    SdkOperation.tie(lifeline, fiber)
  }
}

/**
 * The runtime of operations: not part of a span that ended long ago, interruptible wherever the strategy was made, and
 * left out of the metric of active fibers, where the operations that the SDK abandons would stay.
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

/**
 * Runs a task at once, and a task that another one starts after that one: what is settled by a callback of the SDK is
 * settled when the callback returns.
 */
const makeScheduler = (): Scheduler.Scheduler => {
  const tasks: Array<() => void> = []
  let isRunning = false
  return {
    shouldYield: Scheduler.defaultShouldYield,
    scheduleTask: (task) => {
      if (isRunning) return void tasks.push(task)
      isRunning = true
      try {
        for (let next: (() => void) | undefined = task; next !== undefined; next = tasks.shift()) next()
      } finally {
        isRunning = false
      }
    }
  }
}
