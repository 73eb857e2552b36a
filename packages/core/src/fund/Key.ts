/**
 * Which of several buckets or send rates an operation uses: a host, a table, a tenant.
 */
import type { Duration } from "effect"
import { Context, Effect } from "effect"
import * as Argument from "../accept/InvalidArgument.ts"

/**
 * The key of the running operation, read from its context by keyed buckets and send rates.
 *
 * `Effect.provideService(operation, RetryBucket.Key, "table-1")` sets it for the operation.
 *
 * @category models
 */
export class Key extends Context.Reference<Key>()("@effect-retry/core/Key", { defaultValue: () => "" }) {}

/**
 * What every keyed layer is told.
 *
 * @category models
 */
export interface Options {
  /** Most values at a time; keys beyond share one more. */
  readonly maxKeys: number
  /** A value not used for so long is dropped once a new one would be no different. */
  readonly idleTimeToLive: Duration.DurationInput
}

/**
 * How many values a keyed layer holds, and for how long.
 *
 * @category models
 */
export interface Limits {
  readonly maxKeys: number
  readonly idleMillis: number
}

/**
 * Checks the options.
 *
 * @category constructors
 */
export const limits = (owner: string, { idleTimeToLive, maxKeys }: Options): Limits => ({
  maxKeys: Argument.number(owner, "maxKeys", maxKeys, { min: 1, integer: true }),
  idleMillis: Argument.millis(owner, "idleTimeToLive", idleTimeToLive, { min: 1 })
})

/** How many entries a look-up examines at most: those that may not be dropped must not be paid for by every new key. */
const examinedAtMost = 8

interface Entry<S> {
  readonly value: S
  usedMillis: number
}

/**
 * Values by key, bounded in number.
 *
 * A value that was not used for a while is dropped, but only when `isFresh` says that a new one would be no different. A
 * key for which there is no room shares one value with all others of its sort, and new keys go on sharing it until it is
 * fresh again: nothing is ever reset unnoticed, and whoever took from the shared value gives back to it.
 *
 * @category constructors
 */
export const makeCache = <S>(
  make: Effect.Effect<S>,
  isFresh: (value: S) => Effect.Effect<boolean>,
  { idleMillis, maxKeys }: Limits
): Effect.Effect<{ readonly get: Effect.Effect<S>; readonly size: Effect.Effect<number> }> =>
  Effect.map(make, (shared) => {
    // The oldest use first, but for those that were examined and may not be dropped: they are last.
    const entries = new Map<string, Entry<S>>()
    const evictIdle = (nowMillis: number): Effect.Effect<void> =>
      Effect.gen(function* () {
        const oldest = Array.from(take(entries, examinedAtMost))
        for (const [key, entry] of oldest) {
          // A use in the future was before the clock stepped back.
          entry.usedMillis = Math.min(entry.usedMillis, nowMillis)
          if (!isIdle(entry, nowMillis)) return
          const fresh = yield* isFresh(entry.value)
          if (!isIdle(entry, nowMillis)) continue
          entries.delete(key)
          if (!fresh) entries.set(key, entry)
        }
      })
    const isIdle = ({ usedMillis }: Entry<S>, nowMillis: number) => nowMillis - usedMillis >= idleMillis
    // Whether anybody may still have something to give back to it.
    let sharedIsUsed = false
    const share = (): S => {
      sharedIsUsed = true
      return shared
    }
    const isSharedFresh = Effect.suspend(() => (sharedIsUsed ? isFresh(shared) : Effect.succeed(true)))
    const enter = (key: string, nowMillis: number): Effect.Effect<S> =>
      Effect.flatMap(Effect.zipRight(evictIdle(nowMillis), isSharedFresh), (fresh) => {
        if (entries.size >= maxKeys || !fresh) return Effect.sync(share)
        sharedIsUsed = false
        return Effect.map(make, (value) => {
          // Others may have entered while the value was made.
          const entered = entries.get(key)
          if (entered !== undefined) return entered.value
          if (entries.size >= maxKeys) return share()
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

const take = function* <A>(values: Iterable<A>, count: number): Generator<A> {
  let taken = 0
  for (const value of values) {
    if (taken++ === count) return
    yield value
  }
}
