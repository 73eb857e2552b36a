/**
 * Which of several buckets an operation uses: the one of a host, a table, a tenant.
 */
import * as Context from "effect/Context"

/**
 * The key of the running operation, read from its context by keyed buckets. Empty if not set.
 *
 * `Effect.provideService(operation, TokenBucket.Key, "table-1")` sets it for an operation.
 *
 * @category models
 */
export class Key extends Context.Reference<Key>()("@effect-retry/core/Key", { defaultValue: () => "" }) {
  /** The key of the bucket that all keys beyond a keyed bucket's `maxKeys` share; a text that no program would use itself. */
  static readonly overflow = "\u0000overflow"
}
