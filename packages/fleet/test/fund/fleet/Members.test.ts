import * as RedisStore from "@effect-retry/fleet/RedisStore"
import * as IoRedis from "@effect-retry/fleet/IoRedis"
import * as Redis from "@effect-retry/servers/Redis"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Context, Duration, Effect, Exit, Layer, Scope } from "effect"
import * as FleetBucket from "../../../src/fund/fleet/FleetBucket.ts"
import * as Members from "../../../src/fund/fleet/Members.ts"
import type { Store } from "../../../src/fund/store/Store.ts"
import * as SpecStore from "../../SpecStore.ts"

const settings = FleetBucket.check("test", { name: "orders" }, [])

/** Joins, as a process of its own if `of` is not given, and notes what the share is one of. */
const joined = (store: Store<unknown>, key = "", of?: Members.Members) =>
  Effect.gen(function* () {
    const seen: Array<number> = []
    const { follow, sharers } = yield* (of ?? Members.make(settings)).join(store, key)
    yield* follow((sharers) => Effect.sync(() => seen.push(sharers)))
    return { seen, sharers }
  })

/** When the store was called, in milliseconds. */
const timed = <E = never>(outage: () => boolean = () => false) => {
  const atMillis: Array<number> = []
  const store = SpecStore.make<E | "away">((decide) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      atMillis.push(now)
      return outage() ? Effect.fail("away" as const) : decide
    })
  )
  return { store, atMillis }
}

const virtually = <A>(self: Effect.Effect<A, never, Scope.Scope>) =>
  self.pipe(Effect.scoped, Effect.provide(SeededRandom.layer("members")), VirtualClock.run)

describe("Members.join", () => {
  it.effect("counts the members by the latest heartbeat, and is alone before the first", () =>
    virtually(
      Effect.gen(function* () {
        const { store } = timed()
        const members = yield* Effect.replicateEffect(joined(store), 5)
        expect(members.map(({ sharers }) => sharers())).toEqual([1, 1, 1, 1, 1])
        yield* Effect.sleep("30 seconds")
        expect(members.map(({ sharers }) => sharers())).toEqual([5, 5, 5, 5, 5])
        expect(members.map(({ seen }) => seen.at(-1))).toEqual([5, 5, 5, 5, 5])
      })
    )
  )

  it.effect("no longer counts a member that is silent for thirty seconds", () =>
    virtually(
      Effect.gen(function* () {
        const { store } = timed()
        const { sharers } = yield* joined(store)
        const other = yield* Scope.make()
        yield* Scope.extend(joined(store), other)
        yield* Effect.sleep("10 seconds")
        expect(sharers()).toBe(2)
        yield* Scope.close(other, Exit.void)
        yield* Effect.sleep("15 seconds")
        expect(sharers()).toBe(2)
        yield* Effect.sleep("25 seconds")
        expect(sharers()).toBe(1)
      })
    )
  )

  it.effect("beats soon after the start and then every five to ten seconds, no two processes at once", () =>
    virtually(
      Effect.gen(function* () {
        const one = timed()
        yield* joined(one.store)
        yield* Effect.sleep("2 minutes")
        const waits = one.atMillis.map((at, beat) => at - (one.atMillis[beat - 1] ?? 0))
        const bounds = waits.map((_, beat) => Math.min(10_000, 1_000 * 2 ** beat))
        expect(waits.every((wait, beat) => wait >= bounds[beat]! / 2 && wait <= bounds[beat]!)).toBe(true)
        const fleet = timed()
        yield* Effect.replicateEffect(joined(fleet.store), 50)
        yield* Effect.sleep("1 second")
        expect([fleet.atMillis.length, new Set(fleet.atMillis).size > 40]).toEqual([50, true])
      })
    )
  )

  it.effect("keeps the latest number while the store is away, hangs or answers nonsense", () =>
    virtually(
      Effect.gen(function* () {
        let answer: Effect.Effect<number, string> = Effect.succeed(7)
        const store: Store<unknown> = { ...SpecStore.make(), present: () => Effect.suspend(() => answer) }
        const { sharers } = yield* joined(store)
        yield* Effect.sleep("1 second")
        for (const bad of [
          Effect.fail("away"),
          Effect.dieMessage("broken"),
          Effect.uninterruptible(Effect.delay(Effect.fail("away"), "1 second")),
          Effect.succeed(0),
          Effect.succeed(NaN),
          Effect.succeed(2.5)
        ]) {
          answer = bad
          yield* Effect.sleep("30 seconds")
          expect(sharers()).toBe(7)
        }
        answer = Effect.succeed(3)
        yield* Effect.sleep("11 seconds")
        expect(sharers()).toBe(3)
      })
    )
  )

  it.effect("beats once for all keys of a bucket, and ends with the last of them", () =>
    virtually(
      Effect.gen(function* () {
        const { atMillis, store } = timed()
        const members = Members.make(settings)
        const keys = yield* Effect.forEach(["a", "b"], (key) =>
          Effect.gen(function* () {
            const scope = yield* Scope.make()
            yield* Scope.extend(joined(store, key, members), scope)
            return scope
          })
        )
        const beatsIn = (minutes: number) =>
          Effect.suspend(() => {
            const before = atMillis.length
            return Effect.map(Effect.sleep(minutes * 60_000), () => atMillis.length - before)
          })
        const close = (scope: Scope.CloseableScope) => Scope.close(scope, Exit.void)
        const both = yield* beatsIn(1)
        yield* close(keys[0]!)
        const one = yield* beatsIn(1)
        yield* close(keys[1]!)
        expect([both < 13, one > 5, yield* beatsIn(1)]).toEqual([true, true, 0])
        yield* joined(store, "c", members)
        expect(yield* beatsIn(1)).toBeGreaterThan(5)
        const ids = store.calls.map((call) => (call._tag === "present" ? call.member : ""))
        expect(new Set(ids).size).toBe(1)
        expect(ids[0]).toMatch(/^[0-9a-f]{16}$/)
      })
    )
  )

  it.effect("divides by the shares that a process has of one key", () =>
    virtually(
      Effect.gen(function* () {
        const { store } = timed()
        const members = Members.make(settings)
        const [first, other] = [yield* joined(store, "a", members), yield* joined(store, "b", members)]
        const scope = yield* Scope.make()
        yield* Scope.extend(joined(store, "a", members), scope)
        expect([first.sharers(), other.sharers(), first.seen]).toEqual([2, 1, [1, 2]])
        yield* Scope.close(scope, Exit.void)
        expect(first.seen).toEqual([1, 2, 1])
      })
    )
  )

  it.effect("keeps the members of two stores apart", () =>
    virtually(
      Effect.gen(function* () {
        const members = Members.make(settings)
        const [one, two] = [timed(), timed()]
        const all = [yield* joined(one.store, "", members), yield* joined(two.store, "", members)]
        yield* Effect.sleep("30 seconds")
        expect(all.map(({ sharers }) => sharers())).toEqual([1, 1])
        expect(one.atMillis).not.toEqual(two.atMillis)
      })
    )
  )
})

