/**
 * A proxy on loopback before a server with an AWS interface, which spoils what a script says.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer, request as requestOf } from "node:http"
import type { AddressInfo } from "node:net"
import { bodyOf } from "./ScriptedServer.ts"

/** What happens to a request. */
export type Fault =
  /** It is passed on, and so is its answer. */
  | "none"
  /** The connection is reset before the server gets to see the request. */
  | "resetBefore"
  /** The server carries the request out, and the connection is reset instead of its answer. */
  | "answerLost"
  /** Answered in place of the server. */
  | { readonly status: number; readonly body: string }

export interface FaultProxy {
  readonly url: string
  /** What becomes of the requests to come; after the last fault, none. */
  readonly faults: Array<Fault>
  /** The operations that the server was asked for, through the proxy. */
  readonly passed: Array<string>
  readonly close: () => Promise<void>
}

interface Answer {
  readonly status: number
  readonly headers: IncomingMessage["headers"]
  readonly body: Buffer
}

/** The host is passed on as the client has signed it. */
const passOn = ({ headers, method, url }: IncomingMessage, body: Buffer, port: number): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = requestOf({ host: "127.0.0.1", port, method, path: url, headers, agent: false }, (response) => {
      const { headers, statusCode = 0 } = response
      bodyOf(response).then((body) => resolve({ status: statusCode, headers, body }), reject)
    })
    sent.on("error", reject)
    sent.end(body)
  })

const operationOf = ({ headers, method, url }: IncomingMessage): string =>
  String(headers["x-amz-target"] ?? `${method} ${url?.split("?")[0]}`)

const spoiled = async (request: IncomingMessage, response: ServerResponse, port: number, proxy: FaultProxy) => {
  const fault = proxy.faults.shift() ?? "none"
  const body = await bodyOf(request)
  if (fault === "resetBefore") return response.socket?.resetAndDestroy()
  if (typeof fault === "object") {
    response.writeHead(fault.status, { "content-type": "application/x-amz-json-1.0" })
    return response.end(fault.body)
  }
  proxy.passed.push(operationOf(request))
  const answer = await passOn(request, body, port)
  if (fault === "answerLost") return response.socket?.resetAndDestroy()
  response.writeHead(answer.status, answer.headers)
  return response.end(answer.body)
}

/** A proxy before the server on `port`. */
export const start = async (port: number): Promise<FaultProxy> => {
  const server = createServer((request, response) => {
    spoiled(request, response, port, proxy).catch(() => response.destroy())
  })
  // An idle connection is not closed under a client that is slow to use it: that would be one more attempt.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  const proxy: FaultProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults: [],
    passed: [],
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
  return proxy
}
