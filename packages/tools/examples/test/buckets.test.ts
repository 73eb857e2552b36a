import { RateLimiter, TokenBucket, Verdict } from "@effect-retry/core"
import { Throttle } from "@effect-retry/grpc"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Duration, Effect, Option } from "effect"
import { request, tell, tokensOf } from "../../../core/test/fund/Asking.ts"
import { read } from "./rows.ts"

const path = "docs/buckets.md"

const virtually = (name: string, body: () => Effect.Effect<void, unknown>) =>
  it.effect(name, () => VirtualClock.run(body()).pipe(Effect.provide(SeededRandom.layer(name))))

type Bucket = TokenBucket.TokenBucket

/** How many retries a bucket grants at once. */
const retries = (bucket: Bucket, most = 1000) => granted(bucket, "Server", most)

/** How many first attempts a bucket grants at once, of those that do not wait. */
const attempts = (bucket: Bucket, most = 1000) => granted(bucket, undefined, most)

const granted = (bucket: Bucket, kind: Verdict.Kind | undefined, most: number) =>
  Effect.gen(function* () {
    for (let n = 0; n < most; n++) if (Option.isNone(yield* tokensOf(bucket, { kind, atMostMillis: 0 }))) return n
    return most
  })

const outcomes = (bucket: Bucket, ended: "Succeeded" | Verdict.Kind, count: number) =>
  Effect.replicateEffect(tell(bucket, ended), count)

