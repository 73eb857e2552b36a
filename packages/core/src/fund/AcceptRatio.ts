/**
 * Client-side throttling by the share of attempts that the server accepts: what it would reject is not sent.
 */
import type { Context, Duration } from "effect"
import { Effect, Layer, Random } from "effect"
import * as Argument from "../accept/InvalidArgument.ts"
import type { SendRate } from "./SendRate.ts"
import * as SlidingWindow from "./SlidingWindow.ts"
import * as Timed from "./Timed.ts"

/**
 * In the words of the SRE book.
 *
 * @category models
 */
export interface AcceptRatio {
  /** Attempts per accepted one that are let through: the lower, the more is rejected here. At least 1. @default 2 */
  readonly K?: number
  /** How long an attempt counts. At least 1 second. @default 2 minutes */
  readonly window?: Duration.DurationInput
  /**
   * What a failure other than a throttle says about the server. The book counts what was rejected for overload; count
   * failures as rejected where an overloaded server answers with errors, or not at all.
   *
   * @default "accepted"
   */
  readonly failures?: "accepted" | "rejected"
}

interface Counted {
  readonly requests: SlidingWindow.SlidingWindow
  readonly accepts: SlidingWindow.SlidingWindow
}

const owner = "SendRate.layerAcceptRatio"

/**
 * The chance that an attempt is rejected here. Formula: `max(0, (requests - K * accepts) / (requests + 1))`.
 *
 * @category destructors
 */
export const chanceOfRejection = (requests: number, accepts: number, K: number): number =>
  Math.max(0, (requests - K * accepts) / (requests + 1))

/**
 * @category constructors
 */
export const makeAcceptRatio = (options: AcceptRatio = {}): Effect.Effect<SendRate> => {
  const K = Argument.number(owner, "K", options.K ?? 2, { min: 1 })
  const windowMillis = Argument.millis(owner, "window", options.window ?? "2 minutes", { min: 1000 })
  const failures = Argument.oneOf(owner, "failures", options.failures ?? "accepted", ["accepted", "rejected"])
  const empty = SlidingWindow.make(windowMillis)
  return Effect.map(
    Timed.make((): Counted => ({ requests: empty, accepts: empty })),
    ({ modify }) => {
      const change = <A>(f: (counted: Counted) => readonly [A, Counted]) =>
        modify(({ accepts, requests }, now) =>
          f({ requests: SlidingWindow.advanced(requests, now), accepts: SlidingWindow.advanced(accepts, now) })
        )
      // Counted whether it is sent or not.
      const request = change(({ accepts, requests }) => [
        chanceOfRejection(SlidingWindow.sum(requests), SlidingWindow.sum(accepts), K),
        { requests: SlidingWindow.added(requests, 1), accepts }
      ])
      const accept = change((counted) => [undefined, { ...counted, accepts: SlidingWindow.added(counted.accepts, 1) }])
      const acquire = Effect.flatMap(request, (chance) =>
        chance === 0 ? Effect.succeed(true) : Effect.map(Random.next, (u) => u >= chance)
      )
      return {
        acquire: () => acquire,
        heard: (result) =>
          result === "Succeeded" || (result === "Failed" && failures === "accepted") ? accept : Effect.void,
        isFresh: change((counted) => [SlidingWindow.sum(counted.requests) === 0, counted])
      }
    }
  )
}

/**
 * Client-side throttling by the share of accepted attempts, behind a tag.
 *
 * Formula: an attempt is refused with the chance `max(0, (requests - K * accepts) / (requests + 1))`, counted over the
 * window, refused attempts included. The chance stays below 1, so some attempts always find out whether the server is
 * back. Never waits. Draws from `Random` only where the chance is above 0.
 * Source: "Site Reliability Engineering", chapter "Handling Overload", "Client-Side Throttling",
 * https://sre.google/sre-book/handling-overload/, with its K and its two minutes, read 2026-11-20.
 *
 * @category layers
 */
export const layerAcceptRatio = <I>(tag: Context.Tag<I, SendRate>, options: AcceptRatio = {}): Layer.Layer<I> =>
  Layer.effect(tag, makeAcceptRatio(options))
