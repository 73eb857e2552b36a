/**
 * Derives the line for Effect 4, measures its tables on the Node that runs its tests, and fails when a target is missed by
 * more than the spread of its row.
 *
 *     pnpm bench:effect4
 *     pnpm bench:effect4 "Two failures"    only the tables with that in their titles, printed
 */
import { benchmarkOfEffect4 } from "@effect-retry/benchmark/Page"
import { write } from "@effect-retry/benchmark/Tables"
import { render } from "@effect-retry/check/Finding"
import { root } from "@effect-retry/check/Workspace"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { emit } from "./Emit.ts"
import { install, node } from "./Install.ts"
import { cache, packages, wholeLine } from "./Packages.ts"

const measured = (): number =>
  write({
    node: node(),
    args: [
      "--expose-gc",
      "--disable-warning=ExperimentalWarning",
      "--conditions=@effect-retry/source",
      `--import=${new URL("stripped.mjs", import.meta.url)}`,
      join(cache, "packages/tools/benchmark/src/one.ts")
    ],
    page: pathToFileURL(join(root, "docs/performance.md")),
    part: benchmarkOfEffect4
  })

install()
const findings = emit(packages, wholeLine([]))
for (const finding of findings) console.error(render(finding))
process.exitCode = findings.length > 0 ? 1 : measured()
