import { Effect } from "effect"
// #region tables
import { AwsClassifier, AwsRetry, ErrorTable } from "@effect-retry/aws"
import { Classifier } from "@effect-retry/core"

const { standard } = ErrorTable

/** No retry when a quota of the account is used up; 429 is a throttle even without a code. */
const table = {
  ...ErrorTable.without(standard, ["LimitExceededException"]),
  statuses: { ...standard.statuses, 429: "Throttling" as const }
}

const policy = { ...AwsRetry.standard, classifier: AwsClassifier.fromTable(table) }
// #endregion

const moment: Classifier.Moment = { nowMillis: 0, attempt: 1, elapsed: Duration.zero }
const verdicts = [
  { name: "LimitExceededException", status: 400 },
  { name: "TooMany", status: 429 },
  { name: "SlowDown", status: 503 }
].map((error) => policy.classifier(error, moment)._tag)

import { Duration } from "effect"

export const program = Effect.succeed(verdicts)

export const expected = ["Terminal", "Retryable", "Retryable"]
