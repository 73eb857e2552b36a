/**
 * Measures every workload, prints the tables, writes them into `docs/performance.md`, and fails when a target is missed
 * by more than the spread of its row.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { describeMachine } from "./Machine.ts"
import { measure } from "./Measure.ts"
import { replaced } from "./Page.ts"
import { missed, render } from "./Table.ts"
import { foreignSchedule } from "./workloads/ForeignSchedule.ts"
import { parkedFiber } from "./workloads/ParkedFiber.ts"
import { promisesSucceed, promisesTwoFailures } from "./workloads/Promises.ts"
import { success } from "./workloads/Success.ts"
import { twoFailures } from "./workloads/TwoFailures.ts"

const { gc } = globalThis
if (gc === undefined) throw new Error("The garbage collector is out of reach: run node with --expose-gc")

const startedAt = performance.now()
const sections: Array<string> = []
const failures: Array<string> = []

for (const workload of [success, twoFailures, foreignSchedule, parkedFiber(gc), promisesSucceed, promisesTwoFailures]) {
  gc()
  // A full collection throws compiled code away; between samples only the young generation is collected.
  const measured = await measure(workload, () => gc({ type: "minor" }))
  const section = render(workload, measured)
  console.log(`${section}\n`)
  sections.push(section)
  failures.push(...missed(measured).map(({ row }) => `${workload.title}: ${row.name}`))
}

const page = new URL("../../../../docs/performance.md", import.meta.url)
writeFileSync(page, replaced(readFileSync(page, "utf8"), [describeMachine(), ...sections].join("\n\n")))

console.log(`Took ${Math.round((performance.now() - startedAt) / 1000)} seconds; written into docs/performance.md`)
for (const failure of failures) console.error(`Missed by more than the spread: ${failure}`)
process.exitCode = failures.length === 0 ? 0 : 1
