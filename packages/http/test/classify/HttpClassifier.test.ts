import {
  FetchHttpClient,
  HttpBody,
  HttpClient,
  HttpClientError,
  HttpClientRequest,
  HttpClientResponse
} from "@effect/platform"
import { AttemptTimeout, Backoff, Classifier, Deadline, Hint, Retry, Verdict } from "@effect-retry/core"
import { type HintHeader, HttpClassifier } from "@effect-retry/http"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { Cause, Data, Duration, Effect, FastCheck as fc, Option, Stream } from "effect"
import * as Faults from "../support/Faults.ts"

const request = HttpClientRequest.get("http://localhost/")

/** `Response` refuses what is not between 200 and 599; a server does not. */
const response = (status: number, headers: Record<string, string> = {}): HttpClientResponse.HttpClientResponse => {
  const web = new Response(null, { headers })
  return HttpClientResponse.fromWeb(request, Object.defineProperty(web, "status", { value: status }))
}

const transportError = (cause: unknown, sent = request) =>
  new HttpClientError.RequestError({ request: sent, reason: "Transport", cause })

const responseError = (
  reason: "StatusCode" | "Decode" | "EmptyBody",
  of: HttpClientResponse.HttpClientResponse,
  cause?: unknown
) => new HttpClientError.ResponseError({ request, response: of, reason, cause })

const wait: HintHeader.HintHeader = {
  name: "x-wait",
  read: (headers) => (headers["x-wait"] === undefined ? undefined : Number(headers["x-wait"]))
}
const { make, standard, standardTables } = HttpClassifier
const tables: HttpClassifier.Tables = { ...standardTables, hints: [wait] }

const at = (nowMillis: number): Classifier.Moment => ({ nowMillis, attempt: 1, elapsed: Duration.zero })

const judge = (outcome: unknown, self = tables) => HttpClassifier.judge(make(self), outcome, NaN)

const inWords = ({ processing, verdict }: HttpClassifier.Judgement): string => {
  switch (verdict._tag) {
    case "Retryable":
      return [verdict.kind, processing, ...Option.toArray(Option.map(verdict.hint, Duration.format))].join(" ")
    case "Terminal":
      return verdict.why
    case "NoOpinion":
      return "no opinion"
  }
}

const judged = (outcome: unknown, self = tables) => inWords(judge(outcome, self))

