/**
 * Makes the buckets of a contract suite, and says what to write if that cannot make one.
 */
import { TokenBucket } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { Bucket } from "./BucketTrial.ts"
import * as ServicesLine from "./ServicesLine.ts"

type Make = Effect.Effect<Bucket, unknown> | Layer.Layer<TokenBucket.RetryBucket, unknown>

/** An effect of a new bucket. What goes wrong with it is a failure, since no promise of a bucket is broken. */
export const of = (make: Make): Effect.Effect<Bucket, unknown, Scope.Scope> => {
  const given: unknown = make
  if (!Effect.isEffect(given) && !Layer.isLayer(given)) return refuse("an effect or a layer of a bucket", given)
  return Effect.catchAllDefect(Effect.isEffect(make) ? make : ofLayer(make), Effect.fail)
}

const ofLayer = (layer: Layer.Layer<TokenBucket.RetryBucket, unknown>): Effect.Effect<Bucket, unknown, Scope.Scope> => {
  let isTold = false
  return Effect.map(Layer.build(Layer.fresh(layer)), (provided) =>
    Option.getOrElse(Context.getOption(provided, TokenBucket.RetryBucket), () => {
      const more = isTold ? " (the first test says what to write)" : `, such as ${converted}`
      isTold = true
      const keys = ServicesLine.keysOf(provided).join(", ")
      return refuse(`a layer of TokenBucket.RetryBucket${more}`, `a layer of ${keys}`)
    })
  )
}

const converted = "Layer.effect(TokenBucket.RetryBucket, YourTag).pipe(Layer.provide(layer))"

const refuse = (allowed: string, value: unknown): never =>
  Argument.refuse("TokenBucketContract.suite", "make", allowed, value)
