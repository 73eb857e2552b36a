/**
 * Budgets that are a share of the traffic: credited by successes, or by requests.
 *
 * Credit per success decays to nothing in an outage; credit per request keeps its share for ever. See docs/buckets.md
 * for what that means for a server that has to recover.
 */
import type { Context, Duration } from "effect"
import { Effect, Layer, Option } from "effect"
import * as Argument from "../accept/InvalidArgument.ts"
import { paid, tokensOf } from "./QuotaBucket.ts"
import type { RetryBucket } from "./RetryBucket.ts"
import * as SlidingWindow from "./SlidingWindow.ts"
import * as Tank from "./Tank.ts"

/**
 * A budget credited by successes; a retry costs one token.
 *
 * @category models
 */
export interface SuccessRatio {
  /** Tokens a success puts in: 0.1 for one retry per ten successes. In (0, 1]. */
  readonly ratio: number
  /** Retries that can be made at once; also the level at the start. At least 1. */
  readonly capacity: number
  /** Retries per second that are granted without any success. @default 0 */
  readonly floorPerSecond?: number
}

/**
 * @category constructors
 */
export const makeSuccessRatio = (options: SuccessRatio): Effect.Effect<RetryBucket> => {
  const owner = "RetryBucket.layerSuccessRatio"
  const ratio = Argument.number(owner, "ratio", options.ratio, { min: 0, max: 1, exclusive: true })
  const limits = {
    capacity: Argument.number(owner, "capacity", options.capacity, { min: 1 }),
    refillPerSecond: Argument.number(owner, "floorPerSecond", options.floorPerSecond ?? 0, { min: 0 })
  }
  return Effect.map(Tank.makeTokens(limits), (tank) => {
    const { giveBack } = tokensOf(tank, limits)
    return {
      take: () => paid(tank, 1),
      giveBack,
      ended: (ended) => (ended._tag === "Succeeded" ? giveBack(ratio) : Effect.void),
      level: tank.level
    }
  })
}

/**
 * A budget credited by successes behind a tag. Formula: `retries <= capacity + ratio * successes + floorPerSecond * t`.
 *
 * Source: https://brooker.co.za/blog/2022/02/28/retries.html, "token bucket".
 *
 * @category layers
 */
export const layerSuccessRatio = <I>(tag: Context.Tag<I, RetryBucket>, options: SuccessRatio): Layer.Layer<I> =>
  Layer.effect(tag, makeSuccessRatio(options))

/**
 * A budget credited by requests; a retry costs one token, and whatever is older than the window is forgotten.
 *
 * @category models
 */
export interface RequestRatio {
  /** Retries per request. In (0, 1]. @default 0.2 */
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

/**
 * @category constructors
 */
export const makeRequestRatio = (options: RequestRatio = {}): Effect.Effect<RetryBucket> => {
  const owner = "RetryBucket.layerRequestRatio"
  const ratio = Argument.number(owner, "ratio", options.ratio ?? 0.2, { min: 0, max: 1, exclusive: true })
  const floorPerSecond = Argument.number(owner, "floorPerSecond", options.floorPerSecond ?? 10, { min: 0 })
  const windowMillis = Argument.millis(owner, "window", options.window ?? "10 seconds", { min: 1000 })
  const reserve = (floorPerSecond * windowMillis) / 1000
  const window = SlidingWindow.make(windowMillis)
  const contents: Tank.Contents<Budget> = {
    initial: { credits: window, retries: window },
    moved: ({ credits, retries }, now) => ({
      credits: SlidingWindow.advanced(credits, now),
      retries: SlidingWindow.advanced(retries, now)
    }),
    // Retries may be remembered for longer than the requests that paid for them.
    tokens: ({ credits, retries }) => Math.max(0, reserve + SlidingWindow.sum(credits) - SlidingWindow.sum(retries))
  }
  return Effect.map(Tank.make(contents), ({ level, modify }) => {
    const change = (f: (budget: Budget) => Partial<Budget>) =>
      modify((budget) => [undefined, { ...budget, ...f(budget) }])
    return {
      take: () =>
        modify((budget) =>
          contents.tokens(budget) + 1e-6 >= 1
            ? [Option.some(1), { ...budget, retries: SlidingWindow.added(budget.retries, 1) }]
            : [Option.none<number>(), budget]
        ),
      giveBack: (cost) => change(({ retries }) => ({ retries: SlidingWindow.removed(retries, cost) })),
      ended: (ended) =>
        ended.attempt === 1 ? change(({ credits }) => ({ credits: SlidingWindow.added(credits, ratio) })) : Effect.void,
      level,
      // By the windows, not by the level: credits and retries may cancel out and yet expire one after the other.
      isFresh: modify((budget) => [
        SlidingWindow.sum(budget.credits) === 0 && SlidingWindow.sum(budget.retries) === 0,
        budget
      ])
    }
  })
}

/**
 * A budget credited by requests behind a tag. Formula, over any window:
 * `retries <= ratio * requests + floorPerSecond * window`, where requests count for up to a hundredth of the window longer.
 *
 * The floor is per bucket: a hundred clients with 10 per second each may add a thousand retries per second.
 * Source: https://github.com/twitter/finagle, `com.twitter.finagle.service.RetryBudget`, its defaults; also tower and
 * Linkerd.
 *
 * @category layers
 */
export const layerRequestRatio = <I>(tag: Context.Tag<I, RetryBucket>, options: RequestRatio = {}): Layer.Layer<I> =>
  Layer.effect(tag, makeRequestRatio(options))
