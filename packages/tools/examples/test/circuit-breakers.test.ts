import { type TokenBucket, Verdict } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Option } from "effect"
import { circuitBreaker } from "../src/circuit-breaker.ts"

const page = "docs/circuit-breakers.md"

describe(`${page} ## A breaker as a rate limiter`, () => {
  const make = Effect.map(circuitBreaker({ failed: 2, of: 3, openFor: "10 seconds" }), (breaker) => {
    const acquire = breaker.acquire({
      attempt: 1,
      kind: Option.none(),
      delay: Duration.zero,
      atMost: Option.none(),
      restore: (effect) => effect
    })
    const failed = (granted: TokenBucket.Grant) =>
      breaker.record({ _tag: "Failed", attempt: 1, granted, verdict: Verdict.server })
    const succeeded = (granted: TokenBucket.Grant) => breaker.record({ _tag: "Succeeded", attempt: 1, granted })
    const abandoned = (granted: TokenBucket.Grant) => breaker.record({ _tag: "Abandoned", attempt: 1, granted })
    return { acquire, failed, succeeded, abandoned, isOpen: Effect.map(acquire, Option.isNone) }
  })
  const grantOf = (acquire: Effect.Effect<Option.Option<TokenBucket.Grant>>) => Effect.map(acquire, Option.getOrThrow)
  /** A breaker whose time open is over, and the grant of its probe. */
  const halfOpen = Effect.gen(function* () {
    const breaker = yield* make
    const before = yield* grantOf(breaker.acquire)
    yield* breaker.failed(before)
    yield* breaker.failed(before)
    yield* Effect.sleep("10 seconds")
    return { ...breaker, before, probe: yield* grantOf(breaker.acquire) }
  })

  it.effect("opens after so many failures of the last attempts, for its time", () =>
    Effect.gen(function* () {
      const { acquire, failed, isOpen, succeeded } = yield* make
      const grant = yield* grantOf(acquire)
      yield* failed(grant)
      yield* succeeded(grant)
      yield* succeeded(grant)
      yield* failed(grant)
      expect(yield* isOpen).toBe(false)
      yield* failed(grant)
      expect(yield* isOpen).toBe(true)
      yield* Effect.sleep("9999 millis")
      expect(yield* isOpen).toBe(true)
      yield* Effect.sleep("1 millis")
      expect(yield* isOpen).toBe(false)
    }).pipe(VirtualClock.run)
  )

  it.effect("grants one probe, whose success closes it and whose failure opens it again", () =>
    Effect.gen(function* () {
      const good = yield* halfOpen
      expect(yield* good.isOpen).toBe(true)
      yield* good.succeeded(good.probe)
      expect(yield* good.isOpen).toBe(false)
      const bad = yield* halfOpen
      yield* bad.failed(bad.probe)
      yield* Effect.sleep("9 seconds")
      expect(yield* bad.isOpen).toBe(true)
    }).pipe(VirtualClock.run)
  )

  it.effect("grants another probe where the first is refunded or interrupted", () =>
    Effect.gen(function* () {
      const refunded = yield* halfOpen
      yield* refunded.probe.refund
      expect(yield* refunded.isOpen).toBe(false)
      const interrupted = yield* halfOpen
      yield* interrupted.abandoned(interrupted.probe)
      expect(yield* interrupted.isOpen).toBe(false)
    }).pipe(VirtualClock.run)
  )

  it.effect("is not closed by an attempt from before it opened", () =>
    Effect.gen(function* () {
      const { before, isOpen, succeeded } = yield* halfOpen
      yield* succeeded(before)
      expect(yield* isOpen).toBe(true)
    }).pipe(VirtualClock.run)
  )
})
