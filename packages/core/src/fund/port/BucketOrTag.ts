/**
 * A bucket, or the tag of one that the context of an operation holds.
 */
import * as Context from "effect/Context"
import * as Predicate from "effect/Predicate"
import type { TokenBucket } from "./Port.ts"

export type BucketOrTag<I = any> = TokenBucket | Context.Tag<I, TokenBucket>

export const isTag = <I>(given: BucketOrTag<I>): given is Context.Tag<I, TokenBucket> => Context.isTag(given)

/** Whether a value can be one, as far as a policy is checked. */
export const is = (u: unknown): u is BucketOrTag =>
  Context.isTag(u) || (Predicate.hasProperty(u, "acquire") && Predicate.hasProperty(u, "record"))

/** The bucket, which for a tag is that of the context. */
export const find = (given: BucketOrTag, context: Context.Context<never>): TokenBucket =>
  isTag(given) ? Context.unsafeGet(context, given) : given
