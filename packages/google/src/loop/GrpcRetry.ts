/**
 * Calls as gRPC's service config says: retries, hedges, and the throttle that all calls to a server name share.
 *
 * Works around any effect that fails with an error with a `code`, as those of `@grpc/grpc-js` have, and `metadata` for the
 * server's pushback. Turn the retries of the gRPC client itself off (`grpc.enable_retries: 0`), or attempts multiply.
 *
 * @example
 * ```ts
 * import { GrpcRetry, ServiceConfig } from "@effect-retry/google"
 * import { Effect } from "effect"
 * import * as assert from "node:assert"
 *
 * const config = ServiceConfig.make({
 *   methodConfig: [
 *     {
 *       name: [{ service: "library.v1.Library" }],
 *       retryPolicy: {
 *         maxAttempts: 4,
 *         initialBackoff: "0.01s",
 *         maxBackoff: "1s",
 *         backoffMultiplier: 2,
 *         retryableStatusCodes: ["UNAVAILABLE"]
 *       }
 *     }
 *   ],
 *   retryThrottling: { maxTokens: 10, tokenRatio: 0.1 }
 * })
 *
 * const sent: Array<object> = []
 * const listBooks = (attempt: number) =>
 *   Effect.suspend(() => {
 *     sent.push(GrpcRetry.attemptHeaders(attempt))
 *     return attempt < 3 ? Effect.fail({ code: 14 }) : Effect.succeed("books")
 *   })
 * const program = Effect.gen(function* () {
 *   const grpc = yield* GrpcRetry.make(config)
 *   return yield* grpc.call("/library.v1.Library/ListBooks", listBooks)
 * })
 *
 * Effect.runPromise(program).then((books) => {
 *   assert.strictEqual(books, "books")
 *   assert.deepStrictEqual(sent, [
 *     {},
 *     { "grpc-previous-rpc-attempts": "1" },
 *     { "grpc-previous-rpc-attempts": "2" }
 *   ])
 * })
 * ```
 */
import { Backoff, Deadline, Hint, Retry, RetryBucket } from "@effect-retry/core"
import type { Classifier, Jitter, Observe, TokenBucket } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/Argument"
import { longestMillis, longestTimerMillis } from "@effect-retry/core/Millis"
import { Duration, Effect, Option, Predicate } from "effect"
import { index } from "../accept/ServiceConfigNames.ts"
import type { HedgingPolicy, MethodConfig, ServiceConfig } from "../accept/ServiceConfigShape.ts"
import { backoff } from "../decide/GrpcBackoff.ts"
import type { ProgressOf } from "../decide/GrpcVerdict.ts"
import * as GrpcVerdict from "../decide/GrpcVerdict.ts"
import * as Transparent from "./GrpcTransparent.ts"
import * as Hedging from "./Hedging.ts"
import { check } from "./ServiceConfigSchema.ts"

export { backoff } from "../decide/GrpcBackoff.ts"
export type { Progress, ProgressOf } from "../decide/GrpcVerdict.ts"

/**
 * How the client acts on a service config.
 *
 * @category models
 */
export interface Options {
  /**
   * Most attempts of a call, whatever the config says. A number below 2 stands for the default, as in gRPC for Go.
   *
   * Source: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Limits on Retries and Hedges".
   * @default 5
   */
  readonly maxAttemptsCap?: number | undefined
  /** `Jitter.full` is what older clients draw. @default 20 % either way */
  readonly jitter?: Jitter.Jitter | undefined
  /** Tells from an error how far the call came. @default "Processed" */
  readonly progress?: ProgressOf | undefined
  /** In place of the throttle of the config: one that several processes share, or one that outlives a change of config. */
  readonly bucket?: TokenBucket.TokenBucket | undefined
  /** Called with every event of every call; the name of a call is its method. @default none */
  readonly observe?: ReadonlyArray<Observe.Observer> | undefined
}

/**
 * The calls to one server name.
 *
 * A method is given by its path, `/package.Service/Method`; any other text throws an `InvalidArgument`.
 *
 * @category models
 */
