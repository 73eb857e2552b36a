import { Backoff, Classifier, Curve, Jitter, Retry, Verdict } from "@effect-retry/core"
import { Arbitraries, SeededRandom, VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Duration, Effect, FastCheck, Fiber, Random, Schedule, Stream, TestClock } from "effect"
import { law } from "../support/Laws.ts"
import { failing, nativeTrace, operationTrace, retryTrace } from "../support/Traces.ts"

const { draw } = Arbitraries

describe("Backoff as data", () => {
  it("can be read: curve, cap and jitter, and what a step costs", () => {
    const backoff = Backoff.exponential({ base: "1 second", factor: 3 }).pipe(
      Backoff.jittered(Jitter.equal),
      Backoff.capped("20 seconds")
    )
    expect(backoff.tree).toEqual({
      _tag: "Leaf",
      curve: expect.objectContaining({ name: "exponential", draws: false }),
      state: undefined,
      capMillis: 20_000,
      jitter: Jitter.equal,
      n: 1
    })
    expect([backoff.draws, backoff.readsTime]).toEqual([true, false])
    const constant = Backoff.constant({ delay: 1 })
    for (const timed of [Backoff.resetAfter(constant, "1 second"), Backoff.within(constant, "1 second")]) {
      expect([timed.draws, timed.readsTime]).toEqual([false, true])
    }
    expect(Backoff.take(constant, 1).readsTime).toBe(false)
  })

  // The three ways of the golden tables, for any tree, any kinds of failure and attempts that take their time.
  it.effect.prop(
    "waits as its tree says, in our loop and as a native schedule",
    [
      Arbitraries.backoff(10_000).map((backoff) => Backoff.capped(backoff, 1_000_000)),
      FastCheck.array(
        FastCheck.record({
          u: draw,
          ranMillis: FastCheck.constantFrom(0, 1, 500, 60_000),
          kind: FastCheck.constantFrom(...Verdict.kinds)
        }),
        { minLength: 1, maxLength: 8 }
      )
    ],
    ([backoff, failures]) =>
      Effect.gen(function* () {
        const chance = SeededRandom.layerFixed(backoff.draws ? failures.map(({ u }) => u) : [])
        expect(yield* Effect.provide(retryTrace(backoff, failures), chance)).toEqual(operationTrace(backoff, failures))
        const native = yield* Effect.provide(nativeTrace(backoff, failures), chance)
        expect(native.waits).toEqual(
          operationTrace(
            backoff,
            failures.map(({ ranMillis, u }) => ({ ranMillis, u })),
            "first failure"
          )
        )
      }),
    law(100)
  )

  it.effect.prop(
    "gives the same trace to the same seed",
    [Arbitraries.backoff(10_000).map((backoff) => Backoff.capped(backoff, 1_000_000)), FastCheck.integer()],
    ([backoff, seed]) =>
      Effect.gen(function* () {
        const run = Effect.provide(retryTrace(backoff, failing(6)), SeededRandom.layer(seed))
        expect(yield* run).toEqual(yield* run)
      }),
    law(50)
  )

  it.effect("gives other traces to other seeds", () =>
    Effect.gen(function* () {
      const backoff = Backoff.jittered(Backoff.exponential({ base: "1 minute" }), Jitter.full)
      const traces = yield* Effect.forEach([1, 2, 3, 4, 5], (seed) =>
        Effect.provide(retryTrace(backoff, failing(2)), SeededRandom.layer(seed))
      )
      expect(new Set(traces.map(String)).size).toBe(5)
    })
  )
})

