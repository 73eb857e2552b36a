import { answer, exchange } from "./http-scripted.ts"
// #region stopped
import { Retry } from "@effect-retry/core"
import { HttpClassifier, HttpRetry } from "@effect-retry/http"
import type { HttpClient } from "@effect/platform"
import { Effect } from "effect"

const order = (client: HttpClient.HttpClient) =>
  HttpRetry.orStopped(client, HttpRetry.standard)
    .get("https://orders.example/1")
    .pipe(
      Effect.flatMap(({ text }) => text),
      Effect.catchTag("RetryStopped", ({ attempts, error, reason }) =>
        HttpClassifier.isResponse(error)
          ? Effect.map(error.text, (text) => `${error.status} ${text}: ${Retry.format(reason)}, ${attempts} sent`)
          : Effect.succeed(`${error._tag}: ${Retry.format(reason)}`)
      )
    )
// #endregion

const busy = answer(503, {}, "busy")

const ended = (...answers: Parameters<typeof exchange>[0]) =>
  Effect.map(exchange(answers, order), ({ outcome }) => outcome)

export const program = Effect.all([
  ended(busy),
  ended(answer(503, { "retry-after": "120" }, "later")),
  ended(answer(404, {}, "no such order"))
])

// #region expected
export const expected = [
  "503 busy: all attempts spent, 3 sent",
  "503 later: the server asked for 2m, more than the policy waits, 1 sent",
  "no such order"
]
// #endregion
