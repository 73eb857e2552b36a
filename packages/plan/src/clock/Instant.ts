/**
 * A clock for programs that consist only of effects, which then run in one synchronous call.
 *
 * `Timekeeper` also waits for promises and callbacks, and needs a turn of the event loop for each wake-up. Here nothing
 * comes from outside: fibers run until all of them sleep, then time jumps to the earliest wake-up.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as ClockLine from "./ClockLine.ts"
import * as Agenda from "./Agenda.ts"

export interface Instant {
  readonly nowMillis: () => number
  /** Runs an effect that does not sleep. */
  readonly runSync: <A>(self: Effect.Effect<A>) => A
  /** Starts an effect at a time that is not in the past. */
  readonly startAt: (atMillis: number, self: () => Effect.Effect<void>) => void
  /** Returns when no fiber sleeps any more, or only fibers that would wake after `untilMillis`. */
  readonly pass: (untilMillis?: number) => void
}

export const make = (): Instant => {
  const agenda = Agenda.make()
  let nowMillis = 0
  let tasks: Array<() => void> = []

  const clock = ClockLine.make({
    wallMillis: () => Math.floor(nowMillis),
    nanos: () => BigInt(Math.round(nowMillis * 1e6)),
    sleep: (duration) =>
      Effect.async<void>((resume) => {
        // A duration of Effect 4 may be negative: time never goes back.
        const millis = Math.max(0, Duration.toMillis(duration))
        if (millis === Infinity) return
        return Effect.sync(agenda.add(nowMillis + millis, () => resume(Effect.void)))
      })
  })

  const settle = () => {
    while (tasks.length > 0) {
      const due = tasks
      tasks = []
      due.forEach((task) => task())
    }
  }
  const { fork, runSync } = ClockLine.runnerOn(clock, (task) => void tasks.push(task))

  return {
    nowMillis: () => nowMillis,
    runSync,
    startAt: (atMillis, self) => {
      agenda.add(atMillis, () => void fork(self()))
    },
    pass: (untilMillis = Infinity) => {
      for (let next = agenda.next(untilMillis); next !== undefined; next = agenda.next(untilMillis)) {
        nowMillis = next.atMillis
        next.task()
        settle()
      }
    }
  }
}
