/**
 * The port to a rate of sending: may this attempt be sent now?
 *
 * Asked before every attempt, also the first, and told the result of each. A send rate is a service behind a Layer; it
 * knows attempts and time, no protocol.
 */
import type { Duration, Option } from "effect"
import { Context, Effect, Layer } from "effect"

export { type AcceptRatio, chanceOfRejection, layerAcceptRatio, makeAcceptRatio } from "./AcceptRatio.ts"
export { type Adaptive, layerAdaptive, makeAdaptive } from "./AdaptiveRate.ts"
export * as Cubic from "./Cubic.ts"
export { type Fixed, layerFixed, makeFixed } from "./FixedRate.ts"
export { Key } from "./Key.ts"
export { type Keyed, layerKeyed, makeKeyed } from "./KeyedRate.ts"
export * as Line from "./Line.ts"

/**
 * What came back: `Throttled` is the server's wish for less.
 *
 * @category models
 */
export type Result = "Succeeded" | "Failed" | "Throttled"

/**
 * The attempt that wants to be sent.
 *
 * @category models
 */
export interface Wanted {
  /** Its number, from 1. */
  readonly attempt: number
  /** Time until the deadline, less what it reserves for an attempt; `None` without one. */
  readonly atMost: Option.Option<Duration.Duration>
}

/**
 * A rate of sending.
 *
 * @category models
 */
export interface SendRate {
  /** Waits until an attempt may be sent; answers `false`, at once, when it may not in the time there is. */
  readonly acquire: (wanted: Wanted) => Effect.Effect<boolean>
  /** Hears what an attempt came back with, once for each that was sent and ended. */
  readonly heard: (result: Result) => Effect.Effect<void>
  /**
   * Whether nobody waits and a new one would grant no more than this one: `layerKeyed` forgets only such. One that does
   * not say is kept.
   */
  readonly isFresh?: Effect.Effect<boolean>
}

/**
 * The send rate of an application that needs just one. Declare tags of your own where a program holds several.
 *
 * @category models
 */
export class Default extends Context.Tag("@effect-retry/core/SendRate")<Default, SendRate>() {}

/**
 * Sends everything at once.
 *
 * @category constructors
 */
export const unlimited: SendRate = {
  acquire: () => Effect.succeed(true),
  heard: () => Effect.void,
  isFresh: Effect.succeed(true)
}

/**
 * `unlimited` behind a tag.
 *
 * @category layers
 */
export const layerUnlimited = <I>(tag: Context.Tag<I, SendRate>): Layer.Layer<I> => Layer.succeed(tag, unlimited)
