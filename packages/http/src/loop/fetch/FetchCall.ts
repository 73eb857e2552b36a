/**
 * One call of a retrying `fetch`: its arguments, its attempts, and the response with which it resolves.
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Request, Send, Sent } from "../exchange/Exchange.ts"
import * as FetchChange from "./FetchChange.ts"
import * as FetchInit from "./FetchInit.ts"
import type { Init } from "./FetchInit.ts"
import * as FetchInput from "./FetchInput.ts"

/** A call. Mutable, and used by one attempt at a time. */
export interface Call {
  readonly send: typeof fetch
  readonly input: FetchInput.Given["input"]
  readonly init: Init
  /** The request as the policy sees it. */
  readonly request: Request
  /** The caller's. */
  readonly signal: AbortSignal | undefined
  /** Whether only the caller's signal can end an attempt, so that attempts need no signal of their own. */
  readonly isDirect: boolean
  /** The first attempt, until the loop takes it over. */
  first: Promise<Response> | undefined
  /** The latest response, and the form in which the policy sees it. */
  latest: { readonly web: Response; readonly response: HttpClientResponse.HttpClientResponse } | undefined
}

/** Makes a call with the given arguments. Throws if they do not form a request. */
export const make = (send: typeof fetch, given: FetchInput.Given, isDirect: (request: Request) => boolean): Call => {
  const request = FetchInput.request(given)
  const { init, input } = FetchInput.copied(given, request)
  const signal = FetchInput.signal(given)
  const direct = isDirect(request)
  return {
    send,
    input,
    init: direct && init.signal ? heard(init, init.signal) : init,
    request,
    signal,
    isDirect: direct,
    first: undefined,
    latest: undefined
  }
}

/** `fetch` leaves its listener on a signal until garbage collection, and a caller's signal can serve many calls. */
const heard = (init: Init, signal: AbortSignal): Init => ({
  ...init,
  signal: AbortSignal.any([signal])
})

/** Sends the first attempt before the loop, which takes over with its outcome. */
export const begin = (call: Call): Promise<Response> => (call.first = startedAsGiven(call))

/** Sends before the caller can change the headers of a `Request`: passing them separately costs `fetch` microseconds. */
const startedAsGiven = async ({ init, input, send }: Call): Promise<Response> =>
  send(FetchInput.ofAttempt(input, init), init)

/** The call as an operation. */
export const looped = (call: Call, retry: (send: Send, request: Request) => Sent): Effect.Effect<Response, unknown> => {
  const { init, input, request } = call
  const redirect = init.redirect ?? (FetchInput.isRequest(input) ? input.redirect : undefined)
  return retry((attempt) => sent(call, attempt), request).pipe(
    Effect.map((response) => webOf(call, response)),
    Effect.provideService(FetchHttpClient.RequestInit, { redirect: redirect ?? "follow" })
  ) as Effect.Effect<Response, unknown>
}

const sent = (call: Call, attempt: Request): ReturnType<Send> =>
  Effect.async((resume) => {
    const controller = call.isDirect ? undefined : new AbortController()
    const answer = call.first ?? started(call, attempt, controller?.signal)
    call.first = undefined
    answer.then(
      (web) => resume(Effect.sync(() => received(call, attempt, web, controller))),
      (cause) => resume(Effect.fail(new HttpClientError.RequestError({ request: attempt, reason: "Transport", cause })))
    )
    return controller && Effect.sync(() => controller.abort())
  })

/** Turns a synchronous throw into a rejection. */
const started = async (
  { init, input, request, send, signal }: Call,
  attempt: Request,
  ofAttempt?: AbortSignal
): Promise<Response> => {
  const ofRequest = FetchInput.isRequest(input) && { ...FetchInit.referrer(init, input), headers: request.headers }
  const changed = { ...ofRequest, ...init, ...FetchChange.init(request, attempt) }
  return send(FetchChange.input(input, changed, request, attempt), {
    ...changed,
    ...(ofAttempt && { signal: signal ? AbortSignal.any([signal, ofAttempt]) : ofAttempt })
  })
}

/** Attaches the controller, if there is one, as the platform's clients do, so that discarding a response aborts its request. */
const received = (call: Call, attempt: Request, web: Response, controller: AbortController | undefined) => {
  const response = Object.assign(HttpClientResponse.fromWeb(attempt, web), controller && { controller })
  call.latest = { web, response }
  return response
}

/** The response that arrived, or a replacement if its body has been released. */
const webOf = ({ latest }: Call, response: HttpClientResponse.HttpClientResponse): Response => {
  const web = latest?.web ?? Response.error()
  if (response === latest?.response || web.body === null) return web
  const body = withoutBody.includes(web.status)
    ? null
    : Stream.toReadableStream(Stream.mapError(response.stream, ({ cause }) => cause))
  return standIn(web, newResponse(body, web))
}

/** Source: https://fetch.spec.whatwg.org/#null-body-status. */
const withoutBody: ReadonlyArray<number> = [101, 103, 204, 205, 304]

/** Makes a response; not everything that a server sends can be put into one. */
const newResponse = (body: ReadableStream | null, init: Response): Response => {
  try {
    return new Response(body, init)
  } catch {
    return new Response(body)
  }
}

const standIn = (web: Response, held: Response): Response =>
  Object.defineProperties(held, {
    clone: { value: () => standIn(web, Response.prototype.clone.call(held)) },
    headers: { value: web.headers },
    ok: { value: web.ok },
    redirected: { value: web.redirected },
    status: { value: web.status },
    statusText: { value: web.statusText },
    type: { value: web.type },
    url: { value: web.url }
  })
