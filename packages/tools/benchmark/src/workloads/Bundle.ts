/**
 * What a program ships: bundled by esbuild for a browser or Node.js alike, minified, and compressed by gzip.
 */
import type { BuildOptions } from "esbuild"
import { buildSync, transformSync } from "esbuild"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import type { Row, Workload } from "../Workload.ts"

/** Where the programs find their imports: in this package, even when it is built. */
const resolveDir = fileURLToPath(new URL("../..", import.meta.url))

const work = `
const policy = {
  maxAttempts: 3,
  backoff: Backoff.exponential({ base: "100 millis" }).pipe(Backoff.capped("5 seconds"), Backoff.jittered(Jitter.full)),
  classifier: Classifier.fromTags({ Busy: "Transient" })
}
Effect.runPromise(Retry.retry(Effect.fail({ _tag: "Busy" }), policy))`

const nativeWork = `
const schedule = Schedule.jittered(Schedule.exponential("100 millis"))
Effect.runPromise(Effect.retry(Effect.fail("Busy"), { schedule, times: 2 }))`

const modules = (from: string, names: ReadonlyArray<string>): string =>
  names.map((name) => `import * as ${name} from "${from}/${name}"\n`).join("")

const ours = ["Retry", "Backoff", "Classifier", "Jitter"]

export const programs = {
  native: `import { Effect, Schedule } from "effect"${nativeWork}`,
  ours: `import { Effect } from "effect"\nimport { ${ours.join(", ")} } from "@effect-retry/core"${work}`,
  nativeModules: modules("effect", ["Effect", "Schedule"]) + nativeWork,
  oursModules: modules("effect", ["Effect"]) + modules("@effect-retry/core", ours) + work
}

const bundle = (contents: string, options: BuildOptions): string => {
  const built = buildSync({
    stdin: { contents, resolveDir },
    absWorkingDir: resolveDir,
    bundle: true,
    format: "esm",
    platform: "neutral",
    // The sources, whose types esbuild drops: the library need not be built.
    conditions: ["@effect-retry/source"],
    write: false,
    ...options
  })
  return built.outputFiles?.[0]?.text ?? ""
}

const compressed = (code: string): number => gzipSync(code).length

export const whole = (contents: string): number => compressed(bundle(contents, { minify: true }))

/** esbuild writes the path of each module before it, if it keeps white space. */
const path = /^\/\/ (\S+)\n/m

/** The modules of a bundle that come from this repository, minified as they are in the whole. */
export const own = (contents: string): number => {
  const [, ...parts] = bundle(contents, { minifyIdentifiers: true, minifySyntax: true }).split(path)
  const kept = parts.filter((_, i) => i % 2 === 1 && !/node_modules|<stdin>/.test(parts[i - 1] ?? ""))
  return compressed(transformSync(kept.join("\n"), { minifyWhitespace: true }).code)
}

const row = (name: string, sample: () => number, atMost?: number): Row => ({
  name,
  sample,
  ...(atMost !== undefined && { target: { of: "value", atMost } as const })
})

const native = "`Effect.retry`, `Schedule`"

export const bundles: Workload = {
  title: "Bundle",
  about: [
    "A program that retries an effect, bundled and minified by esbuild and compressed by gzip, with the runtime of Effect.",
    "esbuild keeps the whole of a module that an index exports as a namespace, Effect's own included; if modules are imported one by one, it leaves out what is not used."
  ],
  unit: "bytes",
  rounds: 1,
  baseline: native,
  rows: [
    row(native, () => whole(programs.native)),
    row("`Retry`, `Backoff`, `Classifier`, `Jitter`", () => whole(programs.ours)),
    row("what they add to the program", () => whole(programs.ours) - whole(programs.native), 4_000),
    row("our own code in it, by itself", () => own(programs.ours), 11_000),
    row(`${native}, by modules`, () => whole(programs.nativeModules)),
    row("`Retry`, `Backoff`, `Classifier`, `Jitter`, by modules", () => whole(programs.oursModules)),
    row("our own code in it, by modules", () => own(programs.oursModules))
  ]
}
