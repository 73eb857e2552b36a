/**
 * A server on loopback that answers by scripts and remembers what it received.
 *
 * Every connection carries one request, so that no client meets a connection that was broken for another one.
 */
import * as Http from "node:http"
import type { AddressInfo, Socket } from "node:net"
import type { Answer } from "./Scenario.ts"

export interface Received {
  readonly path: string
  readonly headers: Http.IncomingHttpHeaders
  /** As much of it as has come. */
  readonly body: string
}

/** Called when a request is in. */
type Script = (request: Received) => Answer

export interface Server {
  /** Adds a script for a path and all paths below it, and a list of what comes to them. Answers its URL. */
  readonly add: (path: string, received: Array<Received>, script: Script) => string
  /** Sends a request of its own and waits for the answer, so everything that was ready before has had its turn. */
  readonly turn: () => Promise<void>
  readonly close: () => Promise<void>
}

export const make = async (): Promise<Server> => {
  const scripts = new Map<string, { readonly received: Array<Received>; readonly script: Script }>()
  const server = Http.createServer((request, response) => {
    const { headers, socket, url: path = "" } = request
    const own = scripts.get(`/${path.split("/")[1] ?? ""}`)
    const received = { path, headers, body: "" }
    own?.received.push(received)
    request.setEncoding("utf8")
    request.on("error", () => undefined)
    request.on("data", (chunk: string) => (received.body += chunk))
    request.on("end", () => give(own?.script(received) ?? { status: 404 }, socket, response))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    add: (path, received, script) => {
      scripts.set(path, { received, script })
      return `http://127.0.0.1:${port}${path}`
    },
    turn: () =>
      new Promise((resolve, reject) => {
        Http.get({ host: "127.0.0.1", port, agent: false }, (response) => response.resume().once("end", resolve)).once(
          "error",
          reject
        )
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}

/** What a 200 has in its body, in two halves. */
const halves = ["01234", "56789"] as const
const etag = '"1"'

/** The response to a request for the second half. */
export const rest: Answer = { status: 206, headers: { etag, "content-range": "bytes 5-9/10" } }

const give = (answer: Answer, socket: Socket, response: Http.ServerResponse): void => {
  socket.on("error", () => undefined)
  const writeThenClose = (text: string) => socket.write(text, () => socket.destroy())
  switch (answer) {
    case "silence":
      return
    case "close":
      socket.destroy()
      return
    case "reset":
      socket.resetAndDestroy()
      return
    case "garbage":
      writeThenClose("this is not HTTP\r\n\r\n")
      return
    case "closeInHeader":
      writeThenClose("HTTP/1.1 200 OK\r\ncontent-len")
      return
    case "closeInBody":
      writeThenClose(`HTTP/1.1 200 OK\r\netag: ${etag}\r\ncontent-length: 10\r\n\r\n${halves[0]}`)
      return
    default: {
      const body = answer.status === 206 ? halves[1] : halves.join("")
      response.writeHead(answer.status, { ...answer.headers, connection: "close", "content-length": body.length })
      response.end(body)
    }
  }
}
