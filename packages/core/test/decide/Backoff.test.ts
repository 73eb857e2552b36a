import { Backoff, Classifier, Jitter, Retry, Verdict } from "@effect-retry/core"
import { Arbitraries, SeededRandom, VirtualClock } from "@effect-retry/testing"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { Chunk, Duration, Effect, FastCheck, Random, Schedule, Stream } from "effect"
import { law } from "../support/Laws.ts"
import { delayAt, failing, input, nativeTrace, retryTrace, trace } from "../support/Traces.ts"

const { draw } = Arbitraries

/** A row: what is waited, in milliseconds; `us` are all the numbers that may be drawn. */
interface Row {
  readonly name: string
  readonly backoff: Backoff.Backoff
  readonly us?: ReadonlyArray<number>
  readonly delays: ReadonlyArray<number | "ended">
}

const s = (...seconds: ReadonlyArray<number>) => seconds.map((second) => second * 1_000)
const same = (u: number, times: number) => Array.from({ length: times }, () => u)
const last = 1 - Number.EPSILON / 2

/** How often each delay comes before retry `n`, over draws from the middles of equal cells. */
const shares = (backoff: Backoff.Backoff, n: number, cells: number): ReadonlyMap<number | undefined, number> => {
  const counts = new Map<number | undefined, number>()
  for (let cell = 0; cell < cells; cell++) {
    const delay = delayAt(backoff, n, (cell + 0.5) / cells)
    counts.set(delay, (counts.get(delay) ?? 0) + 1)
  }
  return counts
}

/** Runs every row in three ways, which must agree; a draw more than the row holds dies. */
const golden = (rows: ReadonlyArray<Row>) =>
  rows.forEach(({ backoff, delays, name, us = [] }) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        const failures = failing(delays.length)
        const chance = SeededRandom.layerFixed(us)
        expect(
          trace(
            backoff,
            delays.map((_, i) => input({ u: us[i] ?? 0 }))
          )
        ).toEqual(delays)
        const native = yield* Effect.provide(nativeTrace(backoff, failures), chance)
        expect(native.waits).toEqual(delays)
        expect(native.outputs).toEqual(delays.map((delay) => (delay === "ended" ? 0 : delay)))
        expect(yield* Effect.provide(retryTrace(backoff, failures), chance)).toEqual(delays)
      })
    )
  )

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

describe("Backoff.linear", () => {
  golden([
    {
      name: "grows by its step",
      backoff: Backoff.linear({ base: 100, step: 50 }),
      delays: [100, 150, 200, 250, 300, 350, 400]
    },
    { name: "starts at nothing", backoff: Backoff.linear({ base: 0, step: 10 }), delays: [0, 10, 20, 30, 40, 50] },
    { name: "stays with a step of nothing", backoff: Backoff.linear({ base: 7, step: 0 }), delays: same(7, 6) },
    {
      name: "adds fractions before it rounds",
      backoff: Backoff.linear({ base: 0, step: "1250 micros" }),
      delays: [0, 2, 3, 4, 5, 7, 8, 9, 10]
    }
  ])
})

describe("Backoff.polynomial", () => {
  golden([
    {
      name: "grows with the square",
      backoff: Backoff.polynomial({ base: 100, degree: 2 }),
      delays: [100, 400, 900, 1_600, 2_500, 3_600, 4_900]
    },
    {
      name: "grows with the cube",
      backoff: Backoff.polynomial({ base: 10, degree: 3 }),
      delays: [10, 80, 270, 640, 1_250, 2_160]
    },
    {
      name: "grows with the root, rounded up",
      backoff: Backoff.polynomial({ base: 100, degree: 0.5 }),
      delays: [100, 142, 174, 200, 224, 245, 265, 283, 300]
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
      name: "leaves the dust of floating point where it is",
      backoff: Backoff.exponential({ base: 1_000_000, factor: 1.1 }),
      delays: [1_000_000, 1_100_000, 1_210_000, 1_331_000, 1_464_100, 1_610_510, 1_771_561]
    },
    { name: "stays with a factor of one", backoff: Backoff.exponential({ base: 40, factor: 1 }), delays: same(40, 6) },
    { name: "grows from nothing to nothing", backoff: Backoff.exponential({ base: 0 }), delays: same(0, 6) },
    {
      // https://github.com/grpc/grpc/blob/master/doc/connection-backoff.md: 1 s, factor 1.6, 120 s, without its jitter
      name: "meets the bounds of gRPC's connection back-off",
      backoff: Backoff.capped(Backoff.exponential({ base: "1 second", factor: 1.6 }), "120 seconds"),
      delays: [1_000, 1_600, 2_560, 4_096, 6_554, 10_486, 16_778, 26_844, 42_950, 68_720, 109_952, 120_000, 120_000]
    }
  ])
})

