/**
 * The part of a gRPC service config that is about retries, as data.
 */
import type * as Duration from "effect/Duration"
import type { StatusCode } from "./StatusCode.ts"

/**
 * A service config, as far as it is about retries.
 *
 * Source: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Integration with Service Config", and
 * https://github.com/grpc/grpc-proto/blob/master/grpc/service_config/service_config.proto.
 *
 * @category models
 */
export interface ServiceConfig {
  readonly methodConfig: ReadonlyArray<MethodConfig>
  readonly retryThrottling?: RetryThrottling | undefined
}

/**
 * The config of some methods. It has a retry policy, a hedging policy, or neither.
 *
 * @category models
 */
export interface MethodConfig {
  /** The methods to which it applies. Without names it applies to none. */
  readonly name: ReadonlyArray<Name>
  /** Bounds a call with all of its attempts. */
  readonly timeout?: Duration.Duration | undefined
  readonly retryPolicy?: RetryPolicy | undefined
  readonly hedgingPolicy?: HedgingPolicy | undefined
}

/**
 * One method, all methods of a service (no `method`), or all methods of all services (no `service` either).
 *
 * @category models
 */
export interface Name {
  /** With its package: `google.storage.v2.Storage`. */
  readonly service?: string | undefined
  readonly method?: string | undefined
}

/**
 * How failed calls are retried.
 *
 * @category models
 */
export interface RetryPolicy {
  /** Most attempts in all, the first included: a whole number from 2. */
  readonly maxAttempts: number
  /** The delay before the first retry. Above zero. */
  readonly initialBackoff: Duration.Duration
  /** The longest delay before jitter. Above zero. */
  readonly maxBackoff: Duration.Duration
  /** Above 0. */
  readonly backoffMultiplier: number
  /** At least one code. */
  readonly retryableStatusCodes: ReadonlyArray<StatusCode>
}

/**
 * How further copies of a call are sent without waiting for an answer.
 *
 * @category models
 */
export interface HedgingPolicy {
  /** Most attempts in all, the first included: a whole number from 2. */
  readonly maxAttempts: number
  /** The time between two attempts. Zero sends all of them at once. */
  readonly hedgingDelay: Duration.Duration
  /** After a failure with another code, all other attempts are interrupted. */
  readonly nonFatalStatusCodes: ReadonlyArray<StatusCode>
}

/**
 * The throttle shared by all calls to a server name.
 *
 * @category models
 */
export interface RetryThrottling {
  /** A whole number from 1 to 1000. */
  readonly maxTokens: number
  /** How many tokens a success adds. Decimals beyond the third are cut off; at least 0.001 must remain. */
  readonly tokenRatio: number
}
