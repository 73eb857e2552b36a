import { misplaced } from "@effect-retry/check/Categories"
import { publishedPackages, read, sourceOf, sourcesBelow } from "@effect-retry/check/Workspace"
import { describe, expect, it } from "vitest"

const misplacedIn = (files: Readonly<Record<string, string>>) => {
  const exported = { "@effect-retry/source": "./src/A.ts" }
  const exports = { "./A": exported, "./unstable/B": { "@effect-retry/source": "./src/B.ts" } }
  const sources = Object.entries(files).map(([name, text]) => ({ path: `packages/a/src/${name}.ts`, text }))
  const of = (path: string) => sources.find((source) => source.path === path)?.text ?? ""
  const input = { folder: "packages/a", manifest: { name: "a", exports }, read: of, resolve: (path: string) => path }
  return misplaced([input], sources)
}

const documented = (declaration: string) => `/**\n * Does it.\n *\n * @category models\n */\n${declaration}`

describe("Categories.misplaced", () => {
  it.each([
    "export const a = 1",
    "export function a(): void\nexport function a(): void {}",
    "export class a {}",
    "export interface a {}",
    "export type a = 1"
  ])("wants a category on what users can import: `%s`", (declaration) => {
    expect(misplacedIn({ A: documented(declaration) })).toEqual({ hidden: [], missing: [] })
    expect(misplacedIn({ A: declaration })).toEqual({ hidden: [], missing: ["packages/a/src/A.ts: a"] })
  })

  it.each(["const a = 1", "interface a {}", "export const a = 1"])(
    "wants none on anything else: `%s`",
    (declaration) => {
      expect(misplacedIn({ B: documented(declaration) })).toEqual({ hidden: ["packages/a/src/B.ts: a"], missing: [] })
      expect(misplacedIn({ B: declaration })).toEqual({ hidden: [], missing: [] })
    }
  )

  it.each([
    'export { b } from "./B.ts"',
    'export { b as a } from "./B.ts"',
    'export * from "./B.ts"',
    'export * as B from "./B.ts"',
    'import { b } from "./B.ts"\nexport { b }'
  ])("follows `%s`", (text) => {
    const files = { A: text, B: "export const b = 1\nconst c = 2" }
    expect(misplacedIn(files)).toEqual({ hidden: [], missing: ["packages/a/src/B.ts: b"] })
    expect(misplacedIn({ ...files, B: documented(files.B) })).toEqual({ hidden: [], missing: [] })
  })
})

describe("@category", () => {
  it("stands on exactly what users can import", () => {
    const packages = publishedPackages()
    const inputs = packages.map(({ folder, manifest }) => ({ folder, manifest, read, resolve: sourceOf }))
    expect(
      misplaced(
        inputs,
        packages.flatMap(({ folder }) => sourcesBelow(`${folder}/src`))
      )
    ).toEqual({
      hidden: [],
      missing: []
    })
  })
})
