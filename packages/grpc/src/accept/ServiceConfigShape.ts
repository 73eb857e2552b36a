/**
 * The part of a gRPC service config that says how calls are retried, as data.
 */
import type * as Duration from "effect/Duration"
import type { StatusCode } from "./StatusCode.ts"

/**
 * A service config, as far as retries are concerned.
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
 * What holds for some methods. A config has a retry policy, a hedging policy, or neither.
 *
 * @category models
 */
export interface MethodConfig {
  /** The methods. A config without names is for none. */
  readonly name: ReadonlyArray<Name>
  /** Bounds a call, with all of its attempts. */
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
 * How failed calls are repeated.
 *
 * @category models
 */
export interface RetryPolicy {
  /** Most attempts in all, the first included: a whole number from 2. */
  readonly maxAttempts: number
  /** Before the first retry. Above zero. */
  readonly initialBackoff: Duration.Duration
  /** Above zero. The jitter is applied after it. */
  readonly maxBackoff: Duration.Duration
  /** Above 0. */
  readonly backoffMultiplier: number
  /** At least one. */
  readonly retryableStatusCodes: ReadonlyArray<StatusCode>
}

/**
 * How copies of a call are sent without waiting for the answer.
 *
 * @category models
 */
export interface HedgingPolicy {
  /** Most attempts in all, the first included: a whole number from 2. */
  readonly maxAttempts: number
  /** Between two attempts. Zero sends all of them at once. */
  readonly hedgingDelay: Duration.Duration
  /** After a failure with another code, all other attempts are interrupted. */
  readonly nonFatalStatusCodes: ReadonlyArray<StatusCode>
}

/**
 * The throttle that all calls to a server name share.
 *
 * @category models
 */
export interface RetryThrottling {
  /** A whole number from 1 to 1000. */
  readonly maxTokens: number
  /** What a success puts in. Decimals beyond the third are cut off; at least 0.001 has to remain. */
  readonly tokenRatio: number
}
