/**
 * The state of a hedged operation, and its attempts.
 */
import type * as Cause from "effect/Cause"
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

/** An attempt that was decided on. */
export interface Attempt {
  readonly number: number
  readonly granted: Grant
  /** What a bucket with `started` is told. */
  readonly begun: Started
  /** Whether it was told. */
  isTold: boolean
  startedMillis: number
  parent: Child.Parent | undefined
  child: Child.Child<unknown, unknown> | undefined
}

/** A hedged operation. Made afresh whenever its effect is run; mutable, and used by its fiber. */
export interface Run {
  readonly call: Call
  readonly prepared: Prepared
  readonly fiber: Line.AnyFiber
  /** `attempts` is the number of the attempt that is spoken of; how many there are stands in `hedges`. */
  readonly op: Operation.Operation
  hedges: Hedges.Hedges
  /** Attempts that the bucket may have to hear of, or that are to be stopped, should the operation end. */
  readonly open: Set<Attempt>
  /** Attempts that have ended, in this order, until they are looked at. */
  readonly ended: Array<Attempt>
  /** The bucket's answer for the next attempt: an exit once it is there. */
  answer: Exit.Exit<boolean> | Fiber.RuntimeFiber<boolean> | undefined
  /** Whether the next attempt starts because one has failed. */
  because: HedgeStarted["because"]
  isRefused: boolean
  /** The delay after the first attempt. */
  firstDelayMillis: number
  /** Ends the wait of the operation, where it waits. */
  wake: () => void
  /** The defect of the clock's sleep. */
  defect: Cause.Cause<never> | undefined
  isOver: boolean
}

/** How the operation ends. */
export interface Ending {
  readonly answer: Erased
  /** What observers are told when nothing runs any more; a defect or an interruption has no last event. */
  readonly event?: () => Services.Telling
  /** What it means for the attempts that run that the deadline has cut them. */
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
  firstDelayMillis: Infinity,
  wake: constVoid,
  defect: undefined,
  isOver: false
})

/** A nanosecond: less than that is a floating-point error, which no timer waits for. */
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

/** Interrupts all attempts but this one, and does not wait for them yet. */
export const stopOthers = ({ fiber, open }: Run, won?: Attempt): void => {
  for (const attempt of open) {
    if (attempt !== won && attempt.child !== undefined) Interruption.send(attempt.child, fiber)
  }
}
