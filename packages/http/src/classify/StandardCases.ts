/**
 * The default meanings of statuses and codes of transport errors.
 */
import type { Case } from "./Case.ts"

/**
 * Statuses. Sources: RFC 9110, section 15, https://www.rfc-editor.org/rfc/rfc9110#section-15; of
 * 425 RFC 8470, section 5.2, https://www.rfc-editor.org/rfc/rfc8470#section-5.2; of 429 RFC 6585, section 4,
 * https://www.rfc-editor.org/rfc/rfc6585#section-4.
 */
export const statuses = {
  // "The request has not been applied because it lacks valid authentication credentials": section 15.5.2.
  401: { processing: "NotProcessed" },
  // "If the client has an outstanding request in transit, it MAY repeat that request": section 15.5.9.
  408: { kind: "Timeout" },
  // "If the condition is temporary, the server SHOULD generate a Retry-After": section 15.5.14.
  413: { hinted: "Throttling" },
  // "A client [...] MAY retry the request, whether or not the request method is idempotent": section 15.5.20.
  421: { kind: "Transient", processing: "NotProcessed" },
  // "Unwilling to risk processing a request that might be replayed": RFC 8470.
  425: { kind: "Transient", processing: "NotProcessed" },
  429: { kind: "Throttling" },
  500: { kind: "Server" },
  502: { kind: "Server" },
  // "A temporary overload or scheduled maintenance": section 15.6.4. With a time to come back it is an overload.
  503: { kind: "Server", hinted: "Throttling" },
  504: { kind: "Timeout" }
} as const satisfies { readonly [status: number]: Case }

const passing: Case = { kind: "Transient" }
const slow: Case = { kind: "Timeout" }
const notSent: Case = { kind: "Transient", processing: "NotSent" }

/** The same codes under every version of OpenSSL that Node uses. */
const certificates = [
  "CERT_CHAIN_TOO_LONG",
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "CERT_REJECTED",
  "CERT_REVOKED",
  "CERT_SIGNATURE_FAILURE",
  "CERT_UNTRUSTED",
  "CRL_HAS_EXPIRED",
  "CRL_NOT_YET_VALID",
  "CRL_SIGNATURE_FAILURE",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERROR_IN_CERT_NOT_AFTER_FIELD",
  "ERROR_IN_CERT_NOT_BEFORE_FIELD",
  "ERROR_IN_CRL_LAST_UPDATE_FIELD",
  "ERROR_IN_CRL_NEXT_UPDATE_FIELD",
  "ERR_TLS_CERT_ALTNAME_FORMAT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "HOSTNAME_MISMATCH",
  "INVALID_CA",
  "INVALID_PURPOSE",
  "PATH_LENGTH_EXCEEDED",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY",
  "UNABLE_TO_DECRYPT_CERT_SIGNATURE",
  "UNABLE_TO_DECRYPT_CRL_SIGNATURE",
  "UNABLE_TO_GET_CRL",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE"
] as const

/**
 * Complaints of a server about the client's certificate, or about what the client offers. The second name is used by
 * OpenSSL 3.2 and later.
 *
 * Source: RFC 8446, section 6.2, https://www.rfc-editor.org/rfc/rfc8446#section-6.2.
 */
const alerts = [
  "ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE",
  "ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE",
  "ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED",
  "ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_EXPIRED",
  "ERR_SSL_SSLV3_ALERT_CERTIFICATE_REVOKED",
  "ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_REVOKED",
  "ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN",
  "ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_UNKNOWN",
  "ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE",
  "ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE",
  "ERR_SSL_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE",
  "ERR_SSL_SSL/TLS_ALERT_UNSUPPORTED_CERTIFICATE",
  "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED",
  "ERR_SSL_TLSV1_ALERT_ACCESS_DENIED",
  "ERR_SSL_TLSV1_ALERT_INSUFFICIENT_SECURITY",
  "ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL",
  "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION",
  "ERR_SSL_TLSV1_ALERT_UNKNOWN_CA",
  "ERR_SSL_TLSV1_UNRECOGNIZED_NAME"
] as const

/** The two sides have no version of TLS or HTTP in common, or one of them speaks neither. */
const handshakes = [
  "EPROTO",
  "ERR_SSL_NO_PROTOCOLS_AVAILABLE",
  "ERR_SSL_UNSUPPORTED_PROTOCOL",
  "ERR_SSL_WRONG_VERSION_NUMBER",
  "NGHTTP2_HTTP_1_1_REQUIRED",
  "NGHTTP2_INADEQUATE_SECURITY"
] as const

