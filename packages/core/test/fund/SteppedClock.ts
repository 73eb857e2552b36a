/**
 * A clock that a test moves by hand, and fibers that run only when it says so: for many thousands of runs.
 *
 * The fibers share a scheduler of their own, so nothing waits for a turn of the event loop.
 */
import type { Exit, Fiber } from "effect"
import { Cause, Clock, Duration, Effect } from "effect"
import * as Steps from "../support/Steps.ts"

export interface SteppedClock extends Clock.Clock {
  /** Starts an effect on this clock, in a fiber of its own that takes its first step with the next turn. */
  readonly fork: <A, E>(self: Effect.Effect<A, E>, watcher?: Steps.Watcher) => Fiber.RuntimeFiber<A, E>
  /** Runs an effect on this clock, and all other fibers, until all of them wait for something. */
  readonly run: <A, E>(self: Effect.Effect<A, E>) => A
  /** Lets all fibers that do not wait take a turn; answers whether there were any. */
  readonly turn: () => boolean
  /** Lets all fibers run until they wait for something. */
  readonly settle: () => void
  /** Lets time pass, and wakes the sleepers that are due, one after the other. */
  readonly advance: (millis: number) => void
  /** Sets the wall clock forward, or back if negative; no time passes. */
  readonly step: (millis: number) => void
  readonly passedMillis: () => number
  /** The number of sleepers. */
  readonly sleeping: () => number
}

interface Sleeper {
  readonly atMillis: number
  readonly wake: () => void
}

/** More turns than that a fiber takes only if it never waits. */
const mostTurns = 10_000

/** The tasks of fibers, and what runs those of one turn. */
const makeTurns = () => {
  let tasks: Array<() => void> = []
  const turn = () => {
    const due = tasks
    tasks = []
    for (const task of due) task()
    return due.length > 0
  }
  return { scheduler: Steps.scheduler((task) => void tasks.push(task)), turn }
}

/** The sleepers, and which of them is due next. */
const makeSleepers = () => {
  const sleepers = new Set<Sleeper>()
  const next = (untilMillis: number) => {
    let first: Sleeper | undefined
    for (const sleeper of sleepers) {
      if (sleeper.atMillis <= untilMillis && (first === undefined || sleeper.atMillis < first.atMillis)) first = sleeper
    }
    return first
  }
  return { sleepers, next }
}

const makeClock = (passedMillis: () => number, offsetMillis: () => number, sleepers: Set<Sleeper>): Clock.Clock => {
  const wall = () => passedMillis() + offsetMillis()
  const nanos = () => BigInt(passedMillis()) * 1_000_000n
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: wall,
    unsafeCurrentTimeNanos: nanos,
    currentTimeMillis: Effect.sync(wall),
    currentTimeNanos: Effect.sync(nanos),
    sleep: (duration) =>
      Effect.async((resume) => {
        const sleeper = { atMillis: passedMillis() + Duration.toMillis(duration), wake: () => resume(Effect.void) }
        sleepers.add(sleeper)
        return Effect.sync(() => void sleepers.delete(sleeper))
      })
  }
}

export const make = (): SteppedClock => {
  let passed = 0
  let offset = 0
  const { scheduler, turn } = makeTurns()
  const { next, sleepers } = makeSleepers()
  const passedMillis = () => passed
  const clock = makeClock(passedMillis, () => offset, sleepers)
  const fork = Steps.forkOn(clock, scheduler)
  const settle = () => {
    for (let turns = 0; turn(); turns++) if (turns === mostTurns) throw new Error("a fiber never waits")
  }
  return {
    ...clock,
    fork,
    turn,
    settle,
    run: (self) => {
      const fiber = fork(self)
      settle()
      return valueOf(fiber.unsafePoll())
    },
    advance: (millis) => {
      const untilMillis = passed + millis
      for (let due = next(untilMillis); due !== undefined; due = next(untilMillis)) {
        passed = due.atMillis
        sleepers.delete(due)
        due.wake()
        settle()
      }
      passed = untilMillis
    },
    step: (millis) => {
      offset += millis
    },
    passedMillis,
    sleeping: () => sleepers.size
  }
}

const valueOf = <A, E>(exit: Exit.Exit<A, E> | null): A => {
  if (exit === null) throw new Error("the effect waits")
  if (exit._tag === "Success") return exit.value
  throw Cause.squash(exit.cause)
}

/** Interrupts a fiber; it takes notice with its next turn. */
export const interrupt = (fiber: Fiber.RuntimeFiber<unknown, unknown> | undefined): void => {
  if (fiber !== undefined) Steps.interrupt(fiber)
}
