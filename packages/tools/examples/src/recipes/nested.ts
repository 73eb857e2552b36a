import { timeline } from "../scripted.ts"
// #region policy
import { Backoff, Classifier, Retry, Verdict } from "@effect-retry/core"
import { Data, Effect } from "effect"

class Unavailable extends Data.TaggedError("Unavailable") {}

const patient = {
  classifier: Classifier.fromTags<Unavailable>({ Unavailable: Verdict.server }),
  maxAttempts: 3,
  backoff: Backoff.constant({ delay: "1 second" })
}

/** A client library retries by itself, unless its caller does. */
const fetchPage = <A, R>(request: Effect.Effect<A, Unavailable, R>) =>
  Retry.retry(request, { ...patient, name: "fetch page", whenNested: "standDown" })

/** A job that fetches a page and is retried as a whole. */
const importPage = <A, R>(request: Effect.Effect<A, Unavailable, R>) =>
  Retry.retry(fetchPage(request), { ...patient, name: "import page" })
// #endregion

const down = Effect.fail(new Unavailable())
const unnamed = <A, R>(request: Effect.Effect<A, Unavailable, R>) => Retry.retry(fetchPage(request), patient)

const callsOf = (operation: (request: typeof down) => Effect.Effect<never, Unavailable>) =>
  Effect.map(timeline([down], operation), ({ calls }) => calls.length)

export const program = Effect.all({
  alone: callsOf(fetchPage),
  inside: callsOf(importPage),
  insideUnnamed: callsOf(unnamed)
})

// #region expected
export const expected = { alone: 3, inside: 3, insideUnnamed: 9 }
// #endregion
