import { TokenBucket } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { Clock, Context, Data, Duration, Effect, Exit, Fiber, Option, Scope } from "effect"
import { acquire, failed, succeeded } from "./Compositions.ts"
import * as Interrupting from "./Interrupting.ts"
import { logged } from "./Logged.ts"

type Bucket = TokenBucket.TokenBucket

class Down extends Data.TaggedError("Down") {}

const at = (key: string) => Effect.provideService(TokenBucket.Key, key)

const quota = TokenBucket.quota({ capacity: 10, cost: { orElse: 1 } })

/** Buckets whose scopes note when they close: the shared one as `Key.overflow`. */
const noting = (
  closing: (key: string) => Effect.Effect<unknown> = () => Effect.void,
  bucket: Effect.Effect<Bucket> = quota
) => {
  const closed: Array<string> = []
  const each = Effect.flatMap(TokenBucket.Key, (key) =>
    Effect.zipRight(
      Effect.addFinalizer(() =>
        Effect.zipRight(
          closing(key),
          Effect.sync(() => closed.push(key))
        )
      ),
      bucket
    )
  )
  return { closed, each }
}

const limits = { maxKeys: 1, idleTimeToLive: "1 minute" } as const

const granted = (bucket: Bucket, key: string) => Effect.map(at(key)(acquire(bucket)), Option.getOrThrow)

/** Lets another key drop the bucket of the one used before. */
const makeRoom = (bucket: Bucket, key: string) =>
  Effect.zipRight(Effect.sleep("1 minute"), at(key)(Effect.asVoid(bucket.level)))

