/**
 * What an upload shows of answers and errors: none of their texts, because any of them may contain the address of the
 * session, in any spelling.
 */
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Property from "@effect-retry/core/unstable/Property"
import * as Untrusted from "@effect-retry/core/unstable/Untrusted"
import * as Causes from "@effect-retry/core/unstable/Causes"
import * as ClientLine from "@effect-retry/http/unstable/ClientLine"
import type * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"

type Request = HttpClientRequest.HttpClientRequest
type Response = HttpClientResponse.HttpClientResponse

/**
 * The headers of the answer to a start that its span does not show: all but those with known contents, because any may
 * contain the address.
 */
export const headersOfStart = /^(?!(?:cache-control|content-length|content-type|date|server|x-goog-api-client)$)/i

const secretHeaders: ReadonlyArray<string> = ["location", "content-location", "x-guploader-uploadid"]

/**
 * A response that has been read, as the answer to `request`. It has the headers that cannot contain an address, and the
 * server's body.
 */
export const response = (
  { headers, status }: Response,
  request: Request,
  body: Option.Option<Uint8Array> = Option.none()
): Response => {
  const telling = Object.entries(headers).flatMap(([name, value]) => (isPlain(value) ? [] : [name]))
  // A web response cannot have every status or every header.
  const web = new Response(Option.getOrElse(body, () => new Uint8Array(0)))
  return Object.create(HttpClientResponse.fromWeb(request, web), {
    headers: { value: ClientLine.withoutHeaders(headers, [...secretHeaders, ...telling]) },
    status: { value: status }
  })
}

/** Whether a text contains nothing that may be secret. */
const isPlain = (text: string): boolean => Untrusted.message(text) === text

/** The error or defect of a client, rebuilt from what may be shown of it. */
export const cause = (cause: Cause.Cause<unknown>, request: Request): Cause.Cause<unknown> =>
  Causes.mapped(cause, (failure) => error(failure, request))

const error = (given: unknown, request: Request): unknown => {
  if (ClientLine.isRequestError(given)) return ClientLine.about(given, { request, ...causeOf(given) })
  if (ClientLine.isResponseError(given)) {
    return ClientLine.about(given, { request, response: response(given.response, request), ...causeOf(given) })
  }
  if (typeof given === "string") return Untrusted.message(given)
  return Property.isObject(given) ? copyOf(given) : given
}

const nameless: Untrusted.Known = { messages: "none" }

const shown = (given: unknown): Untrusted.ShownError =>
  Untrusted.shown(Untrusted.ShownError.is(given) ? given.original : given, () => nameless)

const causeOf = (given: object): { readonly cause?: Untrusted.ShownError } => {
  const inner = Property.property(given, "cause")
  return inner === undefined || inner === null ? {} : { cause: shown(inner) }
}

/** How many properties of an error are read. */
const mostProperties = 32

/**
 * A copy of the client's own error: the same class, with its tag, its code, and the properties that are numbers, booleans or
 * durations. All others may contain an address.
 */
const copyOf = (given: object): unknown => {
  const { cause, code, errors, message, name, stack } = shown(given)
  const tag = Untrusted.name(Property.property(given, "_tag"))
  const plain = Property.keys(given, mostProperties)
    .map((key) => [key, Property.property(given, key)] as const)
    .filter(([key, value]) => Untrusted.name(key) !== undefined && isQuantity(value))
  const texts = { message, name: Untrusted.name(Property.property(given, "name")) ?? name, stack }
  const known = { ...(code !== undefined && { code }), ...(tag !== undefined && { _tag: tag }) }
  const inner = { ...(cause !== undefined && { cause }), ...(errors !== undefined && { errors }) }
  const copy: object = Object.create(prototypeOf(given), {
    ...described({ ...Object.fromEntries(plain), ...known, ...inner }, true),
    ...described(texts, false)
  })
  return Object.defineProperties(
    copy,
    described(Object.fromEntries(throwing(copy).map((name) => [name, undefined])), false)
  )
}

/** How many classes above that of an error are looked at. */
const mostClasses = 8

/**
 * The accessors of its class that throw on a copy, because they read private fields. Comparing causes on Effect 4 reads
 * all of an error.
 */
const throwing = (copy: object): ReadonlyArray<string> => {
  const found: Array<string> = []
  try {
    let from: object | null = Object.getPrototypeOf(copy)
    for (let depth = 0; from !== null && depth < mostClasses; depth++, from = Object.getPrototypeOf(from)) {
      for (const name of Object.getOwnPropertyNames(from)) if (!isReadable(copy, name)) found.push(name)
    }
  } catch {
    // A proxy in the place of a class.
  }
  return found
}

const isReadable = (copy: object, name: string): boolean => {
  try {
    void (copy as Readonly<Record<string, unknown>>)[name]
    return true
  } catch {
    return false
  }
}

const prototypeOf = (given: object): object => {
  try {
    return typeof given === "object" ? (Object.getPrototypeOf(given) as object) : Error.prototype
  } catch {
    return Error.prototype
  }
}

const isQuantity = (value: unknown): boolean =>
  typeof value === "number" || typeof value === "boolean" || (Property.isObject(value) && isDuration(value))

/** Asking a revoked proxy throws. */
const isDuration = (value: object): boolean => {
  try {
    return Duration.isDuration(value) && Object.getPrototypeOf(value) === Object.getPrototypeOf(Duration.zero)
  } catch {
    return false
  }
}

const described = (properties: object, enumerable: boolean): PropertyDescriptorMap =>
  Object.fromEntries(
    Object.entries(properties).map(([key, value]) => [key, { value, enumerable, configurable: true, writable: true }])
  )
