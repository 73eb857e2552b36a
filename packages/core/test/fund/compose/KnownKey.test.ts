import { RateLimiter, TokenBucket } from "@effect-retry/core"
import * as KnownKey from "@effect-retry/core/unstable/KnownKey"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Option } from "effect"
import * as AtOnce from "../../../src/fund/fiber/AtOnce.ts"
import { acquire, isGranted, request, succeed } from "../Asking.ts"

type Bucket = TokenBucket.TokenBucket

const at = (key: string) => Effect.provideService(TokenBucket.Key, key)

/** Found without one that was found before. */
const under = (bucket: Bucket, key: string): Bucket => KnownKey.makeFinder()(bucket, key)

const quota = TokenBucket.quota({ capacity: 10, cost: { orElse: 1 } })

const keyed = (bucket: Effect.Effect<Bucket> = quota) =>
  TokenBucket.keyed({ bucket, maxKeys: 5, idleTimeToLive: "1 minute" })

/** Writes down the key under which each of its effects runs. */
const noting = () => {
  const keys: Array<string> = []
  const noted = <A>(self: Effect.Effect<A>) =>
    Effect.flatMap(TokenBucket.Key, (key) => {
      keys.push(key)
      return self
    })
  const bucket: Bucket = {
    acquire: (request) => noted(TokenBucket.unlimited.acquire(request)),
    record: (outcome) => noted(TokenBucket.unlimited.record(outcome)),
    level: noted(TokenBucket.unlimited.level),
    started: () => noted(Effect.void),
    refusalAfter: () => noted(Effect.succeedNone)
  }
  return { bucket, keys }
}

describe("KnownKey.makeFinder of one bucket", () => {
  it.effect("is the bucket that a keyed one has for the key, whatever the key of the context", () =>
    Effect.gen(function* () {
      const bucket = yield* keyed()
      const known = under(bucket, "a")
      yield* at("b")(Effect.replicateEffect(isGranted(known), 3))
      expect(yield* Effect.all(["a", "b", ""].map((key) => at(key)(bucket.level)))).toEqual([7, 10, 10])
      yield* succeed(known, 2, 3)
      expect(yield* known.level).toBe(10)
    })
  )

  it.effect("tells the bucket of the key that attempts start and end", () =>
    Effect.gen(function* () {
      const bucket = yield* keyed(RateLimiter.concurrencyLimit({ limit: 2, whenShort: "refuse" }))
      const known = under(bucket, "a")
      const granted = Option.getOrThrow(yield* acquire(known))
      yield* known.started?.({ attempt: 2 }) ?? Effect.dieMessage("no started")
      expect(yield* Effect.all(["a", "b"].map((key) => at(key)(bucket.level)))).toEqual([1, 2])
      yield* known.record({ _tag: "Succeeded", attempt: 2, granted })
      expect(yield* at("a")(bucket.level)).toBe(2)
    })
  )

  it.effect("behaves as another bucket does when its effects run under the key", () =>
    Effect.gen(function* () {
      const { bucket, keys } = noting()
      const known = under(bucket, "a")
      yield* isGranted(known)
      yield* succeed(known)
      yield* known.level
      yield* known.started?.({ attempt: 1 }) ?? Effect.dieMessage("no started")
      yield* known.refusalAfter?.(Duration.zero) ?? Effect.dieMessage("no refusalAfter")
      expect(keys).toEqual(["a", "a", "a", "a", "a"])
      const { refusalAfter, started } = under(TokenBucket.unlimited, "a")
      expect([refusalAfter, started]).toEqual([undefined, undefined])
    })
  )

  it.effect.each([
    { sort: "a keyed bucket", make: keyed() },
    { sort: "another bucket", make: quota }
  ])("answers in the step of the caller if $sort does", ({ make }) =>
    Effect.gen(function* () {
      const known = under(yield* make, "a")
      // A keyed bucket makes the bucket of the key first.
      yield* isGranted(known)
      const answers = yield* Effect.sync(() =>
        [known.acquire(request()), known.level].map((asked) => AtOnce.hasEnded(AtOnce.run<unknown>(asked)))
      )
      expect(answers).toEqual([true, true])
    })
  )

  it.effect("is not taken for a keyed bucket if it was made from one", () =>
    Effect.gen(function* () {
      const bucket = yield* keyed()
      const empty = under({ ...bucket, acquire: TokenBucket.empty.acquire }, "a")
      expect([yield* isGranted(empty), yield* empty.level]).toEqual([false, 10])
    })
  )
})

describe("KnownKey.makeFinder", () => {
  it("makes nothing anew for the bucket and the key that it found last", () => {
    const find = KnownKey.makeFinder()
    const { bucket } = noting()
    const found = find(bucket, "a")
    expect(find(bucket, "a")).toBe(found)
  })

  it.effect("finds the bucket of the key, whatever it has found before", () =>
    Effect.gen(function* () {
      const find = KnownKey.makeFinder()
      const [one, other] = [noting(), noting()]
      for (const key of ["a", "a", "b", "a"]) yield* find(one.bucket, key).level
      yield* find(other.bucket, "a").level
      expect([one.keys, other.keys]).toEqual([["a", "a", "b", "a"], ["a"]])
    })
  )
})
