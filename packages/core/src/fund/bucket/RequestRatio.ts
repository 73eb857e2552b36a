/**
 * A retry budget that is a share of the requests of a sliding window.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "../../accept/Argument.ts"
import * as Outcomes from "../port/Outcomes.ts"
import * as SlidingWindow from "../count/SlidingWindow.ts"
import * as TimedRef from "../store/TimedRef.ts"
import type { TokenBucket } from "../port/Port.ts"

/** The options of `requestRatio`. */
interface Options {
  /** Retries per request: 0 for the floor alone, 2 for two retries per request. At least 0. @default 0.2 */
  readonly ratio?: number
  /** Retries per second that are granted without any request. @default 10 */
  readonly floorPerSecond?: number
  /** How long a request counts. At least 1 second. @default 10 seconds */
  readonly window?: Duration.DurationInput
}

interface Budget {
  readonly credits: SlidingWindow.SlidingWindow
  readonly retries: SlidingWindow.SlidingWindow
}

const owner = "TokenBucket.requestRatio"

const advanced = ({ credits, retries }: Budget, nowMillis: number): Budget => ({
  credits: SlidingWindow.advanced(credits, nowMillis),
  retries: SlidingWindow.advanced(retries, nowMillis)
})

/**
 * A budget credited by requests when they are sent for the first time; a retry costs one token, and what is older than the
 * window is forgotten.
 *
 * Formula, over any window: `retries <= ratio * requests + floorPerSecond * window`, where requests count for up to a
 * hundredth of the window longer. The level at the start is `floorPerSecond * window`.
 * The floor is per bucket: a hundred clients with 10 per second each may add a thousand retries per second.
 * Source: https://github.com/twitter/finagle, `com.twitter.finagle.service.RetryBudget`, its defaults; also tower and
 * Linkerd.
 *
 * @category constructors
 */
export const requestRatio = (options: Options = {}): Effect.Effect<TokenBucket> => {
  const given = Argument.options(owner, "{ ratio: 0.2 }", options)
  const ratio = Argument.number(owner, "ratio", given.ratio ?? 0.2, { min: 0 })
  const floorPerSecond = Argument.number(owner, "floorPerSecond", options.floorPerSecond ?? 10, { min: 0 })
  const windowMillis = Argument.millis(owner, "window", options.window ?? "10 seconds", { min: 1000 })
  const reserve = (floorPerSecond * windowMillis) / 1000
  const window = SlidingWindow.make(windowMillis)
  // Retries may be remembered for longer than the requests that paid for them.
  const tokens = ({ credits, retries }: Budget) =>
    Math.max(0, reserve + SlidingWindow.sum(credits) - SlidingWindow.sum(retries))
  return Effect.map(TimedRef.makeUnread<Budget>({ credits: window, retries: window }), ({ modify }) => {
    const refund = (slot: number) =>
      modify((before, now) => {
        const { credits, retries } = advanced(before, now)
        return [undefined, { credits, retries: SlidingWindow.removed(retries, slot, 1) }]
      })
    const acquire = modify((before, now) => {
      const budget = advanced(before, now)
      if (tokens(budget) + 1e-6 < 1) return [Option.none(), budget]
      const grant = { tokens: 1, refund: refund(budget.retries.newest) }
      return [Option.some(grant), { ...budget, retries: SlidingWindow.added(budget.retries, 1) }]
    })
    const credit = modify((before, now) => {
      const budget = advanced(before, now)
      return [undefined, { ...budget, credits: SlidingWindow.added(budget.credits, ratio) }]
    })
    return {
      acquire: () => acquire,
      record: Outcomes.ignored,
      level: modify((before, now) => [tokens(advanced(before, now)), before]),
      started: ({ attempt }) => (attempt === 1 ? credit : Effect.void)
    }
  })
}
