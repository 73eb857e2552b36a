/**
 * One request and its answer on the connection.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import type { Answer } from "./Answer.ts"
import { isOwn } from "./RetryTests.ts"
import { type Incoming, serve as serveIncoming } from "./Service.ts"
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

interface Serving {
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
  const incoming = await incomingOf(request)
  const served = serveIncoming(serving.state, incoming)
  const { headers, path, query, verb } = incoming
  if (!isOwn(incoming)) serving.requests.push({ method: served.method, verb, path, query, headers })
  if (served.stall > 0) await wait(served.stall)
  const reply = served.reply()
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

const incomingOf = async (request: IncomingMessage): Promise<Incoming> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { headers, url = "/" } = request
  const origin = `http://${headers.host}`
  const { pathname: path, searchParams: query } = new URL(url, origin)
  return { verb: verbOf(request), path, query, headers, body: Buffer.concat(chunks), origin }
}

/** Some clients say PATCH in a header of a POST. */
const verbOf = ({ headers, method = "GET" }: IncomingMessage): string =>
  method === "POST" && headers["x-http-method-override"] === "PATCH" ? "PATCH" : method
