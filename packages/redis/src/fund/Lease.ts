/**
 * Tokens of the store that a process holds.
 */
import type { Grant, Request, TokenBucket } from "@effect-retry/core/TokenBucket"
import type * as Waiting from "@effect-retry/core/Waiting"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { FleetStore, Settings } from "./FleetBucket.ts"
import type { Limits } from "./Store.ts"

/**
 * @category models
 */
export interface Lease<out E> extends Pick<TokenBucket<E>, "level"> {
  /** Takes `cost` tokens, or takes nothing and answers `None`. */
  readonly acquire: (cost: number, request: Request) => Effect.Effect<Option.Option<Grant>, E>
  /** Puts in tokens that are the fleet's: what is not used here goes to the store, late. */
  readonly put: (tokens: number) => Effect.Effect<void>
  /** Puts in tokens of this process alone, up to a lease. */
  readonly keep: (tokens: number) => Effect.Effect<void>
}

/**
 * @category constructors
 */
export const make = <E>(
  fleet: FleetStore<E>,
  settings: Settings,
  limits: Limits,
  _maxWait: Waiting.MaxWait
): Effect.Effect<Lease<E>, never, Scope.Scope> =>
  Effect.succeed({
    acquire: (cost) =>
      Effect.map(fleet.store.take(settings.name, limits, cost, cost), ({ granted }) =>
        granted > 0 ? Option.some({ tokens: granted, refund: Effect.void }) : Option.none()
      ),
    put: () => Effect.void,
    keep: () => Effect.void,
    level: fleet.store.level(settings.name, limits)
  })
