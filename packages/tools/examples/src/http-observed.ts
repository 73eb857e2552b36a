import { exchange, unavailable } from "./http-scripted.ts"
// #region observed
import { type Observe, Retry } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { Effect } from "effect"

const why: Observe.Observer = (event) =>
  event._tag === "GaveUp" ? Effect.log(`${event.attempt} sent, ${Retry.format(event.reason)}`) : Effect.void

const observed = HttpRetry.withRetry({ ...HttpRetry.standard, observe: [why] })
// #endregion

import { Logger } from "effect"

const logged = Effect.gen(function* () {
  const lines: Array<string> = []
  const logger = Logger.make(({ message }) => void lines.push(String(message)))
  yield* Effect.all([
    exchange([unavailable], (client) => observed(client).post("https://api.example/")),
    exchange([unavailable], (client) => observed(client).get("https://api.example/"))
  ]).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
  return lines
})

export const program = Effect.map(logged, (lines) => lines.join("\n"))

export const expected = ["1 sent, not retryable: POST without Idempotency-Key", "3 sent, all attempts spent"].join("\n")
