import { SendRate } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, FastCheck as fc, Fiber, Option } from "effect"
import { law } from "../support/Laws.ts"

const settled = Effect.sleep(Duration.zero)

const nowMillis = Effect.map(VirtualClock.now, Duration.toMillis)

const wanted: SendRate.Wanted = { attempt: 1, atMost: Option.none() }

/** Ten results per second for ten seconds, then a throttle: a limit of seven per second, cut from ten. */
const cutFromTen = (rate: SendRate.SendRate) =>
  Effect.gen(function* () {
    for (let i = 0; i < 100; i++) yield* Effect.zipRight(Effect.sleep("100 millis"), rate.heard("Succeeded"))
    yield* rate.heard("Throttled")
  })

/** Asks so many at once, and tells for each when it was granted or refused, counted from now. */
const turns = (rate: SendRate.SendRate, count: number, asked = wanted) =>
  Effect.gen(function* () {
    const start = yield* nowMillis
    const answers: Array<string> = []
    yield* Effect.forEach(
      Array.from({ length: count }),
      () =>
        Effect.flatMap(rate.acquire(asked), (ok) =>
          Effect.map(nowMillis, (now) => void answers.push(`${ok ? "" : "not "}${now - start}`))
        ),
      { concurrency: "unbounded" }
    )
    return answers
  })

