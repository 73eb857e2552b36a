/**
 * The retries and hedges of `@grpc/grpc-js` itself, as it reads a service config.
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as GrpcCases from "../support/GrpcCases.ts"
import * as GrpcRuns from "../support/GrpcRuns.ts"

const prepared = (given: GrpcCases.Case) =>
  GrpcRuns.prepare(given, {
    "grpc.service_config": JSON.stringify(given.config),
    ...(given.maxAttemptsLimit === undefined ? {} : { "grpc-node.retry_max_attempts_limit": given.maxAttemptsLimit }),
    ...(given.bufferBytes === undefined ? {} : { "grpc.per_rpc_retry_buffer_size": given.bufferBytes })
  })

const expected = ({ grpcJs, seen }: GrpcCases.Case): GrpcCases.Seen => grpcJs?.seen ?? seen

describe("@grpc/grpc-js", () => {
  it.scopedLive.each(GrpcRuns.rows(GrpcCases.cases))("%s", ([, given]) =>
    Effect.map(Effect.flatten(prepared(given)), (seen) => expect(seen).toEqual(expected(given)))
  )

  it.scopedLive("keeps deadlines", () =>
    Effect.gen(function* () {
      const run = yield* GrpcRuns.prepareAll(GrpcCases.deadlines, prepared)
      const wanted = GrpcCases.deadlines.map((given) => [given.name, expected(given)])
      expect(yield* run).toEqual(Object.fromEntries(wanted))
    })
  )
})
