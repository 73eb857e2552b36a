import { SeededRandom, VirtualClock } from "@effect-retry/plan"
import { describe, expect, it, layer } from "@effect/vitest"
import {
  Clock,
  Deferred,
  Duration,
  Effect,
  Exit,
  FastCheck,
  Fiber,
  FiberRef,
  Option,
  Order,
  Queue,
  Random,
  Schedule,
  Scheduler,
  Stream,
  TestClock
} from "effect"

const nowMillis = Effect.map(VirtualClock.now, Duration.toMillis)

/** Sleeps in fibers of their own, started in the order given; answers who woke when, in the order of waking. */
const wakeUps = (delays: ReadonlyArray<Duration.DurationInput>) =>
  Effect.gen(function* () {
    const woken: Array<readonly [sleeper: number, at: number]> = []
    const sleep = (delay: Duration.DurationInput, sleeper: number) =>
      Effect.gen(function* () {
        yield* Effect.sleep(delay)
        woken.push([sleeper, yield* nowMillis])
      })
    yield* Effect.forEach(delays, sleep, { concurrency: "unbounded", discard: true })
    return woken
  })

describe("VirtualClock.layer", () => {
  it.effect("starts at 0", () =>
    Effect.gen(function* () {
      expect(yield* Clock.currentTimeMillis).toBe(0)
      expect(yield* Clock.currentTimeNanos).toBe(0n)
      expect(yield* nowMillis).toBe(0)
    }).pipe(Effect.provide(VirtualClock.layer))
  )

  it.effect("wakes sleepers by time, whatever the order in which they fell asleep", () =>
    Effect.gen(function* () {
      expect(yield* wakeUps(["3 seconds", "1 hour", "0 millis", "20 millis", "2 days", "0.5 millis"])).toEqual([
        [2, 0],
        [5, 0.5],
        [3, 20],
        [0, 3_000],
        [1, 3_600_000],
        [4, 172_800_000]
      ])
    }).pipe(Effect.provide(VirtualClock.layer))
  )

  it.effect("wakes sleepers of one instant in the order in which they fell asleep", () =>
    Effect.gen(function* () {
      const woken = yield* wakeUps(Array.from({ length: 100 }, () => "1 second"))
      expect(woken).toEqual(Array.from({ length: 100 }, (_, sleeper) => [sleeper, 1_000]))
    }).pipe(Effect.provide(VirtualClock.layer))
  )

  it.effect("wakes the next sleeper of an instant only when the one before has come to rest", () =>
    Effect.gen(function* () {
      const steps: Array<string> = []
      const walk = (name: string) =>
        Effect.gen(function* () {
          yield* Effect.sleep("1 second")
          for (const step of [1, 2, 3]) {
            yield* Effect.promise(() => Promise.resolve())
            yield* Effect.yieldNow()
            steps.push(`${name}${step}`)
          }
        })
      yield* Effect.all([walk("a"), walk("b")], { concurrency: "unbounded" })
      expect(steps).toEqual(["a1", "a2", "a3", "b1", "b2", "b3"])
    }).pipe(Effect.provide(VirtualClock.layer))
  )

  it.effect("lets an earlier sleeper of an instant interrupt a later one", () =>
    Effect.gen(function* () {
      let woken = false
      const gate = yield* Deferred.make<Fiber.Fiber<void>>()
      const first = yield* Deferred.await(gate).pipe(
        Effect.tap(() => Effect.sleep("1 second")),
        Effect.flatMap(Fiber.interrupt),
        Effect.fork
      )
      const later = Effect.sync(() => {
        woken = true
      }).pipe(Effect.delay("500 millis"), Effect.delay("500 millis"))
      yield* Deferred.succeed(gate, yield* Effect.fork(later))
      expect(Exit.isInterrupted(yield* Fiber.join(first))).toBe(true)
      expect(woken).toBe(false)
      expect(yield* nowMillis).toBe(1_000)
    }).pipe(Effect.provide(VirtualClock.layer))
  )

  it.effect.prop(
    "wakes exactly the sleepers that were not interrupted, by time and then by order",
    [FastCheck.array(FastCheck.record({ millis: FastCheck.nat(20), kept: FastCheck.boolean() }), { maxLength: 60 })],
    ([plans]) =>
      Effect.gen(function* () {
        const woken: Array<number> = []
        const fibers = yield* Effect.forEach(plans, ({ millis }, index) =>
          Effect.fork(
            Effect.delay(
              Effect.sync(() => woken.push(index)),
              millis + 1
            )
          )
        )
        yield* Effect.yieldNow()
        expect(yield* VirtualClock.sleepers).toBe(plans.length)
        yield* Fiber.interruptAll(fibers.filter((_, index) => !plans[index]!.kept))
        expect(yield* VirtualClock.sleepers).toBe(plans.filter((plan) => plan.kept).length)
        yield* Fiber.awaitAll(fibers)
        const kept = plans.flatMap(({ kept, millis }, index) => (kept ? [{ index, millis }] : []))
        const byMillis = Order.mapInput(Order.number, (plan: { readonly millis: number }) => plan.millis)
        expect(woken).toEqual(kept.toSorted(byMillis).map(({ index }) => index))
      }).pipe(Effect.provide(VirtualClock.layer)),
    { fastCheck: { seed: 20 } }
  )

  it.effect("does not wait for a sleep that was interrupted", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.fork(Effect.sleep("1 day"))
      yield* Effect.sleep("1 second")
      expect(yield* VirtualClock.sleepers).toBe(1)
      yield* Fiber.interrupt(fiber)
      expect(yield* VirtualClock.sleepers).toBe(0)
      yield* Effect.sleep("1 second")
      expect(yield* nowMillis).toBe(2_000)
    }).pipe(Effect.provide(VirtualClock.layer))
  )

  it.effect.each([
    { sleep: "2147483647 millis" },
    { sleep: "2147483648 millis" },
    { sleep: "25 days" },
    { sleep: "400 days" },
    { sleep: "52000 weeks" }
  ] as const)("sleeps $sleep to the end", ({ sleep }) =>
    Effect.gen(function* () {
      yield* Effect.sleep(sleep)
      expect(yield* VirtualClock.now).toEqual(Duration.decode(sleep))
      expect(yield* Clock.currentTimeMillis).toBe(Duration.toMillis(sleep))
    }).pipe(Effect.provide(VirtualClock.layer))
  )

  it.effect("never wakes from an infinite sleep and does not count it", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.fork(Effect.sleep(Duration.infinity))
      yield* Effect.sleep("1000 days")
      expect(yield* VirtualClock.sleepers).toBe(0)
      expect(Option.isNone(yield* Fiber.poll(fiber))).toBe(true)
      expect(Exit.isInterrupted(yield* Fiber.interrupt(fiber))).toBe(true)
    }).pipe(Effect.provide(VirtualClock.layer))
  )

  it.effect("never goes back", () =>
    Effect.gen(function* () {
      yield* Effect.sleep("1 second")
      yield* Effect.sleep(-500)
      yield* Effect.sleep(-Infinity)
      expect(yield* Clock.currentTimeMillis).toBe(1000)
    }).pipe(Effect.provide(VirtualClock.layer))
  )

  it.effect("adds fractions of a millisecond exactly", () =>
    Effect.gen(function* () {
      yield* Effect.repeatN(Effect.sleep("0.1 millis"), 9)
      expect(yield* Clock.currentTimeNanos).toBe(1_000_000n)
      const [sum, whole] = yield* Effect.all(
        [Effect.zipRight(Effect.sleep("0.1 millis"), Effect.sleep("0.2 millis")), Effect.sleep("0.3 millis")].map(
          (sleep) => Effect.zipRight(sleep, VirtualClock.now)
        ),
        { concurrency: "unbounded" }
      )
      expect(sum).toEqual(whole)
    }).pipe(Effect.provide(VirtualClock.layer))
  )

  it.effect("tells nanoseconds and whole milliseconds after jittered sleeps", () =>
    Effect.gen(function* () {
      for (let sleep = 0; sleep < 100; sleep++) {
        yield* Effect.sleep(Duration.millis(100 * (yield* Random.next)))
        const nanos = yield* Clock.currentTimeNanos
        expect(yield* Clock.currentTimeMillis).toBe(Number(nanos / 1_000_000n))
        expect(yield* Effect.clockWith((clock) => Effect.sync(() => clock.unsafeCurrentTimeNanos()))).toBe(nanos)
      }
    }).pipe(Effect.provide([VirtualClock.layer, SeededRandom.layer(7)]))
  )

  it("leaves synchronous programs synchronous", () => {
    const program = Effect.zipRight(Effect.yieldNow(), Clock.currentTimeMillis)
    expect(Effect.runSync(VirtualClock.run(program))).toBe(0)
  })

  it.effect("sleeps for ever once the layer is released", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const [asleep, awake] = yield* Effect.gen(function* () {
        const asleep = yield* Effect.forkDaemon(Effect.sleep("1 second"))
        const awake = yield* Effect.forkDaemon(Effect.zipRight(Deferred.await(gate), Effect.sleep("1 second")))
        yield* Effect.yieldNow()
        expect(yield* VirtualClock.sleepers).toBe(1)
        return [asleep, awake] as const
      }).pipe(VirtualClock.run)
      yield* Deferred.succeed(gate, void 0)
      yield* Effect.repeatN(eventLoopTurn, 20)
      expect(Option.isNone(yield* Fiber.poll(asleep))).toBe(true)
      expect(Option.isNone(yield* Fiber.poll(awake))).toBe(true)
      yield* Fiber.interruptAll([asleep, awake])
    })
  )
})

