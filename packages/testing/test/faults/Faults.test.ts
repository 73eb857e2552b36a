import { Backoff, Jitter, Retry, Verdict } from "@effect-retry/core"
import { Fault, Faults, SeededRandom, Timeline, VirtualClock } from "@effect-retry/testing"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import {
  Cause,
  ConfigError,
  ConfigProvider,
  Context,
  Duration,
  Effect,
  Either,
  Exit,
  FastCheck as fc,
  Fiber,
  Layer,
  Metric,
  Option
} from "effect"

/** The number of each call that met a fault, and the fault. */
type Met = readonly [call: number, fault: string]

/** Runs so many calls, and tells what they met, by the number of the call. */
const metBy = (faults: Faults.Faults<unknown>, calls: number, options: Faults.Options = {}) =>
  Effect.gen(function* () {
    const met: Array<Met> = []
    const injector = yield* Faults.make(faults, {
      ...options,
      onInjected: ({ call, fault }) => Effect.sync(() => met.push([call, fault]))
    })
    const call = Effect.exit(Faults.inject(Effect.void, injector))
    yield* Effect.replicateEffect(call, calls)
    return met.toSorted(([a], [b]) => a - b)
  }).pipe(VirtualClock.run)

const down = Fault.fail("down")
const bug = Fault.die("bug")
const slow = Fault.latency({ before: "1 second" })

describe("Faults", () => {
  it.effect.each<readonly [name: string, faults: Faults.Faults<unknown>, met: ReadonlyArray<Met>]>([
    ["none", Faults.none, []],
    [
      "a fault by itself",
      down,
      [
        [1, "Fail"],
        [2, "Fail"],
        [3, "Fail"],
        [4, "Fail"],
        [5, "Fail"],
        [6, "Fail"]
      ]
    ],
    [
      "first",
      Faults.first(2, down),
      [
        [1, "Fail"],
        [2, "Fail"]
      ]
    ],
    [
      "every",
      Faults.every(3, down),
      [
        [3, "Fail"],
        [6, "Fail"]
      ]
    ],
    [
      "script",
      Faults.script<unknown, never>([down, Faults.none, bug]),
      [
        [1, "Fail"],
        [3, "Die"]
      ]
    ],
    [
      "where",
      Faults.where(({ number }) => number > 4, bug),
      [
        [5, "Die"],
        [6, "Die"]
      ]
    ],
    [
      "the first of several",
      Faults.firstOf<unknown>(Faults.every(4, bug), Faults.first(2, down), Faults.every(2, slow)),
      [
        [1, "Fail"],
        [2, "Fail"],
        [4, "Die"],
        [6, "Latency"]
      ]
    ],
    [
      "what follows a script, after its end and in its gaps",
      Faults.firstOf<unknown>(Faults.script<unknown, never>([bug, Faults.none]), Faults.first(3, down)),
      [
        [1, "Die"],
        [2, "Fail"],
        [3, "Fail"]
      ]
    ],
    ["a condition under a condition", Faults.every(2, Faults.first(3, down)), [[2, "Fail"]]],
    ["a script under a condition", Faults.first(1, Faults.script([down, down])), [[1, "Fail"]]],
    ["a chance of none", Faults.chance(0, down), []],
    ["a sure chance", Faults.first(1, Faults.chance(1, down)), [[1, "Fail"]]]
  ])("%s", ([, faults, expected]) =>
    Effect.gen(function* () {
      expect(yield* metBy(faults, 6)).toEqual(expected)
    })
  )

  it.effect("follow a timeline of outages, from their first moment to the one before their end", () =>
    Effect.gen(function* () {
      const faults = Faults.firstOf<string>(
        Faults.between({ from: "2 seconds", to: "4 seconds" }, Fault.fail("first outage")),
        Faults.between({ from: "3 seconds", to: "6 seconds" }, Fault.fail("second outage"))
      )
      yield* Effect.sleep("1 hour")
      const injector = yield* Faults.make(faults)
      const call = Effect.delay(Effect.either(Faults.inject(Effect.succeed("up"), injector)), "1 second")
      const ends = yield* Effect.replicateEffect(call, 6)
      expect(ends.map(Either.merge)).toEqual([
        "up",
        "first outage",
        "first outage",
        "second outage",
        "second outage",
        "up"
      ])
    }).pipe(VirtualClock.run)
  )
})

