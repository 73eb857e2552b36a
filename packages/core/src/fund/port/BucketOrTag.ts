/**
 * A bucket, or the tag of a bucket in the operation's context.
 */
import * as Context from "effect/Context"
import * as Predicate from "effect/Predicate"
import type { TokenBucket } from "./Port.ts"

export type BucketOrTag<I = any> = TokenBucket | Context.Tag<I, TokenBucket>

/** The same as `Context.isTag` for these two, but much faster: every operation calls it. */
export const isTag = <I>(given: BucketOrTag<I>): given is Context.Tag<I, TokenBucket> => Context.TagTypeId in given

/** Whether a value looks like one; used when a policy is checked. */
export const is = (u: unknown): u is BucketOrTag =>
  Context.isTag(u) || (Predicate.hasProperty(u, "acquire") && Predicate.hasProperty(u, "record"))

/** The bucket itself; for a tag, the bucket in the context. */
export const find = (given: BucketOrTag, context: Context.Context<never>): TokenBucket =>
  isTag(given) ? Context.unsafeGet(context, given) : given
