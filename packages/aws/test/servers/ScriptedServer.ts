/**
 * A server on loopback that answers as a script says, whatever it is asked.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/** What happens to a request. */
export type Answer =
  | {
      readonly status: number
      readonly headers?: { readonly [name: string]: string }
      readonly body?: string
    }
  /** The connection is reset. */
  | "reset"
  /** No answer ever comes. */
  | "hang"

/** A request as it came in. */
interface Received {
  readonly method: string
  readonly url: string
  readonly body: string
  readonly headers: IncomingMessage["headers"]
}

export interface ScriptedServer {
  readonly url: string
  /** Every request so far. */
  readonly received: Array<Received>
  /** The answers to come; an empty script closes connections. */
  readonly script: Array<Answer>
  readonly close: () => Promise<void>
}

export const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const answered = (response: ServerResponse, answer: Answer): void => {
  if (answer === "hang") return
  if (answer === "reset") {
    response.socket?.resetAndDestroy()
    return
  }
  // The SDK measures its clock by the date of a server, and repeats what failed after it has corrected that clock.
  response.sendDate = false
  response.writeHead(answer.status, answer.headers)
  response.end(answer.body)
}

export const start = async (): Promise<ScriptedServer> => {
  const received: Array<Received> = []
  const script: Array<Answer> = []
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const { headers, method = "", url = "" } = request
      received.push({ method, url, body: body.toString(), headers })
      answered(response, script.shift() ?? "reset")
    })
  })
  // An idle connection is not closed under a client that is slow to use it: that would be one more attempt.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    script,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}
