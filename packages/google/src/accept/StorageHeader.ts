/**
 * Headers of Cloud Storage.
 */

/**
 * The header by which Cloud Storage recognises the attempts of one operation.
 *
 * Source: googleapis/google-cloud-go 028979b, storage/invoke.go, `idempotencyHeaderKey`.
 */
export const token = "x-goog-gcs-idempotency-token"

/**
 * The header in which a client names itself, the operation and the number of the attempt.
 *
 * Source: the same, `setInvocationHeaders`.
 */
export const client = "x-goog-api-client"

/** The parts of the header that do not belong to one operation, without its id and its count. */
export const withoutOperation = (value: string): ReadonlyArray<string> =>
  partsOf(value).filter((part) => !part.startsWith(invocation) && !part.startsWith(count))

/** The parts of the header. */
export const partsOf = (value: string): ReadonlyArray<string> => value.split(/\s+/).filter((part) => part !== "")

/** The prefix of the id of an operation. */
export const invocation = "gccl-invocation-id/"

/** The prefix of the number of an attempt. */
export const count = "gccl-attempt-count/"
