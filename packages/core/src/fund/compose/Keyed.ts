/**
 * One bucket per key, bounded in number and age.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "../../accept/Argument.ts"
import * as AtOnce from "../fiber/AtOnce.ts"
import * as Line from "../fiber/Line.ts"
import * as BucketScopes from "../store/BucketScopes.ts"
import * as Answer from "../port/Answer.ts"
import { Key } from "../port/Key.ts"
import type { Entry } from "./KeyedEntry.ts"
import * as KeyedEntry from "./KeyedEntry.ts"
import * as KnownKey from "./KnownKey.ts"
import * as MonotonicTime from "../port/MonotonicTime.ts"
import type { Grant, Outcome, TokenBucket } from "../port/Port.ts"
import { noTokens } from "../port/Port.ts"
import * as RecentlyUsed from "../store/RecentlyUsed.ts"

/** The options of `keyed`. */
interface Keyed<out E, out R> {
  /**
   * Makes the bucket of a key, such as `TokenBucket.quota()`. May read `TokenBucket.Key`; everything else comes from the
   * context in which the keyed bucket is made.
   */
  readonly bucket: Effect.Effect<TokenBucket<E>, never, R>
  /** The largest number of keys with their own bucket at a time; all further keys share one more bucket. */
  readonly maxKeys: number
  /** A bucket that has not been used for this long may be dropped to make room for another key. */
  readonly idleTimeToLive: Duration.DurationInput
}

const owner = "TokenBucket.keyed"

/**
 * One bucket per key. The key is `TokenBucket.Key` from the operation's context: a host, a table, a tenant.
 *
 * A key keeps its bucket as long as it is used. Keys beyond `maxKeys` share one more bucket, under the key `Key.overflow`. A
 * bucket that was idle for `idleTimeToLive` is dropped when another key needs room, whatever its level; its key gets a new
 * bucket when it is used again. So in a time `t` at most `(maxKeys + 1) * (1 + t / idleTimeToLive)` buckets are made, and
 * together they grant at most what that many buckets grant.
 * An outcome is recorded with the bucket that granted the attempt, even if that bucket was dropped meanwhile. A bucket
 * is not dropped while an attempt waits in it, nor, if it has `started`, while an attempt is under way. Setting the
 * wall clock has no effect.
 *
 * If `bucket` needs a `Scope`, each bucket gets its own. That scope closes, in a fiber that no operation waits for, once the
 * bucket has been dropped and the attempts that it granted have been recorded; at the latest it closes with the scope in
 * which the keyed bucket was made. A finalizer that dies is logged. A bucket without `started` is not told of interrupted
 * attempts; because of them, at most `maxKeys` dropped buckets stay open.
 *
 * @category constructors
 */
export const keyed = <E = never, R = never>(options: Keyed<E, R>): Effect.Effect<TokenBucket<E>, never, R> => {
  const example = '{ bucket: TokenBucket.quota(), maxKeys: 1000, idleTimeToLive: "10 minutes" }'
  const given = Argument.options(owner, example, options, { bucket: true, maxKeys: true, idleTimeToLive: true })
  const limits = {
    maxKeys: Argument.number(owner, "maxKeys", given.maxKeys, { min: 1, integer: true }),
    idleMillis: Argument.millis(owner, "idleTimeToLive", given.idleTimeToLive, { min: 1 })
  }
  return Effect.gen(function* () {
    const context = yield* Effect.context<R>()
    const scopes = yield* BucketScopes.make(owner, limits.maxKeys)
    const make = KeyedEntry.make(options.bucket, context, scopes)
    const first = yield* make(Key.overflow, Effect.succeed)
    const entries = makeEntries(make, sharedBy(make, first, limits.idleMillis), limits)
    const { refusalAfter, started, timed } = first.bucket
    const of = started === undefined ? bucketOf<E> : startingBucketOf<E>
    const foretells = refusalAfter !== undefined
    return KnownKey.keyed((key) => ({ ...of(entries, key), ...(foretells && foretelling(entries, key)), timed }))
  })
}

type Make<E> = ReturnType<typeof KeyedEntry.make<E, never>>

/** The entry that all keys beyond `maxKeys` share. */
interface Shared<E> {
  readonly use: (nowMillis: number) => Effect.Effect<Entry<E>>
  /** Whether it was told of the start of an attempt of this key. It then hears of the end too, even if there is room again. */
  readonly isHeldBy: (key: string) => boolean
  readonly count: Entries<E>["count"]
}

interface Entries<E> {
  /**
   * Uses the entry of the given key, or of the running operation's key. `f` runs the entry's bucket at once, or changes
   * nothing yet.
   */
  readonly use: <A>(
    known: string | undefined,
    f: (entry: Entry<E>, key: string) => Effect.Effect<A, E>
  ) => Effect.Effect<A, E>
  /** Counts an attempt that starts (1) or ends (-1). */
  readonly count: (entry: Entry<E>, key: string, change: 1 | -1) => void
}

