/**
 * What happens between the buckets of a process and the store that the fleet shares, as values.
 *
 * Sent to the observers that a bucket names, in fibers of their own: no operation waits for an observer, and an observer
 * that dies is logged and changes nothing. One that hangs is left out while sixteen of its calls have not ended. Grants out of a lease are not events; every event counts those before it.
 */
import type { ShownError } from "@effect-retry/core/unstable/Untrusted"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"

/**
 * What every event tells.
 *
 * @category models
 */
export interface Common {
  /** The name of the bucket. */
  readonly name: string
  /**
   * Which bucket of a keyed one it is; empty if it is not keyed, `TokenBucket.Key.overflow` for the keys beyond `maxKeys`.
   * May be a secret of the caller: loggers, `inspect` and JSON leave it out, and so does a copy by spread.
   */
  readonly key: string
  /** Tokens of the store by its latest answer, refilled since; what other processes took since is not known. */
  readonly level: number
  /** Tokens that this process holds. */
  readonly held: number
  /** Attempts that this process granted since the event before. */
  readonly grants: number
}

/**
 * The store answered a question for tokens.
 *
 * @category models
 */
export interface Asked extends Common {
  readonly _tag: "Asked"
  /** Tokens wanted. */
  readonly want: number
  /** Tokens granted; zero for a refusal. */
  readonly granted: number
  /** How long this process will not ask again; zero if it got all the tokens it wanted. */
  readonly retryAfter: Duration.Duration
  /** Tokens that a question asks for at present, beyond what waiting attempts need. */
  readonly leaseSize: number
}

/**
 * The store took tokens back: what this process held and did not need, or credits of successes.
 *
 * @category models
 */
export interface Returned extends Common {
  readonly _tag: "Returned"
  readonly tokens: number
}

/**
 * The store did not answer. Told once: until it answers again.
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
