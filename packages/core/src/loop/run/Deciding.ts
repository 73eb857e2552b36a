/**
 * Asks for the decision, and supplies what it needs: the time, a random number, the step of a foreign schedule.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Verdict } from "../../classify/Verdict.ts"
import * as ActiveOperation from "../../fund/fiber/ActiveOperation.ts"
import { longestMillis, wholeMillis } from "../../decide/Millis.ts"
import * as ScheduleLine from "../../decide/ScheduleLine.ts"
import * as AtOnce from "../../fund/fiber/AtOnce.ts"
import * as Line from "../../fund/fiber/Line.ts"
import type { Prepared } from "../policy/PolicyCheck.ts"
import type { StopReason } from "../policy/RetryStopped.ts"
import * as Decision from "./Decision.ts"
import * as Elapsed from "./Elapsed.ts"
import type { Failure, Operation } from "./Operation.ts"
import * as Progress from "./Progress.ts"

/** The final decision. */
export type Decided = Extract<Decision.Decision, { readonly _tag: "Stop" | "Retry" }>

/** A failed attempt, already counted in the operation's progress, and everything that the decision may need. */
export interface Failed<P extends Progress.Progress = Progress.Progress> {
  readonly prepared: Prepared
  readonly progress: P
  readonly verdict: Verdict
  /** What a foreign schedule reads: the error, or the result that was judged. */
  readonly input: unknown
  readonly ranMillis: number
  readonly outer: string | undefined
  /** Time since the operation began; read at each decision, because a draw or a step may take time. */
  readonly elapsedMillis: (progress: P) => number
  /** Wall-clock time, for a foreign schedule. */
  readonly nowMillis: (progress: P) => number
  readonly draw: (progress: P) => Effect.Effect<number>
}

/**
 * Asks what follows a failure, notes it in the progress, and continues with the decision; in the same step if the decision
 * needs nothing more.
 */
export const ask = <A, E, R, P extends Progress.Progress>(
  failed: Failed<P>,
  next: (decided: Decided) => Effect.Effect<A, E, R>,
  u?: number,
  stepped?: Decision.Now["stepped"]
): Effect.Effect<A, E, R> => {
  const { outer, prepared, progress, ranMillis, verdict } = failed
  const now = { elapsedMillis: failed.elapsedMillis(progress), ranMillis, outer, u, stepped }
  const decision = Decision.decide(prepared, progress, now, verdict)
  switch (decision._tag) {
    case "NeedsDraw":
      return askWithDraw(failed, next, stepped)
    case "NeedsStep":
      return Effect.flatMap(stepForeign<R, P>(failed), (delayMillis) => ask(failed, next, u, delayMillis))
    case "Retry":
      Progress.backOffFrom(progress, decision.tree, decision.startsOver)
  }
  return next(decision)
}

const askWithDraw = <A, E, R, P extends Progress.Progress>(
  failed: Failed<P>,
  next: (decided: Decided) => Effect.Effect<A, E, R>,
  stepped: Decision.Now["stepped"]
): Effect.Effect<A, E, R> => AtOnce.andThen(failed.draw(failed.progress), (u) => ask(failed, next, u, stepped))

const stepForeign = <R, P extends Progress.Progress>({
  input,
  nowMillis,
  prepared,
  progress
}: Failed<P>): Effect.Effect<Decision.Now["stepped"], never, R> =>
  Effect.map(
    ScheduleLine.step(prepared.policy.backoff, nowMillis(progress), input, progress.scheduleState),
    ({ delayMillis, state }) => {
      progress.scheduleState = state
      return delayMillis === undefined ? Option.none() : Option.some(wholeMillis(delayMillis, longestMillis))
    }
  ) as Effect.Effect<Decision.Now["stepped"], never, R>

/** Asks what follows the latest failure of a running operation. */
export const afterFailure = <A, E, R>(
  op: Operation,
  failure: Failure,
  next: (decided: Decided) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => ask(failedOf(op, failure), next)

const failedOf = (op: Operation, { failedMillis, input, verdict }: Failure): Failed<Operation> => ({
  prepared: op.prepared,
  progress: op,
  verdict,
  input,
  ranMillis: failedMillis - op.attemptStartedMillis,
  outer: op.prepared.policy.whenNested === "standDown" && isRetried(op.outer) ? op.outer.name : undefined,
  elapsedMillis: Elapsed.millis,
  nowMillis: wallMillis,
  draw
})

/** The deadline as a reason to stop, if it forbids an attempt now. */
export const lateness = (op: Operation): StopReason | undefined =>
  op.prepared.policy.deadline && Decision.lateness(op.prepared, Elapsed.millis(op))

/** The wait that keeps the deadline, or why there is none. Call it again after every step that may have taken time. */
export const fit = (op: Operation, delayMillis: number): number | StopReason =>
  op.prepared.policy.deadline === undefined ? delayMillis : Decision.fit(op.prepared, Elapsed.millis(op), delayMillis)

const wallMillis = (op: Operation): number => Line.wallMillis(Elapsed.clock(op))

const draw = (op: Operation): Effect.Effect<number> => (op.next ??= Line.draw(op.services))

const isRetried = (outer: Operation["outer"]): outer is ActiveOperation.ActiveAttempt =>
  outer !== undefined && ActiveOperation.isRunning(outer)
