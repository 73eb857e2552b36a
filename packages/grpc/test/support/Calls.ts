/**
 * Calls that fail as those of a gRPC client do, and service configs for them.
 */
import { ServiceConfig, StatusCode } from "@effect-retry/grpc"
import { Scripted } from "@effect-retry/testing"
import { Data, Effect } from "effect"

export class CallFailed extends Data.TaggedError("CallFailed")<{
  readonly code: number
  readonly metadata?: { readonly [name: string]: unknown }
  readonly progress?: string
}> {}

/** A failure with a code, and with a pushback if one is given. */
export const failure = (code: StatusCode.StatusCode, pushback?: unknown): CallFailed =>
  new CallFailed({
    code: StatusCode.toNumber(code),
    ...(pushback !== undefined && { metadata: { "grpc-retry-pushback-ms": pushback } })
  })

export const unavailable = (pushback?: unknown): CallFailed => failure("UNAVAILABLE", pushback)

/** The path of a method of the service that `configOf` names. */
export const method = "/library.v1.Library/ListBooks"

type Json = ServiceConfig.Json
type MethodConfig = NonNullable<Json["methodConfig"]>[number]

/** A config of one service. */
export const configOf = (
  fields: Omit<MethodConfig, "name">,
  retryThrottling?: Json["retryThrottling"]
): ServiceConfig.ServiceConfig =>
  ServiceConfig.make({ methodConfig: [{ name: [{ service: "library.v1.Library" }], ...fields }], retryThrottling })

export const retryPolicy = {
  maxAttempts: 4,
  initialBackoff: "0.01s",
  maxBackoff: "0.01s",
  backoffMultiplier: 1,
  retryableStatusCodes: ["UNAVAILABLE"]
} satisfies MethodConfig["retryPolicy"]

/** A server that succeeds at the calls with these numbers, from 0, and fails at all others with the code of `failing`. */
export const server = (
  succeedsAt: ReadonlyArray<number>,
  failing: (call: number) => StatusCode.StatusCode = () => "UNAVAILABLE"
) => {
  let next = 0
  return {
    call: Effect.suspend(() => {
      const number = next++
      return succeedsAt.includes(number) ? Effect.succeed(number) : Effect.fail(failure(failing(number)))
    }),
    latest: () => next - 1
  }
}

/** A service that fails with these errors, one after the other. */
export const failing = (errors: ReadonlyArray<CallFailed>) => Scripted.make(errors.map((error) => Scripted.fail(error)))
