import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { client } from "../src/playground/Client.ts"
import { guarded } from "../src/playground/Guarding.ts"
import { initial, type Settings } from "../src/playground/Settings.ts"

const of = (changes: Partial<Settings>) => {
  const settings = { ...initial, ...changes }
  return Effect.map(guarded(client(settings), settings), (found) => {
    if (found === undefined) return found
    const { binMillis, made, outage, refused, shut } = found
    const during = (bin: number) => (bin + 0.5) * binMillis >= outage.from && (bin + 0.5) * binMillis < outage.until
    const sum = (counts: ReadonlyArray<number>, inside: boolean) =>
      counts.reduce((sum, count, bin) => sum + (during(bin) === inside ? count : 0), 0)
    return {
      madeInOutage: sum(made, true),
      refused: sum(refused, true) + sum(refused, false),
      shut: shut.filter(Boolean).length / shut.length,
      shutBefore: shut.slice(0, Math.floor(outage.from / binMillis)).some(Boolean)
    }
  })
}

const calm = { failureRatio: 0, outage: 2000 }

describe("Guarding.guarded", () => {
  it.effect("is nothing without a guard", () =>
    Effect.map(of({ rateLimiter: "none" }), (found) => expect(found).toBeUndefined())
  )

  it.effect("shows a breaker that opens in the outage and keeps attempts from the server", () =>
    Effect.gen(function* () {
      const open = yield* of({ ...calm, rateLimiter: "circuitBreaker", breakerOpenFor: 1000 })
      const closed = yield* of({ ...calm, rateLimiter: "circuitBreaker", breakerFailures: 1000 })
      expect(closed).toMatchObject({ refused: 0, shut: 0 })
      expect(open?.madeInOutage).toBeLessThan((closed?.madeInOutage ?? 0) / 4)
      expect(open?.refused).toBeGreaterThan(20)
      expect(open?.shut).toBeGreaterThan(0.1)
      expect(open?.shut).toBeLessThan(0.4)
      expect(open?.shutBefore).toBe(false)
    })
  )

  it.effect("shows a limit of concurrency that is full", () =>
    Effect.gen(function* () {
      const narrow = yield* of({ ...calm, rateLimiter: "concurrencyLimit", concurrency: 1, latency: 500 })
      const wide = yield* of({ ...calm, rateLimiter: "concurrencyLimit", concurrency: 1000, latency: 500 })
      expect(wide).toMatchObject({ refused: 0, shut: 0 })
      expect(narrow?.shut).toBeGreaterThan(0.8)
      expect(narrow?.madeInOutage).toBeLessThan((wide?.madeInOutage ?? 0) / 4)
    })
  )

  it.effect("shows a fixed rate that is kept to", () =>
    Effect.gen(function* () {
      const slow = yield* of({ ...calm, rateLimiter: "fixed", rate: 5, burst: 1 })
      expect(slow?.madeInOutage).toBeLessThanOrEqual(12)
      expect(slow?.shut).toBeGreaterThan(0.5)
    })
  )

  it.effect("gives the same answer for the same seed", () =>
    Effect.gen(function* () {
      const settings = { ...initial, rateLimiter: "acceptRatio" } as const
      const first = yield* guarded(client(settings), settings)
      expect(yield* guarded(client(settings), settings)).toEqual(first)
    })
  )
})