describe("Members.join over Redis", () => {
  /** So many times as fast as it is: heartbeats come after milliseconds, and a member is forgotten after a second. */
  const speed = 30
  const live = Clock.make()
  const fast: Clock.Clock = {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    currentTimeMillis: live.currentTimeMillis,
    currentTimeNanos: live.currentTimeNanos,
    unsafeCurrentTimeMillis: () => live.unsafeCurrentTimeMillis(),
    unsafeCurrentTimeNanos: () => live.unsafeCurrentTimeNanos(),
    sleep: (duration) => live.sleep(Duration.times(duration, 1 / speed))
  }
  const patient = FleetBucket.check("test", { name: "members" }, [])

  /** Joins by a connection of its own, as a process does. */
  const process = (port: number) =>
    Effect.gen(function* () {
      const store = Context.get(
        yield* Layer.build(IoRedis.layer({ host: "127.0.0.1", port, within: "1 minute" })),
        RedisStore.RedisStore
      )
      const { sharers } = yield* Members.make(patient)
        .join(
          {
            ...store,
            present: (group, member, forMillis) =>
              Effect.withClock(store.present(group, member, forMillis / speed), live)
          },
          ""
        )
        .pipe(Effect.withClock(fast))
      return sharers
    })

  const until = (check: () => boolean) =>
    Effect.repeat(Effect.delay(Effect.sync(check), "5 millis"), { until: (isTrue) => isTrue })

  it.live("counts processes as they come, and one less when one has died", () =>
    Effect.gen(function* () {
      const { port } = yield* Redis.shared
      const dying = yield* Scope.make()
      const first = yield* process(port)
      const others = [yield* process(port), yield* Scope.extend(process(port), dying)]
      yield* until(() => [first, ...others].every((sharers) => sharers() === 3))
      yield* Scope.close(dying, Exit.void)
      yield* until(() => first() === 2)
    }).pipe(Effect.scoped)
  )
})
