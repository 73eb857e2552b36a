/**
 * Interleaves fibers deliberately, so that the contract suites can find races.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Line from "@effect-retry/core/unstable/FiberLine"
import { inTurnsOf } from "./TurnsLine.ts"

/** Lets all other fibers run until they wait for something; no time passes. */
export const settled: Effect.Effect<void> = Effect.asVoid(Effect.replicateEffect(Effect.yieldNow(), 25))

/** Steps between two turns of a fiber. With fewer it would make no progress, because a turn itself takes steps. */
export const turn = 16

/** When a fiber is interrupted: a number of steps before the end of a turn, after a number of turns. */
export interface Moment {
  readonly early: number
  readonly turns: number
}

/** Every step of a fiber's first turns, and a moment when it waits for something. */
export const moments: ReadonlyArray<Moment> = /*#__PURE__*/ [0, 1, 2, 3, 4, 5, 25].flatMap((turns) =>
  Array.from({ length: turn }, (_, early) => ({ early, turns }))
)

/** An effect that runs in a separate fiber. */
export interface Begun<out A> {
  readonly isOver: Effect.Effect<boolean>
  /** Interrupts it, and returns its result, if it had one by then. */
  readonly ended: Effect.Effect<Option.Option<A>>
}

/**
 * Begins an effect that takes turns with other fibers, the first turn `early` steps shorter than the others.
 *
 * `self` receives a function that reports its outcome, so that it can report in an uninterruptible region.
 */
export const begin = <A, E, R>(
  self: (answer: (a: A) => void) => Effect.Effect<unknown, E, R>,
  early = 0
): Effect.Effect<Begun<A>, never, R> =>
  Effect.suspend(() => {
    let answered = Option.none<A>()
    const answering = self((a) => {
      answered = Option.some(a)
    })
    return Effect.map(Effect.forkDaemon(inTurns(answering, early)), (fiber) => ({
      isOver: Effect.sync(() => Line.exitOf(fiber) !== undefined),
      ended: Effect.map(Fiber.interrupt(fiber), () => answered)
    }))
  })

const inTurns = <A, E, R>(self: Effect.Effect<A, E, R>, early: number): Effect.Effect<A, E, R> => {
  const later = (steps: number): Effect.Effect<A, E, R> => (steps === 0 ? self : Effect.suspend(() => later(steps - 1)))
  return inTurnsOf(turn, later(early))
}
