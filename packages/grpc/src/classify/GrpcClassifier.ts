/**
 * Classifies failed calls by status code and the server's pushback.
 *
 * Second stage of the flow. The caller knows which codes of a method are retryable.
 *
 * @example
 * ```ts
 * import { Backoff, Retry } from "@effect-retry/core"
 * import { GrpcClassifier } from "@effect-retry/grpc"
 * import { Data, Effect } from "effect"
 * import * as assert from "node:assert"
 *
 * class Failed extends Data.TaggedError("Failed")<{ code: string }> {}
 *
 * const failures = [new Failed({ code: "UNAVAILABLE" }), new Failed({ code: "NOT_FOUND" })]
 * const call = Effect.suspend(() => Effect.fail(failures.shift() ?? new Failed({ code: "OK" })))
 * const policy = {
 *   classifier: GrpcClassifier.make({ codes: ["UNAVAILABLE"] }),
 *   maxAttempts: 5,
 *   backoff: Backoff.constant({ delay: "1 milli" })
 * }
 *
 * Effect.runPromise(Effect.flip(Retry.retry(call, policy))).then(({ code }) => assert.strictEqual(code, "NOT_FOUND"))
 * ```
 */
import type { Classifier } from "@effect-retry/core"
import * as Status from "./Status.ts"
import type { Options } from "./StatusVerdict.ts"
import * as StatusVerdict from "./StatusVerdict.ts"

export type { Options, ServerDelay } from "./StatusVerdict.ts"

/**
 * Judges errors by their code: a `code` that is a number or a name, as errors of `@grpc/grpc-js` and tagged errors
 * have, or the code of a cause. Has no opinion on an error without one. The pushback becomes the hint, and is likewise
 * read from the first of the error and its causes that has one. Throws an `InvalidArgument` for an option that its type
 * cannot exclude.
 *
 * Source: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Pushback".
 *
 * @category constructors
 */
export const make = (options: Options): Classifier.Classifier => {
  const rules = StatusVerdict.rules("GrpcClassifier.make", options)
  return (error: unknown) => StatusVerdict.judge(rules, Status.first(Status.chain(error)))
}
