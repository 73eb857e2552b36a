/**
 * Answers such as a 404: not retried, but no success for the caller either.
 */
import type { RetryEvent } from "../loop/policy/RetryEvent.ts"

/** By OpenTelemetry's conventions, only a failure has an `error.type`. */
export const isAnswered = (event: RetryEvent): boolean => "error.type" in event.details().attributes
