import type { TokenBucket } from "@effect-retry/core"
import { RateLimiter, Verdict } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, FastCheck as fc, Fiber, Option } from "effect"
import * as Cubic from "../../../src/fund/count/Cubic.ts"
import { law } from "../../support/Laws.ts"
import { abandon, acquire, fail, isGranted, succeed } from "../Asking.ts"
import { first, nowMillis, settled } from "../RateMoves.ts"
import * as RateMoves from "../RateMoves.ts"

type Options = NonNullable<Parameters<typeof RateLimiter.adaptive>[0]>

type Result = "Succeeded" | "Failed" | "Throttled"

const hear = (rate: TokenBucket.TokenBucket, result: Result) =>
  result === "Succeeded" ? succeed(rate) : fail(rate, result === "Throttled" ? Verdict.throttling : Verdict.server)

/** Ten results per second for ten seconds, then a throttle: a limit of seven per second, cut from ten. */
const cutFromTen = (rate: TokenBucket.TokenBucket) =>
  Effect.gen(function* () {
    for (let i = 0; i < 100; i++) yield* Effect.zipRight(Effect.sleep("100 millis"), hear(rate, "Succeeded"))
    yield* hear(rate, "Throttled")
  })

/** Asks so many at once, and tells for each when it was granted or refused, counted from now. */
const turns = (rate: TokenBucket.TokenBucket, count: number, asked = first) =>
  Effect.gen(function* () {
    const start = yield* nowMillis
    const answers: Array<string> = []
    yield* Effect.forEach(
      Array.from({ length: count }),
      () =>
        Effect.flatMap(isGranted(rate, asked), (ok) =>
          Effect.map(nowMillis, (now) => void answers.push(`${ok ? "" : "not "}${now - start}`))
        ),
      { concurrency: "unbounded" }
    )
    return answers
  })