/** The request, the client or the size of the answer is at fault, and will be again. */
const mistakes = [
  "ERR_HTTP2_CONNECT_AUTHORITY",
  "ERR_HTTP2_CONNECT_PATH",
  "ERR_HTTP2_CONNECT_SCHEME",
  "ERR_HTTP2_HEADER_SINGLE_VALUE",
  "ERR_HTTP2_INVALID_CONNECTION_HEADERS",
  "ERR_HTTP2_INVALID_HEADER_VALUE",
  "ERR_HTTP2_INVALID_PSEUDOHEADER",
  "ERR_HTTP2_PSEUDOHEADER_NOT_ALLOWED",
  "ERR_HTTP2_UNSUPPORTED_PROTOCOL",
  "ERR_HTTP_INVALID_HEADER_VALUE",
  "ERR_INVALID_ARG_TYPE",
  "ERR_INVALID_ARG_VALUE",
  "ERR_INVALID_CHAR",
  "ERR_INVALID_HTTP_TOKEN",
  "ERR_INVALID_PROTOCOL",
  "ERR_INVALID_URL",
  "ERR_UNESCAPED_CHARACTERS",
  "HPE_HEADER_OVERFLOW",
  "UND_ERR_CLOSED",
  "UND_ERR_DESTROYED",
  "UND_ERR_HEADERS_OVERFLOW",
  "UND_ERR_INVALID_ARG",
  "UND_ERR_NOT_SUPPORTED",
  "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH",
  "UND_ERR_RES_EXCEEDED_MAX_SIZE",
  "AttemptRefused"
] as const

/** Answers of a proxy to CONNECT that `codes` does not list as transient; 407, for instance, asks for other credentials. */
const refusals = ["PROXY_REFUSED"] as const

type Never = (typeof certificates | typeof alerts | typeof handshakes | typeof mistakes | typeof refusals)[number]

const never = Object.fromEntries(
  [...certificates, ...alerts, ...handshakes, ...mistakes, ...refusals].map((code) => [code, undefined])
) as {
  readonly [code in Never]: undefined
}

/**
 * Codes and names of transport errors; `undefined` for those that another attempt does not cure.
 *
 * Sources: the errors that Node 20 and undici 7 were seen to raise, and the lists of got 16.1.0, undici 8.12.4 and
 * `@smithy/core` 3.41.0, as recorded on 2026-11-20; certificates
 * https://nodejs.org/api/tls.html#x509-certificate-error-codes; HTTP/2 RFC 9113, sections 7 and 8.7,
 * https://www.rfc-editor.org/rfc/rfc9113#section-8.7, and https://nodejs.org/api/errors.html, read 2026-11-22.
 *
 * A host without an address (`ENOTFOUND`) is retryable: the answer of a resolver that has lost its upstream looks the
 * same as for a name that does not exist, nothing has been sent, and a misspelt name costs only the waits.
 */
export const codes = {
  ...never,
  EADDRINUSE: notSent,
  EADDRNOTAVAIL: notSent,
  EAI_AGAIN: notSent,
  ECONNREFUSED: notSent,
  EHOSTDOWN: notSent,
  EHOSTUNREACH: notSent,
  ENETDOWN: notSent,
  ENETUNREACH: notSent,
  ENOTFOUND: notSent,
  ERR_HTTP2_GOAWAY_SESSION: notSent,
  ERR_HTTP2_OUT_OF_STREAMS: notSent,
  ERR_HTTP2_STREAM_CANCEL: notSent,
  // A proxy did not connect to the server. The first of these codes with a row counts: the one with the exact status,
  // such as `PROXY_503`; `PROXY_5XX` for statuses from 500 on; `PROXY_REFUSED`.
  ERR_PROXY_TUNNEL: notSent,
  PROXY_429: notSent,
  PROXY_5XX: notSent,
  ERR_SOCKET_CONNECTION_TIMEOUT: { kind: "Timeout", processing: "NotSent" },
  UND_ERR_CONNECT_TIMEOUT: { kind: "Timeout", processing: "NotSent" },
  NGHTTP2_REFUSED_STREAM: { kind: "Transient", processing: "NotProcessed" },
  NGHTTP2_ENHANCE_YOUR_CALM: { kind: "Throttling" },
  ECONNABORTED: passing,
  ECONNRESET: passing,
  ENETRESET: passing,
  EPIPE: passing,
  ERR_HTTP2_ERROR: passing,
  ERR_HTTP2_INVALID_SESSION: passing,
  ERR_HTTP2_INVALID_STREAM: passing,
  ERR_HTTP2_PING_CANCEL: passing,
  ERR_HTTP2_SESSION_ERROR: passing,
  ERR_HTTP2_STREAM_ABORTED: passing,
  ERR_HTTP2_STREAM_ERROR: passing,
  ERR_STREAM_PREMATURE_CLOSE: passing,
  UND_ERR_INFO: passing,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: passing,
  UND_ERR_SOCKET: passing,
  ETIMEDOUT: slow,
  ESOCKETTIMEDOUT: slow,
  UND_ERR_BODY_TIMEOUT: slow,
  UND_ERR_HEADERS_TIMEOUT: slow,
  // By name: the platform's own, Effect's, and those of a nested operation that ran out of time.
  TimeoutError: slow,
  TimeoutException: slow,
  AttemptTimedOut: slow,
  DeadlineExceeded: slow
} as const satisfies { readonly [code: string]: Case | undefined }
