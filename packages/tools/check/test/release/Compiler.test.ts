import { ourErrors } from "@effect-retry/check/release/Compiler"
import { describe, expect, it } from "vitest"

describe("Compiler.ourErrors", () => {
  it.each([
    "src/core.ts(3,1): error TS2322: Type 'number' is not assignable to type 'string'.",
    "node_modules/@effect-retry/core/dist/loop/Retry.d.ts(1,1): error TS1005: ';' expected.",
    "node_modules/.pnpm/@effect-retry+core@0.1.0/node_modules/@effect-retry/core/dist/index.d.ts(1,1): error TS1005: ','.",
    "error TS2688: Cannot find type definition file for 'node'."
  ])("has %s", (line) => {
    expect(ourErrors(`before\n${line}\n`)).toEqual([line])
  })

  it.each([
    "node_modules/effect/dist/dts/Effect.d.ts(3,1): error TS2322: no error of ours",
    "node_modules/@effect-retry/fleet/node_modules/redis/index.d.ts(3,1): error TS2322: no error of ours",
    "  a line that explains an error"
  ])("does not have %s", (line) => {
    expect(ourErrors(line)).toEqual([])
  })
})
