/**
 * Buckets over a specification store, for tests in virtual time.
 */
import { Effect } from "effect"
import type { FleetBucket, FleetStore } from "../../src/fund/FleetBucket.ts"
import * as SpecStore from "../SpecStore.ts"

/** How the store of a test fails. */
export type StoreError = "away" | "timed out"

export const fleetOf = <E = never>(store: SpecStore.SpecStore<E>): FleetStore<E | StoreError> => ({
  store,
  timedOut: () => "timed out"
})

/** A bucket in a store that it has for itself. */
export const alone = <E>(make: (fleet: FleetStore<StoreError>) => Effect.Effect<FleetBucket<E>, never, never>) =>
  Effect.suspend(() => make(fleetOf(SpecStore.make())))
