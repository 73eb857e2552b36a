/**
 * Measures one workload, named by its title, and prints what there is to say as JSON. Without a title it prints all titles,
 * and where it runs. `Tables` runs it in a process of its own for each.
 */
import { describeMachine } from "./Machine.ts"
import { measure } from "./Measure.ts"
import { missed, render } from "./Table.ts"
import type { Measured, Titles } from "./Tables.ts"
import { measuredPackages, workloads } from "./Workloads.ts"

const { gc } = globalThis
if (gc === undefined) throw new Error("The garbage collector is out of reach: run node with --expose-gc")

const [, , title] = process.argv
const all = workloads(gc)

const titles = (): Titles => ({
  machine: describeMachine(measuredPackages),
  titles: all.map(({ title }) => title)
})

const one = async (title: string): Promise<Measured> => {
  const workload = all.find((each) => each.title === title)
  if (workload === undefined) throw new Error(`No workload has the title ${title}`)
  gc()
  // A full collection throws compiled code away; between samples only the young generation is collected.
  const measured = await measure(workload, () => gc({ type: "minor" }))
  return {
    section: render(workload, measured),
    failures: missed(measured).map(({ row }) => `${title}: ${row.name}`)
  }
}

process.stdout.write(JSON.stringify(title === undefined ? titles() : await one(title)))
