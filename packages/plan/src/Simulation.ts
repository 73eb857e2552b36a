/**
 * One operation in virtual time: nothing is called and nothing waits, but every decision is the loop's own.
 *
 * A thin file: it draws from `Random` and runs the effects of a foreign schedule.
 */
import type { Progress } from "@effect-retry/core/unstable/Decision"
import * as Decision from "@effect-retry/core/unstable/Decision"
import * as ForeignSchedule from "@effect-retry/core/unstable/ForeignSchedule"
import type { Prepared } from "@effect-retry/core/unstable/PolicyCheck"
import type { StopReason } from "@effect-retry/core/unstable/RetryStopped"
import type { Retryable, Verdict } from "@effect-retry/core/Verdict"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type * as Schedule from "effect/Schedule"
import { longestRun } from "./Limits.ts"

/** What happens in an operation. */
export interface Scenario {
  readonly prepared: Prepared
  /** Whether the next attempt fails; asked for each that does not run into a timeout. */
  readonly fails: Effect.Effect<boolean>
  /** How a failure is judged that is no timeout. */
  readonly verdict: Retryable
  /** How long every attempt takes, where nothing ends it before. */
  readonly takesMillis: number
  /** An operation that would make more attempts is left unfinished. */
  readonly mostAttempts: number
}

/** How an operation went, in milliseconds since the start of its first attempt. */
export interface Run {
  readonly attempts: ReadonlyArray<Started>
  readonly waited: number
  readonly elapsed: number
  readonly end: "Succeeded" | "Unfinished" | StopReason["_tag"]
}

/** An attempt of an operation. */
export interface Started {
  readonly at: number
  /** The delay before it, as it was decided on; absent for the first. */
  readonly delay: number | undefined
  /** In all delays so far. */
  readonly waited: number
}

/** Runs an operation whose schedule requires `R`. */
export const run = <R>(scenario: Scenario): Effect.Effect<Run, never, R> =>
  Effect.gen(function* () {
    const { fails, mostAttempts, prepared, takesMillis, verdict } = scenario
    const { hooks, policy } = prepared
    const times = { attemptTimeout: hooks.attemptTimeout, deadline: policy.deadline }
    const cutMillis = policy.deadline?._tag === "Cut" ? policy.deadline.withinMillis : Infinity
    const decide = decider<R>(prepared, yield* Clock.currentTimeMillis)
    const attempts: Array<Started> = [{ at: 0, delay: undefined, waited: 0 }]
    let progress = { failures: {}, tree: prepared.tree, elapsedMillis: 0 }
    let waited = 0
    const end = (end: Run["end"]): Run => ({ attempts, waited, elapsed: progress.elapsedMillis, end })
    for (;;) {
      const ranMillis = longestRun({ policy: times, takesMillis }, attempts.length, progress.elapsedMillis)
      const timedOut = ranMillis < takesMillis
      progress = { ...progress, elapsedMillis: progress.elapsedMillis + ranMillis }
      if (progress.elapsedMillis >= cutMillis) return end("DeadlinePassed")
      if (!timedOut && !(yield* fails)) return end("Succeeded")
      const judged = (timedOut && hooks.attemptTimeout?.verdict) || verdict
      const failures = Decision.addFailure(prepared, progress.failures, judged)
      const decision = yield* decide(
        { ...progress, ...nothingElse, attempts: attempts.length, failures, ranMillis },
        judged
      )
      if (decision._tag === "Stop") return end(decision.reason._tag)
      if (attempts.length >= mostAttempts) return end("Unfinished")
      const waits = Math.min(decision.delayMillis, cutMillis - progress.elapsedMillis)
      waited += waits
      progress = { failures, tree: decision.tree, elapsedMillis: progress.elapsedMillis + waits }
      if (progress.elapsedMillis >= cutMillis) return end("DeadlinePassed")
      attempts.push({ at: progress.elapsedMillis, delay: decision.delayMillis, waited })
    }
  })

/** An operation on its own, before anything was asked for. */
const nothingElse = { outer: undefined, u: undefined, stepped: undefined }

type Decided = Extract<Decision.Decision, { readonly _tag: "Retry" | "Stop" }>

/** Gives the decision what it needs: a random number, and the steps of a foreign schedule. */
const decider = <R>(prepared: Prepared, startedAt: number) => {
  const backoff = prepared.policy.backoff as Schedule.Schedule<unknown, unknown, R>
  let state: unknown = backoff.initial
  const decide = (progress: Progress, verdict: Verdict): Effect.Effect<Decided, never, R> => {
    const decision = Decision.decide(prepared, progress, verdict)
    if (decision._tag === "NeedsDraw") {
      return Effect.flatMap(Random.next, (u) => decide({ ...progress, u }, verdict))
    }
    if (decision._tag === "NeedsStep") {
      const step = ForeignSchedule.step(backoff, startedAt + progress.elapsedMillis, undefined, state)
      return Effect.flatMap(step, (stepped) => {
        state = stepped.state
        return decide({ ...progress, stepped: stepped.delayMillis }, verdict)
      })
    }
    if (decision._tag === "Retry" && decision.startsOver) state = backoff.initial
    return Effect.succeed(decision)
  }
  return decide
}
