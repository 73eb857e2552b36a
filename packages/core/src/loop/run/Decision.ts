/**
 * Decides what follows a failed attempt: one pure function of policy, progress and failure.
 *
 * The loop, `Promises.retry`, `Policy.toSchedule` and the plan ask it, and nothing else decides. The order is fixed:
 * not retryable, attempts spent, standing down, back-off ended, hint too long, deadline. A random number and the step
 * of a foreign schedule cost an effect, so the function asks for them, and only when it needs them.
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import { whyNot } from "../../classify/Judging.ts"
import type { Kind, Retryable, Verdict } from "../../classify/Verdict.ts"
import type { Tree } from "../../decide/BackoffTree.ts"
import * as BackoffTree from "../../decide/BackoffTree.ts"
import * as HintRule from "../../decide/HintRule.ts"
import type { Prepared } from "../policy/PolicyCheck.ts"
import type { DelaySource } from "../policy/RetryEvent.ts"
import type { StopReason } from "../policy/RetryStopped.ts"
import type { Progress } from "./Progress.ts"
import { counted } from "./Progress.ts"

/** What is known at the moment of a decision. */
export interface Now {
  /** Time since the operation began. */
  readonly elapsedMillis: number
  /** How long the failed attempt ran. */
  readonly ranMillis: number
  /** The name of the operation inside which this one would retry, if the policy stands down. */
  readonly outer: string | undefined
  /** A random number in [0, 1), once the function has asked for it. */
  readonly u: number | undefined
  /** The delay of a foreign schedule, once the function has asked for it; `None` if the schedule has ended. */
  readonly stepped: Option.Option<number> | undefined
}

/** The part of an operation that is read here; the current failure is already counted in it. */
type Noted = Readonly<Pick<Progress, "attempts" | "outdated" | "failures" | "tree">>

export type Decision =
  | {
      readonly _tag: "Retry"
      readonly delayMillis: number
      readonly source: DelaySource
      /** The next state of the back-off. */
      readonly tree: Tree | undefined
      /** Whether a foreign schedule starts over. */
      readonly startsOver: boolean
    }
  | {
      readonly _tag: "Stop"
      readonly reason: StopReason
      /** The delay, if the decision got that far. */
      readonly delayMillis: number | undefined
    }
  /** `u` is needed. */
  | typeof needsDraw
  /** `stepped` is needed. */
  | typeof needsStep

const needsDraw = { _tag: "NeedsDraw" } as const

const needsStep = { _tag: "NeedsStep" } as const

/** Decides what follows a failure. */
export const decide = (prepared: Prepared, progress: Noted, now: Now, verdict: Verdict): Decision => {
  const refused = refusal(prepared, progress, now, verdict)
  if (refused !== undefined) return stop(refused)
  const failure = verdict as Retryable
  const draws = prepared.draws || (prepared.hintDraws && Option.isSome(failure.hint))
  if (draws && now.u === undefined) return needsDraw
  const stepped = step(progress.tree, now, failure.kind)
  return stepped === "NeedsStep" ? needsStep : bent(prepared, progress.tree, now, failure, stepped)
}

/** The reasons to stop that come before the back-off. */
const refusal = ({ policy }: Prepared, progress: Noted, { outer }: Now, verdict: Verdict): StopReason | undefined => {
  if (verdict._tag !== "Retryable") return { _tag: "Terminal", why: whyNot(verdict) }
  return spent(policy, progress, verdict.kind) ?? (outer === undefined ? undefined : { _tag: "StoodDown", outer })
}

const spent = (
  { attemptsByKind, maxAttempts }: Prepared["policy"],
  progress: Noted,
  kind: Kind
): StopReason | undefined => {
  const { failures } = progress
  const limit = attemptsByKind?.[kind]
  if (limit !== undefined) {
    return (failures[kind] ?? 0) < limit ? undefined : { _tag: "AttemptsSpent", maxAttempts: limit, kind }
  }
  // Failures of kinds with separate limits do not count.
  const attempts =
    attemptsByKind === undefined
      ? counted(progress)
      : Object.values(failures).reduce((sum, count) => sum - count, counted(progress))
  return attempts < maxAttempts ? undefined : { _tag: "AttemptsSpent", maxAttempts }
}

interface Stepped {
  readonly delayMillis: number
  readonly capped: boolean
  readonly rest: Tree | undefined
}

const input = ({ elapsedMillis, ranMillis, u = 0 }: Now, kind: Kind, atLeastMillis: number): BackoffTree.Input => ({
  u,
  kind,
  ranMillis,
  elapsedMillis,
  atLeastMillis
})

/** The delay of the back-off alone; `undefined` where the back-off has ended. */
const step = (tree: Tree | undefined, now: Now, kind: Kind): Stepped | undefined | "NeedsStep" => {
  if (tree !== undefined) return BackoffTree.step(tree, input(now, kind, 0))
  const { stepped } = now
  if (stepped === undefined) return "NeedsStep"
  return Option.isNone(stepped) ? undefined : { delayMillis: stepped.value, capped: false, rest: undefined }
}

/** The delay adjusted by the hint and the deadline. */
const bent = (
  prepared: Prepared,
  tree: Tree | undefined,
  now: Now,
  failure: Retryable,
  stepped: Stepped | undefined,
  atLeastMillis = 0
): Decision => {
  if (stepped === undefined) return stop({ _tag: "BackoffEnded" }, atLeastMillis || undefined)
  const { delayMillis } = stepped
  const { elapsedMillis, u = 0 } = now
  const { kind } = failure
  const hint = Option.getOrUndefined(failure.hint)
  const asked = hint === undefined ? delayMillis : HintRule.bend(prepared.hint, delayMillis, Duration.toMillis(hint), u)
  if (asked === undefined) return stop({ _tag: "HintTooLong", hint: hint! }, delayMillis)
  // A longer wait may end a back-off with a time limit.
  if (tree !== undefined && asked > Math.max(delayMillis, atLeastMillis)) {
    return bent(prepared, tree, now, failure, BackoffTree.step(tree, input(now, kind, asked)), asked)
  }
  const fitted = fit(prepared, elapsedMillis, asked)
  if (typeof fitted !== "number") return stop(fitted, asked)
  const startsOver = hint !== undefined && HintRule.startsOver(prepared.hint, delayMillis, Duration.toMillis(hint))
  return {
    _tag: "Retry",
    delayMillis: fitted,
    source: fitted !== asked ? "Deadline" : asked !== delayMillis ? "Hint" : stepped.capped ? "Cap" : "Curve",
    tree: startsOver ? prepared.tree : stepped.rest,
    startsOver
  }
}

/**
 * The wait that keeps the deadline, or why there is none. Called at the decision, and again after every step that took time.
 */
export const fit = (
  { policy: { deadline } }: Prepared,
  elapsedMillis: number,
  delayMillis: number
): number | StopReason =>
  deadline === undefined ? delayMillis : deadline.machinery.fit(deadline, elapsedMillis, delayMillis)

/** The deadline as a reason to stop, if it forbids an attempt now. */
export const lateness = ({ policy: { deadline } }: Prepared, elapsedMillis: number): StopReason | undefined =>
  deadline?.machinery.late(deadline, elapsedMillis)

const stop = (reason: StopReason, delayMillis?: number): Decision => ({ _tag: "Stop", reason, delayMillis })