export interface GrpcRetry {
  /**
   * Makes a call as the config says for its method: once, with retries, or with hedges.
   *
   * The effect is given the number of the attempt, from 1. Attempts that did not reach the server's application are
   * repeated within it where `progress` tells so.
   */
  readonly call: <A, E, R>(
    method: string,
    attempt: (number: number) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
  /**
   * The retry policy of a method for `Retry.retry`, `Retry.orStopped` and for changes by spread; one attempt where the
   * config has none. Its attempts can read their number from `Retry.CurrentAttempt`. Makes no transparent retries.
   */
  readonly policy: (method: string) => Policy
  /** The hedging policy of a method for `Hedging.run`, where the config has one. */
  readonly hedging: (method: string) => Option.Option<Hedging.Policy>
  /** The throttle, where there is one. */
  readonly bucket: Option.Option<TokenBucket.TokenBucket>
}

/**
 * A core policy with gRPC's rules.
 *
 * Its deadline is the `timeout` of the method: no attempt starts after it, and one that runs goes on. Bound the call
 * itself by a deadline of the gRPC client, or by `Deadline.cut`.
 *
 * @category models
 */
export interface Policy {
  readonly name: string
  readonly observe: ReadonlyArray<Observe.Observer>
  readonly attempt: typeof Retry.CurrentAttempt
  readonly classifier: Classifier.Classifier
  readonly maxAttempts: number
  readonly backoff: Backoff.Backoff
  readonly hint: Hint.Hint
  readonly deadline: Deadline.Deadline | undefined
  readonly bucket: TokenBucket.TokenBucket | undefined
}

/**
 * Acts on a service config: one for each server name, since the throttle is made here and shared by all methods.
 *
 * Throws an `InvalidArgument` for a config or an option with a value that its type cannot exclude.
 *
 * @category constructors
 */
export const make = (config: ServiceConfig, options: Options = {}): Effect.Effect<GrpcRetry> => {
  const owner = "GrpcRetry.make"
  const checked = check(owner, config)
  const throttling = checked.retryThrottling
  const acting = actingOn(owner, checked, options)
  const bucket =
    options.bucket === undefined && throttling !== undefined
      ? RetryBucket.grpcThrottle({ ...throttling, counts: GrpcVerdict.counts })
      : Effect.succeed(options.bucket)
  return Effect.map(bucket, (bucket) => ({
    call: (method, attempt) => call(acting, bucket, method, attempt),
    policy: (method) => policyOf(acting, bucket, method, acting.find("GrpcRetry.policy", method)),
    hedging: (method) =>
      Option.map(Option.fromNullable(acting.find("GrpcRetry.hedging", method)?.hedgingPolicy), (policy) =>
        hedgingOf(acting, bucket, method, policy, acting.find("GrpcRetry.hedging", method)?.timeout)
      ),
    bucket: Option.fromNullable(bucket)
  }))
}

/**
 * The metadata of an attempt, by its number: `grpc-previous-rpc-attempts`, and nothing for the first one.
 *
 * Source: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Exposed Retry Metadata".
 *
 * @category constructors
 */
export const attemptHeaders = (number: number): { readonly [name: string]: string } => {
  const previous = Argument.number("GrpcRetry.attemptHeaders", "number", number, { min: 1, integer: true }) - 1
  return previous === 0 ? {} : { "grpc-previous-rpc-attempts": String(previous) }
}

/** A config and options, checked. */
interface Acting {
  readonly find: ReturnType<typeof index>
  readonly cap: number
  readonly progressOf: ProgressOf
  readonly jitter: Jitter.Jitter | undefined
  readonly observe: ReadonlyArray<Observe.Observer>
}

const actingOn = (owner: string, config: ServiceConfig, options: Options): Acting => {
  const { bucket, jitter, progress = () => "Processed" as const } = options
  const observe: ReadonlyArray<Observe.Observer> = options.observe ?? []
  if (jitter !== undefined && !Predicate.hasProperty(jitter, "draw"))
    Argument.refuse(owner, "jitter", "a jitter", jitter)
  if (!Predicate.isFunction(progress)) {
    Argument.refuse(owner, "progress", "a function from error to progress", progress)
  }
  if (!Array.isArray(observe) || !observe.every((observer) => Predicate.isFunction(observer))) {
    Argument.refuse(owner, "observe", "an array of observers", observe)
  }
  if (bucket !== undefined && !Predicate.hasProperty(bucket, "acquire")) {
    Argument.refuse(owner, "bucket", "a TokenBucket", bucket)
  }
  return {
    find: index(config),
    cap: capOf(owner, options.maxAttemptsCap),
    progressOf: progress,
    jitter,
    observe: [...observe]
  }
}

type Bucket = TokenBucket.TokenBucket | undefined

/** Source: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Limits on Retries and Hedges". */
const standardCap = 5

const capOf = (owner: string, given: number | undefined): number => {
  if (given === undefined) return standardCap
  if (!Number.isInteger(given)) Argument.refuse(owner, "maxAttemptsCap", "a whole number", given)
  return given < 2 ? standardCap : given
}

/** A pushback has at most 32 bits, and is followed exactly. */
const pushback = /*#__PURE__*/ Hint.override({
  atMost: longestTimerMillis,
  otherwise: "giveUp",
  startsOver: true,
  zero: "atOnce"
})

/** A timeout of no time allows one attempt; one beyond what a deadline can hold is one that never ends. */
const deadlineOf = (timeout: Duration.Duration): Duration.Duration =>
  Duration.clamp(timeout, { minimum: Duration.nanos(1n), maximum: Duration.millis(longestMillis) })

const policyOf = (acting: Acting, bucket: Bucket, name: string, config: MethodConfig | undefined): Policy => {
  const retryPolicy = config?.retryPolicy
  return {
    name,
    observe: acting.observe,
    attempt: Retry.CurrentAttempt,
    classifier: GrpcVerdict.forRetries(retryPolicy?.retryableStatusCodes ?? [], acting.progressOf),
    maxAttempts: Math.min(retryPolicy?.maxAttempts ?? 1, acting.cap),
    backoff: retryPolicy === undefined ? Backoff.fromDelays([]) : backoff(retryPolicy, acting.jitter),
    hint: pushback,
    deadline: config?.timeout === undefined ? undefined : Deadline.refuse(deadlineOf(config.timeout)),
    bucket
  }
}

const hedgingOf = (
  acting: Acting,
  bucket: Bucket,
  name: string,
  policy: HedgingPolicy,
  sendWithin: Duration.Duration | undefined
): Hedging.Policy => ({
  name,
  observe: acting.observe,
  classifier: GrpcVerdict.forHedges(policy.nonFatalStatusCodes, acting.progressOf),
  maxAttempts: Math.min(policy.maxAttempts, acting.cap),
  hedgingDelay: policy.hedgingDelay,
  sendWithin,
  bucket
})

const call = <A, E, R>(
  acting: Acting,
  bucket: Bucket,
  method: string,
  attempt: (number: number) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  const config = acting.find("GrpcRetry.call", method)
  const withinMillis = config?.timeout === undefined ? Infinity : Duration.toMillis(config.timeout)
  const { hedgingPolicy } = config ?? {}
  if (hedgingPolicy !== undefined) {
    const policy = hedgingOf(acting, bucket, method, hedgingPolicy, config?.timeout)
    return Effect.flatMap(Transparent.make(acting.progressOf, withinMillis), (transparently) =>
      Hedging.run((number) => transparently(Effect.suspend(() => attempt(number))), policy)
    )
  }
  const { attempt: _, ...policy } = policyOf(acting, bucket, method, config)
  return Effect.flatMap(Transparent.make(acting.progressOf, withinMillis), (transparently) => {
    let number = 0
    const next = Effect.suspend(() => {
      const current = ++number
      return transparently(Effect.suspend(() => attempt(current)))
    })
    return Retry.retry(next, policy)
  })
}
