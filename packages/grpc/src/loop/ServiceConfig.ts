/**
 * gRPC's service config: which methods are retried, how, and under which throttle.
 *
 * A config is plain data. It comes from JSON, which is checked as gRPC's specification asks; `GrpcRetry` applies it.
 *
 * @example
 * ```ts
 * import { ServiceConfig } from "@effect-retry/grpc"
 * import { Option } from "effect"
 * import * as assert from "node:assert"
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
 *     },
 *     { name: [{ service: "library.v1.Library", method: "Borrow" }] }
 *   ]
 * })
 * const attempts = (method: string) =>
 *   Option.map(ServiceConfig.methodConfig(config, method), (found) => found.retryPolicy?.maxAttempts ?? 1)
 *
 * assert.deepStrictEqual(attempts("/library.v1.Library/ListBooks"), Option.some(4))
 * assert.deepStrictEqual(attempts("/library.v1.Library/Borrow"), Option.some(1))
 * assert.deepStrictEqual(attempts("/other.Service/Get"), Option.none())
 * ```
 */
import { InvalidArgument } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import { dual, type Given } from "@effect-retry/core/unstable/Dual"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { index, split } from "../accept/ServiceConfigNames.ts"
import type { MethodConfig, ServiceConfig } from "../accept/ServiceConfigShape.ts"
import * as Schema from "./ServiceConfigSchema.ts"

export type {
  HedgingPolicy,
  MethodConfig,
  Name,
  RetryPolicy,
  RetryThrottling,
  ServiceConfig
} from "../accept/ServiceConfigShape.ts"
export type { Json } from "./ServiceConfigSchema.ts"

/**
 * Makes a config written in the program. Throws an `InvalidArgument` with path, range and value of the first mistake;
 * duplicate names are refused.
 *
 * @category constructors
 */
export const make = (config: Schema.Json): ServiceConfig => Schema.decode("ServiceConfig.make", config)

/**
 * Reads a config from parsed JSON. Fails where `make` throws: a config with a mistake is refused as a whole, as gRPC asks.
 *
 * Fields that are not about retries are ignored.
 *
 * @category conversions
 */
export const decode = (json: unknown): Effect.Effect<ServiceConfig, InvalidArgument.InvalidArgument> =>
  refusing(() => Schema.decode("ServiceConfig.decode", json))

/**
 * Reads a config from a JSON text. Fails if the text is not JSON, and where `decode` fails.
 *
 * @category conversions
 */
export const parse = (text: string): Effect.Effect<ServiceConfig, InvalidArgument.InvalidArgument> =>
  refusing(() => Schema.decode("ServiceConfig.parse", jsonOf(text)))

const jsonOf = (text: unknown): unknown => {
  const refused = (value: unknown) => Argument.refuse("ServiceConfig.parse", "text", "JSON", value)
  if (typeof text !== "string") return refused(text)
  try {
    return JSON.parse(text)
  } catch {
    return refused(`${text.length} characters`)
  }
}

/** An effect that fails with the `InvalidArgument` that is thrown. */
const refusing = <A>(read: () => A): Effect.Effect<A, InvalidArgument.InvalidArgument> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(read())
    } catch (error) {
      if (error instanceof InvalidArgument.InvalidArgument) return Effect.fail(error)
      throw error
    }
  })

const finding = "ServiceConfig.methodConfig"

/**
 * The config of a method, given by its path, `/package.Service/Method`: the one that names the method, else the one for its
 * service, else the one for all services.
 *
 * Source: https://github.com/grpc/grpc-proto/blob/master/grpc/service_config/service_config.proto, `MethodConfig.name`.
 *
 * @category destructors
 */
export function methodConfig(method: string): (self: ServiceConfig) => Option.Option<MethodConfig>
export function methodConfig(self: ServiceConfig, method: string): Option.Option<MethodConfig>
export function methodConfig(...given: Given): any {
  // A config given alone is not a method: it is refused here, not when the result is called.
  if (given.length < 2) split(finding, given[0])
  return dual(given, (self: ServiceConfig, method: string) =>
    Option.fromNullable(index(Schema.check(finding, self))(finding, method))
  )
}
