/**
 * What a call of `fetch` is given: a URL or a `Request`, of whatever class, and what is said beside it.
 */
import { HttpBody, HttpClientRequest } from "@effect/platform"
import { Predicate } from "effect"
import { property } from "../classify/Transport.ts"

/**
 * @category models
 */
export type Input = Parameters<typeof globalThis.fetch>[0]

/**
 * @category models
 */
export type Init = NonNullable<Parameters<typeof globalThis.fetch>[1]>

/**
 * Whether it is a `Request`: by its properties, since undici and node-fetch have classes of their own.
 *
 * @category guards
 */
export const isRequest = (input: unknown): input is Request =>
  typeof property(input, "url") === "string" &&
  typeof property(input, "method") === "string" &&
  Predicate.isFunction(property(input, "clone"))

/**
 * What the request is judged by; it is sent as it was given. `undefined` where it cannot be a request.
 *
 * @category conversions
 */
export const request = (input: Input, init: Init | undefined): HttpClientRequest.HttpClientRequest | undefined => {
  const given = isRequest(input) ? input : undefined
  if (given?.bodyUsed === true) return undefined
  try {
    const method = (init?.method ?? given?.method ?? "GET").toUpperCase()
    const body = init?.body ?? bodyOf(given)
    return HttpClientRequest.make(method as "GET")(given?.url ?? String(input), {
      headers: Object.fromEntries(new Headers(init?.headers ?? given?.headers)),
      ...(body != null && { body: HttpBody.raw(body) })
    })
  } catch {
    return undefined
  }
}

/** A body that is cloned for every attempt needs no judgement. */
const bodyOf = (given: Request | undefined): unknown => (isCloned(given) ? undefined : given?.body)

/** A clone of a stream of Node waits for the other one to be read. */
const isCloned = (given: Request | undefined): boolean => Predicate.isFunction(property(given?.body, "getReader"))

/**
 * What a call was given, in a form that the caller cannot change during a wait: `fetch`, too, copies at the call.
 *
 * The headers are those of the request that is judged.
 *
 * @category conversions
 */
export const copied = (
  input: Input,
  init: Init | undefined,
  { headers }: HttpClientRequest.HttpClientRequest
): { readonly input: Input; readonly init: Init } => ({
  input: isRequest(input) ? input : String(input),
  init: {
    ...init,
    ...((isRequest(input) || init?.headers !== undefined) && { headers }),
    ...(init?.body != null && { body: copiedBody(init.body) })
  }
})

type Body = NonNullable<Init["body"]>

/** What can be sent again, and changed: a `Blob` cannot be, and a stream is sent once. */
const copiedBody = (body: Body): Body => {
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice()
  if (body instanceof ArrayBuffer) return body.slice(0)
  if (body instanceof URLSearchParams) return new URLSearchParams(body)
  if (!(body instanceof FormData)) return body
  const copy = new FormData()
  for (const [name, value] of body) copy.append(name, value)
  return copy
}

/**
 * What one attempt sends: a `Request` stays unread.
 *
 * @category conversions
 */
export const ofAttempt = (input: Input): Input => (isRequest(input) && isCloned(input) ? input.clone() : input)

/**
 * The signal of a call: `null` takes that of a `Request` away.
 *
 * @category destructors
 */
export const signal = (input: Input, init: Init | undefined): AbortSignal | undefined => {
  const given = (init?.signal !== undefined ? init.signal : isRequest(input) ? input.signal : undefined) ?? undefined
  if (given === undefined || given instanceof AbortSignal) return given
  throw new TypeError("the signal of a request must be an AbortSignal")
}
