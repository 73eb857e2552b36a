import { Backoff, Classic, Curve, Jitter, Verdict } from "@effect-retry/core"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import type { Duration } from "effect"
import { Effect, Schedule } from "effect"
import type { Row } from "../support/Golden.ts"
import { golden, last, same } from "../support/Golden.ts"
import { failing, input, nativeTrace, operationTrace, retryTrace, trace } from "../support/Traces.ts"

describe("Backoff.constant", () => {
  golden([
    { name: "waits the same every time", backoff: Backoff.constant({ delay: 250 }), delays: same(250, 7) },
    { name: "retries at once with no delay", backoff: Backoff.constant({ delay: 0 }), delays: same(0, 7) },
    { name: "rounds a fraction up", backoff: Backoff.constant({ delay: "1500 micros" }), delays: same(2, 7) },
    {
      name: "waits longer than a timer holds, its whole length",
      backoff: Backoff.constant({ delay: "30 days" }),
      delays: same(2_592_000_000, 6)
    }
  ])
})

describe("Backoff.exponential", () => {
  golden([
    {
      name: "doubles by default",
      backoff: Backoff.exponential({ base: 100 }),
      delays: [100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800]
    },
    {
      name: "grows by half, rounded up",
      backoff: Backoff.exponential({ base: 100, factor: 1.5 }),
      delays: [100, 150, 225, 338, 507, 760, 1_140, 1_709]
    },
    {
      name: "rounds a floating-point error away",
      backoff: Backoff.exponential({ base: 1_000_000, factor: 1.1 }),
      delays: [1_000_000, 1_100_000, 1_210_000, 1_331_000, 1_464_100, 1_610_510, 1_771_561]
    },
    {
      name: "stays constant with a factor of one",
      backoff: Backoff.exponential({ base: 40, factor: 1 }),
      delays: same(40, 6)
    },
    { name: "stays at zero from a base of zero", backoff: Backoff.exponential({ base: 0 }), delays: same(0, 6) },
    {
      // https://github.com/grpc/grpc/blob/master/doc/connection-backoff.md: 1 s, factor 1.6, 120 s, without its jitter
      name: "meets the bounds of gRPC's connection back-off",
      backoff: Backoff.capped(Backoff.exponential({ base: "1 second", factor: 1.6 }), "120 seconds"),
      delays: [1_000, 1_600, 2_560, 4_096, 6_554, 10_486, 16_778, 26_844, 42_950, 68_720, 109_952, 120_000, 120_000]
    }
  ])
})

describe("Backoff.fromDelays", () => {
  golden([
    {
      name: "waits as the list says and ends with it",
      backoff: Backoff.fromDelays([5, "1 second", 0, "20 millis", [1, 500_000_000], 5]),
      delays: [5, 1_000, 0, 20, 1_500, 5, "ended"]
    },
    { name: "never retries with an empty list", backoff: Backoff.fromDelays([]), delays: ["ended"] }
  ])

  it("does not change with its list", () => {
    const list = [1, 2, 3]
    const backoff = Backoff.fromDelays(list)
    list.push(4)
    expect(trace(backoff, failing(5).map(input))).toEqual([1, 2, 3, "ended"])
  })
})

