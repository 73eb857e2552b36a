import { exchange } from "./http-scripted.ts"
import type { Answer } from "./http-scripted.ts"
import { SeededRandom } from "@effect-retry/testing"
import { Duration, Effect } from "effect"
// #region deadline
import { AttemptTimeout, Deadline } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"

const bounded = HttpRetry.withRetry({
  attemptHeaders: HttpRetry.attemptNumber(),
  attemptTimeout: AttemptTimeout.constant("2 seconds"),
  deadline: Deadline.refuse("3 seconds")
})
// #endregion

const hanging: Answer = () => Effect.never

/** The second attempt has what the deadline leaves of it. */
export const program = Effect.gen(function* () {
  const { outcome, requests, sent } = yield* exchange([hanging], (client) =>
    Effect.timed(Effect.flip(bounded(client).get("https://api.example/")))
  )
  const [took, error] = outcome as readonly [Duration.Duration, { readonly _tag: string; readonly cause: unknown }]
  return {
    sent,
    headers: requests.map(({ headers }) => headers["x-retry-attempt"]),
    took: Duration.format(took),
    failedWith: error._tag,
    cause: String(error.cause)
  }
}).pipe(Effect.provide(SeededRandom.layerConstant(0.5)))

export const expected = {
  sent: [0, 2050],
  headers: ["1", "2"],
  took: "3s",
  failedWith: "RequestError",
  cause: "AttemptTimedOut: attempt 2 was stopped after 950ms by the deadline of 3s"
}
