/**
 * What was measured, as Markdown, and whether the targets were met.
 */
import type { Measured, Spread } from "./Measure.ts"
import type { Target, Workload } from "./Workload.ts"

/** `Within` is above the target, but with the target inside the middle half of the rounds. */
type Verdict = "Met" | "Within" | "Missed"

export const verdict = (target: Target, measured: Measured): Verdict => {
  const { low, median } = measured[target.of]
  return median <= target.atMost ? "Met" : low <= target.atMost ? "Within" : "Missed"
}

export const missed = (measured: ReadonlyArray<Measured>): ReadonlyArray<Measured> =>
  measured.filter((each) => each.row.target !== undefined && verdict(each.row.target, each) === "Missed")

/** The heading, the description and the table of a workload. */
export const render = (workload: Workload, measured: ReadonlyArray<Measured>): string =>
  [`### ${workload.title}`, "", ...workload.about, "", ...table(workload, measured)].join("\n")

const table = (workload: Workload, measured: ReadonlyArray<Measured>): ReadonlyArray<string> => {
  const perOperation = workload.unit === "ns" ? "time" : "size"
  const header = ["", perOperation, `x ${workload.baseline}`, "middle half", "target", "met"]
  return aligned([header, ...measured.map((each) => cells(workload, each))])
}

const cells = ({ unit }: Workload, each: Measured): ReadonlyArray<string> => {
  const { ratio, row, value } = each
  return [
    row.name,
    `${grouped(value.median)} ${unit}`,
    digits(ratio.median),
    range(row.target?.of === "value" ? value : ratio, row.target?.of === "value" ? grouped : digits),
    row.target === undefined ? "" : promised(row.target, unit),
    row.target === undefined ? "" : answers[verdict(row.target, each)]
  ]
}

const answers: { readonly [V in Verdict]: string } = { Met: "yes", Within: "within the spread", Missed: "no" }

const promised = ({ atMost, of }: Target, unit: Workload["unit"]): string =>
  of === "ratio" ? `<= ${digits(atMost)}` : `<= ${grouped(atMost)} ${unit}`

const range = ({ high, low }: Spread, show: (n: number) => string): string => `${show(low)} to ${show(high)}`

/** Two digits behind the point below 10, one above. */
export const digits = (n: number): string => (Math.abs(n) < 0.005 ? 0 : n).toFixed(n < 10 ? 2 : 1)

/** Whole numbers, in groups of three; nothing is negative zero. */
export const grouped = (n: number): string => (Math.round(n) + 0).toLocaleString("en-US").replaceAll(",", " ")

/** The first column to the left, numbers to the right. */
export const aligned = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(3, ...rows.map((row) => (row[i] ?? "").length)))
  const line = (row: ReadonlyArray<string>) =>
    `| ${widths.map((width, i) => (i === 0 ? (row[i] ?? "").padEnd(width) : (row[i] ?? "").padStart(width))).join(" | ")} |`
  const rule = `| ${widths.map((width, i) => (i === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`)).join(" | ")} |`
  const [header = [], ...body] = rows
  return [line(header), rule, ...body.map(line)]
}
