import { existsSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import type { Equivalent } from "../src/Equivalent.ts"
import { equivalents } from "../src/Equivalents.ts"
import { fromInstrumented, known, type Mutant, percent, type Report, score, type Status } from "../src/Score.ts"

const file = "packages/some/src/stage/File.ts"

const source = ["const a =", "  x > 0", "    && y < 1", "const b = -1"].join("\n")

const mutant = (status: Status, line: number, from: number, to: number, endLine = line): Mutant => ({
  mutatorName: "ConditionalExpression",
  replacement: "true",
  status,
  location: { start: { line, column: from }, end: { line: endLine, column: to } }
})

const report = (...mutants: ReadonlyArray<Mutant>): Report => ({ files: { [file]: { source, mutants } } })

const listed: Equivalent = {
  file,
  line: "x > 0",
  original: "x > 0",
  replacement: "true",
  reason: "x is never negative"
}

describe("score", () => {
  it.each<{ status: Status; run: number; killed: number; late?: number; survivors: number }>([
    { status: "Killed", run: 1, killed: 1, survivors: 0 },
    { status: "Timeout", run: 1, killed: 1, late: 1, survivors: 0 },
    { status: "Survived", run: 1, killed: 0, survivors: 1 },
    { status: "NoCoverage", run: 1, killed: 0, survivors: 1 }
  ])("counts a mutant with the status $status", ({ killed, late = 0, run, status, survivors }) => {
    const found = score(report(mutant(status, 2, 3, 8)), [])
    expect([found.run, found.killed, found.late.length, found.survivors.length]).toEqual([run, killed, late, survivors])
  })

  it("tells what a survivor replaces, and where", () => {
    expect(score(report(mutant("Survived", 2, 3, 13, 3)), []).survivors).toEqual([
      {
        file,
        lineNumber: 2,
        line: "x > 0",
        original: "x > 0 && y < 1",
        replacement: "true",
        mutator: "ConditionalExpression",
        status: "Survived"
      }
    ])
  })

  it.each([
    { what: "the same", change: {}, equivalent: 1 },
    { what: "of another file", change: { file: "packages/some/src/stage/Other.ts" }, equivalent: 0 },
    { what: "of another line", change: { line: "x > 1" }, equivalent: 0 },
    { what: "of something else in the line", change: { original: "x" }, equivalent: 0 },
    { what: "with another replacement", change: { replacement: "false" }, equivalent: 0 }
  ])("takes for equivalent what is listed as such: $what", ({ change, equivalent }) => {
    const found = score(report(mutant("Survived", 2, 3, 8)), [{ ...listed, ...change }])
    expect([found.equivalent, found.survivors.length]).toEqual([equivalent, 1 - equivalent])
  })
})

describe("fromInstrumented", () => {
  it("is a report of the states that mutants were left in, which the instrumenter counts from 0", () => {
    const of = (id: string, fileName: string) => ({
      id,
      fileName,
      mutatorName: "ConditionalExpression",
      replacement: "true",
      location: { start: { line: 1, column: 2 }, end: { line: 1, column: 7 } }
    })
    const mutants = [of("0", file), of("1", file), of("2", file), of("3", "packages/some/src/stage/Other.ts")]
    const found = score(fromInstrumented(new Map([[file, source]]), mutants, { 0: "Killed", 1: "Survived" }), [])
    expect([found.run, found.killed]).toEqual([3, 1])
    expect(
      found.survivors.map(({ line, lineNumber, original, status }) => [line, lineNumber, original, status])
    ).toEqual([
      ["x > 0", 2, "x > 0", "Survived"],
      ["x > 0", 2, "x > 0", "NoCoverage"]
    ])
    expect(known(new Map([[file, source]]), mutants, [listed])).toEqual(["0", "1", "2"])
    expect(known(new Map([[file, source]]), mutants, [])).toEqual([])
  })
})

describe("percent", () => {
  it.each([
    { run: 4, killed: 3, equivalent: 0, is: 75 },
    { run: 4, killed: 3, equivalent: 1, is: 100 },
    { run: 1, killed: 0, equivalent: 1, is: 100 },
    { run: 0, killed: 0, equivalent: 0, is: 100 }
  ])("is $is for $killed of $run, $equivalent equivalent", ({ is, ...counted }) => {
    expect(percent(counted)).toBe(is)
  })
})

describe("equivalents", () => {
  it("stand for lines that are there", () => {
    const lines = new Map(
      [...new Set(equivalents.map(({ file }) => file))].map((file) => [
        file,
        existsSync(file)
          ? readFileSync(file, "utf8")
              .split("\n")
              .map((line) => line.trim())
          : []
      ])
    )
    expect(equivalents.filter(({ file, line }) => lines.get(file)?.includes(line) !== true)).toEqual([])
  })

  it("have a reason each, and stand once", () => {
    expect(equivalents.filter(({ reason }) => reason.length < 20)).toEqual([])
    const keys = equivalents.map(({ file, line, original, replacement }) =>
      [file, line, original, replacement].join("\n")
    )
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([])
  })
})
