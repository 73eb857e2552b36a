/**
 * Measures every workload, prints the tables, writes them into `docs/performance.md`, and fails when a target is missed
 * by more than the spread of its row.
 */
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describeMachine } from "./Machine.ts"
import { replaced } from "./Page.ts"
import { workloads } from "./Workloads.ts"

const startedAt = performance.now()
const sections: Array<string> = []
const failures: Array<string> = []

/** A process for each: what the compiler learns from one table must not affect the next. */
const one = (title: string): { readonly section: string; readonly failures: ReadonlyArray<string> } =>
  JSON.parse(
    execFileSync(process.execPath, ["--expose-gc", fileURLToPath(new URL("one.js", import.meta.url)), title], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"]
    })
  )

for (const { title } of workloads(() => {})) {
  const measured = one(title)
  console.log(`${measured.section}\n`)
  sections.push(measured.section)
  failures.push(...measured.failures)
}

const page = new URL("../../../../../docs/performance.md", import.meta.url)
writeFileSync(page, replaced(readFileSync(page, "utf8"), [describeMachine(), ...sections].join("\n\n")))

console.log(`Took ${Math.round((performance.now() - startedAt) / 1000)} seconds; written into docs/performance.md`)
for (const failure of failures) console.error(`Missed by more than the spread: ${failure}`)
process.exitCode = failures.length === 0 ? 0 : 1
