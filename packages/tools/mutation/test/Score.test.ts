import { existsSync, readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import type { Equivalents } from "../src/Equivalent.ts"
import { equivalents } from "../src/Equivalents.ts"
import { fromInstrumented, known, type Mutant, percent, type Report, score, type Status } from "../src/Score.ts"
import { declarationAt } from "../src/Shape.ts"

const file = "packages/some/src/stage/File.ts"

const source = ["const a =", "  x > 0", "    && y < 1", "const b = -1"].join("\n")

const mutant = (status: Status, line: number, from: number, to: number, endLine = line): Mutant => ({
  mutatorName: "ConditionalExpression",
  replacement: "true",
  status,
  location: { start: { line, column: from }, end: { line: endLine, column: to } }
})

const report = (...mutants: ReadonlyArray<Mutant>): Report => ({ files: { [file]: { source, mutants } } })

const listed: Equivalents = { [file]: { "a: ConditionalExpression, > to true": "x is never negative" } }

describe("score", () => {
  it.each<{ status: Status; run: number; killed: number; late?: number; survivors: number }>([
    { status: "Killed", run: 1, killed: 1, survivors: 0 },
    { status: "Timeout", run: 1, killed: 1, late: 1, survivors: 0 },
    { status: "Survived", run: 1, killed: 0, survivors: 1 },
    { status: "NoCoverage", run: 1, killed: 0, survivors: 1 }
  ])("counts a mutant with the status $status", ({ killed, late = 0, run, status, survivors }) => {
    const found = score(report(mutant(status, 2, 3, 8)), {})
    expect([found.run, found.killed, found.late.length, found.survivors.length]).toEqual([run, killed, late, survivors])
  })

  it("counts mutants that are not in the sample as mutants, and as nothing else", () => {
    const found = score(report(mutant("Untried", 2, 3, 8), mutant("Killed", 2, 3, 8)), listed)
    expect([found.all, found.run, found.killed, found.equivalent, found.survivors]).toEqual([2, 1, 1, 0, []])
  })

  it("says what a survivor replaces, and where", () => {
    expect(score(report(mutant("Survived", 2, 3, 13, 3)), {}).survivors).toEqual([
      {
        file,
        lineNumber: 2,
        line: "x > 0",
        name: "a: ConditionalExpression, && to true",
        original: "x > 0 && y < 1",
        replacement: "true",
        mutator: "ConditionalExpression",
        status: "Survived"
      }
    ])
  })

  it.each([
    { what: "the same", file, name: "a: ConditionalExpression, > to true", equivalent: 1 },
    { what: "of another file", file: "packages/some/src/Other.ts", name: "a: ConditionalExpression, > to true" },
    { what: "of another declaration", file, name: "b: ConditionalExpression, > to true" },
    { what: "of another mutator", file, name: "a: EqualityOperator, > to true" },
    { what: "of another shape", file, name: "a: ConditionalExpression, < to true" },
    { what: "with another replacement", file, name: "a: ConditionalExpression, > to false" }
  ])("counts a mutant on the list as equivalent: $what", ({ equivalent = 0, file, name }) => {
    const found = score(report(mutant("Survived", 2, 3, 8)), { [file]: { [name]: "x is never negative" } })
    expect([found.equivalent, found.survivors.length]).toEqual([equivalent, 1 - equivalent])
  })

  it("numbers equal mutants of one declaration, from the first in the file", () => {
    const alike = report(mutant("Survived", 3, 8, 13), mutant("Killed", 2, 3, 8), mutant("Survived", 4, 11, 13))
    const twice = { files: { [file]: { ...alike.files[file]!, source: source.replace("y <", "y >") } } }
    const names = (equivalents: Equivalents) => score(twice, equivalents).survivors.map(({ name }) => name)
    expect(names({})).toEqual(["a: ConditionalExpression, > to true, 2", "b: ConditionalExpression, - to true"])
    expect(names({ [file]: { "a: ConditionalExpression, > to true": "not said which" } })).toHaveLength(2)
    expect(names({ [file]: { "a: ConditionalExpression, > to true, 2": "y is small" } })).toHaveLength(1)
  })

  it("finds an entry of the list that no longer exists", () => {
    const reasons = {
      "a: ConditionalExpression, > to true": "is there",
      "c: ConditionalExpression, > to true": "is not"
    }
    const { gone } = score(report(mutant("Killed", 2, 3, 8)), { [file]: reasons, "packages/other.ts": reasons })
    expect(gone).toEqual([`${file}: c: ConditionalExpression, > to true`])
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
    const found = score(fromInstrumented(new Map([[file, source]]), mutants, { 0: "Killed", 1: "Survived" }), {})
    expect([found.run, found.killed]).toEqual([3, 1])
    expect(
      found.survivors.map(({ line, lineNumber, original, status }) => [line, lineNumber, original, status])
    ).toEqual([
      ["x > 0", 2, "x > 0", "Survived"],
      ["x > 0", 2, "x > 0", "NoCoverage"]
    ])
    const oneOf = (id: string) => known(new Map([[file, source]]), [of(id, file)], listed)
    expect([oneOf("7"), known(new Map([[file, source]]), [of("0", file)], {})]).toEqual([["7"], []])
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
  const listed = Object.entries(equivalents).flatMap(([file, reasons]) =>
    Object.entries(reasons).map(([name, reason]) => ({ file, name, reason }))
  )

  it("stand for declarations that are there", () => {
    const declarations = new Map(
      Object.keys(equivalents).map((file) => {
        const source = existsSync(file) ? readFileSync(file, "utf8") : ""
        return [file, new Set(source.split("\n").map((line) => declarationAt(line, 1)))]
      })
    )
    const gone = listed.filter(({ file, name }) => declarations.get(file)?.has(name.split(":")[0] ?? "") !== true)
    expect(gone).toEqual([])
  })

  it("have a reason each", () => {
    expect(listed.filter(({ reason }) => reason.length < 20)).toEqual([])
  })

  it("are of one list each", () => {
    const lists = readdirSync("packages/tools/mutation/src/equivalents")
    const read = lists.map((name) => readFileSync(`packages/tools/mutation/src/equivalents/${name}`, "utf8"))
    expect(read.flatMap((text) => text.match(/^ {2}"packages\/[^"]+"/gm) ?? [])).toHaveLength(
      Object.keys(equivalents).length
    )
  })
})
