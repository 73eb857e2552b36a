/**
 * A whole release into a registry on this machine, and then what strangers do with it: they install by the lines of the
 * READMEs, type-check under the compilers they have, and run the first examples under the Nodes they have.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { execute, run, runIn } from "../Command.ts"
import { render } from "../Finding.ts"
import { read, root } from "../Workspace.ts"
import { copyRepository, version } from "./Copy.ts"
import { effectOf, lines, publishing } from "./Lines.ts"
import type { Owner } from "./Owner.ts"
import { checkPacked, type Listed, listedFrom, type PackedInput } from "./PackedFiles.ts"
import * as Project from "./Project.ts"
import { type Effect, firstExample, installLines, printed } from "./Readme.ts"
import { readTarball, tarballsIn } from "./ReadTarball.ts"
import * as Registry from "./Registry.ts"
import { checkSbom, releasedSbom, withoutOptionalPeers } from "./Sbom.ts"
import { checkTarball, type TarballInput } from "./Tarball.ts"
import { slots, type Slots } from "./Slots.ts"
import * as Tools from "./Tools.ts"

interface RehearsalInput {
  readonly owner: Owner
  /** Folder for the tarballs and the bills of materials; it is emptied. */
  readonly target: string
  /** Whether to write the list of what is packed instead of comparing it. */
  readonly write: boolean
}

/** One text per failure. */
type Failures = ReadonlyArray<string>

const listPath = "packages/tools/check/rehearsal/packed.json"

export const rehearse = async ({ owner, target, write }: RehearsalInput): Promise<Failures> => {
  const work = mkdtempSync(join(tmpdir(), "effect-retry-rehearsal-"))
  let registry: Registry.Registry | undefined
  try {
    const copy = join(work, "repository")
    // One waits for the network, the other for the processor.
    const tools = step("tools", Tools.install)
    const packing = await step("packed", () => packIn(copy, owner, target))
    if (packing.length > 0) return packing
    const tarballs = readTarballs(target, owner)
    const listing = await step("compared", async () => compareWithList(tarballs, write))
    if (listing.length > 0) return listing
    const started = await Registry.start({
      scope: "@effect-retry",
      upstream: execute("npm", "config", "get", "registry").stdout.trim()
    })
    registry = started
    const stranger = { home: join(work, "home"), npmrc: started.npmrc }
    mkdirSync(stranger.home)
    const inSlot = slots(commandsAtOnce)
    const sending = await step("published", () =>
      publishAll(tarballs, { ...stranger, folder: join(work, "sender") }, inSlot)
    )
    if (sending.length > 0) return sending
    const tagging = await step("tagged", () => each(tarballs, (tarball) => checkTag(tarball, started)))
    if (tagging.length > 0) return tagging
    const using = step("used", () =>
      each(
        lines.flatMap(({ effect }) => projectsOf(effect, ofLine(tarballs, effect))),
        async (project, turn) => {
          const folder = join(work, project.name)
          // A project that has begun goes on before the next one begins; the longest is the first.
          const failures = await use(project, { ...stranger, folder }, tools, (run) => inSlot(turn, run))
          // Beside the others: it takes as long as some of their commands.
          await rm(folder, { recursive: true, force: true })
          return failures
        }
      )
    )
    const bills = step("bills of materials", () =>
      each(tarballs, (tarball) =>
        inSlot(Infinity, () =>
          writeBill(tarball, started.address, {
            ...stranger,
            folder: join(work, `bill-${nameIn(tarball)}-${tarball.effect}`)
          })
        )
      )
    )
    const resolving = step("types resolved", () =>
      each(ofLine(tarballs, 3), ({ tarball }) => inSlot(Infinity, () => resolveTypes(tarball)))
    )
    return (await Promise.all([tools, using, bills, resolving])).flat()
  } finally {
    registry?.stop()
    rmSync(work, { recursive: true, force: true })
  }
}

const step = async (name: string, run: () => Promise<Failures>): Promise<Failures> => {
  const started = performance.now()
  const failures = await run()
  const seconds = Math.round((performance.now() - started) / 1000)
  console.log(`${failures.length === 0 ? "ok    " : "FAILED"} ${name}, ${seconds} s`)
  return failures
}

