/**
 * Events between the buckets of a process and the shared store, as values.
 *
 * Sent to a bucket's observers, in separate fibers: no operation waits for an observer, and one that dies is logged and
 * changes nothing. An observer that hangs is skipped while sixteen of its calls have not ended. Grants from a lease are
 * not events; every event counts the grants before it.
 */
import type { ShownError } from "@effect-retry/core/unstable/Untrusted"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"

/**
 * The fields of every event.
 *
 * @category models
 */
export interface Common {
  /** The name of the bucket. */
  readonly name: string
  /**
   * The key of a keyed bucket; empty if it is not keyed, `TokenBucket.Key.overflow` for the keys beyond `maxKeys`. The
   * key may be secret, so loggers, `inspect`, JSON and copies by spread leave it out.
   */
  readonly key: string
  /** The tokens of the store: its latest answer, refilled since. What other processes have taken since is unknown. */
  readonly level: number
  /** Tokens that this process holds. */
  readonly held: number
  /** How many attempts this process has granted since the last event. */
  readonly grants: number
}

/**
 * The store answered a request for tokens.
 *
 * @category models
 */
export interface Asked extends Common {
  readonly _tag: "Asked"
  /** Tokens wanted. */
  readonly want: number
  /** Tokens granted; zero for a refusal. */
  readonly granted: number
  /** How long this process will not ask again; zero if it got all that it wanted. */
  readonly retryAfter: Duration.Duration
  /** How many tokens a request currently asks for, beyond what waiting attempts need. */
  readonly leaseSize: number
}

/**
 * The store took tokens back: unneeded ones of this process, or credits of successes.
 *
 * @category models
 */
export interface Returned extends Common {
  readonly _tag: "Returned"
  readonly tokens: number
}

/**
 * The store did not answer. Sent once, until it answers again.
 *
 * @category models
 */
export interface StoreAway extends Common {
  readonly _tag: "StoreAway"
  /** What may be shown of the error: safe to log. Its `original` is the error itself. */
  readonly error: ShownError
}

/**
 * The store answers again.
 *
 * @category models
 */
export interface StoreBack extends Common {
  readonly _tag: "StoreBack"
  /** How long it was away. */
  readonly after: Duration.Duration
}

/**
 * @category models
 */
export type FleetEvent = Asked | Returned | StoreAway | StoreBack

/**
 * Called with every event of a bucket.
 *
 * @category models
 */
export type FleetObserver = (event: FleetEvent) => Effect.Effect<void>
