import { Backoff, Classic } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import { Duration } from "effect"
import { golden, last, s, same, shares } from "../support/Golden.ts"
import type { Cdf } from "../support/KolmogorovSmirnov.ts"
import { distance } from "../support/Samples.ts"
import { delayAt, failing, input, trace } from "../support/Traces.ts"

const minutes = 60_000

describe("Classic.ethernet", () => {
  // IEEE 802.3, CSMA/CD: after collision c a whole number of slots from 0 to 2^min(c, 10) - 1; discarded at the 16th.
  const slots = [1, 3, 7, 15, 31, 63, 127, 255, 511, 1_023, 1_023, 1_023, 1_023, 1_023, 1_023]
  const backoff = Classic.ethernet({ slot: 1 })

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
      backoff: Classic.ethernet({ slot: "51.2 micros" }),
      delays: [...slots.map((most) => Math.ceil(most * 0.0512)), "ended"]
    },
    {
      name: "waits in the slots of the tenfold rate",
      us: same(last, 16),
      backoff: Classic.ethernet({ slot: "5.12 micros" }),
      delays: [...slots.map((most) => Math.ceil(most * 0.005_12)), "ended"]
    },
    {
      name: "waits in the slots of a gigabit, which are eight times as many bits long",
      us: same(last, 16),
      backoff: Classic.ethernet({ slot: "4.096 micros" }),
      delays: [...slots.map((most) => Math.ceil(most * 0.004_096)), "ended"]
    },
    {
      name: "takes a cap below one slot for the slot",
      us: [0, 0.499, 0.5, last, 0.5, 0],
      backoff: Backoff.capped(Classic.ethernet({ slot: "1 second" }), 500),
      delays: [0, 0, 500, 500, 500, 0]
    },
    {
      name: "keeps to whole slots below a cap, and ends as without it",
      us: same(last, 16),
      backoff: Backoff.capped(Classic.ethernet({ slot: 10 }), 105),
      delays: [10, 30, 70, ...same(100, 12), "ended"]
    }
  ])

  it("waits as many slots in all as the standard's table, at most and on average", () => {
    const most = slots.reduce((sum, slot) => sum + slot, 0)
    expect(most).toBe(7_151)
    const cells = 1_024
    const means = slots.map((_, i) => {
      let sum = 0
      for (let cell = 0; cell < cells; cell++) sum += delayAt(backoff, i + 1, (cell + 0.5) / cells) ?? NaN
      return sum / cells
    })
    expect(means).toEqual([0.5, 1.5, 3.5, 7.5, 15.5, 31.5, 63.5, 127.5, 255.5, ...same(511.5, 6)])
    const mean = means.reduce((sum, mean) => sum + mean, 0)
    expect(mean).toBe(3_575.5)
    // At 10 Mbit/s, in microseconds.
    expect([most * 51.2, mean * 51.2].map((all) => Number(all.toFixed(1)))).toEqual([366_131.2, 183_065.6])
  })

  it("lets two stations collide again as often as the standard's table says", () => {
    const again = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((collision) => {
      return [...shares(backoff, collision, 1_024).values()].reduce((sum, count) => sum + (count / 1_024) ** 2, 0)
    })
    expect(again).toEqual([...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((c) => 2 ** -c), 2 ** -10])
  })
})

describe("Classic.ethernet, by its distribution", () => {
  it.each([1, 3, 10, 15])("draws every number of slots equally often, at collision %d", (n) => {
    const slots = 2 ** Math.min(n, 10)
    const cdf: Cdf = (x) => Math.min(1, Math.max(0, Math.floor(x / minutes) + 1) / slots)
    expect(distance(Classic.ethernet({ slot: "1 minute" }), n, cdf)).toBeLessThan(1)
  })
})

