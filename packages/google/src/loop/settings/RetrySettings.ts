/**
 * `RetrySettings` of Google's Java client libraries: nine settings, the table of attempts that they lead to, and the
 * equivalent policy.
 *
 * The algorithm counts in whole milliseconds at every step. Delays are capped at `maxRetryDelay` and drawn below that bound;
 * attempt timeouts grow up to `maxRpcTimeout` and are clipped to what is left of `totalTimeout`; an attempt that would
 * not start before `totalTimeout` has passed is not made.
 *
 * @example
 * ```ts
 * import { RetrySettings } from "@effect-retry/google"
 * import { Retry } from "@effect-retry/core"
 * import { Data, Effect } from "effect"
 * import * as assert from "node:assert"
 *
 * class Failed extends Data.TaggedError("Failed")<{ code: string }> {}
 *
 * const settings = RetrySettings.make({
 *   ...RetrySettings.logicalTimeout("5 seconds"),
 *   initialRetryDelay: "200 millis",
 *   retryDelayMultiplier: 2,
 *   maxRetryDelay: "500 millis"
 * })
 * const table = RetrySettings.table(settings, { attemptsTake: "1 second" })
 * assert.strictEqual(RetrySettings.toText(table).split("\n")[2], "      2         3800    200     1200   2200")
 *
 * const failures = [new Failed({ code: "UNAVAILABLE" })]
 * const call = Effect.suspend(() => failures.shift() ?? Effect.succeed("done"))
 * const policy = RetrySettings.toPolicy(settings, { codes: ["UNAVAILABLE"] })
 *
 * Effect.runPromise(Retry.retry(call, policy)).then((answer) => assert.strictEqual(answer, "done"))
 * ```
 */
export { type Fields, logicalTimeout, make, merge, type RetrySettings } from "../../accept/RetrySettingsRecord.ts"
export { type AttemptTable, type Options, type RefusedRow, type Row, table } from "../../decide/AttemptTable.ts"
export { toText } from "../../decide/AttemptTableText.ts"
export { type Codes, type Compiled, type Judge, toPolicy } from "./RetrySettingsPolicy.ts"
