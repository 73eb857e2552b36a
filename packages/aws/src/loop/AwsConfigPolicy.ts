/**
 * Turns a resolved configuration into a policy, and into the layer that the policy requires.
 */
import { RateLimiter } from "@effect-retry/core"
import type { Policy } from "@effect-retry/core"
import * as Layer from "effect/Layer"
import type { Behaviour, Mode } from "../accept/AwsSettings.ts"
import * as AwsQuota from "../fund/AwsQuota.ts"
import * as AwsRetry from "./AwsRetry.ts"

/**
 * The policy of each mode, and of the two modes of 2.0.
 *
 * @category models
 */
export interface Presets {
  readonly standard: Policy.Any
  readonly adaptive: Policy.Any
  readonly standard2020: Policy.Any
  readonly adaptive2020: Policy.Any
  /** For an SDK with such a mode. @default the standard policy of the behaviour */
  readonly legacy?: Policy.Any
}

/**
 * The presets of `AwsRetry` for any effect, without a separate legacy mode: `{ ...AwsConfig.presets, legacy:
 * AwsRetry.legacyBotocore }` has one. For DynamoDB, `standard` is `AwsRetry.dynamodb` and `adaptive` the same with
 * `rateLimiter: AwsRetry.SendRate`. Inside a client of the SDK, use `javascript`.
 *
 * @category constructors
 */
export const presets = {
  standard: AwsRetry.standard,
  adaptive: AwsRetry.adaptive,
  standard2020: AwsRetry.standard2020,
  adaptive2020: { ...AwsRetry.standard2020, rateLimiter: AwsRetry.SendRate }
} satisfies Presets

/**
 * The presets for `SdkRetryStrategy.make` and for calls of the SDK for JavaScript: exactly its standard and adaptive mode.
 * For DynamoDB, `standard` is `AwsRetry.javascriptDynamodb` and `adaptive` the same with `rateLimiter: AwsRetry.SendRate`.
 * The SDK no longer has 2.0: both modes of 2.0 are those of the guide.
 *
 * @category constructors
 */
export const javascript = {
  ...presets,
  standard: AwsRetry.javascript,
  adaptive: { ...AwsRetry.javascript, rateLimiter: AwsRetry.SendRate }
} satisfies Presets

/** The part of a configuration that determines the policy. */
interface Resolved {
  readonly mode: { readonly value: Mode }
  readonly maxAttempts: { readonly value: number }
  readonly behaviour: { readonly value: Behaviour }
}

/**
 * The preset of a configuration, with its number of attempts.
 *
 * Its type covers every preset that it may be: it requires whatever any of them requires, and may fail with whatever
 * any adds.
 *
 * @category conversions
 */
export const policy = <P extends Presets = typeof presets>(
  { behaviour, maxAttempts, mode }: Resolved,
  table?: P
): Chosen<P> =>
  ({
    ...preset(behaviour.value, mode.value, table ?? presets),
    maxAttempts: maxAttempts.value
  }) as Policy.Any as Chosen<P>

type Chosen<P extends Presets> = WithAttempts<P[keyof P & keyof Presets]>
type WithAttempts<Q> = Q extends Policy.Any ? Q & { readonly maxAttempts: number } : never

const preset = (behaviour: Behaviour, mode: Mode, table: Presets): Policy.Any => {
  const isRevised = behaviour === "2.1"
  const standard = isRevised ? table.standard : table.standard2020
  switch (mode) {
    case "standard":
      return standard
    case "adaptive":
      return isRevised ? table.adaptive : table.adaptive2020
    case "legacy":
      return table.legacy ?? standard
  }
}

/**
 * The quota of the behaviour and a rate limiter: what `presets` require. Building it once corresponds to one client.
 *
 * @category layers
 */
export const layer = ({ behaviour }: Pick<Resolved, "behaviour">): Layer.Layer<AwsRetry.Quota | AwsRetry.SendRate> =>
  Layer.merge(
    Layer.effect(AwsRetry.Quota, behaviour.value === "2.1" ? AwsQuota.standard : AwsQuota.standard2020),
    Layer.effect(AwsRetry.SendRate, RateLimiter.adaptive())
  )
