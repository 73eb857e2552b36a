/**
 * How errors of the transport are read, seen through tables that know one code alone.
 */
import { HttpClientError, HttpClientRequest } from "@effect/platform"
import { HttpClassifier } from "@effect-retry/http"
import { describe, expect, it } from "@effect/vitest"
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

  it("takes a message for a code only where Node or undici wrote it", () => {
    const text = "Stream closed with error code NGHTTP2_REFUSED_STREAM"
    const refused = (message: string, code: string) => known({ message, code }, "NGHTTP2_REFUSED_STREAM")
    expect(refused(text, "ERR_HTTP2_STREAM_ERROR")).toBe("NotProcessed")
    expect(refused(text, "UND_ERR_SOCKET")).toBe(undefined)
    expect(refused(`${text} or so`, "ERR_HTTP2_STREAM_ERROR")).toBe(undefined)
    expect(refused(`${text}${" ".repeat(100)}`, "ERR_HTTP2_STREAM_ERROR")).toBe(undefined)
    expect(refused('HTTP/2: "stream error" received - code 8', "UND_ERR_INFO")).toBe(undefined)
  })

  it.each(Object.entries(Faults.hostile))("finds nothing it knows in what does its worst: %s", (_, error) => {
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

  it("reads no code that is too long to be one", () => {
    const [short, long] = ["E".repeat(100), "E".repeat(101)]
    expect([known({ code: short }, short), known({ code: long }, long)]).toEqual(["NotProcessed", undefined])
  })
})
