/**
 * Interruption at a chosen step: for tests that try every one of them.
 */
import type { Fiber } from "effect"
import { Effect, FiberId, Fiber as Fibers, RuntimeFlags, RuntimeFlagsPatch, Supervisor } from "effect"

/** Counts the steps of the first fiber it sees, not those of its children, and interrupts it right before step `at`. */
class Interrupter extends Supervisor.AbstractSupervisor<void> {
  override readonly value = Effect.void
  steps = 0
  readonly at: number
  #watched: Fiber.RuntimeFiber<unknown, unknown> | undefined
  constructor(at: number) {
    super()
    this.at = at
  }
  override onEffect<A, E>(fiber: Fiber.RuntimeFiber<A, E>): void {
    this.#watched ??= fiber
    if (fiber !== this.#watched) return
    this.steps += 1
    if (this.steps === this.at) fiber.unsafeInterruptAsFork(FiberId.none)
  }
}

const observing = RuntimeFlagsPatch.enable(RuntimeFlags.OpSupervision)

/** Runs an effect in a fiber of its own, and answers how it ended and how many steps it took. */
export const interruptedBefore = <A, E, R>(at: number, self: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const interrupter = new Interrupter(at)
    const exit = yield* self.pipe(
      Effect.withRuntimeFlagsPatch(observing),
      Effect.supervised(interrupter),
      Effect.fork,
      Effect.flatMap(Fibers.await)
    )
    return { exit, steps: interrupter.steps }
  })
