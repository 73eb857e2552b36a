/**
 * The port to a budget of retries: may this retry be made?
 *
 * Buckets bound what retries add to the load of a server that is already in trouble. A bucket is a service behind a
 * Layer; its state is shared by all programs that share the layer. It knows tokens and kinds, no protocol.
 */
import type { Duration, Option } from "effect"
import { Context, Effect, Layer, Stream } from "effect"
import type { Kind } from "../classify/Verdict.ts"

export { type GrpcThrottle, layerGrpcThrottle, makeGrpcThrottle } from "./GrpcThrottle.ts"
export { Key } from "./Key.ts"
export {
  type ChargingKeyed,
  type Keyed,
  layerChargingKeyed,
  layerKeyed,
  makeChargingKeyed,
  makeKeyed
} from "./KeyedBucket.ts"
export {
  type ChargingQuota,
  layerChargingQuota,
  layerQuota,
  makeChargingQuota,
  makeQuota,
  type Quota
} from "./QuotaBucket.ts"
export {
  layerRequestRatio,
  layerSuccessRatio,
  makeRequestRatio,
  makeSuccessRatio,
  type RequestRatio,
  type SuccessRatio
} from "./RatioBucket.ts"

/**
 * How an attempt ended, as buckets see it.
 *
 * @category models
 */
export type Ended =
  /** `cost` is what the attempt took, in tokens; zero for a first one, but under a `ChargingBucket`. */
  | { readonly _tag: "Succeeded"; readonly attempt: number; readonly cost: number }
  /** `kind` is `None` for a failure that is not retryable. */
  | { readonly _tag: "Failed"; readonly attempt: number; readonly kind: Option.Option<Kind> }

/**
 * Gives a wait the interruptibility it had outside.
 *
 * @category models
 */
export type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * A budget of retries.
 *
 * @category models
 */
export interface RetryBucket {
  /**
   * Takes the cost of a retry after a failure of `kind` and answers with it, in tokens; or takes nothing: `None`.
   *
   * Runs uninterruptibly, so that what is taken is also answered. A bucket that waits wraps the wait in `restore`, and
   * waits at most `atMost`: what the deadline leaves for it.
   */
  readonly take: (kind: Kind, restore: Restore, atMost?: Duration.Duration) => Effect.Effect<Option.Option<number>>
  /** Takes back the tokens of a retry that was granted and never sent. */
  readonly giveBack: (cost: number) => Effect.Effect<void>
  /** Hears how an attempt ended, once for each that did. */
  readonly ended: (ended: Ended) => Effect.Effect<void>
  /** Tokens at this moment, and as they change. A `SubscriptionRef` is one. */
  readonly level: Level
  /** Whether a new bucket would be no different: tells a keyed layer what it may drop. @default a level as high */
  readonly isFresh?: Effect.Effect<boolean>
  /** A bucket that charges first attempts is another type, since it can fail an operation. */
  readonly takeFirst?: never
}

/**
 * A bucket that charges first attempts too. A policy with one may fail with `SendRefused`.
 *
 * @category models
 */
export interface ChargingBucket extends Omit<RetryBucket, "takeFirst"> {
  /** Takes the cost of a first attempt and answers with it, or takes nothing; otherwise like `take`. */
  readonly takeFirst: (restore: Restore, atMost?: Duration.Duration) => Effect.Effect<Option.Option<number>>
}

/**
 * Whether a bucket charges first attempts.
 *
 * @category guards
 */
export const isCharging = (self: RetryBucket | ChargingBucket): self is ChargingBucket => self.takeFirst !== undefined

/**
 * A number of tokens that can be read and followed.
 *
 * @category models
 */
export interface Level {
  readonly get: Effect.Effect<number>
  /** The level now and after every change. */
  readonly changes: Stream.Stream<number>
}

/**
 * The bucket of an application that needs just one. Declare tags of your own where a program holds several.
 *
 * @category models
 */
export class Default extends Context.Tag("@effect-retry/core/RetryBucket")<Default, RetryBucket>() {}

/**
 * Grants every retry for nothing.
 *
 * @category constructors
 */
export const unlimited: RetryBucket = {
  take: () => Effect.succeedSome(0),
  giveBack: () => Effect.void,
  ended: () => Effect.void,
  level: { get: Effect.succeed(Infinity), changes: Stream.make(Infinity) }
}

/**
 * Grants no retry.
 *
 * @category constructors
 */
export const empty: RetryBucket = {
  ...unlimited,
  take: () => Effect.succeedNone,
  level: { get: Effect.succeed(0), changes: Stream.make(0) }
}

/**
 * `unlimited` behind a tag.
 *
 * @category layers
 */
export const layerUnlimited = <I>(tag: Context.Tag<I, RetryBucket>): Layer.Layer<I> => Layer.succeed(tag, unlimited)

/**
 * `empty` behind a tag.
 *
 * @category layers
 */
export const layerEmpty = <I>(tag: Context.Tag<I, RetryBucket>): Layer.Layer<I> => Layer.succeed(tag, empty)
