/**
 * What follows a failed attempt: one pure function of a policy, the progress of the operation and the failure.
 *
 * The loop, `Policy.toSchedule` and the plan ask it, and nothing else decides. The order is fixed: not retryable, attempts
 * spent, standing down, back-off ended, hint too long, deadline. A random number and the step of a foreign schedule cost
 * an effect, so the function asks for them, and only where it comes to need them.
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import { whyNot } from "../../classify/Judging.ts"
import type { Kind, Retryable, Verdict } from "../../classify/Verdict.ts"
import { kindOf } from "../../classify/Verdict.ts"
import type { Tree } from "../../decide/BackoffTree.ts"
import * as BackoffTree from "../../decide/BackoffTree.ts"
import * as HintRule from "../../decide/HintRule.ts"
import type { Prepared } from "../policy/PolicyCheck.ts"
import type { DelaySource } from "../policy/RetryEvent.ts"
import type { StopReason } from "../policy/RetryStopped.ts"

/** How far an operation has come. */
export interface Progress {
  /** Attempts started; since the latest progress, where an attempt has made some. */
  readonly attempts: number
  /** Failures so far of the kinds that the policy limits, the one at hand included. */
  readonly failures: Failures
  /** Time since the operation began, at the moment of the decision. */
  readonly elapsedMillis: number
  /** How long the failed attempt ran. */
  readonly ranMillis: number
  /** Where the back-off stands; `undefined` for a foreign schedule. */
  readonly tree: Tree | undefined
  /** The name of the operation inside which this one would retry, where the policy stands down. */
  readonly outer: string | undefined
  /** A random number in [0, 1), once it was asked for. */
  readonly u: number | undefined
  /** The delay of a foreign schedule, once it was asked for; `None` where the schedule has ended. */
  readonly stepped: Option.Option<number> | undefined
}

/** Failures by kind, of the kinds that a policy limits. */
export type Failures = { readonly [K in Kind]?: number }

export type Decision =
  | {
      readonly _tag: "Retry"
      readonly delayMillis: number
      readonly source: DelaySource
      /** Where the back-off goes on. */
      readonly tree: Tree | undefined
      /** Whether a foreign schedule starts over. */
      readonly startsOver: boolean
    }
  | {
      readonly _tag: "Stop"
      readonly reason: StopReason
      /** The delay that had been decided on, where the decision came so far. */
      readonly delayMillis: number | undefined
    }
  /** `u` is needed. */
  | typeof needsDraw
  /** `stepped` is needed. */
  | typeof needsStep

export const needsDraw = { _tag: "NeedsDraw" } as const

export const needsStep = { _tag: "NeedsStep" } as const

/** Decides what follows a failure. */
export const decide = (prepared: Prepared, progress: Progress, verdict: Verdict): Decision => {
  const refused = refusal(prepared, progress, verdict)
  if (refused !== undefined) return stop(refused)
  const failure = verdict as Retryable
  const draws = prepared.draws || (prepared.hintDraws && Option.isSome(failure.hint))
  if (draws && progress.u === undefined) return needsDraw
  const stepped = step(progress, failure.kind)
  return stepped === "NeedsStep" ? needsStep : bent(prepared, progress, failure, stepped)
}

/** What stops an operation before its back-off is asked. */
const refusal = ({ policy }: Prepared, progress: Progress, verdict: Verdict): StopReason | undefined => {
  if (verdict._tag !== "Retryable") return { _tag: "Terminal", why: whyNot(verdict) }
  const { outer } = progress
  return spent(policy, progress, verdict.kind) ?? (outer === undefined ? undefined : { _tag: "StoodDown", outer })
}

const spent = (
  { attemptsByKind, maxAttempts }: Prepared["policy"],
  { attempts, failures }: Progress,
  kind: Kind
): StopReason | undefined => {
  const limit = attemptsByKind?.[kind]
  if (limit !== undefined) {
    return (failures[kind] ?? 0) < limit ? undefined : { _tag: "AttemptsSpent", maxAttempts: limit, kind }
  }
  // Failures of the kinds that have limits of their own do not count.
  const counted =
    attemptsByKind === undefined ? attempts : Object.values(failures).reduce((sum, count) => sum - count, attempts)
  return counted < maxAttempts ? undefined : { _tag: "AttemptsSpent", maxAttempts }
}

/** The failures by kind after another one. */
export const addFailure = (
  { policy: { attemptsByKind } }: Prepared,
  failures: Failures,
  verdict: Verdict
): Failures => {
  if (attemptsByKind === undefined) return failures
  const kind = Option.getOrUndefined(kindOf(verdict))
  return kind === undefined || attemptsByKind[kind] === undefined
    ? failures
    : { ...failures, [kind]: (failures[kind] ?? 0) + 1 }
}

interface Stepped {
  readonly delayMillis: number
  readonly capped: boolean
  readonly rest: Tree | undefined
}

const input = (
  { elapsedMillis, ranMillis, u = 0 }: Progress,
  kind: Kind,
  atLeastMillis: number
): BackoffTree.Input => ({ u, kind, ranMillis, elapsedMillis, atLeastMillis })

/** The delay of the back-off alone; `undefined` where the back-off has ended. */
const step = (progress: Progress, kind: Kind): Stepped | undefined | "NeedsStep" => {
  if (progress.tree !== undefined) return BackoffTree.step(progress.tree, input(progress, kind, 0))
  const { stepped } = progress
  if (stepped === undefined) return "NeedsStep"
  return Option.isNone(stepped) ? undefined : { delayMillis: stepped.value, capped: false, rest: undefined }
}

/** The delay as the hint and the deadline bend it. */
const bent = (
  prepared: Prepared,
  progress: Progress,
  failure: Retryable,
  stepped: Stepped | undefined,
  atLeastMillis = 0
): Decision => {
  if (stepped === undefined) return stop({ _tag: "BackoffEnded" }, atLeastMillis || undefined)
  const { delayMillis } = stepped
  const { elapsedMillis, tree, u = 0 } = progress
  const { kind } = failure
  const hint = Option.getOrUndefined(failure.hint)
  const asked = hint === undefined ? delayMillis : HintRule.bend(prepared.hint, delayMillis, Duration.toMillis(hint), u)
  if (asked === undefined) return stop({ _tag: "HintTooLong", hint: hint! }, delayMillis)
  // A longer wait may end a back-off that ends by time.
  if (tree !== undefined && asked > Math.max(delayMillis, atLeastMillis)) {
    return bent(prepared, progress, failure, BackoffTree.step(tree, input(progress, kind, asked)), asked)
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
 * The wait that keeps the deadline, or why there is none. Asked at the decision, and again after every step that took time.
 */
export const fit = (
  { policy: { deadline } }: Prepared,
  elapsedMillis: number,
  delayMillis: number
): number | StopReason =>
  deadline === undefined ? delayMillis : deadline.machinery.fit(deadline, elapsedMillis, delayMillis)

const stop = (reason: StopReason, delayMillis?: number): Decision => ({ _tag: "Stop", reason, delayMillis })
