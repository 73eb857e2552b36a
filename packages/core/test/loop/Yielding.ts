/**
 * Interruption at exactly one step: a scheduler has a fiber yield there, and interrupts the operation while it does.
 *
 * An interruption that comes between two steps without a yield, as in `Stepping`, is heard at once; here it finds a fiber that
 * waits for its turn, which is where most interruptions meet a fiber.
 */
import { Cause, Chunk, Effect, Exit } from "effect"
import * as SteppedClock from "../fund/SteppedClock.ts"
import * as Steps from "../support/Steps.ts"

/** Writes down what happens. */
export type Note = (line: string) => Effect.Effect<void>

/** How an operation ended that was interrupted at a step. */
export interface Outcome {
  /** How the operation ended, and what happened before. */
  readonly lines: ReadonlyArray<string>
  /** Whether the fiber goes on in spite of the interruption. */
  readonly isLost: boolean
  /** Fibers and sleeps that are left. */
  readonly left: { readonly fibers: number; readonly sleeps: number }
}

/**
 * How an operation ended, without the structure of its cause. Where it is interrupted, Effect keeps an error of before or drops
 * it, by the step.
 */
const ended = (exit: Exit.Exit<unknown, unknown>): string =>
  Exit.match(exit, {
    onSuccess: String,
    onFailure: (cause) => {
      const errors = Cause.isInterrupted(cause) ? ["interrupted"] : Chunk.map(Cause.failures(cause), String)
      return [...errors, ...Chunk.map(Cause.defects(cause), String)].join(", ")
    }
  })

/** More milliseconds than any operation of a test takes. */
const longEnough = 1_000

/** An operation, and what stands around it. Interrupted is the fiber that runs all of it. */
export interface Model {
  readonly operation: (note: Note) => Effect.Effect<unknown, unknown>
  readonly around: <A, E>(self: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/** Has the fiber yield that takes step `at`, and calls `onYield` once it waits for its turn. */
const makeYielding = (at: number, onYield: () => void) => {
  let steps = 0
  let isCounting = false
  let yields = false
  return {
    steps: () => steps,
    counting: (isOn: boolean) => Effect.sync(() => void (isCounting = isOn)),
    around: <A, E>(self: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Steps.yieldingWhere(
        self,
        () => {
          if (!isCounting || ++steps !== at) return false
          yields = true
          return true
        },
        () => {
          if (yields) onYield()
          yields = false
        }
      )
  }
}

/** Runs an operation and interrupts it at step `at`, be it one of its own fiber or of a fiber inside. */
const interruptedAt = (
  { around, operation }: Model,
  clock: SteppedClock.SteppedClock,
  at: number
): Outcome & { readonly steps: number } => {
  const lines: Array<string> = []
  const note: Note = (line) => Effect.sync(() => void lines.push(line))
  const living = Steps.living()
  const interrupt = () => Steps.interrupt(fiber)
  let isInterrupted = false
  const {
    around: yielding,
    counting,
    steps
  } = makeYielding(at, () => {
    isInterrupted = true
    interrupt()
  })
  const counted = Effect.onExit(Effect.zipRight(counting(true), operation(note)), (exit) =>
    Effect.zipRight(note(`ends: ${ended(exit)}`), counting(false))
  )
  const fiber = clock.fork(Effect.zipRight(yielding(Effect.exit(around(counted))), Effect.never), living.watcher)
  clock.settle()
  clock.advance(longEnough)
  const isLost = isInterrupted && fiber.unsafePoll() === null
  if (!isInterrupted) interrupt()
  clock.settle()
  return { lines, isLost, left: { fibers: living.fibers.size, sleeps: clock.sleeping() }, steps: steps() }
}

/** The outcomes of an operation that is interrupted at each of its steps; the last one is not interrupted. */
export const everywhere = (model: Model): ReadonlyArray<Outcome> => {
  const outcomes: Array<Outcome> = []
  const clock = SteppedClock.make()
  for (let at = 1; ; at++) {
    const { steps, ...outcome } = interruptedAt(model, clock, at)
    outcomes.push(outcome)
    if (steps < at) return outcomes
  }
}
