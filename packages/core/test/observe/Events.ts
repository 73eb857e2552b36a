/**
 * One event of each kind, and what an observer makes of it.
 */
import { type Observe, Verdict } from "@effect-retry/core"
import * as Untrusted from "@effect-retry/core/unstable/Untrusted"
import { Duration, Effect, Option } from "effect"

/** What core knows of an event. */
export const detailsOf = (event: Observe.RetryEvent): Observe.Details => ({
  subject: event.name,
  outcome: "error" in event ? Untrusted.outcome(event.error) : "",
  key: "",
  attributes: {},
  tags: {}
})

type Of<T extends Observe.RetryEvent["_tag"]> = Extract<Observe.RetryEvent, { readonly _tag: T }>

/** The details are those of the object that they are asked of. */
const withDetails = <T extends Observe.RetryEvent>(event: Omit<T, "details">): T =>
  ({ ...event, details: () => detailsOf(event as T) }) as T

const common = {
  name: "fetch",
  attempt: 2,
  maxAttempts: 3,
  elapsed: Duration.millis(1500),
  level: Effect.succeedSome(485.7999999999997)
}

export const failure = Untrusted.shown(new RangeError("too far"))

export const attemptFailed = withDetails<Of<"AttemptFailed">>({
  _tag: "AttemptFailed",
  ...common,
  error: failure,
  verdict: Verdict.throttling,
  ran: Duration.millis(300),
  rateLimiterWait: Duration.millis(20)
})

export const retryScheduled = withDetails<Of<"RetryScheduled">>({
  _tag: "RetryScheduled",
  ...common,
  error: failure,
  verdict: Verdict.throttling,
  delay: Duration.millis(1013.3820000001),
  source: "Cap",
  cost: 14.200000000000001
})

export const succeeded = withDetails<Of<"Succeeded">>({ _tag: "Succeeded", ...common, rateLimiterWait: Duration.zero })

export const gaveUp = withDetails<Of<"GaveUp">>({
  _tag: "GaveUp",
  ...common,
  error: failure,
  reason: { _tag: "AttemptsSpent", maxAttempts: 3 },
  kind: Option.some("Throttling")
})

export const nestingNoticed = withDetails<Of<"NestingNoticed">>({
  _tag: "NestingNoticed",
  ...common,
  attempt: 1,
  elapsed: Duration.millis(300),
  level: Effect.succeed(Option.none()),
  outer: { name: "job", attempt: 3 }
})

export const hedgeStarted = withDetails<Of<"HedgeStarted">>({
  _tag: "HedgeStarted",
  ...common,
  because: "Delay",
  inFlight: 2,
  cost: 14.200000000000001
})

export const hedgeRefused = withDetails<Of<"HedgeRefused">>({ _tag: "HedgeRefused", ...common })

export const all: ReadonlyArray<Observe.RetryEvent> = [
  nestingNoticed,
  attemptFailed,
  retryScheduled,
  hedgeStarted,
  hedgeRefused,
  succeeded,
  gaveUp
]

/** What events of spans are called, in the same order. */
export const names: ReadonlyArray<string> = [
  "retry.nested",
  "retry.attempt_failed",
  "retry.scheduled",
  "retry.hedge_started",
  "retry.hedge_refused",
  "retry.succeeded",
  "retry.gave_up"
]

const shown = {
  "retry.operation": "fetch",
  "retry.attempt": 2,
  "retry.max_attempts": 3,
  "retry.elapsed_ms": 1500,
  "retry.bucket.level": 485.8
}

const exception = { "error.type": "RangeError", "exception.type": "RangeError", "exception.message": "too far" }

/** Each with the attributes that spans and log lines show. */
export const attributes: { readonly [T in Observe.RetryEvent["_tag"]]: Observe.Details["attributes"] } = {
  NestingNoticed: {
    "retry.operation": "fetch",
    "retry.attempt": 1,
    "retry.max_attempts": 3,
    "retry.elapsed_ms": 300,
    "retry.outer": "job",
    "retry.outer_attempt": 3
  },
  AttemptFailed: {
    ...shown,
    ...exception,
    "retry.verdict": "Retryable",
    "retry.kind": "Throttling",
    "retry.ran_ms": 300,
    "retry.rate_limiter_wait_ms": 20
  },
  RetryScheduled: {
    ...shown,
    ...exception,
    "retry.verdict": "Retryable",
    "retry.kind": "Throttling",
    "retry.delay_ms": 1013.382,
    "retry.delay_source": "Cap",
    "retry.cost": 14.2
  },
  HedgeStarted: { ...shown, "retry.hedge_because": "Delay", "retry.in_flight": 2, "retry.cost": 14.2 },
  HedgeRefused: shown,
  Succeeded: shown,
  GaveUp: {
    ...shown,
    ...exception,
    "retry.kind": "Throttling",
    "retry.stop_reason": "AttemptsSpent",
    "retry.stop_message": "all attempts spent"
  }
}

/** Each as the log shows it. */
export const lines: { readonly [T in Observe.RetryEvent["_tag"]]: string } = {
  NestingNoticed: "nested: fetch inside attempt 3 of job, which retries too",
  AttemptFailed: 'attempt 2 failed: fetch → RangeError "too far" in 300 ms (Throttling)',
  RetryScheduled: 'retry 2 of 2 in 1 s: fetch → RangeError "too far" (Throttling)',
  HedgeStarted: "hedge 1 of 2: fetch (no answer after 1.5 s, 2 in flight)",
  HedgeRefused: "hedge refused: fetch after 2 attempts, 1.5 s",
  Succeeded: "succeeded: fetch after 2 attempts, 1.5 s",
  GaveUp: 'gave up: fetch → RangeError "too far" after 2 attempts, 1.5 s (all attempts spent)'
}
