/**
 * The retry quota of the AWS SDKs: a retry costs tokens by kind, and a success returns what its retry cost.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "../../accept/Argument.ts"
import type { TokenBucket } from "../port/Port.ts"
import * as QuotaCost from "../count/QuotaCost.ts"
import * as Budget from "../store/Budget.ts"
import * as Waiting from "../port/Waiting.ts"

/** The options of `quota`, in tokens. */
interface Options extends QuotaCost.Options {
  /** Above 0. @default 500 */
  readonly capacity?: number
  /** The level at the start, at most the capacity. @default the capacity */
  readonly initial?: number
  /** @default 0 */
  readonly refillPerSecond?: number
  /** What happens when tokens are short: the retry is refused, or it waits for its turn. @default "refuse" */
  readonly whenShort?: "refuse" | "wait"
  /** The longest wait; a retry that would have to wait longer is refused at once. @default no limit */
  readonly maxWait?: Duration.DurationInput
}

const owner = "TokenBucket.quota"

const checkWaiting = (refillPerSecond: number, options: Options): Waiting.MaxWait => {
  const maxWait = Waiting.check(owner, options, "refuse")
  return Option.isSome(maxWait) && refillPerSecond === 0
    ? Argument.refuse(
        owner,
        "refillPerSecond",
        '> 0 if whenShort is "wait", or waiting might never end',
        refillPerSecond
      )
    : maxWait
}

/**
 * The retry quota of the AWS SDKs.
 *
 * A retry costs tokens by kind, all or nothing. A successful retry returns what it cost, a successful first attempt adds
 * `firstSuccessIncrement`, and nothing else adds tokens but `refillPerSecond`. Waiting retries are served by
 * `TokenBucket.Priority`, then first come, first served; if retries do not wait, `sheddable` ones leave half of the capacity
 * to others, once others have asked.
 * Source: AWS SDKs and Tools reference guide, "Retry behavior", costs of the 2026 revision,
 * https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html, read 2026-11-20.
 *
 * @category constructors
 */
export const quota = (options: Options = {}): Effect.Effect<TokenBucket> => {
  const given = Argument.options(owner, "{ capacity: 500 }", options, {
    capacity: false,
    initial: false,
    refillPerSecond: false,
    whenShort: false,
    maxWait: false,
    cost: false,
    firstSuccessIncrement: false
  })
  const capacity = Argument.number(owner, "capacity", given.capacity ?? 500, { min: 0, exclusive: true })
  const initial = Argument.number(owner, "initial", options.initial ?? capacity, { min: 0, max: capacity })
  const { costOf, increment } = QuotaCost.check(owner, capacity, options)
  const refillPerSecond = Argument.number(owner, "refillPerSecond", options.refillPerSecond ?? 0, { min: 0 })
  const maxWait = checkWaiting(refillPerSecond, options)
  const { acquire, level, make, putIn } = Budget.make({ capacity, initial, refillPerSecond, maxWait, costOf })
  return Effect.map(make, (self) => {
    // Most operations succeed at the first attempt.
    const credited = increment > 0 ? putIn(self, increment) : Effect.void
    return {
      acquire: (request) => acquire(self, request),
      record: ({ _tag, attempt, granted }) => {
        if (_tag !== "Succeeded") return Effect.void
        if (attempt === 1) return credited
        return granted.tokens > 0 ? putIn(self, granted.tokens) : Effect.void
      },
      level: level(self)
    }
  })
}
