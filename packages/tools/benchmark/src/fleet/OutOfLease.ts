/**
 * An attempt that is paid out of the lease of its process.
 */
import { RateLimiter, TokenBucket } from "@effect-retry/core"
import * as RedisBucket from "@effect-retry/fleet/RedisBucket"
import * as IoRedis from "@effect-retry/fleet/IoRedis"
import { Duration, Effect, Layer, ManagedRuntime, Option } from "effect"
import { identity } from "effect/Function"
import type { Row, Workload } from "../Workload.ts"
import { insideFiberOf, prepared } from "../Workload.ts"

export const request: TokenBucket.Request = {
  attempt: 1,
  kind: Option.none(),
  delay: Duration.zero,
  atMost: Option.none(),
  restore: identity
}

/** More than a process takes in a second; a lease lasts for many samples. */
const limits = { rate: 1_000_000, burst: 1_000_000_000 }

class Bucket extends Effect.Tag("Bucket")<Bucket, TokenBucket.TokenBucket>() {}

const acquires = (make: Layer.Layer<Bucket>): Row["sample"] =>
  prepared(async () => {
    const edge = ManagedRuntime.make(make)
    const bucket = await edge.runPromise(Bucket)
    return insideFiberOf(
      edge,
      Effect.suspend(() => bucket.acquire(request))
    )
  })

/** For a program that has no answer to a failure. */
const dying = <E>({ acquire, level, record }: TokenBucket.TokenBucket<E>): TokenBucket.TokenBucket => ({
  acquire: (request) => Effect.orDie(acquire(request)),
  record: (outcome) => Effect.orDie(record(outcome)),
  level: Effect.orDie(level)
})

export const outOfLease = (port: number): Workload => {
  const shared = RedisBucket.fixed({ name: "lease", ...limits }).pipe(
    Effect.map(TokenBucket.failOpen({ within: "1 second" }))
  )
  return {
    title: "An acquire out of a lease",
    about: [
      "A fixed rate of a million per second, of which the process holds a lease: the store calls that bring the next tokens are part of the figure.",
      "The first row is the bucket of one process, in memory.",
      "The target is two microseconds."
    ],
    unit: "ns",
    rounds: 21,
    baseline: "`RateLimiter.fixed`",
    rows: [
      {
        name: "`RateLimiter.fixed`",
        sample: acquires(Layer.effect(Bucket, RateLimiter.fixed(limits)))
      },
      {
        name: "`RedisBucket.fixed`, which can fail",
        sample: acquires(
          Layer.scoped(Bucket, Effect.map(RedisBucket.fixed({ name: "lease", ...limits }), dying)).pipe(
            Layer.provide(IoRedis.layer({ port }))
          )
        ),
        target: { of: "value", atMost: 2000 }
      },
      {
        name: "`RedisBucket.fixed` with `failOpen`",
        sample: acquires(Layer.scoped(Bucket, shared).pipe(Layer.provide(IoRedis.layer({ port }))))
      }
    ]
  }
}
