/**
 * One event of each kind, and what an observer makes of it.
 */
import { type Retry, Verdict } from "@effect-retry/core"
import { Duration, Option } from "effect"

const common = { name: "fetch", attempt: 2, elapsed: Duration.millis(1500), level: Option.some(486) }

export const failure = new RangeError("too far")

export const attemptFailed: Retry.RetryEvent = {
  _tag: "AttemptFailed",
  ...common,
  error: failure,
  verdict: Verdict.throttling,
  ran: Duration.millis(300),
  sendWait: Duration.millis(20)
}

export const retryScheduled: Retry.RetryEvent = {
  _tag: "RetryScheduled",
  ...common,
  verdict: Verdict.throttling,
  delay: Duration.millis(1000),
  source: "Cap",
  cost: 14
}

export const succeeded: Retry.RetryEvent = { _tag: "Succeeded", ...common, sendWait: Duration.zero }

export const gaveUp: Retry.RetryEvent = {
  _tag: "GaveUp",
  ...common,
  error: failure,
  reason: { _tag: "AttemptsSpent", maxAttempts: 2 }
}

export const nestingNoticed: Retry.RetryEvent = {
  _tag: "NestingNoticed",
  ...common,
  attempt: 0,
  elapsed: Duration.zero,
  level: Option.none(),
  outer: { name: "job", attempt: 3 }
}

export const all = [nestingNoticed, attemptFailed, retryScheduled, succeeded, gaveUp]

/** Each with the attributes that spans and log lines show. */
export const attributes: { readonly [T in Retry.RetryEvent["_tag"]]: Record<string, string | number> } = {
  NestingNoticed: {
    "retry.operation": "fetch",
    "retry.attempt": 0,
    "retry.elapsed_ms": 0,
    "retry.outer": "job",
    "retry.outer_attempt": 3
  },
  AttemptFailed: {
    "retry.operation": "fetch",
    "retry.attempt": 2,
    "retry.elapsed_ms": 1500,
    "retry.bucket.level": 486,
    "exception.type": "RangeError",
    "exception.message": "too far",
    "retry.verdict": "Retryable",
    "retry.kind": "Throttling",
    "retry.ran_ms": 300,
    "retry.send_wait_ms": 20
  },
  RetryScheduled: {
    "retry.operation": "fetch",
    "retry.attempt": 2,
    "retry.elapsed_ms": 1500,
    "retry.bucket.level": 486,
    "retry.delay_ms": 1000,
    "retry.delay_source": "Cap",
    "retry.cost": 14,
    "retry.kind": "Throttling"
  },
  Succeeded: {
    "retry.operation": "fetch",
    "retry.attempt": 2,
    "retry.elapsed_ms": 1500,
    "retry.bucket.level": 486
  },
  GaveUp: {
    "retry.operation": "fetch",
    "retry.attempt": 2,
    "retry.elapsed_ms": 1500,
    "retry.bucket.level": 486,
    "exception.type": "RangeError",
    "exception.message": "too far",
    "retry.stop_reason": "AttemptsSpent"
  }
}
