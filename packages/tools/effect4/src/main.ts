/**
 * Derives the line for Effect 4, checks its types and runs its tests.
 *
 *     pnpm effect4                 all packages that have one
 *     pnpm effect4 core --sources  derives and checks the sources alone
 */
import { render } from "@effect-retry/check/Finding"
import { execute } from "@effect-retry/check/Command"
import { join } from "node:path"
import { emit } from "./Emit.ts"
import { install } from "./Install.ts"
import { cache, type Package, packages } from "./Packages.ts"

const main = (args: ReadonlyArray<string>): number => {
  const named = args.filter((arg) => !arg.startsWith("--"))
  const unknown = named.filter((name) => !(packages as ReadonlyArray<string>).includes(name))
  if (unknown.length > 0) {
    console.error(`no line for Effect 4: ${unknown.join(", ")}; there is one for ${packages.join(", ")}`)
    return 1
  }
  install()
  const chosen = packages.filter((name) => named.length === 0 || named.includes(name)) as ReadonlyArray<Package>
  const findings = emit(chosen, args.includes("--sources") ? ["src"] : ["src", "test"])
  for (const finding of findings) console.error(render(finding))
  const types = execute("tsc", "-p", join(cache, "tsconfig.json"))
  if (types.error) console.error(types.output)
  return findings.length > 0 || types.error ? 1 : 0
}

process.exitCode = main(process.argv.slice(2))
