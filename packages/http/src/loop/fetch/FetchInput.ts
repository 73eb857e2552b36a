/**
 * The arguments of `fetch`: a URL or a `Request` of any class, and a `RequestInit`.
 */
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Predicate from "effect/Predicate"
import { property } from "@effect-retry/core/unstable/Property"
import * as FetchInit from "./FetchInit.ts"
import type { Init } from "./FetchInit.ts"

export type Input = Parameters<typeof globalThis.fetch>[0]

/** The arguments of a call, which are read once. */
export interface Given {
  readonly input: string | Request
  readonly init: Init
}

/**
 * Reads the arguments of a call. Throws if reading them throws, or if the second argument cannot be a `RequestInit`.
 */
export const read = (input: Input, init: unknown): Given => ({
  input: isRequest(input) ? input : String(input),
  init: FetchInit.read(init)
})

/** Whether a value is a `Request`, by its properties, because undici and node-fetch have their own classes. */
export const isRequest = (input: unknown): input is Request =>
  typeof property(input, "url") === "string" &&
  typeof property(input, "method") === "string" &&
  Predicate.isFunction(property(input, "clone"))

/**
 * Throws a `TypeError` if the global `fetch` would not recognise its arguments: it would take "[object Request]" for a
 * URL, and send "[object FormData]".
 */
export const checkGlobal = ({ init, input }: Given): void => {
  if (isRequest(input) && !(input instanceof globalThis.Request)) {
    throw new TypeError("the global fetch takes no Request of another class: name the fetch that does, as an option")
  }
  const body: unknown = init.body
  if (!isSendable(body)) {
    throw new TypeError(`the global fetch cannot send a body of this class: ${String(body)}`)
  }
}

/** Whether a body can be sent, by its properties: the `fetch` of Node.js recognises blobs and forms of other classes. */
const isSendable = (body: unknown): boolean =>
  !Predicate.isObject(body) ||
  ArrayBuffer.isView(body) ||
  isBuffer(body) ||
  [Symbol.asyncIterator, "arrayBuffer", "getAll", "getReader"].some((name) =>
    Predicate.isFunction(property(body, name))
  ) ||
  !String(body).startsWith(unnamed)

/** By tag and not by constructor, because each realm has its own constructors. */
const isBuffer = (body: unknown): body is ArrayBuffer =>
  Object.prototype.toString.call(body) === `${unnamed}ArrayBuffer]`

/** The start of the default string of an object. */
const unnamed = "[object "

/** The request as the policy sees it; it is sent as it was given. Throws a `TypeError` if the arguments do not form a request. */
export const request = ({ init, input }: Given): HttpClientRequest.HttpClientRequest => {
  const given = isRequest(input) ? input : undefined
  const url = isRequest(input) ? input.url : input
  if (url.startsWith(unnamed)) throw new TypeError(`fetch takes a URL or a Request, got ${url}`)
  if (given?.bodyUsed === true && init.body == null)
    throw new TypeError("the body of the Request has been read already")
  const method = String(init.method ?? given?.method ?? "GET").toUpperCase()
  const body = init.body ?? bodyOf(given)
  const headers = headersOf(init.headers === undefined ? given?.headers : init.headers)
  return HttpClientRequest.make(method as "GET")(url, {
    headers,
    ...(body != null && { body: HttpBody.raw(body, { contentType: headers["content-type"] }) })
  })
}

/** Checks and joins headers with `Headers`, unless they are one already. */
const headersOf = (given: Init["headers"]): { readonly [name: string]: string } =>
  given === undefined ? {} : Object.fromEntries(given instanceof Headers ? given : new Headers(given))

/** A body that is cloned for every attempt needs no judgement. */
const bodyOf = (given: Request | undefined): unknown => (isCloned(given) ? undefined : given?.body)

/** Whether the body can be cloned: a clone of a Node stream waits until the other one is read. */
const isCloned = (given: Request | undefined): boolean => Predicate.isFunction(property(given?.body, "getReader"))

/**
 * The arguments in a form that the caller cannot change during a wait; `fetch` itself also copies them at the call. Only the
 * headers of a `Request` can still be changed.
 *
 * The headers are those of the request that is judged.
 */
export const copied = ({ init, input }: Given, { headers }: HttpClientRequest.HttpClientRequest): Given => ({
  input,
  init: {
    ...init,
    ...(init.headers !== undefined && { headers }),
    ...(init.body != null && { body: copiedBody(init.body) })
  }
})

type Body = NonNullable<Init["body"]>

/** Copies a body that can be both sent again and changed: a `Blob` cannot change, and a stream is sent once. */
const copiedBody = (body: Body): Body => {
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice()
  if (isBuffer(body)) return body.slice(0)
  if (body instanceof URLSearchParams) return new URLSearchParams(body)
  if (!(body instanceof FormData)) return body
  const copy = new FormData()
  for (const [name, value] of body) copy.append(name, value)
  return copy
}

/** The first argument of one attempt: a `Request` stays unread, even if another body is sent. */
export const ofAttempt = (input: Given["input"], init: Init): Given["input"] =>
  isRequest(input) && isCloned(input) && init.body == null ? input.clone() : input

/** The signal of a call; `null` removes that of a `Request`. */
export const signal = ({ init, input }: Given): AbortSignal | undefined => {
  const given = (init.signal !== undefined ? init.signal : isRequest(input) ? input.signal : undefined) ?? undefined
  if (given === undefined || given instanceof AbortSignal) return given
  throw new TypeError("the signal of a request must be an AbortSignal")
}
