/**
 * Measures one table on the server at a port, and prints what there is to say as JSON: `one.js <table> <port>`.
 */
import { Effect } from "effect"
import { describeMachine } from "../Machine.ts"
import { measure } from "../Measure.ts"
import { missed, render } from "../Table.ts"
import { calls } from "./Calls.ts"
import { callsPerGrant, type PerGrant } from "./CallsPerGrant.ts"
import { outOfLease } from "./OutOfLease.ts"

const [, , name, portText] = process.argv
const port = Number(portText)

const packages = ["effect", "@effect-retry/core", "@effect-retry/fleet", "ioredis", "rate-limiter-flexible"]

const tables: { readonly [name: string]: () => Promise<PerGrant> } = {
  machine: async () => ({ section: describeMachine(packages), failures: [] }),
  calls: async () => ({ section: await calls(port), failures: [] }),
  lease: async () => {
    const workload = outOfLease(port)
    const measured = await measure(workload, () => {})
    return {
      section: render(workload, measured),
      failures: missed(measured).map(({ row }) => `${workload.title}: ${row.name}`)
    }
  },
  grants: () => Effect.runPromise(callsPerGrant(port))
}

const table = tables[name ?? ""]
if (table === undefined) throw new Error(`There is no table ${name}: ${Object.keys(tables).join(", ")}`)
process.stdout.write(JSON.stringify(await table()))
process.exit(0)