describe("SendRate.makeAdaptive", () => {
  it.effect("grants everything at once until the server throttles", () =>
    Effect.gen(function* () {
      const rate = yield* SendRate.makeAdaptive()
      yield* Effect.forEach(["Succeeded", "Failed"] as const, rate.heard)
      expect(new Set(yield* turns(rate, 1000))).toEqual(new Set(["0"]))
    }).pipe(VirtualClock.run)
  )

  it.effect("sends at the least rate after a throttle before anything was measured", () =>
    Effect.gen(function* () {
      const rate = yield* SendRate.makeAdaptive()
      yield* rate.heard("Throttled")
      expect(yield* turns(rate, 4)).toEqual(["2000", "4000", "6000", "8000"])
    }).pipe(VirtualClock.run)
  )

  it.effect("sends at the rate that the cut has left, in the order of arrival", () =>
    Effect.gen(function* () {
      const rate = yield* SendRate.makeAdaptive()
      yield* cutFromTen(rate)
      const answers = (yield* turns(rate, 30)).map(Number)
      expect(answers).toEqual(answers.toSorted((a, b) => a - b))
      const waited = answers.filter((millis) => millis > 0)
      expect((waited.at(-1) ?? 0) - (waited[0] ?? 0)).toBeCloseTo(((waited.length - 1) / 7) * 1000, -1)
    }).pipe(VirtualClock.run)
  )

  it.effect("hears results while attempts wait, and lets the first in line go as soon as the rate allows", () =>
    Effect.gen(function* () {
      const rate = yield* SendRate.makeAdaptive({ minFillRate: 0.01 })
      yield* rate.heard("Throttled")
      const waiting = yield* Effect.fork(Effect.zipRight(rate.acquire(wanted), nowMillis))
      const other = yield* Effect.fork(
        Effect.forever(Effect.zipRight(Effect.sleep("100 millis"), rate.heard("Succeeded")))
      )
      expect(yield* Fiber.join(waiting)).toBeLessThan(4000)
      yield* Fiber.interrupt(other)
    }).pipe(VirtualClock.run)
  )

  it.effect("lets the first in line wait longer when a throttle comes", () =>
    Effect.gen(function* () {
      const rate = yield* SendRate.makeAdaptive()
      yield* cutFromTen(rate)
      // Takes all tokens there are.
      const left = yield* turns(rate, 20, { attempt: 1, atMost: Option.some(Duration.zero) })
      expect(left).toContain("not 0")
      const start = yield* nowMillis
      const waiting = yield* Effect.fork(Effect.zipRight(rate.acquire(wanted), nowMillis))
      yield* settled
      yield* Effect.replicateEffect(rate.heard("Throttled"), 30)
      const waited = (yield* Fiber.join(waiting)) - start
      expect(waited).toBeGreaterThan(1000)
      expect(waited).toBeLessThanOrEqual(2000)
    }).pipe(VirtualClock.run)
  )

  it.effect.each([
    { name: "at once when it is not to wait", options: { whenShort: "refuse" }, asked: wanted },
    { name: "at once beyond its own maximum", options: { maxWait: "1999 millis" }, asked: wanted },
    {
      name: "at once beyond the time left",
      options: {},
      asked: { attempt: 1, atMost: Option.some(Duration.millis(1999)) }
    }
  ] as const)("refuses $name", ({ asked, options }) =>
    Effect.gen(function* () {
      const rate = yield* SendRate.makeAdaptive(options)
      yield* rate.heard("Throttled")
      expect(yield* turns(rate, 2, asked)).toEqual(["not 0", "not 0"])
    }).pipe(VirtualClock.run)
  )

  it.effect("grants within the time left, to the millisecond", () =>
    Effect.gen(function* () {
      const rate = yield* SendRate.makeAdaptive()
      yield* rate.heard("Throttled")
      const asked = { attempt: 1, atMost: Option.some(Duration.seconds(2)) }
      expect(yield* turns(rate, 2, asked)).toEqual(["not 0", "2000"])
    }).pipe(VirtualClock.run)
  )

  it.effect("passes the turn of an interrupted attempt on", () =>
    Effect.gen(function* () {
      const rate = yield* SendRate.makeAdaptive()
      yield* rate.heard("Throttled")
      const first = yield* Effect.fork(rate.acquire(wanted))
      const second = yield* Effect.fork(Effect.zipRight(rate.acquire(wanted), nowMillis))
      yield* Effect.sleep("1999 millis")
      yield* Fiber.interrupt(first)
      expect(yield* Fiber.join(second)).toBe(2000)
    }).pipe(VirtualClock.run)
  )

  it.effect("takes no notice of a clock that is set", () =>
    Effect.gen(function* () {
      const rate = yield* SendRate.makeAdaptive()
      yield* rate.heard("Throttled")
      const waiting = yield* Effect.fork(turns(rate, 2))
      yield* Effect.sleep("1 second")
      yield* VirtualClock.stepBack("1 hour")
      yield* Effect.sleep("500 millis")
      yield* VirtualClock.setWallTime("10000 days")
      expect(yield* Fiber.join(waiting)).toEqual(["2000", "4000"])
    }).pipe(VirtualClock.run)
  )

  it.effect("makes one cut of a burst of throttles where asked to", () =>
    Effect.gen(function* () {
      const lastOf14 = (options: SendRate.Adaptive) =>
        Effect.gen(function* () {
          const rate = yield* SendRate.makeAdaptive(options)
          yield* cutFromTen(rate)
          yield* Effect.replicateEffect(rate.heard("Throttled"), 19)
          return (yield* turns(rate, 14)).map(Number).at(-1)
        })
      expect(yield* lastOf14({})).toBeGreaterThan(20_000)
      expect(yield* lastOf14({ cutAtMostEvery: "1 second" })).toBeLessThan(1100)
    }).pipe(VirtualClock.run)
  )

  it.effect("comes back from a silence with its rate where asked to", () =>
    Effect.gen(function* () {
      const resumed = (options: SendRate.Adaptive) =>
        Effect.gen(function* () {
          const rate = yield* SendRate.makeAdaptive(options)
          yield* cutFromTen(rate)
          yield* Effect.sleep("10 minutes")
          yield* rate.heard("Succeeded")
          return (yield* turns(rate, 60)).map(Number).at(-1) ?? 0
        })
      expect(yield* resumed({})).toBeGreaterThan(10_000)
      expect(yield* resumed({ idleAfter: "5 seconds" })).toBeLessThan(3000)
    }).pipe(VirtualClock.run)
  )

  it.effect("lets all go that wait when it was quiet for long enough, where asked to", () =>
    Effect.gen(function* () {
      const rate = yield* SendRate.makeAdaptive({ offAfter: "5 seconds" })
      yield* rate.heard("Throttled")
      expect(yield* turns(rate, 5)).toEqual(["2000", "4000", "5000", "5000", "5000"])
      yield* rate.heard("Throttled")
      expect((yield* turns(rate, 1)).map(Number)[0]).toBeGreaterThan(0)
    }).pipe(VirtualClock.run)
  )
})

