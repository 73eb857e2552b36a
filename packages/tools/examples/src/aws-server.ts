import { Effect, type Scope } from "effect"
import * as Http from "node:http"

/** A failure by its status and code, or the body of a success. */
type Reply = { readonly status: number; readonly code?: string } | { readonly body: string }

interface Server {
  readonly url: string
  /** What each request said in its header `amz-sdk-request`. */
  readonly requests: ReadonlyArray<string | undefined>
}

/** A server on loopback with an AWS interface of JSON, which replies from a script; the last reply is repeated. */
export const serve = (
  ...script: readonly [Reply, ...ReadonlyArray<Reply>]
): Effect.Effect<Server, never, Scope.Scope> => {
  const requests: Array<string | undefined> = []
  const server = Http.createServer((request, response) => {
    const reply = script[Math.min(requests.length, script.length - 1)] ?? script[0]
    requests.push(request.headers["amz-sdk-request"]?.toString())
    request.resume()
    const { body, code, status } = { status: 200, body: "{}", code: undefined, ...reply }
    const headers = { "content-type": "application/x-amz-json-1.0", ...(code && { "x-amzn-errortype": code }) }
    response.writeHead(status, headers).end(body)
  })
  const listening = Effect.async<void>((resume) => {
    server.listen(0, "127.0.0.1", () => resume(Effect.void))
  })
  const closed = Effect.sync(() => server.close().closeAllConnections())
  return Effect.map(
    Effect.acquireRelease(listening, () => closed),
    () => {
      const address = server.address()
      return { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`, requests }
    }
  )
}

export const live = true

export const program = Effect.gen(function* () {
  const { requests, url } = yield* serve({ status: 503 }, { body: "[]" })
  const get = Effect.promise(() => fetch(url).then(async (response) => [response.status, await response.text()]))
  return [yield* get, yield* get, requests]
}).pipe(Effect.scoped)

export const expected = [
  [503, "{}"],
  [200, "[]"],
  [undefined, undefined]
]
