/**
 * A clock that moves by itself, without delay: the implementation of `VirtualClock`.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { Activity, Watched } from "./Activity.ts"
import * as ClockLine from "./ClockLine.ts"
import * as Nanos from "./Nanos.ts"
import * as Sleepers from "./Sleepers.ts"

/** What the clock offers besides telling the time and sleeping. */
export interface Timekeeper {
  /** The time passed since the clock was built; steps of the wall clock do not show in it. */
  readonly now: Effect.Effect<Duration.Duration>
  /** How many fibers are asleep; one that sleeps for ever is not counted. */
  readonly sleepers: Effect.Effect<number>
  /** Sets the wall clock back, without changing when sleepers wake. */
  readonly stepBack: (by: Duration.DurationInput) => Effect.Effect<void>
  /** Sets the wall clock to a time since 1970, without changing when sleepers wake. */
  readonly setWallTime: (sinceEpoch: Duration.DurationInput) => Effect.Effect<void>
}

/**
 * Makes a clock for the fibers of a run.
 *
 * Time moves when no task of a fiber waits, and `quietTurns` turns of the event loop have passed without one. Programs
 * that consist only of effects need no such turns; a callback from outside Effect needs as many as pass before it
 * comes.
 */
export const make = (watched: Watched, quietTurns: number): ClockLine.Made<Timekeeper> => {
  let passed = 0n
  let wallOffset = 0
  const asleep = Sleepers.make()
  let stopped = false

  const wakeNext = () => {
    const next = asleep.takeFirst()
    if (next === undefined) return
    passed = next.at
    next.wake()
  }

  const pump = makePump(watched.around, () => {
    if (watched.activity.takeStillness(quietTurns)) wakeNext()
    return asleep.size() > 0
  })

  const sleep = (duration: Duration.Duration) =>
    Effect.async<void>((resume) => {
      // A duration of Effect 4 may be negative: time never goes back.
      const nanos = Duration.toMillis(duration) > 0 ? Duration.toNanos(duration) : Option.some(0n)
      if (stopped || Option.isNone(nanos)) return
      const remove = asleep.add(passed + nanos.value, () => resume(Effect.void))
      pump()
      return Effect.sync(remove)
    })

  const passedMillis = () => Number(passed / Nanos.perMilli)
  const wallMillis = () => Math.floor(passedMillis() + wallOffset)

  const clock = ClockLine.make({ wallMillis, nanos: () => passed, sleep })

  const control: Timekeeper = {
    now: Effect.sync(() => Nanos.toDuration(passed)),
    sleepers: Effect.sync(() => asleep.size()),
    stepBack: (by) => {
      const millis = finiteMillis("stepBack", by)
      return Effect.sync(() => {
        wallOffset -= millis
      })
    },
    setWallTime: (sinceEpoch) => {
      const millis = finiteMillis("setWallTime", sinceEpoch)
      return Effect.sync(() => {
        wallOffset = millis - passedMillis()
      })
    }
  }

  const stop = () => {
    stopped = true
    asleep.clear()
  }

  return { clock, control, stop }
}

/** Runs a program that consists only of effects, with everything in its scope, on a separate clock. */
export const runScoped = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, Scope.Scope>> =>
  ClockLine.runScoped(self, (watched) => make(watched, 0))

const finiteMillis = (name: string, input: Duration.DurationInput): number => {
  const millis = Duration.toMillis(input)
  if (Number.isFinite(millis)) return millis
  throw new RangeError(`VirtualClock.${name}: duration must be finite, got ${millis}`)
}

/**
 * Makes a pump that calls `turn` once per turn of the event loop for as long as `turn` returns true.
 *
 * Meanwhile the clocks of the runs `around` this one stand still.
 */
const makePump = (around: ReadonlyArray<Activity>, turn: () => boolean): (() => void) => {
  let pumping = false
  const next = () => {
    pumping = turn()
    if (!pumping) around.forEach((outer) => outer.end())
    return pumping
  }
  return () => {
    if (pumping) return
    pumping = true
    around.forEach((outer) => outer.begin())
    everyTurn(next)
  }
}

/** Waits for the next turn of the event loop, on no clock. */
export const turn: Effect.Effect<void> = /*#__PURE__*/ Effect.async((resume) =>
  everyTurn(() => {
    resume(Effect.void)
    return false
  })
)

/**
 * Calls `next` in each turn of the event loop until it returns false, beginning with the next turn.
 *
 * A turn comes after all microtasks, so every chain of promises has then run to its end. This is the only use of the
 * platform here: browsers have no `setImmediate`, and delay timers by milliseconds, but not messages.
 */
const everyTurn = (next: () => boolean): void => {
  if (typeof setImmediate === "function") byTasks(setImmediate, next)
  else if (typeof MessageChannel === "function") byMessages(next)
  else byTasks(ClockLine.byTimer, next)
}

const byTasks = (schedule: (task: () => void) => void, next: () => boolean): void => {
  const task = () => {
    if (next()) schedule(task)
  }
  schedule(task)
}

const byMessages = (next: () => boolean): void => {
  const { port1, port2 } = new MessageChannel()
  const onmessage = () => (next() ? port2.postMessage(undefined) : port1.close())
  // Node's types do not declare `onmessage`.
  Object.assign(port1, { onmessage })
  port2.postMessage(undefined)
}
