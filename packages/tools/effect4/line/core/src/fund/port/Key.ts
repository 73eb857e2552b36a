/**
 * Which of several buckets an operation uses: that of a host, a table, a tenant.
 */
import * as Context from "effect/Context"

/**
 * The key of the running operation, read from its context by keyed buckets. Empty where it is not set.
 *
 * `Effect.provideService(operation, TokenBucket.Key, "table-1")` sets it for an operation.
 *
 * @category models
 */
export const Key: Context.Reference<string> & {
  /** The key of the bucket that all keys beyond the limit of a keyed bucket share; no program would use this text itself. */
  readonly overflow: string
} = /*#__PURE__*/ Object.assign(
  /*#__PURE__*/ Context.Reference<string>("@effect-retry/core/Key", { defaultValue: () => "" }),
  { overflow: "\u0000overflow" }
)