describe("HttpClassifier.judge", () => {
  describe("a response", () => {
    const statuses: ReadonlyArray<readonly [status: number, bare: string, hinted: string]> = [
      [408, "Timeout Unknown", "Timeout Unknown 7s"],
      [413, "no opinion", "Throttling Unknown 7s"],
      [421, "Transient NotProcessed", "Transient NotProcessed 7s"],
      [425, "Transient NotProcessed", "Transient NotProcessed 7s"],
      [429, "Throttling Unknown", "Throttling Unknown 7s"],
      [500, "Server Unknown", "Server Unknown 7s"],
      [502, "Server Unknown", "Server Unknown 7s"],
      [503, "Server Unknown", "Throttling Unknown 7s"],
      [504, "Timeout Unknown", "Timeout Unknown 7s"]
    ]

    it.each(statuses)("is judged by its status: %i", (status, bare, hinted) => {
      expect(judged(response(status))).toBe(bare)
      expect(judged(response(status, { "x-wait": "7000" }))).toBe(hinted)
    })

    it("is an answer below 500, and a lasting failure from there on, unless a row says more", () => {
      const rows = statuses.map(([status]) => status)
      for (let status = 100; status <= 599; status++) {
        if (rows.includes(status)) continue
        const expected = status < 500 ? "no opinion" : `status ${status}`
        expect([status, judged(response(status)), judged(response(status, { "x-wait": "7000" }))]).toEqual([
          status,
          expected,
          expected
        ])
      }
    })

    it("is judged below 400 if a row asks for it", () => {
      const accepted = { ...tables, statuses: { ...tables.statuses, 202: { kind: "Server" } } } as const
      expect(judged(response(202, { "x-wait": "5" }), accepted)).toBe("Server Unknown 5ms")
      expect(judged(response(202, { "x-should-retry": "false" }), accepted)).toBe("x-should-retry: false")
    })

    it("is an answer again when its row is taken out", () => {
      const without = { ...tables, statuses: { ...tables.statuses, 429: undefined, 500: undefined, 503: undefined } }
      const bare = [429, 500, 503].map((status) => judged(response(status), without))
      expect(bare).toEqual(["no opinion", "status 500", "status 503"])
      const wanted = [429, 500, 503].map((status) => judged(response(status, { "x-should-retry": "true" }), without))
      expect(wanted).toEqual(["Client Unknown", "Server Unknown", "Server Unknown"])
    })

    it("may ask for an endless wait", () => {
      expect(judged(response(503, { "x-wait": "Infinity" }))).toBe("Throttling Unknown Infinity")
    })

    it("lets the hint see the time", () => {
      const seen: Array<number> = []
      const hints = [{ name: "x", read: (_: unknown, nowMillis: number) => void seen.push(nowMillis) }]
      const self = make({ ...tables, hints })
      HttpClassifier.judge(self, response(503), 1_000)
      self(response(503), at(2_000))
      expect(seen).toEqual([1_000, 2_000])
    })

    it("is read safely, whatever the response is", () => {
      const fake = (own: object) => ({ [HttpClientResponse.TypeId]: HttpClientResponse.TypeId, ...own })
      expect(judged(fake({}))).toBe("no opinion")
      expect(judged(fake({ status: "503" }))).toBe("no opinion")
      expect(judged(fake({ status: NaN }))).toBe("no opinion")
      expect(judged(fake({ status: 503 }))).toBe("Server Unknown")
      expect(judged(fake({ status: 503, headers: null }))).toBe("Server Unknown")
    })
  })

  describe("a directive", () => {
    const says = (value: string, status = 503) => judged(response(status, { "x-should-retry": value }))

    it.each(["false", "FALSE", " False\t"])("ends the operation: %j", (value) => {
      expect([503, 429, 404, 501].map((status) => says(value, status))).toEqual(
        Array.from({ length: 4 }, () => "x-should-retry: false")
      )
    })

    it("keeps the kind and the hint of the status that it ends, for buckets and rate limiters", () => {
      const ended = (status: number, headers: Record<string, string>) =>
        judge(response(status, { "x-should-retry": "false", ...headers })).verdict
      const why = "x-should-retry: false"
      expect(ended(429, { "x-wait": "5" })).toEqual(Verdict.terminal(why, { kind: "Throttling", hint: 5 }))
      expect(ended(503, { "x-wait": "5" })).toEqual(Verdict.terminal(why, { kind: "Throttling", hint: 5 }))
      expect(ended(503, {})).toEqual(Verdict.terminal(why, { kind: "Server" }))
      expect(ended(404, {})).toEqual(Verdict.terminal(why))
    })

    it.each(["true", "TRUE", " True\t"])("makes a status without a row retryable: %j", (value) => {
      expect([400, 404, 409, 499].map((status) => says(value, status))).toEqual(
        Array.from({ length: 4 }, () => "Client Unknown")
      )
      expect([501, 505, 599].map((status) => says(value, status))).toEqual(
        Array.from({ length: 3 }, () => "Server Unknown")
      )
    })

    it.each([" false", "False\t", " FALSE "])("may stand among blanks that a client left there: %j", (value) => {
      const of = response(503)
      Object.defineProperty(of, "headers", { value: Object.assign(of.headers, { "x-should-retry": value }) })
      expect(judged(of)).toBe("x-should-retry: false")
    })

    it("leaves the row of a status as it is, and serves as a hint if the row wants one", () => {
      expect([429, 425, 413].map((status) => says("true", status))).toEqual([
        "Throttling Unknown",
        "Transient NotProcessed",
        "Throttling Unknown"
      ])
    })

    it("says nothing about a success", () => {
      expect([200, 204, 304].flatMap((status) => ["true", "false"].map((value) => says(value, status)))).toEqual(
        Array.from({ length: 6 }, () => "no opinion")
      )
    })

    it.each(["", "1", "0", "yes", "no", "truthy", "true, false", "true;q=1", "\u0000true", `${" ".repeat(1e4)}true`])(
      "is ignored if it says anything else: %j",
      (value) => {
        const headers = { "x-should-retry": value }
        const raw = (status: number) => {
          const web = response(status)
          return judged(Object.defineProperty(web, "headers", { value: Object.assign(web.headers, headers) }))
        }
        expect([raw(503), raw(404)]).toEqual(["Server Unknown", "no opinion"])
      }
    )

    it("carries the hint", () => {
      expect(judged(response(409, { "x-should-retry": "true", "x-wait": "50" }))).toBe("Client Unknown 50ms")
    })

    it("is read from the named headers, and the first one that says something counts", () => {
      const self = { ...tables, directives: ["stripe-should-retry", "x-should-retry"] }
      const headers = (stripe: string, x: string) => ({ "stripe-should-retry": stripe, "x-should-retry": x })
      expect(judged(response(409, headers("true", "false")), self)).toBe("Client Unknown")
      expect(judged(response(503, headers("false", "true")), self)).toBe("stripe-should-retry: false")
      expect(judged(response(503, headers("perhaps", "false")), self)).toBe("x-should-retry: false")
      expect(judged(response(503, headers("", "false")), { ...tables, directives: [] })).toBe("Server Unknown")
    })
  })

  describe("an error of the transport", () => {
    const causes: ReadonlyArray<readonly [name: string, cause: unknown, judged: string]> = [
      ["refused", Faults.refused, "Transient NotSent"],
      ["refused at every address", Faults.refusedEverywhere, "Transient NotSent"],
      ["unknown host", Faults.unknownHost, "Transient NotSent"],
      ["reset while connecting", Faults.resetConnecting, "Transient NotSent"],
      ["timed out while connecting", Faults.timedOutConnecting, "Timeout NotSent"],
      ["connect timeout of undici", Faults.connectTimeout, "Timeout NotSent"],
      ["closed before it was secure", Faults.closedBeforeSecure, "Transient NotSent"],
      [
        "an unknown code while connecting",
        Faults.fault("connect EWHAT", { code: "EWHAT", syscall: "connect" }),
        "Transient NotSent"
      ],
      ["reset", Faults.reset, "Transient Unknown"],
      ["host lost in the middle", Faults.unreachable, "Transient Unknown"],
      ["hang up", Faults.hangUp, "Transient Unknown"],
      ["half a response", Faults.halfResponse, "Transient Unknown"],
      ["other side closed", Faults.otherSideClosed, "Transient Unknown"],
      ["headers timeout", Faults.headersTimeout, "Timeout Unknown"],
      ["body timeout", Faults.bodyTimeout, "Timeout Unknown"],
      ["no HTTP", Faults.noHttp, "Transient Unknown"],
      ["no HTTP, by undici", Faults.noHttpUndici, "Transient Unknown"],
      ["too many headers", Faults.headersOverflow, "transport error UND_ERR_HEADERS_OVERFLOW"],
      ["self-signed", Faults.selfSigned, "transport error DEPTH_ZERO_SELF_SIGNED_CERT"],
      ["certificate of another host", Faults.otherHost, "transport error ERR_TLS_CERT_ALTNAME_INVALID"],
      ["no TLS", Faults.noTls, "transport error EPROTO"],
      ["no TLS, by undici", Faults.noTlsUndici, "transport error ERR_SSL_WRONG_VERSION_NUMBER"],
      ["refused stream", Faults.refusedStream, "Transient NotProcessed"],
      ["refused upgrade", Faults.refusedUpgrade, "Transient NotProcessed"],
      ["calm asked for", Faults.calmStream, "Throttling Unknown"],
      ["broken stream", Faults.brokenStream, "Transient Unknown"],
      ["half a stream", Faults.halfStream, "Transient Unknown"],
      ["going away", Faults.goAway, "Transient Unknown"],
      ["aborted", Faults.abortedFetch, "aborted"],
      ["aborted, by node:http", Faults.abortedNode, "aborted"],
      ["aborted by a timeout", Faults.timedOutFetch, "Timeout Unknown"],
      ["aborted by a timeout, by node:http", Faults.timedOutNode, "Timeout Unknown"],
      ["aborted, by undici", { name: "AbortError", code: "UND_ERR_ABORTED" }, "aborted"],
      [
        "an attempt too long",
        new AttemptTimeout.AttemptTimedOut({ attempt: 1, after: Duration.zero }),
        "Timeout Unknown"
      ],
      [
        "a deadline inside",
        new Deadline.DeadlineExceeded({ within: Duration.zero, attempts: 1, cause: undefined }),
        "Timeout Unknown"
      ],
      ["no code at all", new Error("broken"), "Transient Unknown"],
      ["a refusal of fetch", new Error("bad port"), "refused by fetch: bad port"],
      ["a proxy that fails", Faults.proxyRefused(503), "Transient NotSent"],
      ["a proxy with a status of its own from 500 on", Faults.proxyRefused(599), "Transient NotSent"],
      ["a proxy that is asked too much", Faults.proxyRefused(429), "Transient NotSent"],
      ["a proxy that asks for credentials", Faults.proxyRefused(407), "transport error PROXY_407"],
      ["a proxy that forbids the host", Faults.proxyRefused(403), "transport error PROXY_403"],
      ["a tunnel that Node does not get", Faults.tunnelRefused(503), "Transient NotSent"],
      ["a tunnel that Node is not given", Faults.tunnelRefused(407), "transport error PROXY_407"],
      ["a tunnel that ends", Faults.tunnelRefused(undefined), "Transient NotSent"],
      ["nothing", undefined, "Transient Unknown"],
      ["text", "ECONNREFUSED", "Transient Unknown"]
    ]

    it.each(causes)("is judged by its cause: %s", (_, cause, expected) => {
      expect(judged(transportError(cause))).toBe(expected)
    })

    it.each(causes)("is judged by its cause when fetch wraps it: %s", (_, cause, expected) => {
      expect(judged(transportError(Faults.fetchFailed(cause)))).toBe(expected)
    })

    it.each(Object.entries(standardTables.codes))("follows the table of codes: %s", (code, row) => {
      const expected = row === undefined ? `transport error ${code}` : `${row.kind} ${row.processing ?? "Unknown"}`
      expect(judged(transportError(Object.assign(new Error("made up"), { code })))).toBe(expected)
      const named = Object.assign(new Error("made up"), { name: code })
      expect(judged(transportError(named))).toBe(expected)
    })

    const sent = Object.entries(standardTables.codes).flatMap(([code, row]) =>
      row === undefined ? [] : [[code, row.kind]]
    )

    it.each(sent)("tells from the system call whether anything was sent: %s", (code, kind) => {
      const of = (syscall: string) => judged(transportError(Object.assign(new Error("made up"), { code, syscall })))
      expect([of("connect"), of("read"), of("write")]).toEqual([
        `${kind} NotSent`,
        `${kind} Unknown`,
        `${kind} Unknown`
      ])
    })

    it("lists every code for which it says that nothing was sent", () => {
      const notSent = Object.entries(standardTables.codes).filter(([, row]) => row?.processing === "NotSent")
      expect(notSent.map(([code]) => code).toSorted()).toEqual([
        "EADDRINUSE",
        "EADDRNOTAVAIL",
        "EAI_AGAIN",
        "ECONNREFUSED",
        "EHOSTDOWN",
        "EHOSTUNREACH",
        "ENETDOWN",
        "ENETUNREACH",
        "ENOTFOUND",
        "ERR_HTTP2_GOAWAY_SESSION",
        "ERR_HTTP2_OUT_OF_STREAMS",
        "ERR_HTTP2_STREAM_CANCEL",
        "ERR_PROXY_TUNNEL",
        "ERR_SOCKET_CONNECTION_TIMEOUT",
        "PROXY_429",
        "PROXY_5XX",
        "UND_ERR_CONNECT_TIMEOUT"
      ])
    })

    it("says that nothing was sent only if every error of an aggregate says so", () => {
      const of = (...errors: ReadonlyArray<unknown>) => judged(transportError(new AggregateError(errors)))
      expect(of(Faults.refused, Faults.unknownHost)).toBe("Transient NotSent")
      expect(of(Faults.refused, Faults.reset)).toBe("Transient Unknown")
      expect(of(Faults.refused, new Error("of no code"))).toBe("Transient Unknown")
      expect(of(Faults.refused, Faults.abortedFetch)).toBe("aborted")
      expect(of()).toBe("Transient Unknown")
      const refused = (times: number) => of(...Array.from({ length: times }, () => Faults.refused))
      expect([refused(90), refused(1_000)]).toEqual(["Transient NotSent", "Transient Unknown"])
    })

    it("says nothing about a body that is a stream, which can have failed itself", () => {
      const streamed = HttpClientRequest.post("/", { body: HttpBody.stream(Stream.empty) })
      expect(judged(transportError(Faults.refused, streamed))).toBe("Transient Unknown")
      expect(judged(transportError(Faults.refusedStream, streamed))).toBe("Transient Unknown")
      const encoding = (of: HttpClientRequest.HttpClientRequest) =>
        judge(new HttpClientError.RequestError({ request: of, reason: "Encode" })).processing
      expect([encoding(streamed), encoding(request)]).toEqual(["Unknown", "NotSent"])
    })

    it.each([
      " A network error occurred.",
      "Failed to fetch",
      "Failed to fetch (host)",
      "Load failed",
      "Load failed (host)",
      "Network connection lost",
      "Network request failed",
      "NetworkError when attempting to fetch resource.",
      "The Internet connection appears to be offline.",
      "error sending request for url (http://host/): client error (Connect)",
      "fetch failed",
      "network error",
      "terminated"
    ])("is retryable if fetch says so of the network: %s", (message) => {
      expect(judged(transportError(new TypeError(message)))).toBe("Transient Unknown")
      expect(judged(transportError(new TypeError(message, { cause: new Error("of no code") })))).toBe(
        "Transient Unknown"
      )
    })

    it("is not retryable if it is another TypeError, unless it has a code or a row", () => {
      const bug = new TypeError("x is not a function")
      const why = "a TypeError that does not come from the network"
      expect([bug, new Error("wrapped", { cause: bug })].map((error) => judged(transportError(error)))).toEqual([
        why,
        why
      ])
      expect(judged(transportError(Object.assign(new TypeError("odd"), { code: "ERR_ODD" })))).toBe("Transient Unknown")
      const codes = { ...tables.codes, TypeError: { kind: "Transient" } } as const
      expect(judged(transportError(bug), { ...tables, codes })).toBe("Transient Unknown")
    })

    it("takes the outermost code that has a row", () => {
      const wrapped = Object.assign(new Error("wrapped", { cause: Faults.refused }), { code: "MY_CODE" })
      expect(judged(transportError(wrapped))).toBe("Transient NotSent")
      const codes = { ...tables.codes, MY_CODE: { kind: "Client" } } as const
      expect(judged(transportError(wrapped), { ...tables, codes })).toBe("Client Unknown")
    })

    it("is not retryable when its row is taken out, or all other rows", () => {
      const without = { ...tables, codes: { ...tables.codes, ECONNRESET: undefined } }
      expect(judged(transportError(Faults.reset), without)).toBe("transport error ECONNRESET")
      const known = { ...tables, transport: undefined }
      const of = (code: unknown) => judged(transportError({ code, cause: { code: "EINNER" } }), known)
      expect([of("EWHAT"), of("a\u0000b"), of("x".repeat(50)), of(7)]).toEqual([
        "transport error EWHAT",
        "transport error EINNER",
        "transport error EINNER",
        "transport error EINNER"
      ])
      expect(judged(transportError(undefined), known)).toBe("transport error")
      expect(judged(transportError(Faults.reset), known)).toBe("Transient Unknown")
      // A case that wants a hint gets none from a transport.
      expect(judged(transportError(undefined), { ...tables, transport: { hinted: "Server" } })).toBe("transport error")
    })
  })

  describe("another error of the client", () => {
    it("is final when the request could not be made", () => {
      const of = (reason: "Encode" | "InvalidUrl") =>
        judge(new HttpClientError.RequestError({ request, reason, cause: Faults.reset }))
      expect([of("Encode"), of("InvalidUrl")]).toEqual([
        { verdict: Verdict.terminal("the body could not be encoded"), processing: "NotSent" },
        { verdict: Verdict.terminal("the URL is not valid"), processing: "NotSent" }
      ])
    })

    it("is judged by its status like the response, and is final if that is an answer", () => {
      for (let status = 100; status <= 599; status++) {
        const expected = judged(response(status, { "x-wait": "5" }))
        expect(judged(responseError("StatusCode", response(status, { "x-wait": "5" })))).toBe(
          expected === "no opinion" ? `status ${status}` : expected
        )
      }
      expect(judged(responseError("StatusCode", response(413)))).toBe("status 413")
      expect(judged(responseError("StatusCode", response(409, { "x-should-retry": "true" })))).toBe("Client Unknown")
    })

    it.each(["Decode", "EmptyBody"] as const)("is judged by what broke the body, or by the status: %s", (reason) => {
      const of = (cause: unknown, status = 200) => judged(responseError(reason, response(status), cause))
      const final = reason === "Decode" ? "the response could not be decoded" : "the response has no body"
      expect(of(Faults.terminated(Faults.otherSideClosed))).toBe("Transient Unknown")
      expect(of(Faults.refused)).toBe("Transient Unknown")
      expect(of(Faults.bodyTimeout)).toBe("Timeout Unknown")
      expect(of(Faults.abortedFetch)).toBe("aborted")
      expect(of(new SyntaxError("Unexpected token"))).toBe(final)
      expect(of(undefined)).toBe(final)
      expect([of(new SyntaxError("<html>"), 503), of(undefined, 501), of(undefined, 404)]).toEqual([
        "Server Unknown",
        "status 501",
        final
      ])
    })

    it("has no opinion on a value that only looks like one", () => {
      const fake = (own: object) => ({ [HttpClientError.TypeId]: HttpClientError.TypeId, ...own })
      for (const own of [
        {},
        { _tag: "RequestError" },
        { _tag: "RequestError", reason: "Other" },
        { _tag: "ResponseError", reason: 7 },
        { _tag: "OtherError", reason: "StatusCode" }
      ]) {
        expect(judged(fake(own))).toBe("no opinion")
      }
      expect(judged(fake({ _tag: "ResponseError", reason: "StatusCode" }))).toBe("status undefined")
    })
  })

  describe("any other error", () => {
    class Mine extends Data.TaggedError("Mine")<{ readonly cause?: unknown }> {}

    it.each([
      ["timed out by Effect", new Cause.TimeoutException(), "Timeout Unknown"],
      [
        "timed out by core",
        new AttemptTimeout.AttemptTimedOut({ attempt: 1, after: Duration.zero }),
        "Timeout Unknown"
      ],
      ["timed out by the platform", Faults.timedOutFetch, "Timeout Unknown"],
      ["aborted", Faults.abortedFetch, "aborted"],
      ["a bad certificate", Faults.fetchFailed(Faults.selfSigned), "transport error DEPTH_ZERO_SELF_SIGNED_CERT"],
      // The error can be of a later request, or of no request at all.
      ["a known code", Faults.fetchFailed(Faults.refused), "Transient Unknown"],
      [
        "a known code in an error of the caller",
        new Mine({ cause: transportError(Faults.refused) }),
        "Transient Unknown"
      ],
      [
        "a known code in an aggregate, beside errors that say nothing",
        new AggregateError([new Error("of no code"), Faults.refused]),
        "Transient Unknown"
      ],
      ["an unknown code", Faults.fault("open", { code: "ENOENT" }), "no opinion"],
      ["an error of the caller", new Mine({}), "no opinion"],
      ["a bug", new TypeError("undefined is not a function"), "no opinion"],
      ["nothing", undefined, "no opinion"],
      ["text", "ECONNRESET", "no opinion"],
      ["a status", 503, "no opinion"]
    ])("is judged if its code is known, and not otherwise: %s", (_, error, expected) => {
      expect(judged(error)).toBe(expected)
    })

    it.each(Object.entries(Faults.hostile))("never throws: %s", (_, error) => {
      expect(judged(error)).toBe("no opinion")
      expect(judged(transportError(error))).toBe("Transient Unknown")
      expect(judged(responseError("Decode", response(200), error))).toBe("the response could not be decoded")
    })

    it.prop(
      "never throws, whatever the error",
      [fc.anything({ withNullPrototype: true })],
      ([error]) => {
        expect(["Retryable", "Terminal", "NoOpinion"]).toContain(judge(error).verdict._tag)
        expect(["Retryable", "Terminal"]).toContain(judge(transportError(error)).verdict._tag)
      },
      { fastCheck: { seed: 20_261_120, numRuns: 500 } }
    )
  })
})