describe("Backoff as a native Schedule", () => {
  const exponential = Backoff.exponential({ base: 100 })

  /** The times of attempts that fail, each at once, under a native schedule. */
  const attempts = (schedule: Schedule.Schedule<unknown, Boom>, failures = 6) =>
    Effect.suspend(() => {
      const times: Array<number> = []
      const attempt = Effect.gen(function* () {
        times.push(Duration.toMillis(yield* VirtualClock.now))
        if (times.length <= failures) yield* Effect.fail(boom(times.length))
      })
      return Effect.as(Effect.ignore(Effect.retry(attempt, schedule)), times)
    }).pipe(VirtualClock.run)

  interface Boom {
    readonly _tag: "Boom"
    readonly n: number
  }
  const boom = (n: number): Boom => ({ _tag: "Boom", n })

  it.effect("ends with recurs under intersect", () =>
    Effect.gen(function* () {
      expect(yield* attempts(Schedule.intersect(exponential, Schedule.recurs(3)))).toEqual([0, 100, 300, 700])
    })
  )

  it.effect("waits the longer of two under intersect, like max", () =>
    Effect.gen(function* () {
      const intersected = Schedule.intersect(exponential, Schedule.spaced(300))
      const ours = Backoff.max(exponential, Backoff.constant({ delay: 300 }))
      expect(yield* attempts(intersected)).toEqual([0, 300, 600, 1_000, 1_800, 3_400, 6_600])
      expect(yield* attempts(ours)).toEqual(yield* attempts(intersected))
    })
  )

  it.effect("waits the shorter of two under union, and goes on while either does, like min", () =>
    Effect.gen(function* () {
      const few = Backoff.fromDelays([30, 30])
      const united = Schedule.union(exponential, few)
      expect(yield* attempts(united)).toEqual([0, 30, 60, 460, 1_260, 2_860, 6_060])
      expect(yield* attempts(Backoff.min(exponential, few))).toEqual(yield* attempts(united))
    })
  )

  it.effect("goes on after its end under native andThen, like our own", () =>
    Effect.gen(function* () {
      const few = Backoff.fromDelays([30, 30])
      const sequenced = Schedule.andThen(few, exponential)
      expect(yield* attempts(sequenced, 4)).toEqual([0, 30, 60, 160, 360])
      expect(yield* attempts(Backoff.andThen(few, exponential), 4)).toEqual(yield* attempts(sequenced, 4))
    })
  )

  it.effect("reads the error under whileInput", () =>
    Effect.gen(function* () {
      const schedule = exponential.pipe(Schedule.whileInput((error: Boom) => error.n < 3))
      expect(yield* attempts(schedule)).toEqual([0, 100, 300])
    })
  )

  it.effect("stops under upTo, counted from the first failure", () =>
    Effect.gen(function* () {
      expect(yield* attempts(Schedule.upTo(exponential, 701))).toEqual([0, 100, 300, 700, 1_500])
    })
  )

  it.effect("keeps its delays when its output is mapped, and when its input is tapped", () =>
    Effect.gen(function* () {
      const seen: Array<string | number> = []
      const schedule = exponential.pipe(
        Schedule.tapInput((error: Boom) => Effect.sync(() => seen.push(error.n))),
        Schedule.map((delay) => `waits ${Duration.format(delay)}`),
        Schedule.tapOutput((text) => Effect.sync(() => seen.push(text)))
      )
      expect(yield* attempts(schedule, 3)).toEqual([0, 100, 300, 700])
      expect(seen).toEqual([1, "waits 100ms", 2, "waits 200ms", 3, "waits 400ms"])
    })
  )

  it.effect("previews its delays under Schedule.run without waiting", () =>
    Effect.gen(function* () {
      const delays = yield* Schedule.run(exponential, 0, [1, 2, 3, 4, 5, 6])
      expect(Chunk.toReadonlyArray(Chunk.map(delays, Duration.toMillis))).toEqual([100, 200, 400, 800, 1_600, 3_200])
      expect(Chunk.toReadonlyArray(yield* Schedule.run(Schedule.delays(exponential), 0, [1, 2, 3]))).toEqual(
        [100, 200, 400].map(Duration.millis)
      )
    })
  )

  it.effect("starts over when its driver is reset", () =>
    Effect.gen(function* () {
      const driver = yield* Schedule.driver(exponential)
      const next = Effect.map(driver.next(undefined), Duration.toMillis)
      expect(yield* Effect.all([next, next, next])).toEqual([100, 200, 400])
      yield* driver.reset
      expect(yield* next).toBe(100)
    }).pipe(VirtualClock.run)
  )

  it.effect("spaces what Effect.repeat repeats", () =>
    Effect.gen(function* () {
      const times: Array<number> = []
      yield* Effect.repeat(
        Effect.map(VirtualClock.now, (now) => times.push(Duration.toMillis(now))),
        Backoff.fromDelays([10, 20, 40, 80, 160, 320])
      )
      expect(times).toEqual([0, 10, 30, 70, 150, 310, 630])
    }).pipe(VirtualClock.run)
  )

  it.effect("spaces the restarts of Stream.retry", () =>
    Effect.gen(function* () {
      const times: Array<number> = []
      const source = Stream.unwrap(
        Effect.gen(function* () {
          times.push(Duration.toMillis(yield* VirtualClock.now))
          return times.length < 5 ? Stream.fail("lost") : Stream.make("a", "b")
        })
      )
      expect(Chunk.toReadonlyArray(yield* Stream.runCollect(Stream.retry(source, exponential)))).toEqual(["a", "b"])
      expect(times).toEqual([0, 100, 300, 700, 1_500])
    }).pipe(VirtualClock.run)
  )

  it.effect("is one value that many fibers use at once, each from the beginning", () =>
    Effect.gen(function* () {
      const shared = Backoff.andThen(Backoff.fromDelays([7, 3]), exponential)
      const one = [7, 3, 100, 200, 400, 800]
      const fiber = (i: number) =>
        Effect.gen(function* () {
          const times: Array<number> = []
          const attempt = Effect.flatMap(VirtualClock.now, (now) => {
            times.push(Duration.toMillis(now))
            return times.length <= one.length ? Effect.fail("again") : Effect.void
          })
          yield* Effect.sleep(i)
          yield* i % 2 === 0
            ? Effect.retry(attempt, shared)
            : Retry.retry(attempt, { classifier: Classifier.always, maxAttempts: Infinity, backoff: shared })
          return times.slice(1).map((time, at) => time - times[at]!)
        })
      const seen = yield* Effect.forEach(
        Array.from({ length: 100 }, (_, i) => i),
        fiber,
        { concurrency: "unbounded" }
      )
      expect(seen).toEqual(Array.from({ length: 100 }, () => one))
    }).pipe(VirtualClock.run)
  )

  it.effect("draws once for each step from the Random of the fiber", () =>
    Effect.gen(function* () {
      const drawn = yield* Effect.replicateEffect(Random.next, 5).pipe(Effect.provide(SeededRandom.layer("five")))
      const backoff = Backoff.max(
        Backoff.jittered(Backoff.constant({ delay: "1 day" }), Jitter.full),
        Backoff.jittered(Backoff.constant({ delay: "1 day" }), Jitter.full)
      )
      const expected = drawn.map((u) => Math.ceil(u * 86_400_000))
      expect(yield* Effect.provide(retryTrace(backoff, failing(5)), SeededRandom.layer("five"))).toEqual(expected)
    })
  )
})

