import { HttpClientRequest } from "@effect/platform"
import { Backoff, Hint, RetryBucket, SendRate } from "@effect-retry/core"
import { HoldBack, HttpRetry } from "@effect-retry/http"
import { SendRateContract, VirtualClock } from "@effect-retry/testing"
import * as vitest from "@effect/vitest"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Duration, Effect, Exit, Fiber, Layer, Option } from "effect"
import * as Scripted from "../support/ScriptedClient.ts"

const { world } = Scripted

const make = (atMost: Duration.DurationInput = "1 minute", rate?: Effect.Effect<SendRate.SendRate>) =>
  HoldBack.make({ atMost, rate })

const wanted: SendRate.Wanted = { attempt: 1, atMost: Option.none() }

const within = (time: Duration.DurationInput): SendRate.Wanted => ({
  attempt: 1,
  atMost: Option.some(Duration.decode(time))
})

const nowMillis = Effect.map(VirtualClock.now, Duration.toMillis)

const forKey =
  (key: string) =>
  <A, E, R>(self: Effect.Effect<A, E, R>) =>
    Effect.provideService(self, RetryBucket.Key, key)

/** When a send is granted, in milliseconds; "refused" where it is not. */
const granted = (rate: SendRate.SendRate, ask: SendRate.Wanted = wanted) =>
  Effect.zipWith(rate.acquire(ask), nowMillis, (isGranted, millis) => (isGranted ? millis : "refused"))

