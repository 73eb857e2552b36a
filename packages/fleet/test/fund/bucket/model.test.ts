/**
 * Shared buckets beside models of them: whole operations at once in several processes, interrupted anywhere, on Redis.
 */
import type { TokenBucket, Verdict } from "@effect-retry/core"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Random, Scope } from "effect"
import * as Models from "../../../../core/test/fund/Models.ts"
import { law, runsOf } from "../../../../core/test/support/Laws.ts"
import type { FleetBucket, FleetStore } from "../../../src/fund/fleet/FleetBucket.ts"
import { fixed, quota, successRatio } from "../../../src/fund/bucket/SharedBucket.ts"
import * as VirtualStores from "../../VirtualStores.ts"

const scope = Effect.runSync(Scope.make())
let started: Effect.Effect.Success<typeof VirtualStores.runScript>

beforeAll(async () => {
  started = await Effect.runPromise(Scope.extend(VirtualStores.runScript, scope))
})

afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

type Make = <E>(fleet: FleetStore<E>) => Effect.Effect<FleetBucket<E>, never, Scope.Scope>

/** A bucket whose store always answers, with chance of its own. */
const infallible = <E>(bucket: TokenBucket.TokenBucket<E>, random: Random.Random): TokenBucket.TokenBucket => ({
  acquire: (request) => Effect.withRandom(Effect.orDie(bucket.acquire(request)), random),
  record: (outcome) => Effect.orDie(bucket.record(outcome)),
  level: Effect.orDie(bucket.level)
})

let paths = 0

interface Modelled {
  readonly name: string
  readonly limits: { readonly burst: number; readonly perSecond: number }
  readonly make: (name: string) => Make
  readonly makeModel: () => Models.Model
}

/**
 * Two processes with a bucket each, and what they leave behind: at the end of both, the store has at least what it had at
 * first less what was spent, so no token was lost.
 */
const watch = ({ limits, make, makeModel }: Modelled): Models.Watch => {
  const name = `model ${(paths += 1)}`
  const network = { millis: 40 }
  const store = VirtualStores.synchronous(started, network)
  const processes = Effect.runSync(Scope.make())
  const timedOut = () => {
    throw new Error("no answer is late")
  }
  const bucket = Effect.map(Scope.extend(make(name)({ store, timedOut }), processes), (bucket) =>
    infallible(bucket, Random.make(name))
  )
  return Models.bounded(Effect.all([bucket, bucket]), makeModel, (spent) =>
    Effect.gen(function* () {
      network.millis = 0
      yield* Scope.close(processes, Exit.void)
      const level = yield* Effect.orDie(store.level(name, limits))
      return level + spent < limits.burst - 1e-5 ? [{ level, spent }] : []
    })
  )
}

const costs = { Throttling: 5, orElse: 14 }

const costOf = (kind: Verdict.Kind) => (kind === "Throttling" ? costs.Throttling : costs.orElse)

const models: ReadonlyArray<Modelled> = [
  {
    name: "quota",
    limits: { burst: 40, perSecond: 0.37 },
    make: (name) =>
      quota("RedisBucket.quota", { name, capacity: 40, refillPerSecond: 0.37, cost: costs, leaseShare: 0.5 }),
    makeModel: () =>
      Models.tokens({
        capacity: 40,
        refillPerSecond: 0.37,
        cost: costOf,
        credit: (outcome) => {
          if (outcome._tag !== "Succeeded") return 0
          return outcome.attempt === 1 ? 1 : outcome.granted.tokens
        }
      })
  },
  {
    name: "successRatio",
    limits: { burst: 3, perSecond: 0.2 },
    make: (name) => successRatio("RedisBucket.successRatio", { name, ratio: 0.3, capacity: 3, floorPerSecond: 0.2 }),
    makeModel: () =>
      Models.tokens({
        capacity: 3,
        refillPerSecond: 0.2,
        cost: () => 1,
        credit: ({ _tag }) => (_tag === "Succeeded" ? 0.3 : 0)
      })
  },
  {
    // Hardly a token comes in by time, and none by successes: each token that is lost shows.
    name: "fixed without a wait",
    limits: { burst: 4, perSecond: 0.001 },
    make: (name) => fixed("RedisBucket.fixed", { name, rate: 0.001, burst: 4, leaseShare: 0.4, whenShort: "refuse" }),
    makeModel: () => Models.tokens({ capacity: 4, refillPerSecond: 0.001, cost: () => 1, credit: () => 0 })
  },
  {
    name: "fixed",
    limits: { burst: 2, perSecond: 0.2 },
    make: (name) => fixed("RedisBucket.fixed", { name, rate: 0.2, burst: 2, maxWait: "2 seconds" }),
    makeModel: () => Models.tokens({ capacity: 2, refillPerSecond: 0.2, cost: () => 1, credit: () => 0 })
  }
]

const runs = 40

describe("shared buckets", () => {
  for (const modelled of models) {
    const seen: Models.Seen = { granted: 0, refunded: 0, refused: 0 }

    it.prop(
      `${modelled.name} of two processes grants what its model allows at most, and loses nothing, on any path`,
      [Models.commands],
      ([path]) => {
        const faults = Models.run(watch(modelled), path, seen)
        if (faults.length > 0) expect(faults).toEqual([])
      },
      law(runs)
    )

    it(`${modelled.name} was granted, refused and interrupted on those paths`, () => {
      expect(Math.min(seen.granted, 20 * seen.refused, 20 * seen.refunded)).toBeGreaterThan(runsOf(runs))
    })
  }
})
