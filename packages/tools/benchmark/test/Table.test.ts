import { describe, expect, it } from "@effect/vitest"
import type { Measured, Spread } from "../src/Measure.ts"
import { missed, render, verdict } from "../src/Table.ts"
import type { Target, Workload } from "../src/Workload.ts"

const one: Spread = { low: 1, median: 1, high: 1 }

const measured = (name: string, value: Spread, ratio: Spread, target?: Target): Measured => ({
  row: { name, sample: () => 0, ...(target && { target }) },
  value,
  ratio
})

const ratio = (low: number, median: number) =>
  measured("row", one, { low, median, high: 9 }, { of: "ratio", atMost: 2 })

describe("Table.verdict", () => {
  it.each([
    { low: 1, median: 1.9, expected: "Met" },
    { low: 1, median: 2, expected: "Met" },
    { low: 1.9, median: 2.1, expected: "Within" },
    { low: 2, median: 2.1, expected: "Within" },
    { low: 2.01, median: 2.1, expected: "Missed" }
  ])("of a median of $median over a quarter at $low is $expected", ({ expected, low, median }) => {
    expect(verdict({ of: "ratio", atMost: 2 }, ratio(low, median))).toBe(expected)
  })

  it("looks at the value if the target is one", () => {
    const row = measured("row", { low: 4900, median: 4950, high: 5000 }, { low: 90, median: 90, high: 90 })
    expect(verdict({ of: "value", atMost: 5000 }, row)).toBe("Met")
    expect(verdict({ of: "value", atMost: 4000 }, row)).toBe("Missed")
  })

  it("does not call a row without numbers met", () => {
    expect(verdict({ of: "ratio", atMost: 2 }, ratio(Number.NaN, Number.NaN))).toBe("Missed")
  })
})

describe("Table.missed", () => {
  it("names the rows that miss their target by more than their spread, and no others", () => {
    const untargeted = measured("slow", one, { low: 50, median: 50, high: 50 })
    const miss = ratio(2.5, 3)
    expect(missed([ratio(1, 1), ratio(1.9, 2.1), untargeted, miss])).toEqual([miss])
  })
})

describe("Table.render", () => {
  const workload: Workload = {
    title: "Work",
    about: ["It works.", "It is done."],
    unit: "ns",
    rounds: 1,
    baseline: "loop",
    rows: []
  }

  it("shows each row with its ratio, its spread, its target and the verdict", () => {
    const rows = [
      measured("loop", { low: 900, median: 1234.4, high: 1300 }, one),
      measured("ours", one, { low: 1.4, median: 1.456, high: 1.5 }, { of: "ratio", atMost: 1.3 }),
      measured("theirs", one, { low: 30, median: 35.55, high: 40 })
    ]
    expect(render(workload, rows)).toBe(
      [
        "### Work",
        "",
        "It works.",
        "It is done.",
        "",
        "|        |     time | x loop |  middle half |  target | met |",
        "| ------ | -------: | -----: | -----------: | ------: | --: |",
        "| loop   | 1 234 ns |   1.00 | 1.00 to 1.00 |         |     |",
        "| ours   |     1 ns |   1.46 | 1.40 to 1.50 | <= 1.30 |  no |",
        "| theirs |     1 ns |   35.5 | 30.0 to 40.0 |         |     |"
      ].join("\n")
    )
  })

  it("shows the spread of the value if the target is one", () => {
    const heap = { low: 4800, median: 4900, high: 5100 }
    const rows = [measured("ours", heap, one, { of: "value", atMost: 5000 })]
    expect(
      render({ ...workload, about: [], unit: "bytes" }, rows)
        .split("\n")
        .at(-1)
    ).toBe("| ours | 4 900 bytes |   1.00 | 4 800 to 5 100 | <= 5 000 bytes | yes |")
  })

  it("shows a tiny number as zero, whatever its sign", () => {
    const little = { low: -0.4, median: -0.2, high: 0.4 }
    const rows = [measured("ours", little, { low: 0, median: -0.001, high: 0 }, { of: "value", atMost: 1 })]
    expect(
      render({ ...workload, about: [], unit: "bytes" }, rows)
        .split("\n")
        .at(-1)
    ).toBe("| ours | 0 bytes |   0.00 |      0 to 0 | <= 1 bytes | yes |")
  })
})