describe("Backoff.fibonacci", () => {
  golden([
    {
      name: "adds the two before",
      backoff: Backoff.fibonacci({ base: 100 }),
      delays: [100, 100, 200, 300, 500, 800, 1_300, 2_100, 3_400]
    },
    {
      name: "multiplies a fraction before it rounds",
      backoff: Backoff.fibonacci({ base: "500 micros" }),
      delays: [1, 1, 1, 2, 3, 4, 7, 11]
    }
  ])

  it("follows its formula for the least of bases", () => {
    // F(80) = 23416728348467685, https://oeis.org/A000045
    expect(delayAt(Backoff.fibonacci({ base: "1 nanos" }), 80, 0)).toBe(23_416_728_349)
  })
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

describe("Backoff.decorrelated", () => {
  // https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/: base + u * (3 * last - base)
  golden([
    { name: "stays at its base under the least draw", us: same(0, 6), ...decorrelated(), delays: same(100, 6) },
    {
      name: "grows by its means under the middle draw",
      us: same(0.5, 8),
      ...decorrelated(),
      delays: [200, 350, 575, 913, 1_419, 2_179, 3_318, 5_026]
    },
    {
      name: "triples under the greatest draw",
      us: same(last, 6),
      ...decorrelated(),
      delays: [300, 900, 2_700, 8_100, 24_300, 72_900]
    },
    {
      name: "remembers what it drew",
      us: [0.9, 0.1, 0.5, 0.2, 0.8, 0],
      ...decorrelated(),
      delays: [280, 174, 311, 267, 660, 100]
    },
    {
      name: "draws below its cap and remembers that",
      us: same(0.5, 7),
      backoff: Backoff.capped(Backoff.decorrelated({ base: 100 }), 1_000),
      delays: [200, 350, 550, 550, 550, 550, 550]
    }
  ])

  function decorrelated() {
    return { backoff: Backoff.decorrelated({ base: 100 }) }
  }
})

describe("Backoff.decorrelatedSmooth", () => {
  // Polly.Contrib.WaitAndRetry, DecorrelatedJitterBackoffV2, https://github.com/Polly-Contrib/Polly.Contrib.WaitAndRetry:
  // with a base of one second 0.897405, 1.093004, 2.035748, 4.045979, 8.083632, 16.163663 seconds at u = 0.5, and
  // 1.274272, 0.211379, 2.540506, 2.527594, 13.338328 seconds at u = 0.9, 0.1, 0.5, 0.2, 0.8.
  golden([
    {
      name: "follows its formula under the middle draw",
      us: same(0.5, 6),
      backoff: Backoff.decorrelatedSmooth({ base: "1 second" }),
      delays: [898, 1_094, 2_036, 4_046, 8_084, 16_164]
    },
    {
      name: "follows its formula to the microsecond",
      us: same(0.5, 6),
      backoff: Backoff.decorrelatedSmooth({ base: "1000 seconds" }),
      delays: [897_405, 1_093_004, 2_035_748, 4_045_979, 8_083_632, 16_163_663].map((millis) =>
        expect.closeTo(millis, -1)
      )
    },
    {
      name: "remembers what it drew",
      us: [0.9, 0.1, 0.5, 0.2, 0.8],
      backoff: Backoff.decorrelatedSmooth({ base: "1 second" }),
      delays: [1_275, 212, 2_541, 2_528, 13_339]
    }
  ])

  it.prop(
    "has a total that depends on the last draw alone",
    [FastCheck.array(draw, { minLength: 1, maxLength: 12 })],
    ([us]) => {
      const delays = trace(
        Backoff.decorrelatedSmooth({ base: "1 hour" }),
        us.map((u) => input({ u }))
      )
      const total = delays.reduce<number>((sum, delay) => sum + Number(delay), 0)
      const t = us.length - 1 + us.at(-1)!
      // Each delay is rounded up.
      expect(Math.abs(total - (2 ** t * Math.tanh(Math.sqrt(4 * t)) * 3_600_000) / 1.4)).toBeLessThanOrEqual(us.length)
    },
    law()
  )

  it.prop(
    "stays below four times its exponential",
    [FastCheck.array(draw, { minLength: 1, maxLength: 12 })],
    ([us]) => {
      const delays = trace(
        Backoff.decorrelatedSmooth({ base: "1 second" }),
        us.map((u) => input({ u }))
      )
      delays.forEach((delay, i) => expect(delay).toBeLessThan(4_000 * 2 ** i))
    },
    law()
  )
})

describe("Backoff.ethernet", () => {
  // IEEE 802.3, CSMA/CD: after collision c a whole number of slots from 0 to 2^min(c, 10) - 1; discarded at the 16th.
  const slots = [1, 3, 7, 15, 31, 63, 127, 255, 511, 1_023, 1_023, 1_023, 1_023, 1_023, 1_023]
  const backoff = Backoff.ethernet({ slot: 1 })

  golden([
    {
      name: "waits the most slots under the greatest draw and ends at the last collision",
      us: same(last, 16),
      backoff,
      delays: [...slots, "ended"]
    },
    {
      name: "waits not at all under the least draw, and ends at the same collision",
      us: same(0, 16),
      backoff,
      delays: [...same(0, 15), "ended"]
    },
    {
      name: "waits the upper middle of the slots under the middle draw",
      us: same(0.5, 16),
      backoff,
      delays: [...slots.map((most) => (most + 1) / 2), "ended"]
    },
    {
      name: "rounds slots of a fraction up after the draw",
      us: same(last, 16),
      backoff: Backoff.ethernet({ slot: "51.2 micros" }),
      delays: [...slots.map((most) => Math.ceil(most * 0.0512)), "ended"]
    },
    {
      name: "keeps to whole slots below a cap, and ends as without it",
      us: same(last, 16),
      backoff: Backoff.capped(Backoff.ethernet({ slot: 10 }), 105),
      delays: [10, 30, 70, ...same(100, 12), "ended"]
    }
  ])

  it("waits in all as many slots as the standard's table, at most and in the mean", () => {
    expect(slots.reduce((sum, most) => sum + most, 0)).toBe(7_151)
    const cells = 1_024
    const means = slots.map((_, i) => {
      let sum = 0
      for (let cell = 0; cell < cells; cell++) sum += delayAt(backoff, i + 1, (cell + 0.5) / cells) ?? NaN
      return sum / cells
    })
    expect(means).toEqual([0.5, 1.5, 3.5, 7.5, 15.5, 31.5, 63.5, 127.5, 255.5, ...same(511.5, 6)])
    expect(means.reduce((sum, mean) => sum + mean, 0)).toBe(3_575.5)
  })

  it("lets two stations collide again as often as the standard's table says", () => {
    const again = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((collision) => {
      return [...shares(backoff, collision, 1_024).values()].reduce((sum, count) => sum + (count / 1_024) ** 2, 0)
    })
    expect(again).toEqual([...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((c) => 2 ** -c), 2 ** -10])
  })
})

describe("Backoff.celery", () => {
  // https://github.com/celery/celery, celery/utils/time.py, t/unit/utils/test_time.py and t/unit/tasks/test_tasks.py.
  const celery = (factor: number, maximum = "600 seconds") =>
    Backoff.celery({ factor, maximum: Duration.decode(maximum as Duration.DurationInput), jitter: false })

  golden([
    {
      name: "doubles up to its maximum",
      backoff: Backoff.celery({ factor: 1, jitter: false }),
      delays: s(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600)
    },
    { name: "starts with its factor", backoff: celery(2), delays: s(2, 4, 8, 16, 32, 64) },
    { name: "stays at a lower maximum", backoff: celery(1, "16 seconds"), delays: s(1, 2, 4, 8, 16, 16) },
    {
      name: "makes the countdown of Celery's test at the fourth retry",
      backoff: celery(4, "100 seconds"),
      delays: s(4, 8, 16, 32, 64, 100)
    },
    {
      name: "meets the maximum of Celery's test at the fourth retry",
      backoff: celery(40, "100 seconds"),
      delays: s(40, 80, 100, 100, 100, 100)
    },
    { name: "does not wait with a factor of nothing", backoff: celery(0, "100 seconds"), delays: same(0, 6) },
    {
      // randrange(n) that returns n - 2: with countdown c, n is c + 1
      name: "draws a whole number of seconds up to the countdown",
      us: [1, 2, 4, 8, 16, 32].map((countdown) => (countdown - 0.5) / (countdown + 1)),
      backoff: Backoff.celery({ factor: 1 }),
      delays: s(0, 1, 3, 7, 15, 31)
    },
    {
      name: "draws the whole countdown under the greatest draw",
      us: same(last, 7),
      backoff: Backoff.celery({ factor: 40, maximum: "100 seconds" }),
      delays: s(40, 80, 100, 100, 100, 100, 100)
    }
  ])

  it("draws from as many numbers as Celery's randrange, each as often", () => {
    const backoff = Backoff.celery({ factor: 40, maximum: "100 seconds" })
    expect([...shares(backoff, 11, 10_100)]).toEqual(Array.from({ length: 101 }, (_, second) => [second * 1_000, 100]))
  })

  it("has half the maximum as its late mean, since the cap comes before the draw", () => {
    // Celery's first version drew before its cap: it answered the maximum in 85 % of all late retries, in the mean 556 s.
    const backoff = Backoff.celery({ factor: 1 })
    const draws = Array.from({ length: 601 }, (_, cell) => delayAt(backoff, 13, (cell + 0.5) / 601) ?? NaN)
    expect(draws.reduce((sum, delay) => sum + delay, 0) / 601).toBe(300_000)
  })

  it("refuses the negative factor that Celery's own test turns to nothing", () => {
    // Contradiction on purpose: get_exponential_backoff_interval(-40, 3, 100) answers 0; a bad argument is not corrected.
    expect(() => celery(-40, "100 seconds")).toThrow("Backoff.celery: factor must be a whole number >= 0, got -40")
  })

  it.each([0.1, 1.9, -1])("refuses the task option that Celery's autoretry rounds to one: %d", (factor) => {
    // Contradiction on purpose: autoretry applies int(max(1.0, retry_backoff)) to its option; the caller does so here.
    expect(() => celery(factor)).toThrow(`Backoff.celery: factor must be a whole number >= 0, got ${factor}`)
    expect(trace(celery(Math.trunc(Math.max(1, factor))), failing(4).map(input))).toEqual(s(1, 2, 4, 8))
  })
})

describe("Backoff.connectRetry", () => {
  // Stevens and Rago, Advanced Programming in the UNIX Environment, connect_retry with MAXSLEEP 128.
  golden([
    {
      name: "makes eight attempts with the book's sleeps and no useless last one",
      backoff: Backoff.connectRetry({}),
      delays: [...s(1, 2, 4, 8, 16, 32, 64), "ended"]
    },
    {
      name: "sleeps as long as half its maximum, and no longer",
      backoff: Backoff.connectRetry({ maximum: "127 seconds" }),
      delays: [...s(1, 2, 4, 8, 16, 32), "ended"]
    },
    {
      name: "never sleeps with a maximum below twice its first sleep",
      backoff: Backoff.connectRetry({ maximum: "1 second" }),
      delays: ["ended"]
    },
    {
      name: "ends under a cap when it ends without one",
      backoff: Backoff.capped(Backoff.connectRetry({}), "3 seconds"),
      delays: [...s(1, 2, 3, 3, 3, 3, 3), "ended"]
    }
  ])
})

describe("Backoff.truncated", () => {
  // https://cloud.google.com/storage/docs/retry-strategy: min(2^n seconds + random milliseconds up to 1000, maximum)
  const documented = Backoff.truncated({ base: "1 second", maximum: "64 seconds" })

  golden([
    {
      name: "doubles up to its maximum under the least draw",
      us: same(0, 8),
      backoff: documented,
      delays: s(1, 2, 4, 8, 16, 32, 64, 64)
    },
    {
      name: "adds half a second under the middle draw, and clamps after it",
      us: same(0.5, 8),
      backoff: documented,
      delays: s(1.5, 2.5, 4.5, 8.5, 16.5, 32.5, 64, 64)
    },
    {
      name: "adds its random milliseconds to a curve of its own factor",
      us: [0.25, 0.5, 0.75, 0, 1 / 8, 3 / 8],
      backoff: Backoff.truncated({ base: 100, factor: 3, maximum: 5_000, randomMillis: 80 }),
      delays: [120, 340, 960, 2_700, 5_000, 5_000]
    },
    {
      name: "bends to a cap below its maximum",
      us: same(0.5, 6),
      backoff: Backoff.capped(documented, "10 seconds"),
      delays: s(1.5, 2.5, 4.5, 8.5, 10, 10)
    }
  ])
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
    ["Decorrelated", Backoff.decorrelated({ base: 1 })],
    ["DecorrelatedSmooth", Backoff.decorrelatedSmooth({ base: 1 })],
    ["Ethernet", Backoff.ethernet({ slot: 1 })],
    ["Celery", Backoff.celery({ factor: 1 })],
    ["Truncated", Backoff.truncated({ base: 1, maximum: 9 })],
    ["Ethernet", Backoff.longest(Backoff.constant({ delay: 1 }), Backoff.ethernet({ slot: 1 }))]
  ])("refuses a curve that draws by itself: %s", (tag, backoff) => {
    expect(() => Backoff.jittered(backoff, Jitter.full)).toThrow(
      `Backoff.jittered: self must be a curve that does not draw by itself, got "${tag}"`
    )
  })
})

