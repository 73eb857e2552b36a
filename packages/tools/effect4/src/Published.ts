/**
 * What must hold of a package for Effect 4 beside what holds of every tarball: nothing of Effect 3 is left in it.
 */
import type { Finding } from "@effect-retry/check/Finding"
import type { TarballInput } from "@effect-retry/check/release/Tarball"
import { installLines } from "@effect-retry/check/release/Readme"
import type { Manifest, Source } from "@effect-retry/check/Workspace"
import type { Exports } from "./Line4.ts"
import { range } from "./Manifest.ts"
import { exampleFiles, forFour, type Page } from "./Pages.ts"

interface PublishedInput extends Pick<TarballInput, "manifestPath" | "readme">, Pick<Page, "four"> {
  readonly packed: Manifest & { readonly peerDependenciesMeta?: Readonly<Record<string, unknown>> }
  /** Modules and declarations. */
  readonly built: ReadonlyArray<Source>
  /** What Effect 4 has. */
  readonly exports: Exports
}

export const checkPublished = (input: PublishedInput): ReadonlyArray<Finding> =>
  [...ofManifest(input), ...ofReadme(input), ...input.built.flatMap((file) => ofBuilt(file, input))].map((message) => ({
    file: input.manifestPath,
    line: 1,
    message
  }))

const ofManifest = ({ packed }: PublishedInput): ReadonlyArray<string> => {
  const { dependencies, devDependencies, peerDependencies, peerDependenciesMeta, version = "" } = packed
  const named = Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies, ...peerDependenciesMeta })
  return [
    ...(/^4\.\d/.test(version) ? [] : [`has the version ${version} instead of a 4.x`]),
    ...(peerDependencies?.effect === range ? [] : [`needs effect ${peerDependencies?.effect} instead of ${range}`]),
    ...named.filter((name) => name.startsWith("@effect/")).map((name) => `names ${name}, which is of Effect 3`)
  ]
}

const ofReadme = ({ four, packed, readme }: PublishedInput): ReadonlyArray<string> => [
  ...Object.entries({ ...packed.peerDependencies, [packed.name]: packed.version ?? "" })
    .map(([name, range]) => `${name}@${/\d+/.exec(range)?.[0]}`)
    .filter((needed) => !installLines(readme, 4).flat().includes(needed))
    .map((needed) => `the README does not install ${needed}`),
  ...exampleFiles(readme)
    .filter((file) => four(file) === undefined)
    .map((file) => `the README shows ${file}, which is not derived`),
  ...(forFour({ text: readme, four }) === readme ? [] : ["the README shows code of Effect 3"])
]

const ofBuilt = ({ path, text }: Source, { exports, packed }: PublishedInput): ReadonlyArray<string> => {
  const known = [packed.name, ...Object.keys({ ...packed.dependencies, ...packed.peerDependencies })]
  const modules = Array.from(code(text).matchAll(/(?: from |\bimport\()"([^."][^"]*)"/g), ([, module = ""]) => module)
  const messages = [
    ...modules.filter((module) => !known.includes(packageOf(module))).map((module) => `imports ${module}`),
    ...[...usedIn(text), ...mentionedIn(text, exports)]
      .filter(({ member, module }) => exports(module)?.has(member) !== true)
      .map(({ member, module }) => `uses ${member} of ${module}, which Effect 4 does not have`)
  ]
  return [...new Set(messages)].map((message) => `${path} ${message}`)
}

/** Without its comments, whose examples import what tests need. */
const code = (text: string): string => text.replaceAll(/^\s*(?:\/\*)?\*.*$/gm, "")

const packageOf = (module: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(module)?.[0] ?? module

interface Used {
  readonly module: string
  readonly member: string
}

/** The names that a built module, or a declaration, takes from Effect, or mentions in a comment. */
const usedIn = (text: string): ReadonlyArray<Used> => [
  ...Array.from(
    text.matchAll(/^import (?:type )?\* as (\w+) from "(effect\/[^"]+)"/gm),
    ([, local = "", module = ""]) => membersOf(text, local, module)
  ).flat(),
  ...Array.from(
    text.matchAll(/^import (?:type )?\{([^}]*)\} from "(effect(?:\/[^"]+)?)"/gm),
    ([, names = "", module]) =>
      names
        .split(",")
        .map((name) =>
          name
            .trim()
            .replace(/^type /, "")
            .split(" as ")
        )
        .filter(([member]) => member !== "")
        .flatMap(([member = "", local = member]) =>
          module === "effect" ? membersOf(text, local, `effect/${member}`) : [{ module: `${module}`, member }]
        )
  ).flat(),
  ...Array.from(text.matchAll(/\bimport\("(effect\/[^"]+)"\)\.(\w+)/g), ([, module = "", member = ""]) => ({
    module,
    member
  }))
]

/** The members of modules of Effect in comments, also of modules that the file does not import. */
const mentionedIn = (text: string, exports: Exports): ReadonlyArray<Used> =>
  Array.from(text.matchAll(/^\s*(?:\/\*\*?|\*|\/\/).*$/gm), ([comment]) =>
    Array.from(comment.matchAll(/`([A-Z]\w*)\.([a-z]\w*)/g)).flatMap(([, name = "", member = ""]) => {
      const module = [`effect/${name}`, `effect/http/${name}`].find((module) => exports(module) !== undefined)
      return module === undefined ? [] : [{ module, member }]
    })
  ).flat()

const membersOf = (text: string, local: string, module: string): ReadonlyArray<Used> =>
  Array.from(text.matchAll(new RegExp(`(?<![.\\w])${local}\\.(\\w+)`, "g")), ([, member = ""]) => ({ module, member }))
