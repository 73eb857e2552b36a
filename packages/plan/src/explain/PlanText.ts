/**
 * A plan as a table to read, at most 80 columns wide.
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import type { Plan, PlannedAttempt, PlannedDelay, Worst } from "./PlanRecord.ts"

const width = 80

/**
 * The table of attempts, the worst case, the assumptions and the warnings, as lines of text.
 *
 * Times below a minute are exact to a millisecond, longer ones have two units. A column that would be empty is left out.
 *
 * @category conversions
 */
export const toText = (plan: Plan): string =>
  [
    ...table(columns.map((column) => [column.title, ...plan.attempts.map(column.cell)])),
    ...leftOut(plan),
    "",
    ...Option.match(plan.hinted, {
      onNone: () => paragraph("worst case", worstText(plan.worst)),
      onSome: (hinted) => [
        ...paragraph("worst case", `no hints: ${worstText(plan.worst)}`),
        ...paragraph("", `with hints: ${worstText(hinted)}`)
      ]
    }),
    ...plan.assumptions.flatMap(({ message }, i) => paragraph(i === 0 ? "assuming" : "", message)),
    ...plan.warnings.flatMap(({ message }, i) => paragraph(i === 0 ? "warnings" : "", message))
  ].join("\n")

interface Column {
  readonly title: string
  readonly cell: (attempt: PlannedAttempt) => string
}

const none = "-"

const delay = (title: keyof PlannedDelay): Column => ({
  title,
  cell: ({ delay }) => Option.match(delay, { onNone: () => none, onSome: (delay) => format(rounded(delay, title)) })
})

/** A mean is an estimate, so three digits are enough, kept within the range of its delays. */
const rounded = (delay: PlannedDelay, title: keyof PlannedDelay): Duration.Duration =>
  title === "mean"
    ? Duration.clamp(Duration.millis(Number(Duration.toMillis(delay.mean).toPrecision(3))), {
        minimum: delay.least,
        maximum: delay.most
      })
    : delay[title]

const columns: ReadonlyArray<Column> = [
  { title: "attempt", cell: ({ attempt }) => String(attempt) },
  {
    title: "timeout",
    cell: ({ attemptTimeout }) => Option.match(attemptTimeout, { onNone: () => none, onSome: format })
  },
  delay("bound"),
  delay("least"),
  delay("mean"),
  delay("most"),
  { title: "earliest", cell: ({ earliest }) => format(earliest) },
  { title: "latest", cell: ({ latest }) => format(latest) },
  { title: "waited", cell: ({ waited }) => format(waited) }
]

const table = (cells: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const filled = cells.filter(([, ...cells]) => cells.some((cell) => cell !== none))
  const widths = filled.map((column) => Math.max(...column.map((cell) => cell.length)))
  const rows = filled[0]?.length ?? 0
  return Array.from({ length: rows }, (_, row) =>
    filled.map((column, i) => (column[row] ?? "").padStart(widths[i] ?? 0)).join("  ")
  )
}

const leftOut = ({ attempts, worst }: Plan): ReadonlyArray<string> => {
  const more = worst.attempts - attempts.length
  return more > 0 ? [more === Infinity ? "... and so on" : `... and ${more} more`] : []
}

const worstText = ({ attempts, elapsed, loadFactor, waited }: Worst): string =>
  `${count(attempts)} ${attempts === 1 ? "attempt" : "attempts"}, ${format(waited)} waiting, ${format(elapsed)} in all, load factor ${count(loadFactor)}`

/** Wrapped, and indented below its label. */
const paragraph = (label: string, text: string): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = label.padEnd(11)
  for (const word of text.split(" ")) {
    if (`${line} ${word}`.length > width) {
      lines.push(line)
      line = "".padEnd(11)
    }
    line += ` ${word}`
  }
  return [...lines, line]
}

const infinite = "∞"

const count = (value: number): string => (value === Infinity ? infinite : String(Math.round(value * 100) / 100))

const format = (duration: Duration.Duration): string => {
  if (!Duration.isFinite(duration)) return infinite
  const millis = Duration.toMillis(duration)
  if (millis < 1_000) return `${Math.round(millis * 10) / 10}ms`
  if (millis < 60_000) return `${Math.round(millis) / 1_000}s`
  const { days, hours, minutes, seconds } = Duration.parts(Duration.millis(Math.round(millis / 1_000) * 1_000))
  if (days >= 1_000) return `${days}d`
  if (days > 0) return `${days}d${hours}h`
  return hours > 0 ? `${hours}h${minutes}m` : `${minutes}m${seconds}s`
}
