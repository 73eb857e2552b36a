/**
 * A bucket for each key, bounded in number and in age.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Argument from "../accept/Argument.ts"
import * as AtOnce from "./AtOnce.ts"
import { Key } from "./Key.ts"
import * as MonotonicTime from "./MonotonicTime.ts"
import type { Grant, Outcome, TokenBucket } from "./Port.ts"
import { noTokens } from "./Port.ts"
import * as RecentlyUsed from "./RecentlyUsed.ts"

/** The options of `keyed`. */
interface Keyed {
  /** Makes the bucket of a key, such as `RetryBucket.quota()`. May read `TokenBucket.Key`. */
  readonly bucket: Effect.Effect<TokenBucket>
  /** Most keys with a bucket of their own at a time; the keys beyond share one more. */
  readonly maxKeys: number
  /** A bucket not used for so long makes room for the bucket of another key. */
  readonly idleTimeToLive: Duration.DurationInput
}

/**
 * A bucket for each key. The key is `TokenBucket.Key` of the operation's context: a host, a table, a tenant.
 *
 * A key has a bucket of its own as long as it uses it. Keys for which there is no room share one bucket. A bucket not used
 * for `idleTimeToLive` is dropped when another key needs room, whatever its level, and its key gets a new one when it is
 * used again. So in a time `t` at most `(maxKeys + 1) * (1 + t / idleTimeToLive)` buckets are made, and together they
 * grant at most what so many buckets grant.
 * An outcome is recorded with the bucket that granted the attempt, also when that bucket was dropped meanwhile. A bucket
 * in which an attempt waits is not dropped, nor one with `started` while an attempt is under way. Setting the wall clock
 * changes nothing.
 *
 * @category constructors
 */
export const keyed = (options: Keyed): Effect.Effect<TokenBucket> => {
  const owner = "TokenBucket.keyed"
  const limits = {
    maxKeys: Argument.number(owner, "maxKeys", options.maxKeys, { min: 1, integer: true }),
    idleMillis: Argument.millis(owner, "idleTimeToLive", options.idleTimeToLive, { min: 1 })
  }
  const make = Effect.map(options.bucket, (bucket): Entry => ({ bucket, inUse: 0 }))
  const makeShared = Effect.provideService(make, Key, "")
  return Effect.map(makeShared, (first) => {
    const entries = makeEntries(make, sharedBy(makeShared, first, limits.idleMillis), limits)
    return first.bucket.started === undefined ? bucketOf(entries) : startingBucketOf(entries)
  })
}

interface Entry {
  readonly bucket: TokenBucket
  /** Attempts that wait for the bucket's answer, and attempts under way that it was told of. */
  inUse: number
}

/** The entry of all keys for which there is no room. */
interface Shared {
  readonly use: (nowMillis: number) => Effect.Effect<Entry>
  /** Whether an attempt of the key started with it: the end of the attempt belongs there, also when there is room again. */
  readonly isHeldBy: (key: string) => boolean
  readonly count: Entries["count"]
}

interface Entries {
  /** Uses the entry of the running operation's key. `f` runs the entry's bucket at once, or changes nothing yet. */
  readonly use: <A>(f: (entry: Entry, key: string) => Effect.Effect<A>) => Effect.Effect<A>
  /** Counts an attempt that starts (1) or ends (-1). */
  readonly count: (entry: Entry, key: string, change: 1 | -1) => void
}

const sharedBy = (make: Effect.Effect<Entry>, first: Entry, idleMillis: number): Shared => {
  let shared = first
  let usedMillis = Infinity
  const underWay = new Map<string, number>()
  return {
    use: (nowMillis) => {
      const isIdle = !isInUse(shared) && nowMillis - usedMillis >= idleMillis
      usedMillis = nowMillis
      if (!isIdle) return Effect.succeed(shared)
      return Effect.map(make, (entry) => {
        shared = entry
        return entry
      })
    },
    isHeldBy: (key) => underWay.has(key),
    count: (entry, key, change) => {
      if (entry !== shared) return
      const count = (underWay.get(key) ?? 0) + change
      if (count > 0) underWay.set(key, count)
      else underWay.delete(key)
    }
  }
}

