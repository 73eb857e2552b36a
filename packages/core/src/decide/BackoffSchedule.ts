/**
 * Makes a `Backoff`, which is a `Schedule`, from a tree.
 *
 * A native driver first asks a schedule when the first attempt has failed (or, with `repeat`, succeeded), so the operation's
 * time counts from there.
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

const TypeId: unique symbol = Symbol.for("@effect-retry/core/Backoff")

/**
 * A schedule of delays that can be inspected: `tree` holds its curves, caps and jitters in their initial state.
 *
 * @category models
 */
export interface Backoff extends Schedule.Schedule<Duration.Duration> {
  readonly [TypeId]: typeof TypeId
  readonly tree: Tree
  /** Whether a step needs a random number. */
  readonly draws: boolean
  /** Whether a step depends on how long the attempt or the operation has run. */
  readonly readsTime: boolean
}

/**
 * Whether a value is a back-off of this package.
 *
 * @category guards
 */
export const isBackoff = (u: unknown): u is Backoff => Predicate.hasProperty(u, TypeId)

/** The back-off that a tree describes; errors name `owner`. */
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
