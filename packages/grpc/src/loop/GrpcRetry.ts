/**
 * Makes calls as gRPC's service config says: retries, hedges, and the throttle that all calls to a server name share.
 *
 * Works with any effect whose errors have a `code`, like those of `@grpc/grpc-js`, and `metadata` for the server's
 * pushback. Do not also give a service config with policies to the gRPC client itself, or attempts multiply; in
 * `@grpc/grpc-js` the option `"grpc.enable_retries": 0` prevents that, and turns off its transparent retries as well.
 *
 * @example
 * ```ts
 * import { GrpcRetry, ServiceConfig } from "@effect-retry/grpc"
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
import { Retry } from "@effect-retry/core"
import type { TokenBucket } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { previousAttempts } from "../accept/AttemptMetadata.ts"
import type { Index } from "../accept/ServiceConfigNames.ts"
import { index } from "../accept/ServiceConfigNames.ts"
import type { ServiceConfig } from "../accept/ServiceConfigShape.ts"
import { counts } from "../classify/CallVerdict.ts"
import * as Throttle from "../fund/Throttle.ts"
import type { Client, Options, Policy } from "./GrpcRetryPolicy.ts"
import { client, hedgingOf, policyOf } from "./GrpcRetryPolicy.ts"
import * as Transparent from "./Transparent.ts"
import * as Hedging from "./Hedging.ts"
import { check } from "./ServiceConfigSchema.ts"

export { backoff } from "../decide/GrpcBackoff.ts"
export type { Progress, ProgressOf } from "../classify/CallVerdict.ts"
export type { Options, Policy } from "./GrpcRetryPolicy.ts"

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
   * The function receives the number of the attempt, from 1. Calls that did not reach the server's application are
   * repeated within the attempt, if `progress` reports that.
   */
  readonly call: <A, E, R>(
    method: string,
    attempt: (number: number) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
  /**
   * The retry policy of a method, for `Retry.retry`, `Retry.orStopped` and changes by spread; one attempt if the config
   * has none. Its attempts can read their number from `Retry.CurrentAttempt`. Makes no transparent retries.
   */
  readonly policy: (method: string) => Policy
  /** The hedging policy of a method for `Hedging.run`, if the config has one. */
  readonly hedging: (method: string) => Option.Option<Hedging.Policy>
  /** The throttle, if there is one. */
  readonly bucket: Option.Option<TokenBucket.TokenBucket>
}

/**
 * Applies a service config. Make one for each server name, because the throttle is made here and shared by all methods.
 *
 * Throws an `InvalidArgument` for a config or an option with a value that its type cannot exclude.
 *
 * @category constructors
 */
export const make = (config: ServiceConfig, options: Options = {}): Effect.Effect<GrpcRetry> => {
  const owner = "GrpcRetry.make"
  const checked = check(owner, config)
  const given = client(owner, options)
  const find = index(checked)
  const { retryThrottling } = checked
  return given.bucket !== undefined || retryThrottling === undefined
    ? Effect.succeed(acting(find, given))
    : Effect.map(Throttle.make({ ...retryThrottling, counts }), (bucket) => acting(find, { ...given, bucket }))
}

const acting = (find: Index, client: Client): GrpcRetry => ({
  call: (method, attempt) => call(find, client, method, attempt),
  policy: (method) => policyOf(client, method, find("GrpcRetry.policy", method)),
  hedging: (method) => Option.fromNullable(hedgingOf(client, method, find("GrpcRetry.hedging", method))),
  bucket: Option.fromNullable(client.bucket)
})

const call = <A, E, R>(
  find: Index,
  client: Client,
  method: string,
  attempt: (number: number) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  const owner = "GrpcRetry.call"
  const config = find(owner, method)
  if (!Predicate.isFunction(attempt)) Argument.refuse(owner, "attempt", "a function from number to effect", attempt)
  const hedging = hedgingOf(client, method, config)
  const { attempt: _, ...policy } = policyOf(client, method, config)
  const withinMillis = config?.timeout === undefined ? Infinity : Duration.toMillis(config.timeout)
  return Effect.flatMap(Transparent.make(client.progressOf, withinMillis), (transparently) => {
    const send = (number: number) => transparently(Effect.suspend(() => attempt(number)))
    if (hedging !== undefined) return Hedging.run(send, hedging)
    let number = 0
    return Retry.retry(
      Effect.suspend(() => send(++number)),
      policy
    )
  })
}

/**
 * The metadata of an attempt with this number: `grpc-previous-rpc-attempts`; empty for the first attempt.
 *
 * Source: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Exposed Retry Metadata".
 *
 * @category constructors
 */
export const attemptHeaders = (number: number): { readonly [name: string]: string } => {
  const previous = Argument.number("GrpcRetry.attemptHeaders", "number", number, { min: 1, integer: true }) - 1
  return previous === 0 ? {} : { [previousAttempts]: String(previous) }
}
