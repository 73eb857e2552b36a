import { docExamples, importing } from "@effect-retry/check/DocExamples"
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const of = (...lines: ReadonlyArray<string>) => docExamples({ path: "packages/core/src/A.ts", text: lines.join("\n") })

const messages = (...lines: ReadonlyArray<string>) =>
  of(...lines).findings.map(({ line, message }) => `${line} ${message}`)

describe("DocExamples.docExamples", () => {
  it("takes the code out of its comment and leaves it on its lines", () => {
    expect(
      of("/**", " * @example", " * ```ts", " * const a = 1", " *", " *   a + 1", " * ```", " */", "export {}")
    ).toEqual({
      findings: [],
      examples: [{ name: "packages.core.src.A.3.mts", code: "\n\n\nconst a = 1\n\n  a + 1\n" }]
    })
  })

  it("takes every block, even one without a tag and one inside a module", () => {
    const member = ["  /**", "   * ```typescript", "   * const b = 2", "   * ```", "   */"]
    const { examples, findings } = of("/**", " * ```ts", " * const a = 1", " * ```", " */", ...member)
    expect(findings).toEqual([])
    expect(examples.map(({ code }) => code.trim())).toEqual(["const a = 1", "const b = 2"])
  })

  it("leaves other languages and code outside comments alone", () => {
    const { examples, findings } = of(
      "/**",
      " * ```sh",
      " * ls",
      " * ```",
      " */",
      "const text = `",
      "```ts",
      "```",
      "`"
    )
    expect({ examples, findings }).toEqual({ examples: [], findings: [] })
  })

  it("finds an example without code", () => {
    expect(messages("/**", " * @example", " * ```", " * const a = 1", " * ```", " */")).toEqual([
      "2 @example without a block of ts below it"
    ])
  })

  it.each([
    ["the comment", ["/**", " * ```ts", " * const a = 1", " */", "/**", " * ```", " */"]],
    ["the file", ["/**", " * ```ts", " * const a = 1", " */"]]
  ])("finds a block that goes on after the end of %s", (_, lines) => {
    expect(messages(...lines)).toEqual(["2 block of ts that does not end"])
  })
})

describe("DocExamples.importing", () => {
  it("runs all modules, and fails with the name of the one that failed", () => {
    const folder = mkdtempSync(join(tmpdir(), "doc-examples-"))
    try {
      writeFileSync(join(folder, "a.mjs"), `throw new Error("first")`)
      writeFileSync(join(folder, "b.mjs"), `console.log("second")`)
      writeFileSync(join(folder, "run.mjs"), importing(["a.mjs", "b.mjs"]))
      const { status, stderr, stdout } = spawnSync(process.execPath, [join(folder, "run.mjs")], { encoding: "utf8" })
      expect({ status, stdout }).toEqual({ status: 1, stdout: "second\n" })
      expect(stderr).toContain("a.mjs Error: first")
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
