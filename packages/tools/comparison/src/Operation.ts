/**
 * One client in one scenario, and what is seen of it.
 */
import type { Body, Client } from "./Client.ts"
import type { Ports } from "./Ports.ts"
import type { Answer, Scenario } from "./Scenario.ts"
import type { Received, Server } from "./Server.ts"
import * as Waits from "./Waits.ts"

/** What was seen of an operation. */
export interface Seen {
  readonly requests: ReadonlyArray<Received>
  /** Connections to a port on which no server listens. */
  readonly connections: number
  /** What the client waited for, in milliseconds, beside its own delays. */
  readonly waits: ReadonlyArray<number>
  /** Whether the operation went on after it was aborted, until its wait was over. */
  readonly isLate: boolean
  /** Whether the operation went on after all the others had ended. */
  readonly isEndless: boolean
}

export interface Operation {
  readonly isTimed: boolean
  readonly run: () => Promise<void>
  readonly isOver: () => boolean
  readonly abort: () => void
  /** Grows with everything that happens. */
  readonly progress: () => number
  readonly seen: () => Seen
}

/** Where requests go. */
interface World {
  readonly server: Server
  readonly ports: Ports
}

/** Requests after which the server answers with a 200, whatever the scenario. */
export const patience = 30

/** So many milliseconds after it was aborted, an operation that goes on is late, and its wait is over. */
const abortedRounds = 50

/** The text of every body. */
export const text = "a body"

interface State {
  readonly requests: Array<Received>
  readonly waits: Array<number>
  readonly controller: AbortController
  timeouts: number
  isOver: boolean
  isLate: boolean
}

/** The requests of this operation go to `path`, and no others do. */
export const make = ({ ports, server }: World, path: string, client: Client, scenario: Scenario): Operation => {
  const state: State = {
    requests: [],
    waits: [],
    controller: new AbortController(),
    timeouts: 0,
    isOver: false,
    isLate: false
  }
  const { answer, request } = scenario
  const refused = answer === "refused" ? ports.next() : undefined
  const url =
    answer === "refused"
      ? `http://127.0.0.1:${refused}/`
      : server.add(path, state.requests, (received) => answered(answer, path, state, received))
  const over = () => {
    state.isOver = true
  }
  const began = listening(state, scenario)
  return {
    isTimed: request.timeoutMillis !== undefined,
    run: () => Waits.heard({ began }, () => sent(client, url, request, { began }, state)).then(over, over),
    isOver: () => state.isOver,
    abort: () => state.controller.abort(),
    progress: () => state.requests.length + state.waits.length + (state.isOver ? 1 : 0),
    seen: () => ({
      requests: state.requests,
      connections: refused === undefined ? 0 : ports.tried(refused),
      waits: state.waits,
      isLate: state.isLate,
      isEndless: !state.isOver
    })
  }
}

const answered = (
  answer: Exclude<Scenario["answer"], string>,
  start: string,
  { requests }: State,
  { headers: { range }, path }: Received
): Answer => {
  const count = requests.length
  return count > patience ? { status: 200 } : answer({ count, start, isTarget: path !== start, range })
}

const sent = (client: Client, url: string, request: Scenario["request"], listener: Waits.Listener, state: State) => {
  const { body, delayMillis = 1, headers = {}, isDownload = false, method, timeoutMillis } = request
  const { signal } = state.controller
  return client.send({
    url,
    method,
    headers,
    body: bodyOf(body),
    delayMillis,
    timeoutMillis,
    isDownload,
    signal,
    listener
  })
}

const listening =
  (state: State, { isAborted = false }: Scenario): Waits.Listener["began"] =>
  (millis) => {
    // Only the first attempt times out, and not before the server has its request.
    if (millis === Waits.timeoutMillis) return ++state.timeouts > 1 ? () => false : () => state.requests.length > 0
    state.waits.push(millis)
    if (!isAborted) return () => true
    setImmediate(() => state.controller.abort())
    let rounds = 0
    return () => (state.isLate ||= ++rounds > abortedRounds && !state.isOver)
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
