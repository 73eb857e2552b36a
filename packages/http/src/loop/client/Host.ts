/**
 * The host that a request goes to, by which buckets and rate limiters of a client are keyed.
 *
 * To parse a URL takes microseconds, and most requests go where the one before went.
 */
import type { HttpClientRequest } from "@effect/platform/HttpClientRequest"
import { urlOf } from "../../decide/Redirect.ts"

/** The part of a URL that its host depends on. A URL ignores tabs and line breaks, so one that has them is parsed. */
const authority = /^https?:\/\/[^/\\?#\s]+(?=[/\\?#]|$)/i

/** Makes a function from a request to its host, `""` where its URL is none. It remembers the latest host. */
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

/** Whether the authority of a URL is this one, which takes less than to find out which one it is. */
const beginsWith = (url: string, known: string): boolean =>
  url.startsWith(known) && (url.length === known.length || "/\\?#".includes(url.charAt(known.length)))

const hostOf = (request: HttpClientRequest): string => urlOf(request)?.host ?? ""
