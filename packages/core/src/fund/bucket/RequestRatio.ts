/**
 * A retry budget that is a share of the requests in a sliding window.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "../../accept/Argument.ts"
import * as Outcomes from "../port/Outcomes.ts"
import * as Priority from "../port/Priority.ts"
import * as SlidingWindow from "../count/SlidingWindow.ts"
import * as TimedRef from "../store/TimedRef.ts"
import type { TokenBucket } from "../port/Port.ts"

/** The options of `requestRatio`. */
interface Options {
  /** Retries per request: 0 for the floor alone, 2 for two retries per request. At least 0. @default 0.2 */
  readonly ratio?: number
  /** Retries per second that are granted even without requests. @default 10 */
  readonly floorPerSecond?: number
  /** How long a request counts. At least 1 second. @default 10 seconds */
  readonly window?: Duration.DurationInput
}

interface Budget {
  readonly credits: SlidingWindow.SlidingWindow
  readonly retries: SlidingWindow.SlidingWindow
  /** The highest priority that has asked: lower ones leave tokens for it. */
  readonly highest: number
}

const owner = "TokenBucket.requestRatio"

const advanced = ({ credits, highest, retries }: Budget, nowMillis: number): Budget => ({
  credits: SlidingWindow.advanced(credits, nowMillis),
  retries: SlidingWindow.advanced(retries, nowMillis),
  highest
})

/**
 * A budget to which the first attempt of every request adds. A retry costs one token, and anything older than the window is
 * forgotten.
 *
 * Formula, over any window: `retries <= ratio * requests + floorPerSecond * window`, where requests count for up to a
 * hundredth of the window longer. The level at the start is `floorPerSecond * window`. Retries of priority `sheddable`
 * leave half of it to others, once others have asked.
 * The floor is per bucket: a hundred clients with 10 per second each may add a thousand retries per second.
 * Source: https://github.com/twitter/finagle, `com.twitter.finagle.service.RetryBudget`, its defaults; also tower and
 * Linkerd.
 *
 * @category constructors
 */
export const requestRatio = (options: Options = {}): Effect.Effect<TokenBucket> => {
  const given = Argument.options(owner, "{ ratio: 0.2 }", options, {
    ratio: false,
    floorPerSecond: false,
    window: false
  })
  const ratio = Argument.number(owner, "ratio", given.ratio ?? 0.2, { min: 0 })
  const floorPerSecond = Argument.number(owner, "floorPerSecond", options.floorPerSecond ?? 10, { min: 0 })
  const windowMillis = Argument.millis(owner, "window", options.window ?? "10 seconds", { min: 1000 })
  const reserve = (floorPerSecond * windowMillis) / 1000
  const window = SlidingWindow.make(windowMillis)
  // Retries may be remembered for longer than the requests that paid for them.
  const paidFor = ({ credits }: Budget) => reserve + SlidingWindow.sum(credits)
  const tokens = (budget: Budget) => Math.max(0, paidFor(budget) - SlidingWindow.sum(budget.retries))
  const initial: Budget = { credits: window, retries: window, highest: Priority.lowest }
  return Effect.map(TimedRef.makeUnread(initial), (self) => {
    const refund = (slot: number) =>
      TimedRef.modify(self, (before, now) => {
        const { credits, highest, retries } = advanced(before, now)
        return [undefined, { credits, retries: SlidingWindow.removed(retries, slot, 1), highest }]
      })
    const acquire = TimedRef.modify(self, (before, now) => {
      const { credits, retries } = advanced(before, now)
      const budget = { credits, retries, highest: Math.max(before.highest, Priority.currentLevel()) }
      const left = Priority.leftOf(paidFor(budget), budget.highest)
      if (tokens(budget) + 1e-6 < 1 + left) return [Option.none(), budget]
      const grant = { tokens: 1, refund: refund(retries.newest) }
      return [Option.some(grant), { ...budget, retries: SlidingWindow.added(retries, 1) }]
    })
    const credit = TimedRef.modify(self, (before, now) => {
      const budget = advanced(before, now)
      return [undefined, { ...budget, credits: SlidingWindow.added(budget.credits, ratio) }]
    })
    return {
      acquire: () => acquire,
      record: Outcomes.ignored,
      level: TimedRef.modify(self, (before, now) => [tokens(advanced(before, now)), before]),
      started: ({ attempt }) => (attempt === 1 ? credit : Effect.void)
    }
  })
}
