import { SeededRandom } from "@effect-retry/testing"
import { Effect } from "effect"
import { timeline } from "../scripted.ts"
// #region policy
import { Backoff, Classifier, Hint, Jitter, Retry, Verdict } from "@effect-retry/core"
import { Data, type Duration } from "effect"

class HttpError extends Data.TaggedError("HttpError")<{
  readonly status: number
  readonly retryAfter?: Duration.DurationInput
}> {}

const byStatus = ({ status }: HttpError) =>
  status === 429 ? Verdict.throttling : status >= 500 ? Verdict.server : Verdict.terminal(`status ${status}`)

const webCall = {
  classifier: Classifier.withHint(byStatus, ({ retryAfter }) => retryAfter),
  maxAttempts: 4,
  backoff: Backoff.exponential({ base: "250 millis" }).pipe(Backoff.capped("8 seconds"), Backoff.jittered(Jitter.full)),
  hint: Hint.floor({ jitterRatio: 0.1, atMost: "30 seconds", otherwise: "giveUp" })
}
// #endregion

const under = (...failures: readonly [HttpError, ...ReadonlyArray<HttpError>]) => {
  const [first, ...others] = failures
  return timeline([Effect.fail(first), ...others.map(Effect.fail), Effect.succeed("page")], Retry.retry(webCall))
}

export const program = Effect.all({
  hinted: under(new HttpError({ status: 500 }), new HttpError({ status: 429, retryAfter: "10 seconds" })),
  hostile: under(new HttpError({ status: 429, retryAfter: "-1 seconds" })),
  tooLong: under(new HttpError({ status: 429, retryAfter: "1 hour" })),
  notFound: under(new HttpError({ status: 404 }))
}).pipe(Effect.provide(SeededRandom.layerConstant(0.5)))

export const expected = {
  hinted: { calls: [0, 125, 10_625], outcome: "page" },
  hostile: { calls: [0, 125], outcome: "page" },
  tooLong: { calls: [0], outcome: new HttpError({ status: 429, retryAfter: "1 hour" }) },
  notFound: { calls: [0], outcome: new HttpError({ status: 404 }) }
}
