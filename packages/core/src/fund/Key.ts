/**
 * Which of several buckets or send rates an operation uses: a host, a table, a tenant.
 */
import { Context, Effect } from "effect"

/**
 * The key of the running operation, read from its context by keyed buckets and send rates.
 *
 * `Effect.provideService(operation, RetryBucket.Key, "table-1")` sets it for the operation.
 *
 * @category models
 */
export class Key extends Context.Reference<Key>()("@effect-retry/core/Key", { defaultValue: () => "" }) {}

/**
 * How many values a keyed layer holds, and for how long.
 *
 * @category models
 */
export interface Limits {
  readonly maxKeys: number
  readonly idleMillis: number
}

interface Entry<S> {
  readonly value: S
  usedMillis: number
}

/**
 * Values by key, bounded in number.
 *
 * A value that was not used for a while is dropped, but only when `isFresh` says that a new one would be no different. A
 * key for which there is no room shares one value with all others of its sort: nothing is ever reset unnoticed.
 *
 * @category constructors
 */
export const makeCache = <S>(
  make: Effect.Effect<S>,
  isFresh: (value: S) => Effect.Effect<boolean>,
  { idleMillis, maxKeys }: Limits
): Effect.Effect<{ readonly get: Effect.Effect<S>; readonly size: Effect.Effect<number> }> =>
  Effect.map(make, (shared) => {
    // In the order of their last use, the oldest first.
    const entries = new Map<string, Entry<S>>()
    const evictIdle = (nowMillis: number): Effect.Effect<void> =>
      Effect.gen(function* () {
        for (const [key, entry] of entries) {
          // A use in the future was before the clock stepped back.
          entry.usedMillis = Math.min(entry.usedMillis, nowMillis)
          if (!isIdle(entry, nowMillis)) return
          const fresh = yield* isFresh(entry.value)
          if (fresh && isIdle(entry, nowMillis)) entries.delete(key)
        }
      })
    const isIdle = ({ usedMillis }: Entry<S>, nowMillis: number) => nowMillis - usedMillis >= idleMillis
    const enter = (key: string, nowMillis: number): Effect.Effect<S> =>
      Effect.flatMap(evictIdle(nowMillis), () => {
        if (entries.size >= maxKeys) return Effect.succeed(shared)
        return Effect.map(make, (value) => {
          // Others may have entered while the value was made.
          const entered = entries.get(key)
          if (entered !== undefined) return entered.value
          if (entries.size >= maxKeys) return shared
          entries.set(key, { value, usedMillis: nowMillis })
          return value
        })
      })
    const get = Effect.clockWith((clock) =>
      Effect.flatMap(Key, (key) => {
        const nowMillis = clock.unsafeCurrentTimeMillis()
        const entry = entries.get(key)
        if (entry === undefined) return enter(key, nowMillis)
        entries.delete(key)
        entry.usedMillis = nowMillis
        entries.set(key, entry)
        return Effect.succeed(entry.value)
      })
    )
    return { get, size: Effect.sync(() => entries.size) }
  })
