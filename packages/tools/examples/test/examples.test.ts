import { VirtualClock } from "@effect-retry/testing"
import { Effect } from "effect"
import { readdirSync } from "node:fs"
import { describe, expect, it } from "vitest"

/** What an example file exports; everything else in it is for its readers. */
interface Example {
  readonly program: Effect.Effect<unknown, unknown>
  /** What the program succeeds with. */
  readonly expected: unknown
  /** True for an example that talks to the outside and therefore needs the real clock. */
  readonly live?: boolean
}

const folder = new URL("../src/", import.meta.url)
const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"))

// Without this, errors are equal that differ in their own fields.
expect.addEqualityTesters([
  function (a: unknown, b: unknown, testers) {
    return a instanceof Error && b instanceof Error
      ? this.equals({ ...a, message: a.message }, { ...b, message: b.message }, testers)
      : undefined
  }
])

describe("examples", () => {
  it.each(files)("%s runs and does what it says", async (file) => {
    const example: Example = await import(new URL(file, folder).pathname)
    expect(Effect.isEffect(example.program), `${file} exports an effect named program`).toBe(true)
    expect(Object.keys(example)).toContain("expected")
    const result = await Effect.runPromise(example.live === true ? example.program : VirtualClock.run(example.program))
    expect(result).toEqual(example.expected)
  })
})
