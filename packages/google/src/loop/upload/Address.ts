/**
 * The address of an upload session. It is enough to write the object, and so it is shown nowhere.
 */
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as UrlParams from "@effect/platform/UrlParams"
import * as Either from "effect/Either"

type Request = HttpClientRequest.HttpClientRequest

/** Browsers and servers refuse longer ones; those of the service have about 300 characters. */
const longest = 8192

/**
 * The address in a `Location`; `undefined` where there is none of the same origin: what a client adds to its requests, such
 * as a token, is for that origin alone.
 */
export const fromLocation = (location: string | undefined, request: Request): string | undefined => {
  const base = urlOf(request)
  if (location === undefined || location.trim() === "" || base === undefined) return undefined
  const url = parsed(location, base)
  return url?.origin === base.origin ? url.href : undefined
}

/** An address that was kept; `undefined` where it is none of the origin of `start`, as with a `Location`. */
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

/** The same address without what makes it a secret: of the path, only that of `start` is known to be none. */
export const shown = (address: string | undefined, start: Request): string => {
  const started = urlOf(start)
  const url = address === undefined ? started : new URL(address)
  if (url === undefined) return start.url
  const path = url.pathname === started?.pathname ? url.pathname : "/REDACTED"
  return `${url.origin}${path}?uploadType=resumable&upload_id=REDACTED`
}
