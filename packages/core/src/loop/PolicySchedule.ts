/**
 * Policies for people who stay with `Effect.retry`, `Stream.retry` or a native combinator.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type * as Schedule from "effect/Schedule"
import * as Judging from "../classify/Judging.ts"
import * as ScheduleLine from "../decide/ScheduleLine.ts"
import * as Deciding from "./run/Deciding.ts"
import * as Progress from "./run/Progress.ts"
import type { Prepared } from "./policy/PolicyCheck.ts"
import { prepareWithout } from "./policy/PolicyCheck.ts"
import type { Any, Without } from "./policy/PolicyRecord.ts"
import type { In, Needs } from "./policy/PolicyTypes.ts"

/** A policy that a schedule can carry out: it acts neither on attempts nor on successes. */
type Schedulable = Without<Any, (typeof beyond)[number], "leave it out: a schedule cannot do this">

/**
 * The policy as a plain schedule of delays that reads the error.
 *
 * A schedule sees only failures, so fields that need more are refused: observe, whenNested, attempt, attemptSpan,
 * rateLimiter, attemptTimeout, result, release, bucket and a deadline that cuts; a name is ignored. A schedule is first
 * asked when the first attempt has failed; its deadline, and the times of its back-off and classifier, count from then.
 *
 * @category conversions
 */
export const toSchedule = <P extends Schedulable>(
  policy: P
): Schedule.Schedule<Duration.Duration, In<P>, Needs<P>["backoff"]> =>
  schedule(prepareWithout("Policy.toSchedule", policy, beyond, "a schedule cannot do this")) as Schedule.Schedule<
    Duration.Duration,
    In<P>,
    Needs<P>["backoff"]
  >

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

interface State extends Progress.Progress {
  readonly firstFailedAt: number | undefined
  /** When the current attempt begins; `Infinity` for the first one, whose start a schedule does not see. */
  startedAt: number
}

const schedule = (prepared: Prepared): Schedule.Schedule<Duration.Duration, unknown, unknown> => {
  const { classifier } = prepared.hooks
  const initial: State = { ...Progress.make(prepared), firstFailedAt: undefined, startedAt: Infinity }
  return ScheduleLine.make(initial, (nowMillis, input: unknown, before: State) =>
    Effect.suspend(() => {
      const firstFailedAt = before.firstFailedAt ?? nowMillis
      const elapsedMillis = Math.max(0, nowMillis - firstFailedAt)
      // Each step makes a new state, because a schedule may be stepped twice from one state.
      const state: State = { ...before, attempts: before.attempts + 1, firstFailedAt }
      const moment = { nowMillis, attempt: state.attempts, elapsed: Duration.millis(elapsedMillis) }
      const verdict = Judging.ofError(prepared.owner, "classifier", classifier, input, moment)
      Progress.fail(prepared, state, verdict)
      const failed: Deciding.Failed = {
        prepared,
        progress: state,
        verdict,
        input,
        ranMillis: Math.max(0, nowMillis - before.startedAt),
        outer: undefined,
        elapsedMillis: () => elapsedMillis,
        nowMillis: () => nowMillis,
        draw: () => Random.next
      }
      return Deciding.ask(failed, (decided) => Effect.succeed(step(state, decided, nowMillis)))
    })
  )
}

const step = (state: State, decided: Deciding.Decided, nowMillis: number): ScheduleLine.Stepped<State> => {
  if (decided._tag === "Stop") return { delayMillis: undefined, state }
  const { delayMillis } = decided
  state.startedAt = nowMillis + delayMillis
  return { delayMillis, state }
}
