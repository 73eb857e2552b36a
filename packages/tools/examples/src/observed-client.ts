import { type Answer, answer, exchange, reset } from "./http-scripted.ts"
// #region client
import { Backoff, Observe } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { LogLevel } from "effect"

const observed = HttpRetry.withRetry({
  name: "orders",
  observe: [Observe.logs({ Succeeded: LogLevel.Info }), Observe.spanEvents],
  maxAttempts: 4,
  backoff: Backoff.constant({ delay: "400 millis" })
})
// #endregion

import { SeededRandom } from "@effect-retry/testing"
import { Effect, Logger } from "effect"

const url = "https://api.example/orders?token=secret"

const slow =
  (answer: Answer): Answer =>
  (request) =>
    Effect.delay(answer(request), "30 millis")

export const program = Effect.gen(function* () {
  const lines: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel.label} ${String(message)}`))
  yield* Effect.all([
    exchange([slow(answer(429, { "retry-after": "1" })), reset, answer(200)], (client) => observed(client).get(url)),
    exchange([slow(answer(503))], (client) => observed(client).get(url)),
    exchange([slow(answer(503))], (client) => observed(client).post(url))
  ]).pipe(Effect.provide(SeededRandom.layerConstant(0)), Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
  return lines.join("\n")
})

export const expected = [
  "INFO retry 1 of 3 in 1 s: GET api.example → 429 (Throttling, asked to wait 1 s)",
  "INFO retry 2 of 3 in 400 ms: GET api.example → ECONNRESET (Transient)",
  "INFO succeeded: GET api.example → 200 after 3 attempts, 1.4 s",
  "INFO retry 1 of 3 in 400 ms: GET api.example → 503 (Server)",
  "INFO retry 2 of 3 in 400 ms: GET api.example → 503 (Server)",
  "INFO retry 3 of 3 in 400 ms: GET api.example → 503 (Server)",
  "WARN gave up: GET api.example → 503 after 4 attempts, 1.3 s (all attempts spent)",
  "WARN gave up: POST api.example → 503 after 1 attempt, 30 ms (not retryable: POST without Idempotency-Key)"
].join("\n")
