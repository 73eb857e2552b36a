import { runIn } from "@effect-retry/check/Command"
import { strict } from "@effect-retry/check/release/Compiler"
import { root } from "@effect-retry/check/Workspace"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { expect, it } from "vitest"

/** What it says of a project with these files. */
const diagnosed = async (files: Readonly<Record<string, string>>) => {
  const folder = mkdtempSync(join(tmpdir(), "diagnose-"))
  const all = {
    "package.json": JSON.stringify({ type: "module" }),
    "tsconfig.json": JSON.stringify({ compilerOptions: { ...strict, lib: ["ES5"] }, include: ["src"] }),
    ...files
  }
  try {
    for (const [name, content] of Object.entries(all)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), content)
    }
    const script = join(root, "packages/tools/check/src/release/Diagnose.ts")
    const library = createRequire(import.meta.url).resolve("typescript5")
    return await runIn({ folder }, join(root, "node_modules/.bin/tsx"), script, library)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const declarations = (name: string) => ({
  [`node_modules/${name}/package.json`]: JSON.stringify({ name, version: "1.0.0", types: "index.d.ts" }),
  [`node_modules/${name}/index.d.ts`]: `export declare const a: Unknown\n`
})

it("says what is wrong in the project and in our packages, and nothing of others", async () => {
  const { error, stdout } = await diagnosed({
    "src/a.ts": `import "@effect-retry/core"\nimport "other"\nimport { b } from "absent"\nexport const a: string = 1\nb()\n`,
    ...declarations("@effect-retry/core"),
    ...declarations("other")
  })
  expect(error).toBe(true)
  expect(stdout.trim().split("\n").toSorted()).toEqual([
    "node_modules/@effect-retry/core/index.d.ts(1,25): error TS2304: Cannot find name 'Unknown'.",
    "src/a.ts(3,19): error TS2307: Cannot find module 'absent' or its corresponding type declarations.",
    "src/a.ts(4,14): error TS2322: Type 'number' is not assignable to type 'string'."
  ])
})

it("says nothing of a project that is right", async () => {
  const { error, stdout } = await diagnosed({ "src/a.ts": `import "other"\n`, ...declarations("other") })
  expect({ error, stdout: stdout.trim() }).toEqual({ error: false, stdout: "" })
})