describe("Backoff.delayedFirst", () => {
  golden([
    {
      name: "retries at once, then from the beginning of the curve",
      backoff: Backoff.delayedFirst(Backoff.exponential({ base: 100 })),
      delays: [0, 100, 200, 400, 800, 1_600]
    }
  ])
})

describe("Backoff.andThen", () => {
  golden([
    {
      name: "goes on with the second from its beginning",
      backoff: Backoff.fromDelays([5, 6]).pipe(
        Backoff.andThen(Backoff.fromDelays([])),
        Backoff.andThen(Backoff.linear({ base: 10, step: 1 }))
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

describe("Backoff.longest", () => {
  golden([
    {
      name: "waits the longer of two",
      backoff: Backoff.longest(Backoff.exponential({ base: 10 }), Backoff.linear({ base: 50, step: 10 })),
      delays: [50, 60, 70, 80, 160, 320]
    },
    {
      name: "ends when either does",
      backoff: Backoff.longest(Backoff.exponential({ base: 10 }), Backoff.fromDelays([1, 30, 1, 90, 1, 1])),
      delays: [10, 30, 40, 90, 160, 320, "ended"]
    }
  ])
})

describe("Backoff.shortest", () => {
  golden([
    {
      name: "waits the shorter of two",
      backoff: Backoff.shortest(Backoff.exponential({ base: 10 }), Backoff.linear({ base: 50, step: 10 })),
      delays: [10, 20, 40, 80, 90, 100]
    },
    {
      name: "ends when both have",
      backoff: Backoff.shortest(Backoff.fromDelays([9, 9, 9]), Backoff.fromDelays([1, 30, 1, 90, 1])),
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

  it("asks for a back-off for all others, and knows the kinds", () => {
    const orElse = Backoff.constant({ delay: 1 })
    expectTypeOf(Backoff.byKind({ orElse })).toEqualTypeOf<Backoff.Backoff>()
    expectTypeOf<Parameters<typeof Backoff.byKind>[0]>().toEqualTypeOf<
      { readonly [K in Verdict.Kind]?: Backoff.Backoff } & { readonly orElse: Backoff.Backoff }
    >()
    // @ts-expect-error - there is no such kind
    Backoff.byKind({ Throttled: orElse, orElse })
    expectTypeOf<Schedule.Schedule<Duration.Duration>>().not.toMatchTypeOf<Backoff.Backoff>()
    expect(trace(Backoff.byKind({ orElse }), [input({ kind: "Client" })])).toEqual([1])
  })

  it("goes on for other kinds while one has ended, and ends where the failure at hand has", () => {
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

  it.effect("starts over when an attempt ran as long as it says, and not a millisecond sooner", () =>
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
    const both = Backoff.longest(Backoff.linear({ base: 10, step: 10 }), Backoff.fromDelays([1, 1, 1])).pipe(
      Backoff.resetAfter("1 minute")
    )
    const ran = [0, 0, 0, 60_000, 0, 0, 0].map((ranMillis) => input({ ranMillis }))
    expect(trace(both, ran)).toEqual([10, 20, 30, 10, 20, 30, "ended"])
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

describe("Backoff.fromTree", () => {
  it("can be read: curve, cap and jitter, and what a step costs", () => {
    const backoff = Backoff.exponential({ base: "1 second", factor: 3 }).pipe(
      Backoff.jittered(Jitter.equal),
      Backoff.capped("20 seconds")
    )
    expect(backoff.tree).toEqual({
      _tag: "Leaf",
      curve: { _tag: "Exponential", baseMillis: 1_000, factor: 3 },
      capMillis: 20_000,
      jitter: Jitter.equal,
      n: 1
    })
    expect([backoff.draws, backoff.readsTime]).toEqual([true, false])
    const timed = Backoff.constant({ delay: 1 }).pipe(Backoff.resetAfter("1 second"))
    expect([timed.draws, timed.readsTime]).toEqual([false, true])
  })

  // The three ways of the golden tables, for any tree, any kinds of failure and attempts that take their time.
  it.effect.prop(
    "waits in our loop, and as a native schedule, what its tree says",
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
        expect(yield* Effect.provide(retryTrace(backoff, failures), chance)).toEqual(trace(backoff, failures))
        const native = yield* Effect.provide(nativeTrace(backoff, failures), chance)
        expect(native.waits).toEqual(
          trace(
            backoff,
            failures.map((failure) => ({ ...failure, kind: undefined }))
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

  it.effect("waits the longer of two under intersect, like longest", () =>
    Effect.gen(function* () {
      const intersected = Schedule.intersect(exponential, Schedule.spaced(300))
      const ours = Backoff.longest(exponential, Backoff.constant({ delay: 300 }))
      expect(yield* attempts(intersected)).toEqual([0, 300, 600, 1_000, 1_800, 3_400, 6_600])
      expect(yield* attempts(ours)).toEqual(yield* attempts(intersected))
    })
  )

  it.effect("waits the shorter of two under union, and goes on while either does, like shortest", () =>
    Effect.gen(function* () {
      const few = Backoff.fromDelays([30, 30])
      const united = Schedule.union(exponential, few)
      expect(yield* attempts(united)).toEqual([0, 30, 60, 460, 1_260, 2_860, 6_060])
      expect(yield* attempts(Backoff.shortest(exponential, few))).toEqual(yield* attempts(united))
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
      const backoff = Backoff.longest(
        Backoff.jittered(Backoff.constant({ delay: "1 day" }), Jitter.full),
        Backoff.jittered(Backoff.constant({ delay: "1 day" }), Jitter.full)
      )
      const expected = drawn.map((u) => Math.ceil(u * 86_400_000))
      expect(yield* Effect.provide(retryTrace(backoff, failing(5)), SeededRandom.layer("five"))).toEqual(expected)
    })
  )
})
