/**
 * One operation in virtual time: nothing is called and nothing waits, but every decision is the loop's own.
 *
 * A thin file: it draws from `Random` and runs the effects of a foreign schedule.
 */
import { Clock, Effect, Random } from "effect"
import * as Classifier from "@effect-retry/core/Classifier"
import type { Retryable } from "@effect-retry/core/Verdict"
import * as Backoff from "@effect-retry/core/Backoff"
import * as BackoffTree from "@effect-retry/core/BackoffTree"
import * as Decision from "@effect-retry/core/Decision"
import * as Foreign from "@effect-retry/core/Foreign"
import { erase } from "@effect-retry/core/PolicyRecord"
import type { StopReason } from "@effect-retry/core/RetryStopped"
import { longestRun } from "./Limits.ts"
import type { Scheduled } from "./PlanRecord.ts"

/**
 * What happens in an operation.
 *
 * @category models
 */
export interface Scenario<R> {
  readonly policy: Scheduled<R>
  /** Whether the next attempt fails; asked for each that does not run into a timeout. */
  readonly fails: Effect.Effect<boolean>
  /** How a failure is judged that is no timeout. */
  readonly verdict: Retryable
  /** How long every attempt takes, where nothing ends it before. */
  readonly takesMillis: number
  /** An operation that would make more attempts is left unfinished. */
  readonly mostAttempts: number
}

/**
 * How an operation went, in milliseconds since the start of its first attempt.
 *
 * @category models
 */
export interface Run {
  readonly attempts: ReadonlyArray<Started>
  readonly waited: number
  readonly elapsed: number
  readonly end: "Succeeded" | "Unfinished" | StopReason["_tag"]
}

/**
 * An attempt of an operation.
 *
 * @category models
 */
export interface Started {
  readonly at: number
  /** The delay before it, as it was decided on; absent for the first. */
  readonly delay: number | undefined
  /** In all delays so far. */
  readonly waited: number
}

/**
 * @category running
 */
export const run = <R>({
  fails,
  mostAttempts,
  policy,
  takesMillis,
  verdict
}: Scenario<R>): Effect.Effect<Run, never, R> =>
  Effect.gen(function* () {
    const erased = erase({ classifier: Classifier.always, ...policy })
    const cutMillis = policy.deadline?._tag === "Cut" ? policy.deadline.withinMillis : Infinity
    const startedAt = yield* Clock.currentTimeMillis
    const next = stepper(policy.backoff)
    const attempts: Array<Started> = [{ at: 0, delay: undefined, waited: 0 }]
    let elapsed = 0
    let waited = 0
    const end = (end: Run["end"]): Run => ({ attempts, waited, elapsed, end })
    for (;;) {
      const ranMillis = longestRun({ policy, takesMillis }, attempts.length, elapsed)
      const timedOut = ranMillis < takesMillis
      elapsed += ranMillis
      if (elapsed >= cutMillis) return end("DeadlinePassed")
      if (!timedOut && !(yield* fails)) return end("Succeeded")
      const judged = Decision.retryable(
        erased,
        attempts.length,
        timedOut && policy.attemptTimeout !== undefined ? policy.attemptTimeout.verdict : verdict
      )
      if (judged._tag !== "Retryable") return end(judged._tag)
      if (attempts.length >= mostAttempts) return end("Unfinished")
      const u = Decision.draws(erased) ? yield* Random.next : 0
      const delay = yield* next({ u, kind: judged.kind, ranMillis }, startedAt + elapsed)
      const decision = Decision.bend(erased, judged, delay, elapsed, u)
      if (typeof decision !== "number") return end(decision._tag)
      const waits = Math.min(decision, cutMillis - elapsed)
      waited += waits
      elapsed += waits
      if (elapsed >= cutMillis) return end("DeadlinePassed")
      attempts.push({ at: elapsed, delay: decision, waited })
    }
  })

/** Steps a back-off or a foreign schedule from its beginning. */
const stepper = <R>(backoff: Scheduled<R>["backoff"]) => {
  let tree: BackoffTree.Tree | undefined = Backoff.isBackoff(backoff) ? backoff.tree : undefined
  let state: unknown = backoff.initial
  return (input: BackoffTree.Input, now: number): Effect.Effect<number | undefined, never, R> => {
    if (tree === undefined) {
      return Effect.map(Foreign.step(backoff, now, undefined, state), (stepped) => {
        state = stepped.state
        return stepped.delayMillis
      })
    }
    const stepped = BackoffTree.step(tree, input)
    tree = stepped?.rest ?? tree
    return Effect.succeed(stepped?.delayMillis)
  }
}
