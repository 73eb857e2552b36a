/**
 * A program in one file, with all that it imports: a process that compiles a hundred files as it starts takes seconds.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** Some packages are CommonJS, which loads the modules of Node.js by `require`. */
const banner = `import { createRequire as requiring } from "node:module"; const require = requiring(import.meta.url)`

const bundle = async (entry: string | URL): Promise<string> => {
  // Not above: a program that bundles itself cannot take the bundler along.
  const { build } = await import("esbuild")
  const outfile = join(await mkdtemp(join(tmpdir(), "effect-retry-program-")), "program.mjs")
  await build({
    entryPoints: [fileURLToPath(entry)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    conditions: ["@effect-retry/source"],
    external: ["esbuild"],
    logLevel: "error",
    banner: { js: banner }
  })
  return outfile
}

/** The path of the one file, which is removed with the scope. A program that cannot be bundled is a defect. */
export const bundled = (entry: string | URL): Effect.Effect<string, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => bundle(entry)),
    (outfile) => Effect.promise(() => rm(dirname(outfile), { recursive: true }))
  )