describe("Backoff.fromCurve", () => {
  golden([
    {
      name: "waits as a curve of its own says, under a cap and with jitter like any other",
      us: same(0.5, 6),
      backoff: Backoff.fromCurve(Curve.fromFunction("triangle", (n) => (n * (n + 1) * 50) / 2)).pipe(
        Backoff.jittered(Jitter.equal),
        Backoff.capped(600)
      ),
      delays: [38, 113, 225, 375, 450, 450]
    },
    {
      name: "hands a curve its own state, its cap and its draws",
      us: [0.5, 0.5, 0, 0.25, last, 0],
      backoff: Backoff.fromCurve(
        Curve.make({
          name: "sum",
          draws: true,
          initial: 0,
          delayMillis: (n, sum, capMillis, u) => Math.min(sum + 100 * n * u, capMillis),
          next: (delayMillis) => delayMillis,
          intervalMillis: (n, capMillis) => [0, Math.min(50 * n * (n + 1), capMillis)]
        })
      ).pipe(Backoff.capped(700)),
      delays: [50, 150, 150, 250, 700, 700]
    }
  ])

  it("takes curves that keep their promises, and nothing else", () => {
    // @ts-expect-error - a curve is made with Curve.make
    expect(() => Backoff.fromCurve({ name: "mine", draws: false })).toThrow(
      "Backoff.fromCurve: curve must be a curve of the module Curve"
    )
    expect(() => Backoff.fromCurve(undefined as never)).toThrow(
      "Backoff.fromCurve: curve must be a curve of the module Curve, got undefined"
    )
  })
})

describe("Backoff.capped", () => {
  const curve = Backoff.exponential({ base: 100 })

  golden([
    {
      name: "bounds the delays and goes on",
      backoff: Backoff.capped(curve, 1_000),
      delays: [100, 200, 400, 800, 1_000, 1_000, 1_000]
    },
    {
      name: "reaches the leaves of a composite",
      backoff: Backoff.andThen(Backoff.fromDelays([50, 5_000]), curve).pipe(Backoff.capped(300)),
      delays: [50, 300, 100, 200, 300, 300, 300]
    },
    {
      name: "draws below the cap, last of all",
      us: same(0.5, 6),
      backoff: curve.pipe(Backoff.jittered(Jitter.full), Backoff.capped(1_000)),
      delays: [50, 100, 200, 400, 500, 500]
    },
    {
      name: "rounds a delay up to the cap, and no further",
      backoff: Backoff.capped(Backoff.constant({ delay: "900.5 millis" }), "900.7 millis"),
      delays: same(900, 6)
    }
  ])
})

describe("Backoff.jittered", () => {
  const curve = Backoff.exponential({ base: 100 })
  const at = (jitter: Jitter.Jitter, delays: ReadonlyArray<number>, name: string): Row => ({
    name,
    us: [0, 0.25, 0.5, 0.75, last, 0],
    backoff: Backoff.jittered(curve, jitter),
    delays
  })

  golden([
    at(Jitter.full, [0, 50, 200, 600, 1_600, 0], "draws below the bound: full"),
    at(Jitter.equal, [50, 125, 300, 700, 1_600, 1_600], "draws in the upper half: equal"),
    at(Jitter.proportional({ ratio: 0.2 }), [80, 180, 400, 880, 1_920, 2_560], "draws around the bound: proportional"),
    at(Jitter.additive({ max: 40 }), [100, 210, 420, 830, 1_640, 3_200], "draws above the bound: additive"),
    {
      name: "draws nothing: none",
      backoff: Backoff.jittered(curve, Jitter.none),
      delays: [100, 200, 400, 800, 1_600, 3_200]
    },
    {
      name: "replaces an earlier jitter",
      us: same(0.5, 6),
      backoff: curve.pipe(Backoff.jittered(Jitter.equal), Backoff.jittered(Jitter.full)),
      delays: [50, 100, 200, 400, 800, 1_600]
    }
  ])

  it.each([
    ["decorrelated", Backoff.fromCurve(Curve.decorrelated({ base: 1 }))],
    ["decorrelatedSmooth", Backoff.fromCurve(Curve.decorrelatedSmooth({ base: 1 }))],
    ["ethernet", Classic.ethernet({ slot: 1 })],
    ["celery", Classic.celery({ factor: 1 })],
    ["ethernet", Backoff.max(Backoff.constant({ delay: 1 }), Classic.ethernet({ slot: 1 }))]
  ])("refuses a curve that draws by itself: %s", (tag, backoff) => {
    expect(() => Backoff.jittered(backoff, Jitter.full)).toThrow(
      `Backoff.jittered: self must be a curve that does not draw by itself, got "${tag}"`
    )
  })
})

