/**
 * The emulator without a connection.
 */
import type { IncomingHttpHeaders } from "node:http"
import * as Buckets from "./Buckets.ts"
import type { Reply as Sent } from "./Faults.ts"
import { create } from "./RetryTests.ts"
import * as Routes from "./Routes.ts"
import * as Service from "./Service.ts"
import * as State from "./State.ts"

export interface Reply {
  /** What goes over the connection: "Reset" is no answer at all. */
  readonly kind: Sent["_tag"]
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** As much of the body as is sent. */
  readonly text: string
  /** Of a whole body in JSON; without fields for any other. */
  readonly json: Readonly<Record<string, unknown>>
  /** Seconds that it was stalled. */
  readonly stalled: number
}

export interface Request {
  readonly headers?: IncomingHttpHeaders
  /** Sent as JSON, unless it is text or bytes. */
  readonly body?: string | Uint8Array | Readonly<Record<string, unknown>>
}

/** Sends a request by its line, such as `GET /storage/v1/b`. */
export type Ask = (line: string, request?: Request) => Reply

export const origin = "http://here"

const bytesOf = (body: Request["body"] = ""): Buffer =>
  Buffer.from(typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body))

const read = (sent: Sent, stall: number): Reply => {
  const kind = sent._tag
  if (kind === "Reset") return { kind, status: 0, headers: {}, text: "", json: {}, stalled: stall }
  const { body, headers, status } = sent.answer
  const text = Buffer.from(kind === "Broken" ? body.subarray(0, sent.bytes) : body).toString()
  const isJson = kind === "Whole" && headers["content-type"]?.startsWith("application/json") === true
  const stalled = kind === "Stalled" ? sent.seconds : stall
  return { kind, status, headers, text, json: isJson ? parsed(text) : {}, stalled }
}

const parsed = (text: string): Reply["json"] => {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

const asking =
  (state: State.State, id?: string): Ask =>
  (line, { body, headers = {} } = {}) => {
    const [verb = "", target = ""] = line.split(" ")
    const { pathname: path, searchParams: query } = new URL(target, origin)
    const marked = id === undefined ? headers : { ...headers, "x-retry-test-id": id }
    const served = Service.serve(state, { verb, path, query, headers: marked, body: bytesOf(body), origin })
    return read(served.reply(), served.stall)
  }

/** A server with buckets, and how to ask it. */
export const server = (...buckets: ReadonlyArray<string>) => {
  const state = State.make()
  for (const name of buckets) Buckets.create(state, name)
  return {
    state,
    ask: asking(state),
    /** How to ask it under a retry test, and how many of its instructions are left. */
    under: (method: string, ...instructions: ReadonlyArray<string>) => {
      const { id } = create(state, Routes.methods, { [method]: instructions })
      return { ask: asking(state, id), left: () => state.retryTests.get(id)?.instructions[method]?.length }
    }
  }
}