describe("HttpClassifier.isFine", () => {
  it("holds for what needs no judgement", () => {
    const accepted = make({ ...tables, statuses: { ...tables.statuses, 202: { kind: "Server" } } })
    expect([200, 202, 304, 400, 503].map((status) => HttpClassifier.isFine(accepted, response(status)))).toEqual([
      true,
      false,
      true,
      false,
      false
    ])
  })

  it("agrees with the judgement", () => {
    const headers = { "x-wait": "5", "x-should-retry": "true" }
    const fine = Array.from({ length: 500 }, (_, index) => response(100 + index, headers)).filter((of) =>
      HttpClassifier.isFine(make(tables), of)
    )
    expect(fine.map((of) => judged(of))).toEqual(Array.from({ length: 300 }, () => "no opinion"))
  })

  it("is false for a classifier without tables", () => {
    expect(
      [Classifier.never, Classifier.firstOf(standard)].map((self) => HttpClassifier.isFine(self, response(200)))
    ).toEqual([false, false])
  })
})

describe("HttpClassifier.isResponse", () => {
  it("tells responses from everything else", () => {
    expect(
      [response(200), transportError(undefined), new Response(), undefined, Faults.hostile.proxy].map(
        HttpClassifier.isResponse
      )
    ).toEqual([true, false, false, false, false])
  })
})