describe("HoldBack.make", () => {
  it.effect("holds nothing back before it is told to", () =>
    Effect.gen(function* () {
      const rate = yield* make()
      expect(yield* Effect.replicateEffect(granted(rate, within(0)), 3)).toEqual([0, 0, 0])
    }).pipe(world)
  )

  it.effect("lets everybody go on when the hold is over, and nobody before", () =>
    Effect.gen(function* () {
      const rate = yield* make()
      yield* rate.hold(Duration.seconds(5))
      const first = yield* Effect.fork(Effect.all([granted(rate), granted(rate)], { concurrency: "unbounded" }))
      yield* Effect.sleep("2 seconds")
      expect([yield* granted(rate), ...(yield* Fiber.join(first))]).toEqual([5_000, 5_000, 5_000])
      expect(yield* granted(rate)).toBe(5_000)
    }).pipe(world)
  )

  it.effect.each([
    ["a longer hold than the one there is", [5, 8], 8_000],
    ["the longer one there is", [8, 5], 8_000],
    ["none for a wait of zero", [0], 0],
    ["the one there is, whatever a wait of zero says", [5, 0], 5_000],
    ["at most the bound", [3_600], 60_000],
    ["at most the bound for what never ends", [Infinity], 60_000]
  ] as const)("keeps %s", ([, holds, millis]) =>
    Effect.gen(function* () {
      const rate = yield* make()
      for (const seconds of holds) yield* rate.hold(Duration.seconds(seconds))
      expect(yield* granted(rate)).toBe(millis)
    }).pipe(world)
  )

  it.effect("counts the bound from when it was told, not from when it is asked", () =>
    Effect.gen(function* () {
      const rate = yield* make("1 minute")
      yield* rate.hold(Duration.hours(1))
      yield* Effect.sleep("30 seconds")
      expect(yield* granted(rate)).toBe(60_000)
    }).pipe(world)
  )

  it.effect("prolongs the wait of those who wait already", () =>
    Effect.gen(function* () {
      const rate = yield* make()
      yield* rate.hold(Duration.seconds(5))
      const waiting = yield* Effect.fork(granted(rate))
      yield* Effect.sleep("3 seconds")
      yield* rate.hold(Duration.seconds(4))
      expect(yield* Fiber.join(waiting)).toBe(7_000)
    }).pipe(world)
  )

  it.effect("rounds a hold up to whole milliseconds", () =>
    Effect.gen(function* () {
      const rate = yield* make()
      yield* rate.hold(Duration.nanos(1_500_000n))
      expect(yield* granted(rate)).toBe(2)
    }).pipe(world)
  )

  it.effect("refuses at once where the time there is is shorter, and waits where it is as long", () =>
    Effect.gen(function* () {
      const rate = yield* make()
      yield* rate.hold(Duration.seconds(5))
      expect(yield* granted(rate, within(4_999))).toBe("refused")
      expect(yield* nowMillis).toBe(0)
      expect(yield* granted(rate, within(5_000))).toBe(5_000)
    }).pipe(world)
  )

  it.effect("refuses one that waits where a later hold leaves it too little time", () =>
    Effect.gen(function* () {
      const rate = yield* make()
      yield* rate.hold(Duration.seconds(5))
      const waiting = yield* Effect.fork(granted(rate, within("6 seconds")))
      yield* Effect.sleep("3 seconds")
      yield* rate.hold(Duration.seconds(4))
      expect(yield* Fiber.join(waiting)).toBe("refused")
      expect(yield* nowMillis).toBe(5_000)
    }).pipe(world)
  )

  it.effect("holds one key back and no other", () =>
    Effect.gen(function* () {
      const rate = yield* make()
      yield* forKey("a")(rate.hold(Duration.seconds(5)))
      yield* forKey("b")(rate.hold(Duration.seconds(2)))
      const times = yield* Effect.forEach(["a", "b", "c", ""], (key) => forKey(key)(granted(rate)), {
        concurrency: "unbounded"
      })
      expect(times).toEqual([5_000, 2_000, 0, 0])
    }).pipe(world)
  )

  it.effect("tells hundreds of keys apart, and forgets those whose holds are over", () =>
    Effect.gen(function* () {
      const rate = yield* make()
      const keys = Array.from({ length: 500 }, (_, index) => `key-${index}`)
      for (const [index, key] of keys.entries()) yield* forKey(key)(rate.hold(Duration.millis(index)))
      const times = yield* Effect.forEach(keys, (key) => forKey(key)(granted(rate)))
      expect(times).toEqual(keys.map((_, index) => index))
    }).pipe(world)
  )

  it.effect("is not held any longer by one that is interrupted, nor are the others", () =>
    Effect.gen(function* () {
      const rate = yield* make()
      yield* rate.hold(Duration.seconds(5))
      const [gone, staying] = [yield* Effect.fork(granted(rate)), yield* Effect.fork(granted(rate))]
      yield* Effect.sleep("1 second")
      expect(Exit.isInterrupted(yield* Fiber.interrupt(gone))).toBe(true)
      expect([yield* nowMillis, yield* VirtualClock.sleepers]).toEqual([1_000, 1])
      expect(yield* Fiber.join(staying)).toBe(5_000)
    }).pipe(world)
  )

  it.effect("holds at most the bound from when the clock has stepped back", () =>
    Effect.gen(function* () {
      const rate = yield* make("10 seconds")
      yield* Effect.sleep("1 hour")
      yield* rate.hold(Duration.seconds(8))
      yield* VirtualClock.stepBack("1 hour")
      expect(yield* granted(rate)).toBe(3_610_000)
      expect(yield* granted(rate)).toBe(3_610_000)
    }).pipe(world)
  )

  it.effect("holds at most the bound where the clock steps back under one that waits", () =>
    Effect.gen(function* () {
      const rate = yield* make("10 seconds")
      yield* Effect.sleep("1 hour")
      yield* rate.hold(Duration.seconds(8))
      const waiting = yield* Effect.fork(granted(rate))
      yield* Effect.sleep("3 seconds")
      yield* VirtualClock.stepBack("30 minutes")
      expect(yield* Fiber.join(waiting)).toBe(3_618_000)
    }).pipe(world)
  )

  it.effect("asks the rate inside once nothing is held, with the time that is left", () =>
    Effect.gen(function* () {
      const asked: Array<number> = []
      const heard: Array<SendRate.Result> = []
      const rate = yield* make(
        "1 minute",
        Effect.succeed<SendRate.SendRate>({
          acquire: ({ atMost }) =>
            Effect.sync(() => asked.push(Option.match(atMost, { onNone: () => -1, onSome: Duration.toMillis })) < 3),
          heard: (result) => Effect.sync(() => void heard.push(result))
        })
      )
      expect(yield* granted(rate, within("7 seconds"))).toBe(0)
      yield* rate.hold(Duration.seconds(5))
      expect(yield* granted(rate, within("7 seconds"))).toBe(5_000)
      expect(yield* granted(rate)).toBe("refused")
      yield* rate.heard("Throttled")
      expect([asked, heard]).toEqual([[7_000, 2_000, -1], ["Throttled"]])
    }).pipe(world)
  )

  it.each([0, -1, NaN, Infinity, "25 days", "soon"])("refuses a bound that is none: %s", (atMost) => {
    const options = { atMost: atMost as Duration.DurationInput }
    expect(() => HoldBack.make(options)).toThrow("HoldBack.make: atMost must be a finite duration")
    expect(() => HoldBack.layer(SendRate.Default, options)).toThrow("HoldBack.layer: atMost must be a finite duration")
  })
})

