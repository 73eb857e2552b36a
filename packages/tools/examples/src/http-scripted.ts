import { HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { Clock, Effect } from "effect"

/** What a server does with a request. */
export type Answer = (
  request: HttpClientRequest.HttpClientRequest
) => Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.RequestError>

export const answer =
  (status: number, headers: Readonly<Record<string, string>> = {}, body: string | null = null): Answer =>
  (request) =>
    Effect.sync(() => HttpClientResponse.fromWeb(request, new Response(body, { status, headers })))

/** No answer: the connection breaks, in the way that the properties of its error say. */
export const broken =
  (error: { readonly code: string; readonly message?: string; readonly syscall?: string }): Answer =>
  (request) =>
    new HttpClientError.RequestError({ request, reason: "Transport", cause: Object.assign(new Error(), error) })

export const [ok, unavailable, reset] = [answer(200), answer(503), broken({ code: "ECONNRESET", syscall: "read" })]

/** What a server saw of its client, and how it ended: a status or an error. */
export interface Exchange {
  /** When requests came, in milliseconds since the first. */
  readonly sent: ReadonlyArray<number>
  readonly requests: ReadonlyArray<HttpClientRequest.HttpClientRequest>
  readonly outcome: unknown
}

/** A client of a server that answers from a script, one answer per request; the last one is repeated. */
export const exchange = <A, E, R>(
  answers: readonly [Answer, ...ReadonlyArray<Answer>],
  use: (client: HttpClient.HttpClient) => Effect.Effect<A, E, R>
): Effect.Effect<Exchange, never, R> =>
  Effect.gen(function* () {
    const sent: Array<number> = []
    const requests: Array<HttpClientRequest.HttpClientRequest> = []
    const client = HttpClient.make((request) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        sent.push(now - (sent[0] ?? 0))
        if (sent.length === 1) sent[0] = now
        requests.push(request)
        return (answers[sent.length - 1] ?? answers.at(-1) ?? answers[0])(request)
      })
    )
    const ended = yield* Effect.merge(use(client))
    const outcome = isResponse(ended) ? ended.status : ended
    return { sent: sent.map((at, i) => (i === 0 ? 0 : at)), requests, outcome }
  })

const isResponse = (value: unknown): value is HttpClientResponse.HttpClientResponse =>
  typeof value === "object" && value !== null && HttpClientResponse.TypeId in value

export const program = Effect.map(
  exchange([unavailable, answer(204)], (client) =>
    Effect.zipRight(client.get("http://here/"), client.del("http://here/"))
  ),
  ({ outcome, requests, sent }) => ({ sent, outcome, methods: requests.map(({ method }) => method) })
)

export const expected = { sent: [0, 0], outcome: 204, methods: ["GET", "DELETE"] }
