/**
 * A fixed rate of attempts, for a fleet.
 */
import * as Waiting from "@effect-retry/core/unstable/Waiting"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { FleetBucket, FleetOptions, FleetStore } from "../fleet/FleetBucket.ts"
import * as Lease from "../lease/Lease.ts"
import * as LocalShare from "./LocalShare.ts"
import * as SharedLimits from "./SharedLimits.ts"

/**
 * The options of a shared fixed rate, in attempts of the whole fleet.
 *
 * @category models
 */
export interface Options extends FleetOptions, Waiting.Options {
  /** Attempts per second. */
  readonly rate: number
  /** How many attempts can be made at once at the start and after a pause. At least 1. */
  readonly burst: number
}

/**
 * The fixed rate that `RedisBucket.fixed` describes, over any store.
 *
 * @category constructors
 */
export const fixed = (
  owner: string,
  options: Options
): (<E>(fleet: FleetStore<E>) => Effect.Effect<FleetBucket<E>, never, Scope.Scope>) => {
  const { limits, members, settings } = SharedLimits.check<Options>(owner, options, {
    burst: "burst",
    leastBurst: { min: 1 },
    perSecond: "rate",
    others: ["whenShort", "maxWait"]
  })
  const maxWait = Waiting.check(owner, options, "wait")
  return (fleet) =>
    Effect.map(Lease.make({ fleet, settings, limits, maxWait, dearest: 1 }), ({ acquire, level }) => ({
      acquire: (request) => acquire(1, request),
      record: () => Effect.void,
      level,
      localShare: Effect.suspend(() => LocalShare.rate({ members, store: fleet.store, limits, maxWait }))
    }))
}
