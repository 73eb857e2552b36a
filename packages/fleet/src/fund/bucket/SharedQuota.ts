/**
 * The retry quota of the AWS SDKs, shared by a fleet.
 */
import * as QuotaCost from "@effect-retry/core/unstable/QuotaCost"
import { kinds } from "@effect-retry/core/Verdict"
import * as Waiting from "@effect-retry/core/unstable/Waiting"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { FleetBucket, FleetOptions, FleetStore } from "../fleet/FleetBucket.ts"
import * as Lease from "../lease/Lease.ts"
import * as LocalShare from "./LocalShare.ts"
import * as SharedLimits from "./SharedLimits.ts"

/**
 * The options of a shared quota, in tokens of the whole fleet.
 *
 * @category models
 */
export interface Options extends FleetOptions, QuotaCost.Options, Waiting.Options {
  /** Above 0; also the level at the start. */
  readonly capacity: number
  /** Above 0, so that tokens lost with a process are refilled. */
  readonly refillPerSecond: number
  /** What happens when tokens are short: the retry is refused, or it waits for its turn. @default "refuse" */
  readonly whenShort?: "refuse" | "wait"
}

/**
 * The quota that `RedisBucket.quota` describes, over any store.
 *
 * @category constructors
 */
export const quota = (
  owner: string,
  options: Options
): (<E>(fleet: FleetStore<E>) => Effect.Effect<FleetBucket<E>, never, Scope.Scope>) => {
  const { limits, members, settings } = SharedLimits.check<Options>(owner, options, {
    burst: "capacity",
    leastBurst: { min: 0, exclusive: true },
    perSecond: "refillPerSecond",
    others: ["cost", "firstSuccessIncrement", "whenShort", "maxWait"]
  })
  const { costOf, increment } = QuotaCost.check(owner, limits.burst, options)
  const maxWait = Waiting.check(owner, options, "refuse")
  const dearest = dearestOf(costOf)
  return (fleet) =>
    Effect.map(Lease.make({ fleet, settings, limits, maxWait, dearest }), ({ acquire, credit, level, put }) => ({
      acquire: (request) => acquire(costOf(request), request),
      record: (outcome) => {
        if (outcome._tag !== "Succeeded") return Effect.void
        return outcome.attempt === 1 ? credit(increment) : put(outcome.granted.tokens)
      },
      level,
      localShare: Effect.suspend(() =>
        LocalShare.quota({ members, store: fleet.store, limits, maxWait, costOf, dearest })
      )
    }))
}

/** The cost of the most expensive attempt, in tokens. */
const dearestOf = (costOf: QuotaCost.QuotaCost["costOf"]): number =>
  Math.max(
    ...[1, 2].flatMap((attempt) => [Option.none(), ...kinds.map(Option.some)].map((kind) => costOf({ attempt, kind })))
  )
