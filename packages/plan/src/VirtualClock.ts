/**
 * A `Clock` on which time passes by itself, and at once.
 *
 * Under `TestClock` the test moves the time; here the clock moves itself. When every fiber of the run is suspended, it
 * jumps to the earliest wake-up and wakes that one sleeper, so an hour of back-off takes as long as the work between the
 * delays. Time is counted in whole nanoseconds from 0, and a wake-up is never early, late or rounded.
 *
 * Time stands still while a fiber has work, on whatever `Scheduler` it runs, and while a program nested in the run sleeps
 * on a virtual clock of its own. A fiber that waits for a callback is waited for as long as that is a matter of promises,
 * or of at most 16 turns of the event loop (`setImmediate`) from one step of a fiber to the next. Sockets, files, threads
 * and real timers take longer: a fiber that waits for one of those counts as suspended, so a timeout around real I/O ends
 * before the answer comes. Fibers that a runtime from outside of the run starts are not seen at all.
 *
 * @example
 * ```ts
 * import { VirtualClock } from "@effect-retry/plan"
 * import { Clock, Effect } from "effect"
 * import * as assert from "node:assert"
 *
 * const program = Effect.gen(function* () {
 *   yield* Effect.sleep("20 minutes")
 *   yield* VirtualClock.stepBack("5 minutes")
 *   yield* Effect.sleep("40 minutes")
 *   return { wallClock: yield* Clock.currentTimeMillis, passed: yield* VirtualClock.now }
 * })
 *
 * Effect.runPromise(VirtualClock.run(program)).then(({ wallClock, passed }) => {
 *   assert.strictEqual(wallClock, 55 * 60_000)
 *   assert.strictEqual(passed.toString(), "Duration(1h)")
 * })
 * ```
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Order from "effect/Order"
import * as SortedMap from "effect/SortedMap"
import * as Activity from "./Activity.ts"
import * as Nanos from "./Nanos.ts"

/**
 * What a test may ask of its virtual clock beside telling the time and sleeping.
 *
 * @category models
 */
export class VirtualClock extends Context.Tag("@effect-retry/plan/VirtualClock")<
  VirtualClock,
  {
    /** The time passed since the clock was built; steps of the wall clock do not show in it. */
    readonly now: Effect.Effect<Duration.Duration>
    /** How many fibers are asleep; one that sleeps for ever is not counted. */
    readonly sleepers: Effect.Effect<number>
    /** Sets the wall clock back; no sleeper wakes earlier or later for it. */
    readonly stepBack: (by: Duration.DurationInput) => Effect.Effect<void>
    /** Sets the wall clock to a time since 1970; no sleeper wakes earlier or later for it. */
    readonly setWallTime: (sinceEpoch: Duration.DurationInput) => Effect.Effect<void>
  }
>() {}

/**
 * Replaces the `Clock` by a virtual one, which starts at 0 whenever the layer is built; programs that share a build
 * share the time.
 *
 * As on a real machine, `currentTimeMillis` is the wall clock in whole milliseconds and may be stepped, while sleeps
 * and `currentTimeNanos` follow the time that has passed. Of the sleepers due at one instant, the first to fall asleep
 * wakes first, and the next only when every fiber is suspended again.
 * The clock stops when the layer is released: fibers that outlive it sleep for ever.
 *
 * @category layers
 */
export const layer: Layer.Layer<VirtualClock> = Layer.scoped(
  VirtualClock,
  Effect.gen(function* () {
    const { clock, control, stop } = make(yield* Activity.watch)
    yield* Effect.withClockScoped(clock)
    yield* Effect.addFinalizer(() => Effect.sync(stop))
    return control
  })
)

/**
 * Runs an effect on a virtual clock of its own, which wins over any `Clock` around it, also `TestClock`.
 *
 * @category running
 */
export const run: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, Exclude<R, VirtualClock>> =
  Effect.provide(layer)

/**
 * Reads the time passed since the clock was built; steps of the wall clock do not show in it.
 *
 * @category running
 */
export const now: Effect.Effect<Duration.Duration, never, VirtualClock> = Effect.flatMap(
  VirtualClock,
  (clock) => clock.now
)

/**
 * Counts the fibers that are asleep; one that sleeps for ever is not counted.
 *
 * @category running
 */
export const sleepers: Effect.Effect<number, never, VirtualClock> = Effect.flatMap(
  VirtualClock,
  (clock) => clock.sleepers
)

/**
 * Sets the wall clock back, as a correction by a time server does; no sleeper wakes earlier or later for it.
 *
 * The wall clock may go below 0. An infinite step is refused.
 *
 * @category running
 */
export const stepBack = (by: Duration.DurationInput): Effect.Effect<void, never, VirtualClock> =>
  Effect.flatMap(VirtualClock, (clock) => clock.stepBack(by))

/**
 * Sets the wall clock to a time since 1970; no sleeper wakes earlier or later for it.
 *
 * An infinite time is refused.
 *
 * @category running
 */
export const setWallTime = (sinceEpoch: Duration.DurationInput): Effect.Effect<void, never, VirtualClock> =>
  Effect.flatMap(VirtualClock, (clock) => clock.setWallTime(sinceEpoch))

/** A place in the queue: due `at` nanoseconds, and among equals in the `order` of falling asleep. */
interface WakeUp {
  readonly at: bigint
  readonly order: number
}

const earliestFirst: Order.Order<WakeUp> = Order.combine(
  Order.mapInput(Order.bigint, (wakeUp) => wakeUp.at),
  Order.mapInput(Order.number, (wakeUp) => wakeUp.order)
)

/** Turns of the event loop without a task after which a run stands still. */
const quietTurns = 16

const make = (watched: Activity.Watched) => {
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

  const pump = makePump(watched, (still) => {
    if (still) wakeNext()
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

  const control: Context.Tag.Service<VirtualClock> = {
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
 * Calls `turn` once per turn of the event loop, from the call of the pump for as long as `turn` answers true, and tells
 * it whether the run stands still.
 *
 * `setImmediate`, since it comes after all microtasks: every chain of promises has then run to its end. It is the one
 * place where this module touches the platform. Meanwhile the clocks of the runs around this one are held.
 */
const makePump = ({ activity, around }: Activity.Watched, turn: (still: boolean) => boolean): (() => void) => {
  let pumping = false
  const next = () => {
    pumping = turn(activity.takeStillness(quietTurns))
    if (pumping) setImmediate(next)
    else around.forEach((outer) => outer.end())
  }
  return () => {
    if (pumping) return
    pumping = true
    around.forEach((outer) => outer.begin())
    setImmediate(next)
  }
}
