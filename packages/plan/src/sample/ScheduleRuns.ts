/**
 * Explains a schedule that is no `Backoff`, by stepping it in virtual time.
 *
 * It runs the schedule's own effects.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as Verdict from "@effect-retry/core/Verdict"
import * as Hint from "@effect-retry/core/Hint"
import { assumptionsOf, plannedAttempt, worst } from "../explain/Explain.ts"
import { check } from "../explain/Inputs.ts"
import type { Followed, Row } from "../explain/Journey.ts"
import { longestHint, mostAttempts, timeoutMillis } from "../explain/Limits.ts"
import * as Pcg from "../chance/Pcg.ts"
import * as RandomLine from "../chance/RandomLine.ts"
import type { Options, Plan, Scheduled } from "../explain/PlanRecord.ts"
import { bounds } from "../explain/Remainder.ts"
import { assumption } from "../explain/Remark.ts"
import type { Run } from "./Simulation.ts"
import { run } from "./Simulation.ts"
import * as Warnings from "../explain/Warnings.ts"

/**
 * How often a schedule is run, and with which seed.
 *
 * @category models
 */
export interface RunOptions extends Options {
  /** The number of runs, from 1 to 10,000. @default 100 */
  readonly samples?: number
  /** @default 0 */
  readonly seed?: number | string
}

/**
 * Explains any schedule, alone or in a policy, from observed runs. The same seed gives the same plan.
 *
 * In every other run attempts take no time, in the rest as long as they can; a policy that follows hints is run equally
 * often with the longest hints. A run ends with the table; anything beyond is only bounded, with a warning. A schedule
 * declares no bounds, so `bound` is the longest delay seen. Virtual time starts at the clock's time, and only the
 * schedule sees it pass.
 * Give a schedule that reads the error one with `Schedule.mapInput`.
 *
 * @category running
 */
export const explainSchedule: {
  <R>(schedule: Schedule.Schedule<unknown, unknown, R>, options?: RunOptions): Effect.Effect<Plan, never, R>
  <R>(policy: Scheduled<R>, options?: RunOptions): Effect.Effect<Plan, never, R>
} = <R>(self: Schedule.Schedule<unknown, unknown, R> | Scheduled<R>, options?: RunOptions) => {
  const owner = "Plan.explainSchedule"
  const policy: Scheduled<R> = Schedule.isSchedule(self) ? { maxAttempts: Infinity, backoff: self } : self
  const { prepared, rows, takesMillis } = check(owner, policy, options)
  const samples = Argument.number(owner, "samples", options?.samples ?? 100, { min: 1, max: 10_000, integer: true })
  const rule = policy.hint ?? Hint.standard
  const followsHints = rule._tag !== "Ignore" && mostAttempts(policy) > 1 && !Schedule.isSchedule(self)
  const runs = (times: number, takesMillis: number, verdict: Verdict.Retryable) =>
    Effect.replicateEffect(
      run<R>({ prepared, takesMillis, verdict, fails: Effect.succeed(true), mostAttempts: rows }),
      times
    )
  const longest = Verdict.retryable("Transient", { hint: Duration.millis(longestHint(rule)) })
  return Effect.gen(function* () {
    const slow = yield* runs(Math.ceil(samples / 2), takesMillis, Verdict.transient)
    const fast = yield* runs(Math.floor(samples / 2), 0, Verdict.transient)
    const hinted = followsHints ? yield* runs(samples, takesMillis, longest) : []
    const plain = gathered(policy, takesMillis, [...fast, ...slow])
    const assumptions = Schedule.isSchedule(self) ? [] : assumptionsOf(policy, takesMillis)
    return {
      attempts: plain.rows.map(plannedAttempt),
      worst: worst(policy, plain),
      hinted: followsHints
        ? Option.some(worst(policy, gathered(policy, takesMillis, [...fast, ...slow, ...hinted])))
        : Option.none(),
      warnings: Warnings.ofAttempts(policy, plain),
      assumptions: [assumption({ _tag: "Sampled", runs: samples }), ...assumptions]
    }
  }).pipe((plan) => Effect.suspend(() => RandomLine.withDraws(plan, Pcg.make(options?.seed ?? 0))))
}

const gathered = (
  policy: Scheduled<unknown>,
  takesMillis: number,
  runs: ReadonlyArray<Run>
): Omit<Followed, "spreads"> => {
  const attempts = Math.max(...runs.map((run) => run.attempts.length))
  const longest = runs.filter((run) => run.attempts.length === attempts)
  const stoppedBy = (end: Run["end"]) => longest.every((run) => run.end === end)
  const late = runs.filter((run) => run.end === "DeadlinePassed").map((run) => run.attempts.length + 1)
  const rows = Array.from({ length: attempts }, (_, i) => rowOf(policy, runs, i))
  const complete = runs.every((run) => run.end !== "Unfinished")
  const seen = {
    waitedMillis: Math.max(...runs.map((run) => run.waited)),
    elapsedMillis: Math.max(...runs.map((run) => run.elapsed))
  }
  return {
    rows,
    attempts,
    complete,
    ...(complete ? seen : bounds({ policy, takesMillis })),
    refusedBy: stoppedBy("BackoffEnded") ? "Backoff" : stoppedBy("DeadlinePassed") ? "Deadline" : undefined,
    uncertainFrom: Math.min(...late)
  }
}

const rowOf = (policy: Scheduled<unknown>, runs: ReadonlyArray<Run>, i: number): Row => {
  const started = runs.flatMap((run) => run.attempts[i] ?? [])
  const delays = started.flatMap(({ delay }) => delay ?? [])
  const earliest = Math.min(...started.map(({ at }) => at))
  const most = Math.max(...delays)
  return {
    attempt: i + 1,
    timeoutMillis: timeoutMillis(policy, i + 1, earliest),
    delay:
      delays.length === 0
        ? undefined
        : {
            bound: most,
            least: Math.min(...delays),
            mean: delays.reduce((sum, delay) => sum + delay, 0) / delays.length,
            most
          },
    earliest,
    latest: Math.max(...started.map(({ at }) => at)),
    waited: Math.max(...started.map(({ waited }) => waited))
  }
}