/** Trees of faults whose parts can be told apart. */
const anyFaults = fc.letrec<{ readonly faults: Faults.Faults<string> }>((tie) => ({
  faults: fc.oneof(
    { maxDepth: 3 },
    fc.constant(Faults.none),
    fc.constantFrom("a", "b", "c").map((error) => Fault.fail(error)),
    fc.constant(Fault.latency({ before: "1 second" })),
    fc.tuple(fc.integer({ min: 1, max: 5 }), tie("faults")).map(([n, of]) => Faults.first(n, of)),
    fc.tuple(fc.integer({ min: 1, max: 5 }), tie("faults")).map(([n, of]) => Faults.every(n, of)),
    fc.array(tie("faults"), { maxLength: 4 }).map((all) => Faults.script(all)),
    fc.array(tie("faults"), { maxLength: 3 }).map((all) => Faults.firstOf(...all))
  )
})).faults

const chances = Faults.firstOf<unknown>(
  Faults.chance(0.2, down),
  Faults.chance(0.3, slow),
  Faults.script<unknown, never>([Faults.none, bug]),
  Faults.chance(0.1, Fault.latency({ before: "1 second", after: "2 seconds" }))
)

describe("laws of Faults", () => {
  it.effect.prop(
    "firstOf is a monoid",
    [anyFaults, anyFaults, anyFaults],
    ([a, b, c]) =>
      Effect.gen(function* () {
        const of = (faults: Faults.Faults<string>) => metBy(faults, 6, { seed: 1 })
        const flat = yield* of(Faults.firstOf(a, b, c))
        expect(yield* of(Faults.firstOf(Faults.firstOf(a, b), c))).toEqual(flat)
        expect(yield* of(Faults.firstOf(a, Faults.firstOf(b, c)))).toEqual(flat)
        expect(yield* of(Faults.firstOf(a, Faults.none))).toEqual(yield* of(a))
        expect(yield* of(Faults.firstOf(Faults.none, a))).toEqual(yield* of(a))
      }),
    { fastCheck: { seed: 20, numRuns: 20 } }
  )

  it.effect.each([16, 17, 19, 23, 29, 64, 2048])(
    "the same seed gives the same faults to the same calls, with %d steps to a turn of a fiber",
    (turn) =>
      Effect.gen(function* () {
        const alone = yield* metBy(chances, 200, { seed: "orders" })
        const met: Array<Met> = []
        const injector = yield* Faults.make(chances, {
          seed: "orders",
          onInjected: ({ call, fault }) => Effect.sync(() => met.push([call, fault]))
        })
        const call = Effect.exit(Faults.inject(Effect.yieldNow(), injector))
        const together = Effect.all(
          Array.from({ length: 200 }, () => call),
          { concurrency: "unbounded" }
        )
        yield* Effect.withMaxOpsBeforeYield(together, turn)
        expect(met.toSorted(([a], [b]) => a - b)).toEqual(alone)
        expect(alone.length).toBeGreaterThan(50)
      }).pipe(VirtualClock.run)
  )

  it.effect("another seed gives others, and without one it comes from Random", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* metBy(chances, 100, { seed: 1 }), yield* metBy(chances, 100, { seed: 2 })]
      expect(other).not.toEqual(one)
      const drawn = (seed: number) => Effect.provide(metBy(chances, 100), SeededRandom.layer(seed))
      expect(yield* drawn(1)).toEqual(yield* drawn(1))
      expect(yield* drawn(2)).not.toEqual(yield* drawn(1))
    })
  )

  it.effect.each([0.001, 0.01, 0.1, 0.5, 0.9])("a chance of %d is met within 4 sigma", (ratio) =>
    Effect.gen(function* () {
      const calls = 10_000
      const met = yield* metBy(Faults.chance(ratio, down), calls, { seed: 7 })
      const sigma = Math.sqrt(calls * ratio * (1 - ratio))
      expect(Math.abs(met.length - calls * ratio)).toBeLessThan(4 * sigma)
    })
  )

  it.effect("chances beside and below each other are independent", () =>
    Effect.gen(function* () {
      const calls = 10_000
      const faults = Faults.firstOf<unknown>(Faults.chance(0.5, Faults.chance(0.5, down)), Faults.chance(0.5, bug))
      const met = yield* metBy(faults, calls, { seed: 7 })
      const count = (name: string) => met.filter(([, fault]) => fault === name).length
      const near = (expected: number) => Math.sqrt(calls * expected * (1 - expected)) * 4
      expect(Math.abs(count("Fail") - calls / 4)).toBeLessThan(near(1 / 4))
      expect(Math.abs(count("Die") - (calls * 3) / 8)).toBeLessThan(near(3 / 8))
    })
  )

  it("off is the same object back", () => {
    const call = Effect.succeed("up")
    expect(Faults.inject(call, Faults.off)).toBe(call)
    expect(call.pipe(Faults.inject(Faults.off))).toBe(call)
  })

  it.effect("a hang is interrupted at once, wherever the call is, and is in flight no longer", () =>
    Effect.forEach(
      Array.from({ length: 60 }, (_, steps) => steps),
      (steps) =>
        Effect.gen(function* () {
          const injector = yield* Faults.make(Fault.hang, { maxInFlight: 1 })
          const later = (left: number): Effect.Effect<void> =>
            left === 0 ? Faults.inject(Effect.void, injector) : Effect.suspend(() => later(left - 1))
          const fiber = yield* Effect.fork(Effect.withMaxOpsBeforeYield(later(steps), 16))
          yield* Effect.yieldNow()
          const exit = yield* Fiber.interrupt(fiber)
          expect(Exit.isInterrupted(exit)).toBe(true)
          const next = yield* Effect.fork(Faults.inject(Effect.void, injector))
          yield* Effect.replicateEffect(Effect.yieldNow(), 3)
          expect(yield* Fiber.poll(next)).toEqual(Option.none())
          yield* Fiber.interrupt(next)
          expect((yield* Faults.counts(injector)).spared).toBe(0)
        })
    )
  )

  it.effect("no more faults are in flight than allowed; further calls are spared", () =>
    Effect.gen(function* () {
      const injector = yield* Faults.make(Fault.latency({ before: "1 second" }), { maxInFlight: 2 })
      const call = Faults.inject(Effect.void, injector)
      const [took] = yield* Effect.timed(Effect.all([call, call, call, call], { concurrency: "unbounded" }))
      expect(Duration.toMillis(took)).toBe(1000)
      yield* call
      expect(yield* Faults.counts(injector)).toEqual({ calls: 5, injected: { Latency: 3 }, spared: 2 })
    }).pipe(VirtualClock.run)
  )
})

