/**
 * Answers that no retry follows and that are no success of the caller's, such as a 404.
 */
import type { RetryEvent } from "../loop/policy/RetryEvent.ts"

/** By OpenTelemetry's conventions, only what has failed has an `error.type`. */
export const isAnswered = (event: RetryEvent): boolean => "error.type" in event.details().attributes
