/**
 * One event of each kind, and what an observer makes of it.
 */
import { type Observe, Verdict } from "@effect-retry/core"
import { Duration, Effect, Option } from "effect"

const common = {
  name: "fetch",
  attempt: 2,
  maxAttempts: 3,
  elapsed: Duration.millis(1500),
  level: Effect.succeedSome(485.7999999999997)
}

export const failure = new RangeError("too far")

export const attemptFailed: Observe.RetryEvent = {
  _tag: "AttemptFailed",
  ...common,
  error: failure,
  verdict: Verdict.throttling,
  ran: Duration.millis(300),
  rateLimiterWait: Duration.millis(20)
}

export const retryScheduled: Observe.RetryEvent = {
  _tag: "RetryScheduled",
  ...common,
  error: failure,
  verdict: Verdict.throttling,
  delay: Duration.millis(1013.3820000001),
  source: "Cap",
  cost: 14.200000000000001
}

export const succeeded: Observe.RetryEvent = { _tag: "Succeeded", ...common, rateLimiterWait: Duration.zero }

export const gaveUp: Observe.RetryEvent = {
  _tag: "GaveUp",
  ...common,
  error: failure,
  reason: { _tag: "AttemptsSpent", maxAttempts: 3 }
}

export const nestingNoticed: Observe.RetryEvent = {
  _tag: "NestingNoticed",
  ...common,
  attempt: 1,
  elapsed: Duration.millis(300),
  level: Effect.succeed(Option.none()),
  outer: { name: "job", attempt: 3 }
}

export const all = [nestingNoticed, attemptFailed, retryScheduled, succeeded, gaveUp]

const shown = {
  "retry.operation": "fetch",
  "retry.attempt": 2,
  "retry.max_attempts": 3,
  "retry.elapsed_ms": 1500,
  "retry.bucket.level": 485.8
}

const exception = { "exception.type": "RangeError", "exception.message": "too far" }

/** Each with the attributes that spans and log lines show. */
export const attributes: { readonly [T in Observe.RetryEvent["_tag"]]: Record<string, string | number> } = {
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
  Succeeded: shown,
  GaveUp: {
    ...shown,
    ...exception,
    "retry.stop_reason": "AttemptsSpent",
    "retry.stop_message": "all 3 attempts are spent"
  }
}