/** What a call of a second comes to under a fault, as a timeline shows it, and whether it was made. */
const ended = (faults: Faults.Faults<unknown>, interruptAfter?: Duration.DurationInput) =>
  Effect.gen(function* () {
    let isMade = false
    const work = Effect.delay(
      Effect.sync(() => "done"),
      "1 second"
    ).pipe(Effect.tap(() => Effect.sync(() => (isMade = true))))
    const injector = yield* Faults.make(faults, { seed: 1 })
    const call = Timeline.attempt(Faults.inject(work, injector))
    const bounded: Effect.Effect<unknown, unknown> =
      interruptAfter === undefined ? call : Effect.timeoutOption(call, interruptAfter)
    const timeline = yield* Timeline.record(Effect.exit(bounded))
    const [attempt] = Timeline.attempts(timeline)
    return `${attempt?.outcome}${attempt?.detail ? `: ${attempt.detail}` : ""} after ${Duration.format(timeline.elapsed)}, ${isMade ? "made" : "not made"}`
  }).pipe(VirtualClock.run)

describe("Fault", () => {
  it.effect.each<readonly [name: string, faults: Faults.Faults<unknown>, ended: string]>([
    ["fail", Fault.fail("down"), "failed: down after 0, not made"],
    ["fail later", Fault.fail("down", { after: "20 millis" }), "failed: down after 20ms, not made"],
    ["die", Fault.die("bug"), "died: bug after 0, not made"],
    ["die later", Fault.die("bug", { after: "20 millis" }), "died: bug after 20ms, not made"],
    ["throttle", Fault.throttle("3 seconds"), "failed: Throttled: a throttle that was injected after 0, not made"],
    ["latency before", Fault.latency({ before: "2 seconds" }), "succeeded: done after 3s, made"],
    ["latency after", Fault.latency({ after: "2 seconds" }), "succeeded: done after 3s, made"],
    ["latency around", Fault.latency({ before: "2 seconds", after: "3 seconds" }), "succeeded: done after 6s, made"],
    ["stuck", Fault.stuck("2 seconds"), "succeeded: done after 3s, made"],
    ["a lost answer", Fault.lost(Fault.fail("down")), "failed: down after 1s, made"],
    ["a lost answer, later", Fault.lost(Fault.fail("down", { after: "1 second" })), "failed: down after 2s, made"],
    ["nothing to lose", Fault.lost(Fault.latency({ before: "1 second" })), "succeeded: done after 2s, made"]
  ])("%s", ([, faults, expected]) =>
    Effect.gen(function* () {
      expect(yield* ended(faults)).toBe(expected)
    })
  )

  it.effect.each<readonly [name: string, faults: Faults.Faults<unknown>, ended: string]>([
    ["hang", Fault.hang, "interrupted after 500ms, not made"],
    ["hang when the answer is lost", Fault.lost(Fault.hang), "interrupted after 500ms, not made"],
    ["latency before", Fault.latency({ before: "2 seconds" }), "interrupted after 500ms, not made"],
    ["stuck", Fault.stuck("2 seconds"), "interrupted after 2s, not made"]
  ])("%s, interrupted after half a second", ([, faults, expected]) =>
    Effect.gen(function* () {
      expect(yield* ended(faults, "500 millis")).toBe(expected)
    })
  )

  it.effect("latency holds back failures as well, and a lost answer those too", () =>
    Effect.gen(function* () {
      const injector = yield* Faults.make<string, never>(
        Faults.script<string, never>([Fault.latency({ after: "1 second" }), Fault.lost(Fault.fail("lost"))])
      )
      const call = Effect.timed(Effect.flip(Faults.inject(Effect.fail("own"), injector)))
      const ended = Effect.map(call, ([took, error]) => [Duration.toMillis(took), error])
      expect(yield* ended).toEqual([1000, "own"])
      expect(yield* ended).toEqual([0, "lost"])
    }).pipe(VirtualClock.run)
  )

  it.effect("latency is random if it has a jitter, by the number of the call", () =>
    Effect.gen(function* () {
      const injector = yield* Faults.make(Fault.latency({ before: "10 seconds", jitter: Jitter.full }), { seed: 3 })
      const call = Effect.timed(Faults.inject(Effect.void, injector))
      const millis = (yield* Effect.replicateEffect(call, 100)).map(([took]) => Duration.toMillis(took))
      expect(new Set(millis).size).toBeGreaterThan(90)
      expect(Math.max(...millis)).toBeLessThan(10_000)
      const mean = millis.reduce((sum, ms) => sum + ms, 0) / millis.length
      expect(Math.abs(mean - 5000)).toBeLessThan((4 * 10_000) / Math.sqrt(12 * 100))
    }).pipe(VirtualClock.run)
  )

  it("classifier knows throttles that were injected, with their hint, and nothing else", () => {
    const moment = { nowMillis: 0, attempt: 1, elapsed: Duration.zero } as never
    expect(Fault.classifier(new Fault.Throttled({ retryAfter: Duration.seconds(3) }), moment)).toEqual(
      Verdict.retryable("Throttling", { hint: "3 seconds" })
    )
    expect(Fault.classifier("down", moment)).toEqual(Verdict.noOpinion)
  })

  it.effect("a throttle is waited for", () =>
    Effect.gen(function* () {
      const injector = yield* Faults.make(Faults.first(1, Fault.throttle("3 seconds")))
      const policy = { classifier: Fault.classifier, maxAttempts: 2, backoff: Backoff.constant({ delay: "1 second" }) }
      const [took] = yield* Effect.timed(Retry.retry(Faults.inject(Effect.void, injector), policy))
      expect(Duration.toSeconds(took)).toBeGreaterThanOrEqual(3)
    }).pipe(VirtualClock.run)
  )
})

