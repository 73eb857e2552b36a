/**
 * Interruption at exactly one step: a scheduler has a fiber yield there, and interrupts the operation while it does.
 *
 * An interruption that comes between two steps without a yield, as in `Stepping`, is heard at once; here it finds a fiber that
 * waits for its turn, which is where most interruptions meet a fiber.
 */
import type { Fiber } from "effect"
import { Cause, Chunk, Effect, Exit, FiberId, Scheduler, Supervisor } from "effect"
import * as SteppedClock from "../fund/SteppedClock.ts"

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

/** Counts the fibers that have begun and not ended. */
class Living extends Supervisor.AbstractSupervisor<void> {
  override readonly value = Effect.void
  readonly fibers = new Set<Fiber.RuntimeFiber<unknown, unknown>>()
  override onStart<A, E, R>(_: unknown, __: Effect.Effect<A, E, R>, ___: unknown, fiber: Fiber.RuntimeFiber<A, E>) {
    this.fibers.add(fiber)
  }
  override onEnd<A, E>(_: Exit.Exit<A, E>, fiber: Fiber.RuntimeFiber<A, E>) {
    this.fibers.delete(fiber)
  }
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
const yielding = (at: number, onYield: () => void) => {
  let steps = 0
  let isCounting = false
  let yields = false
  return {
    steps: () => steps,
    counting: (isOn: boolean) => Effect.sync(() => void (isCounting = isOn)),
    scheduler: (inner: Scheduler.Scheduler): Scheduler.Scheduler => ({
      scheduleTask: (task, priority, fiber) => {
        if (yields) onYield()
        yields = false
        inner.scheduleTask(task, priority, fiber)
      },
      shouldYield: (fiber) => {
        if (!isCounting || ++steps !== at) return inner.shouldYield(fiber)
        yields = true
        return 0
      }
    })
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
  const living = new Living()
  const interrupt = () => fiber.unsafeInterruptAsFork(FiberId.none)
  let isInterrupted = false
  const { counting, scheduler, steps } = yielding(at, () => {
    isInterrupted = true
    interrupt()
  })
  const counted = Effect.onExit(Effect.zipRight(counting(true), operation(note)), (exit) =>
    Effect.zipRight(note(`ends: ${ended(exit)}`), counting(false))
  )
  const self = Effect.withFiberRuntime((first) =>
    Effect.withScheduler(Effect.exit(around(counted)), scheduler(first.currentScheduler))
  )
  const fiber = clock.fork(Effect.zipRight(self, Effect.never), living)
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
