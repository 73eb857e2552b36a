/**
 * Buckets for a key that the caller knows, such as a client that keys its buckets by the host of a request.
 *
 * Putting a key into the context of an operation and reading it back costs more than the bucket itself.
 */
import * as Effect from "effect/Effect"
import * as AtOnce from "../fiber/AtOnce.ts"
import { Key } from "../port/Key.ts"
import type { TokenBucket } from "../port/Port.ts"

/** A member of keyed buckets outside the port. */
const withKey = /*#__PURE__*/ Symbol("@effect-retry/core/unstable/KnownKey")

interface Keyed<E> extends TokenBucket<E> {
  readonly [withKey]: (key: string) => TokenBucket<E>
}

/** A keyed bucket from a function that makes its view for a key, or, without a key, for the key of the context. */
export const keyed = <E>(make: (key?: string) => TokenBucket<E>): TokenBucket<E> =>
  // Not enumerable: a bucket made by spreading this one is a different bucket.
  Object.defineProperty(make(), withKey, { value: make })

const isKeyed = <E>(bucket: TokenBucket<E>): bucket is Keyed<E> => withKey in bucket

/**
 * The view of a bucket under a key; the bucket itself if it is not keyed.
 */
const under = (bucket: TokenBucket, key: string): TokenBucket => {
  if (isKeyed(bucket)) return bucket[withKey](key)
  const provided = <A>(asked: Effect.Effect<A>): Effect.Effect<A> =>
    AtOnce.readsNothing(asked)
      ? asked
      : Effect.provideService(
          AtOnce.call(() => asked),
          Key,
          key
        )
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
 * Makes a function that finds the view of a bucket under a key, and remembers its latest result: most requests use the same
 * bucket as the one before.
 */
export const makeFinder = (): ((bucket: TokenBucket, key: string) => TokenBucket) => {
  let latest: { readonly bucket: TokenBucket; readonly key: string; readonly found: TokenBucket } | undefined
  return (bucket, key) => {
    if (latest?.bucket !== bucket || latest.key !== key) latest = { bucket, key, found: under(bucket, key) }
    return latest.found
  }
}
