import { SharedBucket } from "@effect-retry/fleet"
import * as PostgresBucket from "@effect-retry/fleet/PostgresBucket"
import * as RedisBucket from "@effect-retry/fleet/RedisBucket"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as SpecStore from "../../SpecStore.ts"
import * as VirtualStores from "../../VirtualStores.ts"
import { store } from "./Contracts.ts"
import * as Fairness from "./Fairness.ts"
import { fleetOf, inVirtualTime } from "./Shared.ts"

const cost = { Throttling: 1, Timeout: 5, Server: 20, orElse: 14 }

const cheapest: Fairness.Process = { kind: "Throttling", waiting: 4 }
const cheap: Fairness.Process = { kind: "Timeout", waiting: 2 }
const dear: Fairness.Process = { kind: "Transient", waiting: 2 }
const dearest: Fairness.Process = { kind: "Server", waiting: 2 }

const many = (count: number, process: Fairness.Process) => Array.from({ length: count }, () => process)

interface Mix {
  readonly name: string
  readonly capacity: number
  readonly leaseShare: number
  readonly processes: ReadonlyArray<Fairness.Process>
}

const mixes: ReadonlyArray<Mix> = [
  { name: "a dear one beside three cheap ones", capacity: 70, leaseShare: 0.1, processes: [dear, ...many(3, cheap)] },
  { name: "the same without leases", capacity: 70, leaseShare: 0, processes: [dear, ...many(3, cheap)] },
  { name: "a dear one beside the cheapest", capacity: 70, leaseShare: 0.1, processes: [dear, ...many(3, cheapest)] },
  {
    name: "one of each cost, the dearest of which is all of the bucket",
    capacity: 20,
    leaseShare: 0.1,
    processes: [dearest, dear, cheap, cheapest]
  },
  {
    name: "a dear one beside nineteen cheap ones",
    capacity: 70,
    leaseShare: 0.1,
    processes: [dear, ...many(19, cheap)]
  },
  { name: "twenty dear ones", capacity: 70, leaseShare: 0.1, processes: many(20, dear) }
]

const refillPerSecond = 10
const seconds = 120

const options = ({ capacity, leaseShare, name }: Mix) => ({
  name,
  capacity,
  refillPerSecond,
  cost,
  leaseShare,
  whenShort: "wait" as const
})

/** Each has a fourth of its equal share at least, in tokens, and all together what there is. */
const assertFair = (shares: ReadonlyArray<number>) => {
  const all = refillPerSecond * seconds
  for (const share of shares) expect(share).toBeGreaterThanOrEqual(all / shares.length / 4)
  expect(shares.reduce((sum, share) => sum + share)).toBeGreaterThanOrEqual(0.9 * all)
}

describe("processes whose attempts always wait", () => {
  it.effect.each(mixes)("all get tokens: $name", (mix) =>
    Effect.gen(function* () {
      const store = SpecStore.make((decide) => Effect.delay(decide, "1 millis"))
      const make = SharedBucket.quota("RedisBucket.quota", options(mix))(fleetOf(store))
      assertFair(yield* Fairness.shares(make, mix.processes, seconds))
    }).pipe(inVirtualTime)
  )

  const redis = store(VirtualStores.redis)
  const postgres = store(VirtualStores.postgres)
  const [mix] = mixes as [Mix, ...ReadonlyArray<Mix>]

  it.effect("all get tokens of Redis, at unequal costs", () =>
    Effect.map(Fairness.shares(RedisBucket.quota(options(mix)), mix.processes, seconds), assertFair).pipe(
      Effect.provide(redis),
      inVirtualTime
    )
  )

  it.effect("all get tokens of Postgres, at unequal costs", () =>
    Effect.map(Fairness.shares(PostgresBucket.quota(options(mix)), mix.processes, seconds), assertFair).pipe(
      Effect.provide(postgres),
      inVirtualTime
    )
  )
})