const eventLoopTurn = Effect.async<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

describe("VirtualClock.layer, while a fiber is busy", () => {
  const pingPong = Effect.gen(function* () {
    const ping = yield* Queue.bounded<number>(1)
    const pong = yield* Queue.bounded<number>(1)
    const player = Effect.forever(Effect.flatMap(Queue.take(ping), (ball) => Queue.offer(pong, ball)))
    const opponent = yield* Effect.fork(player)
    for (let ball = 0; ball < 100; ball++) {
      yield* Queue.offer(ping, ball)
      yield* Queue.take(pong)
    }
    yield* Fiber.interrupt(opponent)
  })

  const relay = Effect.gen(function* () {
    const gates = yield* Effect.replicateEffect(Deferred.make<void>(), 100)
    const runner = (from: number) =>
      Effect.zipRight(Deferred.await(gates[from]!), Deferred.succeed(gates[from + 1]!, void 0))
    yield* Effect.forEach(
      Array.from({ length: 99 }, (_, from) => from),
      (from) => Effect.fork(runner(from))
    )
    yield* Deferred.succeed(gates[0]!, void 0)
    yield* Deferred.await(gates[99]!)
  })

  const forkAndJoin: Effect.Effect<unknown> = Effect.iterate(0, {
    while: (generation) => generation < 100,
    body: (generation) => Effect.flatMap(Effect.fork(Effect.succeed(generation + 1)), Fiber.join)
  })

  const promiseChain = async () => {
    for (let link = 0; link < 1_000; link++) await Promise.resolve()
  }

  it.effect.each([
    {
      busy: "yields ten thousand times",
      work: Effect.repeatN(Effect.yieldNow(), 10_000)
    },
    { busy: "awaits a chain of promises", work: Effect.promise(promiseChain) },
    {
      busy: "awaits promises between yields",
      work: Effect.repeatN(Effect.zipRight(Effect.promise(promiseChain), Effect.yieldNow()), 9)
    },
    { busy: "comes back by setImmediate", work: Effect.repeatN(eventLoopTurn, 50) },
    { busy: "reads the body of a response", work: Effect.promise(() => new Response("{}").json()) },
    { busy: "plays ball through queues", work: pingPong },
    { busy: "runs a relay through deferreds", work: relay },
    { busy: "forks and joins", work: forkAndJoin },
    {
      busy: "drains a stream with concurrency",
      work: Stream.range(1, 200).pipe(Stream.mapEffect(Effect.succeed, { concurrency: 8 }), Stream.runDrain)
    },
    {
      busy: "computes for long",
      work: Effect.loop(0, { while: (n) => n < 20_000, step: (n) => n + 1, body: () => Effect.void, discard: true })
    }
  ])("stands still while it $busy", ({ work }) =>
    Effect.gen(function* () {
      const sleeper = yield* Effect.fork(Effect.zipRight(Effect.sleep("1 millis"), VirtualClock.now))
      yield* Effect.yieldNow()
      expect(yield* VirtualClock.sleepers).toBe(1)
      yield* work
      expect(yield* nowMillis).toBe(0)
      expect(yield* Fiber.join(sleeper)).toEqual(Duration.millis(1))
    }).pipe(Effect.provide(VirtualClock.layer))
  )
})

