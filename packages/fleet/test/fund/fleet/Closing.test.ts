import * as RedisBucket from "@effect-retry/fleet/RedisBucket"
import * as RedisError from "@effect-retry/fleet/RedisError"
import * as RedisStore from "@effect-retry/fleet/RedisStore"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Exit, Scope } from "effect"
import * as SpecStore from "../../SpecStore.ts"
import { ask, inVirtualTime } from "../bucket/Shared.ts"

const timedOut = new RedisError.RedisError({
  reason: "TimedOut",
  bucket: "orders",
  code: ""
})

const withinMillis = 1000

/** A store that takes so long for a call, or fails when its bound has passed. */
const makeStore = () => {
  const network = { millis: 0, puts: 0 }
  const store = SpecStore.make<RedisError.RedisError>((decide, { _tag }) => {
    const { millis } = network
    if (millis >= withinMillis) return Effect.delay(Effect.fail(timedOut), withinMillis)
    return Effect.tap(Effect.delay(decide, millis), () => {
      if (_tag === "put") network.puts += 1
    })
  })
  return { network, store: { ...store, withinMillis } }
}

const quota = (name: string) =>
  RedisBucket.quota({ name, capacity: 100, refillPerSecond: 1, cost: { orElse: 1 }, idleAfter: "1 hour" })

/** Twelve buckets in one scope, each of which holds tokens. */
const holding = Effect.gen(function* () {
  const { network, store } = makeStore()
  const scope = yield* Scope.make()
  const open = <A, E>(bucket: Effect.Effect<A, E, Scope.Scope | RedisStore.RedisStore>) =>
    bucket.pipe(Scope.extend(scope), Effect.provideService(RedisStore.RedisStore, store))
  for (let number = 0; number < 12; number++) {
    const bucket = yield* open(quota(`orders ${number}`))
    yield* Effect.replicateEffect(ask(bucket), 3)
  }
  const close = Effect.map(Effect.timed(Scope.close(scope, Exit.void)), ([elapsed]) => Duration.toMillis(elapsed))
  return { close, network }
})

describe("a scope with many buckets of one store", () => {
  it.effect("waits for one bound as it closes, when the store does not answer", () =>
    Effect.gen(function* () {
      const { close, network } = yield* holding
      network.millis = Infinity
      expect(yield* close).toBe(withinMillis)
    }).pipe(inVirtualTime)
  )

  it.effect("waits for one bound when the store is slow, which still gets back all tokens", () =>
    Effect.gen(function* () {
      const { close, network } = yield* holding
      network.millis = 400
      expect(yield* close).toBe(withinMillis)
      yield* Effect.sleep("1 second")
      expect(network.puts).toBe(12)
    }).pipe(inVirtualTime)
  )

  it.effect("gives each bucket the whole bound when others have closed long before", () =>
    Effect.gen(function* () {
      const { network, store } = makeStore()
      for (let times = 0; times < 3; times++) {
        network.millis = 0
        const bucket = Effect.flatMap(quota("orders"), (bucket) => Effect.replicateEffect(ask(bucket), 3))
        const scope = yield* Scope.make()
        yield* bucket.pipe(Scope.extend(scope), Effect.provideService(RedisStore.RedisStore, store))
        network.millis = 600
        const [elapsed] = yield* Effect.timed(Scope.close(scope, Exit.void))
        expect(Duration.toMillis(elapsed)).toBe(600)
        yield* Effect.sleep("10 seconds")
      }
    }).pipe(inVirtualTime)
  )
})
