import type { TokenBucket } from "@effect-retry/core"
import * as PostgresBucket from "@effect-retry/fleet/PostgresBucket"
import * as RedisBucket from "@effect-retry/fleet/RedisBucket"
import { describe, expect, it } from "@effect/vitest"
import { type Clock, Effect, Layer, Option, type Scope } from "effect"
import { store } from "../fund/bucket/Contracts.ts"
import { ask, inVirtualTime } from "../fund/bucket/Shared.ts"
import * as VirtualStores from "../VirtualStores.ts"
import * as Windows from "./Windows.ts"

/** An empty bucket is full after two seconds. */
const limits = { burst: 40, perSecond: 20 }
const leaseShare = 0.1
const processes = 3

const hourMillis = 3_600_000

const nowMillis = Effect.clockWith((clock) => Effect.map(clock.currentTimeNanos, (nanos) => Number(nanos) / 1e6))

/** By how much clocks are set while a fleet is under load. */
interface Steps {
  /** The clock of the store. */
  readonly store?: number
  /** The wall clock of one process. */
  readonly process?: number
}

/** A clock that is that of the program, and a step. */
const stepping = (clock: Clock.Clock, step: { readonly millis: number }): Clock.Clock => {
  const unsafeCurrentTimeNanos = () => clock.unsafeCurrentTimeNanos() + BigInt(step.millis) * 1_000_000n
  return Object.assign(Object.create(clock) as Clock.Clock, { unsafeCurrentTimeNanos })
}

/** A clock of which the wall clock alone is set. */
const steppingWall = (clock: Clock.Clock, step: { readonly millis: number }): Clock.Clock => {
  const unsafeCurrentTimeMillis = () => clock.unsafeCurrentTimeMillis() + step.millis
  const currentTimeMillis = Effect.sync(unsafeCurrentTimeMillis)
  return Object.assign(Object.create(clock) as Clock.Clock, { currentTimeMillis, unsafeCurrentTimeMillis })
}

/** Three processes that ask all the time, while a clock is set once. */
const stampsOf = <E, R>(
  make: Effect.Effect<TokenBucket.TokenBucket<E>, never, R | Scope.Scope>,
  layer: Layer.Layer<R>,
  steps: Steps
) =>
  Effect.gen(function* () {
    const clock = yield* Effect.clock
    const ofStore = { millis: 0 }
    const ofProcess = { millis: 0 }
    const context = yield* Effect.withClock(Layer.build(layer), stepping(clock, ofStore))
    const stamps: Array<Windows.Stamp> = []
    for (let process = 0; process < processes; process++) {
      const bucket = yield* Effect.provide(make, context)
      const asking = Effect.gen(function* () {
        const grant = yield* Effect.orDie(ask(bucket))
        if (Option.isSome(grant)) stamps.push({ atMillis: yield* nowMillis, tokens: grant.value.tokens })
        yield* Effect.sleep("50 millis")
      })
      yield* Effect.forever(asking).pipe(
        Effect.forkScoped,
        Effect.replicateEffect(2),
        Effect.withClock(process === 0 ? steppingWall(clock, ofProcess) : clock)
      )
    }
    yield* Effect.sleep("5 seconds")
    ofStore.millis = steps.store ?? 0
    ofProcess.millis = steps.process ?? 0
    yield* Effect.sleep("8 seconds")
    return stamps
  })

const quota = {
  capacity: limits.burst,
  refillPerSecond: limits.perSecond,
  cost: { orElse: 1 },
  leaseShare
}

const assertBound = (stamps: ReadonlyArray<Windows.Stamp>, more: number) => {
  const bound = { ...limits, delayMillis: 0, processes, lease: leaseShare * limits.burst, more }
  expect(Windows.violation(stamps, bound)).toBeUndefined()
  // What a clock that is set ahead brings is spent.
  if (more > 1) expect(Windows.violation(stamps, { ...bound, more: 0 })).toHaveProperty("beyondRate")
  // A clock that went back refuses for two drain times at most.
  expect(stamps.filter(({ atMillis }) => atMillis > 10_000).length).toBeGreaterThan(limits.perSecond)
}

const redis = store(VirtualStores.redis)
const postgres = store(VirtualStores.postgres)

const keepsItsBound = (name: string, steps: Steps, more: number) => {
  it.effect("keeps its bound over all windows on Redis", () =>
    Effect.map(stampsOf(RedisBucket.quota({ name, ...quota }), redis, steps), (stamps) =>
      assertBound(stamps, more)
    ).pipe(inVirtualTime)
  )

  it.effect("keeps its bound over all windows on Postgres", () =>
    Effect.map(stampsOf(PostgresBucket.quota({ name, ...quota }), postgres, steps), (stamps) =>
      assertBound(stamps, more)
    ).pipe(inVirtualTime)
  )
}

describe.each([
  { step: "ahead by a second", millis: 1000, more: limits.perSecond },
  { step: "ahead by an hour", millis: hourMillis, more: limits.burst },
  { step: "back by a second", millis: -1000, more: 0 },
  { step: "back by one drain time", millis: -2000, more: 0 },
  { step: "back by an hour", millis: -hourMillis, more: 1 }
])("a fleet whose store has a clock that is set $step", ({ millis, more, step }) => {
  keepsItsBound(`store ${step}`, { store: millis }, more)
})

describe.each([
  { step: "ahead by an hour", millis: hourMillis },
  { step: "back by an hour", millis: -hourMillis }
])("a fleet of which one process has a wall clock that is set $step", ({ millis, step }) => {
  keepsItsBound(`process ${step}`, { process: millis }, 0)
})
