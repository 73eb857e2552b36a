import { CircuitBreaker, RateLimiter, Retry, TokenBucket } from "@effect-retry/core"
import { Throttle } from "@effect-retry/grpc"
import { Context, Effect, Option, Ref } from "effect"
import { constant } from "effect/Function"
import type { Row, Workload } from "../Workload.ts"
import { insideOneFiber, withServices } from "../Workload.ts"
import { handWritten, ours, policy, ready } from "./Calls.ts"

const retried = Retry.retry(ready, { ...policy, bucket: TokenBucket.RetryBucket })

const under = (bucket: Effect.Effect<TokenBucket.TokenBucket>): Row["sample"] =>
  withServices(Context.make(TokenBucket.RetryBucket, Effect.runSync(bucket)), constant(retried))

class Limiter extends Context.Tag("Limiter")<Limiter, TokenBucket.TokenBucket>() {}

const limiter = Effect.runSync(RateLimiter.adaptive())

const underLimiter = (rateLimiter: TokenBucket.TokenBucket): Row["sample"] =>
  withServices(Context.make(Limiter, rateLimiter), constant(Retry.retry(ready, { ...policy, rateLimiter: Limiter })))

const limitedUnderQuota = withServices(
  Context.make(Limiter, limiter).pipe(Context.add(TokenBucket.RetryBucket, Effect.runSync(TokenBucket.quota()))),
  constant(Retry.retry(ready, { ...policy, bucket: TokenBucket.RetryBucket, rateLimiter: Limiter }))
)

/** What a limiter with a state costs at least: it does nothing but change a `Ref`. */
const counting = (told: Partial<TokenBucket.TokenBucket> = {}): TokenBucket.TokenBucket => {
  const ref = Ref.unsafeMake(0)
  const end = Ref.update(ref, (count) => count - 1)
  const granted = Option.some({ tokens: 1, refund: end })
  const acquire = Ref.modify(ref, (count) => [granted, count + 1])
  return { acquire: () => acquire, record: () => end, level: Ref.get(ref), ...told }
}

const semaphore = Effect.unsafeMakeSemaphore(10)

const inFlight = Ref.unsafeMake(0)

/** What adaptive concurrency needs, by functions of Effect: a place that an interruption gives back, and the time. */
const countedAndTimed = Effect.acquireUseRelease(
  Ref.update(inFlight, (count) => count + 1),
  () => Effect.timed(handWritten(ready)),
  () => Ref.update(inFlight, (count) => count - 1)
)

const keyed = TokenBucket.keyed({ bucket: TokenBucket.quota(), maxKeys: 10, idleTimeToLive: "1 hour" })

export const successUnderBucket: Workload = {
  title: "Succeeds at once, under a bucket",
  about: [
    "The first attempt succeeds, and the bucket records it, which takes time even when nothing fails.",
    "Buckets are made once, outside of what is measured, and are full.",
    "The hand-written loop has no bucket.",
    "Two rows limit and time the hand-written loop by functions of Effect: `Effect.makeSemaphore`, and `Effect.acquireUseRelease` with a `Ref` around `Effect.timed`.",
    "The last two rows are limiters that do nothing but count in a `Ref`: the least that a limiter with a state can cost."
  ],
  unit: "ns",
  rounds: 41,
  baseline: "hand-written",
  rows: [
    { name: "hand-written", sample: insideOneFiber(constant(handWritten(ready))) },
    { name: "`Retry.retry`, no bucket", sample: insideOneFiber(constant(ours(ready))) },
    { name: "unlimited", sample: under(Effect.succeed(TokenBucket.unlimited)) },
    { name: "quota", sample: under(TokenBucket.quota()), target: { of: "ratio", atMost: 2.5 } },
    {
      name: "quota that refills",
      sample: under(TokenBucket.quota({ refillPerSecond: 10 })),
      target: { of: "ratio", atMost: 4.3 }
    },
    {
      name: "success ratio",
      sample: under(TokenBucket.successRatio({ ratio: 0.1, capacity: 10 })),
      target: { of: "ratio", atMost: 3.1 }
    },
    { name: "request ratio", sample: under(TokenBucket.requestRatio()), target: { of: "ratio", atMost: 5.8 } },
    {
      name: "gRPC throttle",
      sample: under(Throttle.make({ maxTokens: 10, tokenRatio: 0.1 })),
      target: { of: "ratio", atMost: 3.1 }
    },
    { name: "keyed quota", sample: under(keyed), target: { of: "ratio", atMost: 4.5 } },
    { name: "adaptive rate limiter", sample: underLimiter(limiter), target: { of: "ratio", atMost: 6 } },
    {
      name: "circuit breaker",
      sample: underLimiter(Effect.runSync(CircuitBreaker.make())),
      target: { of: "ratio", atMost: 3 }
    },
    {
      name: "concurrency limit",
      sample: underLimiter(Effect.runSync(RateLimiter.concurrencyLimit({ limit: 10 })))
    },
    {
      name: "adaptive concurrency",
      sample: underLimiter(Effect.runSync(RateLimiter.adaptiveConcurrency())),
      target: { of: "ratio", atMost: 5 }
    },
    { name: "adaptive rate limiter and quota", sample: limitedUnderQuota },
    {
      name: "hand-written, semaphore of Effect",
      sample: insideOneFiber(constant(semaphore.withPermits(1)(handWritten(ready))))
    },
    { name: "hand-written, counted and timed", sample: insideOneFiber(constant(countedAndTimed)) },
    { name: "limiter that counts in a `Ref`", sample: underLimiter(counting()) },
    {
      name: "the same, told of starts and times",
      sample: underLimiter(counting({ started: () => Effect.void, timed: true }))
    }
  ]
}
