/**
 * The retries and hedges of `@grpc/grpc-js` itself, as it reads a service config.
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as GrpcCases from "../support/GrpcCases.ts"
import * as GrpcRefusals from "../support/GrpcRefusals.ts"
import * as GrpcRuns from "../support/GrpcRuns.ts"

const run = (given: GrpcCases.Case) =>
  GrpcRuns.run(given, {
    "grpc.service_config": JSON.stringify(given.config),
    ...(given.maxAttemptsLimit === undefined ? {} : { "grpc-node.retry_max_attempts_limit": given.maxAttemptsLimit }),
    ...(given.bufferBytes === undefined ? {} : { "grpc.per_rpc_retry_buffer_size": given.bufferBytes })
  })

const expected = ({ grpcJs, seen }: GrpcCases.Case): GrpcCases.Seen => grpcJs?.seen ?? seen

describe("@grpc/grpc-js", () => {
  it.scopedLive.each(GrpcRuns.rows(GrpcCases.cases))("%s", ([, given]) =>
    Effect.map(run(given), (seen) => expect(seen).toEqual(expected(given)))
  )

  it.scopedLive("sends no refused stream again where retries are off", () => {
    const { refused, ok } = GrpcCases
    const given = { config: {}, answer: GrpcCases.answers(refused, ok), serve: GrpcRefusals.serve }
    return Effect.map(GrpcRuns.run(given, { "grpc.enable_retries": 0 }), (seen) =>
      expect(seen).toEqual({ calls: [["UNAVAILABLE", undefined]], attempts: "-" })
    )
  })

  it.scopedLive.each(GrpcRuns.rows(GrpcCases.deadlines(0)))("%s", ([name, given]) =>
    Effect.map(GrpcRuns.runUnderDeadline(name, run, expected(given)), (seen) => expect(seen).toEqual(expected(given)))
  )
})
