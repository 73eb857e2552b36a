/**
 * A `fetch` that retries, for code without Effect at the call site and for libraries that accept a custom `fetch`.
 *
 * It resolves and rejects as `fetch` does: with the last response, whatever its status, with the `TypeError` of the last
 * attempt, with the reason of an aborted signal, or with a `TimeoutError` where the policy ran out of time.
 *
 * @example
 * ```ts
 * import { Backoff } from "@effect-retry/core"
 * import { Fetch, HttpRetry } from "@effect-retry/http"
 * import * as assert from "node:assert"
 *
 * const statuses = [503, 503, 503, 200]
 * const underlying: typeof fetch = () => Promise.resolve(new Response(null, { status: statuses.shift() ?? 200 }))
 * const policy = { ...HttpRetry.standard, backoff: Backoff.constant({ delay: "1 millis" }) }
 * const retrying = Fetch.make(policy, { fetch: underlying })
 *
 * // Three attempts are spent on the first call: it resolves, as `fetch` does.
 * retrying("http://localhost/").then((response) => assert.strictEqual(response.status, 503))
 * ```
 */
import type { HttpClientRequest } from "@effect/platform"
import { FetchHttpClient, HttpClientError, HttpClientResponse } from "@effect/platform"
import { AttemptTimeout, Deadline, Retry } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/Argument"
import { Cause, Effect, Exit, Predicate, Runtime, Stream } from "effect"
import type { Send } from "./Exchange.ts"
import * as FetchInput from "./FetchInput.ts"
import type { Any, Checked, Env, Fields } from "./HttpPolicy.ts"
import { complete } from "./HttpPolicy.ts"
import { retrying } from "./Retrying.ts"

/**
 * What a `fetch` that retries is made of, beside its policy.
 *
 * @category models
 */
