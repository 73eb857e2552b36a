/**
 * Client-side throttling by the share of attempts that the server accepts: attempts it would likely reject are not made.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Argument from "../../accept/Argument.ts"
import * as Outcomes from "../port/Outcomes.ts"
import type { Outcome, TokenBucket } from "../port/Port.ts"
import * as SlidingWindow from "../count/SlidingWindow.ts"
import * as TimedRef from "../store/TimedRef.ts"

/** The options of `acceptRatio`, in the words of the SRE book as far as it has them. */
interface Options {
  /** Attempts per accepted one that are let through: the lower, the more are refused. At least 1. @default 2 */
  readonly K?: number
  /** How long an attempt counts. At least 1 second. @default 2 minutes */
  readonly window?: Duration.DurationInput
  /** The greatest chance that an attempt is refused, 0..1. @default 1 */
  readonly maxRejectionProbability?: number
  /**
   * How a failure other than a throttle counts. The book counts rejections for overload only; count failures as rejected
   * where an overloaded server answers with errors, or not at all.
   *
   * @default "accepted"
   */
  readonly failures?: "accepted" | "rejected"
}

interface Counted {
  readonly requests: SlidingWindow.SlidingWindow
  readonly accepts: SlidingWindow.SlidingWindow
}

const owner = "RateLimiter.acceptRatio"

/** The chance that an attempt is refused. Formula: `max(0, (requests - K * accepts) / (requests + 1))`. */
export const chanceOfRejection = (requests: number, accepts: number, K: number): number =>
  Math.max(0, (requests - K * accepts) / (requests + 1))

const advanced = ({ accepts, requests }: Counted, nowMillis: number): Counted => ({
  requests: SlidingWindow.advanced(requests, nowMillis),
  accepts: SlidingWindow.advanced(accepts, nowMillis)
})

/**
 * Client-side throttling by the share of accepted attempts.
 *
 * Formula: an attempt is refused with the chance `max(0, (requests - K * accepts) / (requests + 1))`, counted over the
 * window, refused attempts included, and at most `maxRejectionProbability`. The chance stays below 1, so some attempts
 * always find out whether the server is back. Never waits. Draws from `Random` only where the chance is above 0. The level
 * is how many attempts would be made without a draw.
 * Source: "Site Reliability Engineering", chapter "Handling Overload", "Client-Side Throttling",
 * https://sre.google/sre-book/handling-overload/, with its K and its two minutes, read 2026-11-20;
 * `maxRejectionProbability` is Envoy's `max_rejection_probability`.
 *
 * @category constructors
 */
export const acceptRatio = (options: Options = {}): Effect.Effect<TokenBucket> => {
  const K = Argument.number(owner, "K", options.K ?? 2, { min: 1 })
  const windowMillis = Argument.millis(owner, "window", options.window ?? "2 minutes", { min: 1000 })
  const maxChance = Argument.number(owner, "maxRejectionProbability", options.maxRejectionProbability ?? 1, {
    min: 0,
    max: 1
  })
  const failures = Argument.oneOf(owner, "failures", options.failures ?? "accepted", ["accepted", "rejected"])
  const isAccepted = (outcome: Outcome): boolean =>
    outcome._tag === "Succeeded" ||
    (outcome._tag === "Failed" && failures === "accepted" && !Outcomes.isThrottled(outcome))
  const chance = ({ accepts, requests }: Counted): number =>
    Math.min(maxChance, chanceOfRejection(SlidingWindow.sum(requests), SlidingWindow.sum(accepts), K))
  const empty = SlidingWindow.make(windowMillis)
  return Effect.map(TimedRef.makeUnread<Counted>({ requests: empty, accepts: empty }), ({ modify }) => {
    // Counted whether it is granted or not.
    const request = modify((before, now) => {
      const counted = advanced(before, now)
      const after = { ...counted, requests: SlidingWindow.added(counted.requests, 1) }
      return [{ chance: chance(counted), slot: counted.requests.newest }, after]
    })
    const refund = (slot: number) =>
      modify((before, now) => {
        const { accepts, requests } = advanced(before, now)
        return [undefined, { accepts, requests: SlidingWindow.removed(requests, slot, 1) }]
      })
    const accept = modify((before, now) => {
      const counted = advanced(before, now)
      return [undefined, { ...counted, accepts: SlidingWindow.added(counted.accepts, 1) }]
    })
    const acquire = Effect.flatMap(request, ({ chance, slot }) => {
      const granted = Option.some({ tokens: 1, refund: refund(slot) })
      if (chance === 0) return Effect.succeed(granted)
      return Effect.map(Random.next, (u) => (u >= chance ? granted : Option.none()))
    })
    return {
      acquire: () => acquire,
      record: (outcome) => (isAccepted(outcome) ? accept : Effect.void),
      level: modify((before, now) => {
        const { accepts, requests } = advanced(before, now)
        return [Math.max(0, 1 + K * SlidingWindow.sum(accepts) - SlidingWindow.sum(requests)), before]
      })
    }
  })
}
