/**
 * A bucket that several holders of leases share, under load while a fault happens, and what came of it.
 *
 * Each holder has a store, and so a connection, of its own, as a process of a fleet has. Half of its operations ask the
 * bucket itself, which fails; the other half ask it through `failClosed`, as a policy does. Time is that of the machine.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { performance } from "node:perf_hooks"
import * as TokenBucket from "@effect-retry/core/TokenBucket"
import type * as Redis from "@effect-retry/servers/Redis"
import { assert } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Option, type Scope } from "effect"
import { request } from "../../../core/test/fund/Asking.ts"
import type { RedisError } from "../../src/accept/RedisError.ts"
import * as BucketKey from "../../src/accept/BucketKey.ts"
import * as RedisBucket from "../../src/fund/redis/RedisBucket.ts"
import { RedisStore } from "../../src/fund/redis/RedisStore.ts"
import type { Limits, Store } from "../../src/fund/store/Store.ts"
import * as Askers from "./Askers.ts"
import * as Outcome from "./Outcome.ts"
import type { End, Operation, Result } from "./Outcome.ts"
import * as Resources from "./Resources.ts"
import * as Stalls from "./Stalls.ts"
import * as Stores from "./Stores.ts"
import type * as Windows from "./Windows.ts"

/** The load while it runs. */
export interface Load {
  /** Waits until every holder has had an operation that began after now and ended so. Answers for how many milliseconds. */
  readonly each: (isSo: (end: End) => boolean) => Effect.Effect<number>
  /** Waits until an operation is refused, or until it is clear that the machine is too busy to take all that is there. */
  readonly drained: Effect.Effect<void>
  /** Keeps the load up for so long. */
  readonly during: (millis: number) => Effect.Effect<void>
}

/** What is under load. */
export interface Options {
  readonly name: string
  readonly limits: Limits
  /** A store for each holder, by what the results call it. */
  readonly holders: Readonly<Record<string, Layer.Layer<RedisStore>>>
  /** Where two processes ask the same bucket beside the holders. @default none do */
  readonly besides?: Stores.Place
  /** Any server with the clock by which the tokens are counted. */
  readonly server: Redis.Server
  /** How many times the server loses what it knows: each time the bucket is full again. */
  readonly losses?: number
}

/** Most time of an operation of a policy, in milliseconds. */
const wrappedMillis = 50

/** What a busy machine adds to a bound. A freeze lasts longer than both together. */
const marginMillis = 3000

/** What a server that is back, and a machine that is busy, have to answer. A cluster takes 6 s to replace a master. */
const longestWaitMillis = 120_000

const leaseShare = 0.1
const fibers = 4
const pauseMillis = 5

const pause = (millis: number) => Effect.promise(() => sleep(millis))

/**
 * Puts a load on the bucket until it is empty, causes the fault, goes on until it is empty again, and asserts what holds for
 * every fault: no operation waits longer than its bound or hangs, none dies, no promise is left that rejects, no connection
 * or timer is left when the scope has ended, and no more is granted than the bound says, over the whole time and over all
 * windows.
 */
export const during = <E, R>(
  options: Options,
  fault: (load: Load) => Effect.Effect<number, E, R>
): Effect.Effect<Result, E, Exclude<R, Scope.Scope>> =>
  Effect.gen(function* () {
    const rejections: Array<unknown> = []
    const onRejection = (reason: unknown) => void rejections.push(reason)
    process.on("unhandledRejection", onRejection)
    const stalls = yield* Stalls.watch
    const from = yield* serverMicros(options.server)
    const before = Resources.resources()
    const { backMillis, besides, operations } = yield* Effect.scoped(underLoad(options, stalls, fault))
    yield* Effect.promise(() => Resources.ended(before, marginMillis))
    const to = yield* serverMicros(options.server)
    yield* Effect.sync(() => process.off("unhandledRejection", onRejection))
    const result = { ...Outcome.of(options, operations, (to - from) / 1_000_000), backMillis }
    assert.deepStrictEqual(rejections, [])
    assertBounds(options, result, besides)
    return result
  }).pipe(Effect.scoped)

const underLoad = <E, R>(options: Options, stalls: Stalls.Stalls, fault: (load: Load) => Effect.Effect<number, E, R>) =>
  Effect.gen(function* () {
    const { holders, limits, name } = options
    const operations: Array<Operation> = []
    const signal = { isOver: false }
    const running: Array<Fiber.Fiber<void>> = []
    for (const [holder, layer] of Object.entries(holders)) {
      const store = yield* Layer.build(layer)
      yield* answering(Context.get(store, RedisStore), options)
      const quota = RedisBucket.quota({
        name,
        capacity: limits.burst,
        refillPerSecond: limits.perSecond,
        cost: { orElse: 1 },
        leaseShare
      })
      const bucket = yield* Effect.provide(quota, store)
      const wrapped = TokenBucket.failClosed(bucket, { within: wrappedMillis })
      for (const [isWrapped, asked] of [
        [false, bucket],
        [true, wrapped]
      ] as const) {
        for (let fiber = 0; fiber < fibers; fiber++) {
          running.push(yield* Effect.forkScoped(operate(asked, { holder, isWrapped }, stalls, operations, signal)))
        }
      }
    }
    const load: Load = {
      each: (isSo) => each(Object.keys(holders), operations, isSo),
      drained: drained(operations),
      during: pause
    }
    const askers = options.besides === undefined ? [] : yield* startBesides(options, options.besides)
    // What the bound allows is asked for, before the fault and behind it.
    yield* load.each(Outcome.isGrant)
    yield* load.drained
    const backMillis = yield* fault(load)
    yield* load.drained
    signal.isOver = true
    // An operation that hangs keeps this from ending.
    yield* Fiber.joinAll(running)
    return { backMillis, operations, besides: askers.flatMap(({ stamps }) => stamps) }
  })

