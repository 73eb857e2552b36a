import { TokenBucket } from "@effect-retry/core"
import { PostgresBucket, RedisBucket } from "@effect-retry/redis"
import { TokenBucketContract } from "@effect-retry/testing"
import * as vitest from "@effect/vitest"
import { Deferred, Effect, Exit, Layer, Option, Scope } from "effect"
import * as VirtualStores from "../../VirtualStores.ts"
import { settled } from "./Shared.ts"

const { within } = VirtualStores

const scope = Effect.runSync(Scope.make())

vitest.afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

/** Started once for the file, before its tests and in real time. */
const store = <Tag, E>(start: Effect.Effect<Layer.Layer<Tag>, E, Scope.Scope>): Layer.Layer<Tag> => {
  const started = Effect.runSync(Deferred.make<Layer.Layer<Tag>, E>())
  vitest.beforeAll(() => Effect.runPromise(Effect.intoDeferred(Scope.extend(start, scope), started)))
  return Layer.unwrapEffect(Effect.orDie(Deferred.await(started)))
}

const redis = store(VirtualStores.redis)

const postgres = store(VirtualStores.postgres)

let buckets = 0

const failClosed = <E>(bucket: TokenBucket.TokenBucket<E>) => TokenBucket.failClosed(bucket, { within })

/** The bucket with no fibers around it, so that an attempt that is interrupted is so in the bucket itself. */
const orDie = <E>({ acquire, level, record }: TokenBucket.TokenBucket<E>): TokenBucket.TokenBucket => ({
  acquire: (request) => Effect.orDie(acquire(request)),
  record: (outcome) => Effect.orDie(record(outcome)),
  level: Effect.orDie(level)
})

/** Another bucket each time that it is built, which the contract takes since it cannot fail. */
const infallible = <E, R>(
  make: (options: { readonly name: string }) => Effect.Effect<TokenBucket.TokenBucket<E>, never, R>,
  store: Layer.Layer<Exclude<R, Scope.Scope>>,
  wrap: (bucket: TokenBucket.TokenBucket<E>) => TokenBucket.TokenBucket = failClosed
) =>
  Layer.scoped(
    TokenBucket.Default,
    Effect.suspend(() => Effect.map(make({ name: `contract ${(buckets += 1)}` }), wrap))
  ).pipe(Layer.provide(store))

/**
 * The burst, and what the process may hold beside a store that is full: the lease, and what the store is refilled by until
 * the process has been idle for long enough to return what it was granted.
 */
const most = (burst: number, lease: number, refilled: number): number => burst + lease + refilled

/** Fractions of tokens, and a lease of two. */
const quota = { capacity: 20, refillPerSecond: 2, cost: { Throttling: 3, orElse: 4.5 } }

TokenBucketContract.suite(
  vitest,
  "RedisBucket.quota",
  infallible((shared) => RedisBucket.quota({ ...shared, ...quota }), redis),
  { refills: true, capacity: most(20, 2, 2) }
)

TokenBucketContract.suite(
  vitest,
  "RedisBucket.fixed",
  infallible((shared) => RedisBucket.fixed({ ...shared, rate: 1, burst: 5 }), redis, orDie),
  { refills: true, waits: true, capacity: most(5, 1, 1) }
)

TokenBucketContract.suite(
  vitest,
  "RedisBucket.successRatio",
  infallible((shared) => RedisBucket.successRatio({ ...shared, ratio: 0.1, capacity: 10, floorPerSecond: 1 }), redis),
  // A lease of tokens that its own successes paid for is held beside that of the store.
  { refills: true, capacity: most(10, 1 + 1, 1) }
)

TokenBucketContract.suite(
  vitest,
  "RedisBucket.grpcThrottle",
  infallible((shared) => RedisBucket.grpcThrottle({ ...shared, maxTokens: 10, tokenRatio: 0.1 }), redis)
)

/**
 * One bucket made of those of three processes that hold nothing: each attempt asks the next process, and what became of it is
 * told to the one that granted it. A process that knows nothing yet reads the level, after what is on its way to the store.
 */
const ofProcesses = <E, R>(make: Effect.Effect<TokenBucket.TokenBucket<E>, never, R>) =>
  Effect.gen(function* () {
    const context = yield* Effect.context<R>()
    const processes = yield* Effect.replicateEffect(make, 3)
    const granting = new WeakMap<TokenBucket.Grant, TokenBucket.TokenBucket<E>>()
    let turn = 0
    const next = () => processes[(turn += 1) % processes.length]!
    const bucket: TokenBucket.TokenBucket<E> = {
      acquire: (request) =>
        Effect.suspend(() => {
          const process = next()
          return Effect.map(
            process.acquire(request),
            Option.map((grant) => {
              granting.set(grant, process)
              return grant
            })
          )
        }),
      record: (outcome) => Effect.suspend(() => (granting.get(outcome.granted) ?? next()).record(outcome)),
      level: Effect.zipRight(
        settled,
        Effect.provide(
          Effect.flatMap(make, ({ level }) => level),
          context
        )
      )
    }
    return bucket
  })

/** What the fleet earns comes late, and there is nothing of it here. */
const ofNoLease = { ...quota, leaseShare: 0, firstSuccessIncrement: 0 }

TokenBucketContract.suite(
  vitest,
  "RedisBucket.quota of three processes",
  infallible((shared) => ofProcesses(RedisBucket.quota({ ...shared, ...ofNoLease })), redis),
  { refills: true }
)

TokenBucketContract.suite(
  vitest,
  "RedisBucket.fixed of three processes",
  infallible(
    (shared) => ofProcesses(RedisBucket.fixed({ ...shared, rate: 1, burst: 5, leaseShare: 0, whenShort: "refuse" })),
    redis
  ),
  { refills: true }
)

TokenBucketContract.suite(
  vitest,
  "PostgresBucket.quota of three processes",
  infallible((shared) => ofProcesses(PostgresBucket.quota({ ...shared, ...ofNoLease })), postgres),
  { refills: true }
)

TokenBucketContract.suite(
  vitest,
  "PostgresBucket.grpcThrottle",
  infallible((shared) => PostgresBucket.grpcThrottle({ ...shared, maxTokens: 10, tokenRatio: 0.1 }), postgres)
)
