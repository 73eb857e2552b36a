import { AttemptTimeout, Deadline, Retry, Stepper, TokenBucket } from "@effect-retry/core"
import * as KnownKey from "@effect-retry/core/unstable/KnownKey"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Exit, Fiber } from "effect"
import { clockReads } from "../fund/ClockReads.ts"
import { policy, world } from "./Recording.ts"

/** What a bucket was told, in the order of the telling. */
const noting = (own: Pick<TokenBucket.TokenBucket, "timed"> = {}) => {
  const starts: Array<TokenBucket.Started> = []
  const ends: Array<TokenBucket.Outcome> = []
  const bucket: TokenBucket.TokenBucket = {
    ...TokenBucket.unlimited,
    ...own,
    started: (started) => Effect.sync(() => void starts.push(started)),
    record: (outcome) => Effect.sync(() => void ends.push(outcome))
  }
  const ran = () => ends.map(({ _tag, attempt, ran }) => [_tag, attempt, ran && Duration.toMillis(ran)])
  return { bucket, ends, ran, starts }
}

const lasting = (millis: number) => Effect.zipRight(Effect.sleep(millis), Effect.fail("busy" as const))

describe("Outcome.started", () => {
  it.effect("is the very value that was told when the attempt began, one for each attempt", () =>
    world(
      Effect.gen(function* () {
        const { bucket, ends, starts } = noting()
        const call = Retry.retry(lasting(10), { ...policy, rateLimiter: bucket })
        yield* Effect.all([Effect.exit(call), Effect.exit(call)], { concurrency: 2 })
        expect(starts.map(({ attempt }) => attempt)).toEqual([1, 1, 2, 2, 3, 3])
        expect(ends.map(({ started }) => starts.indexOf(started!))).toEqual([0, 1, 2, 3, 4, 5])
        expect(new Set(starts).size).toBe(6)
      })
    )
  )

  it.effect("is that of the attempt that was interrupted, in each place of a policy", () =>
    world(
      Effect.gen(function* () {
        const limiter = noting()
        const retries = noting()
        const call = Retry.retry(Effect.never, { ...policy, rateLimiter: limiter.bucket, bucket: retries.bucket })
        yield* Effect.fork(call).pipe(Effect.tap(Effect.sleep("1 second")), Effect.flatMap(Fiber.interrupt))
        expect(limiter.ends.map(({ _tag, started }) => [_tag, started])).toEqual([["Abandoned", limiter.starts[0]]])
        expect(retries.ends[0]?.started).toBe(limiter.starts[0])
      })
    )
  )

  it.effect("is absent when no bucket of the policy has it", () =>
    world(
      Effect.gen(function* () {
        const ends: Array<TokenBucket.Outcome> = []
        const record = (outcome: TokenBucket.Outcome) => Effect.sync(() => void ends.push(outcome))
        yield* Retry.retry(Effect.void, { ...policy, bucket: { ...TokenBucket.unlimited, record } })
        expect(ends.map(({ ran, started }) => [ran, started])).toEqual([[undefined, undefined]])
      })
    )
  )
})

