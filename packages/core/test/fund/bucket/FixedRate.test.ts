import { RateLimiter, Verdict } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, FastCheck as fc, Fiber } from "effect"
import { law } from "../../support/Laws.ts"
import { abandon, fail, isGranted, succeed } from "../Asking.ts"
import { interruptedBefore } from "../Interrupting.ts"
import { first, nowMillis, settled } from "../RateMoves.ts"
import * as RateMoves from "../RateMoves.ts"

type Options = Parameters<typeof RateLimiter.fixed>[0]

/** When attempts were granted, while a number of callers repeat their requests for a time. */
const granted = (options: Options, askers: number, seconds: number) =>
  Effect.gen(function* () {
    const rate = yield* RateLimiter.fixed(options)
    const times: Array<number> = []
    const ask = Effect.zipRight(
      isGranted(rate, first),
      Effect.map(nowMillis, (now) => void times.push(now))
    )
    const asking = yield* Effect.fork(
      Effect.forEach(Array.from({ length: askers }), () => Effect.forever(ask), { concurrency: "unbounded" })
    )
    yield* Effect.sleep(Duration.seconds(seconds))
    yield* settled
    yield* Fiber.interrupt(asking)
    return times
  }).pipe(VirtualClock.run)

/** The most grants above `burst + rate * n` in any `n` milliseconds of the clock; of whole milliseconds. */
const excess = ({ burst, rate }: Options, times: ReadonlyArray<number>): number => {
  // By the largest sum of consecutive terms.
  let here = 0
  let most = -Infinity
  const perMilli = new Map<number, number>()
  for (const time of times) perMilli.set(time, (perMilli.get(time) ?? 0) + 1)
  const end = times.at(-1) ?? 0
  for (let milli = 0; milli <= end; milli++) {
    here = Math.max(here, 0) + (perMilli.get(milli) ?? 0) - rate / 1000
    most = Math.max(most, here)
  }
  return most - burst
}

