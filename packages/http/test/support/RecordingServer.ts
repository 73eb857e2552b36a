/**
 * A server on loopback that remembers all that it received.
 */
import { Effect, type Scope } from "effect"
import * as Http from "node:http"
import * as Loopback from "./Loopback.ts"

/** A request as it came in, without what is of its connection and the boundary of a form. */
interface Received {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

interface Recording {
  readonly url: string
  /** What has been received since the last call. */
  readonly taken: () => ReadonlyArray<Received>
  /** Answers so many requests with 503. */
  readonly failing: (count: number) => void
}

/** `/redirect/307` leads to `/`, with that status. */
export const serve: Effect.Effect<Recording, never, Scope.Scope> = Effect.suspend(() => {
  let received: Array<Received> = []
  let failures = 0
  const server = Http.createServer(async (request, response) => {
    const chunks: Array<Buffer> = []
    request.on("error", () => undefined)
    response.on("error", () => undefined)
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer)
    } catch {
      return
    }
    received.push(receivedOf(request, Buffer.concat(chunks).toString()))
    const [, , redirect] = (request.url ?? "").split("/")
    const status = failures > 0 ? 503 : Number(redirect ?? 200)
    if (failures > 0) failures -= 1
    response.writeHead(status, redirect === undefined ? {} : { location: "/" }).end("answer")
  })
  return Effect.map(Loopback.url(server), (url) => ({
    url,
    taken: () => {
      const taken = received
      received = []
      return taken
    },
    failing: (count: number) => {
      failures = count
    }
  }))
})

const receivedOf = ({ headers, method = "", url = "" }: Http.IncomingMessage, body: string): Received => {
  const type = headers["content-type"]
  // A form can be sent under another type, and behind a redirect has another boundary than its type says.
  const boundaries = [type?.split("boundary=")[1], /^--(-+[^\r]+)\r\n/.exec(body)?.[1]].filter(Boolean) as Array<string>
  const shown = (text: string) => boundaries.reduce((left, boundary) => left.replaceAll(boundary, "BOUNDARY"), text)
  const others = headers as Readonly<Record<string, string | undefined>>
  return { method, path: url, headers: { ...others, ...(type && { "content-type": shown(type) }) }, body: shown(body) }
}
