/**
 * The client's own retries and those of the interceptor, with one service config and one script of answers.
 */
import { GrpcRetry, ServiceConfig, StatusCode } from "@effect-retry/grpc"
import * as Interceptor from "@effect-retry/grpc/Interceptor"
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import * as Cases from "../support/Cases.ts"
import type * as GrpcClient from "../support/Client.ts"
import * as Runs from "../support/Runs.ts"
import type * as GrpcServer from "../support/Server.ts"

const codes = ["UNAVAILABLE", "ABORTED", "INTERNAL"] as const

const listed = fc.subarray([...codes], { minLength: 1 })

/** Where the client differs from the text is left out; those are rows of `Cases`. */
const answers = (listed: ReadonlyArray<StatusCode.StatusCode>): fc.Arbitrary<ReadonlyArray<GrpcServer.Answer>> => {
  const answer = fc
    .record({
      code: fc.constantFrom<StatusCode.StatusCode>("OK", "NOT_FOUND", ...codes, ...codes),
      pushback: fc.constantFrom([], [], ["0"], ["1"], ["-1"]),
      headers: fc.constantFrom(true, false, false, false, false)
    })
    .map((each) => (listed.includes(each.code) ? each : { ...each, pushback: [] }))
  return fc.array(answer, { minLength: 8, maxLength: 8 })
}

const calls: ReadonlyArray<GrpcClient.Call> = [
  {},
  { kind: "client stream", requests: ["a", "b"] },
  { kind: "server stream" },
  { kind: "both streams", requests: ["a", "b", "c"] }
]

const maxAttempts = fc.integer({ min: 2, max: 6 })

const throttling = fc.record({ maxTokens: fc.integer({ min: 1, max: 6 }), tokenRatio: fc.constantFrom(0.1, 0.5, 1) })

const retries = fc.tuple(listed, maxAttempts, fc.option(throttling, { nil: undefined })).chain(([listed, max, given]) =>
  fc.record({
    config: fc.constant(Cases.retrying({ maxAttempts: max, retryableStatusCodes: listed }, given)),
    answers: answers(listed)
  })
)

const hedges = fc.tuple(listed, maxAttempts).chain(([listed, max]) =>
  fc.record({
    config: fc.constant(Cases.hedging({ maxAttempts: max, nonFatalStatusCodes: listed, hedgingDelay: Cases.unending })),
    answers: answers(listed)
  })
)

describe("Interceptor.make and @grpc/grpc-js", () => {
  it.scopedLive.prop(
    "make the same attempts, and end calls in the same way",
    [fc.oneof(retries, hedges)],
    ([given]) =>
      Effect.gen(function* () {
        const script = { ...given, calls, answer: (index: number) => given.answers[index % given.answers.length] ?? {} }
        const grpc = yield* GrpcRetry.make(yield* ServiceConfig.decode(given.config))
        const interceptor = yield* Interceptor.make(grpc)
        const ours = yield* Runs.run(script, { interceptors: [interceptor] })
        const theirs = yield* Runs.run(script, { "grpc.service_config": JSON.stringify(given.config) })
        expect(ours).toEqual(theirs)
      }),
    { fastCheck: { numRuns: 12 } }
  )
})