describe("HttpClassifier.responseOf", () => {
  it("is the response, or that of an error of the platform", () => {
    const of = response(503)
    const errors = [responseError("StatusCode", of), transportError(undefined), { response: of }, undefined]
    expect([of, ...errors].map(HttpClassifier.responseOf)).toEqual([of, of, undefined, undefined, undefined])
  })
})

describe("HttpClassifier.isHttpClassifier", () => {
  it("tells classifiers with tables from everything else", () => {
    const others = [Classifier.never, Classifier.firstOf(standard), tables, undefined]
    expect([standard, make(tables), ...others].map(HttpClassifier.isHttpClassifier)).toEqual([
      true,
      true,
      ...others.map(() => false)
    ])
  })
})

describe("HttpClassifier.make", () => {
  it("answers a classifier that judges by its tables", () => {
    const classifier = make(tables)
    expectTypeOf(classifier).toMatchTypeOf<Classifier.Classifier<unknown>>()
    expect(classifier(response(503, { "x-wait": "5" }), at(0))).toEqual(Verdict.retryable("Throttling", { hint: 5 }))
    expect(standard(transportError(Faults.refused), at(0))).toEqual(Verdict.transient)
  })

  it("answers one that composes with others", () => {
    const mine = Classifier.firstOf(
      Classifier.when((error: unknown) => error === "mine", Verdict.terminal("mine")),
      make(tables)
    )
    expect(["mine", response(503)].map((error) => mine(error, at(0)))).toEqual([
      Verdict.terminal("mine"),
      Verdict.retryable("Server")
    ])
  })

  it.effect("retries an error of the caller's own, and keeps its types", () =>
    Effect.gen(function* () {
      const statuses = [503, 429, 200]
      const client = HttpClient.make((of) =>
        Effect.sync(() =>
          HttpClientResponse.fromWeb(
            of,
            new Response("{}", { status: statuses.shift() ?? 500, headers: { "x-wait": "5" } })
          )
        )
      ).pipe(HttpClient.filterStatusOk)
      const retried = Retry.retry(client.get("http://localhost/").pipe(Effect.flatMap((of) => of.json)), {
        classifier: make(tables),
        maxAttempts: 3,
        backoff: Backoff.constant({ delay: 0 }),
        hint: Hint.floor({ atMost: "1 second", otherwise: "giveUp" })
      })
      expectTypeOf(retried).toEqualTypeOf<Effect.Effect<unknown, HttpClientError.HttpClientError>>()
      expect(yield* VirtualClock.run(retried)).toEqual({})
      expect(statuses).toEqual([])
    })
  )

  it.effect("reads what a client of the platform fails with", () =>
    Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient
      const error = yield* Effect.flip(client.get("http://localhost/"))
      expect(standard(error, at(0))).toEqual(Verdict.transient)
    }).pipe(
      Effect.provide(FetchHttpClient.layer),
      Effect.provideService(FetchHttpClient.Fetch, () => Promise.reject(Faults.fetchFailed(Faults.reset)))
    )
  )
})

