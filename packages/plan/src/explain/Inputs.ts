/**
 * Checks the inputs of a plan.
 */
import * as Classifier from "@effect-retry/core/Classifier"
import * as Argument from "@effect-retry/core/unstable/Argument"
import { otherNames } from "@effect-retry/core/unstable/OtherNames"
import type { Prepared } from "@effect-retry/core/unstable/PolicyCheck"
import * as PolicyCheck from "@effect-retry/core/unstable/PolicyCheck"
import * as Predicate from "effect/Predicate"
import type { Options, Scheduled } from "./PlanRecord.ts"

export interface Inputs {
  /** The part of the policy that a plan uses. */
  readonly prepared: Prepared
  readonly rows: number
  readonly takesMillis: number
}

/** Throws an `InvalidArgument` if the policy or an option is invalid. */
export const check = (owner: string, policy: Scheduled<unknown>, options: Options | undefined): Inputs => {
  if (Predicate.isRecord(policy)) Argument.misspelt(owner, policy, PolicyCheck.fields, otherNames)
  const { attemptTimeout, attemptsByKind, backoff, deadline, hint, maxAttempts } = policy
  const planned = { attemptTimeout, attemptsByKind, backoff, deadline, hint, maxAttempts }
  const prepared = PolicyCheck.prepare(owner, { ...planned, classifier: Classifier.always })
  const rows = Argument.number(owner, "rows", options?.rows ?? 20, { min: 1, max: 1000, integer: true })
  const takesMillis =
    options?.attemptTakes === undefined
      ? undefined
      : Argument.millis(owner, "attemptTakes", options.attemptTakes, { min: 0 })
  return { prepared, rows, takesMillis: takesMillis ?? (attemptTimeout === undefined ? 0 : Infinity) }
}
