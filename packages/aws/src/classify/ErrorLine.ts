/**
 * Errors of Effect and its platform, whose shape differs between Effect 3 and Effect 4. This is the file for Effect 3; the
 * line for Effect 4 replaces it with its own.
 */
import * as Property from "@effect-retry/core/unstable/Property"

/** Whether it is the error with which Effect wraps a promise's rejection. */
export const isRejection = (error: unknown): boolean => Property.property(error, "_tag") === "UnknownException"

/** Whether it is a request of the platform that got no response. */
export const isTransport = (error: unknown): boolean =>
  Property.property(error, "_tag") === "RequestError" && Property.property(error, "reason") === "Transport"