describe("RateLimiter.adaptive", () => {
  it.effect("grants everything at once until the server throttles", () =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.adaptive()
      yield* Effect.forEach(["Succeeded", "Failed"] as const, (result) => hear(rate, result))
      expect(new Set(yield* turns(rate, 1000))).toEqual(new Set(["0"]))
    }).pipe(VirtualClock.run)
  )

  it.effect("reads the clock for an attempt only if there is a limit", () =>
    Effect.gen(function* () {
      let reads = 0
      const clock = Object.assign(Clock.make(), { unsafeCurrentTimeNanos: () => BigInt(++reads) })
      const refused = { ...first, atMostMillis: 0 }
      const readsAfter = (rate: TokenBucket.TokenBucket) => Effect.map(isGranted(rate, refused), () => reads)
      const rate = yield* Effect.withClock(RateLimiter.adaptive(), clock)
      const before = reads
      expect(yield* Effect.withClock(readsAfter(rate), clock)).toBe(before)
      yield* Effect.withClock(hear(rate, "Throttled"), clock)
      expect(yield* Effect.withClock(readsAfter(rate), clock)).toBeGreaterThan(before + 1)
    })
  )

  it.effect("sends at the least rate after a throttle before anything was measured", () =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.adaptive()
      yield* hear(rate, "Throttled")
      expect(yield* turns(rate, 4)).toEqual(["2000", "4000", "6000", "8000"])
    }).pipe(VirtualClock.run)
  )

  it.effect("sends at the rate that the cut has left, in the order of arrival", () =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.adaptive()
      yield* cutFromTen(rate)
      const answers = (yield* turns(rate, 30)).map(Number)
      expect(answers).toEqual(answers.toSorted((a, b) => a - b))
      const waited = answers.filter((millis) => millis > 0)
      expect((waited.at(-1) ?? 0) - (waited[0] ?? 0)).toBeCloseTo(((waited.length - 1) / 7) * 1000, -1)
    }).pipe(VirtualClock.run)
  )

  it.effect("hears outcomes while attempts wait, and grants the first as soon as the rate allows", () =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.adaptive({ minFillRate: 0.01 })
      yield* hear(rate, "Throttled")
      const waiting = yield* Effect.fork(Effect.zipRight(isGranted(rate, first), nowMillis))
      const other = yield* Effect.fork(
        Effect.forever(Effect.zipRight(Effect.sleep("100 millis"), hear(rate, "Succeeded")))
      )
      expect(yield* Fiber.join(waiting)).toBeLessThan(4000)
      yield* Fiber.interrupt(other)
    }).pipe(VirtualClock.run)
  )

  it.effect("lets a waiting attempt wait longer when a throttle comes", () =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.adaptive()
      yield* cutFromTen(rate)
      // Takes all tokens there are.
      const left = yield* turns(rate, 20, { attempt: 1, atMostMillis: 0 })
      expect(left).toContain("not 0")
      const start = yield* nowMillis
      const waiting = yield* Effect.fork(Effect.zipRight(isGranted(rate, first), nowMillis))
      yield* settled
      yield* Effect.replicateEffect(hear(rate, "Throttled"), 30)
      const waited = (yield* Fiber.join(waiting)) - start
      expect(waited).toBeGreaterThan(1000)
      expect(waited).toBeLessThanOrEqual(2000)
    }).pipe(VirtualClock.run)
  )

  it.effect.each([
    { name: "at once when it is not to wait", options: { whenShort: "refuse" }, asked: first },
    { name: "at once beyond its own maximum", options: { maxWait: "1999 millis" }, asked: first },
    {
      name: "at once beyond the time left",
      options: {},
      asked: { attempt: 1, atMostMillis: 1999 }
    }
  ] as const)("refuses $name", ({ asked, options }) =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.adaptive(options)
      yield* hear(rate, "Throttled")
      expect(yield* turns(rate, 2, asked)).toEqual(["not 0", "not 0"])
    }).pipe(VirtualClock.run)
  )

  it.effect("grants within the time left, to the millisecond", () =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.adaptive()
      yield* hear(rate, "Throttled")
      const asked = { attempt: 1, atMostMillis: 2000 }
      expect(yield* turns(rate, 2, asked)).toEqual(["not 0", "2000"])
    }).pipe(VirtualClock.run)
  )

  it.effect("gives the turn of an interrupted attempt to the next one", () =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.adaptive()
      yield* hear(rate, "Throttled")
      const interrupted = yield* Effect.fork(isGranted(rate, first))
      const second = yield* Effect.fork(Effect.zipRight(isGranted(rate, first), nowMillis))
      yield* Effect.sleep("1999 millis")
      yield* Fiber.interrupt(interrupted)
      expect(yield* Fiber.join(second)).toBe(2000)
    }).pipe(VirtualClock.run)
  )

  it.effect("ignores changes of the wall clock", () =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.adaptive()
      yield* hear(rate, "Throttled")
      const waiting = yield* Effect.fork(turns(rate, 2))
      yield* Effect.sleep("1 second")
      yield* VirtualClock.stepBack("1 hour")
      yield* Effect.sleep("500 millis")
      yield* VirtualClock.setWallTime("10000 days")
      expect(yield* Fiber.join(waiting)).toEqual(["2000", "4000"])
    }).pipe(VirtualClock.run)
  )

  it.effect("hears a throttle that must not be retried", () =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.adaptive()
      yield* fail(rate, Verdict.terminal("not again", { kind: "Throttling" }))
      expect(yield* turns(rate, 1)).toEqual(["2000"])
    }).pipe(VirtualClock.run)
  )

  it.effect("hears nothing in an abandoned attempt", () =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.adaptive()
      yield* hear(rate, "Throttled")
      yield* Effect.replicateEffect(Effect.zipRight(Effect.sleep("100 millis"), abandon(rate)), 19)
      // What the least rate brings: nothing was measured.
      expect(yield* rate.level).toBeCloseTo(0.95, 9)
    }).pipe(VirtualClock.run)
  )

  it.effect("grants no tokens without a limit, and refunds what it took under one", () =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.adaptive()
      expect(yield* rate.level).toBe(Infinity)
      const free = Option.getOrThrow(yield* acquire(rate, first))
      yield* hear(rate, "Throttled")
      yield* free.refund
      expect([free.tokens, yield* rate.level]).toEqual([0, 0])
      const paid = Option.getOrThrow(yield* acquire(rate, first))
      expect([paid.tokens, yield* rate.level]).toEqual([1, 0])
      yield* paid.refund
      expect(yield* rate.level).toBe(1)
    }).pipe(VirtualClock.run)
  )

  it.effect("makes one cut for a burst of throttles with cutAtMostEvery", () =>
    Effect.gen(function* () {
      const lastOf14 = (options: Options) =>
        Effect.gen(function* () {
          const rate = yield* RateLimiter.adaptive(options)
          yield* cutFromTen(rate)
          yield* Effect.replicateEffect(hear(rate, "Throttled"), 19)
          return (yield* turns(rate, 14)).map(Number).at(-1)
        })
      expect(yield* lastOf14({})).toBeGreaterThan(20_000)
      expect(yield* lastOf14({ cutAtMostEvery: "1 second" })).toBeLessThan(1100)
    }).pipe(VirtualClock.run)
  )

  it.effect("keeps its rate over a silence with idleAfter", () =>
    Effect.gen(function* () {
      const resumed = (options: Options) =>
        Effect.gen(function* () {
          const rate = yield* RateLimiter.adaptive(options)
          yield* cutFromTen(rate)
          yield* Effect.sleep("10 minutes")
          yield* hear(rate, "Succeeded")
          return (yield* turns(rate, 60)).map(Number).at(-1) ?? 0
        })
      expect(yield* resumed({})).toBeGreaterThan(10_000)
      expect(yield* resumed({ idleAfter: "5 seconds" })).toBeLessThan(3000)
    }).pipe(VirtualClock.run)
  )

  it.effect("removes the limit and releases all waiters after offAfter without a throttle", () =>
    Effect.gen(function* () {
      const rate = yield* RateLimiter.adaptive({ offAfter: "5 seconds" })
      yield* hear(rate, "Throttled")
      expect(yield* turns(rate, 5)).toEqual(["2000", "4000", "5000", "5000", "5000"])
      yield* hear(rate, "Throttled")
      expect((yield* turns(rate, 1)).map(Number)[0]).toBeGreaterThan(0)
    }).pipe(VirtualClock.run)
  )
})

