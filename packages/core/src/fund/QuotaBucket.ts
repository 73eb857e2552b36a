/**
 * The retry quota of the AWS SDKs: retries cost tokens by kind, a success returns what the last retry cost.
 */
import type { Context } from "effect"
import { Duration, Effect, Layer, Option } from "effect"
import * as Argument from "../accept/InvalidArgument.ts"
import type { Kind } from "../classify/Verdict.ts"
import { kinds } from "../classify/Verdict.ts"
import * as Line from "./Line.ts"
import type { ChargingBucket, Restore, RetryBucket } from "./RetryBucket.ts"
import * as Tank from "./Tank.ts"
import type { Limits } from "./Tokens.ts"
import * as TokenBucket from "./Tokens.ts"

/**
 * Everything the AWS SDK for Kotlin's token bucket can be told, in tokens.
 *
 * @category models
 */
export interface Quota {
  /** Also the level at the start. @default 500 */
  readonly capacity?: number
  /** What a retry costs, by the kind of the failure. @default { Throttling: 5, orElse: 14 } */
  readonly cost?: { readonly [K in Kind]?: number } & { readonly orElse: number }
  /** What a success of the first attempt puts in. @default 1 */
  readonly firstSuccessIncrement?: number
  /** @default 0 */
  readonly refillPerSecond?: number
  /** What happens when tokens are short: the retry is refused, or it waits for its turn. @default "refuse" */
  readonly whenShort?: "refuse" | "wait"
  /** The longest wait of a retry; it is refused at once when it would take longer. @default no limit */
  readonly maxWait?: Duration.DurationInput
}

/**
 * A quota that first attempts cost something, too.
 *
 * @category models
 */
export interface ChargingQuota extends Quota {
  /** What a first attempt costs. Above 0. */
  readonly firstCost: number
}

interface Checked extends Limits {
  readonly cost: (kind: Kind) => number
  readonly firstSuccessIncrement: number
  readonly waits: boolean
  readonly maxWaitMillis: number
}

const check = (owner: string, quota: Quota): Checked => {
  const capacity = Argument.number(owner, "capacity", quota.capacity ?? 500, { min: 0 })
  const cost = quota.cost ?? { Throttling: 5, orElse: 14 }
  const costOf = (field: keyof typeof cost) =>
    Argument.number(owner, `cost.${field}`, cost[field] ?? cost.orElse, { min: 0, max: capacity })
  costOf("orElse")
  const costs = new Map(kinds.map((kind) => [kind, costOf(kind)]))
  const refillPerSecond = Argument.number(owner, "refillPerSecond", quota.refillPerSecond ?? 0, { min: 0 })
  const waits = Argument.oneOf(owner, "whenShort", quota.whenShort ?? "refuse", ["refuse", "wait"]) === "wait"
  if (waits && refillPerSecond === 0) {
    Argument.refuse(
      owner,
      "refillPerSecond",
      '> 0 where whenShort is "wait", or waiting might never end',
      refillPerSecond
    )
  }
  if (!waits && quota.maxWait !== undefined) {
    Argument.refuse(owner, "maxWait", 'absent where whenShort is "refuse"', quota.maxWait)
  }
  return {
    capacity,
    refillPerSecond,
    waits,
    cost: (kind) => costs.get(kind) ?? cost.orElse,
    firstSuccessIncrement: Argument.number(owner, "firstSuccessIncrement", quota.firstSuccessIncrement ?? 1, {
      min: 0
    }),
    maxWaitMillis: quota.maxWait === undefined ? Infinity : Argument.millis(owner, "maxWait", quota.maxWait, { min: 0 })
  }
}

/**
 * A quota as a value; `layerQuota` puts it behind a tag.
 *
 * @category constructors
 */
export const makeQuota = (quota: Quota = {}): Effect.Effect<RetryBucket> =>
  Effect.map(paying(check("RetryBucket.layerQuota", quota)), bucketOf)

/**
 * A quota with a cost of first attempts as a value; `layerChargingQuota` puts it behind a tag.
 *
 * @category constructors
 */
