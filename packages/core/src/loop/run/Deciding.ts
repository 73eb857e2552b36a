/**
 * Asks for the decision on a running operation, and gives it the random number or the step of a foreign schedule that it
 * needs.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as AtOnce from "../../fund/fiber/AtOnce.ts"
import * as ActiveOperation from "../../fund/fiber/ActiveOperation.ts"
import * as Decision from "./Decision.ts"
import * as Elapsed from "./Elapsed.ts"
import * as ForeignSchedule from "../../fund/fiber/ForeignSchedule.ts"
import type { Erased, Failure, Operation } from "./Operation.ts"
import { counted } from "./Operation.ts"

/** What comes of it in the end. */
type Decided = Extract<Decision.Decision, { readonly _tag: "Stop" | "Retry" }>

/** Asks what follows a failure, and goes on with the decision: in the same step where that needs nothing more. */
export const ask = (op: Operation, failure: Failure, next: (decision: Decided) => Erased): Erased =>
  askWith(op, failure, next, undefined, undefined)

const askWith = (
  op: Operation,
  failure: Failure,
  next: (decision: Decided) => Erased,
  u: Decision.Progress["u"],
  stepped: Decision.Progress["stepped"]
): Erased => {
  const decision = Decision.decide(op.prepared, progress(op, failure, u, stepped), failure.verdict)
  switch (decision._tag) {
    case "NeedsDraw":
      return AtOnce.andThen(draw(op), (u) => askWith(op, failure, next, u, stepped))
    case "NeedsStep":
      return Effect.flatMap(stepForeign(op, failure), (delayMillis) => askWith(op, failure, next, u, delayMillis))
    default:
      return next(decision)
  }
}

const progress = (
  op: Operation,
  { failedMillis }: Failure,
  u: Decision.Progress["u"],
  stepped: Decision.Progress["stepped"]
): Decision.Progress => ({
  attempts: counted(op),
  failures: op.failures,
  elapsedMillis: Elapsed.millis(op),
  ranMillis: failedMillis - op.attemptStartedMillis,
  tree: op.tree,
  outer: op.prepared.policy.whenNested === "standDown" && isRetried(op.outer) ? op.outer.name : undefined,
  u,
  stepped
})

const isRetried = (outer: Operation["outer"]): outer is ActiveOperation.ActiveAttempt =>
  outer !== undefined && ActiveOperation.isRunning(outer)

/** A random number for a step. */
const draw = (op: Operation): Effect.Effect<number> => (op.next ??= Context.get(op.services, Random.Random).next)

const stepForeign = (op: Operation, { input }: Failure): Effect.Effect<Option.Option<number>, never, unknown> => {
  const now = Elapsed.clock(op).unsafeCurrentTimeMillis()
  return Effect.map(
    ForeignSchedule.step(op.prepared.policy.backoff, now, input, op.scheduleState),
    ({ delayMillis, state }) => {
      op.scheduleState = state
      return delayMillis
    }
  )
}
