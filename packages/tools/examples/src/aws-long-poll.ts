// #region poll
import { AwsQuota, AwsRetry } from "@effect-retry/aws"
import { Effect } from "effect"

/** For `ReceiveMessage`: if the quota is empty, waits once as a retry would have, and then fails. */
const ofPolls = Effect.map(AwsQuota.standard, (quota) => ({
  ...AwsRetry.standard,
  bucket: AwsQuota.longPolling(quota)
}))
// #endregion

import { Retry, TokenBucket } from "@effect-retry/core"
import { SeededRandom } from "@effect-retry/testing"
import { Clock } from "effect"

const throttled = Effect.fail({ name: "ThrottlingException", status: 400 })

export const program = Effect.gen(function* () {
  const polls = yield* ofPolls
  const empty = AwsQuota.longPolling(yield* TokenBucket.quota({ capacity: 5 }))
  yield* Effect.ignore(Retry.retry(throttled, { ...polls, bucket: empty }))
  return yield* Clock.currentTimeMillis
}).pipe(Effect.provide(SeededRandom.layerConstant(0.5)))

/** Half of 1 second before the retry that the quota paid for, then half of 2 seconds. */
export const expected = 1500
