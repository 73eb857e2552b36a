/**
 * The packages that run in virtual time, in a browser: bundled as they are, without anything in the place of what Node has.
 */
import { build } from "esbuild"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { root } from "../src/Pages.ts"
import { opened } from "./Browser.ts"

const { visit } = opened()

const examples = join(root, "packages/tools/examples/src")

/** Examples of plan and testing that have a program and what it answers. */
const names = ["plan-load", "testing", "testing-faults", "testing-stopped", "testing-timeline"]

const entry = [
  `import { Effect } from "effect"`,
  ...names.map((name, i) => `import * as example${i} from "./${name}.ts"`),
  `const examples = { ${names.map((name, i) => `"${name}": example${i}`).join(", ")} }`,
  `export const run = (name) => Effect.runPromise(examples[name].program)`,
  `export const expected = (name) => examples[name].expected`
].join("\n")

const bundled = async (): Promise<string> => {
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: examples },
    bundle: true,
    platform: "browser",
    format: "iife",
    globalName: "examples",
    conditions: ["@effect-retry/source"],
    write: false,
    logLevel: "error"
  })
  return outputFiles[0]?.text ?? ""
}

interface Bundle {
  readonly run: (name: string) => Promise<unknown>
  readonly expected: (name: string) => unknown
}

describe("a browser", () => {
  it("runs the examples of plan and testing as Node does", async () => {
    const { complaints, page } = await visit("/404.html")
    await page.addScriptTag({ content: await bundled() })
    const ran = await page.evaluate(async (names) => {
      const { examples } = globalThis as unknown as { readonly examples: Bundle }
      const entries = names.map(async (name) => [name, await examples.run(name), examples.expected(name)])
      return (await Promise.all(entries)).map((entry) => JSON.stringify(entry))
    }, names)
    const parsed = ran.map((entry) => JSON.parse(entry) as readonly [string, unknown, unknown])
    expect(parsed.map(([name, answer]) => [name, answer])).toEqual(parsed.map(([name, , expected]) => [name, expected]))
    expect(complaints).toEqual([])
    await page.close()
  })
})
