import { answer, exchange, ok, unavailable } from "./http-scripted.ts"
// #region ky
import { AttemptTimeout, Backoff, Hint, Verdict } from "@effect-retry/core"
import { HintHeader, HttpClassifier, HttpRetry, Idempotency } from "@effect-retry/http"

const asKy = {
  ...HttpRetry.standard,
  attemptTimeout: AttemptTimeout.judged(AttemptTimeout.constant("10 seconds"), Verdict.terminal("timed out")),
  classifier: HttpClassifier.make({
    ...HttpClassifier.standardTables,
    statuses: {
      408: { kind: "Timeout" },
      413: { hinted: "Throttling" },
      429: { kind: "Throttling" },
      500: { kind: "Server" },
      502: { kind: "Server" },
      503: { kind: "Server" },
      504: { kind: "Timeout" }
    },
    hints: [HintHeader.retryAfter, HintHeader.rateLimitReset],
    directives: []
  }),
  idempotency: { ...Idempotency.standard, methods: ["GET", "PUT", "HEAD", "DELETE", "OPTIONS", "TRACE"] },
  maxAttempts: 3,
  backoff: Backoff.exponential({ base: "300 millis" }),
  hint: Hint.override({ atMost: "1 hour", otherwise: "clamp" })
} as const
// #endregion

import { Effect } from "effect"

const sent = (...answers: Parameters<typeof exchange>[0]) =>
  Effect.map(
    exchange(answers, (client) => HttpRetry.withRetry(client, asKy).get("https://api.example/")),
    ({ sent }) => sent
  )

export const program = Effect.all({
  unavailable: sent(unavailable),
  hinted: sent(answer(503, { "retry-after": "1" }), ok),
  tooLarge: sent(answer(413), ok)
})

/** As measured of ky 1.14.3. */
export const expected = { unavailable: [0, 300, 900], hinted: [0, 1000], tooLarge: [0] }
