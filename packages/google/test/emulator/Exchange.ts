/**
 * One request and its answer on the connection.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { type Answer, failure, Refused } from "./Answer.ts"
import type { Call } from "./Call.ts"
import * as Faults from "./Faults.ts"
import * as RetryTests from "./RetryTests.ts"
import * as Routes from "./Routes.ts"
import type { State } from "./State.ts"

/** A request that came. */
export interface Logged {
  /** The name of the method, such as `storage.objects.get`. */
  readonly method: string
  readonly verb: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
}

export interface Serving {
  readonly state: State
  readonly requests: Array<Logged>
  readonly millisPerSecond: number
}

export const serve =
  (serving: Serving) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    // The client may be gone before its answer.
    response.on("error", () => undefined)
    request.on("error", () => undefined)
    respond(serving, request, response).catch(() => response.destroy())
  }

const respond = async (serving: Serving, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const wait = (seconds: number) => sleep(seconds * serving.millisPerSecond)
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const reply = await replyTo(serving, request, Buffer.concat(chunks), wait)
  switch (reply._tag) {
    case "Reset":
      return void request.socket.resetAndDestroy()
    case "Broken": {
      head(response, reply.answer)
      return void response.write(reply.answer.body.subarray(0, reply.bytes), () => request.socket.destroySoon())
    }
    case "Stalled": {
      head(response, reply.answer)
      response.write(reply.answer.body.subarray(0, reply.bytes))
      await wait(reply.seconds)
      return void response.end(reply.answer.body.subarray(reply.bytes))
    }
    case "Whole": {
      head(response, reply.answer)
      return void response.end(reply.answer.body)
    }
  }
}

const head = (response: ServerResponse, { body, headers, status }: Answer): void => {
  // These two have no body, and so no length of one.
  const length: Record<string, string> = status === 204 || status === 304 ? {} : { "content-length": `${body.length}` }
  response.writeHead(status, { ...headers, ...length })
}

type Wait = (seconds: number) => Promise<void>

const replyTo = async (
  { requests, state }: Serving,
  request: IncomingMessage,
  body: Buffer,
  wait: Wait
): Promise<Faults.Reply> => {
  const origin = `http://${request.headers.host}`
  const { pathname: path, searchParams: query } = new URL(request.url ?? "/", origin)
  const verb = verbOf(request)
  try {
    const own = RetryTests.serve(state, Routes.methods, { verb, path, body })
    if (own !== undefined) return { _tag: "Whole", answer: own }
    const id = request.headers[RetryTests.header]?.toString()
    const found = Routes.find(verb, path)
    const method = found?.route.method ?? ""
    requests.push({ method, verb, path, query, headers: request.headers })
    const fault = RetryTests.next(state, id, method)
    if (found === undefined) return { _tag: "Whole", answer: failure(404, `Not found: ${verb} ${path}`) }
    const call: Call = {
      state,
      origin,
      param: found.param,
      query,
      headers: request.headers,
      body,
      uploadFault: Faults.uploadFault(fault),
      unreachable: () => Faults.unreachable(fault)
    }
    const upload = query.get("upload_id")
    const stored = state.uploads.get(upload ?? "")?.size ?? 0
    const stall = Faults.uploadStall(fault, method, stored, body.length)
    if (stall > 0) await wait(stall)
    return Faults.reply(fault, { method, inSession: upload !== null }, () => found.route.operation(call))
  } catch (error) {
    if (error instanceof Refused) return { _tag: "Whole", answer: error.answer }
    throw error
  }
}

/** Some clients say PATCH in a header of a POST. */
const verbOf = ({ headers, method = "GET" }: IncomingMessage): string =>
  method === "POST" && headers["x-http-method-override"] === "PATCH" ? "PATCH" : method