describe("VirtualClock.layer, while a fiber waits for callbacks", () => {
  const afterTurns = (turns: number, done: () => void): void => {
    setImmediate(() => (turns === 1 ? done() : afterTurns(turns - 1, done)))
  }

  it.effect.each([1, 2, 3, 5, 8])("waits for a chain of %i calls of setImmediate", (turns) =>
    Effect.gen(function* () {
      const answer = Effect.async<string>((resume) => afterTurns(turns, () => resume(Effect.succeed("answer"))))
      expect(yield* Effect.timeoutOption(answer, "1 hour")).toEqual(Option.some("answer"))
      expect(yield* nowMillis).toBe(0)
    }).pipe(Effect.provide(VirtualClock.layer))
  )

  it.effect("waits for a chain after every wake-up", () =>
    Effect.gen(function* () {
      const answer = Effect.async<void>((resume) => afterTurns(8, () => resume(Effect.void)))
      const seen: Array<number> = []
      yield* Effect.fork(Effect.sleep("1 hour"))
      yield* Effect.zipRight(Effect.sleep("1 second"), Effect.zipRight(answer, nowMillis)).pipe(
        Effect.map((now) => seen.push(now)),
        Effect.repeatN(9)
      )
      expect(seen).toEqual(Array.from({ length: 10 }, (_, i) => (i + 1) * 1_000))
    }).pipe(Effect.provide(VirtualClock.layer))
  )
})

