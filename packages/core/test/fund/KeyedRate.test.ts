import { SendRate } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Option } from "effect"

const atOnce: SendRate.Wanted = { attempt: 1, atMost: Option.some(Duration.zero) }

const forKey =
  (key: string) =>
  <A, E, R>(self: Effect.Effect<A, E, R>) =>
    Effect.provideService(self, SendRate.Key, key)

/** Counts how many send rates were made, beside the one that keys without room share. */
const counting = (make: Effect.Effect<SendRate.SendRate>) => {
  const counted = { made: -1 }
  return { counted, rate: Effect.tap(make, () => Effect.sync(() => void (counted.made += 1))) }
}

const limits = { maxKeys: 2, idleTimeToLive: "1 minute" } as const

describe("SendRate.makeKeyed", () => {
  it.effect("keeps the keys apart, and those together that are the same", () =>
    Effect.gen(function* () {
      const rate = yield* SendRate.makeKeyed({ rate: SendRate.makeFixed({ rate: 1, burst: 2 }), ...limits })
      const granted = (key: string) => Effect.replicateEffect(forKey(key)(rate.acquire(atOnce)), 3)
      expect(yield* granted("a")).toEqual([true, true, false])
      expect(yield* granted("b")).toEqual([true, true, false])
      expect(yield* granted("a")).toEqual([false, false, false])
    }).pipe(VirtualClock.run)
  )

  it.effect("tells a result to the send rate of the key only", () =>
    Effect.gen(function* () {
      const rate = yield* SendRate.makeKeyed({ rate: SendRate.makeAdaptive(), ...limits })
      yield* forKey("a")(rate.heard("Throttled"))
      expect(yield* forKey("a")(rate.acquire(atOnce))).toBe(false)
      expect(yield* forKey("b")(rate.acquire(atOnce))).toBe(true)
    }).pipe(VirtualClock.run)
  )

  it.effect("lets keys for which there is no room share one", () =>
    Effect.gen(function* () {
      const { counted, rate: each } = counting(SendRate.makeFixed({ rate: 1, burst: 1 }))
      const rate = yield* SendRate.makeKeyed({ rate: each, ...limits })
      const granted = yield* Effect.forEach(["a", "b", "c", "d"], (key) => forKey(key)(rate.acquire(atOnce)))
      expect(granted).toEqual([true, true, true, false])
      expect(counted.made).toBe(2)
    }).pipe(VirtualClock.run)
  )

  it.effect("drops what is idle and full again, and makes room by it", () =>
    Effect.gen(function* () {
      const { counted, rate: each } = counting(SendRate.makeFixed({ rate: 1, burst: 1 }))
      const rate = yield* SendRate.makeKeyed({ rate: each, ...limits })
      yield* Effect.forEach(["a", "b"], (key) => forKey(key)(rate.acquire(atOnce)))
      yield* Effect.sleep("1 minute")
      yield* Effect.forEach(["c", "d", "c"], (key) => forKey(key)(rate.acquire(atOnce)))
      expect(counted.made).toBe(4)
    }).pipe(VirtualClock.run)
  )

  it.effect("drops none that is idle and has not made up for what it granted", () =>
    Effect.gen(function* () {
      const slow = SendRate.makeFixed({ rate: 0.001, burst: 1 })
      const rate = yield* SendRate.makeKeyed({ rate: slow, ...limits })
      yield* forKey("a")(rate.acquire(atOnce))
      yield* Effect.sleep("10 minutes")
      yield* Effect.forEach(["b", "c"], (key) => forKey(key)(rate.acquire(atOnce)))
      expect(yield* forKey("a")(rate.acquire(atOnce))).toBe(false)
    }).pipe(VirtualClock.run)
  )

  it.effect("never forgets a limit that was learned, however long it is not used", () =>
    Effect.gen(function* () {
      const rate = yield* SendRate.makeKeyed({ rate: SendRate.makeAdaptive(), ...limits })
      yield* forKey("a")(rate.heard("Throttled"))
      yield* Effect.sleep("1000 days")
      yield* Effect.forEach(["b", "c", "d"], (key) => forKey(key)(rate.acquire(atOnce)))
      const granted = yield* Effect.replicateEffect(forKey("a")(rate.acquire(atOnce)), 3)
      expect(granted).toEqual([true, false, false])
    }).pipe(VirtualClock.run)
  )

  it.effect("drops an adaptive one once its limit is off", () =>
    Effect.gen(function* () {
      const { counted, rate: each } = counting(SendRate.makeAdaptive({ offAfter: "2 minutes" }))
      const rate = yield* SendRate.makeKeyed({ rate: each, ...limits })
      yield* forKey("a")(rate.heard("Throttled"))
      const useB = forKey("b")(rate.acquire(atOnce))
      yield* Effect.zipRight(Effect.sleep("119 seconds"), useB)
      yield* forKey("c")(rate.acquire(atOnce))
      expect(counted.made).toBe(2)
      yield* Effect.zipRight(Effect.sleep("1 second"), useB)
      yield* forKey("c")(rate.acquire(atOnce))
      expect(counted.made).toBe(3)
    }).pipe(VirtualClock.run)
  )

  it.effect("drops none in which somebody still waits for the token that has just come", () =>
    Effect.gen(function* () {
      const { counted, rate: each } = counting(SendRate.makeFixed({ rate: 0.001, burst: 1 }))
      const rate = yield* SendRate.makeKeyed({ rate: each, maxKeys: 1, idleTimeToLive: "1 second" })
      yield* forKey("a")(rate.acquire(atOnce))
      // Falls asleep before the one that waits, and so wakes before it.
      const other = yield* Effect.fork(Effect.zipRight(Effect.sleep("1000 seconds"), forKey("b")(rate.acquire(atOnce))))
      yield* Effect.sleep(Duration.zero)
      const waiting = yield* Effect.fork(forKey("a")(rate.acquire({ attempt: 1, atMost: Option.none() })))
      yield* Fiber.join(other)
      expect(counted.made).toBe(1)
      expect(yield* Fiber.join(waiting)).toBe(true)
    }).pipe(VirtualClock.run)
  )

  it.effect("drops none in which somebody waits", () =>
    Effect.gen(function* () {
      const { counted, rate: each } = counting(SendRate.makeAdaptive({ minFillRate: 0.001, offAfter: "2 minutes" }))
      const rate = yield* SendRate.makeKeyed({ rate: each, maxKeys: 1, idleTimeToLive: "1 second" })
      yield* forKey("a")(rate.heard("Throttled"))
      const waiting = yield* Effect.fork(forKey("a")(rate.acquire({ attempt: 1, atMost: Option.none() })))
      yield* Effect.sleep("119 seconds")
      yield* forKey("b")(rate.acquire(atOnce))
      expect(counted.made).toBe(1)
      expect(yield* Fiber.join(waiting)).toBe(true)
      yield* forKey("b")(rate.acquire(atOnce))
      expect(counted.made).toBe(2)
    }).pipe(VirtualClock.run)
  )

  it.effect("drops accept ratios whose window is empty, and none before", () =>
    Effect.gen(function* () {
      const { counted, rate: each } = counting(SendRate.makeAcceptRatio({ window: "10 minutes" }))
      const rate = yield* SendRate.makeKeyed({ rate: each, maxKeys: 1, idleTimeToLive: "1 minute" })
      yield* forKey("a")(rate.acquire(atOnce))
      yield* Effect.sleep("9 minutes")
      yield* forKey("b")(rate.acquire(atOnce))
      expect(counted.made).toBe(1)
      yield* Effect.sleep("2 minutes")
      // The window of a is empty by now, but not that of the rate which b shared with whoever had no room.
      yield* forKey("b")(rate.acquire(atOnce))
      expect(counted.made).toBe(1)
      yield* Effect.sleep("11 minutes")
      yield* forKey("b")(rate.acquire(atOnce))
      expect(counted.made).toBe(2)
    }).pipe(VirtualClock.run)
  )

  it.effect("keeps a send rate that does not say whether it may be forgotten", () =>
    Effect.gen(function* () {
      const { counted, rate: each } = counting(
        Effect.sync(() => ({ acquire: () => Effect.succeed(true), heard: () => Effect.void }))
      )
      const rate = yield* SendRate.makeKeyed({ rate: each, maxKeys: 1, idleTimeToLive: "1 second" })
      yield* forKey("a")(rate.acquire(atOnce))
      yield* Effect.sleep("1 day")
      yield* forKey("b")(rate.acquire(atOnce))
      expect(counted.made).toBe(1)
    }).pipe(VirtualClock.run)
  )
})