describe("Faults.inject", () => {
  it.live("injects the same on the clock of the machine", () =>
    Effect.gen(function* () {
      const faults = Faults.script<string, never>([
        Fault.fail("down", { after: 1 }),
        Fault.latency({ before: 1 }),
        Fault.hang
      ])
      const injector = yield* Faults.make(faults)
      const call = Faults.inject(Effect.succeed("up"), injector)
      expect(yield* Effect.flip(call)).toBe("down")
      expect(yield* call).toBe("up")
      expect(yield* Effect.timeoutOption(call, 1)).toEqual(Option.none())
      expect(yield* Faults.counts(injector)).toMatchObject({ injected: { Fail: 1, Latency: 1, Hang: 1 } })
    })
  )

  it("adds the errors of the faults, and no others", () => {
    const call: Effect.Effect<"a", "own"> = Effect.fail("own")
    const injected = <E>(faults: Faults.Faults<E>) =>
      Effect.flatMap(Faults.make(faults), (injector) => Faults.inject(call, injector))
    expectTypeOf(injected(Fault.hang)).toEqualTypeOf<Effect.Effect<"a", "own">>()
    expectTypeOf(injected(Faults.every(2, Fault.fail("down")))).toEqualTypeOf<Effect.Effect<"a", "own" | "down">>()
    expectTypeOf(injected(Fault.throttle("1 second"))).toEqualTypeOf<Effect.Effect<"a", Fault.Throttled | "own">>()
    // @ts-expect-error a status is for HTTP
    injected(Fault.status(503))
  })

  it.effect("refuses a fault of HTTP even if types did not", () =>
    Effect.gen(function* () {
      const injector = yield* Faults.make(Fault.status(503))
      const exit = yield* Effect.exit(Faults.inject(Effect.void, injector as Faults.Injector))
      expect(String(Exit.isFailure(exit) && Cause.squash(exit.cause))).toContain(
        "Faults.inject: injector must be without faults of HTTP"
      )
    })
  )

  it.effect("marks the span around the call, and counts", () =>
    Effect.gen(function* () {
      const injector = yield* Faults.make(Faults.every(2, Fault.fail("marked")))
      const call = Effect.zipRight(Effect.ignore(Faults.inject(Effect.void, injector)), Effect.currentSpan)
      const spans = yield* Effect.replicateEffect(Effect.withSpan(call, "call"), 2)
      expect(spans.map(({ attributes }) => attributes.get("fault.injected"))).toEqual([undefined, "Fail"])
      const counter = Metric.tagged(Faults.injections, "fault", "Fail")
      const before = (yield* Metric.value(counter)).count
      yield* Effect.replicateEffect(Effect.ignore(Faults.inject(Effect.void, injector)), 10)
      expect((yield* Metric.value(counter)).count - before).toBe(5)
    })
  )
})

