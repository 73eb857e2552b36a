/**
 * The host that a request goes to, by which buckets and rate limiters of a client are keyed.
 *
 * To parse a URL takes microseconds, and most requests go where the one before went.
 */
import type { HttpClientRequest } from "@effect/platform/HttpClientRequest"
import { urlOf } from "../decide/Redirect.ts"

/** The part of a URL that its host depends on. A URL ignores tabs and line breaks, so one that has them is parsed. */
const authority = /^https?:\/\/[^/\\?#\s]+(?=[/\\?#]|$)/i

/**
 * Makes a function from a request to its host, `""` where its URL is none. It remembers the latest host.
 *
 * @category constructors
 */
export const makeReader = (): ((request: HttpClientRequest) => string) => {
  let latest: { readonly authority: string; readonly host: string } | undefined
  return (request) => {
    const [own] = authority.exec(request.url) ?? []
    if (own === undefined) return hostOf(request)
    if (own !== latest?.authority) latest = { authority: own, host: hostOf(request) }
    return latest.host
  }
}

const hostOf = (request: HttpClientRequest): string => urlOf(request)?.host ?? ""
