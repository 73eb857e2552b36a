/**
 * What errors of the transport look like, as Node 20.20 and undici 7.30 were seen to raise them on 2026-11-20, without
 * the stacks and the addresses.
 *
 * Not provoked but put together from the sources of Node and undici: `timedOutConnecting`, `unreachable`, `connectTimeout`,
 * `refusedUpgrade`, `timedOutNode`, `refusedEverywhere` and `tunnelRefused`.
 */

/** An error with these properties, whose own `name` is that of its class if it differs. */
export const fault = (message: string, own: { readonly [key: string]: unknown } = {}): Error =>
  Object.assign(new Error(message), own)

/** What `fetch` wraps around what happened. */
export const fetchFailed = (cause: unknown): Error => new TypeError("fetch failed", { cause })
export const terminated = (cause: unknown): Error => new TypeError("terminated", { cause })

export const refused = fault("connect ECONNREFUSED 127.0.0.1:9", {
  errno: -111,
  code: "ECONNREFUSED",
  syscall: "connect"
})
export const unknownHost = fault("getaddrinfo ENOTFOUND no-such-host.invalid", {
  errno: -3008,
  code: "ENOTFOUND",
  syscall: "getaddrinfo"
})
export const resetConnecting = fault("connect ECONNRESET 127.0.0.1:9", {
  errno: -104,
  code: "ECONNRESET",
  syscall: "connect"
})
export const timedOutConnecting = fault("connect ETIMEDOUT 127.0.0.1:9", {
  errno: -110,
  code: "ETIMEDOUT",
  syscall: "connect"
})
export const reset = fault("read ECONNRESET", { errno: -104, code: "ECONNRESET", syscall: "read" })
export const unreachable = fault("read EHOSTUNREACH", { errno: -113, code: "EHOSTUNREACH", syscall: "read" })
export const hangUp = fault("socket hang up", { code: "ECONNRESET" })
export const halfResponse = fault("aborted", { code: "ECONNRESET" })
export const closedBeforeSecure = fault(
  "Client network socket disconnected before secure TLS connection was established",
  { code: "ECONNRESET", path: undefined, host: "127.0.0.1", port: 9 }
)
export const otherSideClosed = fault("other side closed", { name: "SocketError", code: "UND_ERR_SOCKET" })
export const headersTimeout = fault("Headers Timeout Error", {
  name: "HeadersTimeoutError",
  code: "UND_ERR_HEADERS_TIMEOUT"
})
export const bodyTimeout = fault("Body Timeout Error", { name: "BodyTimeoutError", code: "UND_ERR_BODY_TIMEOUT" })
export const connectTimeout = fault("Connect Timeout Error (attempted address: 127.0.0.1:9, timeout: 300ms)", {
  name: "ConnectTimeoutError",
  code: "UND_ERR_CONNECT_TIMEOUT"
})
export const noHttp = fault("Parse Error: Expected HTTP/, RTSP/ or ICE/", { code: "HPE_INVALID_CONSTANT" })
export const noHttpUndici = fault("Response does not match the HTTP/1.1 protocol (Expected HTTP/, RTSP/ or ICE/)", {
  name: "HTTPParserError",
  code: undefined
})
export const headersOverflow = fault("Headers Overflow Error", {
  name: "HeadersOverflowError",
  code: "UND_ERR_HEADERS_OVERFLOW"
})
export const selfSigned = fault("self-signed certificate", { code: "DEPTH_ZERO_SELF_SIGNED_CERT" })
export const otherHost = fault("Hostname/IP does not match certificate's altnames: IP: 127.0.0.1 is not in the list", {
  code: "ERR_TLS_CERT_ALTNAME_INVALID"
})
export const noTls = fault("write EPROTO 807C:error:0A00010B:SSL routines:ssl3_get_record:wrong version number", {
  errno: -71,
  code: "EPROTO",
  syscall: "write"
})
export const noTlsUndici = fault("807C:error:0A00010B:SSL routines:ssl3_get_record:wrong version number", {
  code: "ERR_SSL_WRONG_VERSION_NUMBER",
  reason: "wrong version number"
})
export const refusedStream = fault("Stream closed with error code NGHTTP2_REFUSED_STREAM", {
  code: "ERR_HTTP2_STREAM_ERROR"
})
export const calmStream = fault("Stream closed with error code NGHTTP2_ENHANCE_YOUR_CALM", {
  code: "ERR_HTTP2_STREAM_ERROR"
})
export const brokenStream = fault("Stream closed with error code NGHTTP2_INTERNAL_ERROR", {
  code: "ERR_HTTP2_STREAM_ERROR"
})
export const newProtocolStream = fault("Stream closed with error code NGHTTP2_HTTP_1_1_REQUIRED", {
  code: "ERR_HTTP2_STREAM_ERROR"
})
export const calmSession = fault("Session closed with error code 11", { code: "ERR_HTTP2_SESSION_ERROR" })
/** As newer versions of Node write it. */
export const calmSessionByName = fault("Session closed with error code NGHTTP2_ENHANCE_YOUR_CALM", {
  code: "ERR_HTTP2_SESSION_ERROR"
})
export const calmGoAway = fault('HTTP/2: "GOAWAY" frame received with code 11', {
  name: "SocketError",
  code: "UND_ERR_SOCKET"
})
export const refusedUpgrade = fault('HTTP/2: "stream error" received - code 7', {
  name: "InformationalError",
  code: "UND_ERR_INFO"
})
export const halfStream = fault("HTTP/2: stream closed before the response was complete", {
  name: "InformationalError",
  code: "UND_ERR_INFO"
})
export const goAway = fault('HTTP/2: "GOAWAY" frame received with code 0', {
  name: "SocketError",
  code: "UND_ERR_SOCKET"
})
export const abortedFetch = new DOMException("This operation was aborted", "AbortError")
export const timedOutFetch = new DOMException("The operation was aborted due to timeout", "TimeoutError")
export const abortedNode = Object.assign(new Error("The operation was aborted", { cause: abortedFetch }), {
  name: "AbortError",
  code: "ABORT_ERR"
})
export const timedOutNode = Object.assign(new Error("The operation was aborted", { cause: timedOutFetch }), {
  name: "AbortError",
  code: "ABORT_ERR"
})
/** Of a host with several addresses: Node tries them all, and the aggregate itself names no system call. */
export const refusedEverywhere = Object.assign(
  new AggregateError([refused, fault("connect ECONNREFUSED ::1:9", { code: "ECONNREFUSED", syscall: "connect" })]),
  { code: "ECONNREFUSED" }
)

