/**
 * How errors of the transport are read, seen through tables that know one code alone.
 */
import { HttpClientError, HttpClientRequest } from "@effect/platform"
import { HttpClassifier } from "@effect-retry/http"
import { describe, expect, it } from "@effect/vitest"
import * as Transport from "../../src/classify/Transport.ts"
import * as Faults from "../support/Faults.ts"

type Phase = "Connecting" | "Exchanging" | undefined
type Told = readonly [name: string, error: unknown, codes: ReadonlyArray<string>, phase: Phase]

/** The codes of the innermost error that has one, and its phase. */
const told: ReadonlyArray<Told> = [
  ["a refused connection", Faults.refused, ["ECONNREFUSED", "Error"], "Connecting"],
  ["a host without an address", Faults.unknownHost, ["ENOTFOUND", "Error"], "Connecting"],
  ["a reset while connecting", Faults.resetConnecting, ["ECONNRESET", "Error"], "Connecting"],
  ["a connection not made in time", Faults.timedOutConnecting, ["ETIMEDOUT", "Error"], "Connecting"],
  [
    "a local address that is not there",
    Faults.fault("bind", { code: "EADDRNOTAVAIL", syscall: "bind" }),
    ["EADDRNOTAVAIL", "Error"],
    "Connecting"
  ],
  ["a close before the connection was secure", Faults.closedBeforeSecure, ["ECONNRESET", "Error"], "Connecting"],
  ["a reset while reading", Faults.reset, ["ECONNRESET", "Error"], "Exchanging"],
  ["a broken pipe", Faults.fault("write EPIPE", { code: "EPIPE", syscall: "write" }), ["EPIPE", "Error"], "Exchanging"],
  [
    "a shutdown of what is not connected",
    Faults.fault("shutdown ENOTCONN", { code: "ENOTCONN", syscall: "shutdown" }),
    ["ENOTCONN", "Error"],
    "Exchanging"
  ],
  ["a host lost while reading", Faults.unreachable, ["EHOSTUNREACH", "Error"], "Exchanging"],
  [
    "another system call",
    Faults.fault("open ENOENT", { code: "ENOENT", syscall: "open" }),
    ["ENOENT", "Error"],
    undefined
  ],
  ["a close", Faults.hangUp, ["ECONNRESET", "Error"], undefined],
  ["a close seen by undici", Faults.otherSideClosed, ["UND_ERR_SOCKET", "SocketError"], undefined],
  ["an answer that is no HTTP", Faults.noHttpUndici, ["HTTPParserError"], undefined],
  ["a refused stream", Faults.refusedStream, ["NGHTTP2_REFUSED_STREAM", "ERR_HTTP2_STREAM_ERROR", "Error"], undefined],
  [
    "a stream ended for calm",
    Faults.calmStream,
    ["NGHTTP2_ENHANCE_YOUR_CALM", "ERR_HTTP2_STREAM_ERROR", "Error"],
    undefined
  ],
  [
    "a stream that is to be one of HTTP/1.1",
    Faults.newProtocolStream,
    ["NGHTTP2_HTTP_1_1_REQUIRED", "ERR_HTTP2_STREAM_ERROR", "Error"],
    undefined
  ],
  [
    "a session closed for calm",
    Faults.calmSession,
    ["NGHTTP2_ENHANCE_YOUR_CALM", "ERR_HTTP2_SESSION_ERROR", "Error"],
    undefined
  ],
  [
    "the same, by its name",
    Faults.calmSessionByName,
    ["NGHTTP2_ENHANCE_YOUR_CALM", "ERR_HTTP2_SESSION_ERROR", "Error"],
    undefined
  ],
  [
    "a connection going away for calm",
    Faults.calmGoAway,
    ["NGHTTP2_ENHANCE_YOUR_CALM", "UND_ERR_SOCKET", "SocketError"],
    undefined
  ],
  [
    "a refused upgrade",
    Faults.refusedUpgrade,
    ["NGHTTP2_REFUSED_STREAM", "UND_ERR_INFO", "InformationalError"],
    undefined
  ],
  ["a stream ended early", Faults.halfStream, ["UND_ERR_INFO", "InformationalError"], undefined],
  ["a connection going away", Faults.goAway, ["UND_ERR_SOCKET", "SocketError"], undefined],
  ["a timeout of a signal", Faults.timedOutFetch, ["TimeoutError"], undefined]
]

const request = HttpClientRequest.get("http://localhost/")