interface Move extends RateMoves.Move {
  readonly result: Result | undefined
}

const move: fc.Arbitrary<Move> = fc.record({
  ...RateMoves.moves({ shortMillis: 50, longMillis: 2000, ask: 3 }),
  result: fc.option(fc.constantFrom("Succeeded" as const, "Failed" as const, "Throttled" as const), { nil: undefined })
})

const hearResult = (rate: TokenBucket.TokenBucket, { result }: Move) =>
  result === undefined ? Effect.void : hear(rate, result)

/** The tested arithmetic. */
const arithmetic = (settings: Cubic.Settings): RateMoves.Model<Move> => {
  let state = Cubic.make(settings, 0)
  return {
    pass: () => {},
    take: (now) => {
      const taken = Cubic.taken(state, settings, now, 1)
      if (Option.isSome(taken)) state = taken.value[1]
      return Option.isSome(taken)
    },
    hear: ({ result }, now) => {
      if (result !== undefined) state = Cubic.recorded(state, settings, now, result === "Throttled")
    }
  }
}

const sdk: Cubic.Settings = {
  beta: 0.7,
  scaleConstant: 0.4,
  smoothing: 0.8,
  minFillRate: 0.5,
  minCapacity: 1,
  measurementBucketMillis: 500,
  cutAtMostEveryMillis: 0,
  idleAfterMillis: Infinity,
  offAfterMillis: Infinity
}

describe("RateLimiter.adaptive laws", () => {
  it.effect.prop(
    "grants what its arithmetic and an array of waiters grant, to the millisecond",
    [fc.boolean(), fc.array(move, { minLength: 1, maxLength: 15 })],
    ([asked, moves]) =>
      Effect.gen(function* () {
        const options = asked
          ? ({ cutAtMostEvery: "1 second", idleAfter: "1500 millis", offAfter: "20 seconds" } as const)
          : {}
        const rate = RateLimiter.adaptive({ minFillRate: 5, ...options })
        const grants = yield* RateMoves.granted(rate, moves, hearResult)
        const plain = { ...sdk, minFillRate: 5 }
        const settings = { ...plain, cutAtMostEveryMillis: 1000, idleAfterMillis: 1500, offAfterMillis: 20_000 }
        expect(grants).toEqual(RateMoves.modelled(arithmetic(asked ? settings : plain), moves))
      }),
    law(60)
  )
})
