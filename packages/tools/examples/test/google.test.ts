import { CommandLine, Presets, StorageChoices, StorageIdempotency, StorageOperation } from "@effect-retry/google"
import type { Policy } from "@effect-retry/core"
import * as BackoffTree from "@effect-retry/core/unstable/BackoffTree"
import { describe, expect, it } from "@effect/vitest"
import { read, rowsOf } from "./rows.ts"

const path = "docs/google.md"

type Preset = Policy.Preset<unknown>

/** The delays of the first three retries at one end of what may be drawn. */
const delays = ({ backoff }: Preset, u: number): ReadonlyArray<number> => {
  const millis: Array<number> = []
  let { tree } = backoff
  for (let retry = 1; retry <= 3; retry++) {
    const stepped = BackoffTree.step(tree, { u, kind: undefined, ranMillis: 0, elapsedMillis: 0 })
    if (stepped === undefined) break
    millis.push(stepped.delayMillis)
    tree = stepped.rest
  }
  return millis
}

/** In milliseconds, without the decimals that no timer has. */
const waits = (preset: Preset): string => {
  const longest = delays(preset, 1 - 2 ** -53)
  return delays(preset, 0)
    .map((least, i) => (least === longest[i] ? String(least) : `${least}-${longest[i]}`))
    .join(", ")
}

const deadline = ({ deadline }: Preset): string => {
  if (deadline === undefined) return "none"
  return `${deadline._tag.toLowerCase()} ${deadline.withinMillis / 1000}`
}

const presets = new Map<string, Preset>([
  ...Object.entries(Presets).map(([name, preset]) => [`\`Presets.${name}\``, preset] as const),
  ["`CommandLine.gcloud`", CommandLine.gcloud],
  ["`CommandLine.gsutil()`", CommandLine.gsutil()],
  ["`CommandLine.gsutilTransfers()`", CommandLine.gsutilTransfers()],
  ["`CommandLine.gsutilRequests()`", CommandLine.gsutilRequests()],
  ["`CommandLine.apitools`", CommandLine.apitools]
])

describe(`${path} ## The libraries side by side`, () => {
  it("is what the presets say", () => {
    const rows = [...presets].map(([name, preset]) => [
      name,
      String(preset.maxAttempts),
      waits(preset),
      deadline(preset)
    ])
    expect(rowsOf(path, "## The libraries side by side").toSorted()).toEqual(rows.toSorted())
  })
})

const code = (text: string): string => `\`${text}\``

const repeated = (repetition: StorageOperation.Repetition): string =>
  typeof repetition === "string" ? repetition : `with ${repetition.map(code).join(" or ")}`

describe(`${path} ### What is repeated`, () => {
  it("is the table of operations", () => {
    const rows = StorageOperation.names.map((name) => {
      const { lost = [], repetition }: StorageOperation.Row = StorageOperation.table[name]
      return [code(name), repeated(repetition), lost.join(", ")]
    })
    expect(rowsOf(path, "### What is repeated")).toEqual(rows)
  })
})

describe(`${path} ### What the libraries repeat`, () => {
  it("is what the choices change", () => {
    const choices = new Map(
      Object.entries(StorageChoices).map(([name, choice]) => [code(name), choice.rules.operations])
    )
    const [, header = ""] = /^\| Operation \| (`.*) \|$/m.exec(read(path)) ?? []
    const columns = header.split(" | ")
    expect(columns.toSorted()).toEqual([...choices.keys()].toSorted())
    const rows = StorageOperation.names.flatMap((name) => {
      const standard = repeated(StorageIdempotency.standard.rules.operations[name])
      const cells = columns
        .map((column) => repeated(choices.get(column)![name]))
        .map((cell) => (cell === standard ? "" : cell))
      return cells.every((cell) => cell === "") ? [] : [[code(name), ...cells]]
    })
    expect(rowsOf(path, "### What the libraries repeat")).toEqual(rows)
  })
})
