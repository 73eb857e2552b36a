/**
 * Measures one workload, named by its title, and prints what there is to say as JSON. `main` runs it in a process of its
 * own for each.
 */
import { measure } from "./Measure.ts"
import { missed, render } from "./Table.ts"
import { workloads } from "./Workloads.ts"

const { gc } = globalThis
if (gc === undefined) throw new Error("The garbage collector is out of reach: run node with --expose-gc")

const [, , title] = process.argv
const workload = workloads(gc).find((each) => each.title === title)
if (workload === undefined) throw new Error(`No workload has the title ${title}`)

gc()
// A full collection throws compiled code away; between samples only the young generation is collected.
const measured = await measure(workload, () => gc({ type: "minor" }))
const section = render(workload, measured)
const failures = missed(measured).map(({ row }) => `${title}: ${row.name}`)
process.stdout.write(JSON.stringify({ section, failures }))
