/** The table of docs/configuration.md, held against what `Policy.describe` lists. */
import { Policy } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import { rowsOf } from "./rows.ts"

describe("docs/configuration.md", () => {
  it("has every key as Policy.describe lists it", () => {
    const listed = Policy.describe("payments", Policy.standard).map(({ allowed, key, value, variable }) => [
      `\`${key}\``,
      `\`${variable}\``,
      allowed,
      value === undefined ? "–" : `\`${value}\``
    ])
    expect(rowsOf("docs/configuration.md", "## The keys")).toEqual(listed)
  })
})
