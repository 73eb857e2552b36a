import { firstExample, installLines, printed } from "@effect-retry/check/release/Readme"
import { publishedPackages, read } from "@effect-retry/check/Workspace"
import { describe, expect, it } from "vitest"

const readme = `# a

With Effect 3:

\`\`\`sh
npm install a@0 effect@3
npm install platform@1
\`\`\`

With Effect 4:

\`\`\`sh
npm install a@4 effect@4
\`\`\`

\`\`\`ts
first()
\`\`\`

It prints:

\`\`\`text
one
\`\`\`

\`\`\`ts
second()
\`\`\`

\`\`\`sh
npm install --save-dev c@1
\`\`\`
`

describe("Readme", () => {
  it("has the packages of each install line of one version of Effect, in their order", () => {
    expect(installLines(readme, 3)).toEqual([["a@0", "effect@3"], ["platform@1"], ["--save-dev", "c@1"]])
    expect(installLines(readme, 4)).toEqual([
      ["a@4", "effect@4"],
      ["--save-dev", "c@1"]
    ])
  })

  it("has the first example and what it prints", () => {
    expect(firstExample(readme)).toBe("first()\n")
    expect(printed(readme)).toBe("one\n")
  })

  it("has none when there is none", () => {
    expect(firstExample("# a")).toBeUndefined()
    expect(printed("# a")).toBeUndefined()
    const ofSecond = readme.replace("It prints:", "It is silent.").replace(/$/, "\nIt prints:\n\n```text\ntwo\n```\n")
    expect(printed(ofSecond)).toBeUndefined()
    expect(installLines("# a", 4)).toEqual([])
  })

  // Otherwise a rehearsal would try nothing of it.
  it.each(publishedPackages())("of $folder has an example and an install line", ({ folder, manifest }) => {
    const text = read(`${folder}/README.md`)
    expect(firstExample(text)).toContain(manifest.name)
    for (const [effect, line] of [
      [3, 0],
      [4, 4]
    ] as const) {
      const names = installLines(text, effect).flat()
      expect(names).toEqual(expect.arrayContaining([`${manifest.name}@${line}`, `effect@${effect}`]))
      expect(names.filter((name) => name.endsWith(`@${7 - effect}`) && name.startsWith("effect@"))).toEqual([])
    }
  })
})
