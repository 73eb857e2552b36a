/**
 * What an upload shows of answers and errors: all of it that does not show the address of the session.
 */
import * as Headers from "@effect/platform/Headers"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Cause from "effect/Cause"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"

type Request = HttpClientRequest.HttpClientRequest
type Response = HttpClientResponse.HttpClientResponse

/**
 * An address, and the request that is shown in the place of those to it.
 *
 * @category models
 */
export interface Hidden {
  /** `undefined` where there is no session. */
  readonly address: string | undefined
  readonly shown: Request
}

/** Shorter parts of an address are words, and not secrets. */
const shortestPart = 8

const secretsIn = ({ address, shown }: Hidden): ReadonlyArray<string> => {
  if (address === undefined) return []
  const { pathname, search, searchParams } = new URL(address)
  const isPathShown = new URL(shown.url).pathname === pathname
  const id = searchParams.get("upload_id") ?? undefined
  const values = id === undefined ? [...searchParams.values()] : []
  const parts = [...(isPathShown ? [] : [pathname, ...pathname.split("/")]), ...values]
    .filter((part) => part.length >= shortestPart && part !== "resumable")
    .concat(search === "" ? [] : [`${pathname}${search}`], id === undefined ? [] : [id, encodeURIComponent(id)])
  return [address, ...parts, ...[address, ...parts].map(encodeURIComponent)]
    .filter((secret) => secret.length > 1)
    .toSorted((one, other) => other.length - one.length)
}

const shows = (text: unknown, secrets: ReadonlyArray<string>): boolean =>
  typeof text === "string" && secrets.some((secret) => text.includes(secret))

const without = (text: string, secrets: ReadonlyArray<string>): string =>
  secrets.reduce((text, secret) => text.replaceAll(secret, "REDACTED"), text)

/**
 * Headers of the answer to a start that its span does not show: all but those of a known content, as the address may be in
 * any.
 *
 * @category models
 */
export const headersOfStart = /^(?!(?:cache-control|content-length|content-type|date|server|x-goog-api-client)$)/i

const secretHeaders: ReadonlyArray<string> = ["location", "content-location", "x-guploader-uploadid"]

/**
 * A response that has been read, without the headers that show the address. Its body is what the server wrote.
 *
 * @category conversions
 */
export const readResponse = (
  { headers, status }: Response,
  hidden: Hidden,
  body: Option.Option<Uint8Array>
): Response => {
  const secrets = secretsIn(hidden)
  const telling = Object.entries(headers).flatMap(([name, value]) => (shows(value, secrets) ? [name] : []))
  // A web response cannot have every status, nor every header.
  const web = new Response(Option.getOrElse(body, () => new Uint8Array(0)))
  return Object.create(HttpClientResponse.fromWeb(hidden.shown, web), {
    headers: { value: Headers.remove(headers, [...secretHeaders, ...telling]) },
    status: { value: status }
  })
}

/**
 * What a client failed with, or died of, without the address.
 *
 * @category conversions
 */
export const safeCause = (cause: Cause.Cause<unknown>, hidden: Hidden): Cause.Cause<unknown> =>
  Cause.match<Cause.Cause<unknown>, unknown>(cause, {
    onEmpty: Cause.empty,
    onFail: (error) => Cause.fail(safeError(error, hidden)),
    onDie: (defect) => Cause.die(safeError(defect, hidden)),
    onInterrupt: (fiber) => Cause.interrupt(fiber),
    onSequential: Cause.sequential,
    onParallel: Cause.parallel
  })

/**
 * An error that is not of the platform keeps its class and those of its properties that do not show the address: one that
 * keeps it where no property shows it, such as in a private field, is not seen through.
 */
const safeError = (error: unknown, hidden: Hidden): unknown => {
  const secrets = secretsIn(hidden)
  if (Predicate.isString(error)) return without(error, secrets)
  return safePlatformError(error, hidden) ?? (isTelling(error, secrets) ? copyOf(error as object, hidden) : error)
}

const safePlatformError = (error: unknown, hidden: Hidden): HttpClientError.HttpClientError | undefined => {
  const request = hidden.shown
  if (error instanceof HttpClientError.RequestError) {
    return new HttpClientError.RequestError({ request, reason: error.reason, ...told(error, hidden) })
  }
  if (error instanceof HttpClientError.ResponseError) {
    const response = readResponse(error.response, hidden, Option.none())
    return new HttpClientError.ResponseError({ request, response, reason: error.reason, ...told(error, hidden) })
  }
  return undefined
}

const told = ({ cause, description }: HttpClientError.HttpClientError, hidden: Hidden) => {
  const secrets = secretsIn(hidden)
  return {
    cause: safeObject(cause, secrets),
    ...(description !== undefined && !shows(description, secrets) && { description })
  }
}

const copyOf = (error: object, hidden: Hidden): object => {
  const properties = Reflect.ownKeys(error).map((key) => {
    const enumerable = Object.getOwnPropertyDescriptor(error, key)?.enumerable === true
    const value = safePart(propertyOf(error, key), hidden)
    return [key, { value, enumerable, configurable: true, writable: true }] as const
  })
  return Object.create(Object.getPrototypeOf(error), Object.fromEntries(properties))
}

const safePart = (part: unknown, hidden: Hidden): unknown => {
  const secrets = secretsIn(hidden)
  if (Predicate.isString(part)) return without(part, secrets)
  if (!isTelling(part, secrets)) return part
  if (Predicate.hasProperty(part, HttpClientRequest.TypeId)) return hidden.shown
  if (Predicate.hasProperty(part, HttpClientResponse.TypeId))
    return readResponse(part as Response, hidden, Option.none())
  return safePlatformError(part, hidden) ?? safeObject(part, secrets)
}

/** What the classifier goes by is kept: its code and its name. */
const safeObject = (cause: unknown, secrets: ReadonlyArray<string>): unknown => {
  if (!isTelling(cause, secrets)) return cause
  const texts = ["code", "name"].map((key) => [key, propertyOf(cause, key)] as const)
  return Object.assign(
    new Error("not shown: the address of the session was in it"),
    Object.fromEntries(texts.filter(([, text]) => typeof text === "string" && !shows(text, secrets)))
  )
}

/** What refers to more objects is not looked through, and left out. */
const mostObjects = 1000

/** Also where no property of its own tells it, as in an error and in a URL. */
const inherited = ["message", "stack", "url", "href"]

const isTelling = (cause: unknown, secrets: ReadonlyArray<string>): boolean => {
  const found = new Set<unknown>([cause])
  for (const value of found) {
    if (shows(value, secrets) || found.size > mostObjects) return true
    if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) continue
    for (const key of [...Reflect.ownKeys(value), ...inherited]) found.add(propertyOf(value, key))
    if (value instanceof Map || value instanceof Set || value instanceof globalThis.Headers) found.add([...value])
  }
  return false
}

const propertyOf = (value: unknown, key: PropertyKey): unknown => {
  try {
    return Reflect.get(value as object, key)
  } catch {
    return undefined
  }
}
