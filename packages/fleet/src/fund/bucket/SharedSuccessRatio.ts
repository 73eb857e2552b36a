/**
 * A retry budget that is a share of the successes, for a fleet.
 */
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { FleetBucket, FleetOptions, FleetStore } from "../fleet/FleetBucket.ts"
import * as Lease from "../lease/Lease.ts"
import * as LocalShare from "./LocalShare.ts"
import * as SharedLimits from "./SharedLimits.ts"

/**
 * The options of a shared success ratio, in tokens of the whole fleet.
 *
 * @category models
 */
export interface Options extends FleetOptions {
  /** Tokens that a success adds: 0.1 for one retry per ten successes. At least 0. */
  readonly ratio: number
  /** The largest number of retries that the fleet can make without a success; also the initial level. At least 1. */
  readonly capacity: number
  /** Retries per second that the fleet is granted even without successes. Above 0. */
  readonly floorPerSecond: number
}

/**
 * The success ratio that `RedisBucket.successRatio` describes, over any store.
 *
 * @category constructors
 */
export const successRatio = (
  owner: string,
  options: Options
): (<E>(fleet: FleetStore<E>) => Effect.Effect<FleetBucket<E>, never, Scope.Scope>) => {
  const { limits, members, settings } = SharedLimits.check<Options>(owner, options, {
    burst: "capacity",
    leastBurst: { min: 1 },
    perSecond: "floorPerSecond",
    others: ["ratio"]
  })
  const ratio = Argument.number(owner, "ratio", options.ratio, { min: 0 })
  return (fleet) =>
    Effect.map(
      Lease.make({ fleet, settings, limits, maxWait: Option.none(), dearest: 1 }),
      ({ acquire, keep, level }) => ({
        acquire: (request) => acquire(1, request),
        record: (outcome) => (outcome._tag === "Succeeded" ? keep(ratio) : Effect.void),
        level,
        localShare: Effect.suspend(() =>
          LocalShare.rate({ members, store: fleet.store, limits, maxWait: Option.none() })
        )
      })
    )
}
