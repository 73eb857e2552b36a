/**
 * Buckets of real stores in virtual time, as the contract of buckets takes them.
 */
import { TokenBucket } from "@effect-retry/core"
import * as vitest from "@effect/vitest"
import { Deferred, Effect, Exit, Layer, Option, Scope } from "effect"
import * as VirtualStores from "../../VirtualStores.ts"
import { settled } from "./Shared.ts"

/** A store that is started once for the file, before its tests and in real time. */
export const store = <Tag, E>(start: Effect.Effect<Layer.Layer<Tag>, E, Scope.Scope>): Layer.Layer<Tag> => {
  const scope = Effect.runSync(Scope.make())
  const started = Effect.runSync(Deferred.make<Layer.Layer<Tag>, E>())
  vitest.beforeAll(() => Effect.runPromise(Effect.intoDeferred(Scope.extend(start, scope), started)))
  vitest.afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return Layer.unwrapEffect(Effect.orDie(Deferred.await(started)))
}

let buckets = 0

const failClosed = <E>(bucket: TokenBucket.TokenBucket<E>) =>
  TokenBucket.failClosed(bucket, { within: VirtualStores.within })

/** The bucket with no fibers around it, so that an attempt that is interrupted is so in the bucket itself. */
export const orDie = <E>({ acquire, level, record }: TokenBucket.TokenBucket<E>): TokenBucket.TokenBucket => ({
  acquire: (request) => Effect.orDie(acquire(request)),
  record: (outcome) => Effect.orDie(record(outcome)),
  level: Effect.orDie(level)
})

/** Another bucket each time that it is built, which the contract takes since it cannot fail. */
export const infallible = <E, R>(
  make: (options: { readonly name: string }) => Effect.Effect<TokenBucket.TokenBucket<E>, never, R>,
  store: Layer.Layer<Exclude<R, Scope.Scope>>,
  wrap: (bucket: TokenBucket.TokenBucket<E>) => TokenBucket.TokenBucket = failClosed
) =>
  Layer.scoped(
    TokenBucket.RetryBucket,
    Effect.suspend(() => Effect.map(make({ name: `contract ${(buckets += 1)}` }), wrap))
  ).pipe(Layer.provide(store))

/**
 * One bucket made of those of three processes that hold nothing: each attempt asks the next process, and what became of it is
 * told to the one that granted it. A process that knows nothing yet reads the level, after what is on its way to the store.
 */
export const ofProcesses = <E, R>(make: Effect.Effect<TokenBucket.TokenBucket<E>, never, R>) =>
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