describe("RateLimiter.fixed", () => {
  it.effect.each([
    { rate: 5000, burst: 1, askers: 1, seconds: 0.2 },
    { rate: 5000, burst: 1, askers: 50, seconds: 0.2 },
    { rate: 5000, burst: 500, askers: 50, seconds: 0.2 },
    { rate: 1000, burst: 1, askers: 3, seconds: 0.5 },
    { rate: 1234.5, burst: 7, askers: 20, seconds: 1 },
    { rate: 999.9995, burst: 1, askers: 2, seconds: 1 },
    { rate: 3, burst: 2.5, askers: 5, seconds: 100 },
    { rate: 0.1, burst: 1, askers: 2, seconds: 1000 }
  ])("grants $rate per second after $burst, exactly, when $askers always ask", ({ askers, burst, rate, seconds }) =>
    Effect.gen(function* () {
      const times = yield* granted({ rate, burst }, askers, seconds)
      expect(Math.abs(times.length - (burst + rate * seconds))).toBeLessThanOrEqual(1)
      expect(excess({ rate, burst }, times)).toBeLessThan(1e-3)
    })
  )

  it.effect("grants the burst at once, and then one by one", () =>
    Effect.gen(function* () {
      expect(yield* granted({ rate: 2, burst: 3 }, 1, 2)).toEqual([0, 0, 0, 500, 1000, 1500, 2000])
    })
  )

  it.effect("gathers no more than the burst in a pause", () =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.fixed({ rate: 10, burst: 3, whenShort: "refuse" })
      yield* Effect.sleep("1 hour")
      const answers = yield* Effect.replicateEffect(isGranted(rate, first), 5)
      expect(answers).toEqual([true, true, true, false, false])
    }).pipe(VirtualClock.run)
  )

  it.effect("makes up for a late timer, and for a tenth of a second of a longer stall", () =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.fixed({ rate: 1000, burst: 1 })
      const stalled = { millis: 0 }
      let granted = 0
      yield* Effect.gen(function* () {
        const ask = Effect.map(isGranted(rate, first), () => void (granted += 1))
        yield* Effect.fork(Effect.replicateEffect(ask, 500, { concurrency: "unbounded" }))
        yield* Effect.sleep("10 millis")
        yield* settled
        expect(granted).toBe(11)
        stalled.millis = 50
        yield* Effect.sleep("1 millis")
        yield* settled
        expect(granted).toBe(62)
        stalled.millis = 10_050
        yield* Effect.sleep("1 millis")
        yield* settled
        expect(granted).toBe(163)
      }).pipe(stalling(stalled))
    }).pipe(VirtualClock.run)
  )

  it.effect("refuses at once when it must not wait", () =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.fixed({ rate: 1, burst: 1, whenShort: "refuse" })
      expect([yield* isGranted(rate, first), yield* isGranted(rate, first)]).toEqual([true, false])
      yield* Effect.sleep("999 millis")
      expect(yield* isGranted(rate, first)).toBe(false)
      yield* Effect.sleep("1 millis")
      expect(yield* isGranted(rate, first)).toBe(true)
      expect(yield* nowMillis).toBe(1000)
    }).pipe(VirtualClock.run)
  )

  it.effect.each([
    { name: "the rate's own maximum", maxWait: "2 seconds", asked: first },
    { name: "the time left to the operation", maxWait: undefined, asked: { attempt: 1, atMostMillis: 2000 } },
    { name: "the shorter of the two", maxWait: "1 hour", asked: { attempt: 1, atMostMillis: 2000 } },
    {
      name: "the shorter of the two, the other way round",
      maxWait: "2 seconds",
      asked: { attempt: 1, atMostMillis: 9000 }
    }
  ] as const)("refuses at once when the turn would come after $name", ({ maxWait, asked }) =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.fixed({ rate: 1, burst: 1, ...(maxWait && { maxWait }) })
      const answers: Array<string> = []
      const ask = (name: string) =>
        Effect.flatMap(isGranted(rate, asked), (ok) =>
          Effect.map(nowMillis, (now) => void answers.push(`${name} ${ok} at ${now}`))
        )
      yield* Effect.forEach(["a", "b", "c", "d", "e"], ask, { concurrency: "unbounded" })
      expect(answers).toEqual(["a true at 0", "d false at 0", "e false at 0", "b true at 1000", "c true at 2000"])
    }).pipe(VirtualClock.run)
  )

  it.effect("serves a turn that comes at the very end of the time left", () =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.fixed({ rate: 5000, burst: 1, maxWait: "2 millis" })
      const answers = yield* Effect.replicateEffect(isGranted(rate, first), 20, { concurrency: "unbounded" })
      expect(answers.filter((ok) => ok)).toHaveLength(11)
      expect(yield* nowMillis).toBe(2)
    }).pipe(VirtualClock.run)
  )

  it.effect("changes nothing for an outcome", () =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.fixed({ rate: 1, burst: 1 })
      yield* Effect.all([fail(rate, Verdict.throttling), succeed(rate), abandon(rate)])
      expect([yield* isGranted(rate, first), yield* nowMillis]).toEqual([true, 0])
    }).pipe(VirtualClock.run)
  )
})

describe("RateLimiter.fixed after stalls of the program", () => {
  it.effect.each([
    { rate: 100, burst: 1, stalls: [500] },
    { rate: 1000, burst: 1, stalls: [50, 10_000, 99, 101] },
    { rate: 3, burst: 2, stalls: [1000, 1, 60_000] }
  ])(
    "grants at most $rate per second, a burst of $burst and a tenth of a second's attempts",
    ({ stalls, ...options }) =>
      Effect.gen(function* () {
        const times: Array<number> = []
        const stalled = { millis: 0 }
        const now = Effect.clockWith((clock) => Effect.sync(() => Number(clock.unsafeCurrentTimeNanos()) / 1e6))
        yield* Effect.gen(function* () {
          const rate = yield* RateLimiter.fixed(options)
          const ask = Effect.zipRight(
            isGranted(rate, first),
            Effect.map(now, (millis) => void times.push(millis))
          )
          const asking = yield* Effect.fork(
            Effect.replicateEffect(Effect.forever(ask), 5, { concurrency: "unbounded" })
          )
          for (const millis of stalls) {
            yield* Effect.sleep("100 millis")
            stalled.millis += millis
          }
          yield* Effect.sleep("100 millis")
          yield* Fiber.interrupt(asking)
        }).pipe(stalling(stalled))
        expect(times.length).toBeGreaterThan(options.burst)
        expect(excess(options, times)).toBeLessThan(options.rate * 0.1 + 1e-3)
      }).pipe(VirtualClock.run)
  )
})

