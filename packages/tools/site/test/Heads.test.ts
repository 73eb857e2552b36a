import { describe, expect, it } from "vitest"
import * as Heads from "../src/Heads.ts"

const source = `/**
 * Back-offs: how long to wait.
 *
 * A list:
 * - \`a\`
 *
 * @example
 * \`\`\`ts
 * const a = {
 *   b: 1
 * }
 * \`\`\`
 */
import { a } from "a"

/** Another comment. */
export const b = a
`

describe("Heads.headOf", () => {
  it("is the text of the first comment, and its examples", () => {
    expect(Heads.headOf(source)).toEqual({
      text: "Back-offs: how long to wait.\n\nA list:\n- `a`",
      examples: ["```ts\nconst a = {\n  b: 1\n}\n```"]
    })
  })

  it("is none where a source begins with code", () => {
    expect(Heads.headOf(`import { a } from "a"\n${source}`)).toBeUndefined()
    expect(Heads.headOf(`/** A constant. */\nexport const a = 1\n`)).toBeUndefined()
  })
})
