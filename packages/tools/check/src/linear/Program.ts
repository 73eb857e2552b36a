/** Functions in a process of their own, bundled with all that they import, which counts its own steps. */
import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { build } from "esbuild"
import { root } from "../Workspace.ts"
import { counted } from "./Counting.ts"

/** Some packages are CommonJS, which loads the modules of Node.js by `require`. */
const banner = `import { createRequire } from "node:module"; const require = createRequire(import.meta.url)`

/** The code that counts is not counted. */
const isOfCounter = /\/(?:tools\/check\/src|@eslint-community)\//

export const bundle = (entry: string, outfile: string) =>
  build({
    entryPoints: [join(root, entry)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    conditions: ["@effect-retry/source"],
    logLevel: "error",
    banner: { js: banner },
    plugins: [
      {
        name: "counted",
        setup: ({ onLoad }) =>
          onLoad({ filter: /\.[cm]?[jt]s$/ }, async ({ path }) =>
            isOfCounter.test(path)
              ? undefined
              : {
                  contents: counted({ path, text: await readFile(path, "utf8") }),
                  loader: path.endsWith("ts") ? "ts" : "js"
                }
          )
      }
    ]
  })

/** What a module prints as JSON. `entry` is relative to the root of the repository. */
export const printedBy = async (entry: string): Promise<unknown> => {
  const folder = await mkdtemp(join(tmpdir(), "effect-retry-linear-"))
  try {
    const outfile = join(folder, "doors.mjs")
    await bundle(entry, outfile)
    const { stdout } = await promisify(execFile)(process.execPath, [outfile], { maxBuffer: 2 ** 26 })
    return JSON.parse(stdout)
  } finally {
    await rm(folder, { recursive: true })
  }
}
