/**
 * Requests to an emulator, and what came back, in short.
 */
import { Effect, type Scope } from "effect"
import * as Emulator from "./Emulator.ts"

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Of a body in JSON; without fields for any other. */
  readonly json: Readonly<Record<string, unknown>>
}

export interface Sent {
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON, unless it is text or bytes. */
  readonly body?: string | Uint8Array<ArrayBuffer> | Readonly<Record<string, unknown>>
}

export type Ask = (line: string, sent?: Sent) => Promise<Reply>

const bodyOf = (body: Sent["body"]) =>
  body === undefined || typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body)

/** Sends a request by its line, such as `GET /storage/v1/b`; rejects where no whole answer comes. */
export const asking =
  (url: string): Ask =>
  async (line, { body, headers = {} } = {}) => {
    const [method = "GET", path = "/"] = line.split(" ")
    const sent = bodyOf(body)
    const response = await fetch(`${url}${path}`, { method, headers, ...(sent !== undefined && { body: sent }) })
    const text = await response.text()
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : {} }
  }

/** An emulator, and how to ask it. */
export const started = (
  options?: Emulator.Options
): Effect.Effect<Emulator.Emulator & { readonly ask: Ask }, never, Scope.Scope> =>
  Effect.map(Emulator.start(options), (emulator) => ({ ...emulator, ask: asking(emulator.url) }))
