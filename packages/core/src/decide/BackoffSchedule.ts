/**
 * The `Schedule` face of a tree: what makes a `Backoff` of it.
 *
 * A thin file. Natively a schedule is first asked when the first attempt has failed (or, repeated, has succeeded), so
 * the time of the operation counts from there.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Random from "effect/Random"
import type * as Schedule from "effect/Schedule"
import * as Argument from "../accept/Argument.ts"
import type { Tree } from "./BackoffTree.ts"
import * as BackoffTree from "./BackoffTree.ts"
import * as ScheduleLine from "./ScheduleLine.ts"

export const TypeId: unique symbol = Symbol.for("@effect-retry/core/Backoff")

/**
 * A schedule of delays that can be read: `tree` holds its curves, caps and jitters, at its beginning.
 *
 * @category models
 */
export interface Backoff extends Schedule.Schedule<Duration.Duration> {
  readonly [TypeId]: typeof TypeId
  readonly tree: Tree
  /** Whether a step needs a random number. */
  readonly draws: boolean
  /** Whether a step needs to know the time: how long the attempt ran, or the operation. */
  readonly readsTime: boolean
}

/**
 * Whether something is a back-off of this package: a schedule that can be read.
 *
 * @category guards
 */
export const isBackoff = (u: unknown): u is Backoff => Predicate.hasProperty(u, TypeId)

/** The back-off that a tree describes, at the call of `owner`. */
export const fromTree = (owner: string, tree: Tree): Backoff => {
  const parts = BackoffTree.countParts(tree)
  if (parts > BackoffTree.mostParts) {
    return Argument.refuse(owner, "self", `a back-off of at most ${BackoffTree.mostParts} parts`, `${parts} or more`)
  }
  const draws = BackoffTree.draws(tree)
  return Object.assign(toSchedule(tree, draws), {
    [TypeId]: TypeId,
    tree,
    draws,
    readsTime: BackoffTree.readsTime(tree)
  } as const)
}

interface ScheduleState {
  readonly tree: Tree
  /** When the schedule was first asked. */
  readonly beganAt: number | undefined
  /** When the attempt that is now failing began; unknown for the first one. */
  readonly startedAt: number | undefined
}

const toSchedule = (tree: Tree, draws: boolean): Schedule.Schedule<Duration.Duration> => {
  const answer = (now: number, state: ScheduleState, u: number): ScheduleLine.Stepped<ScheduleState> => {
    const { beganAt = now, startedAt = now } = state
    const stepped = BackoffTree.step(state.tree, {
      u,
      kind: undefined,
      ranMillis: Math.max(0, now - startedAt),
      elapsedMillis: Math.max(0, now - beganAt)
    })
    if (stepped === undefined) return { delayMillis: undefined, state }
    const { delayMillis, rest } = stepped
    return { delayMillis, state: { tree: rest, beganAt, startedAt: now + delayMillis } }
  }
  const initial: ScheduleState = { tree, beganAt: undefined, startedAt: undefined }
  return ScheduleLine.make(initial, (now, _: unknown, state) =>
    Effect.map(draws ? Random.next : Effect.succeed(0), (u) => answer(now, state, u))
  )
}
