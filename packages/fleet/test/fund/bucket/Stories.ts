/**
 * What shared buckets do about their store. The tests of the package run them, and so do those of its page.
 */
import { type FleetEvent, SharedBucket } from "@effect-retry/fleet"
import { expect } from "@effect/vitest"
import { Effect, Exit, Fiber, Option, Scope } from "effect"
import * as SpecStore from "../../SpecStore.ts"
import {
  ask,
  begin,
  drawing,
  ended,
  fleetOf,
  grants,
  inVirtualTime,
  isGranted,
  makeNetwork,
  settled,
  type StoreError,
  succeed
} from "./Shared.ts"

type Observers = ReadonlyArray<FleetEvent.FleetObserver>

export interface Story {
  readonly name: string
  readonly of: (observe: Observers) => Effect.Effect<void, unknown, Scope.Scope>
}

/** Runs a story with observers of its bucket, and then a check of what they have heard. */
export const run = ({ of }: Story, observe: Observers = [], check: () => void = () => {}) =>
  inVirtualTime(Effect.zipRight(Effect.zipRight(of(observe), settled), Effect.sync(check)))

const quotaIn = (store: SpecStore.SpecStore<StoreError>, options: Partial<SharedBucket.QuotaOptions>) =>
  SharedBucket.quota("RedisBucket.quota", {
    name: "orders",
    capacity: 200,
    refillPerSecond: 0.001,
    cost: { orElse: 1 },
    ...options
  })(fleetOf(store))

const wants = (store: SpecStore.SpecStore<unknown>) =>
  store.calls.flatMap((call) => (call._tag === "take" ? [call.want] : []))

const puts = (store: SpecStore.SpecStore<unknown>) =>
  store.calls.flatMap((call) => (call._tag === "put" ? [call.tokens] : []))

