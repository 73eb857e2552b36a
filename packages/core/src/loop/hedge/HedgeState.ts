/**
 * The state of a hedged operation, and its attempts.
 */
import type * as Cause from "effect/Cause"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import { constVoid } from "effect/Function"
import type * as Verdict from "../../classify/Verdict.ts"
import * as Hedges from "../../decide/Hedges.ts"
import * as Child from "../../fund/fiber/Child.ts"
import * as Interruption from "../../fund/fiber/Interruption.ts"
import type * as Line from "../../fund/fiber/Line.ts"
import type { Grant, Started } from "../../fund/port/Port.ts"
import type { HedgeStarted } from "../policy/RetryEvent.ts"
import type { Erased } from "../run/Operation.ts"
import * as Operation from "../run/Operation.ts"
import type * as Services from "../run/Services.ts"
import type { Prepared } from "./HedgeCheck.ts"
import type { Call } from "./HedgeRecord.ts"

/** An attempt that has been decided on. */
export interface Attempt {
  readonly number: number
  readonly granted: Grant
  /** The value given to a bucket with `started`. */
  readonly begun: Started
  /** Whether the bucket has been told. */
  isTold: boolean
  startedMillis: number
  parent: Child.Parent | undefined
  child: Child.Child<unknown, unknown> | undefined
}

/** A hedged operation. Made anew for each run of its effect; mutable, and used only by its fiber. */
export interface Run {
  readonly call: Call
  readonly prepared: Prepared
  readonly fiber: Line.AnyFiber
  /** Here `attempts` is the number of the attempt at hand; `hedges` holds how many there are. */
  readonly op: Operation.Operation
  hedges: Hedges.Hedges
  /** Attempts to be stopped, or reported to the bucket, if the operation ends. */
  readonly open: Set<Attempt>
  /** Attempts that have ended, in this order, until they are handled. */
  readonly ended: Array<Attempt>
  /** The bucket's answer for the next attempt: an exit once it has arrived. */
  answer: Exit.Exit<boolean> | Fiber.RuntimeFiber<boolean> | undefined
  /** Whether the next attempt starts because one has failed. */
  because: HedgeStarted["because"]
  isRefused: boolean
  /** The latest hint after which no attempt starts. */
  hintTooLong: Duration.Duration | undefined
  /** The delay after the first attempt. */
  firstDelayMillis: number
  /** Ends the operation's wait, if it is waiting. */
  wake: () => void
  /** The defect of the clock's sleep. */
  defect: Cause.Cause<never> | undefined
  isOver: boolean
}

/** How the operation ends. */
export interface Ending {
  readonly answer: Erased
  /** The last event, sent when no attempt is running; a defect or an interruption has none. */
  readonly event?: () => Services.Telling
  /** How running attempts fail if the deadline has cut them. */
  readonly cut?: { readonly error: unknown; readonly verdict: Verdict.Verdict }
}

export type Step = Effect.Effect<Ending, never, unknown>

export const make = (call: Call, prepared: Prepared, fiber: Line.AnyFiber, runtimeFlags: Interruption.Flags): Run => ({
  call,
  prepared,
  fiber,
  op: Operation.make(Effect.void, prepared.common, undefined, fiber, { runtimeFlags }),
  hedges: Hedges.initial,
  open: new Set(),
  ended: [],
  answer: undefined,
  because: "Delay",
  isRefused: false,
  hintTooLong: undefined,
  firstDelayMillis: Infinity,
  wake: constVoid,
  defect: undefined,
  isOver: false
})

/** A nanosecond: anything shorter is a floating-point error and is not waited for. */
export const nanoMillis = 1e-6

export const exitOf = ({ child }: Attempt): Exit.Exit<unknown, unknown> => Child.exitOf(child!)!

export const attemptOf = (number: number, granted: Grant): Attempt => ({
  number,
  granted,
  begun: { attempt: number },
  isTold: false,
  startedMillis: 0,
  parent: undefined,
  child: undefined
})

/** Interrupts all attempts but this one, without awaiting them yet. */
export const stopOthers = ({ fiber, open }: Run, won?: Attempt): void => {
  for (const attempt of open) {
    if (attempt !== won && attempt.child !== undefined) Interruption.send(attempt.child, fiber)
  }
}
