import { type Module, publicModules, toText } from "@effect-retry/check/PublicNames"
import { publishedPackages, read, sourceOf } from "@effect-retry/check/Workspace"
import { describe, expect, it } from "vitest"

const modulesOf = (files: Readonly<Record<string, string>>): ReadonlyArray<Module> =>
  publicModules({
    folder: "packages/a",
    manifest: {
      name: "@effect-retry/a",
      exports: {
        ".": { "@effect-retry/source": "./src/index.ts" },
        "./A": { "@effect-retry/source": "./src/decide/A.ts" },
        "./package.json": "./package.json"
      }
    },
    read: (path) => files[path] ?? "",
    resolve: (specifier) => `packages/${specifier.replace("@effect-retry/", "").replace("/", "/src/")}.ts`
  })

const namesOf = (text: string, others: Readonly<Record<string, string>> = {}) =>
  modulesOf({ "packages/a/src/decide/A.ts": text, ...others }).flatMap(({ names }) => names)

describe("PublicNames.publicModules", () => {
  it.each<readonly [string, ReadonlyArray<string>]>([
    [`export const a = 1, b = 2`, ["a", "b"]],
    [`export function a(): void {}`, ["a"]],
    [`export class A {}`, ["A"]],
    [`export const { a, b: [c] } = d`, ["a", "c"]],
    [`export interface A {}`, ["A: type"]],
    [`export type A = 1`, ["A: type"]],
    [`export declare namespace A { type B = 1 }`, ["A: type"]],
    [`export interface A {}\nexport const A = 1`, ["A: value and type"]],
    [`const a = 1\ntype B = 1\nexport { a as c, type B }`, ["B: type", "c"]],
    [`export { a, type B } from "./B.ts"`, ["B: type", "a"]],
    [`export type { A as B } from "./B.ts"`, ["B: type"]],
    [`export * as B from "./B.ts"`, ["B"]],
    [`export default 1`, ["default"]],
    [`const a = 1\n// export const b = 2\nconst c = "export const d = 3"`, []]
  ])("reads %s", (text, names) => {
    expect(namesOf(text)).toEqual(names)
  })

  it("follows a re-export of everything, inside the package and into a sibling", () => {
    const others = {
      "packages/a/src/decide/B.ts": `export const b = 1\nexport type C = 1`,
      "packages/plan/src/Clock.ts": `export const d = 1`
    }
    const text = `export * from "./B.ts"\nexport * from "@effect-retry/plan/Clock"`
    expect(namesOf(text, others)).toEqual(["C: type", "b", "d"])
    expect(namesOf(`export type * from "./B.ts"`, others)).toEqual(["C: type", "b: type"])
  })

  it("tells which modules the index exports", () => {
    expect(modulesOf({}).map(({ indexed }) => indexed)).toEqual([false])
    const index = { "packages/a/src/index.ts": `export * as A from "./decide/A.ts"` }
    expect(modulesOf(index).map(({ indexed }) => indexed)).toEqual([true])
  })

  it("refuses a file that does not parse", () => {
    expect(() => namesOf("export {")).toThrow("packages/a/src/decide/A.ts does not parse")
  })
})

describe("PublicNames.toText", () => {
  it("has one line per name", () => {
    const modules = [
      { name: "A", indexed: true, names: ["A: type", "a"] },
      { name: "B", indexed: false, names: ["b"] }
    ]
    expect(toText("core", modules).split("\n")).toEqual([
      "core: 2 names in 1 modules; by their paths only, 1 names in 1 modules",
      "",
      "A (2)",
      "  A: type",
      "  a",
      "",
      "B (1, by its path only)",
      "  b",
      ""
    ])
  })
})

const packages = publishedPackages().map(({ folder, manifest }) => ({
  name: manifest.name,
  folder,
  modules: publicModules({ folder, manifest, read, resolve: sourceOf })
}))

describe.each(packages)("the public names of $name", ({ folder, modules, name }) => {
  // `npx --yes pnpm@12 test:tools PublicNames -u` writes the lists.
  it("are those of the list", async () => {
    await expect(toText(name, modules)).toMatchFileSnapshot(`exports/${folder.replace("packages/", "")}.txt`)
  })
})

describe("a module of @effect-retry/core", () => {
  const [core] = packages.filter(({ name }) => name === "@effect-retry/core")

  /** The port, its buckets and its combinators are one noun to users, as `docs/decisions.md` says. */
  const most = (module: string) => (module === "TokenBucket" ? 21 : 15)

  it("has few enough names to be read at once", () => {
    const large = core?.modules.filter(({ name, names }) => names.length > most(name)).map(({ name }) => name)
    expect(large).toEqual([])
  })
})