describe("Backoff.within", () => {
  const curve = Backoff.exponential({ base: 100 })

  golden([
    {
      name: "ends where the next attempt could not start in time",
      backoff: Backoff.within(curve, "2 seconds"),
      delays: [100, 200, 400, 800, "ended"]
    },
    {
      name: "ends where the next attempt would start when the time is up, not later",
      backoff: Backoff.within(Backoff.constant({ delay: 100 }), 400),
      delays: [100, 100, 100, "ended"]
    },
    {
      name: "goes on where a millisecond is left",
      backoff: Backoff.within(Backoff.constant({ delay: 100 }), 401),
      delays: [100, 100, 100, 100, "ended"]
    },
    {
      name: "ends at once where the first delay is too long",
      backoff: Backoff.within(curve, 100),
      delays: ["ended"]
    },
    {
      name: "fits more of the shorter delays of a cap, in both orders",
      backoff: Backoff.capped(Backoff.within(curve, 1_000), 150),
      delays: [100, 150, 150, 150, 150, 150, "ended"]
    },
    {
      name: "measures the delays that are drawn",
      us: [0.5, 0.5, 0.5, last, last, 0],
      backoff: curve.pipe(Backoff.within("2 seconds"), Backoff.jittered(Jitter.full), Backoff.capped("1 second")),
      delays: [50, 100, 200, 800, "ended"]
    },
    {
      name: "counts in a second part from the beginning of the first",
      backoff: Backoff.andThen(Backoff.fromDelays([300, 300]), Backoff.within(Backoff.constant({ delay: 50 }), 800)),
      delays: [300, 300, 50, 50, 50, "ended"]
    },
    {
      name: "hands over to the second part where the first could not start in time",
      backoff: Backoff.andThen(Backoff.within(curve, 500), Backoff.fromDelays([7, 8])),
      delays: [100, 200, 7, 8, "ended"]
    },
    {
      name: "leaves the other part of a minimum to go on",
      backoff: Backoff.min(Backoff.within(Backoff.constant({ delay: 10 }), 35), Backoff.constant({ delay: 100 })),
      delays: [10, 10, 10, 100, 100, 100]
    },
    {
      name: "ends a maximum",
      backoff: Backoff.max(Backoff.within(Backoff.constant({ delay: 10 }), 250), Backoff.constant({ delay: 100 })),
      delays: [100, 100, 100, "ended"]
    },
    {
      name: "stays ended, though a later delay would fit",
      backoff: Backoff.min(Backoff.within(Backoff.fromDelays([50, 100, 10, 1]), 100), Backoff.constant({ delay: 12 })),
      delays: [12, 12, 12, 12, 12, 12]
    }
  ])

  it.effect("counts from the first attempt in our loop, and from the first failure as a native schedule", () =>
    Effect.gen(function* () {
      const backoff = Backoff.within(Backoff.constant({ delay: "1 second" }), "10 seconds")
      const failures = [5_000, 500, 500, 500, 500, 500, 500].map((ranMillis) => ({
        ranMillis,
        kind: "Server" as const
      }))
      const inLoop = [...same(1_000, 3), "ended"]
      expect(operationTrace(backoff, failures)).toEqual(inLoop)
      expect(yield* retryTrace(backoff, failures)).toEqual(inLoop)
      const natively = same(1_000, 6)
      expect(operationTrace(backoff, failures, "first failure").slice(0, 6)).toEqual(natively)
      expect((yield* nativeTrace(backoff, failures)).waits.slice(0, 6)).toEqual(natively)
    })
  )

  it.effect("counts from the failure that starts a reset back-off over", () =>
    Effect.gen(function* () {
      const backoff = Backoff.constant({ delay: "1 second" }).pipe(
        Backoff.within("2500 millis"),
        Backoff.resetAfter("1 minute")
      )
      const failures = [3_600_000, 0, 60_000, 0, 0].map((ranMillis) => ({ ranMillis, kind: "Server" as const }))
      const expected = [1_000, 1_000, 1_000, 1_000, "ended"]
      expect(operationTrace(backoff, failures)).toEqual(expected)
      expect(yield* retryTrace(backoff, failures)).toEqual(expected)
      expect((yield* nativeTrace(backoff, failures)).waits).toEqual(expected)
    })
  )

  it("refuses a duration that is zero or infinite", () => {
    expect(() => Backoff.within(curve, 0)).toThrow("Backoff.within: duration must be a finite duration > 0")
    expect(() => Backoff.within(curve, Infinity)).toThrow("Backoff.within: duration must be a finite duration > 0")
  })
})

