import { firstExample, installLines, printed } from "@effect-retry/check/release/Readme"
import { publishedPackages, read } from "@effect-retry/check/Workspace"
import { describe, expect, it } from "vitest"

const readme = `# a

\`\`\`sh
npm install a@0 effect@3
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
npm install --save-dev b@0
\`\`\`
`

describe("Readme", () => {
  it("has the packages of each install line in their order", () => {
    expect(installLines(readme)).toEqual([
      ["a@0", "effect@3"],
      ["--save-dev", "b@0"]
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
    expect(installLines("# a")).toEqual([])
  })

  // Otherwise a rehearsal would try nothing of it.
  it.each(publishedPackages())("of $folder has an example and an install line", ({ folder, manifest }) => {
    const text = read(`${folder}/README.md`)
    expect(firstExample(text)).toContain(manifest.name)
    expect(installLines(text).flat()).toContain(`${manifest.name}@0`)
  })
})