const makeEntries = (
  make: Effect.Effect<Entry>,
  shared: Shared,
  { idleMillis, maxKeys }: { readonly idleMillis: number; readonly maxKeys: number }
): Entries => {
  const monotonicMillis = MonotonicTime.makeReader()
  const own = RecentlyUsed.make<Entry>(idleMillis)
  const enter = (key: string, nowMillis: number): Effect.Effect<Entry> => {
    if (shared.isHeldBy(key)) return shared.use(nowMillis)
    own.dropIdle(nowMillis, isInUse)
    if (own.size() >= maxKeys) return shared.use(nowMillis)
    return Effect.flatMap(make, (entry) => {
      // Others may have entered while the bucket was made.
      const entered = own.get(key, nowMillis)
      if (entered !== undefined) return Effect.succeed(entered)
      if (own.size() >= maxKeys) return shared.use(nowMillis)
      own.add(key, entry, nowMillis)
      return Effect.succeed(entry)
    })
  }
  return {
    use: (f) =>
      AtOnce.suspend(() => {
        const fiber = AtOnce.currentFiber()
        const key = Context.get(fiber.currentContext, Key)
        const nowMillis = monotonicMillis(Context.get(fiber.currentDefaultServices, Clock.Clock))
        const entry = own.get(key, nowMillis)
        return entry === undefined ? Effect.flatMap(enter(key, nowMillis), (entry) => f(entry, key)) : f(entry, key)
      }),
    count: (entry, key, change) => {
      entry.inUse = Math.max(0, entry.inUse + change)
      shared.count(entry, key, change)
    }
  }
}

const isInUse = ({ inUse }: Entry): boolean => inUse > 0

/** A grant that knows its bucket, since the key may have another one when the attempt ends. */
interface KeyedGrant extends Grant {
  readonly bucket: TokenBucket
  readonly inner: Grant
}

const isKeyed = (granted: Grant): granted is KeyedGrant => "bucket" in granted

const bucketOf = ({ use }: Entries): TokenBucket => ({
  acquire: (request) =>
    use((entry) => {
      const asked = AtOnce.run(entry.bucket.acquire(request))
      const answerOf = Option.map((inner: Grant) => grantOf(entry, inner))
      return AtOnce.hasEnded(asked) ? Exit.map(asked, answerOf) : Effect.map(using(entry, asked), answerOf)
    }),
  record: (outcome) =>
    isKeyed(outcome.granted) ? recordGranted(outcome, outcome.granted) : use(({ bucket }) => bucket.record(outcome)),
  level: use(({ bucket }) => bucket.level)
})

/** Counts an attempt that waits for the bucket's answer. */
const using = <A>(entry: Entry, asked: Effect.Effect<A>): Effect.Effect<A> =>
  Effect.suspend(() => {
    entry.inUse += 1
    const ended = <B>(exit: B): B => {
      entry.inUse -= 1
      return exit
    }
    return Effect.matchCauseEffect(asked, {
      onFailure: (cause) => ended(Effect.failCause(cause)),
      onSuccess: (answer) => ended(Effect.succeed(answer))
    })
  })

const grantOf = ({ bucket }: Entry, inner: Grant): KeyedGrant => ({
  tokens: inner.tokens,
  refund: inner.refund,
  bucket,
  inner
})

const recordGranted = (outcome: Outcome, { bucket, inner }: KeyedGrant): Effect.Effect<void> =>
  bucket.record({ ...outcome, granted: inner })

const startingBucketOf = (entries: Entries): TokenBucket => ({
  ...bucketOf(entries),
  started: (attempt) =>
    entries.use((entry, key) =>
      counting(
        () => entries.count(entry, key, 1),
        () => entry.bucket.started?.(attempt) ?? Effect.void
      )
    ),
  record: (outcome) =>
    entries.use((entry, key) =>
      counting(
        () => entries.count(entry, key, -1),
        () => {
          if (!isKeyed(outcome.granted)) return entry.bucket.record(outcome)
          const recorded = recordGranted(outcome, outcome.granted)
          if (outcome.granted.bucket === entry.bucket) return recorded
          // A bucket that was dropped granted the attempt, and this one was told that it started.
          return Effect.ensuring(recorded, entry.bucket.record({ ...outcome, granted: noTokens }))
        }
      )
    )
})

/** Counts, then tells: also where the telling dies. */
const counting = (count: () => void, tell: () => Effect.Effect<void>): Effect.Effect<void> => {
  const told = AtOnce.run(AtOnce.suspend(tell))
  const counted = () => {
    count()
    return told
  }
  return AtOnce.hasEnded(told) ? counted() : Effect.suspend(counted)
}
