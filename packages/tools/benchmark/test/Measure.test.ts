import { expect, describe, it } from "@effect/vitest"
import { measure, quantile, ratios, spread } from "../src/Measure.ts"
import type { Row, Workload } from "../src/Workload.ts"

/** Answers its samples one after the other, and notes each in a log. */
const scripted = (name: string, samples: ReadonlyArray<number>, log: Array<string> = []): Row => {
  let taken = 0
  return {
    name,
    sample: () => {
      log.push(name)
      return samples[taken++] ?? Number.NaN
    }
  }
}

const workload = (rows: ReadonlyArray<Row>, rounds: number): Workload => ({
  title: "Work",
  about: [],
  unit: "ns",
  rounds,
  baseline: "baseline",
  rows
})

describe("Measure.quantile", () => {
  it.each([
    { sorted: [7], q: 0.5, expected: 7 },
    { sorted: [1, 2, 10], q: 0.5, expected: 2 },
    { sorted: [1, 2, 4, 10], q: 0.5, expected: 3 },
    { sorted: [1, 2, 3, 4, 5], q: 0.25, expected: 2 },
    { sorted: [10, 20], q: 0.75, expected: 17.5 },
    { sorted: [1, 2, 3], q: 0, expected: 1 },
    { sorted: [1, 2, 3], q: 1, expected: 3 },
    { sorted: [], q: 0.5, expected: Number.NaN }
  ])("of $sorted at $q is $expected", ({ expected, q, sorted }) => {
    expect(quantile(sorted, q)).toBe(expected)
  })
})

describe("Measure.spread", () => {
  it("orders by number, and leaves its argument alone", () => {
    const values = [100, 9, 20, 1000, 3]
    expect(spread(values)).toEqual({ low: 9, median: 20, high: 100 })
    expect(values).toEqual([100, 9, 20, 1000, 3])
  })

  it("is not moved by one sample that was interrupted", () => {
    expect(spread([10, 10, 10, 10, 1e9])).toEqual({ low: 10, median: 10, high: 10 })
  })
})

describe("Measure.ratios", () => {
  it("pairs the samples of the same round", () => {
    expect(ratios([2, 40, 6], [1, 20, 3])).toEqual([2, 2, 2])
  })
})

describe("Measure.measure", () => {
  it("takes the median of the ratios, not the ratio of the medians", async () => {
    const rows = [scripted("baseline", [1, 1, 10, 100]), scripted("other", [1, 3, 30, 200])]
    const [, other] = await measure(workload(rows, 3), () => {})
    expect(other?.value.median).toBe(30)
    expect(other?.ratio).toEqual({ low: 2.5, median: 3, high: 3 })
  })

  it("drops the round that warms up", async () => {
    const [baseline] = await measure(workload([scripted("baseline", [999, 5])], 1), () => {})
    expect(baseline?.value).toEqual({ low: 5, median: 5, high: 5 })
  })

  it("interleaves the rows, in a new order each time, and collects garbage before every sample", async () => {
    const log: Array<string> = []
    const rows = ["baseline", "b", "c"].map((name) => scripted(name, [1, 1, 1], log))
    await measure(workload(rows, 2), () => log.push("gc"))
    expect(log.join(" ")).toBe("gc baseline gc b gc c gc c gc b gc baseline gc b gc c gc baseline")
  })

  it("refuses a baseline that is not a row", async () => {
    await expect(measure(workload([scripted("other", [1, 1])], 1), () => {})).rejects.toThrow(
      "Work: no row is named baseline"
    )
  })
})
