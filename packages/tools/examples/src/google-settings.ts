// #region settings
import { RetrySettings } from "@effect-retry/google"
import { Retry } from "@effect-retry/core"
import { Data, Effect } from "effect"

class ApiError extends Data.TaggedError("ApiError")<{ readonly code: string }> {}

const settings = RetrySettings.make({
  initialRetryDelay: "200 millis",
  retryDelayMultiplier: 2,
  maxRetryDelay: "500 millis",
  initialRpcTimeout: "1500 millis",
  rpcTimeoutMultiplier: 2,
  maxRpcTimeout: "3 seconds",
  totalTimeout: "10 seconds"
})

const retried = <A, R>(call: Effect.Effect<A, ApiError, R>) =>
  Retry.retry(call, RetrySettings.toPolicy(settings, { codes: ["UNAVAILABLE", "DEADLINE_EXCEEDED"] }))
// #endregion

// #region table
const table = RetrySettings.toText(RetrySettings.table(settings))
// #endregion

import { Clock } from "effect"

const failures = [new ApiError({ code: "UNAVAILABLE" }), new ApiError({ code: "ABORTED" })]

const call = Effect.suspend(() => failures.shift() ?? Clock.currentTimeMillis)

/** Another attempt after UNAVAILABLE, and none after ABORTED. */
export const program = Effect.map(Effect.flip(retried(call)), (error) =>
  error._tag === "ApiError" && error.code === "ABORTED" && failures.length === 0 ? table : error
)

export const expected = [
  "attempt  RPC timeout  delay  invoked  ended",
  "      1         1500      0        0   1500",
  "      2         3000    200     1700   4700",
  "      3         3000    400     5100   8100",
  "      4         1400    500     8600  10000",
  "attempt 5 is not made: after a delay of 500 it would start at 10500 (totalTimeout)"
].join("\n")