interface Move {
  readonly millis: number
  readonly ask: number
  readonly result: SendRate.Result | undefined
  readonly interrupt: number | undefined
  readonly stepBackMillis: number
}

const move: fc.Arbitrary<Move> = fc.record({
  millis: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 2000 })),
  ask: fc.integer({ min: 0, max: 3 }),
  result: fc.option(fc.constantFrom("Succeeded" as const, "Failed" as const, "Throttled" as const), { nil: undefined }),
  interrupt: fc.option(fc.nat(30), { nil: undefined, freq: 3 }),
  stepBackMillis: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 100_000 }))
})

interface Grant {
  readonly name: number
  readonly millis: number
}

const run = (options: SendRate.Adaptive, moves: ReadonlyArray<Move>) =>
  Effect.gen(function* () {
    const rate = yield* SendRate.makeAdaptive(options)
    const grants: Array<Grant> = []
    const fibers: Array<Fiber.Fiber<void>> = []
    for (const { ask, interrupt, millis, result, stepBackMillis } of moves) {
      yield* Effect.sleep(Duration.millis(millis))
      yield* settled
      yield* VirtualClock.stepBack(Duration.millis(stepBackMillis))
      if (result !== undefined) yield* Effect.zipRight(rate.heard(result), settled)
      for (let i = 0; i < ask; i++) {
        const name = fibers.length
        const granted = Effect.map(nowMillis, (now) => void grants.push({ name, millis: now }))
        fibers.push(yield* Effect.fork(Effect.zipRight(rate.acquire(wanted), granted)))
      }
      yield* settled
      const interrupted = interrupt === undefined ? undefined : fibers[interrupt]
      if (interrupted !== undefined) yield* Fiber.interrupt(interrupted)
    }
    yield* Effect.sleep("1 hour")
    return grants
  }).pipe(VirtualClock.run)

const { Cubic } = SendRate

/** The tested arithmetic and a queue, asked every millisecond. */
const onPaper = (settings: SendRate.Cubic.Settings, moves: ReadonlyArray<Move>): ReadonlyArray<Grant> => {
  let state = Cubic.make(settings, 0)
  let now = 0
  let asked = 0
  let line: Array<number> = []
  const grants: Array<Grant> = []
  const serve = () => {
    while (line.length > 0) {
      const [ok, after] = Cubic.taken(state, settings, now, 1)
      state = after
      if (!ok) return
      grants.push({ name: line.shift()!, millis: now })
    }
  }
  const pass = (millis: number) => {
    for (let i = 0; i < millis; i++) {
      now += 1
      serve()
    }
  }
  for (const { ask, interrupt, millis, result } of moves) {
    pass(millis)
    if (result !== undefined) state = Cubic.heard(state, settings, now, result === "Throttled")
    serve()
    for (let i = 0; i < ask; i++) line.push(asked++)
    serve()
    line = line.filter((name) => name !== interrupt)
  }
  while (line.length > 0) pass(1)
  return grants
}

const sdk: SendRate.Cubic.Settings = {
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

describe("SendRate.makeAdaptive laws", () => {
  it.effect.prop(
    "grants what the arithmetic and a queue on paper grant, to the millisecond",
    [fc.boolean(), fc.array(move, { minLength: 1, maxLength: 15 })],
    ([asked, moves]) =>
      Effect.gen(function* () {
        const grants = yield* run(
          asked
            ? { minFillRate: 5, cutAtMostEvery: "1 second", idleAfter: "1500 millis", offAfter: "20 seconds" }
            : { minFillRate: 5 },
          moves
        )
        const plain = { ...sdk, minFillRate: 5 }
        const settings = { ...plain, cutAtMostEveryMillis: 1000, idleAfterMillis: 1500, offAfterMillis: 20_000 }
        expect(grants).toEqual(onPaper(asked ? settings : plain, moves))
      }),
    law(60)
  )
})
