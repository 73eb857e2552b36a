/**
 * The names that other libraries use for fields of a policy, for the message that refuses such a field.
 */

const maxAttempts = "maxAttempts, which counts the first attempt too"

/** The field that was meant, by the other library's name. */
export const otherNames = {
  attempts: maxAttempts,
  budget: "bucket",
  delay: "backoff",
  maxRetries: maxAttempts,
  onRetry: "observe",
  retries: maxAttempts,
  retryIf: "classifier",
  schedule: "backoff",
  shouldRetry: "classifier",
  timeout: "attemptTimeout, or deadline for the whole operation",
  times: maxAttempts,
  while: "classifier"
} as const

/** The compiler's message for a field that a policy does not have. */
export type NoField<K> = K extends keyof typeof otherNames
  ? `no field '${K}': did you mean ${(typeof otherNames)[K]}?`
  : `no field '${K & string}'`
