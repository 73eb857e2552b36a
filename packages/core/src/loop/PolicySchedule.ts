/**
 * Policies for people who stay with `Effect.retry`, `Stream.retry` or a native combinator.
 */
import { Duration, Effect, Random, Schedule, ScheduleDecision, ScheduleInterval } from "effect"
import * as Argument from "../accept/InvalidArgument.ts"
import type { Retryable } from "../classify/Verdict.ts"
import * as Backoff from "../decide/Backoff.ts"
import type { Tree } from "../decide/BackoffTree.ts"
import * as BackoffTree from "../decide/BackoffTree.ts"
import type { Deadline } from "../decide/Deadline.ts"
import * as Decision from "./Decision.ts"
import * as Foreign from "./Foreign.ts"
import type { Any, ErasedPolicy, In } from "./PolicyRecord.ts"
import { check, erase } from "./PolicyRecord.ts"

/**
 * A policy of which a schedule can do everything: one that neither looks into attempts nor at successes.
 *
 * @category models
 */
export type Schedulable = Any & {
  readonly observe?: undefined
  readonly whenNested?: undefined
  readonly attempt?: undefined
  readonly attemptSpan?: undefined
  readonly sendRate?: undefined
  readonly attemptTimeout?: undefined
  readonly result?: undefined
  readonly deadline?: Deadline | undefined
  readonly release?: undefined
  readonly bucket?: undefined
}

/**
 * The policy as a plain schedule of delays that reads the error.
 *
 * A schedule sees failures only, so what needs more is refused: observe, whenNested, attempt, attemptSpan, sendRate,
 * attemptTimeout, result, release, bucket and a deadline that cuts; a name is not made use of. A schedule is first asked
 * when the first attempt has failed; its deadline counts from then.
 *
 * @category conversions
 */
export const toSchedule = <P extends Schedulable>(
  policy: P
): Schedule.Schedule<Duration.Duration, In<P>, ScheduleEnv<P>> =>
  schedule(checked(erase(policy))) as Schedule.Schedule<Duration.Duration, In<P>, ScheduleEnv<P>>

type ScheduleEnv<P> = P extends { readonly backoff: Schedule.Schedule<any, any, infer R> } ? R : never

const checked = (policy: ErasedPolicy): ErasedPolicy => {
  const owner = "Policy.toSchedule"
  check(owner, policy)
  for (const field of beyond) {
    if (policy[field] !== undefined) Argument.refuse(owner, field, "absent: a schedule cannot do this", policy[field])
  }
  return policy.deadline?._tag === "Cut"
    ? Argument.refuse(owner, "deadline", "one that does not cut", policy.deadline._tag)
    : policy
}

const beyond = [
  "observe",
  "whenNested",
  "attempt",
  "attemptSpan",
  "sendRate",
  "attemptTimeout",
  "result",
  "release",
  "bucket"
] as const

interface State {
  readonly attempts: number
  readonly firstFailedAt: number | undefined
  /** When the attempt that fails next begins. */
  readonly startedAt: number | undefined
  readonly tree: Tree | undefined
  readonly foreign: unknown
}

type Stepped = readonly [State, Duration.Duration, ScheduleDecision.ScheduleDecision]

const schedule = (policy: ErasedPolicy): Schedule.Schedule<Duration.Duration, unknown, unknown> => {
  const initial: State = {
    attempts: 1,
    firstFailedAt: undefined,
    startedAt: undefined,
    tree: Backoff.isBackoff(policy.backoff) ? policy.backoff.tree : undefined,
    foreign: policy.backoff.initial
  }
  return Schedule.makeWithState(initial, (now, error: unknown, state) => {
    const verdict = Decision.retryable(policy, state.attempts, policy.classifier(error))
    if (verdict._tag !== "Retryable") return Effect.succeed(stopped(state))
    const withDraw = (u: number) =>
      Effect.map(stepBackoff(policy, verdict, error, now, state, u), ({ delayMillis, ...next }): Stepped => {
        const firstFailedAt = state.firstFailedAt ?? now
        const decision = Decision.bend(policy, verdict, delayMillis, Math.max(0, now - firstFailedAt), u)
        if (typeof decision !== "number") return stopped(state)
        const startedAt = now + decision
        return [
          { ...next, attempts: state.attempts + 1, firstFailedAt, startedAt },
          Duration.millis(decision),
          ScheduleDecision.continueWith(ScheduleInterval.after(startedAt))
        ]
      })
    return Decision.draws(policy) ? Effect.flatMap(Random.next, withDraw) : withDraw(0)
  })
}

const stopped = (state: State): Stepped => [state, Duration.zero, ScheduleDecision.done]

type BackoffStep = Pick<State, "tree" | "foreign"> & { readonly delayMillis: number | undefined }

const stepBackoff = (
  { backoff }: ErasedPolicy,
  { kind }: Retryable,
  error: unknown,
  now: number,
  { firstFailedAt = now, foreign, startedAt, tree }: State,
  u: number
): Effect.Effect<BackoffStep, never, unknown> => {
  if (tree === undefined) {
    const step = Foreign.step(backoff, now, error, foreign)
    return Effect.map(step, ({ delayMillis, state }) => ({ delayMillis, tree, foreign: state }))
  }
  const ranMillis = startedAt === undefined ? 0 : Math.max(0, now - startedAt)
  const stepped = BackoffTree.step(tree, { u, kind, ranMillis, elapsedMillis: Math.max(0, now - firstFailedAt) })
  return Effect.succeed({ delayMillis: stepped?.delayMillis, tree: stepped?.rest ?? tree, foreign })
}
