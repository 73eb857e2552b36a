/**
 * The policies of well-known clients, as values to change by spread.
 *
 * Each states where it departs from its source. In all of them, a wait that the server asks for is bounded at one
 * minute, beyond which the operation stops; set `hint` for longer waits.
 */
import { AttemptTimeout, Backoff, Curve, Hint, Jitter } from "@effect-retry/core"
import * as HintHeader from "../classify/HintHeader.ts"
import * as HttpClassifier from "../classify/HttpClassifier.ts"
import * as Idempotency from "../decide/Idempotency.ts"
import type { Preset } from "./policy/HttpPolicy.ts"
import * as HttpRetry from "./HttpRetry.ts"

/**
 * The policy of a client without one; see `HttpRetry.standard`.
 *
 * @category constructors
 */
export const standard: Preset = HttpRetry.standard

/** Every 5xx status. */
const serverErrors: HttpClassifier.Tables["statuses"] = /*#__PURE__*/ Object.fromEntries(
  /*#__PURE__*/ Array.from({ length: 100 }, (_, index) => [500 + index, { kind: "Server" }] as const)
)

/** The server's hint replaces the back-off. */
const asAsked: Hint.Hint = /*#__PURE__*/ Hint.override({ atMost: "1 minute", otherwise: "giveUp" })

/** Formula: `bound * (1 - 0.25 * u)`. */
const minusQuarter: Jitter.Jitter = /*#__PURE__*/ Jitter.make({
  name: "minus a quarter",
  interval: (boundMillis) => [boundMillis * 0.75, boundMillis],
  draw: (boundMillis, u) => boundMillis * (1 - 0.25 * u)
})

const languageModel: Preset<AttemptTimeout.AttemptTimedOut> = {
  ...HttpRetry.standard,
  attemptTimeout: /*#__PURE__*/ AttemptTimeout.constant("10 minutes"),
  classifier: /*#__PURE__*/ HttpClassifier.make({
    ...HttpClassifier.standardTables,
    statuses: {
      ...serverErrors,
      408: { kind: "Timeout" },
      409: { kind: "Client" },
      429: { kind: "Throttling" }
    },
    hints: [HintHeader.retryAfterMs, HintHeader.retryAfter],
    directives: ["x-should-retry"]
  }),
  idempotency: { ...Idempotency.standard, methods: [...Idempotency.standard.methods, "POST", "PATCH"] },
  maxAttempts: 3,
  backoff: /*#__PURE__*/ Backoff.jittered(
    /*#__PURE__*/ Backoff.capped(/*#__PURE__*/ Backoff.exponential({ base: "500 millis" }), "8 seconds"),
    minusQuarter
  ),
  hint: asAsked
}

/**
 * The policy of OpenAI's client: 3 attempts of at most 10 minutes, after 408, 409, 429, every 5xx and every transport error,
 * whatever the method; exponential from 500 milliseconds, capped at 8 seconds, minus up to a quarter; `x-should-retry`
 * decides.
 *
 * The reset headers are ignored, as in that client.
 * Departures: waits in `retry-after-ms` and `retry-after` are followed up to a minute instead of any length. For a wait of
 * zero the back-off is used; that client sends at once. A `retry-after` with a fraction is ignored; that client reads it.
 * `x-should-retry: True` counts; that client accepts only lower case.
 * Source: `openai` 6.49.0, client.ts, `shouldRetry`, `retryRequest` and `calculateDefaultRetryTimeoutMillis`, read 2026-11-20.
 *
 * @category constructors
 */
export const openai: Preset<AttemptTimeout.AttemptTimedOut> = languageModel

/**
 * The policy of Anthropic's client: the same as OpenAI's.
 *
 * A wait of zero counts as none, as in that client.
 * Source: `@anthropic-ai/sdk` 1.11.0, client.ts, the same functions, read 2026-11-20.
 *
 * @category constructors
 */