/** Each of these executes the row of a bucket. */
const buckets: Readonly<Record<string, () => void>> = {
  "TokenBucket.successRatio": () =>
    virtually("grants a capacity, a ratio of the successes, and a floor", () =>
      Effect.gen(function* () {
        const bucket = yield* TokenBucket.successRatio({ ratio: 0.1, capacity: 10, floorPerSecond: 1 })
        expect(yield* retries(bucket)).toBe(10)
        yield* outcomes(bucket, "Succeeded", 30)
        yield* Effect.sleep("5 seconds")
        expect(yield* retries(bucket)).toBe(0.1 * 30 + 1 * 5)
      })
    ),

  "TokenBucket.quota": () =>
    virtually("is paid by kind, and gets back what a retry cost", () =>
      Effect.gen(function* () {
        const bucket = yield* TokenBucket.quota()
        expect(yield* bucket.level).toBe(500)
        const granted = yield* Effect.map(bucket.acquire(request({ kind: "Throttling" })), Option.getOrThrow)
        expect(granted.tokens).toBeLessThan(yield* Effect.map(tokensOf(bucket, { kind: "Server" }), Option.getOrThrow))
        yield* bucket.record({ _tag: "Succeeded", attempt: 2, granted })
        const level = yield* bucket.level
        expect(level).toBe(500 - 14)
        yield* outcomes(bucket, "Succeeded", 1)
        expect(yield* bucket.level).toBe(level + 1)
      })
    ),

  "TokenBucket.requestRatio": () =>
    virtually("grants a ratio of the requests and a floor in a window, and not for longer", () =>
      Effect.gen(function* () {
        const options = { ratio: 0.1, floorPerSecond: 2, window: "10 seconds" } as const
        const bucket = yield* TokenBucket.requestRatio(options)
        const requests = Effect.replicateEffect(bucket.started?.({ attempt: 1 }) ?? Effect.void, 50)
        yield* requests
        expect(yield* retries(bucket)).toBe(0.1 * 50 + 2 * 10)
        yield* requests
        yield* Effect.sleep("10.2 seconds")
        expect(yield* retries(bucket)).toBe(2 * 10)
      })
    ),

  "Throttle.make": () =>
    virtually("grants every retry while the level is above half", () =>
      Effect.gen(function* () {
        const bucket = yield* Throttle.make({ maxTokens: 10, tokenRatio: 0.1 })
        yield* outcomes(bucket, "Server", 4)
        expect(yield* retries(bucket)).toBe(1000)
        yield* outcomes(bucket, "Server", 1)
        expect(yield* retries(bucket)).toBe(0)
      })
    ),

  "TokenBucket.operationShare": () =>
    virtually("grants an operation a share of the level, and its first retry while there is a token", () =>
      Effect.gen(function* () {
        const bucket = yield* TokenBucket.operationShare({
          bucket: TokenBucket.successRatio({ ratio: 0.1, capacity: 10 }),
          share: 0.3
        })
        const retry = (n: number) =>
          Effect.map(bucket.acquire(request({ kind: "Server", attempt: n + 1 })), Option.isSome)
        // Of the ten tokens that are there without it, the operation gets three.
        expect(yield* Effect.all([retry(1), retry(2), retry(3), retry(4)])).toEqual([true, true, true, false])
        expect(yield* retries(bucket)).toBe(7)
      })
    ),

  "TokenBucket.keyed": () =>
    virtually("has a bucket for each key", () =>
      Effect.gen(function* () {
        const bucket = TokenBucket.successRatio({ ratio: 0.1, capacity: 3 })
        const keyed = yield* TokenBucket.keyed({ bucket, maxKeys: 10, idleTimeToLive: "1 hour" })
        const of = (key: string) => Effect.provideService(retries(keyed), TokenBucket.Key, key)
        expect(yield* Effect.all([of("a"), of("b"), of("a")])).toEqual([3, 3, 0])
      })
    ),

  "TokenBucket.unlimited": () =>
    virtually("grants everything, and its neighbour nothing", () =>
      Effect.gen(function* () {
        expect(yield* retries(TokenBucket.unlimited)).toBe(1000)
        expect(yield* retries(TokenBucket.empty)).toBe(0)
      })
    ),

  "RateLimiter.fixed": () =>
    virtually("grants a burst, and a rate after it", () =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter.fixed({ rate: 100, burst: 20, whenShort: "refuse" })
        expect(yield* attempts(limiter)).toBe(20)
        yield* Effect.sleep("100 millis")
        expect(yield* attempts(limiter)).toBe(100 * 0.1)
      })
    ),

  "RateLimiter.adaptive": () =>
    virtually("grants everything until the server throttles", () =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter.adaptive({ whenShort: "refuse" })
        expect(yield* attempts(limiter)).toBe(1000)
        yield* outcomes(limiter, "Throttling", 1)
        expect(yield* attempts(limiter)).toBe(0)
      })
    ),

  "RateLimiter.acceptRatio": () =>
    virtually("refuses with the chance of the formula", () =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter.acceptRatio()
        const granted = yield* Effect.replicateEffect(tokensOf(limiter, { attempt: 1 }), 1000)
        // Nothing is ever accepted: the n-th request is sent with the chance 1 / n.
        const sent = granted.filter(Option.isSome).length
        expect(sent).toBeGreaterThan(2)
        expect(sent).toBeLessThan(20)
      })
    ),

  "RateLimiter.serverPause": () =>
    virtually("grants nothing until the pause is over", () =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter.serverPause({ atMost: "1 minute" })
        expect(yield* attempts(limiter)).toBe(1000)
        const verdict = Verdict.retryable("Throttling", { hint: "10 seconds" })
        yield* limiter.record({ _tag: "Failed", attempt: 1, granted: { tokens: 0, refund: Effect.void }, verdict })
        expect(yield* attempts(limiter)).toBe(0)
        yield* tokensOf(limiter, { attempt: 1 })
        expect(yield* Clock.currentTimeMillis).toBe(10_000)
      })
    ),

  "RateLimiter.adaptiveConcurrency": () =>
    virtually("grants fewer attempts in flight after answers that come later", () =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter.adaptiveConcurrency({ initial: 10, samples: 1, whenShort: "refuse" })
        const ends = (millis: number) =>
          Effect.flatMap(Effect.map(limiter.acquire(request({ attempt: 1 })), Option.getOrThrow), (granted) =>
            limiter.record({ _tag: "Succeeded", attempt: 1, granted, ran: Duration.millis(millis) })
          )
        yield* ends(10)
        expect(yield* limiter.level).toBe(10)
        yield* ends(100)
        expect(yield* limiter.level).toBe(7)
      })
    ),

  "RateLimiter.concurrencyLimit": () => {
    virtually("grants as many attempts as may be in flight, and one more for each that ends", () =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter.concurrencyLimit({ limit: 10, whenShort: "refuse" })
        const first = yield* Effect.map(limiter.acquire(request({ attempt: 1 })), Option.getOrThrow)
        expect(yield* attempts(limiter)).toBe(9)
        yield* limiter.record({ _tag: "Abandoned", attempt: 1, granted: first })
        expect(yield* attempts(limiter)).toBe(1)
      })
    )

    virtually("as a bucket, grants a share of what is in flight", () =>
      Effect.gen(function* () {
        const bucket = yield* RateLimiter.concurrencyLimit({ ratio: 0.2, atLeast: 3, whenShort: "refuse" })
        expect(yield* retries(bucket)).toBe(3)
        yield* Effect.replicateEffect(bucket.started?.({ attempt: 1 }) ?? Effect.void, 40)
        // Ten retries are a fifth of fifty attempts in flight.
        expect(yield* retries(bucket)).toBe(10 - 3)
      })
    )
  }
}

describe(`${path} ## Which bucket to choose`, () => {
  const [, section = ""] = read(path).split("\n## Which bucket to choose\n")
  const [text = ""] = section.split("\n## ")
  const named = Array.from(text.matchAll(/^\| [^|]* \| `([A-Z]\w+\.\w+)`/gm), ([, name]) => name)

  it("has a row for each of these buckets", () => {
    expect(named).toEqual(Object.keys(buckets))
  })

  describe.each(Object.entries(buckets))("%s", (_, body) => {
    body()
  })
})

describe(`${path} ## Combining buckets`, () => {
  it("names every constructor and every combinator", () => {
    const shown = new Set(Array.from(read(path).matchAll(/`(?:\w+: )?([A-Z]\w+\.\w+)/g), ([, name]) => name))
    const missing = Object.entries({ RateLimiter, TokenBucket }).flatMap(([module, members]) =>
      Object.keys(members)
        .map((name) => `${module}.${name}`)
        .filter((name) => !shown.has(name) && name !== "TokenBucket.RetryBucket")
    )
    expect(missing).toEqual([])
  })
})
