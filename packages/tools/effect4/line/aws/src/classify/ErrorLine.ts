/**
 * Errors of Effect and its clients, which Effect 3 and Effect 4 have in another shape. This is the file of Effect 4.
 */
import * as Property from "@effect-retry/core/unstable/Property"

/** Whether it is the error with which Effect wraps a promise's rejection. */
export const isRejection = (error: unknown): boolean => Property.property(error, "_tag") === "UnknownError"

/** Whether it is a request of a client that got no response. */
export const isTransport = (error: unknown): boolean =>
  Property.property(error, "_tag") === "HttpClientError" && Property.at(error, "reason", "_tag") === "TransportError"
