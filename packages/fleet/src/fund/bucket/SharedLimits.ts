/**
 * What buckets with a rate and a burst share before they have a store.
 */
import type * as Argument from "@effect-retry/core/unstable/Argument"
import type { FleetOptions, Settings } from "../fleet/FleetBucket.ts"
import * as Fleet from "../fleet/FleetBucket.ts"
import * as Members from "../fleet/Members.ts"
import type { Limits } from "../store/Store.ts"

/** The option names of a bucket. */
export interface Fields<Options extends FleetOptions> {
  readonly burst: Numbers<Options>
  readonly leastBurst: Argument.Range
  readonly perSecond: Numbers<Options>
  readonly others: ReadonlyArray<keyof Options & string>
}

type Numbers<Options> = { [K in keyof Options]: Options[K] extends number ? K : never }[keyof Options] & string

/** The checked options. */
export interface SharedLimits {
  readonly settings: Settings
  readonly limits: Limits
  readonly members: Members.Members
}

/** Checks the options. */
export const check = <Options extends FleetOptions>(
  owner: string,
  options: Options,
  { burst, leastBurst, others, perSecond }: Fields<Options>
): SharedLimits => {
  const settings = Fleet.check(owner, options, [burst, perSecond, ...others])
  const named = (field: Numbers<Options>) => ({ field, value: options[field] as number })
  const limits = Fleet.checkLimits(owner, named(burst), named(perSecond), leastBurst)
  return { settings, limits, members: Members.make(settings) }
}
