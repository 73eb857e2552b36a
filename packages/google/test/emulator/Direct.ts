/**
 * Operations of the emulator without a connection.
 */
import type { IncomingHttpHeaders } from "node:http"
import { type Answer, Refused } from "./Answer.ts"
import * as Buckets from "./Buckets.ts"
import * as Routes from "./Routes.ts"
import * as State from "./State.ts"

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** Of a body in JSON; without fields for any other. */
  readonly json: Readonly<Record<string, unknown>>
}

export interface Sent {
  readonly headers?: IncomingHttpHeaders
  /** Sent as JSON, unless it is text or bytes. */
  readonly body?: string | Uint8Array | Readonly<Record<string, unknown>>
}

export type Ask = (line: string, sent?: Sent) => Reply

export const origin = "http://here"

const bytesOf = (body: Sent["body"] = ""): Buffer =>
  Buffer.from(typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body))

const asked =
  (state: State.State): Ask =>
  (line, { body, headers = {} } = {}) => {
    const [verb = "", target = ""] = line.split(" ")
    const { pathname, searchParams: query } = new URL(target, origin)
    const found = Routes.find(verb, pathname)
    if (found === undefined) return { status: 404, headers: {}, text: "", json: {} }
    const call = { state, origin, query, headers, param: found.param, body: bytesOf(body) }
    const answer = answered(() => found.route.operation({ ...call, uploadFault: undefined, unreachable: () => [] }))
    const text = Buffer.from(answer.body).toString()
    const isJson = answer.headers["content-type"]?.startsWith("application/json") === true
    return { status: answer.status, headers: answer.headers, text, json: isJson ? JSON.parse(text) : {} }
  }

const answered = (operation: () => Answer): Answer => {
  try {
    return operation()
  } catch (error) {
    if (error instanceof Refused) return error.answer
    throw error
  }
}

/** A server with buckets, and how to ask it. */
export const server = (...buckets: ReadonlyArray<string>): { readonly state: State.State; readonly ask: Ask } => {
  const state = State.make()
  for (const name of buckets) Buckets.create(state, name)
  return { state, ask: asked(state) }
}
