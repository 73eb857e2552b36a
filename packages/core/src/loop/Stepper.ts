/**
 * The loop, stepped by hand: for attempts that another library makes, such as a client that takes a retry strategy, a job
 * queue, or a stream of messages.
 *
 * The library reports how each attempt ended, and is answered when it may make the next one. In between, the stepper
 * decides, asks buckets, calls observers, draws and waits as `Retry.retry` does, in the same order and at the same
 * times.
 *
 * ```text
 * begin ──► Attempt ──► failed ─────► Attempt, after the wait; or the error, if there is none
 *                   ├─► succeeded ──► None; or an Attempt, if the policy judges the result as a failure
 *                   └─► abandon
 * ```
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "../accept/Argument.ts"
import type { Flags } from "../fund/fiber/Interruption.ts"
import * as Line from "../fund/fiber/Line.ts"
import type { Prepared } from "./policy/PolicyCheck.ts"
import { prepareWithout } from "./policy/PolicyCheck.ts"
import type { Any, Without } from "./policy/PolicyRecord.ts"
import type { Adds, Checked, In, Needs, ResultIn } from "./policy/PolicyTypes.ts"
import type { Erased } from "./run/Operation.ts"
import type { Attempt } from "./run/Stepped.ts"
import * as Stepped from "./run/Stepped.ts"

export type { Attempt } from "./run/Stepped.ts"

/**
 * One operation. `E` and `A` are the error and the result that its policy judges, and `E2` is the errors that the
 * policy adds.
 *
 * The outcome of each attempt is reported once, with `failed`, `failedCause` or `succeeded`; a second report dies with an
 * `InvalidArgument`, and is not counted. An interrupted step refunds the tokens of the attempt that it would have permitted.
 *
 * @category models
 */
export interface Stepper<in E, in A, out E2 = never> {
  /**
   * Permits the first attempt once the rate limiter grants it. The operation's time begins here. Run it once.
   */
  readonly begin: Effect.Effect<Attempt, E2>
  /**
   * Reports that the attempt failed, and permits the next one after the wait. Fails with the same error if the policy
   * allows no further attempt, or with an error that the policy adds.
   */
  readonly failed: <E1 extends E>(attempt: Attempt, error: E1) => Effect.Effect<Attempt, E1 | E2>
  /**
   * The same for a cause, which is kept: a defect or an interruption ends the operation, as it does in `Retry.retry`.
   */
  readonly failedCause: <E1 extends E>(attempt: Attempt, cause: Cause.Cause<E1>) => Effect.Effect<Attempt, E1 | E2>
  /**
   * Reports that the attempt succeeded. `None` ends the operation, even if the policy judges the result as a failure
   * but allows no further attempt.
   */
  readonly succeeded: (attempt: Attempt, value: A) => Effect.Effect<Option.Option<Attempt>, E2>
  /**
   * Drops the operation: refunds what is held, releases what the attempt left open, and tells limits of concurrency that the
   * attempt has ended without an outcome. A step that waits in another fiber is then interrupted when its wait ends. Does
   * nothing if the operation has ended, so it can be the finalizer of every operation.
   */
  readonly abandon: Effect.Effect<void>
}

/**
 * A policy that can be stepped: it wraps nothing around a running attempt.
 *
 * @category models
 */
export type Steppable = Without<Any, (typeof beyond)[number], "leave it out: another library makes the attempts">

const beyond = ["attempt", "attemptSpan", "attemptTimeout"] as const

const owner = "Stepper.make"

/**
 * Makes an operation under a policy, to be stepped by hand. Each run of the effect makes a new operation.
 *
 * Buckets, clock, random numbers and keys come from the context in which the stepper was made, whichever fiber runs a step.
 *
 * Fields that would act on a running attempt are refused: attempt, attemptSpan, attemptTimeout and a deadline that cuts. An
 * attempt carries its number and the time left instead. Operations inside an attempt do not know that they are nested,
 * so their `whenNested` has no effect; the stepper's own `whenNested` works.
 *
 * @category constructors
 */
export const make = <P extends Steppable>(
  policy: Checked<P>
): Effect.Effect<Stepper<In<P>, ResultIn<P>, Adds<P>[keyof Adds<P>]>, never, Needs<P>[keyof Needs<P>]> => {
  const prepared = prepareWithout(owner, policy, beyond, "another library makes the attempts", "(policy)")
  // The fiber may have ended by the time the stepper takes its steps.
  return Line.withFiber((fiber) => Effect.succeed(stepperOf(prepared, Line.snapshot(fiber))))
}

/** Runs the loop of a step with the stepper's services, if the fiber that runs the step has others. */
const servedBy =
  (view: Line.View, fiber: Line.AnyFiber) =>
  (self: Erased): Erased =>
    Line.runAs(view, fiber, self as Effect.Effect<unknown, unknown>)

type Step = (own: Stepped.Stepped, around: (self: Erased) => Erased) => Stepped.Step

const stepperOf = (prepared: Prepared, view: Line.View): Stepper<unknown, unknown, never> => {
  let own: Stepped.Stepped | undefined
  let isOver = false
  const inFiber = (take: Step, owned: (runtimeFlags: Flags) => Stepped.Stepped): Effect.Effect<never> =>
    Line.withFiber((fiber, { runtimeFlags }) => {
      const own = owned(runtimeFlags)
      own.op.runtimeFlags = runtimeFlags
      return take(own, servedBy(view, fiber)) as Effect.Effect<never>
    })
  const answered = (name: string, attempt: Attempt, take: Step) =>
    inFiber(take, () =>
      own?.running === undefined || own.running !== attempt
        ? Argument.refuse(`Stepper.${name}`, "attempt", "the running one, whose outcome is reported once", attempt)
        : own
    )
  const failedCause = (name: string, attempt: Attempt, cause: Cause.Cause<unknown>) =>
    answered(name, attempt, (own, around) => Stepped.failed(own, cause, around))
  return {
    begin: inFiber(Stepped.begin, (runtimeFlags) => {
      if (own !== undefined || isOver) {
        return Argument.refuse(
          "Stepper",
          "begin",
          "run once, and before abandon",
          own === undefined ? "abandoned" : "begun"
        )
      }
      return (own = Stepped.make(prepared, view, runtimeFlags))
    }),
    failed: (attempt, error) => failedCause("failed", attempt, Cause.fail(error)),
    failedCause: (attempt, cause) => failedCause("failedCause", attempt, cause),
    succeeded: (attempt, value) =>
      Effect.map(
        answered("succeeded", attempt, (own, around) => Stepped.succeeded(own, value, around)),
        Option.fromNullable
      ) as Effect.Effect<Option.Option<Attempt>>,
    abandon: Effect.suspend(() => {
      isOver = true
      return own === undefined ? Effect.void : Stepped.abandon(own)
    })
  }
}
