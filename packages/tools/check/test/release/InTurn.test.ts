import { runInTurn } from "@effect-retry/check/release/InTurn"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const ranInTurn = async (...codes: ReadonlyArray<string>) => {
  const folder = mkdtempSync(join(tmpdir(), "in-turn-"))
  try {
    const modules = codes.map((code, index) => {
      writeFileSync(join(folder, `${index}.mjs`), code)
      return `${index}.mjs`
    })
    return await runInTurn({ folder }, process.execPath, modules)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe("InTurn.runInTurn", () => {
  it("begins a module when the one before has nothing left to do", async () => {
    const { error, printed } = await ranInTurn(
      `setTimeout(() => console.log("late"), 5); console.log("early")`,
      ``,
      `console.log(await Promise.resolve("awaited"))`
    )
    expect(error).toBe(false)
    expect(printed).toEqual(["early\nlate\n", "", "awaited\n"])
  })

  it.each([
    ["throws", `throw new Error("away")`],
    ["throws later", `setTimeout(() => { throw new Error("away") }, 1)`],
    ["rejects", `Promise.reject(new Error("away"))`],
    ["sets an exit code", `console.log("away"); process.exitCode = 1`]
  ])("fails if one %s", async (_, code) => {
    const { error, output } = await ranInTurn(code, `console.log("next")`)
    expect(error).toBe(true)
    expect(output).toContain("away")
  })

  it.each([[[]], [[`console.log("next")`]]])("fails if one waits for what never comes, before %j", async (after) => {
    const { error, printed } = await ranInTurn(`await new Promise(() => undefined)`, ...after)
    expect(error).toBe(true)
    expect(printed).toEqual([""])
  })
})