describe("TokenBucket.keyed in a scope", () => {
  it.effect("closes what a bucket opened when it is dropped, and the caller that makes room does not wait", () =>
    Effect.gen(function* () {
      const begun: Array<string> = []
      const { closed, each } = noting((key) =>
        Effect.zipRight(
          Effect.sync(() => begun.push(key)),
          Effect.sleep("1 second")
        )
      )
      const bucket = yield* TokenBucket.keyed({ bucket: each, ...limits })
      yield* at("a")(bucket.level)
      yield* Effect.sleep("1 minute")
      const before = yield* Clock.currentTimeMillis
      yield* at("b")(bucket.level)
      expect([yield* Clock.currentTimeMillis, begun]).toEqual([before, []])
      yield* Effect.sleep("2 seconds")
      expect(closed).toEqual(["a"])
    }).pipe(Effect.scoped, VirtualClock.run)
  )

  it.effect.each([
    { ends: "recorded", end: (bucket: Bucket, grant: TokenBucket.Grant) => bucket.record(succeeded(grant, 2)) },
    { ends: "recorded as failed", end: (bucket: Bucket, grant: TokenBucket.Grant) => bucket.record(failed(grant, 2)) },
    { ends: "called off", end: (_: Bucket, grant: TokenBucket.Grant) => grant.refund }
  ])("stays open until what it granted is $ends", ({ end }) =>
    Effect.gen(function* () {
      const { closed, each } = noting()
      const bucket = yield* TokenBucket.keyed({ bucket: each, ...limits })
      const grants = [yield* granted(bucket, "a"), yield* granted(bucket, "a")] as const
      yield* makeRoom(bucket, "b")
      yield* end(bucket, grants[0])
      yield* Effect.sleep("1 hour")
      expect(closed).toEqual([])
      yield* end(bucket, grants[1])
      yield* Effect.sleep("1 milli")
      expect(closed).toEqual(["a"])
    }).pipe(Effect.scoped, VirtualClock.run)
  )

  it.effect("stays open while the bucket records", () =>
    Effect.gen(function* () {
      const slow = Effect.map(quota, (bucket): Bucket => ({ ...bucket, record: () => Effect.sleep("1 hour") }))
      const { closed, each } = noting(undefined, slow)
      const bucket = yield* TokenBucket.keyed({ bucket: each, ...limits })
      const grant = yield* granted(bucket, "a")
      yield* Effect.fork(bucket.record(succeeded(grant, 2)))
      yield* makeRoom(bucket, "b")
      yield* Effect.sleep("58 minutes")
      expect(closed).toEqual([])
      yield* Effect.sleep("2 minutes")
      expect(closed).toEqual(["a"])
    }).pipe(Effect.scoped, VirtualClock.run)
  )

  it.effect("keeps at most maxKeys dropped buckets open for attempts that are never recorded", () =>
    Effect.gen(function* () {
      const { closed, each } = noting()
      const bucket = yield* TokenBucket.keyed({ bucket: each, ...limits })
      for (const key of ["a", "b", "c"]) yield* Effect.zipRight(makeRoom(bucket, key), granted(bucket, key))
      yield* makeRoom(bucket, "d")
      yield* Effect.sleep("1 milli")
      expect(closed).toEqual(["a", "b"])
    }).pipe(Effect.scoped, VirtualClock.run)
  )

  it.effect("closes the shared bucket when another takes its place", () =>
    Effect.gen(function* () {
      const { closed, each } = noting()
      const bucket = yield* TokenBucket.keyed({ bucket: each, ...limits })
      const useBusy = at("busy")(bucket.level)
      yield* Effect.zipRight(useBusy, at("a")(bucket.level))
      yield* Effect.zipRight(Effect.sleep("30 seconds"), useBusy)
      yield* Effect.zipRight(Effect.sleep("30 seconds"), at("a")(bucket.level))
      yield* Effect.sleep("1 milli")
      expect(closed).toEqual([TokenBucket.Key.overflow])
    }).pipe(Effect.scoped, VirtualClock.run)
  )

  it.effect("closes everything when the scope around it closes, and waits for what is closing already", () =>
    Effect.gen(function* () {
      const { closed, each } = noting((key) => (key === "a" ? Effect.sleep("1 hour") : Effect.void))
      const scope = yield* Scope.make()
      const bucket = yield* Scope.extend(TokenBucket.keyed({ bucket: each, ...limits }), scope)
      yield* at("a")(bucket.level)
      yield* makeRoom(bucket, "b")
      const held = yield* granted(bucket, "b")
      yield* makeRoom(bucket, "c")
      yield* Scope.close(scope, Exit.void)
      expect(closed.toSorted()).toEqual([TokenBucket.Key.overflow, "a", "b", "c"])
      // It still answers, and what is made from now on is closed at once.
      yield* held.refund
      yield* makeRoom(bucket, "d")
      expect(closed).toContain("d")
    }).pipe(Effect.scoped, VirtualClock.run)
  )

  it.effect("keeps nothing of closed scopes: its end takes as many steps after many as after few", () =>
    Effect.gen(function* () {
      const stepsAfter = (drops: number) =>
        Effect.gen(function* () {
          const scope = yield* Scope.make()
          const bucket = yield* Scope.extend(TokenBucket.keyed({ bucket: noting().each, ...limits }), scope)
          for (let key = 0; key <= drops; key++) yield* makeRoom(bucket, `${key}`)
          yield* Effect.sleep("1 milli")
          return (yield* Interrupting.interruptedBefore(Infinity, Scope.close(scope, Exit.void))).steps
        })
      expect(yield* stepsAfter(20)).toBe(yield* stepsAfter(1))
    }).pipe(VirtualClock.run)
  )

  it.effect("logs a finalizer that dies, and closes the others", () =>
    Effect.gen(function* () {
      const { closed, each } = noting((key) => (key === "c" ? Effect.void : Effect.dieMessage(`stuck ${key}`)))
      const lines = yield* logged(
        Effect.scoped(
          Effect.gen(function* () {
            const bucket = yield* TokenBucket.keyed({ bucket: each, ...limits })
            for (const key of ["a", "b", "c"]) yield* makeRoom(bucket, key)
            yield* Effect.sleep("1 milli")
          })
        )
      )
      expect(closed).toEqual(["c"])
      expect(lines.map(String).toSorted()).toEqual(
        [TokenBucket.Key.overflow, "a", "b"].map(
          (key) => `TokenBucket.keyed: a finalizer died,RuntimeException: stuck ${key}`
        )
      )
    }).pipe(Effect.scoped, VirtualClock.run)
  )

  it.effect("closes what a bucket opened when it is not made after all, or when there is no room left", () =>
    Effect.gen(function* () {
      const { closed, each } = noting()
      const slow = Effect.flatMap(TokenBucket.Key, (key) =>
        Effect.zipLeft(
          each,
          key === "bad" ? Effect.dieMessage("bad") : Effect.sleep(key === TokenBucket.Key.overflow ? 0 : "1 second")
        )
      )
      const bucket = yield* TokenBucket.keyed({ bucket: slow, ...limits })
      yield* Effect.exit(at("bad")(bucket.level))
      const interrupted = yield* Effect.fork(at("given up")(bucket.level))
      yield* Effect.sleep("1 milli")
      yield* Fiber.interrupt(interrupted)
      yield* Effect.sleep("1 milli")
      expect(closed).toEqual(["bad", "given up"])
      yield* Effect.forEach(["a", "a", "b"], (key) => at(key)(bucket.level), { concurrency: "unbounded" })
      yield* Effect.sleep("1 milli")
      expect(closed).toEqual(["bad", "given up", "a", "b"])
    }).pipe(Effect.scoped, VirtualClock.run)
  )

  it.effect("loses no scope to an interruption", () =>
    Effect.gen(function* () {
      let [opened, closed] = [0, 0]
      const each = Effect.as(
        Effect.acquireRelease(
          Effect.sync(() => opened++),
          () => Effect.sync(() => closed++)
        ),
        TokenBucket.unlimited
      )
      const scope = yield* Scope.make()
      const bucket = yield* Scope.extend(TokenBucket.keyed({ bucket: each, maxKeys: 1000, idleTimeToLive: 1 }), scope)
      for (let step = 1, isDone = false; !isDone; step++) {
        const { exit } = yield* Interrupting.interruptedBefore(step, at(`key-${step}`)(bucket.level))
        isDone = Exit.isSuccess(exit)
      }
      yield* Scope.close(scope, Exit.void)
      expect([opened > 3, closed]).toEqual([true, opened])
    })
  )
})

