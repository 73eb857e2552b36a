/**
 * Buckets for a key that the caller knows, such as a client that keys its buckets by the host of a request.
 *
 * To put a key into the context of an operation and to take it out again costs more than the operation's bucket.
 */
import * as Effect from "effect/Effect"
import * as AtOnce from "../fiber/AtOnce.ts"
import { Key } from "../port/Key.ts"
import type { TokenBucket } from "../port/Port.ts"

/** What a keyed bucket has beside the port. */
const withKey = /*#__PURE__*/ Symbol("@effect-retry/core/unstable/KnownKey")

interface Keyed<E> extends TokenBucket<E> {
  readonly [withKey]: (key: string) => TokenBucket<E>
}

/** A keyed bucket, of what makes it for a key, and without one for the key of the context. */
export const keyed = <E>(make: (key?: string) => TokenBucket<E>): TokenBucket<E> =>
  // Not enumerable: a bucket that is made from a copy of this one is another bucket.
  Object.defineProperty(make(), withKey, { value: make })

const isKeyed = <E>(bucket: TokenBucket<E>): bucket is Keyed<E> => withKey in bucket

/**
 * The bucket as it is under a key. It is the same bucket: what it grants is granted under all keys alike where it is not
 * keyed.
 */
export const under = (bucket: TokenBucket, key: string): TokenBucket => {
  if (isKeyed(bucket)) return bucket[withKey](key)
  const provided = <A>(asked: Effect.Effect<A>): Effect.Effect<A> =>
    AtOnce.readsNothing(asked) ? asked : Effect.provideService(asked, Key, key)
  const { refusalAfter, started, timed } = bucket
  return {
    acquire: (request) => provided(bucket.acquire(request)),
    record: (outcome) => provided(bucket.record(outcome)),
    level: provided(bucket.level),
    refusalAfter: refusalAfter && ((delay) => provided(refusalAfter(delay))),
    started: started && ((begun) => provided(started(begun))),
    timed
  }
}

/**
 * Makes a function that answers a bucket under a key, and remembers the latest one: most requests use the bucket that the
 * one before used.
 */
export const makeFinder = (): ((bucket: TokenBucket, key: string) => TokenBucket) => {
  let latest: { readonly bucket: TokenBucket; readonly key: string; readonly found: TokenBucket } | undefined
  return (bucket, key) => {
    if (latest?.bucket !== bucket || latest.key !== key) latest = { bucket, key, found: under(bucket, key) }
    return latest.found
  }
}