const startBesides = ({ limits, name }: Options, place: Stores.Place) =>
  Effect.gen(function* () {
    const task = { place, name, limits, leaseShare, withinMillis: Stores.withinMillis }
    const askers = yield* Askers.start(yield* Askers.program, [task, task])
    yield* Effect.forEach(askers, ({ ask }) => ask({ askers: fibers, times: 1_000_000, isWhole: false }))
    return askers
  })

/** Waits until a store has its connection. */
const answering = (store: Store<RedisError>, { limits, name }: Options): Effect.Effect<void> =>
  Effect.asVoid(Effect.eventually(Effect.tapError(store.level(BucketKey.make(name), limits), () => pause(pauseMillis))))

const operate = (
  bucket: TokenBucket.TokenBucket<RedisError>,
  named: Pick<Operation, "holder" | "isWrapped">,
  stalls: Stalls.Stalls,
  operations: Array<Operation>,
  signal: { readonly isOver: boolean }
): Effect.Effect<void> =>
  Effect.gen(function* () {
    while (!signal.isOver) {
      const startedAt = performance.now()
      const end = yield* Effect.match(Effect.uninterruptible(bucket.acquire(request())), {
        onFailure: ({ reason }): End => reason,
        onSuccess: (grant): End => (Option.isSome(grant) ? "Granted" : "Refused")
      })
      const endedAt = performance.now()
      operations.push({ ...named, startedAt, endedAt, millis: stalls.without(startedAt, endedAt), end })
      yield* pause(pauseMillis)
    }
  })

const each = (
  holders: ReadonlyArray<string>,
  operations: ReadonlyArray<Operation>,
  isSo: (end: End) => boolean
): Effect.Effect<number> =>
  Effect.promise(async () => {
    const since = performance.now()
    const first = operations.length
    let seen = first
    const missing = new Set(holders)
    while (missing.size > 0) {
      if (performance.now() - since > longestWaitMillis) {
        const ends = new Set(operations.slice(first).map(({ end }) => end))
        throw new Error(`the operations of ${[...missing].join(" and ")} end as: ${[...ends].join(", ")}`)
      }
      for (; seen < operations.length; seen++) {
        const operation = operations[seen]
        if (operation === undefined || operation.startedAt < since) continue
        // A wrapped bucket refuses even if the bucket itself fails.
        if (operation.isWrapped && !Outcome.isGrant(operation.end)) continue
        if (isSo(operation.end)) missing.delete(operation.holder)
      }
      await sleep(pauseMillis)
    }
    return performance.now() - since
  })

const longestDrainMillis = 2000

const drained = (operations: ReadonlyArray<Operation>): Effect.Effect<void> =>
  Effect.promise(async () => {
    const first = operations.length
    const since = performance.now()
    while (
      !operations.slice(first).some(({ end }) => Outcome.isRefusal(end)) &&
      performance.now() - since < longestDrainMillis
    ) {
      await sleep(pauseMillis)
    }
  })

/** The time of a server, in microseconds. */
export const serverMicros = ({ admin }: Redis.Server): Effect.Effect<number> =>
  Effect.promise(async () => {
    const [seconds, micros] = (await admin.time()).map(Number)
    return (seconds ?? NaN) * 1_000_000 + (micros ?? NaN)
  })

/** From the clock of this process to that of all processes. */
const sharedMillis = Number(process.hrtime.bigint()) / 1e6 - performance.now()

const assertBounds = (options: Options, result: Result, besides: ReadonlyArray<Windows.Stamp>): void => {
  const { holders, limits, losses = 0, name } = options
  assert.isBelow(result.longest, Stores.withinMillis + marginMillis)
  assert.isBelow(result.longestWrapped, wrappedMillis + marginMillis)
  assert.isAtMost(result.grants + besides.length, result.mostGrants)
  const stamps = result.operations
    .filter(({ end }) => Outcome.isGrant(end))
    .map(({ endedAt }): Windows.Stamp => ({ atMillis: endedAt + sharedMillis, tokens: 1 }))
  Askers.assertBound(name, [...stamps, ...besides], {
    limits,
    leaseShare,
    withinMillis: Stores.withinMillis,
    more: losses * limits.burst,
    processes: Object.keys(holders).length + (options.besides === undefined ? 0 : 2)
  })
}