// Without our virtual clock: Effect's own clock, and its own schedules to compare with.
describe("Backoff under Effect's TestClock", () => {
  const exponential = Backoff.exponential({ base: 100 })

  /** The times at which something was done until it ended, in an hour. */
  const timesOf = (run: (mark: Effect.Effect<number>) => Effect.Effect<unknown, unknown>) =>
    Effect.gen(function* () {
      const times: Array<number> = []
      const start = yield* TestClock.currentTimeMillis
      const mark = Effect.map(TestClock.currentTimeMillis, (now) => times.push(now - start))
      const fiber = yield* Effect.fork(Effect.exit(run(mark)))
      yield* TestClock.adjust("1 hour")
      yield* Fiber.join(fiber)
      return times
    })

  /** An attempt of 50 ms that fails. */
  const failing = (mark: Effect.Effect<number>) =>
    Effect.zipRight(mark, Effect.zipRight(Effect.sleep(50), Effect.fail("down")))

  const rows: ReadonlyArray<readonly [string, Backoff.Backoff, Schedule.Schedule<unknown>]> = [
    ["exponential", Backoff.take(exponential, 6), Schedule.intersect(Schedule.exponential(100), Schedule.recurs(6))],
    [
      "linear",
      Backoff.take(Backoff.fromCurve(Curve.linear({ base: 100, step: 100 })), 6),
      Schedule.intersect(Schedule.linear(100), Schedule.recurs(6))
    ],
    [
      "fibonacci",
      Backoff.take(Backoff.fromCurve(Curve.fibonacci({ base: 100 })), 6),
      Schedule.intersect(Schedule.fibonacci(100), Schedule.recurs(6))
    ],
    ["fromDelays", Backoff.fromDelays([5, 10, 15, 20, 25]), Schedule.fromDelays(5, 10, 15, 20, 25)],
    [
      "max",
      Backoff.max(Backoff.take(exponential, 5), Backoff.constant({ delay: 300 })),
      Schedule.intersect(Schedule.intersect(Schedule.exponential(100), Schedule.recurs(5)), Schedule.spaced(300))
    ]
  ]

  it.effect.each(rows.map(([name, ours, native]) => ({ name, ours, native })))(
    "retries, repeats and restarts at the times of the native schedule: $name",
    ({ native, ours }) =>
      Effect.gen(function* () {
        const retried = yield* timesOf((mark) => Effect.retry(failing(mark), ours))
        expect(retried.length).toBeGreaterThan(5)
        expect(retried).toEqual(yield* timesOf((mark) => Effect.retry(failing(mark), native)))
        const repeated = yield* timesOf((mark) => Effect.repeat(Effect.zipRight(mark, Effect.sleep(50)), ours))
        expect(repeated.length).toBeGreaterThan(5)
        expect(repeated).toEqual(
          yield* timesOf((mark) => Effect.repeat(Effect.zipRight(mark, Effect.sleep(50)), native))
        )
        const stream = (by: Schedule.Schedule<unknown>) => (mark: Effect.Effect<number>) =>
          Stream.runDrain(Stream.retry(Stream.fromEffect(failing(mark)), by))
        const restarted = yield* timesOf(stream(ours))
        expect(restarted.length).toBeGreaterThan(5)
        expect(restarted).toEqual(yield* timesOf(stream(native)))
      })
  )

  it.effect("ends within a time from the first failure, at the same attempt in retry, repeat and Stream.retry", () =>
    Effect.gen(function* () {
      // Failures at 50, 200, 450, 900 ms, from the first 0, 150, 400, 850; the next delay is 800.
      const backoff = Backoff.within(exponential, 1_650)
      const expected = [0, 150, 400, 850]
      expect(yield* timesOf((mark) => Effect.retry(failing(mark), backoff))).toEqual(expected)
      expect(yield* timesOf((mark) => Effect.repeat(Effect.zipRight(mark, Effect.sleep(50)), backoff))).toEqual(
        expected
      )
      expect(
        yield* timesOf((mark) => Stream.runDrain(Stream.retry(Stream.fromEffect(failing(mark)), backoff)))
      ).toEqual(expected)
      const oneMore = Backoff.within(exponential, 1_651)
      expect(yield* timesOf((mark) => Effect.retry(failing(mark), oneMore))).toEqual([...expected, 1_700])
    })
  )

  it.effect("ends after a count of delays in retry, repeat and Stream.retry", () =>
    Effect.gen(function* () {
      const backoff = Backoff.take(exponential, 2)
      const expected = [0, 150, 400]
      expect(yield* timesOf((mark) => Effect.retry(failing(mark), backoff))).toEqual(expected)
      expect(yield* timesOf((mark) => Effect.repeat(Effect.zipRight(mark, Effect.sleep(50)), backoff))).toEqual(
        expected
      )
      expect(
        yield* timesOf((mark) => Stream.runDrain(Stream.retry(Stream.fromEffect(failing(mark)), backoff)))
      ).toEqual(expected)
    })
  )
})
