/**
 * Sends the request of every scenario through every client, many at the same time.
 */
import { setTimeout as passed } from "node:timers/promises"
import type { Client } from "./Client.ts"
import * as Globals from "./Globals.ts"
import * as Operation from "./Operation.ts"
import * as Ports from "./Ports.ts"
import type { Scenario } from "./Scenario.ts"
import * as Server from "./Server.ts"
import * as Waits from "./Waits.ts"

/** Operations that are started at once; each one that ends starts the next. */
const width = 40

/** After so many rounds without a request and without an end, what goes on is endless. A busy machine has long rounds. */
const patientRounds = 40
const roundMillis = 15

/** One array for each scenario, with what was seen of each client. */
export const all = async (
  scenarios: ReadonlyArray<Scenario>,
  clients: ReadonlyArray<Client>
): Promise<ReadonlyArray<ReadonlyArray<Operation.Seen>>> => {
  const server = await Server.make()
  const ports = await Ports.make(scenarios.filter(({ answer }) => answer === "refused").length * clients.length)
  const restore = [Globals.install(), Waits.install()]
  try {
    const rows = scenarios.map((scenario, row) =>
      clients.map((client, column) => Operation.make({ server, ports }, `/${row}-${column}`, client, scenario))
    )
    const operations = rows.flat()
    start(operations)
    await settled(server, operations)
    const seen = rows.map((row) => row.map(({ seen }) => seen()))
    for (const { abort, isOver } of operations) if (!isOver()) abort()
    return seen
  } finally {
    for (const one of restore.toReversed()) one()
    ports.close()
    await server.close()
  }
}

/** Those with a timeout come last, when the process has less to do and requests arrive in time. */
const start = (operations: ReadonlyArray<Operation.Operation>): void => {
  const left = operations.toSorted((a, b) => Number(a.isTimed) - Number(b.isTimed))
  const next = () => void left.shift()?.run().then(next)
  for (let i = 0; i < width; i++) next()
}

/** All have ended, or nothing happens to those that have not. One with a timeout ends when that is over. */
const settled = async (server: Server.Server, operations: ReadonlyArray<Operation.Operation>): Promise<void> => {
  for (let round = 0, before = -1; round < patientRounds; round++) {
    const open = operations.filter(({ isOver }) => !isOver())
    if (open.length === 0) return
    const now = operations.reduce((sum, { progress }) => sum + progress(), 0)
    if (now !== before || open.some(({ isTimed }) => isTimed)) round = 0
    before = now
    await passed(roundMillis)
    await server.turn()
  }
}
