/**
 * The port of shared stores: what Redis and Postgres must do for a bucket.
 *
 * Every call is one round trip and one decision, and ends within the store's own time limit, because buckets wait for
 * it. An answer that is older than the limit when it is read does not count: its tokens may have been refilled, so they
 * must not be spent. The store uses its own clock, so the clocks of the processes do not matter.
 */
import type * as Effect from "effect/Effect"
import type { Swapped } from "../../decide/CircuitText.ts"
import type { Limits, Taken } from "../../decide/Gcra.ts"

export type { Limits, Swapped, Taken }

/**
 * Tokens kept in one place for many processes. `E` is the error of the store.
 *
 * A key and its limits identify a bucket; one that was never used, or that has had time to refill, is full. An arrival
 * time is valid only for its limits, so processes with other limits have another bucket under the same key.
 *
 * @category models
 */
export interface Store<out E> {
  /** The longest time for a call, in milliseconds. All closing buckets together wait no longer. @default 1000 */
  readonly withinMillis?: number | undefined
  /** Takes `want` tokens, or as many as there are but at least `least`, or nothing. */
  readonly take: (key: string, limits: Limits, want: number, least: number) => Effect.Effect<Taken, E>
  /** Puts tokens in, up to the burst. */
  readonly put: (key: string, limits: Limits, tokens: number) => Effect.Effect<void, E>
  /** The tokens now. */
  readonly level: (key: string, limits: Limits) => Effect.Effect<number, E>
  /** Records a heartbeat of a member, valid for `forMillis`, and returns the number of members of the group. */
  readonly present: (group: string, member: string, forMillis: number) => Effect.Effect<number, E>
  /**
   * Replaces a text by `next` if it is still `expected`, for `forMillis`, and returns the text afterwards. There is no text
   * at first and after that time: it is empty. With `next` the same as `expected` it only reads.
   */
  readonly swap: (key: string, expected: string, next: string, forMillis: number) => Effect.Effect<Swapped, E>
}
