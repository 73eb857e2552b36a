/**
 * Interruption at every step of an operation and of the fibers that it starts, in time that a test moves by hand.
 */
import type { Effect, Exit } from "effect"
import * as SteppedClock from "../fund/SteppedClock.ts"
import * as Steps from "../support/Steps.ts"

interface Options {
  /** Before which step the operation is interrupted. */
  readonly at: number
  /** Counted is the hand-over by the loop: before its own first step an attempt can be interrupted, too. */
  readonly watched?: Effect.Effect<unknown, unknown, unknown>
  /** How long to run after that. */
  readonly forMillis?: number
}

interface Stepped<A, E> {
  readonly exit: Exit.Exit<A, E>
  /** Steps of all fibers. */
  readonly steps: number
  /** How often a fiber was given the watched effect. */
  readonly handedOver: number
}

/** Runs an effect in a fiber of its own for some time, and answers how it ended; it throws when it has not. */
export const run = <A, E>(self: Effect.Effect<A, E>, { at, forMillis = 10_000, watched }: Options): Stepped<A, E> => {
  const clock = SteppedClock.make()
  let first: Steps.AnyFiber | undefined
  let steps = 0
  let handedOver = 0
  const watcher = Steps.watcher((fiber, effect) => {
    first ??= fiber
    steps += 1
    if (effect === watched) handedOver += 1
    if (steps === at) Steps.interrupt(first)
  })
  // In the runtime of the fiber, so that only steps of the effect itself are counted.
  const fiber = clock.fork(Steps.observed(self), watcher)
  clock.settle()
  clock.advance(forMillis)
  const exit = fiber.unsafePoll()
  if (exit === null) throw new Error(`hangs after an interruption before step ${at}`)
  return { exit, steps, handedOver }
}

/** Runs an effect again and again, interrupted before one step later each time, and hands each outcome to `check`. */
export const everywhere = <A, E>(
  make: () => {
    readonly self: Effect.Effect<A, E>
    readonly watched?: Effect.Effect<unknown, unknown, unknown>
    readonly check: (stepped: Stepped<A, E>, at: number) => void
  },
  forMillis = 10_000
): number => {
  let runs = 0
  for (let at = 1, steps = Infinity; at <= steps + 1; at++) {
    const { check, self, watched } = make()
    const stepped = run(self, { at, forMillis, ...(watched && { watched }) })
    // The step after the last one interrupts nothing: it is the whole run.
    steps = stepped.steps >= at ? Infinity : stepped.steps
    check(stepped, at)
    runs += 1
  }
  return runs
}
