/**
 * The policies that a strategy of the AWS SDK can carry out.
 */
import type { Deadline, Policy } from "@effect-retry/core"
import { TokenBucket } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import { prepare } from "@effect-retry/core/unstable/PolicyCheck"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Schedule from "effect/Schedule"

/**
 * A policy that a strategy can carry out: one that acts neither on a running attempt nor on results, since the SDK makes
 * the attempts and keeps their results.
 */
export type Strategic = Policy.Fields<unknown, never> & { readonly [Field in (typeof beyond)[number]]?: undefined } & {
  readonly deadline?: Deadline.Deadline | undefined
}

const beyond = ["whenNested", "attempt", "attemptSpan", "attemptTimeout", "result", "release"] as const

/** A policy with its buckets instead of their tags. */
export interface Funded extends Policy.Fields<unknown, unknown> {
  readonly backoff: Schedule.Schedule<unknown, unknown>
  readonly result?: undefined
  readonly rateLimiter: TokenBucket.TokenBucket | undefined
  readonly bucket: TokenBucket.TokenBucket
}

/** Throws an `InvalidArgument` where the policy is none that a strategy can carry out. */
export const check = (owner: string, given: Policy.Any): void => {
  prepare(owner, given)
  for (const field of beyond) {
    if (given[field] !== undefined) Argument.refuse(owner, field, "absent: the SDK makes the attempts", given[field])
  }
  if (given.deadline?._tag === "Cut") Argument.refuse(owner, "deadline", "one that does not cut", given.deadline._tag)
}

/** Looks up the buckets of a policy. */
export const fund = (policy: Strategic, context: Context.Context<never>): Funded => ({
  ...policy,
  backoff: policy.backoff as Funded["backoff"],
  result: undefined,
  rateLimiter: bucketOf(policy.rateLimiter, context),
  bucket: bucketOf(policy.bucket, context) ?? without
})

/**
 * Whether the policy has nothing to do before a first attempt has ended: no bucket or rate limiter is asked or told, and no
 * time is kept.
 */
export const startsLate = (owner: string, policy: Funded): boolean =>
  policy.rateLimiter === undefined && policy.bucket.started === undefined && !prepare(owner, policy).timed

const bucketOf = (given: Policy.Any["bucket"], context: Context.Context<never>): TokenBucket.TokenBucket | undefined =>
  Context.isTag(given as never)
    ? Context.unsafeGet(context, given as Context.Tag<any, TokenBucket.TokenBucket>)
    : (given as TokenBucket.TokenBucket | undefined)

/** Stands for a bucket where there is none: grants everything, and has no level that events could show. */
const without: TokenBucket.TokenBucket = { ...TokenBucket.unlimited, level: /*#__PURE__*/ Effect.succeed(NaN) }