describe("VirtualClock.layer, with fibers on schedulers of their own", () => {
  // Every task after the first runs on a timer of the machine.
  const onTimers = Effect.withScheduler(Scheduler.makeBatched((run) => setTimeout(run, 2)))

  const yields = Effect.repeatN(Effect.yieldNow(), 3)

  it.effect.each([
    { does: "yields", work: onTimers(yields) },
    { does: "awaits a promise", work: onTimers(Effect.promise(() => Promise.resolve())) },
    { does: "forks", work: onTimers(Effect.flatMap(Effect.fork(Effect.void), Fiber.join)) },
    { does: "forks and yields", work: onTimers(Effect.flatMap(Effect.fork(yields), Fiber.join)) },
    { does: "works concurrently", work: onTimers(Effect.all([yields, yields, yields], { concurrency: 2 })) },
    { does: "enters another scheduler", work: onTimers(Effect.zipRight(yields, onTimers(yields))) },
    { does: "runs in a fork", work: Effect.flatMap(Effect.fork(onTimers(yields)), Fiber.join) },
    {
      does: "works concurrently in a fork",
      work: Effect.flatMap(Effect.fork(onTimers(Effect.all([yields, yields, yields], { concurrency: 2 }))), Fiber.join)
    },
    {
      does: "comes back by setImmediate",
      work: onTimers(Effect.async<void>((resume) => void setImmediate(() => resume(Effect.void))))
    },
    {
      does: "yields more often than a scheduler goes on at once",
      work: Effect.withScheduler(Effect.repeatN(Effect.yieldNow(), 20), new Scheduler.MixedScheduler(2))
    }
  ])("stands still while a fiber $does", ({ work }) =>
    Effect.gen(function* () {
      yield* Effect.fork(Effect.sleep("1 millis"))
      yield* Effect.yieldNow()
      yield* work
      expect(yield* nowMillis).toBe(0)
    }).pipe(Effect.provide(VirtualClock.layer))
  )

  it.effect("moves while a fiber sleeps, or waits for another one", () =>
    Effect.gen(function* () {
      const sleeper = yield* Effect.fork(onTimers(Effect.sleep("1 hour")))
      yield* onTimers(Fiber.join(sleeper))
      expect(yield* nowMillis).toBe(3_600_000)
      expect(yield* Effect.timeoutOption(onTimers(Effect.never), "1 second")).toEqual(Option.none())
      expect(yield* nowMillis).toBe(3_601_000)
    }).pipe(Effect.provide(VirtualClock.layer))
  )

  it.effect("lets a fiber run on the scheduler that it has entered, and leave it again", () =>
    Effect.gen(function* () {
      const scheduler = yield* FiberRef.get(FiberRef.currentScheduler)
      const other = new Scheduler.MixedScheduler(2)
      const inside = Effect.zipRight(yields, FiberRef.get(FiberRef.currentScheduler))
      expect(yield* Effect.withScheduler(inside, other)).toBe(other)
      expect(yield* FiberRef.get(FiberRef.currentScheduler)).toBe(scheduler)
    }).pipe(Effect.provide(VirtualClock.layer))
  )
})

describe("VirtualClock.layer, around another virtual clock", () => {
  it.effect("stands still while a program sleeps on a clock of its own", () =>
    Effect.gen(function* () {
      const inner = VirtualClock.run(Effect.zipRight(Effect.repeatN(Effect.sleep("1 day"), 99), nowMillis))
      expect(yield* Effect.timeoutOption(inner, "1 second")).toEqual(Option.some(100 * 86_400_000))
      expect(yield* nowMillis).toBe(0)
      yield* Effect.sleep("1 second")
      expect(yield* nowMillis).toBe(1_000)
    }).pipe(Effect.provide(VirtualClock.layer))
  )
})

