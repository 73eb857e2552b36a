/**
 * Interruption at a chosen step: for tests that try every one of them.
 */
import { Effect, Fiber } from "effect"
import * as Steps from "../support/Steps.ts"

/**
 * Runs an effect in a fiber of its own, which is interrupted right before step `at`, and answers how it ended and how many
 * steps it took, without those of its children.
 */
export const interruptedBefore = <A, E, R>(at: number, self: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    let watched: Steps.AnyFiber | undefined
    let steps = 0
    const watcher = Steps.watcher((fiber) => {
      watched ??= fiber
      if (fiber !== watched) return
      steps += 1
      if (steps === at) Steps.interrupt(fiber)
    })
    const exit = yield* Effect.flatMap(Effect.fork(Steps.watched(self, watcher)), Fiber.await)
    return { exit, steps }
  })
