/**
 * The retry throttling of gRPC, with one count for a fleet.
 */
import * as GrpcCount from "@effect-retry/core/GrpcCount"
import { unlimited } from "@effect-retry/core/TokenBucket"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { FleetBucket, FleetOptions, FleetStore } from "./FleetBucket.ts"
import * as Fleet from "./FleetBucket.ts"

/**
 * The options of a shared gRPC throttle, in tokens of the whole fleet.
 *
 * @category models
 */
export interface Options extends Omit<FleetOptions, "leaseShare">, GrpcCount.Options {}

/**
 * @category constructors
 */
export const grpcThrottle = (
  owner: string,
  options: Options
): (<E>(fleet: FleetStore<E>) => Effect.Effect<FleetBucket<E>, never, Scope.Scope>) => {
  const settings = Fleet.check(owner, options)
  const { capacity } = GrpcCount.check(owner, options)
  return (fleet) =>
    Effect.succeed({
      acquire: unlimited.acquire,
      record: () => Effect.void,
      level: Effect.succeed(capacity / GrpcCount.token),
      localShare: Fleet.localShare(fleet, settings, { burst: capacity / GrpcCount.token, perSecond: 0 })
    })
}
