/**
 * A server of gRPC on bare HTTP/2 that can refuse streams, which a server of `@grpc/grpc-js` has no way to.
 */
import { StatusCode } from "@effect-retry/grpc"
import { Metadata } from "@grpc/grpc-js"
import { Effect, type Scope } from "effect"
import * as Http2 from "node:http2"
import type { Answer, Arrived, GrpcServer } from "./Server.ts"
import { serialize, text } from "./Server.ts"

/** Of an answer it knows the code and whether the stream is refused. */
export const serve = (answerOf: (index: number) => Answer): Effect.Effect<GrpcServer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const calls: Array<Arrived> = []
    const sessions = new Set<Http2.ServerHttp2Session>()
    const server = Http2.createServer()
    server.on("session", (session) => sessions.add(session))
    server.on("stream", (stream, headers) => {
      const metadata = Metadata.fromHttp2Headers(headers)
      const index =
        calls.push({ path: String(headers[":path"]), metadata, requests: undefined, ending: "Answered" }) - 1
      stream.on("error", () => undefined)
      respond(stream, index, answerOf(index))
    })
    const listening = Effect.async<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    })
    const closed = Effect.async<void>((resume) => {
      server.close(() => resume(Effect.void))
      for (const session of sessions) session.destroy()
    })
    yield* Effect.acquireRelease(listening, () => closed)
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    return { address: `127.0.0.1:${port}`, calls, settled: Effect.void }
  })

const respond = (stream: Http2.ServerHttp2Stream, index: number, { code = "OK", refused = false }: Answer): void => {
  const headers = { ":status": 200, "content-type": "application/grpc+proto" }
  const trailers = { "grpc-status": String(StatusCode.toNumber(code)), "grpc-message": text(index) }
  if (refused) return stream.close(Http2.constants.NGHTTP2_REFUSED_STREAM)
  if (code !== "OK") return stream.respond({ ...headers, ...trailers }, { endStream: true })
  stream.respond(headers, { waitForTrailers: true })
  stream.on("wantTrailers", () => stream.sendTrailers(trailers))
  const message = serialize(text(index))
  const frame = Buffer.alloc(5)
  frame.writeUInt32BE(message.length, 1)
  stream.end(Buffer.concat([frame, message]))
}
