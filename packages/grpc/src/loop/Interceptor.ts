/**
 * Retries and hedges for clients of `@grpc/grpc-js`, as an interceptor.
 *
 * Calls are made as by `GrpcRetry`: with its policies, its throttle and its observers. All four kinds of calls are
 * retried until their response begins: once its headers have arrived, an attempt is committed, and the caller gets its
 * failure. Until then requests are kept for further attempts, up to a limit.
 *
 * This module imports `@grpc/grpc-js`, and is therefore not in the index of the package.
 *
 * If the client has its own service config:
 * - Put retry and hedging policies either here or there, not in both, or attempts multiply. `"grpc.enable_retries": 0`
 *   turns off the client's own retries, even those of a config that it finds in the DNS, and its transparent ones.
 * - Without that option, the client itself sends an attempt again, once and uncounted, if the server refused the stream
 *   before any code of the application ran. With it, such a refusal is a failure with the code `UNAVAILABLE`.
 *
 * @example
 * ```ts
 * import { GrpcRetry, ServiceConfig } from "@effect-retry/grpc"
 * import * as Interceptor from "@effect-retry/grpc/Interceptor"
 * import { Client, credentials } from "@grpc/grpc-js"
 * import { Effect } from "effect"
 *
 * const config = ServiceConfig.make({
 *   methodConfig: [
 *     {
 *       name: [{ service: "library.v1.Library" }],
 *       retryPolicy: {
 *         maxAttempts: 4,
 *         initialBackoff: "0.1s",
 *         maxBackoff: "1s",
 *         backoffMultiplier: 2,
 *         retryableStatusCodes: ["UNAVAILABLE"]
 *       }
 *     }
 *   ],
 *   retryThrottling: { maxTokens: 10, tokenRatio: 0.1 }
 * })
 *
 * // A generated client takes the same arguments.
 * const library = Effect.gen(function* () {
 *   const grpc = yield* GrpcRetry.make(config)
 *   const interceptor = yield* Interceptor.make(grpc)
 *   return new Client("localhost:50051", credentials.createInsecure(), { interceptors: [interceptor] })
 * })
 *
 * Effect.runPromise(library).then((client) => client.close())
 * ```
 */
import type { InterceptorOptions, Interceptor } from "@grpc/grpc-js"
import { InterceptingCall } from "@grpc/grpc-js"
import { Deadline, Retry, Verdict } from "@effect-retry/core"
import type { Classifier } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as FiberLine from "@effect-retry/core/unstable/FiberLine"
import * as RunnerLine from "@effect-retry/core/unstable/RunnerLine"
import { longestMillis } from "@effect-retry/core/unstable/Millis"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Call from "./InterceptorCall.ts"
import * as Parent from "./InterceptorParent.ts"
import type { GrpcRetry } from "./GrpcRetry.ts"
import * as Hedging from "./Hedging.ts"

/**
 * What an interceptor keeps.
 *
 * @category models
 */
export interface Options {
  /**
   * The most bytes of requests that a call keeps in order to send them again, each with a frame of five bytes. A call
   * with more of them continues with the attempt that has sent most. Replaces the client's
   * `"grpc.per_rpc_retry_buffer_size"`, which interceptors cannot see.
   *
   * Source of the default: https://github.com/grpc/grpc-node/blob/master/packages/grpc-js/src/internal-channel.ts,
   * `DEFAULT_PER_RPC_RETRY_BUFFER_SIZE_BYTES`.
   * @default 1_048_576
   */
  readonly bufferBytes?: number | undefined
}

/**
 * Makes an interceptor that handles every call as the service config says for its method.
 *
 * - The status of a call is that of its last attempt: code, details and trailers.
 * - The deadline of a call bounds all of its attempts, and so does the `timeout` of its method. If it would pass before
 *   the next attempt, the call fails at once with the error of the last one, and not with `DEADLINE_EXCEEDED` later. The
 *   details of that code describe one attempt: they count from its start, not from the start of the call.
 * - A call that is cancelled, by its caller or by its parent call, ends at once, whether in an attempt or in a wait.
 * - `grpc-previous-rpc-attempts` tells server and caller how many attempts came before.
 * - Interceptors before this one see one call, and those after it see each attempt.
 *
 * Clock, random numbers, loggers and tracers come from the effect. Each call through the interceptor runs in its own
 * fiber, which ends with the call. Throws an `InvalidArgument` for a wrong option.
 *
 * @category constructors
 */
export const make = (grpc: GrpcRetry, options: Options = {}): Effect.Effect<Interceptor> => {
  const bufferBytes = check(grpc, options)
  return Effect.map(Effect.all([RunnerLine.runner, Effect.clock]), ([runner, clock]) => {
    return (given, nextCall) => {
      const plan = planOf(grpc, given, clock)
      // Interruptible even if the client is made in an uninterruptible region, such as the acquisition of a resource.
      const start: Call.Start = (send) => RunnerLine.runFork(runner, Effect.interruptible(plan.run(send)))
      return new InterceptingCall(Call.make({ options: plan.options, nextCall, start, bufferBytes }))
    }
  })
}

const standardBufferBytes = 1_048_576

const check = (grpc: GrpcRetry, options: Options): number => {
  const owner = "Interceptor.make"
  if (!Predicate.hasProperty(grpc, "policy") || !Predicate.hasProperty(grpc, "hedging")) {
    return Argument.refuse(owner, "grpc", "a GrpcRetry", grpc)
  }
  if (!Predicate.isRecord(options)) Argument.refuse(owner, "options", "a record", options)
  const { bufferBytes = standardBufferBytes } = options
  return Argument.number(owner, "bufferBytes", bufferBytes, { min: 0 })
}

interface Plan {
  /** The options, with the deadline that bounds the call. */
  readonly options: InterceptorOptions
  readonly run: (send: Call.Send) => ReturnType<Call.Send>
}

const planOf = (grpc: GrpcRetry, given: InterceptorOptions, clock: Clock.Clock): Plan => {
  const { path } = given.method_definition
  const policy = grpc.policy(path)
  const nowMillis = FiberLine.wallMillis(clock)
  const deadlineMillis = Math.min(Parent.deadlineMillis(given), nowMillis + (policy.deadline?.withinMillis ?? Infinity))
  const options = deadlineMillis === Infinity ? given : { ...given, deadline: deadlineMillis }
  const within = leftUntil(deadlineMillis, nowMillis)
  const hedging = Option.getOrUndefined(grpc.hedging(path))
  if (hedging !== undefined) {
    const hedged = { ...hedging, classifier: unlessCommitted(hedging.classifier), sendWithin: within }
    return { options, run: (send) => Hedging.run((number) => send(number - 1), hedged) }
  }
  const classifier = unlessCommitted(policy.classifier)
  const deadline = within === undefined ? undefined : Deadline.refuse(within)
  return {
    options,
    run: (send) =>
      Retry.retry(
        Effect.flatMap(Retry.CurrentAttempt, ({ number }) => send(number - 1)),
        { ...policy, classifier, deadline }
      )
  }
}

/** The time left. If there is none, the call is sent once, and the client enforces the deadline. */
const leftUntil = (deadlineMillis: number, nowMillis: number): number | undefined => {
  const left = deadlineMillis - nowMillis
  return left > longestMillis ? undefined : left > 0 ? left : 0.001
}

const committed = /*#__PURE__*/ Verdict.terminal("the response had begun, or the requests are no longer kept")

const unlessCommitted =
  (classifier: Classifier.Classifier): Classifier.Classifier<Call.Failure> =>
  (failure, moment) =>
    failure.isCommitted ? committed : classifier(failure, moment)
