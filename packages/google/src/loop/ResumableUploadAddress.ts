/**
 * The address of an upload session. It is enough to write the object, and so it is shown nowhere.
 */
import { Headers, HttpClientError, HttpClientResponse, UrlParams } from "@effect/platform"
import type { HttpClientRequest } from "@effect/platform"
import { Either, Option } from "effect"

type Request = HttpClientRequest.HttpClientRequest
type Response = HttpClientResponse.HttpClientResponse

/** Browsers and servers refuse longer ones; those of the service have about 300 characters. */
const longest = 8192

/**
 * The address in a `Location`; `undefined` where there is none of the same origin: what a client adds to its requests, such
 * as a token, is for that origin alone.
 *
 * @category constructors
 */
export const fromLocation = (location: string | undefined, request: Request): string | undefined => {
  const base = urlOf(request)
  if (location === undefined || location.trim() === "" || base === undefined) return undefined
  const url = parsed(location, base)
  return url?.origin === base.origin ? url.href : undefined
}

/**
 * An address that was kept; `undefined` where it is none of the origin of `start`, as with a `Location`.
 *
 * @category constructors
 */
export const fromKept = (kept: string, start: Request): string | undefined => {
  const url = parsed(kept)
  return url !== undefined && url.origin === urlOf(start)?.origin ? url.href : undefined
}

const urlOf = ({ hash, url, urlParams }: Request): URL | undefined =>
  Either.getOrUndefined(UrlParams.makeUrl(url, urlParams, hash))

const parsed = (text: string, base?: URL): URL | undefined => {
  if (text.length > longest) return undefined
  try {
    const url = new URL(text, base)
    const isPlain = /^https?:$/.test(url.protocol) && url.username === "" && url.password === ""
    return isPlain ? url : undefined
  } catch {
    return undefined
  }
}

/**
 * The same address without what makes it a secret.
 *
 * @category conversions
 */
export const shown = (address: string): string => {
  const { origin, pathname } = new URL(address)
  return `${origin}${pathname}?uploadType=resumable&upload_id=REDACTED`
}

/**
 * Headers of an answer that show the address, or what makes it a secret.
 *
 * @category models
 */
export const secretHeaders: ReadonlyArray<string> = ["location", "content-location", "x-guploader-uploadid"]

/**
 * A response that has been read, to `request`, which does not show the address.
 *
 * @category conversions
 */
export const readResponse = (
  { headers, status }: Response,
  request: Request,
  body: Option.Option<Uint8Array>
): Response => {
  // A web response cannot have every status, nor every header.
  const web = new Response(Option.getOrElse(body, () => new Uint8Array(0)))
  return Object.create(HttpClientResponse.fromWeb(request, web), {
    headers: { value: Headers.remove(headers, secretHeaders) },
    status: { value: status }
  })
}

/**
 * An error of a client without the address; an error that is not of the platform is left as it is.
 *
 * @category conversions
 */
export const safeError = (error: unknown, address: string, request: Request): unknown => {
  if (error instanceof HttpClientError.RequestError) {
    const { cause, description, reason } = error
    return new HttpClientError.RequestError({ request, reason, ...told({ cause, description }, address) })
  }
  if (error instanceof HttpClientError.ResponseError) {
    const { cause, description, reason } = error
    const response = readResponse(error.response, request, Option.none())
    return new HttpClientError.ResponseError({ request, response, reason, ...told({ cause, description }, address) })
  }
  return error
}

const told = (
  { cause, description }: { readonly cause?: unknown; readonly description?: string | undefined },
  address: string
) => ({
  cause: safeCause(cause, secretsIn(address)),
  ...(description !== undefined && !shows(description, secretsIn(address)) && { description })
})

const secretsIn = (address: string): ReadonlyArray<string> => {
  const { pathname, search, searchParams } = new URL(address)
  const id = searchParams.get("upload_id") ?? ""
  return [address, `${pathname}${search}`, id].filter((secret) => secret.length > 1)
}

const shows = (text: unknown, secrets: ReadonlyArray<string>): boolean =>
  typeof text === "string" && secrets.some((secret) => text.includes(secret))

/** A cause is what the classifier goes by, and kept where nothing in it shows the address. */
const safeCause = (cause: unknown, secrets: ReadonlyArray<string>): unknown => {
  if (!isTelling(cause, secrets)) return cause
  const texts = ["code", "name"].map((key) => [key, propertyOf(cause, key)] as const)
  return Object.assign(
    new Error("not shown: the address of the session was in it"),
    Object.fromEntries(texts.filter(([, text]) => typeof text === "string" && !shows(text, secrets)))
  )
}

/** What refers to more objects is not looked through, and left out. */
const mostObjects = 1000

const isTelling = (cause: unknown, secrets: ReadonlyArray<string>): boolean => {
  const found = new Set<unknown>([cause])
  for (const value of found) {
    if (shows(value, secrets) || found.size > mostObjects) return true
    if (typeof value !== "object" || value === null) continue
    for (const key of [...Reflect.ownKeys(value), "message", "stack"]) found.add(propertyOf(value, key))
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