/** A clock whose sleepers wake when it is later by `millis` already: the program stood still for so long. */
const stalling =
  (stalled: { readonly millis: number }) =>
  <A, E, R>(self: Effect.Effect<A, E, R>) =>
    Effect.clockWith((clock) =>
      Effect.withClock(self, {
        ...clock,
        unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos() + BigInt(stalled.millis) * 1_000_000n
      })
    )

describe("RateLimiter.fixed under interruption", () => {
  it.effect(
    "loses no token and delays no other attempt; a grant at the moment of the interruption counts as made",
    () =>
      Effect.gen(function* () {
        const turns = (at: number) =>
          Effect.gen(function* () {
            const rate = yield* RateLimiter.fixed({ rate: 1, burst: 1 })
            yield* isGranted(rate, first)
            const asked = { granted: false }
            const interrupted = yield* Effect.fork(
              interruptedBefore(
                at,
                Effect.tap(isGranted(rate, first), () => Effect.sync(() => void (asked.granted = true)))
              )
            )
            const second = yield* Effect.fork(
              Effect.zipRight(settled, Effect.zipRight(isGranted(rate, first), nowMillis))
            )
            const { steps } = yield* Fiber.join(interrupted)
            return { steps, granted: asked.granted, second: yield* Fiber.join(second) }
          }).pipe(VirtualClock.run)
        const { steps } = yield* turns(Infinity)
        const turnOfSecond: Array<number> = []
        for (let at = 1; at <= steps + 1; at++) {
          const { granted, second } = yield* turns(at)
          if (granted) expect(second).toBe(2000)
          turnOfSecond.push(second)
        }
        const waiting = turnOfSecond.lastIndexOf(1000) + 1
        expect(new Set(turnOfSecond.slice(0, waiting))).toEqual(new Set([1000]))
        expect(steps - waiting).toBeLessThanOrEqual(12)
      })
  )
})

/** A fixed rate as its description has it. */
const described = ({ burst, rate }: Options): RateMoves.Model<RateMoves.Move> => {
  let tokens = burst
  return {
    pass: (waiting) => {
      tokens = waiting ? tokens + rate / 1000 : Math.min(burst, tokens + rate / 1000)
    },
    take: () => {
      const enough = tokens + 1e-6 >= 1
      if (enough) tokens = Math.max(0, tokens - 1)
      return enough
    },
    hear: () => {}
  }
}

const move = fc.record(RateMoves.moves({ shortMillis: 30, longMillis: 3000, ask: 12 }))

describe("RateLimiter.fixed laws", () => {
  it.effect.prop(
    "grants as its description says, to the millisecond, and no more in any window",
    [fc.constantFrom(5000, 1000, 300, 7), fc.constantFrom(1, 2, 10), fc.array(move, { minLength: 1, maxLength: 15 })],
    ([rate, burst, moves]) =>
      Effect.gen(function* () {
        const grants = yield* RateMoves.granted(RateLimiter.fixed({ rate, burst }), moves)
        expect(grants).toEqual(RateMoves.modelled(described({ rate, burst }), moves))
        expect(grants.map(({ name }) => name)).toEqual(grants.map(({ name }) => name).toSorted((a, b) => a - b))
        expect(
          excess(
            { rate, burst },
            grants.map(({ millis }) => millis)
          )
        ).toBeLessThan(1e-3)
      }),
    law(60)
  )
})
