/**
 * Client-side throttling by the share of attempts that the server accepts: attempts that it would probably reject are
 * not made.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Argument from "../../accept/Argument.ts"
import * as Outcomes from "../port/Outcomes.ts"
import type { Outcome, TokenBucket } from "../port/Port.ts"
import * as Priority from "../port/Priority.ts"
import * as Rejection from "../count/Rejection.ts"
import * as SlidingWindow from "../count/SlidingWindow.ts"
import * as TimedRef from "../store/TimedRef.ts"

/** The options of `acceptRatio`, named as in the SRE book where the book has a name. */
interface Options {
  /** How many attempts are let through per accepted attempt; a lower number refuses more. At least 1. @default 2 */
  readonly K?: number
  /** How long an attempt counts. At least 1 second. @default 2 minutes */
  readonly window?: Duration.DurationInput
  /** The highest probability that an attempt is refused, 0..1. @default 1 */
  readonly maxRejectionProbability?: number
  /**
   * How a failure other than a throttle counts. The book counts only rejections for overload; choose "rejected" if an
   * overloaded server answers with errors, or not at all.
   *
   * @default "accepted"
   */
  readonly failures?: "accepted" | "rejected"
}

interface Counted {
  readonly requests: SlidingWindow.SlidingWindow
  readonly accepts: SlidingWindow.SlidingWindow
  /** The requests of each priority level; empty while every request has the level `default`. */
  readonly levels: ReadonlyArray<SlidingWindow.SlidingWindow>
}

const owner = "RateLimiter.acceptRatio"

const advanced = ({ accepts, levels, requests }: Counted, nowMillis: number): Counted => ({
  requests: SlidingWindow.advanced(requests, nowMillis),
  accepts: SlidingWindow.advanced(accepts, nowMillis),
  levels: levels.length === 0 ? levels : levels.map((level) => SlidingWindow.advanced(level, nowMillis))
})

/** The level of all requests while levels are not counted. */
const standard = Priority.levels.indexOf("default")

/** The requests of each level. */
const byLevel = ({ levels, requests }: Counted, empty: SlidingWindow.SlidingWindow): Counted["levels"] =>
  levels.length > 0 ? levels : Priority.levels.map((_, level) => (level === standard ? requests : empty))

/** Changes the count of a level, if levels are counted. */
const changed = (
  levels: Counted["levels"],
  level: number,
  f: (own: SlidingWindow.SlidingWindow) => SlidingWindow.SlidingWindow
): Counted["levels"] => (levels.length === 0 ? levels : levels.map((own, at) => (at === level ? f(own) : own)))

/**
 * Client-side throttling by the share of accepted attempts.
 *
 * Formula: an attempt is refused with probability `max(0, (requests - K * accepts) / (requests + 1))`, counted over the
 * window, refused attempts included, and at most `maxRejectionProbability`. The probability stays below 1, so some
 * attempts always get through and find out whether the server is back. If attempts have different levels of
 * `TokenBucket.Priority`, the same number is refused, the lowest levels first. Never waits. Draws from `Random` only if
 * the probability is above 0. Its level is the number of attempts that would be granted without a draw. Source: "Site
 * Reliability Engineering", chapter "Handling Overload", "Client-Side Throttling",
 * https://sre.google/sre-book/handling-overload/, with its K and its two minutes, read 2026-11-20;
 * `maxRejectionProbability` is Envoy's `max_rejection_probability`.
 *
 * @category constructors
 */
export const acceptRatio = (options: Options = {}): Effect.Effect<TokenBucket> => {
  const given = Argument.options(owner, "{ K: 2 }", options, {
    K: false,
    window: false,
    maxRejectionProbability: false,
    failures: false
  })
  const K = Argument.number(owner, "K", given.K ?? 2, { min: 1 })
  const windowMillis = Argument.millis(owner, "window", options.window ?? "2 minutes", { min: 1000 })
  const maxChance = Argument.number(owner, "maxRejectionProbability", options.maxRejectionProbability ?? 1, {
    min: 0,
    max: 1
  })
  const failures = Argument.oneOf(owner, "failures", options.failures ?? "accepted", ["accepted", "rejected"])
  const isAccepted = (outcome: Outcome): boolean =>
    outcome._tag === "Succeeded" ||
    (outcome._tag === "Failed" && failures === "accepted" && !Outcomes.isThrottled(outcome))
  const empty = SlidingWindow.make(windowMillis)
  const chance = ({ accepts, levels, requests }: Counted, level: number): number => {
    const ofAll = Rejection.chance(SlidingWindow.sum(requests), SlidingWindow.sum(accepts), K)
    if (ofAll === 0 || levels.length === 0) return Math.min(maxChance, ofAll)
    return Math.min(maxChance, Rejection.chanceOfLevel(ofAll, levels.map(SlidingWindow.sum), level))
  }
  return Effect.map(TimedRef.makeUnread<Counted>({ requests: empty, accepts: empty, levels: [] }), (self) => {
    // Counted whether or not it is granted.
    const request = TimedRef.modify(self, (before, now) => {
      const level = Priority.currentLevel()
      const advancedTo = advanced(before, now)
      const { accepts, requests } = advancedTo
      const levels =
        level === standard && before.levels.length === 0
          ? before.levels
          : byLevel(advancedTo, SlidingWindow.advanced(empty, now))
      const after = {
        accepts,
        requests: SlidingWindow.added(requests, 1),
        levels: changed(levels, level, (own) => SlidingWindow.added(own, 1))
      }
      return [{ chance: chance({ accepts, requests, levels }, level), level, slot: requests.newest }, after]
    })
    const refund = (slot: number, level: number) =>
      TimedRef.modify(self, (before, now) => {
        const { accepts, levels, requests } = advanced(before, now)
        const without = (own: SlidingWindow.SlidingWindow) => SlidingWindow.removed(own, slot, 1)
        return [undefined, { accepts, requests: without(requests), levels: changed(levels, level, without) }]
      })
    const accept = TimedRef.modify(self, (before, now) => {
      const counted = advanced(before, now)
      return [undefined, { ...counted, accepts: SlidingWindow.added(counted.accepts, 1) }]
    })
    const acquire = Effect.flatMap(request, ({ chance, level, slot }) => {
      const granted = Option.some({ tokens: 1, refund: refund(slot, level) })
      if (chance === 0) return Effect.succeed(granted)
      return Effect.map(Random.next, (u) => (u >= chance ? granted : Option.none()))
    })
    return {
      acquire: () => acquire,
      record: (outcome) => (isAccepted(outcome) ? accept : Effect.void),
      level: TimedRef.modify(self, (before, now) => {
        const { accepts, requests } = advanced(before, now)
        return [Math.max(0, 1 + K * SlidingWindow.sum(accepts) - SlidingWindow.sum(requests)), before]
      })
    }
  })
}
