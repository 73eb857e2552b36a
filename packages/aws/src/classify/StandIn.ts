/**
 * Stands in for the classifiers until they are delivered.
 */
import { type Classifier, Verdict } from "@effect-retry/core"
import { Predicate } from "effect"

const throttlingCodes: ReadonlySet<unknown> = new Set(["Throttling", "ThrottlingException", "SlowDown"])

const statusOf = (error: unknown): unknown =>
  Predicate.hasProperty(error, "$metadata") && Predicate.hasProperty(error.$metadata, "httpStatusCode")
    ? error.$metadata.httpStatusCode
    : undefined

export const standard: Classifier.Classifier = (error) => {
  if (Predicate.hasProperty(error, "name") && throttlingCodes.has(error.name)) return Verdict.throttling
  return [500, 502, 503, 504].some((status) => status === statusOf(error)) ? Verdict.transient : Verdict.noOpinion
}
export const guide = standard
export const sts = standard
export const kotlin = standard
export const botocoreLegacy = standard