export const stories: ReadonlyArray<Story> = [
  {
    name: "ask one question at a time, for all that wait, and serve them in the order in which they came",
    of: (observe) =>
      Effect.gen(function* () {
        const { hold, open, store } = yield* makeNetwork
        const cost = { Throttling: 3, Server: 5, Client: 4, orElse: 200 }
        const bucket = yield* quotaIn(store, { cost, observe })
        const served: Array<string> = []
        yield* hold
        for (const kind of ["Throttling", "Server", "Client"] as const) {
          yield* begin(Effect.tap(ask(bucket, { kind }), () => served.push(kind)))
        }
        expect(store.calls).toEqual([{ _tag: "take", key: "orders", want: 3, least: 3 }])
        yield* open
        expect(served).toEqual(["Throttling", "Server", "Client"])
        expect(wants(store)).toEqual([3, 9])
      })
  },
  {
    name: "take what an attempt needs and more as the demand grows, and grant what the process holds without a call",
    of: (observe) =>
      Effect.gen(function* () {
        const store = SpecStore.make()
        const bucket = yield* quotaIn(store, { refillPerSecond: 10, observe })
        yield* Effect.sleep("100 millis")
        const questions: Array<number> = []
        for (let attempt = 0; attempt < 45; attempt++) {
          yield* Effect.sleep("1 millis")
          expect(yield* isGranted(bucket)).toBe(true)
          questions.push(wants(store).length)
        }
        expect(wants(store)).toEqual([1, 4, 16, 20, 20])
        expect([0, 1, 4, 5, 20, 21].map((attempt) => questions[attempt])).toEqual([1, 2, 2, 3, 3, 4])
      })
  },
  ...[
    { draw: 0, untilMillis: 1000 },
    { draw: 0.5, untilMillis: 1250 },
    { draw: 1 - 1e-9, untilMillis: 1500 }
  ].map(({ draw, untilMillis }): Story => ({
    name: `ask no more until the store has the tokens, times one and half of ${draw}`,
    of: (observe) =>
      Effect.gen(function* () {
        const store = SpecStore.make()
        const options = { capacity: 10, refillPerSecond: 10, cost: { orElse: 10 }, leaseShare: 0, observe }
        const bucket = yield* quotaIn(store, options)
        expect([yield* isGranted(bucket), yield* isGranted(bucket)]).toEqual([true, false])
        yield* Effect.sleep(untilMillis - 1)
        expect(yield* grants(bucket, 5)).toBe(0)
        expect(store.calls).toHaveLength(2)
        yield* Effect.sleep("1 millis")
        expect(yield* isGranted(bucket)).toBe(true)
      }).pipe(drawing(draw))
  })),
  {
    name: "get back the cost of a retry that succeeded, and return at once what is more than a lease",
    of: (observe) =>
      Effect.gen(function* () {
        const store = SpecStore.make()
        const bucket = yield* quotaIn(store, { capacity: 14, cost: { orElse: 14 }, observe })
        expect(yield* grants(bucket, 2)).toBe(1)
        yield* succeed(bucket, 2, 14)
        expect(yield* grants(bucket, 1)).toBe(1)
        expect(store.calls.slice(2)).toEqual([
          { _tag: "put", key: "orders", tokens: 13 },
          { _tag: "take", key: "orders", want: 13, least: 13 }
        ])
      })
  },
  {
    name: "return what is left after a time without an attempt",
    of: (observe) =>
      Effect.gen(function* () {
        const store = SpecStore.make()
        const bucket = yield* quotaIn(store, { idleAfter: "1 second", observe })
        yield* grants(bucket, 6)
        for (let round = 0; round < 5; round++) {
          yield* Effect.sleep("900 millis")
          yield* isGranted(bucket)
        }
        expect(puts(store)).toEqual([])
        yield* Effect.sleep("2 seconds")
        expect(puts(store)).toEqual([10])
        expect(yield* bucket.level).toBeCloseTo(189, 1)
        yield* Effect.sleep("1 hour")
        expect(puts(store)).toHaveLength(1)
      })
  },
  {
    name: "return everything at the end of the scope, including what comes meanwhile",
    of: (observe) =>
      Effect.gen(function* () {
        const { hold, open, store } = yield* makeNetwork
        const scope = yield* Scope.make()
        const cost = { Throttling: 40, orElse: 1 }
        const bucket = yield* Scope.extend(quotaIn(store, { refillPerSecond: 10, cost, observe }), scope)
        yield* grants(bucket, 6)
        yield* hold
        const waiting = yield* begin(ask(bucket, { kind: "Throttling" }))
        const closing = yield* begin(Scope.close(scope, Exit.void))
        expect([yield* ended(waiting), yield* ended(closing)]).toEqual([true, false])
        yield* open
        expect([yield* ended(closing), puts(store)]).toEqual([true, [40]])
        expect(yield* Fiber.join(waiting)).toEqual(Option.none())
        const calls = store.calls.length
        expect(yield* grants(bucket, 3)).toBe(0)
        yield* bucket.level
        expect(store.calls).toHaveLength(calls)
      })
  },
  {
    name: "do not call the store while one in ten attempts is retried, under a success ratio",
    of: (observe) =>
      Effect.gen(function* () {
        const store = SpecStore.make()
        const options = { name: "orders", ratio: 0.1, capacity: 20, floorPerSecond: 0.001, observe }
        const bucket = yield* SharedBucket.successRatio("RedisBucket.successRatio", options)(fleetOf(store))
        yield* Effect.replicateEffect(succeed(bucket), 10)
        for (let round = 0; round < 50; round++) {
          yield* Effect.sleep("1 second")
          expect(yield* isGranted(bucket)).toBe(true)
          yield* Effect.replicateEffect(succeed(bucket), 10)
        }
        expect(store.calls).toEqual([])
      })
  },
  {
    name: "wait for their turn under a fixed rate, unless they are told otherwise",
    of: (observe) =>
      Effect.gen(function* () {
        const options = { name: "orders", rate: 10, burst: 5, observe }
        const bucket = yield* SharedBucket.fixed("RedisBucket.fixed", options)(fleetOf(SpecStore.make()))
        expect(yield* grants(bucket, 20)).toBe(20)
        const millis = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
        expect(millis).toBeGreaterThanOrEqual(1500)
        expect(millis).toBeLessThanOrEqual(1650)
        expect(yield* grants(bucket, 20, { atMostMillis: 0 })).toBeLessThanOrEqual(1)
      })
  }
]
