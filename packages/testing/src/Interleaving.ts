/**
 * Fibers that are interleaved on purpose: the contract suites use them to look for races.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Line from "@effect-retry/core/unstable/FiberLine"
import { inTurnsOf } from "./TurnsLine.ts"

/** Lets all other fibers run until they wait for something; no time passes. */
export const settled: Effect.Effect<void> = Effect.asVoid(Effect.replicateEffect(Effect.yieldNow(), 25))

/** Steps between two turns of a fiber. With fewer it would not get on: a turn takes steps itself. */
export const turn = 16

/** Where a fiber is interrupted: so many steps before the end of a turn, and after so many turns. */
export interface Moment {
  readonly early: number
  readonly turns: number
}

/** Every step of a fiber's first turns, and once it waits for something. */
export const moments: ReadonlyArray<Moment> = /*#__PURE__*/ [0, 1, 2, 3, 4, 5, 25].flatMap((turns) =>
  Array.from({ length: turn }, (_, early) => ({ early, turns }))
)

/** Something that runs in a fiber of its own. */
export interface Begun<out A> {
  readonly isOver: Effect.Effect<boolean>
  /** Interrupts it; what it had answered by then, if it had. */
  readonly ended: Effect.Effect<Option.Option<A>>
}

/**
 * Begins an effect that takes turns with other fibers, the first turn `early` steps shorter than the others.
 *
 * `self` gets a function that reports its outcome, so that it can report where it cannot be interrupted.
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