export const anthropic: Preset<AttemptTimeout.AttemptTimedOut> = {
  ...languageModel,
  classifier: /*#__PURE__*/ HttpClassifier.make({
    ...languageModel.classifier.tables,
    hints: [
      /*#__PURE__*/ HintHeader.aboveZero(HintHeader.retryAfterMs),
      /*#__PURE__*/ HintHeader.aboveZero(HintHeader.retryAfter)
    ]
  })
}

/** Formula: `max(500, bound * (1 + u) / 2)`, in milliseconds. */
const upperHalf: Jitter.Jitter = /*#__PURE__*/ Jitter.make({
  name: "upper half, from 500 ms",
  interval: (boundMillis) => [Math.max(500, boundMillis / 2), Math.max(500, boundMillis)],
  draw: (boundMillis, u) => Math.max(500, (boundMillis * (1 + u)) / 2)
})

/**
 * The policy of Stripe's client: 3 attempts of at most 80 seconds, after 409, every 5xx and every transport error, not
 * after 429, unless `stripe-should-retry` says otherwise; a POST gets an `Idempotency-Key`. Exponential from 250
 * milliseconds, capped at 5 seconds; the delay is drawn from the upper half, and is at least 500 milliseconds.
 *
 * Departures: `maxAttempts: 1` is one attempt; that client, with its `maxNetworkRetries` at 0, still sends once more after
 * ECONNRESET or EPIPE. A DELETE gets no key; in version 2 of the API that client gives it one.
 * Source: `stripe` 23.1.0, RequestSender.js, `_shouldRetry`, `_getSleepTimeInMS` and `_defaultIdempotencyKey`, and
 * platform/PlatformFunctions.js, `getDefaultMaxNetworkRetries`, read 2026-11-20.
 *
 * @category constructors
 */
export const stripe: Preset<AttemptTimeout.AttemptTimedOut> = {
  ...HttpRetry.standard,
  attemptTimeout: /*#__PURE__*/ AttemptTimeout.constant("80 seconds"),
  classifier: /*#__PURE__*/ HttpClassifier.make({
    ...HttpClassifier.standardTables,
    statuses: { ...serverErrors, 409: { kind: "Client" } },
    hints: [],
    directives: ["stripe-should-retry"]
  }),
  idempotency: { ...Idempotency.standard, createKeyFor: ["POST"] },
  maxAttempts: 3,
  backoff: /*#__PURE__*/ Backoff.jittered(
    /*#__PURE__*/ Backoff.capped(/*#__PURE__*/ Backoff.exponential({ base: "250 millis" }), "5 seconds"),
    upperHalf
  )
}

/**
 * The policy that GitHub asks of its clients: 403 and 429 are its rate limits, and the client waits as `retry-after` or, if
 * nothing remains, `x-ratelimit-reset` says; after a 429 without a wait it waits one minute, then two; a 403 without a
 * wait is a refusal. After other failures it waits 1, 4 and 9 seconds; 4 attempts in all.
 *
 * Departures: only requests that are safe to repeat are repeated. A reset may be up to an hour ahead; if it is more
 * than a minute away, the operation stops, and says how long the wait would be.
 * Source: https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api, "Handle rate limit
 * errors appropriately", and `@octokit/plugin-retry` 8.1.1, read 2026-11-20.
 *
 * @category constructors
 */
export const github: Preset = {
  ...HttpRetry.standard,
  classifier: /*#__PURE__*/ HttpClassifier.make({
    ...HttpClassifier.standardTables,
    statuses: {
      ...HttpClassifier.standardTables.statuses,
      ...serverErrors,
      403: { hinted: "Throttling" }
    },
    hints: [HintHeader.retryAfter, HintHeader.rateLimitReset]
  }),
  maxAttempts: 4,
  backoff: /*#__PURE__*/ Backoff.byKind({
    Throttling: /*#__PURE__*/ Backoff.exponential({ base: "1 minute" }),
    orElse: /*#__PURE__*/ Backoff.fromCurve(/*#__PURE__*/ Curve.polynomial({ base: "1 second", degree: 2 }))
  }),
  hint: asAsked
}
