/**
 * Runs an example and prints what it gives:
 *
 *     pnpm example google-upload
 */
import { VirtualClock } from "@effect-retry/testing"
import { Effect } from "effect"
import { readdirSync } from "node:fs"

const folder = new URL("../src/", import.meta.url)
const names = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => file.slice(0, -".ts".length))

const [name = ""] = process.argv.slice(2)

interface Example {
  readonly program: Effect.Effect<unknown, unknown>
  readonly live?: boolean
}

if (!names.includes(name)) {
  console.error(`There is no example ${JSON.stringify(name)}. There are:\n${names.toSorted().join("\n")}`)
  process.exitCode = 2
} else {
  const { live, program }: Example = await import(new URL(`${name}.ts`, folder).href)
  console.log(await Effect.runPromise(live === true ? program : VirtualClock.run(program)))
}
