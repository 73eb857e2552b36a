/**
 * Simulates one operation in virtual time: without calls or waits, but with the loop's own decisions.
 *
 * A thin file: it draws from `Random` and runs the effects of a foreign schedule.
 */
import * as Deciding from "@effect-retry/core/unstable/Deciding"
import type { Prepared } from "@effect-retry/core/unstable/PolicyCheck"
import * as Progress from "@effect-retry/core/unstable/Progress"
import type { StopReason } from "@effect-retry/core/unstable/RetryStopped"
import type { Retryable } from "@effect-retry/core/Verdict"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { longestRun } from "../explain/Limits.ts"

/** What happens in an operation. */
interface Scenario {
  readonly prepared: Prepared
  /** Whether the next attempt fails; used for each attempt that does not time out. */
  readonly fails: Effect.Effect<boolean>
  /** The verdict on a failure that is not a timeout. */
  readonly verdict: Retryable
  /** How long every attempt takes, unless something ends it earlier. */
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
  /** The delay decided on before it; `undefined` for the first. */
  readonly delay: number | undefined
  /** The total of all delays so far. */
  readonly waited: number
}

/** Runs an operation whose schedule requires `R`. */
export const run = <R>(scenario: Scenario): Effect.Effect<Run, never, R> =>
  Effect.gen(function* () {
    const { fails, mostAttempts, prepared, takesMillis, verdict } = scenario
    const { hooks, policy } = prepared
    const times = { attemptTimeout: hooks.attemptTimeout, deadline: policy.deadline }
    const cutMillis = policy.deadline?._tag === "Cut" ? policy.deadline.withinMillis : Infinity
    const startedAt = yield* Clock.currentTimeMillis
    const attempts: Array<Started> = [{ at: 0, delay: undefined, waited: 0 }]
    const progress = Progress.make(prepared)
    let elapsedMillis = 0
    let waited = 0
    const end = (end: Run["end"]): Run => ({ attempts, waited, elapsed: elapsedMillis, end })
    for (;;) {
      progress.attempts = attempts.length
      const ranMillis = longestRun({ policy: times, takesMillis }, attempts.length, elapsedMillis)
      const timedOut = ranMillis < takesMillis
      elapsedMillis += ranMillis
      if (elapsedMillis >= cutMillis) return end("DeadlinePassed")
      if (!timedOut && !(yield* fails)) return end("Succeeded")
      const judged = (timedOut && hooks.attemptTimeout?.verdict) || verdict
      Progress.fail(prepared, progress, judged)
      const decided = yield* decide<R>({
        prepared,
        progress,
        verdict: judged,
        input: undefined,
        ranMillis,
        outer: undefined,
        elapsedMillis: () => elapsedMillis,
        nowMillis: () => startedAt + elapsedMillis,
        draw: () => Random.next
      })
      if (decided._tag === "Stop") return end(decided.reason._tag)
      if (attempts.length >= mostAttempts) return end("Unfinished")
      const waits = Math.min(decided.delayMillis, cutMillis - elapsedMillis)
      waited += waits
      elapsedMillis += waits
      if (elapsedMillis >= cutMillis) return end("DeadlinePassed")
      attempts.push({ at: elapsedMillis, delay: decided.delayMillis, waited })
    }
  })

const decide = <R>(failed: Deciding.Failed): Effect.Effect<Deciding.Decided, never, R> =>
  Effect.suspend(() => Deciding.ask(failed, Effect.succeed<Deciding.Decided>))
