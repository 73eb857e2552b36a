/**
 * The port to a store that a fleet shares: what Redis and Postgres have to do for a bucket.
 *
 * Every call is one round trip and one decision, and ends within the store's own bound, since buckets wait for it. An
 * answer that is older than the bound when it is read does not count: its tokens may be there again, so they must not be
 * spent. The store keeps time itself, so the clocks of the processes do not matter.
 */
import type * as Effect from "effect/Effect"
import type { Limits, Taken } from "../../decide/Gcra.ts"

export type { Limits, Taken }

/**
 * Tokens kept in one place for many processes. `E` is how the store can fail.
 *
 * A key and its limits name a bucket; one that was never used, or that has drained, is full. An arrival time means something
 * only for its limits, so processes with other limits have another bucket under the same key.
 *
 * @category models
 */
export interface Store<out E> {
  /** The longest time of a call, in milliseconds. All closing buckets together wait no longer. @default 1000 */
  readonly withinMillis?: number | undefined
  /** Takes `want` tokens, or as many as there are but at least `least`, or nothing. */
  readonly take: (key: string, limits: Limits, want: number, least: number) => Effect.Effect<Taken, E>
  /** Puts tokens in, up to the burst. */
  readonly put: (key: string, limits: Limits, tokens: number) => Effect.Effect<void, E>
  /** Tokens at this moment. */
  readonly level: (key: string, limits: Limits) => Effect.Effect<number, E>
  /** Says that a member of a group is there for so long, and answers how many are. */
  readonly present: (group: string, member: string, forMillis: number) => Effect.Effect<number, E>
}
