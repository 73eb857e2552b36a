import { matcherOf } from "@effect-retry/check/linear/Backtracking"
import { hostileTo, textOf } from "@effect-retry/check/linear/Hostile"
import { isLinear, notLinear } from "@effect-retry/check/linear/Linear"
import { patternsOf } from "@effect-retry/check/linear/Patterns"
import { publishedPackages, root, sourcesBelow } from "@effect-retry/check/Workspace"
import { join } from "node:path"
import { afterEach, describe, expect, it, vi } from "vitest"

const folders = publishedPackages().map(({ folder }) => folder)
const patterns = (folder: string) => sourcesBelow(`${folder}/src`).map(patternsOf)
const written = folders.flatMap((folder) => patterns(folder).flatMap(({ written }) => written))

describe("Backtracking.matcherOf", () => {
  const known = [/^(?:a|ab)(?:c|bcd)(d*)$/, /a+?b{2,3}?(?=c)/, /(?!b)[a-c]\b/i, /\p{L}+$/u, /x|y?z/, /(?<=a)b|(?<!a)c/]

  it("matches hostile texts if V8 does", () => {
    const differences = [...known, ...written.map(({ pattern }) => pattern)].flatMap((pattern) =>
      hostileTo(pattern).flatMap((hostile) => {
        const text = textOf(hostile, 24)
        const found = new RegExp(pattern.source, pattern.flags.replace("g", "")).exec(text)
        const expected = found === null ? undefined : [found.index, found.index + found[0].length]
        const { match } = matcherOf(pattern)(text)
        return match?.join() === expected?.join() ? [] : [`${pattern} ${JSON.stringify(text)}`]
      })
    )
    expect(differences).toEqual([])
  })

  it("counts each comparison, each branch and each assertion", () => {
    // Twice a branch and a comparison, with the way back between them; then the assertion, and the end of the pattern.
    expect(matcherOf(/a*$/)("a")).toEqual({ steps: 7, match: [0, 1] })
  })

  it.each([/(a*)*b/, /(a)\1/, /(?<=ab)c/, /^a$/m])("refuses %s, whose steps it does not know", (pattern) => {
    expect(() => matcherOf(pattern)).toThrow("cannot count the steps of")
  })
})

describe("Linear.notLinear", () => {
  it.each([/[).,;:!]*$/, /\s+$/, /x*y/, /^\d+\.?\d*$/, /^(.*?)a(.+?)$/, /from[^]*to/, /^(?:a|a)*b/, /^(\d+)+$/])(
    "finds texts for which %s takes more than linear time",
    (pattern) => {
      expect(notLinear(pattern)).not.toEqual([])
    }
  )

  it.each([/^\d+(?:\.\d*)?$/, /^\s*a/, /[a-z]+/, /^a{1,9}b$/, /(?:^|,)bytes(?:,|$)/])(
    "finds none if %s takes linear time",
    (pattern) => {
      expect(notLinear(pattern)).toEqual([])
    }
  )

  it("allows 2.5 times the steps for twice the text", () => {
    expect(isLinear([1000, 2500, 6250])).toBe(true)
    expect(isLinear([1000, 2000, 8000])).toBe(false)
  })
})

describe("Patterns.patternsOf", () => {
  it("finds literals and calls of RegExp, and nothing that only looks like one", () => {
    const text = ["const a = /x/g", "const b = '/y/'", "// /z/", "const c = [new RegExp(b), RegExp(b)]"].join("\n")
    expect(patternsOf({ path: "A.ts", text })).toEqual({
      written: [{ at: "A.ts:1", pattern: /x/g }],
      built: [{ at: "A.ts:4" }, { at: "A.ts:4" }]
    })
  })
})

describe("regular expressions in published packages", () => {
  afterEach(() => {
    vi.unstubAllGlobals()
    vi.resetModules()
  })

  it.each(folders)("of %s take linear time for hostile texts", (folder) => {
    const slow = patterns(folder).flatMap(({ written }) =>
      written.flatMap(({ at, pattern }) =>
        notLinear(pattern)
          .map((found) => `${at} ${found}`)
          .slice(0, 3)
      )
    )
    expect(slow).toEqual([])
  })

  const builders = folders.flatMap((folder) =>
    sourcesBelow(`${folder}/src`).filter((source) => patternsOf(source).built.length > 0)
  )

  // One that is built later would be out of sight here.
  it.each(builders)("that $path builds are built when it is loaded, and take linear time", async (source) => {
    const built: Array<RegExp> = []
    vi.resetModules()
    vi.stubGlobal(
      "RegExp",
      new Proxy(RegExp, {
        construct: (target, [pattern, flags]: [string, string?]) => {
          const made = new target(pattern, flags)
          if (new Error().stack?.includes(source.path) === true) built.push(made)
          return made
        }
      })
    )
    await import(join(root, source.path))
    vi.unstubAllGlobals()
    expect(built.length).toBeGreaterThanOrEqual(patternsOf(source).built.length)
    expect(built.flatMap(notLinear)).toEqual([])
  })
})
