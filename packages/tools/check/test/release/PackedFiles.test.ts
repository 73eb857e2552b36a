import { checkPacked, listedFrom } from "@effect-retry/check/release/PackedFiles"
import { describe, expect, it } from "vitest"

const entries = ["LICENSE", "README.md", "src/index.ts", "src/loop/Retry.ts", "dist/index.js", "dist/index.js.map"]
const input = { name: "a", entries, kilobytes: 100 }
const listed = { atMostKilobytes: 120, files: ["LICENSE", "README.md", "src/*.ts", "src/loop/*.ts"] }

describe("PackedFiles.listedFrom", () => {
  it("has a line for the files of a folder with the same ending, and room for a sixth more", () => {
    expect(listedFrom(input)).toEqual(listed)
  })
})

describe("PackedFiles.checkPacked", () => {
  it.each([
    ["what is listed", {}],
    ["a module more in a folder of the list", { entries: [...entries, "src/loop/Hedge.ts"] }],
    ["a tarball as large as the limit", { kilobytes: 120 }]
  ])("accepts %s", (_, changes) => {
    expect(checkPacked({ ...input, ...changes }, listed)).toEqual([])
  })

  it.each([
    ["test/loop/Retry.test.ts", "a: test/loop/*.test.ts is packed and not listed"],
    ["src/loop/Retry.test.ts", "a: src/loop/*.test.ts is packed and not listed"],
    ["dist/.tsbuildinfo", "a: dist/*.tsbuildinfo is packed and not listed"],
    [".env", "a: .env is packed and not listed"]
  ])("refuses %s", (entry, message) => {
    expect(checkPacked({ ...input, entries: [...entries, entry] }, listed)).toEqual([message])
  })

  it("misses a forgotten file", () => {
    const forgotten = entries.filter((entry) => entry !== "LICENSE" && entry !== "src/loop/Retry.ts")
    expect(checkPacked({ ...input, entries: forgotten }, listed)).toEqual([
      "a: LICENSE is listed and not packed",
      "a: src/loop/*.ts is listed and not packed"
    ])
  })

  it("refuses a tarball over its limit, and a package that the list does not know", () => {
    expect(checkPacked({ ...input, kilobytes: 120.1 }, listed)).toEqual(["a: 121 KB are packed, over the limit of 120"])
    expect(checkPacked(input, undefined)).toEqual(["a: is not in the list of packages"])
  })
})
