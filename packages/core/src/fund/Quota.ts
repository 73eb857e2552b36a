/**
 * The retry quota of the AWS SDKs: retries cost tokens by kind, a success returns what its retry cost.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "../accept/Argument.ts"
import type { Kind } from "../classify/Verdict.ts"
import { kinds } from "../classify/Verdict.ts"
import type { Request, TokenBucket } from "./Port.ts"
import * as TokenStore from "./TokenStore.ts"
import * as Waiting from "./Waiting.ts"

/** The options of `quota`, in tokens. */
interface Options {
  /** Above 0. @default 500 */
  readonly capacity?: number
  /** The level at the start, at most the capacity. @default the capacity */
  readonly initial?: number
  /**
   * What a retry costs, by the kind of the failure before it. `orElse` is for all other kinds and for a failure without
   * one, `first` for a first attempt where the quota is asked for it. None is above the capacity.
   *
   * @default { Throttling: 5, orElse: 14 }, or the capacity where that is less
   */
  readonly cost?: { readonly [K in Kind | "first"]?: number } & { readonly orElse: number }
  /** What a success of a first attempt puts in. @default 1 */
  readonly firstSuccessIncrement?: number
  /** @default 0 */
  readonly refillPerSecond?: number
  /** What happens when tokens are short: the retry is refused, or it waits for its turn. @default "refuse" */
  readonly whenShort?: "refuse" | "wait"
  /** The longest wait; a retry that would wait for longer is refused at once. @default no limit */
  readonly maxWait?: Duration.DurationInput
}

const owner = "RetryBucket.quota"

const costs = (capacity: number, cost: NonNullable<Options["cost"]>): ((request: Request) => number) => {
  const costOf = (field: keyof typeof cost) =>
    Argument.number(owner, `cost.${field}`, cost[field] ?? cost.orElse, { min: 0, max: capacity })
  const orElse = costOf("orElse")
  const first = costOf("first")
  const byKind = new Map(kinds.map((kind) => [kind, costOf(kind)]))
  return ({ attempt, kind }) => {
    if (Option.isSome(kind)) return byKind.get(kind.value) ?? orElse
    return attempt === 1 ? first : orElse
  }
}

/** Of the 2026 revision of the AWS guide. What the caller has not set is not refused in a small bucket. */
const defaultCost = (capacity: number) => ({ Throttling: Math.min(5, capacity), orElse: Math.min(14, capacity) })

const checkWaiting = (refillPerSecond: number, options: Options): Waiting.MaxWait => {
  const maxWait = Waiting.check(owner, options, "refuse")
  return Option.isSome(maxWait) && refillPerSecond === 0
    ? Argument.refuse(
        owner,
        "refillPerSecond",
        '> 0 where whenShort is "wait", or waiting might never end',
        refillPerSecond
      )
    : maxWait
}

/**
 * The retry quota of the AWS SDKs.
 *
 * A retry costs tokens by kind, all or nothing; a success of a retry returns what that retry cost, a success of a first
 * attempt puts in `firstSuccessIncrement`; nothing else is returned. Waiting is first come, first served.
 * Source: AWS SDKs and Tools reference guide, "Retry behavior", costs of the 2026 revision,
 * https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html, read 2026-11-20.
 *
 * @category constructors
 */
export const quota = (options: Options = {}): Effect.Effect<TokenBucket> => {
  const capacity = Argument.number(owner, "capacity", options.capacity ?? 500, { min: 0, exclusive: true })
  const initial = Argument.number(owner, "initial", options.initial ?? capacity, { min: 0, max: capacity })
  const costOf = costs(capacity, options.cost ?? defaultCost(capacity))
  const increment = Argument.number(owner, "firstSuccessIncrement", options.firstSuccessIncrement ?? 1, { min: 0 })
  const refillPerSecond = Argument.number(owner, "refillPerSecond", options.refillPerSecond ?? 0, { min: 0 })
  const limits = { capacity, refillPerSecond }
  return Effect.map(TokenStore.makeTokens(limits, initial, checkWaiting(refillPerSecond, options)), (store) => {
    const putIn = (tokens: number) =>
      tokens > 0 ? store.change((state, now) => TokenStore.added(state, limits, now, tokens)) : Effect.void
    const putIncrementIn = putIn(increment)
    return {
      acquire: (request) => store.acquire(costOf(request), request),
      record: (outcome) => {
        if (outcome._tag !== "Succeeded") return Effect.void
        return outcome.attempt === 1 ? putIncrementIn : putIn(outcome.granted.tokens)
      },
      level: store.level
    }
  })
}