describe("Backoff.take", () => {
  const curve = Backoff.exponential({ base: 100 })

  golden([
    { name: "ends after so many delays", backoff: Backoff.take(curve, 4), delays: [100, 200, 400, 800, "ended"] },
    { name: "never retries with none", backoff: Backoff.take(curve, 0), delays: ["ended"] },
    {
      name: "ends with its part",
      backoff: Backoff.take(Backoff.fromDelays([1, 2, 3]), 9),
      delays: [1, 2, 3, "ended"]
    },
    {
      name: "is reached by cap and jitter",
      us: same(0.5, 5),
      backoff: curve.pipe(Backoff.take(4), Backoff.jittered(Jitter.full), Backoff.capped(500)),
      delays: [50, 100, 200, 250, "ended"]
    },
    {
      name: "counts the delays of its own part in a sequence",
      backoff: Backoff.andThen(Backoff.take(curve, 2), Backoff.take(Backoff.constant({ delay: 5 }), 3)),
      delays: [100, 200, 5, 5, 5, "ended"]
    },
    {
      name: "leaves the other part of a minimum to go on",
      backoff: Backoff.min(Backoff.take(Backoff.constant({ delay: 10 }), 2), curve),
      delays: [10, 10, 400, 800, 1_600, 3_200]
    },
    {
      name: "ends a maximum",
      backoff: Backoff.max(Backoff.take(Backoff.constant({ delay: 150 }), 3), curve),
      delays: [150, 200, 400, "ended"]
    },
    {
      name: "composes with all that a policy has of limits",
      us: same(0.5, 5),
      backoff: curve.pipe(
        Backoff.jittered(Jitter.full),
        Backoff.capped("20 seconds"),
        Backoff.take(10),
        Backoff.within("1 second")
      ),
      delays: [50, 100, 200, 400, "ended"]
    }
  ])

  it("counts the retries of the operation inside byKind", () => {
    const backoff = Backoff.byKind({ Throttling: Backoff.take(curve, 2), orElse: curve })
    const kinds = ["Transient", "Throttling", "Transient", "Throttling"] as const
    expect(
      operationTrace(
        backoff,
        kinds.map((kind) => ({ kind }))
      )
    ).toEqual([100, 200, 400, "ended"])
  })

  it.each([-1, 1.5, NaN, Infinity])("refuses what is not a count: %d", (n) => {
    expect(() => Backoff.take(curve, n)).toThrow(`Backoff.take: n must be a whole number >= 0, got ${n}`)
  })
})

describe("Backoff.andThen", () => {
  golden([
    {
      name: "makes the first retry at once, before a list of no delay",
      backoff: Backoff.andThen(Backoff.fromDelays([0]), Backoff.exponential({ base: 100 })),
      delays: [0, 100, 200, 400, 800, 1_600]
    },
    {
      name: "goes on with the second from its beginning",
      backoff: Backoff.fromDelays([5, 6]).pipe(
        Backoff.andThen(Backoff.fromDelays([])),
        Backoff.andThen(Backoff.fromCurve(Curve.linear({ base: 10, step: 1 })))
      ),
      delays: [5, 6, 10, 11, 12, 13, 14]
    },
    {
      name: "ends with the second",
      backoff: Backoff.andThen(Backoff.fromDelays([1, 2, 3]), Backoff.fromDelays([4, 5, 6])),
      delays: [1, 2, 3, 4, 5, 6, "ended"]
    }
  ])
})

