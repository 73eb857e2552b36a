/**
 * The address of an upload session. The address alone suffices to write the object, so it is never shown.
 */
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { urlOf } from "@effect-retry/http/unstable/ClientLine"

type Request = HttpClientRequest.HttpClientRequest

/** Browsers and servers refuse longer addresses; those of the service have about 300 characters. */
const longest = 8192

/**
 * The address in a `Location`; `undefined` if there is none with the same origin, because credentials that a client
 * adds to its requests are meant only for that origin.
 */
export const fromLocation = (location: string | undefined, request: Request): string | undefined => {
  const base = urlOf(request)
  if (location === undefined || location.trim() === "" || base === undefined) return undefined
  const url = parsed(location, base)
  return url?.origin === base.origin ? url.href : undefined
}

/** A kept address; `undefined` if it does not have the origin of `start`, as for a `Location`. */
export const fromKept = (kept: string, start: Request): string | undefined => {
  const url = parsed(kept)
  return url !== undefined && url.origin === urlOf(start)?.origin ? url.href : undefined
}

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

/** The same address without its secret parts: only the path of `start` is known not to be secret. */
export const shown = (address: string | undefined, start: Request): string => {
  const started = urlOf(start)
  const url = address === undefined ? started : new URL(address)
  if (url === undefined) return start.url
  const path = url.pathname === started?.pathname ? url.pathname : "/REDACTED"
  return `${url.origin}${path}?uploadType=resumable&upload_id=REDACTED`
}
