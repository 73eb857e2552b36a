/**
 * Clients that answer by a script, and remember what they were sent.
 */
import { HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { IdempotencyKey } from "@effect-retry/http"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { Duration, Effect } from "effect"

/** How one request is answered: with a status, a response, or an error of the transport. */
export type Step = number | Answer | Error

export interface Answer {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly body?: string | ReadableStream<Uint8Array>
  /** When the response comes. @default at once */
  readonly after?: Duration.DurationInput
}

/** An answer with a JSON body, as Google's APIs send it. */
export const json = (status: number, value: unknown, headers: Record<string, string> = {}): Answer => {
  const body = JSON.stringify(value)
  return {
    status,
    body,
    headers: { "content-type": "application/json; charset=UTF-8", "content-length": String(body.length), ...headers }
  }
}

/** Takes one step per request, the last one again and again. */
export const make = (...steps: readonly [Step, ...ReadonlyArray<Step>]) => {
  const calls: Array<HttpClientRequest.HttpClientRequest> = []
  const client = HttpClient.make((request) => {
    calls.push(request)
    const step = steps[Math.min(calls.length, steps.length) - 1] ?? steps[0]
    if (step instanceof Error) {
      return Effect.fail(new HttpClientError.RequestError({ request, reason: "Transport", cause: step }))
    }
    const { after = 0, body, headers, status }: Answer = typeof step === "number" ? { status: step } : step
    const response = Effect.sync(() =>
      HttpClientResponse.fromWeb(request, new Response(body ?? null, { status, headers: headers ?? {} }))
    )
    return Effect.delay(response, Duration.decode(after))
  })
  return { calls, client }
}

/** The connection broke while it was in use: the server may have carried the request out. */
export const reset = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET", syscall: "read" })

/** There was no connection. */
export const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED", syscall: "connect" })

/** Virtual time from 0, every draw in the middle, and keys by number. */
export const world = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  self.pipe(
    VirtualClock.run,
    Effect.provide(SeededRandom.layerConstant(0.5)),
    Effect.provide(IdempotencyKey.layerSequence)
  )
