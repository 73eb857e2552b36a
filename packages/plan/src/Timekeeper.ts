/**
 * A clock that moves itself, and at once: the implementation of `VirtualClock`.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Order from "effect/Order"
import * as Scheduler from "effect/Scheduler"
import type * as Scope from "effect/Scope"
import * as SortedMap from "effect/SortedMap"
import * as Activity from "./Activity.ts"
import * as Nanos from "./Nanos.ts"

/** What can be asked of the clock beside telling the time and sleeping. */
export interface Timekeeper {
  /** The time passed since the clock was built; steps of the wall clock do not show in it. */
  readonly now: Effect.Effect<Duration.Duration>
  /** How many fibers are asleep; one that sleeps for ever is not counted. */
  readonly sleepers: Effect.Effect<number>
  /** Sets the wall clock back; no sleeper wakes earlier or later for it. */
  readonly stepBack: (by: Duration.DurationInput) => Effect.Effect<void>
  /** Sets the wall clock to a time since 1970; no sleeper wakes earlier or later for it. */
  readonly setWallTime: (sinceEpoch: Duration.DurationInput) => Effect.Effect<void>
}

/**
 * Makes a clock and installs it until the scope closes.
 *
 * Time moves when no task of a fiber waits, and `quietTurns` turns of the event loop have passed without one. Programs of
 * nothing but effects need none; a callback from outside of Effect needs as many turns as pass before it comes.
 */
export const install = (quietTurns: number): Effect.Effect<Timekeeper, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { clock, control, stop } = make(yield* Activity.watch, quietTurns)
    yield* Effect.withClockScoped(clock)
    yield* Effect.addFinalizer(() => Effect.sync(stop))
    return control
  })

/** A place in the queue: due `at` nanoseconds, and among equals in the `order` of falling asleep. */
interface WakeUp {
  readonly at: bigint
  readonly order: number
}

const earliestFirst: Order.Order<WakeUp> = Order.combine(
  Order.mapInput(Order.bigint, (wakeUp) => wakeUp.at),
  Order.mapInput(Order.number, (wakeUp) => wakeUp.order)
)

const make = (watched: Activity.Watched, quietTurns: number) => {
  let passed = 0n
  let wallOffset = 0
  let asleep = SortedMap.empty<WakeUp, () => void>(earliestFirst)
  let order = 0
  let stopped = false

  const wakeNext = () =>
    Option.map(SortedMap.headOption(asleep), ([wakeUp, resume]) => {
      asleep = SortedMap.remove(asleep, wakeUp)
      passed = wakeUp.at
      resume()
    })

  const pump = makePump(watched.around, () => {
    if (watched.activity.takeStillness(quietTurns)) wakeNext()
    return SortedMap.size(asleep) > 0
  })

  const sleep = (duration: Duration.Duration) =>
    Effect.async<void>((resume) => {
      const nanos = Duration.toNanos(duration)
      if (stopped || Option.isNone(nanos)) return
      const wakeUp = { at: passed + nanos.value, order: order++ }
      asleep = SortedMap.set(asleep, wakeUp, () => resume(Effect.void))
      pump()
      return Effect.sync(() => {
        asleep = SortedMap.remove(asleep, wakeUp)
      })
    })

  const passedMillis = () => Number(passed / Nanos.perMilli)
  const wallMillis = () => Math.floor(passedMillis() + wallOffset)

  const clock: Clock.Clock = {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: wallMillis,
    unsafeCurrentTimeNanos: () => passed,
    currentTimeMillis: Effect.sync(wallMillis),
    currentTimeNanos: Effect.sync(() => passed),
    sleep
  }

  const control: Timekeeper = {
    now: Effect.sync(() => Nanos.toDuration(passed)),
    sleepers: Effect.sync(() => SortedMap.size(asleep)),
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
    asleep = SortedMap.empty(earliestFirst)
  }

  return { clock, control, stop }
}

const finiteMillis = (name: string, input: Duration.DurationInput): number => {
  const millis = Duration.toMillis(input)
  if (Number.isFinite(millis)) return millis
  throw new RangeError(`VirtualClock.${name}: duration must be finite, got ${millis}`)
}

/**
 * Calls `turn` once per turn of the event loop, from the call of the pump for as long as `turn` answers true.
 *
 * Meanwhile the clocks of the runs `around` this one stand still.
 */
const makePump = (around: ReadonlyArray<Activity.Activity>, turn: () => boolean): (() => void) => {
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
 * Calls `next` in each turn of the event loop until it answers false, the first time in the turn after this one.
 *
 * A turn comes after all microtasks: every chain of promises has then run to its end. Only here does this module touch
 * the platform: browsers have no `setImmediate`, and they delay timers by milliseconds, but not messages.
 */
const everyTurn = (next: () => boolean): void => {
  if (typeof setImmediate === "function") byTasks(setImmediate, next)
  else if (typeof MessageChannel === "function") byMessages(next)
  else byTasks((task) => timers.scheduleTask(task, 0), next)
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

const timers = /*#__PURE__*/ Scheduler.timer(0)