describe("HttpClassifier.make tables", () => {
  it("are those it was given", () => {
    expect(make(tables).tables).toEqual(tables)
    expect(standard.tables).toEqual(standardTables)
    const emptied = {
      ...tables,
      statuses: {},
      codes: { ECONNRESET: undefined },
      transport: undefined,
      hints: [],
      directives: []
    }
    expect(make(emptied).tables).toEqual(emptied)
  })

  it("are read once", () => {
    const statuses: Record<number, HttpClassifier.Case> = { 503: { kind: "Server" } }
    const classifier = make({ ...tables, statuses })
    delete statuses[503]
    expect(classifier(response(503), at(0))).toEqual(Verdict.retryable("Server"))
  })

  const bad: ReadonlyArray<readonly [change: object, message: string]> = [
    [{ statuses: undefined }, "statuses must be a table, got undefined"],
    [{ statuses: { 99: { kind: "Server" } } }, "statuses must be a whole number >= 100 and <= 599, got 99"],
    [{ statuses: { 600: { kind: "Server" } } }, "statuses must be a whole number >= 100 and <= 599, got 600"],
    [{ statuses: { "5xx": { kind: "Server" } } }, "statuses must be a whole number >= 100 and <= 599, got NaN"],
    [{ statuses: { 503.5: { kind: "Server" } } }, "statuses must be a whole number >= 100 and <= 599, got 503.5"],
    [
      { statuses: { 503: { kind: "Bad" } } },
      `statuses[503].kind must be one of ${Verdict.kinds.join(", ")}, got "Bad"`
    ],
    [{ statuses: { 503: { hinted: 7 } } }, `statuses[503].hinted must be one of ${Verdict.kinds.join(", ")}, got 7`],
    [{ statuses: { 503: null } }, "statuses[503] must be a case or undefined, got null"],
    [{ statuses: { 503: "Server" } }, 'statuses[503] must be a case or undefined, got "Server"'],
    [{ codes: [] }, "codes must be a table, got []"],
    [{ codes: { EX: { kind: "bad" } } }, `codes[EX].kind must be one of ${Verdict.kinds.join(", ")}, got "bad"`],
    [
      { codes: { EX: { kind: "Server", processing: "Sent" } } },
      'codes[EX].processing must be one of NotSent, NotProcessed, Unknown, got "Sent"'
    ],
    [{ transport: { kind: "" } }, `transport.kind must be one of ${Verdict.kinds.join(", ")}, got ""`],
    [{ transport: 7 }, "transport must be a case or undefined, got 7"],
    [{ hints: undefined }, "hints must be a list of header readers, got undefined"],
    [{ hints: [{ name: "x" }] }, "hints must be a list of header readers, got [an object]"],
    [{ hints: [{ name: "x", read: 5 }] }, "hints must be a list of header readers, got [an object]"],
    [{ hints: [{ read: () => 5 }] }, "hints must be a list of header readers, got [an object]"],
    [{ hints: [null] }, "hints must be a list of header readers, got [null]"],
    [{ directives: "x-should-retry" }, 'directives must be a list of names, got "x-should-retry"'],
    [
      { directives: ["x-should-retry", "X-Retry"] },
      'directives[1] must be the name of a header in lower case, got "X-Retry"'
    ],
    [{ directives: [""] }, 'directives[0] must be the name of a header in lower case, got ""'],
    [{ directives: [null] }, "directives[0] must be the name of a header in lower case, got null"],
    [
      { directives: [{ name: "x", read: 5 }] },
      "directives[0] must be the name of a header in lower case, got an object"
    ],
    [{ directives: [{ read: () => true }] }, "directives[0] must be the name of a header in lower case, got an object"]
  ]

  it.each(bad)("refuses what is not a table: %o", (change, message) => {
    expect(() => make({ ...tables, ...change })).toThrow(`HttpClassifier.make: ${message}`)
  })

  it("refuses what is not a record", () => {
    // @ts-expect-error - tables are wanted
    expect(() => make(undefined)).toThrow("HttpClassifier.make: tables must be a record of tables, got undefined")
  })

  it("has types by which the compiler refuses most of it", () => {
    // @ts-expect-error - no such kind
    expect(() => make({ ...tables, transport: { kind: "Bad" } })).toThrow("transport.kind")
    // @ts-expect-error - no such processing
    expect(() => make({ ...tables, transport: { processing: "Sent" } })).toThrow("transport.processing")
    expectTypeOf<HttpClassifier.Processing>().toEqualTypeOf<"NotSent" | "NotProcessed" | "Unknown">()
  })
})
