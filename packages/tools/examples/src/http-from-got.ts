import { answer, broken, exchange, ok, reset, unavailable } from "./http-scripted.ts"
// #region got
import { Backoff, Hint, Jitter } from "@effect-retry/core"
import { HintHeader, HttpClassifier, HttpRetry, Idempotency } from "@effect-retry/http"

const { codes } = HttpClassifier.standardTables

const asGot = {
  ...HttpRetry.standard,
  classifier: HttpClassifier.make({
    statuses: {
      408: { kind: "Timeout" },
      413: { hinted: "Throttling" },
      429: { kind: "Throttling" },
      500: { kind: "Server" },
      502: { kind: "Server" },
      503: { kind: "Server" },
      504: { kind: "Timeout" },
      521: { kind: "Server" },
      522: { kind: "Server" },
      524: { kind: "Timeout" }
    },
    codes: {
      ETIMEDOUT: codes.ETIMEDOUT,
      ECONNRESET: codes.ECONNRESET,
      EADDRINUSE: codes.EADDRINUSE,
      ECONNREFUSED: codes.ECONNREFUSED,
      EPIPE: codes.EPIPE,
      ENOTFOUND: codes.ENOTFOUND,
      ENETUNREACH: codes.ENETUNREACH,
      EAI_AGAIN: codes.EAI_AGAIN
    },
    transport: undefined,
    hints: [HintHeader.retryAfter],
    directives: []
  }),
  idempotency: { ...Idempotency.standard, methods: ["GET", "PUT", "HEAD", "DELETE", "OPTIONS", "TRACE"] },
  maxAttempts: 3,
  backoff: Backoff.exponential({ base: "1 second" }).pipe(Backoff.jittered(Jitter.additive({ max: "100 millis" }))),
  hint: Hint.override({ atMost: "1 hour", otherwise: "giveUp" })
} as const
// #endregion

import { SeededRandom } from "@effect-retry/testing"
import { Effect } from "effect"

const sent = (...answers: Parameters<typeof exchange>[0]) =>
  Effect.map(
    exchange(answers, (client) => HttpRetry.withRetry(client, asGot).get("https://api.example/")),
    ({ sent }) => sent
  )

export const program = Effect.all({
  unavailable: sent(unavailable),
  hinted: sent(answer(413, { "retry-after": "1" }), ok),
  tooLong: sent(answer(503, { "retry-after": "7200" }), ok),
  reset: sent(reset, ok),
  otherCode: sent(broken({ code: "ENETRESET" }), ok)
}).pipe(Effect.provide(SeededRandom.layerConstant(0.5)))

/** As measured of got 14.6.6, whose noise is up to 100 milliseconds; here it is 50. */
export const expected = {
  unavailable: [0, 1050, 3100],
  hinted: [0, 1000],
  tooLong: [0],
  reset: [0, 1050],
  otherCode: [0]
}
