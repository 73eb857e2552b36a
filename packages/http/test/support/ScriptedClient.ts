/**
 * Clients that answer by a script, and remember what they were sent, and when.
 */
import { HttpBody, HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse } from "@effect/platform"
import type { Observe, Retry } from "@effect-retry/core"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { Clock, Duration, Effect } from "effect"

/** How one request is answered: with a status, a response, or an error of the transport. */
export type Step = number | Answer | Error

export type Pairs = Record<string, string> | Array<[string, string]>

export interface Answer {
  readonly status: number
  readonly headers?: Pairs
  readonly body?: string | ReadableStream<Uint8Array>
  /** When the response or the error comes. @default at once */
  readonly after?: Duration.DurationInput
}

export interface Call {
  readonly request: HttpClientRequest.HttpClientRequest
  readonly atMillis: number
  /** Aborted once the response is released. */
  readonly signal: AbortSignal
}

export interface Scripted {
  readonly client: HttpClient.HttpClient
  readonly calls: Array<Call>
}

/** Takes one step per request, the last one again and again. */
export const make = (...steps: readonly [Step, ...ReadonlyArray<Step>]): Scripted => {
  const calls: Array<Call> = []
  const client = HttpClient.make((request, _, signal) =>
    Effect.flatMap(Clock.currentTimeMillis, (atMillis) => {
      calls.push({ request, atMillis, signal })
      const step = steps[Math.min(calls.length, steps.length) - 1] ?? steps[0]
      if (step instanceof Error) {
        return Effect.fail(new HttpClientError.RequestError({ request, reason: "Transport", cause: step }))
      }
      const { after, body, headers, status } = typeof step === "number" ? { status: step } : step
      const response = Effect.sync(() =>
        HttpClientResponse.fromWeb(request, new Response(body ?? null, { status, headers: headers ?? {} }))
      )
      return after === undefined ? response : Effect.delay(response, Duration.decode(after))
    })
  )
  return { client, calls }
}

/** When the requests were sent, in milliseconds. */
export const times = (calls: ReadonlyArray<Call>): ReadonlyArray<number> => calls.map(({ atMillis }) => atMillis)

/** What each request carried in a header. */
export const sent = (calls: ReadonlyArray<Call>, header: string): ReadonlyArray<string | undefined> =>
  calls.map(({ request }) => request.headers[header])

/** An observer that writes down why operations gave up, and what of. */
export const gaveUp = () => {
  const reasons: Array<Retry.StopReason> = []
  const events: Array<Observe.RetryEvent> = []
  const observe: ReadonlyArray<Observe.Observer> = [
    (event) =>
      Effect.sync(() => {
        events.push(event)
        if (event._tag === "GaveUp") reasons.push(event.reason)
      })
  ]
  return { events, observe, reasons }
}

/** A body of so many bytes that notices whether it was read to its end or cancelled. */
export const watchedBody = (bytes: number, chunkBytes = 16_384) => {
  const seen = { pulled: 0, ended: false, cancelled: false }
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        const next = Math.min(chunkBytes, bytes - seen.pulled)
        if (next > 0) {
          seen.pulled += next
          controller.enqueue(new Uint8Array(next))
        } else {
          seen.ended = true
          controller.close()
        }
      },
      cancel: () => {
        seen.cancelled = true
      }
    },
    { highWaterMark: 0 }
  )
  return { body, seen }
}

export const textBody: HttpBody.HttpBody = HttpBody.text("a body")

/** Virtual time from 0, and every draw in the middle. */
export const world = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  self.pipe(VirtualClock.run, Effect.provide(SeededRandom.layerConstant(0.5)))
