// #region decide
import { StorageChoices, StorageIdempotency } from "@effect-retry/google"

const { decide, format, standard } = StorageIdempotency
const insert = { operation: "objects.insert" } as const

const decisions = [
  decide(standard, insert),
  decide(standard, { ...insert, preconditions: ["ifGenerationMatch"] }),
  decide(StorageChoices.python, insert),
  decide(StorageIdempotency.never, insert)
].map(format)
// #endregion

import { Effect } from "effect"

export const program = Effect.succeed(decisions.join("\n"))

export const expected = [
  "not retried: objects.insert without ifGenerationMatch",
  "retried: objects.insert with ifGenerationMatch",
  "retried: objects.insert may always be repeated",
  "not retried: the strategy is to retry never"
].join("\n")
