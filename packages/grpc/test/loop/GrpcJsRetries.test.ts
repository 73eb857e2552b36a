/**
 * The retries and hedges of `@grpc/grpc-js` itself, as it reads a service config.
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Cases from "../support/Cases.ts"
import * as Refusals from "../support/Refusals.ts"
import * as Runs from "../support/Runs.ts"

const run = (given: Cases.Case) =>
  Runs.run(given, {
    "grpc.service_config": JSON.stringify(given.config),
    ...(given.maxAttemptsLimit === undefined ? {} : { "grpc-node.retry_max_attempts_limit": given.maxAttemptsLimit }),
    ...(given.bufferBytes === undefined ? {} : { "grpc.per_rpc_retry_buffer_size": given.bufferBytes })
  })

const expected = ({ grpcJs, seen }: Cases.Case): Cases.Seen => grpcJs?.seen ?? seen

describe("@grpc/grpc-js", () => {
  it.scopedLive.each(Runs.rows(Cases.cases))("%s", ([, given]) =>
    Effect.map(run(given), (seen) => expect(seen).toEqual(expected(given)))
  )

  it.scopedLive("sends no refused stream again when retries are off", () => {
    const { refused, ok } = Cases
    const given = { config: {}, answer: Cases.answers(refused, ok), serve: Refusals.serve }
    return Effect.map(Runs.run(given, { "grpc.enable_retries": 0 }), (seen) =>
      expect(seen).toEqual({ calls: [["UNAVAILABLE", undefined]], attempts: "-" })
    )
  })

  it.scopedLive.each(Runs.rows(Cases.deadlines(0)))("%s", ([name, given]) =>
    Effect.map(Runs.runUnderDeadline(name, run, expected(given)), (seen) => expect(seen).toEqual(expected(given)))
  )
})