/** The command that packs a release, run in a copy that has the next versions. */
const packIn = async (copy: string, owner: Owner, target: string): Promise<Failures> => {
  copyRepository(copy)
  const versions = await version(copy, owner)
  if (versions.error) return [versions.output]
  const tsx = join(root, "node_modules/.bin/tsx")
  const { error, output } = await runIn({ folder: copy }, tsx, "packages/tools/check/src/release/main.ts", target)
  return error ? [output] : []
}

/** Whether compilers of all settings find the types of a package. */
const resolveTypes = async (tarball: string): Promise<Failures> => {
  const { error, output } = await runIn({ folder: root }, "attw", "--profile", "esm-only", "--no-emoji", tarball)
  return error ? [output] : []
}

interface Tarball extends TarballInput {
  readonly tarball: string
  readonly effect: Effect
  readonly kilobytes: number
}

const readTarballs = (target: string, owner: Owner): ReadonlyArray<Tarball> =>
  tarballsIn(target).map((packaged) => ({
    ...readTarball(packaged, owner),
    tarball: packaged.tarball,
    effect: effectOf(packaged),
    kilobytes: statSync(packaged.tarball).size / 1000
  }))

const ofLine = (tarballs: ReadonlyArray<Tarball>, effect: Effect): ReadonlyArray<Tarball> =>
  tarballs.filter((tarball) => tarball.effect === effect)

/** Both lines pack the same files. */
const compareWithList = (tarballs: ReadonlyArray<Tarball>, write: boolean): Failures => {
  if (write) {
    const lists = ofLine(tarballs, 3).map((tarball) => {
      const sizes = tarballs.filter(({ packed }) => packed.name === tarball.packed.name)
      const kilobytes = Math.max(...sizes.map((each) => each.kilobytes))
      return [tarball.packed.name, listedFrom({ ...inputOf(tarball), kilobytes })] as const
    })
    writeFileSync(join(root, listPath), JSON.stringify(Object.fromEntries(lists)))
    const formatting = run("oxfmt", listPath)
    if (formatting.length > 0) return formatting
  }
  const list = JSON.parse(read(listPath)) as Readonly<Record<string, Listed>>
  return [
    ...lines.flatMap(({ effect }) => {
      const names = ofLine(tarballs, effect).map(({ packed }) => packed.name)
      const missing = Object.keys(list).filter((name) => !names.includes(name))
      return missing.map((name) => `${name}: is not packed for Effect ${effect}`)
    }),
    ...tarballs.flatMap((tarball) => checkPacked(inputOf(tarball), list[tarball.packed.name])),
    ...tarballs.flatMap(checkTarball).map(render)
  ]
}

const inputOf = ({ entries, kilobytes, packed }: Tarball): PackedInput => ({
  entries,
  kilobytes,
  name: `${packed.name}@${packed.version}`
})

const publishAll = async (
  tarballs: ReadonlyArray<Tarball>,
  input: Project.ProjectInput,
  inSlot: Slots
): Promise<Failures> => {
  const { place } = Project.make(input)
  const failures: Array<string> = []
  for (const { effect, tag } of lines) {
    const sent = await each(ofLine(tarballs, effect), async ({ tarball }) => {
      // Provenance is a statement of the workflow that publishes, which is not this one.
      const options = [...publishing(tarball, tag), "--provenance=false"]
      const { error, output } = await inSlot(0, () => runIn(place, "npm", ...options))
      return error ? [output] : []
    })
    failures.push(...sent)
  }
  return failures
}

/** Whether the registry calls a version by the tag of its line. */
const checkTag = async (
  { effect, packed: { name, version } }: Tarball,
  { address }: Registry.Registry
): Promise<Failures> => {
  const answer = await fetch(`${address}/${name}`)
  const { "dist-tags": tags } = (await answer.json()) as { readonly "dist-tags": Readonly<Record<string, string>> }
  return lines
    .filter((line) => line.effect === effect && tags[line.tag] !== version)
    .map(({ tag }) => `${name}: the tag ${tag} is ${tags[tag]} instead of ${version}`)
}

interface Use {
  readonly name: string
  readonly manager: "npm" | "pnpm"
  /** Compilers that check the project beside the newest one. */
  readonly checkers: ReadonlyArray<string>
  readonly nodes: ReadonlyArray<string>
  readonly install: ReadonlyArray<ReadonlyArray<string>>
  readonly modules: ReadonlyArray<Project.Module & { readonly code: string }>
}

