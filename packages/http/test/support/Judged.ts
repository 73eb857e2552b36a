/**
 * What errors say, and how the standard tables judge them, in words.
 */
import { HttpClientError } from "@effect/platform"
import { HttpClassifier } from "@effect-retry/http"

const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null

/** The codes of an error's causes, the outermost first; of one without a code its name. */
export const codes = (error: unknown): string => {
  const found: Array<string> = []
  let cause = HttpClientError.isHttpClientError(error) ? error.cause : error
  while (isObject(cause) && found.length < 10) {
    found.push(String(cause["code"] ?? cause["name"]))
    cause = cause["cause"]
  }
  return found.join(" < ")
}

/** Kind and processing if it is retryable, and otherwise why it is not. */
export const words = (outcome: unknown): string => {
  const { processing, verdict } = HttpClassifier.judge(HttpClassifier.standard, outcome, NaN)
  return verdict._tag === "Retryable"
    ? `${verdict.kind} ${processing}`
    : verdict._tag === "Terminal"
      ? verdict.why
      : "no opinion"
}
