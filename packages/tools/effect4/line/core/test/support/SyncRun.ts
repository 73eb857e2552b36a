/**
 * Runs effects that wait for nothing but each other, in one step.
 *
 * This is the file of Effect 4, whose `Effect.runSync` runs no other fiber than that of the effect and its children.
 */
import * as Effect from "effect/Effect"
import * as Scheduler from "effect/Scheduler"

export const run = <A, E>(effect: Effect.Effect<A, E>): A => {
  const dispatchers: Array<Scheduler.SchedulerDispatcher> = []
  const scheduler = new Scheduler.MixedScheduler("sync")
  const makeDispatcher = scheduler.makeDispatcher.bind(scheduler)
  scheduler.makeDispatcher = () => {
    const made = makeDispatcher()
    dispatchers.push(made)
    return made
  }
  const fiber = Effect.runFork(effect, { scheduler })
  for (let turns = 0; fiber.pollUnsafe() === undefined; turns++) {
    if (turns > 1_000_000) throw new Error("the effect waits for something else")
    for (const dispatcher of dispatchers) dispatcher.flush()
  }
  return Effect.runSync(fiber.pollUnsafe()!)
}
