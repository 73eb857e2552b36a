import { checkExports, writeExports } from "@effect-retry/check/Exports"
import { describe, expect, it } from "vitest"

const index = `/** Modules. */\nexport * as Backoff from "./decide/Backoff.ts"\nexport * as Retry from "./loop/Retry.ts"\n`

const input = (manifest: unknown, indexText = index) => ({
  indexPath: "src/index.ts",
  index: indexText,
  manifestPath: "package.json",
  manifest: JSON.stringify(manifest, null, 2),
  has: (path: string) => path !== "src/loop/Gone.ts"
})

const written = JSON.parse(writeExports(input({ name: "a", publishConfig: { access: "public" }, files: [] })))

describe("Exports.writeExports", () => {
  it("gives every module a flat name and keeps the rest of the package.json in place", () => {
    expect(Object.keys(written)).toEqual(["name", "publishConfig", "files", "exports"])
    expect(Object.keys(written.exports)).toEqual([".", "./Backoff", "./Retry", "./package.json"])
    expect(written.exports["./Backoff"]).toEqual({
      "@effect-retry/source": "./src/decide/Backoff.ts",
      types: "./dist/decide/Backoff.d.ts",
      default: "./dist/decide/Backoff.js"
    })
    expect(written.publishConfig).toEqual({ access: "public", exports: expect.anything() })
    expect(written.publishConfig.exports["./Backoff"]).toEqual({
      types: "./dist/decide/Backoff.d.ts",
      default: "./dist/decide/Backoff.js"
    })
  })
})

describe("Exports.checkExports", () => {
  const beside = (source: string) => ({
    ...written,
    exports: { ...written.exports, "./Loop": { "@effect-retry/source": source } }
  })

  it("accepts modules for sibling packages after those of the index, in the same form", () => {
    const siblings = JSON.parse(writeExports(input(beside("./src/loop/Loop.ts"))))
    expect(Object.keys(siblings.exports)).toEqual([".", "./Backoff", "./Retry", "./Loop", "./package.json"])
    expect(siblings.publishConfig.exports["./Loop"]).toEqual({
      types: "./dist/loop/Loop.d.ts",
      default: "./dist/loop/Loop.js"
    })
    expect(checkExports(input(siblings))).toEqual([])
    expect(checkExports(input(beside("./src/loop/Loop.ts")))).toHaveLength(2)
  })

  it("keeps the modules that only sibling packages need under unstable", () => {
    const loop = { "@effect-retry/source": "./src/loop/Loop.ts" }
    const manifest = { ...written, exports: { ...written.exports, "./unstable/Loop": loop } }
    const siblings = JSON.parse(writeExports(input(manifest)))
    expect(Object.keys(siblings.exports)).toEqual([".", "./Backoff", "./Retry", "./unstable/Loop", "./package.json"])
    expect(checkExports(input(siblings))).toEqual([])
  })

  it.each(["./test/Loop.ts", "./src/loop/Gone.ts"])("finds an export of %s", (source) => {
    expect(checkExports(input(beside(source)))).toHaveLength(1)
    expect(JSON.parse(writeExports(input(beside(source)))).exports).toEqual(written.exports)
  })

  it("accepts its own output", () => {
    expect(checkExports(input(written))).toEqual([])
  })

  it("finds each map that lacks a module of the index", () => {
    const longer = `${index}export * as Policy from "./loop/Policy.ts"\n`
    expect(checkExports(input(written, longer)).map(({ message }) => message)).toEqual([
      "exports does not match src/index.ts: run check exports --write",
      "publishConfig.exports does not match src/index.ts: run check exports --write"
    ])
  })

  it("finds a source condition that would be published", () => {
    const leaking = { ...written, publishConfig: { ...written.publishConfig, exports: written.exports } }
    expect(checkExports(input(leaking))).toEqual([
      expect.objectContaining({ message: expect.stringContaining("publishConfig.exports does not match") })
    ])
  })

  it.each([
    [`export { retry } from "./loop/Retry.ts"`, "is not of the form"],
    [`export const version = 1`, "is not of the form"],
    [`export * as Again from "./loop/Retry.ts"`, "exports loop/Retry.ts under the other name Again"]
  ])("finds in the index: %s", (line, message) => {
    expect(checkExports(input(written, index + line))).toEqual([
      { file: "src/index.ts", line: 4, message: expect.stringContaining(message) }
    ])
  })
})