/**
 * The README of the repository by npm, with all first examples and every entry point of all packages: this project meets
 * every compiler and every Node. For Effect 3 also by pnpm, and the README of each package alone, whose install lines must
 * suffice; those for Effect 4 name the same packages.
 */
const projectsOf = (effect: Effect, tarballs: ReadonlyArray<Tarball>): ReadonlyArray<Use> => {
  const all = tarballs.map((tarball) => ({ name: nameIn(tarball), ...exampleOf(tarball.readme) }))
  const readme = read("README.md")
  const install = installLines(readme, effect)
  const whole = [
    { name: "readme", ...exampleOf(readme) },
    { name: "modules", code: importsOf(tarballs) }
  ]
  const newest = { checkers: [], nodes: Tools.nodes.slice(-1) }
  const byNpm: Use = {
    name: `npm-${effect}`,
    manager: "npm",
    checkers: Tools.checkers,
    nodes: Tools.nodes,
    install,
    modules: [...whole, ...all]
  }
  if (effect === 4) return [byNpm]
  return [
    byNpm,
    { name: "pnpm", manager: "pnpm", ...newest, install, modules: whole },
    ...tarballs.map((tarball): Use => ({
      name: nameIn(tarball),
      // Stricter than npm: a package finds nothing that its own manifest does not name. And a fraction of the time.
      manager: "pnpm",
      ...newest,
      install: installLines(tarball.readme, effect),
      modules: all.filter(({ name }) => name === nameIn(tarball))
    }))
  ]
}

const nameIn = ({ packed }: Tarball): string => basename(packed.name)

const exampleOf = (readme: string) => {
  const output = printed(readme)
  // A README without an example fails when it is compiled.
  return {
    code: firstExample(readme) ?? "a README without an example",
    ...(output === undefined ? {} : { printed: output })
  }
}

/** Every entry point of every package, so that all declarations are checked and all modules are run. */
const importsOf = (tarballs: ReadonlyArray<Tarball>): string =>
  tarballs
    .flatMap(({ packed }) =>
      Object.keys(packed.exports ?? {})
        .filter((path) => path !== "./package.json")
        .map((path) => `${packed.name}${path.slice(1)}`)
    )
    .map((specifier, index) => `export * as module${index} from "${specifier}"\n`)
    .join("")

const use = async (
  use: Use,
  input: Project.ProjectInput,
  tools: Promise<Failures>,
  inSlot: <A>(run: () => Promise<A>) => Promise<A>
): Promise<Failures> => {
  const project = Project.make(input)
  const installing = await inSlot(() => Project.install(project, use.manager, use.install))
  if (installing.length > 0) return installing
  // Without its tools the rehearsal has failed already.
  if ((await tools).length > 0) return []
  for (const { code, name } of use.modules) Project.write(project, name, code)
  const checking = each(use.checkers, (checker) => inSlot(() => Project.diagnose(project, checker)))
  const compiling = await inSlot(() => Project.compile(project, Tools.compiler))
  const running =
    compiling.length > 0
      ? compiling
      : await each(use.nodes, (node) => inSlot(() => Project.run(project, node, use.modules)))
  return [...(await checking), ...running]
}

/** The bill of materials of a clean install, beside the tarball. */
const writeBill = async (
  { packed: { name, version = "" }, tarball }: Tarball,
  registry: string,
  input: Project.ProjectInput
): Promise<Failures> => {
  const { folder, place } = Project.make(input)
  const { stdout: manifest } = await runIn(place, "tar", "-xzOf", tarball, "package/package.json")
  writeFileSync(join(folder, "package.json"), withoutOptionalPeers(manifest))
  const commands = [
    ["pnpm", "install", "--prod", "--ignore-scripts"],
    ["pnpm", "sbom", "--sbom-format", "cyclonedx", "--prod", "--out", "bill.json"]
  ] as const
  for (const [command, ...args] of commands) {
    const { error, output } = await runIn(place, command, ...args)
    if (error) return [output]
  }
  const bill = releasedSbom(readFileSync(join(folder, "bill.json"), "utf8"), registry)
  writeFileSync(tarball.replace(/\.tgz$/, ".cdx.json"), bill)
  return checkSbom(bill, { name, registry, version })
}

/** The machine of a workflow has two cores or more, and an install waits for the registry. */
const commandsAtOnce = 4

const each = async <A>(all: ReadonlyArray<A>, run: (each: A, index: number) => Promise<Failures>): Promise<Failures> =>
  (await Promise.all(all.map(run))).flat()