export const makeChargingQuota = (quota: ChargingQuota): Effect.Effect<ChargingBucket> => {
  const owner = "RetryBucket.layerChargingQuota"
  const limits = check(owner, quota)
  const firstCost = Argument.number(owner, "firstCost", quota.firstCost, {
    min: 0,
    max: limits.capacity,
    exclusive: true
  })
  return Effect.map(paying(limits), (parts) => ({
    ...bucketOf(parts),
    takeFirst: (restore, atMost) => parts.pay(firstCost, restore, atMost)
  }))
}

interface Parts {
  readonly limits: Checked
  readonly tank: Tank.Tank<TokenBucket.TokenBucket>
  readonly pay: (cost: number, restore: Restore, atMost?: Duration.Duration) => Effect.Effect<Option.Option<number>>
  readonly credit: (tokens: number) => Effect.Effect<void>
}

/** Takes and puts tokens, in the line where the quota waits. */
const paying = (limits: Checked): Effect.Effect<Parts> =>
  Effect.map(Tank.makeTokens(limits), (tank) => {
    const source = tokensOf(tank, limits)
    if (!limits.waits) return { limits, tank, pay: (cost) => paid(tank, cost), credit: source.giveBack }
    const line = Line.make(source)
    return {
      limits,
      tank,
      pay: (cost, restore, atMost = Duration.infinity) => {
        const maxWaitMillis = Math.min(limits.maxWaitMillis, Duration.toMillis(atMost))
        return Effect.map(line.acquire(cost, maxWaitMillis, restore), (ok) => (ok ? Option.some(cost) : Option.none()))
      },
      credit: (tokens) => Effect.zipRight(source.giveBack(tokens), line.poke)
    }
  })

/**
 * Takes `cost` tokens of a tank and answers with it, or takes nothing.
 *
 * @category combinators
 */
export const paid = (tank: Tank.Tank<TokenBucket.TokenBucket>, cost: number): Effect.Effect<Option.Option<number>> =>
  tank.modify((bucket) => {
    const after = TokenBucket.taken(bucket, cost)
    return Option.isSome(after) ? [Option.some(cost), after.value] : [Option.none(), bucket]
  })

const bucketOf = ({ credit, limits, pay, tank }: Parts): RetryBucket => ({
  take: (kind, restore, atMost) => pay(limits.cost(kind), restore, atMost),
  giveBack: credit,
  ended: (ended) =>
    ended._tag === "Failed" ? Effect.void : credit(ended.attempt === 1 ? limits.firstSuccessIncrement : ended.cost),
  level: tank.level
})

/**
 * The tokens of a tank, to be taken and given back.
 *
 * @category conversions
 */
export const tokensOf = (tank: Tank.Tank<TokenBucket.TokenBucket>, limits: Limits): Line.Source => ({
  take: (cost) =>
    tank.modify((bucket) => {
      const after = TokenBucket.taken(bucket, cost)
      return Option.isSome(after) ? [true, after.value] : [false, bucket]
    }),
  giveBack: (cost) => tank.modify((bucket) => [undefined, TokenBucket.added(bucket, limits, cost)]),
  millisUntil: (cost) => tank.modify((bucket) => [TokenBucket.millisUntil(bucket, limits, cost), bucket])
})

/**
 * The retry quota of the AWS SDKs behind a tag.
 *
 * A retry costs tokens by kind, all or nothing; a success after retries returns what the last one cost, a success at once
 * puts in `firstSuccessIncrement`; nothing else is returned. Waiting is first come, first served.
 * Source: AWS SDKs and Tools reference guide, "Retry behavior", costs of the 2026 revision,
 * https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html, read 2026-11-20.
 *
 * @category layers
 */
export const layerQuota = <I>(tag: Context.Tag<I, RetryBucket>, quota: Quota = {}): Layer.Layer<I> =>
  Layer.effect(tag, makeQuota(quota))

/**
 * The same with a cost of first attempts. A policy with such a bucket may fail with `SendRefused`.
 *
 * Source: https://github.com/smithy-lang/smithy-kotlin, `StandardRetryTokenBucket`, `initialTryCost`.
 *
 * @category layers
 */
export const layerChargingQuota = <I>(tag: Context.Tag<I, ChargingBucket>, quota: ChargingQuota): Layer.Layer<I> =>
  Layer.effect(tag, makeChargingQuota(quota))
