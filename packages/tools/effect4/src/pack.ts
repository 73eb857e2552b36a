/**
 * Derives the packages for Effect 4, and packs them as they go to the registry.
 *
 *     tsx packages/tools/effect4/src/pack.ts FOLDER
 */
import { render } from "@effect-retry/check/Finding"
import { ownerOf } from "@effect-retry/check/release/Owner"
import { read, rootManifest } from "@effect-retry/check/Workspace"
import { emit } from "./Emit.ts"
import { install } from "./Install.ts"
import { packages, partsFor, sourcesOf } from "./Packages.ts"
import { packAll } from "./Packed.ts"
import { exampleFiles } from "./Pages.ts"

const [target = ""] = process.argv.slice(2)
install()
const shown = packages.flatMap((name) => exampleFiles(read(`packages/${name}/README.md`)))
const findings = emit(packages, [...packages.flatMap(sourcesOf), ...partsFor(shown)]).map(render)
const failures = findings.length > 0 ? findings : packAll({ target, owner: ownerOf(rootManifest()), isChecked: false })
for (const failure of failures) console.error(failure)
process.exitCode = failures.length === 0 ? 0 : 1