/** What is known of an error by tables with these codes alone, in which nothing says that it was not sent. */
const known = (cause: unknown, ...codes: ReadonlyArray<string>): HttpClassifier.Processing | undefined => {
  const rows = Object.fromEntries(codes.map((code) => [code, { kind: "Client", processing: "NotProcessed" }] as const))
  const self = HttpClassifier.make({ ...HttpClassifier.standardTables, codes: rows, transport: undefined })
  const error = new HttpClientError.RequestError({ request, reason: "Transport", cause })
  const { processing, verdict } = HttpClassifier.judge(self, error, NaN)
  return verdict._tag === "Retryable" ? processing : undefined
}

const processingOf = (phase: Phase): HttpClassifier.Processing =>
  phase === undefined ? "NotProcessed" : phase === "Connecting" ? "NotSent" : "Unknown"

describe("HttpClassifier.judge", () => {
  it.each(told)("reads every code, and how far the request had come: %s", (_, error, codes, phase) => {
    for (const code of codes) expect([code, known(error, code)]).toEqual([code, processingOf(phase)])
    expect(known(error, "EOTHER")).toBe(undefined)
  })

  it.each(told)("reads it as the cause of a cause: %s", (_, error, codes, phase) => {
    for (const code of codes) {
      expect(known(Faults.fetchFailed(error), code)).toBe(processingOf(phase))
      expect(known({ cause: Faults.fetchFailed(error) }, code)).toBe(processingOf(phase))
    }
  })

  it("reads the errors of an aggregate, and then the aggregate", () => {
    const of = (...codes: ReadonlyArray<string>) => known(Faults.fetchFailed(Faults.refusedEverywhere), ...codes)
    expect([of("ECONNREFUSED"), of("AggregateError"), of("AggregateError", "ECONNREFUSED")]).toEqual([
      "NotSent",
      "NotProcessed",
      "NotSent"
    ])
  })

  it("follows ten causes and no more", () => {
    const nested = (depth: number): object => (depth === 0 ? { code: "DEEP" } : { cause: nested(depth - 1) })
    expect([known(nested(10), "DEEP"), known(nested(11), "DEEP")]).toEqual(["NotProcessed", undefined])
  })

  const refusedStream = "Stream closed with error code NGHTTP2_REFUSED_STREAM"

  it.each([
    [refusedStream, "ERR_HTTP2_STREAM_ERROR", "NotProcessed"],
    [refusedStream, "UND_ERR_SOCKET", undefined],
    [`${refusedStream} or so`, "ERR_HTTP2_STREAM_ERROR", undefined],
    [`it says: ${refusedStream}`, "ERR_HTTP2_STREAM_ERROR", undefined],
    [`${refusedStream}${" ".repeat(100)}`, "ERR_HTTP2_STREAM_ERROR", undefined],
    ['HTTP/2: "stream error" received - code 7', "UND_ERR_INFO", "NotProcessed"],
    ['HTTP/2: "stream error" received - code 7', "UND_ERR_SOCKET", undefined],
    ['HTTP/2: "stream error" received - code 8', "UND_ERR_INFO", undefined],
    // Of a connection it says nothing of the streams.
    ["Session closed with error code 7", "ERR_HTTP2_SESSION_ERROR", undefined],
    ["Session closed with error code NGHTTP2_REFUSED_STREAM", "ERR_HTTP2_SESSION_ERROR", undefined],
    ['HTTP/2: "GOAWAY" frame received with code 7', "UND_ERR_SOCKET", undefined]
  ] as const)("takes a message for a refused stream only if Node or undici wrote it: %s of %s", (message, code, of) => {
    expect(known({ message, code }, "NGHTTP2_REFUSED_STREAM")).toBe(of)
  })

  it.each([
    ["Session closed with error code 11", "ERR_HTTP2_SESSION_ERROR", "NGHTTP2_ENHANCE_YOUR_CALM"],
    ["Session closed with error code 12", "ERR_HTTP2_SESSION_ERROR", "NGHTTP2_INADEQUATE_SECURITY"],
    [
      "Session closed with error code NGHTTP2_HTTP_1_1_REQUIRED",
      "ERR_HTTP2_SESSION_ERROR",
      "NGHTTP2_HTTP_1_1_REQUIRED"
    ],
    ['HTTP/2: "GOAWAY" frame received with code 13', "UND_ERR_SOCKET", "NGHTTP2_HTTP_1_1_REQUIRED"]
  ])("reads why a connection was closed: %s", (message, code, name) => {
    expect(known({ message, code }, name)).toBe("NotProcessed")
    expect(known({ message: `${message} `, code }, name)).toBe(undefined)
    expect(known({ message: ` ${message}`, code }, name)).toBe(undefined)
    expect(known({ message: `${message}${"0".repeat(100)}`, code }, name)).toBe(undefined)
    expect(known({ message, code: "EOTHER" }, name)).toBe(undefined)
  })

  it.each([
    [
      "Proxy response (503) !== 200 when HTTP Tunneling",
      "UND_ERR_ABORTED",
      undefined,
      ["PROXY_503", "PROXY_5XX", "PROXY_REFUSED"]
    ],
    ["Proxy response (407) !== 200 when HTTP Tunneling", "UND_ERR_ABORTED", undefined, ["PROXY_407", "PROXY_REFUSED"]],
    ["Proxy response (407) !== 200 when HTTP Tunneling ", "UND_ERR_ABORTED", undefined, ["UND_ERR_ABORTED", "Error"]],
    ["Proxy response (0407) !== 200 when HTTP Tunneling", "UND_ERR_ABORTED", undefined, ["UND_ERR_ABORTED", "Error"]],
    ["Proxy response (407) !== 200 when HTTP Tunneling", "EOTHER", undefined, ["EOTHER", "Error"]],
    ["any", "ERR_PROXY_TUNNEL", 502, ["PROXY_502", "PROXY_5XX", "PROXY_REFUSED"]],
    ["any", "ERR_PROXY_TUNNEL", 499, ["PROXY_499", "PROXY_REFUSED"]],
    ["any", "ERR_PROXY_TUNNEL", 99, ["ERR_PROXY_TUNNEL", "Error"]],
    ["any", "ERR_PROXY_TUNNEL", 1000, ["ERR_PROXY_TUNNEL", "Error"]],
    ["any", "ERR_PROXY_TUNNEL", 200.5, ["ERR_PROXY_TUNNEL", "Error"]],
    ["any", "ERR_PROXY_TUNNEL", undefined, ["ERR_PROXY_TUNNEL", "Error"]]
  ] as const)(
    "reads with which status a proxy refused a tunnel: %j of %s with %j",
    (message, code, statusCode, codes) => {
      expect(Transport.chains(Faults.fault(message, { code, statusCode })).map((chain) => chain[0]?.codes)).toEqual([
        codes
      ])
    }
  )

  it("goes by the cause of a stream that was cancelled unsent, from which it knows that nothing was sent", () => {
    const cancelled = (cause: unknown) => ({ code: "ERR_HTTP2_STREAM_CANCEL", cause })
    const of = (cause: unknown, ...codes: ReadonlyArray<string>) => known(cancelled(cause), ...codes)
    expect(of(Faults.selfSigned, "DEPTH_ZERO_SELF_SIGNED_CERT")).toBe("NotSent")
    expect(of(Faults.reset, "ECONNRESET", "ERR_HTTP2_STREAM_CANCEL")).toBe("NotSent")
    expect(of({ cause: Faults.reset }, "ECONNRESET")).toBe("NotSent")
    // Its own row, if the cause has none.
    expect(of(Faults.reset, "ERR_HTTP2_STREAM_CANCEL")).toBe("NotProcessed")
    expect(of(undefined, "ERR_HTTP2_STREAM_CANCEL")).toBe("NotProcessed")
    const error = new HttpClientError.RequestError({
      request,
      reason: "Transport",
      cause: cancelled(Faults.selfSigned)
    })
    const { verdict } = HttpClassifier.judge(HttpClassifier.standard, error, NaN)
    expect(verdict).toMatchObject({ _tag: "Terminal", why: "transport error DEPTH_ZERO_SELF_SIGNED_CERT" })
  })

  it.each(Object.entries(Faults.hostile))("finds nothing it knows in the worst of errors: %s", (_, error) => {
    expect(known(error, "EOTHER")).toBe(undefined)
    expect(["NotProcessed", "Unknown"]).toContain(known({ cause: error, code: "EOUTER" }, "EOUTER"))
  })

  it("reads no more than it can bear", () => {
    let reads = 0
    const wider = (): object => ({
      get errors(): ReadonlyArray<object> {
        reads += 1
        return [wider(), wider(), wider()]
      }
    })
    expect([known(wider(), "EOTHER"), reads <= 256]).toEqual([undefined, true])
  })

  it("says that nothing was sent only if it has read every error of an aggregate", () => {
    const of = (more: number) => {
      const errors = [...Array.from({ length: 126 }, () => Faults.refused), { cause: Faults.refused }]
      const all = [...errors, ...Array.from({ length: more }, () => Faults.refused)]
      return known(new AggregateError(all), "ECONNREFUSED")
    }
    expect([of(0), of(1), of(1_000)]).toEqual(["NotSent", "Unknown", "Unknown"])
  })

  it("reads no code that is too long to be one", () => {
    const [short, long] = ["E".repeat(100), "E".repeat(101)]
    expect([known({ code: short }, short), known({ code: long }, long)]).toEqual(["NotProcessed", undefined])
  })
})