describe("TokenBucket.keyed types", () => {
  class Store extends Context.Tag("test/Store")<Store, { readonly capacity: number }>() {}

  const shared = Effect.map(
    Effect.zipRight(
      Effect.addFinalizer(() => Effect.void),
      Store
    ),
    ({ capacity }): TokenBucket.TokenBucket<Down> => ({
      ...TokenBucket.unlimited,
      acquire: () => Effect.fail(new Down()),
      level: Effect.succeed(capacity)
    })
  )

  it("infer what the buckets of the keys need, and how they fail", () => {
    expectTypeOf(TokenBucket.keyed({ bucket: quota, ...limits })).toEqualTypeOf<Effect.Effect<Bucket>>()
    expectTypeOf(TokenBucket.keyed({ bucket: shared, ...limits })).toEqualTypeOf<
      Effect.Effect<TokenBucket.TokenBucket<Down>, never, Store | Scope.Scope>
    >()
    const within = "1 second"
    const inside = TokenBucket.keyed({ bucket: Effect.map(shared, TokenBucket.failOpen({ within })), ...limits })
    const outside = Effect.map(TokenBucket.keyed({ bucket: shared, ...limits }), TokenBucket.failOpen({ within }))
    expectTypeOf(inside).toEqualTypeOf<Effect.Effect<Bucket, never, Store | Scope.Scope>>()
    expectTypeOf(outside).toEqualTypeOf<Effect.Effect<Bucket, never, Store | Scope.Scope>>()
  })

  it.scoped("make the bucket of a key with what the keyed bucket was made with, and pass failures on", () =>
    Effect.gen(function* () {
      const make = TokenBucket.keyed({ bucket: shared, ...limits })
      const bucket = yield* Effect.provideService(make, Store, { capacity: 3 })
      const level = Effect.provideService(at("a")(bucket.level), Store, { capacity: 4 })
      expect(yield* level).toBe(3)
      const request = { attempt: 2, kind: Option.none(), atMost: Option.none() }
      const exit = yield* Effect.exit(
        at("a")(bucket.acquire({ ...request, delay: Duration.zero, restore: (self) => self }))
      )
      expect(exit).toEqual(Exit.fail(new Down()))
    })
  )
})
