/**
 * Policies for people who stay with `Effect.retry`, `Stream.retry` or a native combinator.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"
import * as ScheduleDecision from "effect/ScheduleDecision"
import * as ScheduleInterval from "effect/ScheduleInterval"
import * as Argument from "../accept/Argument.ts"
import * as Judging from "../classify/Judging.ts"
import type { Verdict } from "../classify/Verdict.ts"
import type { Deadline } from "./policy/Deadline.ts"
import * as Decision from "./run/Decision.ts"
import * as ForeignSchedule from "../fund/fiber/ForeignSchedule.ts"
import type { Prepared } from "./policy/PolicyCheck.ts"
import { prepare } from "./policy/PolicyCheck.ts"
import type { Any } from "./policy/PolicyRecord.ts"
import type { In, Needs } from "./policy/PolicyTypes.ts"

/** A policy that a schedule can carry out: one that acts neither on attempts nor on successes. */
export type Schedulable = Any & { readonly [Field in (typeof beyond)[number]]?: undefined } & {
  readonly deadline?: Deadline | undefined
}

/**
 * The policy as a plain schedule of delays that reads the error.
 *
 * A schedule sees failures only, so what needs more is refused: observe, whenNested, attempt, attemptSpan, rateLimiter,
 * attemptTimeout, result, release, bucket and a deadline that cuts; a name is ignored. A schedule is first asked
 * when the first attempt has failed; its deadline, and the times of its back-off and classifier, count from then.
 *
 * @category conversions
 */
export const toSchedule = <P extends Schedulable>(
  policy: P
): Schedule.Schedule<Duration.Duration, In<P>, Needs<P>["backoff"]> =>
  schedule(checked(policy)) as Schedule.Schedule<Duration.Duration, In<P>, Needs<P>["backoff"]>

const beyond = [
  "observe",
  "whenNested",
  "attempt",
  "attemptSpan",
  "rateLimiter",
  "attemptTimeout",
  "result",
  "release",
  "bucket"
] as const

const checked = (given: Any): Prepared => {
  const owner = "Policy.toSchedule"
  const prepared = prepare(owner, given)
  for (const field of beyond) {
    if (given[field] !== undefined) Argument.refuse(owner, field, "absent: a schedule cannot do this", given[field])
  }
  return given.deadline?._tag === "Cut"
    ? Argument.refuse(owner, "deadline", "one that does not cut", given.deadline._tag)
    : prepared
}

interface State {
  /** Attempts started. */
  readonly attempts: number
  /** Those before the latest one that made progress, and failures since then of the kinds that the policy limits. */
  readonly outdated: number
  readonly failures: Decision.Failures
  readonly firstFailedAt: number | undefined
  /** When the attempt that fails next begins; `Infinity` for the first one, whose start a schedule does not see. */
  readonly startedAt: number
  readonly tree: Decision.Progress["tree"]
  readonly foreign: unknown
}

type Stepped = readonly [State, Duration.Duration, ScheduleDecision.ScheduleDecision]

const schedule = (prepared: Prepared): Schedule.Schedule<Duration.Duration, unknown, unknown> => {
  const { hooks, policy } = prepared
  const initial: State = {
    attempts: 1,
    outdated: 0,
    failures: {},
    firstFailedAt: undefined,
    startedAt: Infinity,
    tree: prepared.tree,
    foreign: policy.backoff.initial
  }
  return Schedule.makeWithState(initial, (nowMillis, error: unknown, before) => {
    const firstFailedAt = before.firstFailedAt ?? nowMillis
    const elapsed = Duration.millis(Math.max(0, nowMillis - firstFailedAt))
    const moment = { nowMillis, attempt: before.attempts, elapsed }
    const verdict = Judging.ofError("Policy", "classifier", hooks.classifier, error, moment)
    const since =
      verdict._tag === "Retryable" && verdict.progressed === true
        ? { ...initial, attempts: before.attempts, outdated: before.attempts - 1, startedAt: before.startedAt }
        : before
    const state = { ...since, firstFailedAt, failures: Decision.addFailure(prepared, since.failures, verdict) }
    return decide(prepared, state, { verdict, error, nowMillis }, undefined, undefined)
  })
}

interface Failed {
  readonly verdict: Verdict
  readonly error: unknown
  readonly nowMillis: number
}

const decide = (
  prepared: Prepared,
  state: State & { readonly firstFailedAt: number },
  failed: Failed,
  u: Decision.Progress["u"],
  stepped: Decision.Progress["stepped"]
): Effect.Effect<Stepped, never, unknown> => {
  const { nowMillis, verdict } = failed
  const progress: Decision.Progress = {
    attempts: state.attempts - state.outdated,
    failures: state.failures,
    elapsedMillis: Math.max(0, nowMillis - state.firstFailedAt),
    ranMillis: Math.max(0, nowMillis - state.startedAt),
    tree: state.tree,
    outer: undefined,
    u,
    stepped
  }
  const decision = Decision.decide(prepared, progress, verdict)
  const { backoff } = prepared.policy
  switch (decision._tag) {
    case "Stop":
      return Effect.succeed([state, Duration.zero, ScheduleDecision.done])
    case "NeedsDraw":
      return Effect.flatMap(Random.next, (u) => decide(prepared, state, failed, u, stepped))
    case "NeedsStep":
      return Effect.flatMap(
        ForeignSchedule.step(backoff, nowMillis, failed.error, state.foreign),
        ({ delayMillis, state: foreign }) => decide(prepared, { ...state, foreign }, failed, u, delayMillis)
      )
    case "Retry":
      return Effect.succeed(retried(state, decision, backoff.initial, nowMillis))
  }
}

/** The step that waits for the next attempt. */
const retried = (
  state: State,
  { delayMillis, startsOver, tree }: Extract<Decision.Decision, { readonly _tag: "Retry" }>,
  initial: unknown,
  nowMillis: number
): Stepped => {
  const startedAt = nowMillis + delayMillis
  const foreign = startsOver ? initial : state.foreign
  return [
    { ...state, attempts: state.attempts + 1, startedAt, tree, foreign },
    Duration.millis(delayMillis),
    ScheduleDecision.continueWith(ScheduleInterval.after(startedAt))
  ]
}
