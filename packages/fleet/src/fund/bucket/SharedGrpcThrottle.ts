/**
 * The retry throttling of gRPC, with one count for a fleet.
 */
import * as AtOnce from "@effect-retry/core/unstable/AtOnce"
import * as GrpcCount from "@effect-retry/core/unstable/GrpcCount"
import { type Grant, Key, type TokenBucket } from "@effect-retry/core/TokenBucket"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as SharedCount from "./SharedCount.ts"
import type { FleetBucket, FleetOptions, FleetStore } from "../fleet/FleetBucket.ts"
import * as Fleet from "../fleet/FleetBucket.ts"
import * as LocalShare from "./LocalShare.ts"
import * as Members from "../fleet/Members.ts"

/**
 * The options of a shared gRPC throttle, in tokens of the whole fleet.
 *
 * @category models
 */
export interface Options extends Omit<FleetOptions, "leaseShare">, GrpcCount.Options {}

const free: Exit.Exit<Option.Option<Grant>> = /*#__PURE__*/ Exit.succeed(
  Option.some({ tokens: 0, refund: Effect.void })
)

const refused: Exit.Exit<Option.Option<Grant>> = /*#__PURE__*/ Exit.succeed(Option.none())

/**
 * The gRPC throttle that `RedisBucket.grpcThrottle` describes, over any store.
 *
 * @category constructors
 */
export const grpcThrottle = (
  owner: string,
  options: Options
): (<E>(fleet: FleetStore<E>) => Effect.Effect<FleetBucket<E>, never, Scope.Scope>) => {
  const settings = Fleet.check(owner, options, ["maxTokens", "tokenRatio", "counts"])
  const rules = GrpcCount.check(owner, options)
  const { capacity, counts, ratio } = rules
  const members = Members.make(settings)
  return <E>(fleet: FleetStore<E>) =>
    Effect.gen(function* () {
      const key = yield* Key
      const count = yield* SharedCount.make({ fleet, settings, key, capacity })
      const acquire = AtOnce.suspend((): Exit.Exit<Option.Option<Grant>, E> => {
        const { cause, level } = count.known()
        if (Option.isSome(cause)) return Exit.failCause(cause.value)
        if (level <= capacity / 2) return refused
        count.granted()
        return free
      })
      const credit = count.change(ratio)
      const charge = count.change(-GrpcCount.token)
      const record: TokenBucket["record"] = (outcome) => {
        if (outcome._tag === "Succeeded") return credit
        return outcome._tag === "Failed" && counts(outcome.verdict) ? charge : Effect.void
      }
      return {
        acquire: () => acquire,
        record,
        level: count.level,
        localShare: Effect.suspend(() => LocalShare.grpcThrottle({ members, store: fleet.store, count: rules }))
      }
    })
}