export interface Options {
  /** What sends. @default the global `fetch` at the time of the call */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/**
 * A `fetch` under a policy that needs no services.
 *
 * A body given as a string, bytes, a `Blob`, `FormData` or `URLSearchParams` is sent again; a stream is sent once. What the
 * caller changes after the call, in a URL, headers or a body, changes no attempt: bytes are copied. The body of a `Request` is cloned for every attempt, and so held in memory until the last of them; the `Request` itself stays unread.
 * A `Request` of another class, such as undici's, is for a `fetch` that knows it; one whose body is a stream of Node is sent once.
 *
 * @category constructors
 */
export const make = <P extends Fields<HttpClientError.RequestError>>(
  policy?: Checked<P> & WithoutServices<P>,
  options?: Options
): typeof fetch => fetchOf("Fetch.make", policy ?? {}, options)(Runtime.defaultRuntime)

type WithoutServices<P> = [Env<P, never>] extends [never] ? unknown : never

/**
 * The same for a policy with a bucket or a rate limiter from the context: the services are those of the effect, and so are clock and chance.
 *
 * @category constructors
 */
export const makeEffect = <P extends Fields<HttpClientError.RequestError>>(
  policy: Checked<P>,
  options?: Options
): Effect.Effect<typeof fetch, never, Env<P, never>> =>
  Effect.map(Effect.runtime<Env<P, never>>(), fetchOf("Fetch.makeEffect", policy, options))

const fetchOf = (owner: string, given: Any, options: Options | undefined) => {
  const retry = retrying(complete(owner, given))
  const own = checkOptions(owner, options).fetch
  return (runtime: Runtime.Runtime<never>): typeof fetch => {
    const runPromiseExit = Runtime.runPromiseExit(runtime)
    return async (input, init) => {
      const send = own ?? globalThis.fetch
      const request = FetchInput.request(input, init)
      // What is no request at all is for `fetch` to reject.
      if (request === undefined) return send(input, init)
      const signal = FetchInput.signal(input, init)
      signal?.throwIfAborted()
      const call: Call = { send, ...FetchInput.copied(input, init, request), request, signal, latest: undefined }
      const exit = await untilAborted(signal, (options) => runPromiseExit(retried(call, retry), options))
      if (Exit.isSuccess(exit)) return exit.value
      throw signal?.aborted === true ? signal.reason : rejection(exit.cause)
    }
  }
}

const checkOptions = (owner: string, options: Options = {}): Options => {
  if (!Predicate.isRecord(options)) return Argument.refuse(owner, "options", "a record", options)
  return options.fetch === undefined || Predicate.isFunction(options.fetch)
    ? options
    : Argument.refuse(owner, "fetch", "a function", options.fetch)
}

/**
 * A caller's signal can be that of any number of calls, and outlive them: it is heard through a signal that depends on
 * it, only while a call lasts. What runs an effect never stops listening, and therefore listens to one that is released.
 */
const untilAborted = async <A>(
  signal: AbortSignal | undefined,
  run: (options: { readonly signal?: AbortSignal }) => Promise<A>
): Promise<A> => {
  if (signal === undefined) return run({})
  const heard = AbortSignal.any([signal])
  const controller = new AbortController()
  const abort = () => controller.abort()
  heard.addEventListener("abort", abort)
  try {
    return await run({ signal: controller.signal })
  } finally {
    heard.removeEventListener("abort", abort)
  }
}

interface Call {
  readonly send: typeof fetch
  readonly input: FetchInput.Input
  readonly init: FetchInput.Init
  readonly request: HttpClientRequest.HttpClientRequest
  readonly signal: AbortSignal | undefined
  /** What came in last, and what it is to the policy. */
  latest: { readonly web: Response; readonly response: HttpClientResponse.HttpClientResponse } | undefined
}

const retried = (call: Call, retry: ReturnType<typeof retrying>): Effect.Effect<Response, unknown> => {
  const { init, input, request } = call
  const redirect = init.redirect ?? (FetchInput.isRequest(input) ? input.redirect : undefined)
  return retry((attempt) => sent(call, attempt), request).pipe(
    Effect.map((response) => webOf(call, response)),
    Effect.provideService(FetchHttpClient.RequestInit, { redirect: redirect ?? "follow" })
  ) as Effect.Effect<Response, unknown>
}

const sent = (call: Call, attempt: HttpClientRequest.HttpClientRequest): ReturnType<Send> =>
  Effect.async((resume) => {
    const controller = new AbortController()
    const failed = (cause: unknown) =>
      resume(Effect.fail(new HttpClientError.RequestError({ request: attempt, reason: "Transport", cause })))
    try {
      const arrived = (web: Response) => resume(Effect.sync(() => received(call, attempt, web, controller)))
      started(call, attempt, controller.signal).then(arrived, failed)
    } catch (cause) {
      failed(cause)
    }
    return Effect.sync(() => controller.abort())
  })

const started = (call: Call, attempt: HttpClientRequest.HttpClientRequest, ofAttempt: AbortSignal) => {
  const { init, input, request, send, signal } = call
  return send(FetchInput.ofAttempt(input), {
    ...init,
    ...(attempt.headers !== request.headers && { headers: attempt.headers }),
    signal: signal ? AbortSignal.any([signal, ofAttempt]) : ofAttempt
  })
}

/** With the controller, as responses of the platform's clients: what discards a response aborts its request. */
const received = (
  call: Call,
  attempt: HttpClientRequest.HttpClientRequest,
  web: Response,
  controller: AbortController
) => {
  const response = Object.assign(HttpClientResponse.fromWeb(attempt, web), { controller })
  call.latest = { web, response }
  return response
}

/** The response that came in, or one that stands for it where its body was released. */
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

/** What a server says cannot always be said again. */
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

const rejection = (cause: Cause.Cause<unknown>): unknown => {
  const error = Cause.squash(cause)
  if (!HttpClientError.isHttpClientError(error) || error._tag !== "RequestError") return error
  if (error.cause instanceof AttemptTimeout.AttemptTimedOut || error.cause instanceof Deadline.DeadlineExceeded) {
    return new DOMException(error.cause.message, "TimeoutError")
  }
  return error.cause instanceof Retry.AttemptRefused
    ? new TypeError("fetch failed", { cause: error.cause })
    : error.cause
}
