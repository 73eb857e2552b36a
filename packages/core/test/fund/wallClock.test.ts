/**
 * The wall clock stepped back and forth while no time passes, or some: no bucket takes notice.
 */
import { RateLimiter, TokenBucket, Verdict } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, FastCheck, Fiber, Random } from "effect"
import { law } from "../support/Laws.ts"
import { acquire, drain, fail, isGranted, start } from "./Asking.ts"
import * as SteppedClock from "./SteppedClock.ts"

const paused = Effect.tap(RateLimiter.serverPause({ atMost: "1 minute", whenShort: "refuse" }), (bucket) =>
  fail(bucket, Verdict.retryable("Server", { hint: "10 seconds" }))
)

const throttled = Effect.tap(RateLimiter.adaptive({ whenShort: "refuse" }), (bucket) =>
  fail(bucket, Verdict.throttling)
)

/** Every bucket that looks at a clock. */
const buckets: ReadonlyArray<readonly [string, Effect.Effect<TokenBucket.TokenBucket>]> = [
  ["quota", TokenBucket.quota({ capacity: 100, cost: { orElse: 1 }, refillPerSecond: 1 })],
  ["successRatio", TokenBucket.successRatio({ ratio: 0.1, capacity: 10, floorPerSecond: 1 })],
  ["requestRatio", TokenBucket.requestRatio({ ratio: 0.2, floorPerSecond: 10, window: "10 seconds" })],
  [
    "operationShare",
    TokenBucket.operationShare({ bucket: TokenBucket.quota({ capacity: 100, refillPerSecond: 1 }), share: 0.5 })
  ],
  ["fixed", RateLimiter.fixed({ rate: 10, burst: 5, whenShort: "refuse" })],
  ["adaptive", throttled],
  ["acceptRatio", RateLimiter.acceptRatio({ window: "10 seconds" })],
  ["serverPause", paused]
]

/** Steps of the wall clock in milliseconds, and what passes after each of them. */
const steps = FastCheck.array(
  FastCheck.tuple(FastCheck.integer({ min: -100_000, max: 100_000 }), FastCheck.nat(3000)),
  {
    minLength: 1,
    maxLength: 20
  }
)

/** What a bucket answers and holds while time passes; `isStepped` tells whether the wall clock is set meanwhile. */
const observed = (
  make: Effect.Effect<TokenBucket.TokenBucket>,
  path: ReadonlyArray<readonly [number, number]>,
  isStepped: boolean
) => {
  const clock = SteppedClock.make()
  const bucket = clock.run(make)
  const look = Effect.withRandom(Effect.zip(bucket.level, isGranted(bucket)), constantRandom)
  const seen: Array<unknown> = []
  for (const [stepMillis, passMillis] of path) {
    clock.run(start(bucket))
    if (isStepped) clock.step(stepMillis)
    seen.push(...clock.run(look))
    if (isStepped) clock.step(-stepMillis / 2)
    clock.advance(passMillis)
    seen.push(...clock.run(look))
  }
  return seen
}

const constantRandom = Random.fixed([0.5])

describe("a wall clock that is set", () => {
  for (const [name, make] of buckets) {
    it.prop(
      `neither makes nor loses tokens of ${name}`,
      [steps],
      ([path]) => {
        expect(observed(make, path, true)).toEqual(observed(make, path, false))
      },
      law(50)
    )
  }

  it.effect("fills no empty quota", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.quota({ capacity: 100, cost: { orElse: 1 }, refillPerSecond: 1 })
      expect(yield* drain(bucket)).toBe(100)
      for (let flap = 0; flap < 50; flap++) {
        yield* VirtualClock.setWallTime("0 seconds")
        expect(yield* bucket.level).toBe(0)
        yield* VirtualClock.setWallTime("2 seconds")
        expect(yield* bucket.level).toBe(0)
      }
    }).pipe(VirtualClock.run)
  )

  it.effect("starves no attempt that waits for a quota", () =>
    Effect.gen(function* () {
      const bucket = yield* TokenBucket.quota({
        capacity: 10,
        cost: { orElse: 10 },
        refillPerSecond: 10,
        whenShort: "wait"
      })
      yield* acquire(bucket)
      const waiting = yield* Effect.fork(Effect.zipRight(acquire(bucket), VirtualClock.now))
      for (let step = 0; step < 10; step++) {
        yield* Effect.sleep("400 millis")
        yield* VirtualClock.stepBack("500 millis")
      }
      expect(yield* Fiber.join(waiting)).toEqual(Duration.seconds(1))
    }).pipe(VirtualClock.run)
  )

  it.effect("multiplies no request ratio", () =>
    Effect.gen(function* () {
      yield* VirtualClock.setWallTime("1000 seconds")
      const bucket = yield* TokenBucket.requestRatio({ ratio: 0.2, floorPerSecond: 10, window: "10 seconds" })
      let granted = 0
      for (let flap = 0; flap < 20; flap++) {
        granted += yield* drain(bucket)
        yield* VirtualClock.setWallTime("900 seconds")
        yield* bucket.level
        yield* VirtualClock.setWallTime("1000 seconds")
      }
      expect(granted).toBe(100)
    }).pipe(VirtualClock.run)
  )

  it.effect("does not reach from one bucket to another that the same effect makes", () =>
    Effect.gen(function* () {
      const make = TokenBucket.requestRatio({ ratio: 1, floorPerSecond: 0, window: "10 seconds" })
      const levelAfter = (millis: number) =>
        Effect.gen(function* () {
          const bucket = yield* make
          yield* start(bucket)
          yield* Effect.sleep(millis)
          return yield* bucket.level
        }).pipe(VirtualClock.run)
      expect([yield* levelAfter(37), yield* levelAfter(10_099), yield* levelAfter(10_100)]).toEqual([1, 1, 0])
    })
  )
})