describe("Backoff.max", () => {
  golden([
    {
      name: "waits the longer of two",
      backoff: Backoff.max(Backoff.exponential({ base: 10 }), Backoff.fromCurve(Curve.linear({ base: 50, step: 10 }))),
      delays: [50, 60, 70, 80, 160, 320]
    },
    {
      name: "ends when either does",
      backoff: Backoff.max(Backoff.exponential({ base: 10 }), Backoff.fromDelays([1, 30, 1, 90, 1, 1])),
      delays: [10, 30, 40, 90, 160, 320, "ended"]
    }
  ])
})

describe("Backoff.min", () => {
  golden([
    {
      name: "waits the shorter of two",
      backoff: Backoff.min(Backoff.exponential({ base: 10 }), Backoff.fromCurve(Curve.linear({ base: 50, step: 10 }))),
      delays: [10, 20, 40, 80, 90, 100]
    },
    {
      name: "ends when both have",
      backoff: Backoff.min(Backoff.fromDelays([9, 9, 9]), Backoff.fromDelays([1, 30, 1, 90, 1])),
      delays: [1, 9, 1, 90, 1, "ended"]
    }
  ])
})

describe("Backoff.byKind", () => {
  const backoff = Backoff.byKind({
    Throttling: Backoff.exponential({ base: 1_000 }),
    Timeout: Backoff.fromDelays([1, 2]),
    orElse: Backoff.exponential({ base: 100 })
  })

  golden([
    {
      name: "answers as orElse where no kind is known or named",
      backoff,
      delays: [100, 200, 400, 800, 1_600, 3_200]
    }
  ])

  it.effect("chooses by kind, with an exponent that counts the retries of the operation", () =>
    Effect.gen(function* () {
      const kinds: ReadonlyArray<Verdict.Kind> = [
        "Transient",
        "Throttling",
        "Server",
        "Throttling",
        "Client",
        "Timeout"
      ]
      const expected = [100, 2_000, 400, 8_000, 1_600, "ended"]
      expect(
        trace(
          backoff,
          kinds.map((kind) => input({ kind }))
        )
      ).toEqual(expected)
      expect(
        yield* retryTrace(
          backoff,
          kinds.map((kind) => ({ kind, ranMillis: 0 }))
        )
      ).toEqual(expected)
    })
  )

  it("requires a back-off for all other kinds, and knows the kinds", () => {
    const orElse = Backoff.constant({ delay: 1 })
    expectTypeOf(Backoff.byKind({ orElse })).toEqualTypeOf<Backoff.Backoff>()
    expectTypeOf<Parameters<typeof Backoff.byKind>[0]>().toEqualTypeOf<
      { readonly [K in Verdict.Kind]?: Backoff.Backoff } & { readonly orElse: Backoff.Backoff }
    >()
    // @ts-expect-error - there is no such kind
    expect(() => Backoff.byKind({ Throttled: orElse, orElse })).toThrow(
      'Backoff.byKind: case must be one of Transient, Throttling, Timeout, Server, Client, got "Throttled"'
    )
    // @ts-expect-error - a case is a back-off
    expect(() => Backoff.byKind({ Throttling: undefined, orElse })).toThrow(
      "Backoff.byKind: Throttling must be a back-off, got undefined"
    )
    // @ts-expect-error - one for all others is needed
    expect(() => Backoff.byKind({ Throttling: orElse })).toThrow(
      "Backoff.byKind: orElse must be a back-off, got undefined"
    )
    expectTypeOf<Schedule.Schedule<Duration.Duration>>().not.toMatchTypeOf<Backoff.Backoff>()
    expect(trace(Backoff.byKind({ orElse }), [input({ kind: "Client" })])).toEqual([1])
  })

  it("goes on for other kinds after one has ended, and ends at a failure of that kind", () => {
    const kinds = ["Timeout", "Throttling", "Transient", "Server", "Timeout"] as const
    expect(
      trace(
        backoff,
        kinds.map((kind) => input({ kind }))
      )
    ).toEqual([1, 2_000, 400, 800, "ended"])
  })
})