describe("HoldBack.isHoldBack", () => {
  it.effect("knows its own among send rates", () =>
    Effect.gen(function* () {
      expect(HoldBack.isHoldBack(yield* make())).toBe(true)
      expect(HoldBack.isHoldBack(SendRate.unlimited)).toBe(false)
    })
  )
})

describe("HoldBack.layer", () => {
  const policy = { ...HttpRetry.standard, backoff: Backoff.constant({ delay: "1 second" }), sendRate: SendRate.Default }
  const layer = HoldBack.layer(SendRate.Default, { atMost: "1 minute" })
  const busy = { status: 429, headers: { "retry-after": "30" } }
  const once = { ...policy, maxAttempts: 1 }

  it.effect("makes later operations to the same host wait for what one was told, and no others", () =>
    Effect.gen(function* () {
      const { calls, client } = Scripted.make(busy, 200)
      const retried = HttpRetry.withRetry(client, once)
      expect((yield* retried.get("http://a.example/1")).status).toBe(429)
      yield* Effect.forEach(
        ["http://a.example/2", "http://b.example/3", "http://a.example:81/4"],
        (url) => retried.get(url),
        {
          concurrency: "unbounded"
        }
      )
      const sent = calls.map(({ atMillis, request }) => [request.url, atMillis])
      expect(sent).toEqual([
        ["http://a.example/1", 0],
        ["http://b.example/3", 0],
        ["http://a.example:81/4", 0],
        ["http://a.example/2", 30_000]
      ])
    }).pipe(Effect.provide(layer), world)
  )

  it.effect("hears hints of failures that are not retried, and of operations of other clients", () =>
    Effect.gen(function* () {
      const told = Scripted.make(busy)
      const other = Scripted.make(200)
      yield* HttpRetry.withRetry(told.client, policy).execute(HttpClientRequest.post("http://a.example/"))
      yield* HttpRetry.withRetry(other.client, policy).get("http://a.example/")
      expect([Scripted.times(told.calls), Scripted.times(other.calls)]).toEqual([[0], [30_000]])
    }).pipe(Effect.provide(layer), world)
  )

  it.effect("adds nothing to the wait of the operation that was told", () =>
    Effect.gen(function* () {
      const { calls, client } = Scripted.make(busy, 200)
      yield* HttpRetry.withRetry(client, { ...policy, hint: Hint.standard }).get("http://a.example/")
      expect(Scripted.times(calls)).toEqual([0, 30_000])
    }).pipe(Effect.provide(layer), world)
  )

  it.effect("bounds a hint that its operation gives up on", () =>
    Effect.gen(function* () {
      const { calls, client } = Scripted.make({ status: 429, headers: { "retry-after": "86400" } }, 200)
      const retried = HttpRetry.withRetry(client, policy)
      yield* retried.get("http://a.example/")
      yield* retried.get("http://a.example/")
      expect(Scripted.times(calls)).toEqual([0, 60_000])
    }).pipe(Effect.provide(layer), world)
  )

  it.effect("is another one wherever it is built", () =>
    Effect.gen(function* () {
      const { calls, client } = Scripted.make(busy, 200)
      const retried = HttpRetry.withRetry(client, once)
      for (let count = 0; count < 2; count++) {
        yield* Effect.provide(retried.get("http://a.example/"), Layer.fresh(layer))
      }
      expect([Scripted.times(calls), yield* Clock.currentTimeMillis]).toEqual([[0, 0], 0])
    }).pipe(world)
  )
})

SendRateContract.suite(vitest, "HoldBack.make that holds nothing", make(), { grants: "all" })
SendRateContract.suite(
  vitest,
  "HoldBack.make of a fixed rate",
  make("1 minute", SendRate.makeFixed({ rate: 2, burst: 5 }))
)