describe("VirtualClock.layer, under programs that sleep", () => {
  it.effect.each([
    { work: "999 millis", outcome: Option.some("done"), at: 999 },
    { work: "1 seconds", outcome: Option.some("done"), at: 1_000 },
    { work: "1001 millis", outcome: Option.none(), at: 1_000 }
  ] as const)("times out after a second, with $work of work", ({ at, outcome, work }) =>
    Effect.gen(function* () {
      const timed = Effect.succeed("done").pipe(Effect.delay(work), Effect.timeoutOption("1 second"))
      expect(yield* timed).toEqual(outcome)
      expect(yield* nowMillis).toBe(at)
      expect(yield* VirtualClock.sleepers).toBe(0)
    }).pipe(Effect.provide(VirtualClock.layer))
  )

  it.effect("retries at the instants of the schedule", () =>
    Effect.gen(function* () {
      const attempts: Array<number> = []
      const attempt = Effect.flatMap(nowMillis, (at) => Effect.fail(attempts.push(at)))
      yield* Effect.ignore(
        Effect.retry(attempt, Schedule.intersect(Schedule.exponential("1 minute"), Schedule.recurs(6)))
      )
      expect(attempts).toEqual([0, 1, 3, 7, 15, 31, 63].map((minutes) => minutes * 60_000))
    }).pipe(Effect.provide(VirtualClock.layer))
  )

  it.effect("measures what Effect.timed measures", () =>
    Effect.gen(function* () {
      const [duration] = yield* Effect.timed(Effect.sleep("90 minutes"))
      expect(Duration.toMinutes(duration)).toBe(90)
    }).pipe(Effect.provide(VirtualClock.layer))
  )

  const jittered = Schedule.intersect(Schedule.jittered(Schedule.exponential("100 millis")), Schedule.recurs(5))

  /** Clients that retry five times each: who attempted when, in the order in which it happened. */
  const herd = (clients: number) =>
    Effect.gen(function* () {
      const attempts: Array<string> = []
      const client = (_: unknown, number: number) =>
        Effect.flatMap(Clock.currentTimeNanos, (at) => Effect.fail(attempts.push(`${number} at ${at}`))).pipe(
          Effect.retry(jittered),
          Effect.ignore
        )
      yield* Effect.forEach(Array.from({ length: clients }), client, { concurrency: "unbounded", discard: true })
      return { attempts, end: yield* nowMillis, sleepers: yield* VirtualClock.sleepers }
    })

  it.effect("brings a thousand clients through five retries each", () =>
    Effect.gen(function* () {
      const thousand = Effect.provide(herd(1_000), SeededRandom.layerConstant(0.5))
      const { attempts, end, sleepers } = yield* VirtualClock.run(thousand)
      expect(sleepers).toBe(0)
      expect(end).toBe(3_100)
      const instants = [0n, 100n, 300n, 700n, 1_500n, 3_100n]
      const clients = Array.from({ length: 1_000 }, (_, client) => client)
      const expected = instants.flatMap((at) => clients.map((client) => `${client} at ${at * 1_000_000n}`))
      expect(attempts.join("\n")).toBe(expected.join("\n"))
    })
  )

  it.effect("gives identical traces for the same seed, and others for another", () =>
    Effect.gen(function* () {
      const trace = (seed: number) => VirtualClock.run(Effect.provide(herd(100), SeededRandom.layer(seed)))
      const [first, again, other] = yield* Effect.all([trace(1), trace(1), trace(2)])
      expect(first.attempts.length).toBe(600)
      expect(new Set(first.attempts.map((attempt) => attempt.split(" at ")[1])).size).toBeGreaterThan(490)
      expect(again).toEqual(first)
      expect(other.attempts).not.toEqual(first.attempts)
    })
  )
})

