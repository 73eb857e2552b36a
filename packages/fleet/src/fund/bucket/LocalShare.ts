/**
 * The bucket that a process uses instead of a shared one while the store is away: with its share of the rate and the burst.
 *
 * A share is of the same kind as the shared bucket. Outcomes return only tokens that it granted itself: what a success
 * adds goes to the shared bucket, which keeps it while the store is away, so it is not added twice.
 */
import * as Argument from "@effect-retry/core/unstable/Argument"
import { longestTimerMillis } from "@effect-retry/core/unstable/Millis"
import { fallback, Key, type Request, type TokenBucket } from "@effect-retry/core/TokenBucket"
import { dual, type Given } from "@effect-retry/core/unstable/Dual"
import * as TokenStore from "@effect-retry/core/unstable/TokenStore"
import type * as Waiting from "@effect-retry/core/unstable/Waiting"
import type * as Cause from "effect/Cause"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Share from "../../decide/Share.ts"
import type { FleetBucket } from "../fleet/FleetBucket.ts"
import type { Members } from "../fleet/Members.ts"
import type { Limits, Store } from "../store/Store.ts"

type LocalShare = FleetBucket<unknown>["localShare"]

/** The options of the shares that hold tokens. */
interface Holding {
  readonly members: Members
  readonly store: Store<unknown>
  /** The limits of the whole fleet. */
  readonly limits: Limits
  readonly maxWait: Waiting.MaxWait
}

/** The options of `quota`. */
interface Quota extends Holding {
  readonly costOf: (request: Request) => number
  /** The cost of the most expensive attempt. */
  readonly dearest: number
}

/** The share of a quota. A success returns what its retry cost. */
export const quota = ({ costOf, dearest, ...holding }: Quota): LocalShare =>
  Effect.map(holdingShare(holding, dearest, costOf), ({ acquire, level, put }) => ({
    acquire,
    record: (outcome) =>
      outcome._tag === "Succeeded" && outcome.granted.tokens > 0 ? put(outcome.granted.tokens) : Effect.void,
    level
  }))

/**
 * The share of a bucket in which every attempt takes one token and outcomes change nothing: a fixed rate, or the floor
 * of a success ratio.
 */
export const rate = (holding: Holding): LocalShare =>
  Effect.map(holdingShare(holding, 1), ({ acquire, level }) => ({
    acquire,
    record: () => Effect.void,
    level
  }))

interface Held extends Pick<TokenStore.TokenStore<Share.Share>, "acquire" | "level"> {
  readonly put: (tokens: number) => Effect.Effect<void>
}

const holdingShare = (
  { limits, maxWait, members, store }: Holding,
  least: number,
  costOf = (_request: Request): number => 1
): Effect.Effect<Held, never, Scope.Scope> => {
  const whole = { ...limits, least }
  const makeFor = (sharers: number) =>
    TokenStore.make<Share.Share>(
      {
        initial: (nowMillis) => Share.make(whole, sharers, nowMillis),
        costOf,
        take: (share, nowMillis, cost) => {
          const after = Share.taken(share, nowMillis, cost)
          return Option.isSome(after) ? [cost, after.value] : undefined
        },
        put: Share.put,
        millisUntil: Share.millisUntil,
        level: Share.level
      },
      maxWait
    )
  return Effect.gen(function* () {
    const member = yield* members.join(store, yield* Key)
    const { acquire, change, level } = yield* makeFor(member.sharers())
    yield* member.follow(change((share, now, sharers: number) => Share.resized(share, whole, sharers, now)))
    return { acquire, level, put: change(Share.put) }
  })
}

/** The options of `orLocalShare`. */
interface OrLocalShare<in E> {
  /** The longest time for one call of the shared bucket, waits for tokens included. */
  readonly within: Duration.DurationInput
  /** Called for each call that failed, died or took too long, in a separate fiber. */
  readonly onFailure?: ((cause: Cause.Cause<E | Cause.TimeoutException>) => Effect.Effect<void>) | undefined
}

/**
 * Uses the process's own share of the bucket if the store fails or does not answer within the bound:
 * `TokenBucket.fallback` to `localShare`, for `Effect.flatMap`.
 *
 * From then on the process sends heartbeats, and its share is `1 / n` of the bucket, where `n` is the number of members
 * found by its latest heartbeat. If all members know each other, the shares together grant at most what one bucket with
 * the fleet's limits does, besides what was granted before the store went away. A process that could never ask the
 * store assumes that it is alone.
 *
 * @category combinators
 */
export function orLocalShare<E>(
  options: OrLocalShare<E>
): (self: FleetBucket<E>) => Effect.Effect<TokenBucket, never, Scope.Scope>
export function orLocalShare<E>(
  self: FleetBucket<E>,
  options: OrLocalShare<E>
): Effect.Effect<TokenBucket, never, Scope.Scope>
export function orLocalShare(...given: Given): any {
  return dual(
    given,
    <E>(
      self: FleetBucket<E>,
      { onFailure, within }: OrLocalShare<E>
    ): Effect.Effect<TokenBucket, never, Scope.Scope> => {
      const range = { min: 0, exclusive: true, max: longestTimerMillis }
      const withinMillis = Argument.millis("orLocalShare", "within", within, range)
      return Effect.map(self.localShare, (local) => fallback(self, { within: withinMillis, local, onFailure }))
    }
  )
}
