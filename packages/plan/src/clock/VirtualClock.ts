/**
 * A `Clock` on which time passes by itself, without delay.
 *
 * Under `TestClock` the test moves the time; here the clock moves itself. When every fiber of the run is suspended, it
 * jumps to the earliest wake-up and wakes that one sleeper, so an hour of back-off takes as long as the work between the
 * delays. Time is counted in whole nanoseconds from 0, and a wake-up is never early, late or rounded.
 *
 * Time stands still while a fiber has work, on any `Scheduler`, and while a program nested in the run sleeps on its own
 * virtual clock. The clock also waits for promises, and for callbacks that take at most 8 turns of the event loop
 * (`setImmediate`) from one step of a fiber to the next. Sockets, files, threads and real timers take longer: a fiber that
 * waits for one of these counts as suspended, so a timeout around real I/O ends before the answer comes. Fibers started by
 * a runtime from outside the run do not count.
 *
 * @example
 * ```ts
 * import { VirtualClock } from "@effect-retry/plan"
 * import { Clock, Duration, Effect } from "effect"
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
 *   assert.strictEqual(Duration.toHours(passed), 1)
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ClockLine from "./ClockLine.ts"
import type { Timekeeper } from "./Timekeeper.ts"
import { make } from "./Timekeeper.ts"

/**
 * What a virtual clock offers a test besides telling the time and sleeping.
 *
 * @category models
 */
export class VirtualClock extends Context.Tag("@effect-retry/plan/VirtualClock")<VirtualClock, Timekeeper>() {}

/** How many turns of the event loop without a task make a run idle. */
const quietTurns = 8

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
export const layer: Layer.Layer<VirtualClock> = ClockLine.layer(VirtualClock, (watched) => make(watched, quietTurns))

/**
 * Runs an effect on a new virtual clock, which replaces any `Clock` around it, including `TestClock`.
 *
 * @category running
 */
export const run: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, Exclude<R, VirtualClock>> =
  Effect.provide(Layer.fresh(layer))

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
 * Sets the wall clock back, as a correction by a time server does, without changing when sleepers wake.
 *
 * The wall clock may go below 0. An infinite step is refused.
 *
 * @category running
 */
export const stepBack = (by: Duration.DurationInput): Effect.Effect<void, never, VirtualClock> =>
  Effect.flatMap(VirtualClock, (clock) => clock.stepBack(by))

/**
 * Sets the wall clock to a time since 1970, without changing when sleepers wake.
 *
 * An infinite time is refused.
 *
 * @category running
 */
export const setWallTime = (sinceEpoch: Duration.DurationInput): Effect.Effect<void, never, VirtualClock> =>
  Effect.flatMap(VirtualClock, (clock) => clock.setWallTime(sinceEpoch))