const sharedBy = <E>(make: Make<E>, first: Entry<E>, idleMillis: number): Shared<E> => {
  let shared = first
  let usedMillis = Infinity
  const underWay = new Map<string, number>()
  return {
    use: (nowMillis) => {
      const isIdle = !isInUse(shared) && nowMillis - usedMillis >= idleMillis
      usedMillis = nowMillis
      if (!isIdle) return Effect.succeed(shared)
      return make(Key.overflow, (entry) => {
        drop(shared)
        shared = entry
        return Effect.succeed(entry)
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

const makeEntries = <E>(
  make: Make<E>,
  shared: Shared<E>,
  { idleMillis, maxKeys }: { readonly idleMillis: number; readonly maxKeys: number }
): Entries<E> => {
  const monotonicMillis = MonotonicTime.makeReader()
  const own = RecentlyUsed.make<Entry<E>>(idleMillis, drop)
  const enter = (key: string, nowMillis: number): Effect.Effect<Entry<E>> => {
    if (shared.isHeldBy(key)) return shared.use(nowMillis)
    own.dropIdle(nowMillis, isInUse)
    if (own.size() >= maxKeys) return shared.use(nowMillis)
    return make(key, (entry) => {
      // Another operation may have made the entry while the bucket was made.
      const entered = own.get(key, nowMillis)
      const hasRoom = own.size() < maxKeys
      if (entered === undefined && hasRoom) own.add(key, entry, nowMillis)
      else drop(entry)
      if (entered !== undefined) return Effect.succeed(entered)
      return hasRoom ? Effect.succeed(entry) : shared.use(nowMillis)
    })
  }
  return {
    use: (known, f) =>
      AtOnce.suspend(() => {
        const fiber = AtOnce.currentFiber()
        const key = known ?? Context.get(Line.context(fiber), Key)
        const nowMillis = monotonicMillis(Context.get(Line.services(fiber), Clock.Clock))
        const entry = own.get(key, nowMillis)
        return entry === undefined ? Effect.flatMap(enter(key, nowMillis), (entry) => f(entry, key)) : f(entry, key)
      }),
    count: (entry, key, change) => {
      if (change === 1) KeyedEntry.begin(entry)
      else if (entry.inUse > 0) KeyedEntry.end(entry)
      shared.count(entry, key, change)
    }
  }
}

const isInUse = ({ inUse }: Entry<unknown>): boolean => inUse > 0

const drop = ({ scope }: Entry<unknown>): void => scope?.drop()

const bucketOf = <E>({ use }: Entries<E>, key: string | undefined): TokenBucket<E> => ({
  acquire: (request) =>
    use(key, (entry) => {
      const answerOf = Option.map((inner: Grant) => KeyedEntry.granted(entry, inner))
      return KeyedEntry.ask(entry, Answer.checked("TokenBucket.keyed", entry.bucket.acquire(request)), answerOf)
    }),
  record: (outcome) => {
    const { granted } = outcome
    return KeyedEntry.isGranted<E>(granted)
      ? KeyedEntry.record(outcome, granted)
      : use(key, (entry) => KeyedEntry.tell(entry, entry.bucket.record(outcome)))
  },
  level: use(key, ({ bucket }) => bucket.level)
})

const foretelling = <E>({ use }: Entries<E>, key: string | undefined): Pick<TokenBucket<E>, "refusalAfter"> => ({
  refusalAfter: (delay) => use(key, ({ bucket }) => bucket.refusalAfter?.(delay) ?? Effect.succeedNone)
})

const startingBucketOf = <E>(entries: Entries<E>, known: string | undefined): TokenBucket<E> => ({
  ...bucketOf(entries, known),
  started: (begun) =>
    entries.use(known, (entry, key) => {
      const told = AtOnce.run(AtOnce.suspend(() => entry.bucket.started?.(begun) ?? Effect.void))
      const counted = () => {
        entries.count(entry, key, 1)
        return told
      }
      return AtOnce.hasEnded(told) ? counted() : Effect.suspend(counted)
    }),
  record: (outcome) =>
    entries.use(known, (entry, key) =>
      KeyedEntry.endingIn(
        AtOnce.suspend(() => recordIn(entry, outcome)),
        () => entries.count(entry, key, -1)
      )
    )
})

/** Records an outcome in the entry that was told of the attempt's start. */
const recordIn = <E>(entry: Entry<E>, outcome: Outcome): Effect.Effect<void, E> => {
  const { granted } = outcome
  if (!KeyedEntry.isGranted<E>(granted)) return entry.bucket.record(outcome)
  const recorded = AtOnce.run(KeyedEntry.record(outcome, granted))
  if (granted.entry === entry) return recorded
  // A bucket that has been dropped granted the attempt, but this one was told of its start.
  const ended = AtOnce.call(() => entry.bucket.record({ ...outcome, granted: noTokens }))
  return Effect.matchCauseEffect(recorded, {
    onFailure: (cause) => Effect.zipRight(Effect.exit(ended), Effect.failCause(cause)),
    onSuccess: () => ended
  })
}
