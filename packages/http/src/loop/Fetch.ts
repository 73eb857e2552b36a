/**
 * A `fetch` that retries, for code without Effect at the call site and for libraries that accept a custom `fetch`.
 *
 * It resolves and rejects as `fetch` does: with the last response, whatever its status, with the `TypeError` of the last
 * attempt, with the reason of an aborted signal, or with a `TimeoutError` if the policy's time ran out.
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
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import { AttemptTimeout, Deadline, Retry } from "@effect-retry/core"
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as RunnerLine from "@effect-retry/core/unstable/RunnerLine"
import * as Property from "@effect-retry/core/unstable/Property"
import * as ClientLine from "../classify/ClientLine.ts"
import * as HttpClassifier from "../classify/HttpClassifier.ts"
import * as Idempotency from "../decide/Idempotency.ts"
import * as FetchCall from "./fetch/FetchCall.ts"
import * as FetchInput from "./fetch/FetchInput.ts"
import type { Any, Bound, Checked, Env, Erased, Plain } from "./policy/HttpPolicy.ts"
import { complete } from "./policy/HttpPolicy.ts"
import { CurrentOptions } from "./policy/RequestOptions.ts"
import { isPlain, retrying } from "./exchange/Retrying.ts"

/**
 * The options of a `fetch` that retries, besides its policy.
 *
 * @category models
 */
export interface Options {
  /**
   * The `fetch` that sends requests. If the global one has been replaced by a retrying one since `make`, the global
   * `fetch` from the time of `make` is used.
   *
   * @default the global `fetch` at the time of the call
   */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/**
 * A `fetch` under a policy that needs no services.
 *
 * The second argument is read as `fetch` reads it: each member once, by name, even if it is a `Request` or an instance
 * of a class. Its other own properties, such as an `agent`, are passed on to the underlying `fetch`.
 *
 * A body given as a string, bytes, a `Blob`, `FormData` or `URLSearchParams` is sent again; a stream is sent only once.
 * Changes that the caller makes to a URL, headers or a body after the call affect no attempt: bytes are copied. The
 * body of a `Request` is cloned for every attempt, and so kept in memory until the last one; the `Request` itself stays
 * unread. A `Request` of another class, such as undici's, needs a `fetch` that knows it: with the global one the call
 * rejects with a `TypeError`, as it does for a body that would be sent as "[object FormData]". A `Request` whose body
 * is a Node stream is sent only once.
 *
 * If the policy needs nothing before the first failure, the global `fetch` sends the first attempt directly, and a
 * response that is not a failure is returned as it is, without a fiber or a second signal. Bodies of responses must be
 * web streams.
 *
 * @category constructors
 */
export const make = <P extends Plain<HttpClientError.RequestError>>(
  policy?: Checked<P>,
  options?: Options
): typeof fetch => fetchOf("Fetch.make", policy ?? {}, options)(RunnerLine.defaultRunner)

/**
 * The same for a policy with a bucket or a rate limiter from the context: services, clock and random numbers come from
 * the effect.
 *
 * @category constructors
 */
export const makeEffect = <P extends Bound<HttpClientError.RequestError>>(
  policy: Checked<P>,
  options?: Options
): Effect.Effect<typeof fetch, never, Env<P, never>> =>
  Effect.map(RunnerLine.runner, fetchOf("Fetch.makeEffect", policy, options))

const fetchOf = (owner: string, given: Any, options: Options | undefined) => {
  const policy = complete(owner, given)
  const retry = retrying(policy)
  const own = checkOptions(owner, options).fetch
  return (runner: RunnerLine.Runner): typeof fetch => {
    const ofRequests = Context.get(RunnerLine.contextOf(runner), CurrentOptions)
    // How requests of another `fetch` can be ended is unknown, so each attempt gets its own signal.
    const isDirect = own === undefined && ofRequests === undefined && isPlain(policy)
    const underlying = own === undefined ? globalFetch() : () => own
    return marked(async (input, init) => {
      const given = FetchInput.read(input, init)
      if (own === undefined) FetchInput.checkGlobal(given)
      const call = FetchCall.make(
        underlying(),
        given,
        (request) => isDirect && !Idempotency.wantsKey(policy.idempotency, request)
      )
      const { signal } = call
      signal?.throwIfAborted()
      const answer = call.isDirect ? await fineAnswer(policy, FetchCall.begin(call)) : undefined
      if (answer !== undefined) return answer
      const exit = await untilAborted(signal, (options) =>
        RunnerLine.runPromiseExit(runner, FetchCall.looped(call, retry), options)
      )
      if (Exit.isSuccess(exit)) return exit.value
      throw signal?.aborted === true ? signal.reason : rejection(exit.cause)
    })
  }
}

const mark = Symbol.for("@effect-retry/http/Fetch")

const marked = (retrying: typeof fetch): typeof fetch => Object.assign(retrying, { [mark]: mark })

/** A retrying `fetch` that replaces the global one must not send through itself. */
const globalFetch = (): (() => typeof fetch) => {
  const before = globalThis.fetch
  return () => (Predicate.hasProperty(globalThis.fetch, mark) ? before : globalThis.fetch)
}

/** A response that needs no judgement; the loop handles everything else. */
const fineAnswer = async ({ classifier }: Erased, first: Promise<Response>): Promise<Response | undefined> => {
  try {
    const response = await first
    if (HttpClassifier.isFine(classifier, response)) return response
  } catch {
    // The loop takes over with the outcome of this attempt.
  }
  return undefined
}

const checkOptions = (owner: string, options: Options = {}): Options => {
  if (!Predicate.isRecord(options)) return Argument.refuse(owner, "options", "a record", options)
  return options.fetch === undefined || Predicate.isFunction(options.fetch)
    ? options
    : Argument.refuse(owner, "fetch", "a function", options.fetch)
}

/**
 * A caller's signal can outlive any number of calls, so a dependent signal listens to it only during a call. The
 * runtime never removes its listener, so it gets the dependent signal, which is released.
 */
const untilAborted = async <A>(
  signal: AbortSignal | undefined,
  run: (options: { readonly signal?: AbortSignal }) => Promise<A>
): Promise<A> => {
  if (signal === undefined) return run({})
  signal.throwIfAborted()
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

const rejection = (cause: Cause.Cause<unknown>): unknown => {
  const error = Cause.squash(cause)
  if (!ClientLine.isRequestError(error)) return error
  const { cause: thrown } = error
  if (!Property.isError(thrown)) return thrown
  if (thrown instanceof AttemptTimeout.AttemptTimedOut || thrown instanceof Deadline.DeadlineExceeded) {
    return new DOMException(thrown.message, "TimeoutError")
  }
  return thrown instanceof Retry.AttemptRefused ? new TypeError("fetch failed", { cause: thrown }) : thrown
}
