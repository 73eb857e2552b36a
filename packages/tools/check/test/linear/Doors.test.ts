import { printedBy } from "@effect-retry/check/linear/Program"
import { beforeAll, describe, expect, it } from "vitest"

type Found = Readonly<Record<string, Readonly<Record<string, ReadonlyArray<string>>>>>

/** For each door, the texts for which twice the length takes more than 2.5 times the steps. */
let found: Found

beforeAll(async () => {
  found = (await printedBy("packages/tools/check/test/linear/doors/main.ts")) as Found
})

const slow = (group: string): ReadonlyArray<string> => Object.values(found[group] ?? { none: ["no doors"] }).flat()

describe("Doors.notLinear", () => {
  it("finds nothing in functions that take linear time", () => {
    expect(slow("linear")).toEqual([])
  })

  it("finds each sort of function that takes more than linear time", () => {
    const missed = Object.entries(found["quadratic"] ?? {}).filter(([, texts]) => texts.length === 0)
    expect(missed).toEqual([])
    expect(slow("quadratic").length).toBeGreaterThan(20)
  })
})

describe("functions that read texts from outside", () => {
  it.each(["core", "http", "aws", "google", "grpc", "fleet"])("of %s take linear time for hostile texts", (group) => {
    expect(slow(group)).toEqual([])
  })
})
