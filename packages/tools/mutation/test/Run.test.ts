import { appendFileSync, mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import * as Run from "../src/Run.ts"

const folder = (): string => mkdtempSync(join(tmpdir(), "mutation-"))

describe("readJudged", () => {
  it("reads what one process has written, in order", () => {
    const run = folder()
    Run.writeJudged(run, "0", { mutant: "3", state: "Running" })
    Run.writeJudged(run, "0", { mutant: "3", state: "Killed" })
    Run.writeJudged(run, "1", { mutant: "4", state: "Survived" })
    expect(Run.readJudged(run, "0")).toEqual([
      { mutant: "3", state: "Running" },
      { mutant: "3", state: "Killed" }
    ])
    expect(Run.readJudged(run, "2")).toEqual([])
  })

  it("leaves out a line that was torn", () => {
    const run = folder()
    Run.writeJudged(run, "0", { mutant: "3", state: "Killed" })
    appendFileSync(Run.judgedPath(run, "0"), '{"mutant":"4","sta')
    expect(Run.readJudged(run, "0")).toEqual([{ mutant: "3", state: "Killed" }])
  })
})

describe("forgetUnfinished", () => {
  it("keeps the mutants that were judged, and not the one that was being judged", () => {
    const run = folder()
    Run.writeJudged(run, "0", { mutant: "3", state: "Running" })
    Run.writeJudged(run, "0", { mutant: "3", state: "Timeout" })
    Run.writeJudged(run, "0", { mutant: "4", state: "Running" })
    Run.forgetUnfinished(run, "0")
    expect(Run.readJudged(run, "0")).toEqual([{ mutant: "3", state: "Timeout" }])
  })
})

describe("forgetReached", () => {
  it("leaves nothing of what the tests reached before", () => {
    const run = folder()
    const reached = { atImport: ["1"], passed: ["2"], files: { Loop: ["packages/core/test/loop/Retry.test.ts"] } }
    Run.writeReached(run, "0", reached)
    expect(Run.readReached(run, "0")).toEqual(reached)
    Run.forgetReached(run, "0")
    expect(Run.readReached(run, "0")).toBeUndefined()
  })
})

describe("isShareOf", () => {
  it("gives each mutant to one process", () => {
    const mutants = ["0", "1", "2", "3", "14"]
    const of = { every: 1, processes: 2 }
    const shares = ["0", "1"].map((process) => mutants.filter((mutant) => Run.isShareOf(process, mutant, of)))
    expect(shares).toEqual([
      ["0", "2", "14"],
      ["1", "3"]
    ])
  })

  it("gives each process half of a sample", () => {
    const sample = Array.from({ length: 40 }, (_, id) => `${id}`).filter((mutant) => Run.isSampled(mutant, 10))
    const of = { every: 10, processes: 2 }
    const shares = ["0", "1"].map((process) => sample.filter((mutant) => Run.isShareOf(process, mutant, of)))
    expect(shares).toEqual([
      ["0", "20"],
      ["10", "30"]
    ])
  })
})