const variables = (entries: Record<string, string>) => ConfigProvider.fromMap(new Map(Object.entries(entries)))

describe("Faults.configured", () => {
  const configured = (provider: ConfigProvider.ConfigProvider) =>
    Effect.withConfigProvider(Faults.configured("faults", down), provider)

  it.effect.each<readonly [name: string, entries: Record<string, string>]>([
    ["nothing", {}],
    ["false", { FAULTS_ENABLED: "false" }],
    ["false, with what would be refused", { FAULTS_ENABLED: "False", FAULTS_RATIO: "secret" }],
    ["other keys only", { FAULTS_RATIO: "2", FAULTS_SEED: "orders" }],
    ["another name", { OTHER_ENABLED: "true" }]
  ])("is off by %s", ([, entries]) =>
    Effect.gen(function* () {
      expect(yield* configured(variables(entries))).toBe(Faults.off)
    })
  )

  it.effect("reads the environment", () =>
    Effect.gen(function* () {
      const entries = { FAULTS_ENABLED: "TRUE", FAULTS_RATIO: "0.25", FAULTS_SEED: "orders", FAULTS_MAX_IN_FLIGHT: "3" }
      const injectors = [
        yield* configured(variables(entries)),
        yield* Faults.make(Faults.chance(0.25, down), { seed: "orders", maxInFlight: 3 })
      ]
      const met = injectors.map((injector) =>
        Effect.replicateEffect(Effect.exit(Faults.inject(Effect.void, injector)), 100)
      )
      const [one, other] = yield* Effect.all(met)
      expect(one).toEqual(other)
      expect(one?.some(Exit.isFailure)).toBe(true)
    })
  )

  it.effect("reads a file", () =>
    Effect.gen(function* () {
      const injector = yield* configured(ConfigProvider.fromJson({ faults: { enabled: true, ratio: 1 } }))
      expect(yield* Effect.exit(Faults.inject(Effect.void, injector))).toEqual(Exit.fail("down"))
    })
  )

  it.effect("names all bad keys at once, and shows none of their values", () =>
    Effect.gen(function* () {
      const secret = "s3cret"
      const entries = { FAULTS_ENABLED: secret, FAULTS_RATIO: secret, FAULTS_SEED: "", FAULTS_MAX_IN_FLIGHT: secret }
      const error = yield* Effect.flip(configured(variables(entries)))
      expect(messages(error)).toEqual([
        "Faults.configured: FAULTS_ENABLED must be one of true, false",
        "Faults.configured: FAULTS_RATIO must be >= 0 and <= 1",
        "Faults.configured: FAULTS_SEED must be a text",
        "Faults.configured: FAULTS_MAX_IN_FLIGHT must be a whole number >= 1"
      ])
      expect(JSON.stringify(error)).not.toContain(secret)
    })
  )

  it.effect.each<readonly [key: string, text: string]>([
    ["RATIO", "1.5"],
    ["RATIO", "-0.1"],
    ["RATIO", "NaN"],
    ["RATIO", "Infinity"],
    ["RATIO", "0x1"],
    ["RATIO", ""],
    ["RATIO", " "],
    ["MAX_IN_FLIGHT", "0"],
    ["MAX_IN_FLIGHT", "1.5"],
    ["MAX_IN_FLIGHT", "1e400"],
    ["MAX_IN_FLIGHT", "Infinity"],
    ["ENABLED", "yes"],
    ["ENABLED", "1"]
  ])("refuses a %s of %j", ([key, text]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(configured(variables({ FAULTS_ENABLED: "true", [`FAULTS_${key}`]: text })))
      expect(messages(error)).toEqual([expect.stringContaining(`FAULTS_${key} must be`)])
    })
  )

  it("refuses a name without letters", () => {
    expect(() => Faults.configured("", down)).toThrow("Faults.configured: name must be a string with a letter")
  })
})