describe("Backoff.resetAfter", () => {
  const backoff = Backoff.exponential({ base: "1 minute" }).pipe(Backoff.resetAfter("30 seconds"))
  const minutes = (...count: ReadonlyArray<number>) => count.map((minute) => minute * 60_000)

  golden([
    {
      name: "never resets by waiting, however long",
      backoff,
      delays: minutes(1, 2, 4, 8, 16, 32, 64)
    }
  ])

  it.effect("starts over after an attempt of the given length, and not after one a millisecond shorter", () =>
    Effect.gen(function* () {
      const failures = [0, 29_999, 10, 30_000, 0, 3_600_000, 0].map((ranMillis) => ({
        ranMillis,
        kind: "Server" as const
      }))
      const expected = minutes(1, 2, 4, 1, 2, 1, 2)
      expect(
        trace(
          backoff,
          failures.map(({ ranMillis }) => input({ ranMillis }))
        )
      ).toEqual(expected)
      expect((yield* nativeTrace(backoff, failures)).waits).toEqual(expected)
      expect(yield* retryTrace(backoff, failures)).toEqual(expected)
    })
  )

  it("starts a composite over with all of its parts", () => {
    const both = Backoff.max(
      Backoff.fromCurve(Curve.linear({ base: 10, step: 10 })),
      Backoff.fromDelays([1, 1, 1])
    ).pipe(Backoff.resetAfter("1 minute"))
    const ran = [0, 0, 0, 60_000, 0, 0, 0].map((ranMillis) => input({ ranMillis }))
    expect(trace(both, ran)).toEqual([10, 20, 30, 10, 20, 30, "ended"])
  })
})

describe("Backoff", () => {
  const native = Schedule.spaced(1) as unknown as Backoff.Backoff
  const own = Backoff.constant({ delay: 1 })

  it.each<[string, string, () => Backoff.Backoff]>([
    ["capped", "self", () => Backoff.capped(native, 1)],
    ["jittered", "self", () => Backoff.jittered(native, Jitter.full)],
    ["within", "self", () => Backoff.within(native, 1)],
    ["take", "self", () => Backoff.take(native, 1)],
    ["andThen", "self", () => Backoff.andThen(native, own)],
    ["andThen", "that", () => Backoff.andThen(own, native)],
    ["max", "self", () => Backoff.max(native, own)],
    ["min", "that", () => Backoff.min(own, native)],
    ["resetAfter", "self", () => Backoff.resetAfter(native, 1)]
  ])("refuses a schedule that is not a back-off in %s, as %s", (name, field, combine) => {
    expect(combine).toThrow(`Backoff.${name}: ${field} must be a back-off, got`)
  })
})

describe("Backoff.jittered given something that is not a jitter", () => {
  it.each([undefined, null, 0.2, "full", { name: "mine" }, { draw: () => 1 }])("refuses it: %o", (jitter) => {
    expect(() => Backoff.jittered(Backoff.constant({ delay: 1 }), jitter as never)).toThrow(
      "Backoff.jittered: jitter must be made by Jitter, such as Jitter.full, got"
    )
  })
})

describe("Backoff.isBackoff", () => {
  it("tells back-offs from other schedules", () => {
    expect(Backoff.isBackoff(Backoff.constant({ delay: 1 }))).toBe(true)
    expect(Backoff.isBackoff(Schedule.spaced(1))).toBe(false)
    expect(Backoff.isBackoff(Schedule.recurs(1).pipe(Schedule.intersect(Backoff.constant({ delay: 1 }))))).toBe(false)
    expect(Backoff.isBackoff(undefined)).toBe(false)
    expect(Schedule.isSchedule(Backoff.constant({ delay: 1 }))).toBe(true)
  })
})
