/**
 * Services that follow a script, for example: fail twice, then hang, then succeed.
 *
 * Every call takes the next step and is an attempt of the `Timeline` recorded around it. A call beyond the end of the
 * script dies, so that a test notices one attempt too many.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Timeline from "./Timeline.ts"

/**
 * What one call does.
 *
 * @category models
 */
export interface Step<out A = never, out E = never> {
  readonly effect: Effect.Effect<A, E>
  /** How many calls it answers. */
  readonly times: number
}

/**
 * A service that follows a script.
 *
 * @category models
 */
export interface Scripted<out A, out E> {
  /** The next step of the script. */
  readonly call: Effect.Effect<A, E>
  /** How often it has been called. */
  readonly calls: Effect.Effect<number>
}

/**
 * When a step ends, counted from the call.
 *
 * @category models
 */
export interface Options {
  /** @default at once */
  readonly after?: Duration.DurationInput
}

/**
 * A call that succeeds.
 *
 * @category constructors
 */
export const succeed = <A>(value: A, options?: Options): Step<A> => step(Effect.succeed(value), options)

/**
 * A call that fails.
 *
 * @category constructors
 */
export const fail = <E>(error: E, options?: Options): Step<never, E> => step(Effect.fail(error), options)

/**
 * A call that dies.
 *
 * @category constructors
 */
export const die = (defect: unknown, options?: Options): Step => step(Effect.die(defect), options)

/**
 * A call that never ends by itself.
 *
 * @category constructors
 */
export const hang: Step = { effect: Effect.never, times: 1 }

/**
 * Repeats a step for several calls; `Infinity` for all further calls.
 *
 * @category combinators
 */
export const times = <A, E>(self: Step<A, E>, count: number): Step<A, E> => {
  if (count !== Infinity && (!Number.isInteger(count) || count < 1)) {
    throw new RangeError(`Scripted.times: count must be a whole number >= 1 or Infinity, got ${count}`)
  }
  return { ...self, times: count }
}

/**
 * Makes a service that follows the steps. Make a new one for each test.
 *
 * @category constructors
 */
export const make = <S extends Step<unknown, unknown>>(
  steps: ReadonlyArray<S>
): Effect.Effect<Scripted<Effect.Effect.Success<S["effect"]>, Effect.Effect.Error<S["effect"]>>> =>
  Effect.sync(() => {
    let calls = 0
    const next = Effect.suspend((): S["effect"] => {
      calls += 1
      let last = 0
      for (const { effect, times } of steps) {
        last += times
        if (calls <= last) return effect
      }
      return Effect.die(new RangeError(`Scripted: call ${calls} is one too many, the script has ${last}`))
    })
    const call = next as Effect.Effect<Effect.Effect.Success<S["effect"]>, Effect.Effect.Error<S["effect"]>>
    return { call: Timeline.attempt(call), calls: Effect.sync(() => calls) }
  })

const step = <A, E>(effect: Effect.Effect<A, E>, options: Options | undefined): Step<A, E> => ({
  effect: options?.after === undefined ? effect : Effect.delay(effect, Duration.decode(options.after)),
  times: 1
})