describe("VirtualClock.stepBack", () => {
  it.effect("moves the wall clock alone: sleepers wake after the time they asked for", () =>
    Effect.gen(function* () {
      const sleeper = yield* Effect.fork(Effect.zipRight(Effect.sleep("10 seconds"), VirtualClock.now))
      yield* Effect.sleep("5 seconds")
      yield* VirtualClock.stepBack("1 minute")
      expect(yield* Clock.currentTimeMillis).toBe(-55_000)
      expect(yield* Clock.currentTimeNanos).toBe(5_000_000_000n)
      expect(yield* Fiber.join(sleeper)).toEqual(Duration.seconds(10))
      expect(yield* Clock.currentTimeMillis).toBe(-50_000)
    }).pipe(Effect.provide(VirtualClock.layer))
  )

  it.effect("adds up", () =>
    Effect.gen(function* () {
      yield* VirtualClock.setWallTime("1 hour")
      yield* VirtualClock.stepBack("10 minutes")
      yield* VirtualClock.stepBack("20 minutes")
      expect(yield* Clock.currentTimeMillis).toBe(30 * 60_000)
    }).pipe(Effect.provide(VirtualClock.layer))
  )

  it.effect("keeps the wall clock in whole milliseconds", () =>
    Effect.gen(function* () {
      yield* Effect.sleep("10.7 millis")
      yield* VirtualClock.stepBack("0.5 millis")
      expect(yield* Clock.currentTimeMillis).toBe(9)
    }).pipe(Effect.provide(VirtualClock.layer))
  )
})

describe("VirtualClock.setWallTime", () => {
  it.effect.each([
    { to: "20000 days", wallClock: 1_728_000_000_000 },
    { to: "1 second", wallClock: 1_000 },
    { to: "0 millis", wallClock: 0 }
  ] as const)("sets the wall clock to $to and lets it run on from there", ({ to, wallClock }) =>
    Effect.gen(function* () {
      yield* Effect.sleep("1 hour")
      yield* VirtualClock.setWallTime(to)
      expect(yield* Clock.currentTimeMillis).toBe(wallClock)
      yield* Effect.sleep("1 minute")
      expect(yield* Clock.currentTimeMillis).toBe(wallClock + 60_000)
      expect(yield* VirtualClock.now).toEqual(Duration.minutes(61))
    }).pipe(Effect.provide(VirtualClock.layer))
  )
})

describe("VirtualClock.stepBack and VirtualClock.setWallTime", () => {
  it.effect.each([
    { name: "stepBack", step: VirtualClock.stepBack(Duration.infinity) },
    { name: "setWallTime", step: VirtualClock.setWallTime(Duration.infinity) }
  ])("refuse an infinite duration: $name", ({ name, step }) =>
    Effect.gen(function* () {
      const defect = yield* Effect.flip(Effect.sandbox(step))
      expect(String(defect)).toContain(`RangeError: VirtualClock.${name}: duration must be finite, got Infinity`)
    }).pipe(Effect.provide(VirtualClock.layer))
  )
})

describe("VirtualClock.run", () => {
  it.effect("wins over the TestClock around it and leaves it as it was", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 second")
      expect(yield* VirtualClock.run(Effect.zipRight(Effect.sleep("1 hour"), Clock.currentTimeMillis))).toBe(3_600_000)
      expect(yield* Clock.currentTimeMillis).toBe(1_000)
    })
  )

  it.live("wins over the clock of the machine", () =>
    Effect.gen(function* () {
      expect(yield* VirtualClock.run(Effect.zipRight(Effect.sleep("1 hour"), Clock.currentTimeMillis))).toBe(3_600_000)
    })
  )

  it.effect("gives each program its own time", () =>
    Effect.gen(function* () {
      const sleep = (delay: Duration.DurationInput) => VirtualClock.run(Effect.zipRight(Effect.sleep(delay), nowMillis))
      const ends = yield* Effect.all([sleep("1 hour"), sleep("1 minute"), sleep("1 second")], {
        concurrency: "unbounded"
      })
      expect(ends).toEqual([3_600_000, 60_000, 1_000])
    })
  )

  it.effect("passes failures through", () =>
    Effect.gen(function* () {
      expect(yield* Effect.flip(VirtualClock.run(Effect.delay(Effect.fail("boom"), "1 hour")))).toBe("boom")
    })
  )
})

layer(VirtualClock.layer)("VirtualClock.layer, shared by a block of tests", (it) => {
  let days = 0

  // In any order, and also on their own.
  it.effect.each([30, 1])("is the clock of all of them, and goes on from one to the next: by %i days", (slept) =>
    Effect.gen(function* () {
      expect(yield* VirtualClock.now).toEqual(Duration.days(days))
      yield* Effect.sleep(Duration.days(slept))
      days += slept
      expect(Duration.toMillis(Duration.days(days))).toBe(yield* Clock.currentTimeMillis)
    })
  )
})
