/**
 * Sends the request of every scenario through every client, many at the same time.
 */
import { setTimeout as passed } from "node:timers/promises"
import type { Body, Client } from "./Client.ts"
import * as Globals from "./Globals.ts"
import * as Ports from "./Ports.ts"
import type { Answer, Scenario } from "./Scenario.ts"
import * as Server from "./Server.ts"
import * as Waits from "./Waits.ts"

/** What was seen of one operation. */
export interface Seen {
  readonly requests: ReadonlyArray<Server.Received>
  /** Connections to a port on which no server listens. */
  readonly connections: number
  /** What the client waited for, in milliseconds, beside its own delays. */
  readonly waits: ReadonlyArray<number>
  /** Whether the operation went on after it was aborted, until its wait was over. */
  readonly isLate: boolean
  /** Whether the operation went on after all the others had ended. */
  readonly isEndless: boolean
}

/** Requests after which the server answers with a 200, whatever the scenario. */
export const patience = 30

/** Operations that are started at once; each one that ends starts the next. */
const width = 40

/** After so many rounds without a request and without an end, what goes on is endless. A busy process has long rounds. */
const patientRounds = 40
const roundMillis = 15

/** So many milliseconds after it was aborted, an operation that goes on is late, and its wait is over. */
const abortedRounds = 50

/** The text of every body. */
export const text = "a body"

/** One array for each scenario, with what was seen of each client. */
export const all = async (
  scenarios: ReadonlyArray<Scenario>,
  clients: ReadonlyArray<Client>
): Promise<ReadonlyArray<ReadonlyArray<Seen>>> => {
  const server = await Server.make()
  const ports = await Ports.make(scenarios.filter(({ answer }) => answer === "refused").length * clients.length)
  const restore = [Globals.install(), Waits.install()]
  try {
    const rows = scenarios.map((scenario, row) =>
      clients.map((client, column) => operation(server, ports, `/${row}-${column}`, client, scenario))
    )
    const operations = rows.flat()
    start(operations.toSorted((a, b) => a.order - b.order))
    await settled(operations)
    return rows.map((row) => row.map(({ seen }) => seen()))
  } finally {
    for (const one of restore.toReversed()) one()
    ports.close()
    await server.close()
  }
}

const start = (operations: ReadonlyArray<Operation>): void => {
  const left = [...operations]
  const next = () => void left.shift()?.run().then(next)
  for (let i = 0; i < width; i++) next()
}

/** All have ended, or nothing happens to those that have not. */
const settled = async (operations: ReadonlyArray<Operation>): Promise<void> => {
  const progress = () => operations.reduce((sum, { progress }) => sum + progress(), 0)
  for (let round = 0, before = -1; round < patientRounds && !operations.every(({ isOver }) => isOver()); round++) {
    const now = progress()
    if (now !== before) round = 0
    before = now
    await passed(roundMillis)
  }
}

interface Operation {
  /** Those with timeouts come last, when the process has less to do and requests arrive in time. */
  readonly order: number
  readonly run: () => Promise<void>
  readonly isOver: () => boolean
  /** Grows with everything that happens. */
  readonly progress: () => number
  readonly seen: () => Seen
}

const operation = (
  server: Server.Server,
  ports: Ports.Ports,
  path: string,
  client: Client,
  { answer, isAborted = false, request }: Scenario
): Operation => {
  const requests: Array<Server.Received> = []
  const waits: Array<number> = []
  const controller = new AbortController()
  let isOver = false
  let isLate = false
  let timeouts = 0
  const began = (millis: number) => {
    // Only the first attempt times out, and not before the server has its request.
    if (millis === Waits.timeoutMillis) return ++timeouts > 1 ? () => false : () => requests.length > 0
    waits.push(millis)
    if (!isAborted) return () => true
    setImmediate(() => controller.abort())
    let rounds = 0
    return () => (isLate ||= ++rounds > abortedRounds && !isOver)
  }
  const port = answer === "refused" ? ports.next() : undefined
  const answerOf = ({ headers: { range }, path: now }: Server.Received): Answer =>
    requests.length > patience || answer === "refused"
      ? { status: 200 }
      : answer({ count: requests.length, start: path, isTarget: now !== path, range })
  const url = port === undefined ? server.add(path, requests, answerOf) : `http://127.0.0.1:${port}/`
  const listener: Waits.Listener = { began }
  const { body, delayMillis = 1, headers = {}, isDownload = false, method, timeoutMillis } = request
  const over = () => {
    isOver = true
  }
  return {
    order: timeoutMillis ?? 0,
    run: () => {
      const call = { url, method, headers, delayMillis, timeoutMillis, isDownload, listener, signal: controller.signal }
      return Waits.heard(listener, () => client.send({ ...call, body: bodyOf(body) })).then(over, over)
    },
    isOver: () => isOver,
    progress: () => requests.length + waits.length + (isOver ? 1 : 0),
    seen: () => ({
      requests,
      connections: port === undefined ? 0 : ports.tried(port),
      waits,
      isLate,
      isEndless: !isOver
    })
  }
}

const bodyOf = (kind: Scenario["request"]["body"]): Body | undefined => {
  switch (kind) {
    case "text":
      return { _tag: "Text", text }
    case "stream":
      return { _tag: "Stream", text }
    case "form": {
      const form = new FormData()
      form.append("field", text)
      return { _tag: "Form", form }
    }
    default:
      return undefined
  }
}
