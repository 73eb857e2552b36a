/**
 * The status codes of gRPC, by name.
 */

/**
 * The names in the order of their numbers, from 0.
 *
 * Source: https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto, and
 * https://grpc.github.io/grpc/core/md_doc_statuscodes.html.
 *
 * @category models
 */
export const names = [
  "OK",
  "CANCELLED",
  "UNKNOWN",
  "INVALID_ARGUMENT",
  "DEADLINE_EXCEEDED",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "PERMISSION_DENIED",
  "RESOURCE_EXHAUSTED",
  "FAILED_PRECONDITION",
  "ABORTED",
  "OUT_OF_RANGE",
  "UNIMPLEMENTED",
  "INTERNAL",
  "UNAVAILABLE",
  "DATA_LOSS",
  "UNAUTHENTICATED"
] as const

/**
 * A status code by its name.
 *
 * @category models
 */
export type StatusCode = (typeof names)[number]

/**
 * The code with a number, or `undefined` for any other number.
 *
 * @category conversions
 */
export const fromNumber = (number: number): StatusCode | undefined => names[number]

/**
 * The code with a name, in upper or lower case, or `undefined` for any other name.
 *
 * @category conversions
 */
export const fromName = (name: string): StatusCode | undefined => names.find((each) => each === name.toUpperCase())

/**
 * The number of a code.
 *
 * @category conversions
 */
export const toNumber = (code: StatusCode): number => names.indexOf(code)