describe("Outcome.ran", () => {
  it.effect("is the time of the attempt alone, without waits for grants and delays", () =>
    world(
      Effect.gen(function* () {
        const { bucket, ran } = noting({ timed: true })
        const slowly = (request: TokenBucket.Request) => Effect.delay(bucket.acquire(request), "7 seconds")
        let made = 0
        const call = Effect.suspend(() => ((made += 1) < 3 ? lasting(100 * made) : Effect.sleep("1 minute")))
        yield* Retry.retry(call, { ...policy, rateLimiter: { ...bucket, acquire: slowly } })
        expect(ran()).toEqual([
          ["Failed", 1, 100],
          ["Failed", 2, 200],
          ["Succeeded", 3, 60_000]
        ])
      })
    )
  )

  it.effect("is the time until the interruption, the defect or the timeout", () =>
    world(
      Effect.gen(function* () {
        const { bucket, ran } = noting({ timed: true })
        const call = Retry.retry(Effect.never, { ...policy, rateLimiter: bucket })
        yield* Effect.fork(call).pipe(Effect.tap(Effect.sleep("3 seconds")), Effect.flatMap(Fiber.interrupt))
        const dying = Effect.zipRight(Effect.sleep("2 seconds"), Effect.die("defect"))
        yield* Effect.exit(Retry.retry(dying, { ...policy, rateLimiter: bucket }))
        const bounded = { ...policy, maxAttempts: 1, attemptTimeout: AttemptTimeout.constant("1 second"), bucket }
        yield* Effect.exit(Retry.retry(Effect.never, bounded))
        expect(ran()).toEqual([
          ["Abandoned", 1, 3_000],
          ["Abandoned", 1, 2_000],
          ["Failed", 1, 1_000]
        ])
      })
    )
  )

  it.effect("is told to a bucket for attempts that another library makes", () =>
    world(
      Effect.gen(function* () {
        const { bucket, ran } = noting({ timed: true })
        const stepper = yield* Stepper.make({ ...policy, bucket })
        const first = yield* stepper.begin
        yield* Effect.sleep(30)
        const second = yield* stepper.failed(first, "busy")
        yield* Effect.sleep(40)
        yield* stepper.succeeded(second, undefined)
        expect(ran()).toEqual([
          ["Failed", 1, 30],
          ["Succeeded", 2, 40]
        ])
      })
    )
  )

  it.effect("is told through every combinator of buckets", () =>
    world(
      Effect.gen(function* () {
        const through: ReadonlyArray<(bucket: TokenBucket.TokenBucket) => Effect.Effect<TokenBucket.TokenBucket>> = [
          (bucket) => Effect.succeed(TokenBucket.all(TokenBucket.unlimited, bucket)),
          (bucket) => Effect.succeed(TokenBucket.shadow(bucket)),
          (bucket) => Effect.succeed(TokenBucket.failOpen(bucket, { within: "1 second" })),
          (bucket) => TokenBucket.keyed({ bucket: Effect.succeed(bucket), maxKeys: 2, idleTimeToLive: "1 minute" }),
          (bucket) => Effect.succeed(KnownKey.makeFinder()(bucket, "a")),
          (bucket) => TokenBucket.operationShare({ bucket: Effect.succeed(bucket), share: 0.5 })
        ]
        for (const wrap of through) {
          const { bucket, ran } = noting({ timed: true })
          yield* Retry.retry(Effect.sleep(20), { ...policy, rateLimiter: yield* wrap(bucket) })
          expect(ran()).toEqual([["Succeeded", 1, 20]])
        }
      })
    )
  )

  it.effect("is never less than zero when the clock steps back", () =>
    world(
      Effect.gen(function* () {
        const { bucket, ran } = noting({ timed: true })
        yield* Retry.retry(VirtualClock.stepBack("1 hour"), { ...policy, rateLimiter: bucket })
        expect(ran()).toEqual([["Succeeded", 1, 0]])
      })
    )
  )

  it.effect("reads the clock only if a bucket asks for it", () =>
    Effect.gen(function* () {
      const { bucket, ran } = noting()
      expect(yield* clockReads(Retry.retry(Effect.void, { ...policy, rateLimiter: bucket }))).toBe(0)
      expect(ran()).toEqual([["Succeeded", 1, undefined]])
      const timed = { ...bucket, timed: true }
      expect(yield* clockReads(Retry.retry(Effect.void, { ...policy, rateLimiter: timed }))).toBeLessThanOrEqual(3)
    })
  )
})

describe("TokenBucket.started", () => {
  it.effect("is followed by an outcome of zero time when the deadline passed before the attempt", () =>
    world(
      Effect.gen(function* () {
        const { bucket, ran } = noting({ timed: true })
        const started = (begun: TokenBucket.Started) => Effect.delay(bucket.started!(begun), "2 seconds")
        const exit = yield* Effect.exit(
          Retry.retry(Effect.void, {
            ...policy,
            rateLimiter: { ...bucket, started },
            deadline: Deadline.refuse("1 second")
          })
        )
        expect(Exit.isFailure(exit)).toBe(true)
        expect(ran()).toEqual([["Abandoned", 1, 0]])
      })
    )
  )
})
