/**
 * A client of the platform over Node's `http2`, with one session at a time.
 *
 * It keeps a session until a request over it fails, and so also sends requests over sessions that have ended meanwhile.
 */
import { HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { Effect, Layer } from "effect"
import * as Http2 from "node:http2"

/** Node says nothing of a stream that ended too early with the codes CANCEL and NO_ERROR. */
const closedEarly = () =>
  Object.assign(new Error("the stream was closed before the response was complete"), {
    code: "ERR_STREAM_PREMATURE_CLOSE"
  })

const responseOf = (stream: Http2.ClientHttp2Stream, headers: Http2.IncomingHttpHeaders): Response => {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      let isOver = false
      const over = (end: () => void) => {
        if (!isOver) end()
        isOver = true
      }
      stream.on("data", (chunk: Uint8Array) => controller.enqueue(chunk))
      stream.on("error", (error) => over(() => controller.error(error)))
      stream.on("close", () => {
        if (stream.rstCode === Http2.constants.NGHTTP2_NO_ERROR) over(() => controller.close())
        else over(() => controller.error(closedEarly()))
      })
    },
    cancel: () => stream.close(Http2.constants.NGHTTP2_CANCEL)
  })
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    name.startsWith(":") || typeof value !== "string" ? [] : [[name, value] as const]
  )
  return new Response(body, { status: Number(headers[":status"]), headers: Object.fromEntries(pairs) })
}

const exchanged = (
  session: Http2.ClientHttp2Session,
  request: HttpClientRequest.HttpClientRequest,
  url: URL,
  signal: AbortSignal
): Promise<Response> =>
  new Promise((resolve, reject) => {
    const stream = session.request(
      { ":method": request.method, ":path": url.pathname + url.search, ...request.headers },
      { signal, endStream: request.body._tag === "Empty" }
    )
    stream.on("response", (headers) => resolve(responseOf(stream, headers)))
    stream.on("error", reject)
    stream.on("close", () => reject(closedEarly()))
    if (request.body._tag === "Uint8Array") stream.end(request.body.body)
  })

/** Sessions are made with these options. */
export const layer = (options: Http2.SecureClientSessionOptions): Layer.Layer<HttpClient.HttpClient> =>
  Layer.scoped(
    HttpClient.HttpClient,
    Effect.gen(function* () {
      let session: Http2.ClientHttp2Session | undefined
      yield* Effect.addFinalizer(() => Effect.sync(() => session?.destroy()))
      const connected = (origin: string): Http2.ClientHttp2Session => {
        const made = Http2.connect(origin, options)
        // Every request over it hears of the error as well.
        made.on("error", () => undefined)
        return made
      }
      return HttpClient.make((request, url, signal) =>
        Effect.tryPromise({
          try: () => exchanged((session ??= connected(url.origin)), request, url, signal),
          catch: (cause) => new HttpClientError.RequestError({ request, reason: "Transport", cause })
        }).pipe(
          Effect.map((response) => HttpClientResponse.fromWeb(request, response)),
          Effect.tapError(() =>
            Effect.sync(() => {
              session?.close()
              session = undefined
            })
          )
        )
      )
    })
  )
