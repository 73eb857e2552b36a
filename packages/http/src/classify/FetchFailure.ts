/**
 * Failures of `fetch` without a code: finds those whose reason is the request or the program, and which would happen again.
 */

/**
 * Messages of `fetch` for network failures, in browsers, Node, Deno, Bun and workers.
 *
 * Source: https://github.com/sindresorhus/is-network-error, 1.3.2, index.js, read 2026-11-22.
 */
const ofNetwork: ReadonlyArray<string> = [
  " A network error occurred.",
  "Failed to fetch",
  "Load failed",
  "Network connection lost",
  "Network request failed",
  "NetworkError when attempting to fetch resource.",
  "The Internet connection appears to be offline.",
  "fetch failed",
  "network error",
  "terminated"
]

/** The same, followed by a host or a URL. */
const ofNetworkAtStart: ReadonlyArray<string> = ["Failed to fetch (", "Load failed (", "error sending request for url"]

/** Messages for requests that undici itself refuses. Source: `undici` 7.30.2, lib/web/fetch/index.js, read 2026-11-24. */
const refusals: ReadonlyArray<string> = [
  "Range start is greater than the blob's size.",
  'URL cannot contain credentials for request mode "cors"',
  "URL scheme must be a HTTP(S) scheme",
  "about scheme is not supported",
  "bad port",
  "blocked",
  "cors failure",
  'cross origin not allowed for request mode "cors"',
  "failed to fetch the data URL",
  "integrity mismatch",
  "invalid method",
  "local URLs only",
  // A `file:` URL.
  "not implemented... yet...",
  "only if cached",
  "proxy authentication required",
  "redirect count exceeded",
  'redirect mode cannot be "follow" for "no-cors" request',
  'request mode cannot be "same-origin"',
  "unexpected redirect",
  "unknown scheme"
]

/** The message of the error that undici's `fetch` wraps around every reason. */
const wrapper = "fetch failed"

/**
 * Why another attempt would fail in the same way, in words; `undefined` if it may succeed. `outer` is the message of
 * the error that has this one as its cause.
 *
 * A `TypeError` is a bug, or a request that cannot be made, unless its message is one that `fetch` uses for the network. If
 * undici refuses without a reason, the message of the cause is empty: status 407, a stream that would have to be sent again
 * after a redirect, a digest for a response without a body.
 */
export const whyLasting = (
  name: string | undefined,
  message: string | undefined,
  outer?: string
): string | undefined => {
  if (message === undefined) return undefined
  if (refusals.includes(message)) return `refused by fetch: ${message}`
  if (message === "" && name === "Error" && outer === wrapper) return "refused by fetch, without a reason"
  const isLasting = name === "TypeError" && !isOfNetwork(message)
  return isLasting ? "a TypeError that does not come from the network" : undefined
}

const isOfNetwork = (message: string): boolean =>
  ofNetwork.includes(message) || ofNetworkAtStart.some((start) => message.startsWith(start))
