/**
 * The verdict of a policy on how an attempt ended.
 */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Judging from "../../classify/Judging.ts"
import type { Verdict } from "../../classify/Verdict.ts"
import { noOpinion } from "../../classify/Verdict.ts"
import * as Causes from "../../fund/fiber/Causes.ts"
import * as Elapsed from "./Elapsed.ts"
import type { Failure, Operation } from "./Operation.ts"
import { fail } from "./Operation.ts"

/** The verdict on an error. */
export const ofError = (op: Elapsed.Numbered, error: unknown): Verdict => {
  const { hooks, owner } = op.prepared
  return Judging.ofError(owner, "classifier", hooks.classifier, error, Elapsed.moment(op))
}

/** The verdict on a result; no opinion if the policy judges none. */
export const ofResult = (op: Elapsed.Numbered, value: unknown): Verdict => {
  const { hooks, owner } = op.prepared
  return hooks.result === undefined
    ? noOpinion
    : Judging.ofResult(owner, "result", hooks.result, value, Elapsed.moment(op))
}

/** Judges the error of a cause and notes the failure; `undefined` for an interruption or a defect. */
export const ofCause = (op: Operation, cause: Cause.Cause<unknown>): Failure | undefined => {
  const found = Causes.errorOf(cause)
  if (Option.isNone(found)) return undefined
  const error = found.value
  return fail(op, error, error, ofError(op, error), () => Effect.failCause(cause))
}
