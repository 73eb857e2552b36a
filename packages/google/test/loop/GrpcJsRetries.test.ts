/**
 * The retries and hedges of `@grpc/grpc-js` itself, as it reads a service config.
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as GrpcCases from "../support/GrpcCases.ts"
import * as GrpcRuns from "../support/GrpcRuns.ts"

describe("@grpc/grpc-js", () => {
  it.scopedLive.each(GrpcCases.cases.map((given) => [given.name, given] as const))("%s", ([, given]) =>
    Effect.map(
      GrpcRuns.run(given, {
        "grpc.service_config": JSON.stringify(given.config),
        ...(given.maxAttemptsLimit === undefined
          ? {}
          : { "grpc-node.retry_max_attempts_limit": given.maxAttemptsLimit }),
        ...(given.bufferBytes === undefined ? {} : { "grpc.per_rpc_retry_buffer_size": given.bufferBytes })
      }),
      (seen) => expect(seen).toEqual(given.grpcJs?.seen ?? given.seen)
    )
  )
})