const messages = (error: ConfigError.ConfigError): ReadonlyArray<string> =>
  Array.from(String(error).matchAll(/Faults\.configured: [^"\n)]*/g), ([message]) => message)

interface Orders {
  readonly place: Effect.Effect<string, string>
}
class OrdersTag extends Context.Tag("OrdersTag")<OrdersTag, Orders>() {}

describe("Faults.layer", () => {
  const orders: Orders = { place: Effect.succeed("placed") }
  const faulty = Faults.layer(OrdersTag, {
    faults: Faults.every(2, down),
    inject: ({ place }, injector) => ({ place: Faults.inject(place, injector) })
  })
  const provided = Layer.provide(faulty, Layer.succeed(OrdersTag, orders))
  const withEntries = (entries: Record<string, string>) =>
    Layer.provide(provided, Layer.setConfigProvider(variables(entries)))

  it.effect("gives the same service back if it is off", () =>
    Effect.gen(function* () {
      expect(yield* Effect.provide(OrdersTag, withEntries({}))).toBe(orders)
    })
  )

  it.effect("injects faults if it is on", () =>
    Effect.gen(function* () {
      const { place } = yield* Effect.provide(OrdersTag, withEntries({ FAULTS_ENABLED: "true" }))
      expect(yield* Effect.replicateEffect(Effect.merge(place), 4)).toEqual(["placed", "down", "placed", "down"])
    })
  )

  it.effect("fails to build if a value is bad", () =>
    Effect.gen(function* () {
      const built = Effect.provide(OrdersTag, withEntries({ FAULTS_ENABLED: "maybe" }))
      expect(ConfigError.isConfigError(yield* Effect.flip(built))).toBe(true)
    })
  )
})

describe("arguments", () => {
  it.each<readonly [call: () => unknown, message: string]>([
    [
      () => Fault.fail("e", { after: -1 }),
      "Fault.fail: after must be a finite duration >= 0 and <= 24d 20h 31m 23s 647ms, got -1"
    ],
    [
      () => Fault.fail("e", "1 second" as never),
      'Fault.fail: options must be a record, as in Fault.fail(error, { after: "1 second" }), got "1 second"'
    ],
    [() => Fault.fail("e", { afer: 1 } as never), "Fault.fail: afer must be absent (did you mean after?), got 1"],
    [() => Fault.die("d", { afer: 1 } as never), "Fault.die: afer must be absent (did you mean after?), got 1"],
    [() => Fault.throttle(1, { afer: 1 } as never), "Fault.throttle: afer must be absent (did you mean after?), got 1"],
    [() => Fault.reset({ aftrBytes: 1 } as never), "Fault.reset: aftrBytes must be absent (did you mean afterBytes?)"],
    [() => Fault.status(503, { header: {} } as never), "Fault.status: header must be absent (did you mean headers?)"],
    [() => Fault.garble({ ration: 1 } as never), "Fault.garble: ration must be absent (did you mean ratio?), got 1"],
    [() => Fault.stuck("30 days"), "Fault.stuck: duration must be"],
    [() => Fault.throttle(NaN), "Fault.throttle: hint must be"],
    [() => Fault.latency({ before: Infinity }), "Fault.latency: before must be"],
    [() => Fault.latency("1 second" as never), "Fault.latency: options must be a record"],
    [() => Fault.status(99), "Fault.status: status must be a whole number >= 200 and <= 599, got 99"],
    [() => Fault.reset({ afterBytes: -1 }), "Fault.reset: afterBytes must be a whole number >= 0, got -1"],
    [() => Fault.reset({ afterBytes: 1, after: 5 }), "Fault.reset: after must be absent with afterBytes, got 5"],
    [() => Fault.truncate(0.5), "Fault.truncate: afterBytes must be a whole number >= 0, got 0.5"],
    [() => Fault.garble({ ratio: 0 }), "Fault.garble: ratio must be > 0 and <= 1, got 0"],
    [() => Fault.slowBody(0), "Fault.slowBody: bytesPerSecond must be >= 1, got 0"],
    [() => Faults.chance(2, down), "Faults.chance: ratio must be >= 0 and <= 1, got 2"],
    [() => Faults.first(0, down), "Faults.first: count must be a whole number >= 1, got 0"],
    [() => Faults.every(1.5, down), "Faults.every: count must be a whole number >= 1, got 1.5"],
    [() => Faults.between({ from: 0, until: 5 } as never, down), "Faults.between: until must be absent"],
    [() => Faults.between({ from: 5, to: 5 }, down), "Faults.between: to must be a finite duration > 5ms, got 5"],
    [() => Faults.make(down, { maxInFlight: 0 }), "Faults.make: maxInFlight must be a whole number >= 1, got 0"],
    [() => Faults.make(down, { seed: NaN }), "Faults.make: seed must be a text or a finite number, got NaN"],
    [
      () => Faults.inject(Effect.void, down as never),
      "Faults.inject: injector must be an injector, which Faults.make makes, got an object"
    ],
    [() => Faults.make(down, "seed" as never), "Faults.make: options must be a record"],
    [() => Faults.make(down, { onInjected: "log" as never }), "Faults.make: onInjected must be a function from"],
    [() => Faults.make(Fault.fail as never), "Faults.make: faults must be Faults, such as Fault.hang, got "],
    [
      () => Faults.chance(0.5, new Error("secret") as never),
      "Faults.chance: faults must be Faults, such as Fault.hang, got"
    ],
    [() => Faults.first(1, undefined as never), "Faults.first: faults must be Faults"],
    [() => Faults.every(1, null as never), "Faults.every: faults must be Faults"],
    [() => Faults.between({ from: 0, to: 1 }, {} as never), "Faults.between: faults must be Faults"],
    [
      () => Faults.between(undefined as never, down),
      "Faults.between: outage must be a record, such as { from: 0, to: 1000 }"
    ],
    [
      () => Faults.where(true as never, down),
      "Faults.where: isMet must be a function from a call to a boolean, got true"
    ],
    [() => Faults.where(() => true, [] as never), "Faults.where: faults must be Faults"],
    [() => Faults.script(down as never), "Faults.script: faults must be an array of Faults"],
    [() => Faults.script(["down"] as never), "Faults.script: faults must be Faults"],
    [() => Faults.firstOf(down, "down" as never), "Faults.firstOf: faults must be Faults"],
    [() => Faults.configured("faults", "down" as never), "Faults.configured: faults must be Faults"],
    [() => Fault.lost("down" as never), "Fault.lost: faults must be Faults"],
    [() => Fault.latency({ before: 1, jitter: 0.5 as never }), "Fault.latency: jitter must be"]
  ])("%s", (call, message) => {
    expect(call).toThrow(message)
  })
})
