import { Verdict } from "@effect-retry/core"
import { SharedBucket } from "@effect-retry/fleet"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import type { FleetEvent } from "../../../src/fund/fleet/FleetEvent.ts"
import * as SpecStore from "../../SpecStore.ts"
import {
  ask,
  begin,
  ended,
  fleetOf,
  inVirtualTime,
  isGranted,
  makeNetwork,
  settled,
  succeed,
  throwingStore
} from "./Shared.ts"
import type { StoreError } from "./Shared.ts"

type Options = SharedBucket.GrpcThrottleOptions

const throttleIn = <E = StoreError>(store: SpecStore.SpecStore<E>, options: Partial<Options> = {}) =>
  SharedBucket.grpcThrottle("RedisBucket.grpcThrottle", { name: "orders", maxTokens: 10, tokenRatio: 0.5, ...options })(
    fleetOf(store)
  )

type Throttle = Effect.Effect.Success<ReturnType<typeof throttleIn>>

const fail = (bucket: Throttle, times = 1, verdict: Verdict.Verdict = Verdict.server) =>
  Effect.replicateEffect(
    bucket.record({ _tag: "Failed", attempt: 1, granted: { tokens: 0, refund: Effect.void }, verdict }),
    times,
    { discard: true }
  )

const changes = (store: SpecStore.SpecStore<unknown>) =>
  store.calls.flatMap((call) => (call._tag === "add" ? [call.change] : []))

