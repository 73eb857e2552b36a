/**
 * The host of a request, the key of a client's buckets and rate limiters.
 *
 * Parsing a URL takes microseconds, and most requests go to the same host as the one before.
 */
import type { HttpClientRequest } from "@effect/platform/HttpClientRequest"
import { urlOf } from "../../classify/ClientLine.ts"

/** The part of a URL that determines its host. URLs ignore tabs and line breaks, so a URL that contains them is parsed. */
const authority = /^https?:\/\/[^/\\?#\s]+(?=[/\\?#]|$)/i

/** Makes a function from a request to its host, `""` if its URL is not valid. It remembers the latest host. */
export const makeReader = (): ((request: HttpClientRequest) => string) => {
  let latest: { readonly authority: string; readonly host: string } | undefined
  return (request) => {
    if (latest !== undefined && beginsWith(request.url, latest.authority)) return latest.host
    const [own] = authority.exec(request.url) ?? []
    if (own === undefined) return hostOf(request)
    latest = { authority: own, host: hostOf(request) }
    return latest.host
  }
}

/** Whether a URL has this authority, which is faster than extracting it. */
const beginsWith = (url: string, known: string): boolean =>
  url.startsWith(known) && (url.length === known.length || "/\\?#".includes(url.charAt(known.length)))

const hostOf = (request: HttpClientRequest): string => urlOf(request)?.host ?? ""