describe("Classic.celery", () => {
  // https://github.com/celery/celery, celery/utils/time.py, t/unit/utils/test_time.py and t/unit/tasks/test_tasks.py.
  const celery = (factor: number, maximum = "600 seconds") =>
    Classic.celery({ factor, maximum: Duration.decode(maximum as Duration.DurationInput), jitter: false })

  golden([
    {
      name: "doubles up to its maximum",
      backoff: Classic.celery({ factor: 1, jitter: false }),
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
    {
      name: "keeps to whole seconds below a cap",
      backoff: Backoff.capped(celery(1), "5500 millis"),
      delays: s(1, 2, 4, 5, 5, 5)
    },
    {
      name: "takes a cap below one second for the second",
      backoff: Backoff.capped(celery(1), "900 millis"),
      delays: same(900, 6)
    },
    {
      name: "draws zero or the cap where that is below one second",
      us: [0, 0.499, 0.5, last, 0.5, 0],
      backoff: Backoff.capped(Classic.celery({ factor: 1 }), "900 millis"),
      delays: [0, 0, 900, 900, 900, 0]
    },
    { name: "does not wait with a factor of zero", backoff: celery(0, "100 seconds"), delays: same(0, 6) },
    {
      // randrange(n) that returns n - 2: with countdown c, n is c + 1
      name: "draws a whole number of seconds up to the countdown",
      us: [1, 2, 4, 8, 16, 32].map((countdown) => (countdown - 0.5) / (countdown + 1)),
      backoff: Classic.celery({ factor: 1 }),
      delays: s(0, 1, 3, 7, 15, 31)
    },
    {
      name: "draws the whole countdown under the greatest draw",
      us: same(last, 7),
      backoff: Classic.celery({ factor: 40, maximum: "100 seconds" }),
      delays: s(40, 80, 100, 100, 100, 100, 100)
    }
  ])

  it("draws from as many numbers as Celery's randrange, each equally often", () => {
    const backoff = Classic.celery({ factor: 40, maximum: "100 seconds" })
    expect([...shares(backoff, 11, 10_100)]).toEqual(Array.from({ length: 101 }, (_, second) => [second * 1_000, 100]))
  })

  it("has half the maximum as its late mean, since the cap comes before the draw", () => {
    // Celery's first version drew before its cap: it answered the maximum in 85 % of all late retries, in the mean 556 s.
    const backoff = Classic.celery({ factor: 1 })
    const draws = Array.from({ length: 601 }, (_, cell) => delayAt(backoff, 13, (cell + 0.5) / 601) ?? NaN)
    expect(draws.reduce((sum, delay) => sum + delay, 0) / 601).toBe(300_000)
  })

  it("refuses the negative factor that Celery's own test turns to zero", () => {
    // Contradiction on purpose: get_exponential_backoff_interval(-40, 3, 100) answers 0; a bad argument is not corrected.
    expect(() => celery(-40, "100 seconds")).toThrow("Classic.celery: factor must be a whole number >= 0, got -40")
  })

  it.each([0.1, 1.9, -1])("refuses the task option that Celery's autoretry rounds to one: %d", (factor) => {
    // Contradiction on purpose: autoretry applies int(max(1.0, retry_backoff)) to its option; the caller does so here.
    expect(() => celery(factor)).toThrow(`Classic.celery: factor must be a whole number >= 0, got ${factor}`)
    expect(trace(celery(Math.trunc(Math.max(1, factor))), failing(4).map(input))).toEqual(s(1, 2, 4, 8))
  })
})

describe("Classic.celery, by its distribution", () => {
  it.each([1, 5, 13])("draws every number of seconds equally often, at retry %d", (n) => {
    const numbers = Math.min(600, 2 ** (n - 1)) + 1
    const cdf: Cdf = (x) => Math.min(1, Math.max(0, Math.floor(x / 1_000) + 1) / numbers)
    expect(distance(Classic.celery({ factor: 1 }), n, cdf)).toBeLessThan(1)
  })
})

describe("Classic.connectRetry", () => {
  // Stevens and Rago, Advanced Programming in the UNIX Environment, connect_retry with MAXSLEEP 128.
  golden([
    {
      name: "makes eight attempts with the book's sleeps and no useless last one",
      backoff: Classic.connectRetry({}),
      delays: [...s(1, 2, 4, 8, 16, 32, 64), "ended"]
    },
    {
      name: "sleeps as long as half its maximum, and no longer",
      backoff: Classic.connectRetry({ maximum: "127 seconds" }),
      delays: [...s(1, 2, 4, 8, 16, 32), "ended"]
    },
    {
      name: "never sleeps with a maximum below twice its first sleep",
      backoff: Classic.connectRetry({ maximum: "1 second" }),
      delays: ["ended"]
    },
    {
      name: "ends under a cap when it ends without one",
      backoff: Backoff.capped(Classic.connectRetry({}), "3 seconds"),
      delays: [...s(1, 2, 3, 3, 3, 3, 3), "ended"]
    }
  ])
})