describe("SharedBucket.grpcThrottle", () => {
  it.effect("calls the store for nothing while attempts succeed", () =>
    Effect.gen(function* () {
      const store = SpecStore.make()
      const bucket = yield* throttleIn(store)
      for (let round = 0; round < 20; round++) {
        yield* succeed(bucket)
        expect(yield* isGranted(bucket)).toBe(true)
        yield* Effect.sleep("1 second")
      }
      expect(store.calls).toEqual([])
    }).pipe(inVirtualTime)
  )

  it.effect("tells of failures at once, and grants retries for nothing above half of the fleet's count", () =>
    Effect.gen(function* () {
      const store = SpecStore.make()
      const [mine, theirs] = [yield* throttleIn(store), yield* throttleIn(store)]
      yield* fail(mine, 3)
      yield* settled
      expect([yield* isGranted(mine), yield* mine.level]).toEqual([true, 7])
      yield* fail(theirs, 2)
      yield* settled
      expect([yield* isGranted(theirs), yield* theirs.level]).toEqual([false, 5])
      yield* fail(mine)
      yield* settled
      expect([yield* isGranted(mine), yield* mine.level]).toEqual([false, 4])
      expect(changes(store).reduce((sum, change) => sum + change)).toBe(-6)
    }).pipe(inVirtualTime)
  )

  it.effect("decides by its own failures before the store knows of them, and tells of those together", () =>
    Effect.gen(function* () {
      const { hold, open, store } = yield* makeNetwork
      const bucket = yield* throttleIn(store)
      yield* hold
      yield* fail(bucket)
      yield* settled
      yield* fail(bucket, 3)
      expect(yield* isGranted(bucket)).toBe(true)
      yield* fail(bucket)
      expect([yield* isGranted(bucket), yield* bucket.level]).toEqual([false, 5])
      yield* open
      expect([changes(store), yield* bucket.level]).toEqual([[-1, -4], 5])
    }).pipe(inVirtualTime)
  )

  it.effect("makes one call of the store at a time", () =>
    Effect.gen(function* () {
      const { hold, open, store } = yield* makeNetwork
      const bucket = yield* throttleIn(store)
      yield* hold
      const level = yield* begin(bucket.level)
      yield* fail(bucket)
      yield* settled
      expect(changes(store)).toEqual([0])
      yield* open
      expect([yield* Fiber.join(level), changes(store)]).toEqual([9, [0, -1]])
    }).pipe(inVirtualTime)
  )

  it.effect("tells of successes in batches, while the count has room for them", () =>
    Effect.gen(function* () {
      const store = SpecStore.make()
      const bucket = yield* throttleIn(store)
      yield* fail(bucket, 6)
      yield* settled
      const told = changes(store).length
      yield* succeed(bucket)
      yield* succeed(bucket, 2)
      expect([yield* isGranted(bucket), yield* bucket.level]).toEqual([false, 4])
      yield* Effect.sleep("1100 millis")
      yield* succeed(bucket)
      yield* Effect.sleep("1100 millis")
      expect([yield* isGranted(bucket), changes(store).slice(told)]).toEqual([true, [1, 0.5]])
      yield* Effect.replicateEffect(succeed(bucket), 50)
      yield* Effect.sleep("1 minute")
      expect([yield* bucket.level, changes(store).slice(told + 2)]).toEqual([10, [4.5, 0]])
    }).pipe(inVirtualTime)
  )

  it.effect("counts failures that are retryable, or those that it is told to count", () =>
    Effect.gen(function* () {
      const counted = (options: Partial<Options>) =>
        Effect.gen(function* () {
          const store = SpecStore.make()
          const bucket = yield* throttleIn(store, options)
          yield* fail(bucket, 1, Verdict.terminal("not found"))
          yield* fail(bucket, 1, Verdict.noOpinion)
          yield* fail(bucket)
          yield* bucket.record({ _tag: "Abandoned", attempt: 1, granted: { tokens: 0, refund: Effect.void } })
          yield* settled
          return changes(store).reduce((sum, change) => sum + change)
        })
      expect([yield* counted({}), yield* counted({ counts: ({ _tag }) => _tag !== "Retryable" })]).toEqual([-1, -2])
    }).pipe(inVirtualTime)
  )

  it.effect("fails while the store is away, and tells what it did not tell as soon as it is back", () =>
    Effect.gen(function* () {
      const network = yield* makeNetwork
      const events: Array<FleetEvent> = []
      const bucket = yield* throttleIn(network.store, {
        observe: [(event) => Effect.sync(() => events.push(event))]
      })
      yield* network.fail
      yield* fail(bucket)
      yield* settled
      expect(yield* Effect.exit(ask(bucket))).toEqual(Exit.fail("away"))
      expect(yield* Effect.exit(bucket.level)).toEqual(Exit.fail("away"))
      yield* Effect.sleep("3 seconds")
      yield* network.open
      yield* fail(bucket)
      yield* settled
      expect([yield* isGranted(bucket), yield* bucket.level]).toEqual([true, 8])
      expect(events.map(({ _tag, level }) => [_tag, level])).toEqual([
        ["StoreAway", 9],
        ["StoreBack", 8],
        ["Counted", 8]
      ])
    }).pipe(inVirtualTime)
  )

  it.effect("fails no more once the store has answered a reading of the count", () =>
    Effect.gen(function* () {
      const { fail: away, open, store } = yield* makeNetwork
      const bucket = yield* throttleIn(store)
      yield* fail(bucket)
      yield* settled
      yield* succeed(bucket)
      yield* away
      yield* Effect.sleep("2 seconds")
      expect(Exit.isFailure(yield* Effect.exit(ask(bucket)))).toBe(true)
      yield* open
      expect([yield* bucket.level, yield* isGranted(bucket)]).toEqual([9, true])
    }).pipe(inVirtualTime)
  )

  it.effect("never waits for a store that hangs, and counts no more failures than there are tokens", () =>
    Effect.gen(function* () {
      const store = SpecStore.make<StoreError>(() => Effect.delay(Effect.fail("away"), 700))
      const bucket = yield* throttleIn(store)
      yield* fail(bucket)
      yield* settled
      yield* fail(bucket, 100)
      expect([yield* isGranted(bucket), changes(store)]).toEqual([false, [-1]])
      yield* Effect.sleep("700 millis")
      expect(yield* Effect.exit(ask(bucket))).toEqual(Exit.fail("away"))
      yield* fail(bucket)
      yield* settled
      expect(changes(store)).toEqual([-1, -10])
    }).pipe(inVirtualTime)
  )

  it.effect("tells of its last successes at the end of the scope, and hears nothing after it", () =>
    Effect.gen(function* () {
      const { hold, open, store } = yield* makeNetwork
      const scope = yield* Scope.make()
      const bucket = yield* Scope.extend(throttleIn(store), scope)
      yield* fail(bucket, 3)
      yield* settled
      const told = changes(store).length
      yield* succeed(bucket)
      yield* hold
      const closing = yield* begin(Scope.close(scope, Exit.void))
      expect(yield* ended(closing)).toBe(false)
      yield* open
      yield* Fiber.join(closing)
      yield* fail(bucket)
      yield* succeed(bucket)
      yield* Effect.sleep("1 minute")
      expect(changes(store).slice(told)).toEqual([0.5])
    }).pipe(inVirtualTime)
  )

  it.effect("tells of its last failures before its scope has ended, also while its count is read", () =>
    Effect.gen(function* () {
      const store = SpecStore.make((decide) => Effect.delay(decide, "100 millis"))
      const scope = yield* Scope.make()
      const bucket = yield* Scope.extend(throttleIn(store), scope)
      yield* begin(bucket.level)
      yield* fail(bucket)
      yield* Scope.close(scope, Exit.void)
      expect(changes(store)).toEqual([0, -1])
    }).pipe(inVirtualTime)
  )

  it.effect("ends with its scope where the store hangs", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const store = SpecStore.make<StoreError>(() => Effect.delay(Effect.fail("away"), 700))
      yield* fail(yield* Scope.extend(throttleIn(store), scope))
      yield* Scope.close(scope, Exit.void)
      expect(yield* Effect.clockWith((clock) => clock.currentTimeMillis)).toBe(700)
    }).pipe(inVirtualTime)
  )

  it.effect("fails where the store throws, and tells it of all failures when it does no more", () =>
    Effect.gen(function* () {
      const { breakDown, mend, store, thrown } = throwingStore()
      const bucket = yield* throttleIn(store)
      breakDown()
      expect(yield* Effect.exit(bucket.level)).toEqual(Exit.die(thrown))
      yield* fail(bucket)
      yield* settled
      expect(yield* Effect.exit(ask(bucket))).toEqual(Exit.die(thrown))
      mend()
      yield* fail(bucket)
      yield* settled
      expect([yield* isGranted(bucket), yield* bucket.level]).toEqual([true, 8])
    }).pipe(inVirtualTime)
  )

  const own = "name, idleAfter, observe, maxTokens, tokenRatio, counts"
  const wrong: ReadonlyArray<{ options: object; message: string }> = [
    { options: { leaseShare: 0.5 }, message: `leaseShare must be one of the options ${own}, got 0.5` },
    { options: { maxToken: 5 }, message: `maxToken must be one of the options ${own}, got 5` },
    { options: { maxTokens: 1001 }, message: "maxTokens must be a whole number >= 1 and <= 1000, got 1001" },
    { options: { maxTokens: 9.5 }, message: "maxTokens must be a whole number >= 1 and <= 1000, got 9.5" },
    { options: { tokenRatio: 0 }, message: "tokenRatio must be >= 0.001, got 0" }
  ]
  it.each(wrong)("refuses $options", ({ message, options }) => {
    expect(() => throttleIn(SpecStore.make(), options)).toThrow(`RedisBucket.grpcThrottle: ${message}`)
  })
})