describe("Transport.chains", () => {
  const fault = (own: Partial<Transport.Fault>): Transport.Fault => ({
    codes: [],
    phase: undefined,
    lasting: undefined,
    ...own
  })

  it("has an error and its causes, the outermost first", () => {
    expect(Transport.chains(new Error("first", { cause: Faults.reset }))).toEqual([
      [fault({ codes: ["Error"] }), fault({ codes: ["ECONNRESET", "Error"], phase: "Exchanging" })]
    ])
  })

  it.each([undefined, null, 7, "ECONNRESET"])("knows nothing of what is not an object: %j", (error) => {
    expect(Transport.chains(error)).toEqual([[]])
  })

  it("reads a function like any object", () => {
    expect(Transport.chains(Object.assign(() => 1, { code: "ECONNRESET" }))).toEqual([
      [fault({ codes: ["ECONNRESET", ""] })]
    ])
  })

  it("takes only strings for codes, names and messages", () => {
    expect(Transport.chains({ code: 20, name: "TypeError", message: 5 })).toEqual([[fault({ codes: ["TypeError"] })]])
    expect(Transport.chains({ name: "TypeError" })).toEqual([[fault({ codes: ["TypeError"] })]])
    expect(Transport.chains({ code: 20, name: "TypeError", message: "no function" })).toEqual([
      [fault({ codes: ["TypeError"], lasting: "a TypeError that does not come from the network" })]
    ])
  })

  it("follows the cause when the errors of an aggregate cannot be read", () => {
    const { proxy, revoke } = Proxy.revocable<ReadonlyArray<unknown>>([], {})
    revoke()
    expect(Transport.chains({ code: "EOUTER", errors: proxy, cause: { code: "EINNER" } })).toEqual([
      [fault({ codes: ["EOUTER"] }), fault({ codes: ["EINNER"] })]
    ])
  })

  it("has one unknown chain more when it has not read all errors of an aggregate", () => {
    const of = (errors: number) => Transport.chains({ errors: Array.from({ length: errors }, () => Faults.refused) })
    expect([127, 128, 1_000].map((errors) => of(errors).length)).toEqual([127, 128, 128])
    expect([127, 128, 1_000].map((errors) => of(errors).at(-1)?.length)).toEqual([2, 0, 0])
  })

  it("takes no more of the errors of an aggregate than it reads", () => {
    const taken = new Set<PropertyKey>()
    const errors = new Proxy(
      Array.from({ length: 1_000 }, () => Faults.refused),
      { get: (target, key, receiver) => Reflect.get(target, taken.add(key) && key, receiver) as unknown }
    )
    Transport.chains({ errors })
    expect([taken.has("255"), taken.has("256")]).toEqual([true, false])
  })
})

describe("Transport.isPlain", () => {
  it.each([
    ["ECONNRESET", true],
    ["E_1", true],
    [`E${"X".repeat(40)}`, true],
    [`E${"X".repeat(41)}`, false],
    ["EX", false],
    ["econnreset", false],
    ["1EX", false],
    ["ECONNRESET of token", false],
    ["token: ECONNRESET", false],
    ["ECONNRESET\n", false]
  ])("judges %j", (code, isPlain) => {
    expect(Transport.isPlain(code)).toBe(isPlain)
  })
})

describe("Transport.codeOf", () => {
  it("is the first code that is fit to be shown, wherever in the chain", () => {
    expect(Transport.codeOf(Faults.fetchFailed(Faults.reset))).toBe("ECONNRESET")
    expect(Transport.codeOf({ code: "a secret", cause: { code: "EX_1", cause: { code: "EX_2" } } })).toBe("EX_1")
    expect([new Error("of no code"), "ECONNRESET", undefined].map(Transport.codeOf)).toEqual([
      undefined,
      undefined,
      undefined
    ])
  })
})
