/**
 * Plans: what a policy will do, before it runs.
 *
 * `explain` gives the worst case, from the data of a `Backoff`; `explainSchedule` shows what runs of any other schedule
 * have shown; `sample` shows what usually happens. None of them asks a bucket; `Load`, `Fit` and `Replay` do.
 *
 * @example
 * ```ts
 * import { AttemptTimeout, Backoff, Deadline, Hint, Jitter } from "@effect-retry/core"
 * import { Plan } from "@effect-retry/plan"
 * import * as assert from "node:assert"
 *
 * const plan = Plan.explain({
 *   attemptTimeout: AttemptTimeout.constant("2 seconds"),
 *   maxAttempts: 4,
 *   backoff: Backoff.exponential({ base: "100 millis" }).pipe(Backoff.capped("300 millis"), Backoff.jittered(Jitter.full)),
 *   hint: Hint.ignore,
 *   deadline: Deadline.refuse("6 seconds")
 * })
 *
 * assert.deepStrictEqual(Plan.toText(plan).split("\n"), [
 *   "attempt  timeout  bound  least    mean   most  earliest  latest  waited",
 *   "      1       2s      -      -       -      -       0ms     0ms     0ms",
 *   "      2       2s  100ms    0ms  50.5ms  100ms       0ms    2.1s   100ms",
 *   "      3       2s  200ms    0ms   101ms  200ms       0ms    4.3s   300ms",
 *   "      4       2s  300ms    0ms   151ms  300ms       0ms  5.999s   600ms",
 *   "",
 *   "worst case  4 attempts, 600ms waiting, 6s in all, load factor 4",
 *   "warnings    attempts from 4 on are made only if earlier ones end sooner, or wait",
 *   "            less, than they may"
 * ])
 * ```
 */
export { explain } from "./explain/Explain.ts"
export type { Explainable, Options, Plan, PlannedAttempt, Scheduled, Worst } from "./explain/PlanRecord.ts"
export { toText } from "./explain/PlanText.ts"
export type { Assumption, Warning } from "./explain/Remark.ts"
export { type Sample, sample, type SampleOptions } from "./sample/Sample.ts"
export { explainSchedule, type RunOptions } from "./sample/ScheduleRuns.ts"