/** What `fetch` of undici wraps around what its dispatcher calls an abort. */
const cancelledFetch = (cause: unknown): Error =>
  fetchFailed(Object.assign(new DOMException("Request was cancelled.", "AbortError"), { cause }))

/** A proxy answered CONNECT with another status than 200. */
export const proxyRefused = (status: number): Error =>
  cancelledFetch(
    fault(`Proxy response (${status}) !== 200 when HTTP Tunneling`, { name: "AbortError", code: "UND_ERR_ABORTED" })
  )

/** The same in Node 24, which has proxies of its own; without a status if the connection to the proxy ended. */
export const tunnelRefused = (statusCode: number | undefined): Error =>
  fault("Failed to establish tunnel", { code: "ERR_PROXY_TUNNEL", ...(statusCode !== undefined && { statusCode }) })

/** Errors that do their worst when they are read. */
export const hostile = {
  cycle: ((): Error => {
    const first = fault("first")
    first.cause = fault("second", { cause: first })
    return first
  })(),
  itself: ((): Error => {
    const error = fault("itself")
    return Object.assign(error, { cause: error, errors: [error, error] })
  })(),
  throwing: Object.defineProperties(
    {},
    Object.fromEntries(
      ["code", "name", "message", "cause", "errors", "syscall", "_tag", "reason", "status"].map((key) => [
        key,
        {
          get: () => {
            throw new Error(`${key} was read`)
          }
        }
      ])
    )
  ),
  proxy: new Proxy(
    {},
    {
      get: () => {
        throw new Error("it was read")
      },
      has: () => {
        throw new Error("it was asked")
      },
      getPrototypeOf: () => {
        throw new Error("its class was asked for")
      }
    }
  ),
  revoked: ((): object => {
    const { proxy, revoke } = Proxy.revocable([], {})
    revoke()
    return { errors: proxy, cause: proxy }
  })(),
  endless: ((): object => {
    const deeper = (): object => ({
      code: "E",
      get cause(): object {
        return deeper()
      }
    })
    return deeper()
  })(),
  branching: ((): object => {
    const wider = (): object => ({
      get errors(): ReadonlyArray<object> {
        return [wider(), wider(), wider()]
      }
    })
    return wider()
  })(),
  wide: { errors: Array.from({ length: 1e5 }, () => ({ code: "E" })) },
  longCode: { code: "E".repeat(1e6), name: "N".repeat(1e6), message: "M".repeat(1e6) },
  numbers: { code: 7, name: 7, message: 7, cause: 7, errors: 7, syscall: 7 },
  inherited: { code: "toString", name: "__proto__", cause: { code: "constructor", name: "hasOwnProperty" } },
  callable: Object.assign(() => "code", { cause: () => "cause" })
} as const
