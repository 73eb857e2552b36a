import { HttpClientError, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { Classifier, Verdict } from "@effect-retry/core"
import { GoogleClassifier } from "@effect-retry/google"
import { StatusCode } from "@effect-retry/grpc"
import { describe, expect, it } from "@effect/vitest"
import { Metadata } from "@grpc/grpc-js"
import { Data, Duration, Option } from "effect"
import * as FastCheck from "effect/FastCheck"
import * as Status from "../support/Status.ts"
import * as ErrorBody from "../../src/classify/ErrorBody.ts"

const moment: Classifier.Moment = { nowMillis: Date.UTC(2026, 10, 22), attempt: 1, elapsed: Duration.zero }

/** A verdict in words, such as `Throttling in 2000` or `no: status 404`. */
const said = (verdict: Verdict.Verdict): string => {
  if (verdict._tag === "NoOpinion") return "no opinion"
  const hint = Option.match(verdict.hint, { onNone: () => "", onSome: (hint) => ` in ${Duration.toMillis(hint)}` })
  const kind = Option.getOrElse(Verdict.kindOf(verdict), () => "")
  return verdict._tag === "Retryable" ? `${kind}${hint}` : `no: ${verdict.why}${kind && ` (${kind})`}${hint}`
}

const judged = (outcome: unknown, classifier: Classifier.Classifier = GoogleClassifier.http): string =>
  said(classifier(outcome, moment))

const request = HttpClientRequest.get("http://localhost/storage/v1/b")

const response = (status: number, body?: unknown, headers: Record<string, string> = {}) =>
  ErrorBody.withBody(HttpClientResponse.fromWeb(request, new Response(null, { status, headers })), body)

const error = (...reasons: ReadonlyArray<string>) => ({ error: { errors: reasons.map((reason) => ({ reason })) } })
const retryInfo = (retryDelay: string) => ({
  error: { details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay }] }
})

/**
 * Source: https://cloud.google.com/storage/docs/retry-strategy, "Response": 408, 429 and 5xx.
 */
const kindOf = (status: number): string | undefined => {
  if (status === 408 || status === 504) return "Timeout"
  if (status === 429) return "Throttling"
  return status >= 500 ? "Server" : undefined
}

describe("GoogleClassifier.http", () => {
  it("retries 408, 429 and every 5xx, as a response and as an error", () => {
    for (let status = 200; status < 600; status++) {
      const failed = new HttpClientError.ResponseError({ request, response: response(status), reason: "StatusCode" })
      expect(judged(response(status))).toBe(kindOf(status) ?? "no opinion")
      expect(judged(failed)).toBe(kindOf(status) ?? `no: status ${status}`)
    }
  })

  it.each([
    [403, "rateLimitExceeded", "Throttling"],
    [403, "userRateLimitExceeded", "Throttling"],
    [403, "quotaExceeded", "no opinion"],
    [403, "dailyLimitExceeded", "no opinion"],
    [403, "forbidden", "no opinion"],
    [403, "toString", "no opinion"],
    [400, "rateLimitExceeded", "Throttling"],
    [503, "rateLimitExceeded", "Server"]
  ])("takes a %d whose reason is %s for what the reason says", (status, reason, expected) => {
    expect(judged(response(status, error(reason)))).toBe(expected)
    expect(judged(response(status, error("global", reason)))).toBe(expected)
  })

  it("reads the reason when the response is in an error", () => {
    const failed = (of: string) =>
      new HttpClientError.ResponseError({ request, response: response(403, error(of)), reason: "StatusCode" })
    expect(judged(failed("rateLimitExceeded"))).toBe("Throttling")
    expect(judged(failed("forbidden"))).toBe("no: status 403")
  })

  it("waits as RetryInfo says, and else as Retry-After says", () => {
    expect(judged(response(429, retryInfo("2s")))).toBe("Throttling in 2000")
    expect(judged(response(429, undefined, { "retry-after": "7" }))).toBe("Throttling in 7000")
    expect(judged(response(429, retryInfo("2s"), { "retry-after": "7" }))).toBe("Throttling in 2000")
    expect(judged(response(403, error("rateLimitExceeded"), { "retry-after": "7" }))).toBe("Throttling in 7000")
    expect(judged(response(503, undefined, { "retry-after": "7" }))).toBe("Throttling in 7000")
    expect(judged(response(503, retryInfo("2s")))).toBe("Server in 2000")
    expect(judged(response(429, retryInfo("-2s")))).toBe("Throttling")
  })

  it("gives RetryInfo as a hint only for what is retryable", () => {
    expect(judged(response(404, retryInfo("2s")))).toBe("no opinion")
    expect(judged(response(200, retryInfo("2s")))).toBe("no opinion")
  })

  it.each([
    ["ECONNRESET", "Transient"],
    ["ECONNREFUSED", "Transient"],
    ["EPIPE", "Transient"],
    ["EAI_AGAIN", "Transient"],
    ["ETIMEDOUT", "Timeout"],
    ["CERT_HAS_EXPIRED", "no: transport error CERT_HAS_EXPIRED"]
  ])("judges the connection error %s, of this client and of others", (code, expected) => {
    const cause = Object.assign(new Error("broken"), { code })
    expect(judged(new HttpClientError.RequestError({ request, reason: "Transport", cause }))).toBe(expected)
    expect(judged(cause)).toBe(expected)
    expect(judged(new Error("failed", { cause }))).toBe(expected)
  })

  class Failed extends Data.TaggedError("Failed")<{ status?: number; code?: unknown; cause?: unknown }> {}

  it.each([
    [new Failed({ status: 503 }), "Server"],
    [new Failed({ status: 404 }), "no: status 404"],
    [new Failed({ code: 429 }), "Throttling"],
    [new Failed({ code: "408" }), "Timeout"],
    [Object.assign(new Error("Forbidden"), { code: 403, errors: [{ reason: "rateLimitExceeded" }] }), "Throttling"],
    [
      Object.assign(new Error("Forbidden"), { response: { status: 403, data: error("rateLimitExceeded") } }),
      "Throttling"
    ],
    [new Failed({ cause: new Failed({ status: 503 }) }), "Server"],
    [new Failed({ code: 14 }), "no opinion"],
    [new Error("other"), "no opinion"],
    ["other", "no opinion"]
  ])("judges errors of other clients by what they carry: %s", (failed, expected) => {
    expect(judged(failed)).toBe(expected)
  })

  it("has no opinion on a bug, and so composes", () => {
    const own = Classifier.firstOf(GoogleClassifier.http, Classifier.always)
    expect(judged(new TypeError("x is not a function"), own)).toBe("Transient")
    expect(judged(new Failed({ status: 404 }), own)).toBe("no: status 404")
  })
})

const { httpTables } = GoogleClassifier

describe("GoogleClassifier.fromTables", () => {
  it.each([
    ["hint", "Throttling in 2000", "no opinion"],
    ["retry", "Throttling in 2000", "Client in 2000"],
    ["ignore", "Throttling", "no opinion"]
  ] as const)("follows the rule for RetryInfo: %s", (rule, throttled, refused) => {
    const classifier = GoogleClassifier.fromTables({ ...httpTables, retryInfo: rule })
    expect(judged(response(429, retryInfo("2s")), classifier)).toBe(throttled)
    expect(judged(response(404, retryInfo("2s")), classifier)).toBe(refused)
    expect(judged(response(404), classifier)).toBe("no opinion")
  })

  it("names the kind after the status if only RetryInfo makes it retryable", () => {
    const classifier = GoogleClassifier.fromTables({ ...httpTables, statuses: {}, retryInfo: "retry" })
    expect([400, 429, 500].map((status) => judged(response(status, retryInfo("1s")), classifier))).toEqual([
      "Client in 1000",
      "Throttling in 1000",
      "Server in 1000"
    ])
  })

  it("adds and removes rows", () => {
    const classifier = GoogleClassifier.fromTables({
      ...httpTables,
      statuses: { ...httpTables.statuses, 501: undefined, 409: { kind: "Client" } },
      reasons: { ...httpTables.reasons, internalError: "Server", rateLimitExceeded: undefined }
    })
    expect([501, 409, 502].map((status) => judged(response(status), classifier))).toEqual([
      "no: status 501",
      "Client",
      "Server"
    ])
    expect(judged(response(400, error("internalError")), classifier)).toBe("Server")
    expect(judged(response(403, error("rateLimitExceeded")), classifier)).toBe("no opinion")
  })

  it.each([
    [{ retryInfo: "always" }, 'retryInfo must be one of hint, retry, ignore, got "always"'],
    [{ reasons: [] }, "reasons must be a table"],
    [{ reasons: { busy: "Busy" } }, "reasons[busy] must be one of Transient, Throttling, Timeout, Server, Client"],
    [{ statuses: { 999: { kind: "Server" } } }, "statuses must be a whole number"],
    [{ hints: "retry-after" }, "hints must be a list of header readers"]
  ])("refuses what its type cannot exclude: %j", (change, message) => {
    expect(() =>
      GoogleClassifier.fromTables({ ...httpTables, ...change } as unknown as GoogleClassifier.Tables)
    ).toThrow(`GoogleClassifier.fromTables: ${message}`)
  })
})

class Call extends Data.TaggedError("Call")<{ code: unknown; metadata?: Metadata; cause?: unknown }> {}

const trailers = (values: Record<string, string | ReadonlyArray<string> | Uint8Array>): Metadata => {
  const metadata = new Metadata()
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === "string") metadata.add(name, value)
    else if (value instanceof Uint8Array) metadata.add(name, Buffer.from(value))
    else for (const one of value) metadata.add(name, one)
  }
  return metadata
}

describe("GoogleClassifier.grpc", () => {
  it("judges codes as GrpcClassifier does, even the code of an error body", () => {
    const classifier = GoogleClassifier.grpc({ codes: ["UNAVAILABLE"] })
    expect(judged(new Call({ code: 14 }), classifier)).toBe("Transient")
    expect(judged({ error: { code: 503, status: "UNAVAILABLE" } }, classifier)).toBe("Transient")
    expect(judged(new Error("wrapped", { cause: new Call({ code: "ABORTED" }) }), classifier)).toBe(
      "no: ABORTED (Client)"
    )
    expect(judged(new Call({ code: 503 }), classifier)).toBe("no opinion")
  })

  const busy = (values: Record<string, string | ReadonlyArray<string> | Uint8Array>) =>
    new Call({ code: 14, metadata: trailers(values) })
  const missing = (values: Record<string, string | ReadonlyArray<string> | Uint8Array>) =>
    new Call({ code: 5, metadata: trailers(values) })
  const details = { "grpc-status-details-bin": Status.encoded([Status.retryInfo(2n)]) }

  it.each([
    [undefined, "Transient in 2000", "no: NOT_FOUND"],
    ["hint", "Transient in 2000", "no: NOT_FOUND"],
    ["retry", "Transient in 2000", "Client in 2000"],
    ["ignore", "Transient", "no: NOT_FOUND"]
  ] as const)("follows the rule for RetryInfo: %s", (retryInfo, retried, refused) => {
    const classifier = GoogleClassifier.grpc({ codes: ["UNAVAILABLE"], retryInfo })
    expect([judged(busy(details), classifier), judged(missing(details), classifier)]).toEqual([retried, refused])
  })

  const forbidden = "no: grpc-retry-pushback-ms forbids a retry"

  it("reads what the server asks for in a cause, under an outer code", () => {
    const wrapped = (cause: unknown) => new Call({ code: "UNAVAILABLE", cause })
    expect(judged(wrapped(busy(details)), GoogleClassifier.aip194)).toBe("Transient in 2000")
    expect(judged(wrapped(missing({ "grpc-retry-pushback-ms": "100" })), GoogleClassifier.aip194)).toBe(
      "Transient in 100"
    )
    expect(judged(wrapped(busy({ "grpc-retry-pushback-ms": "-1" })), GoogleClassifier.aip194)).toBe(
      `${forbidden} (Transient)`
    )
  })

  it("reads the code of a cause under an outer error with details of the server", () => {
    const outer = (metadata: unknown) => ({ metadata, cause: new Call({ code: 14 }) })
    expect(judged(outer(trailers(details)), GoogleClassifier.aip194)).toBe("Transient in 2000")
    expect(judged(outer(trailers({ "grpc-retry-pushback-ms": "7" })), GoogleClassifier.aip194)).toBe("Transient in 7")
  })

  it("lets the pushback go before RetryInfo", () => {
    const both = (value: string) => busy({ ...details, "grpc-retry-pushback-ms": value })
    expect(judged(both("100"), GoogleClassifier.aip194)).toBe("Transient in 100")
    const always = GoogleClassifier.grpc({ codes: [], retryInfo: "retry" })
    expect(judged(both("100"), always)).toBe("Transient in 100")
    expect(judged(busy({ "grpc-retry-pushback-ms": "100" }), always)).toBe("no: UNAVAILABLE (Transient)")
    const ignoring = { codes: [], retryInfo: "retry", pushback: "ignore" } as const
    expect(judged(both("100"), GoogleClassifier.grpc(ignoring))).toBe("Transient in 2000")
    expect(judged(both("-1"), GoogleClassifier.grpc(ignoring))).toBe("Transient in 2000")
    expect(judged(both("-1"), GoogleClassifier.grpc({ codes: [], retryInfo: "retry" }))).toBe(
      `${forbidden} (Transient)`
    )
  })

  it.each([
    [undefined, "options must be a record"],
    [{}, "codes must be a list of names"],
    [{ codes: "UNAVAILABLE" }, "codes must be a list of names"],
    [{ codes: ["UNAVAILABLE", "BUSY"] }, "codes[1] must be one of OK, CANCELLED"],
    [{ codes: [], pushback: true }, "pushback must be one of hint, retry, ignore, got true"],
    [{ codes: [], retryInfo: "" }, "retryInfo must be one of hint, retry, ignore"]
  ])("refuses what its type cannot exclude: %j", (options, message) => {
    expect(() => GoogleClassifier.grpc(options as unknown as GoogleClassifier.Grpc)).toThrow(
      `GoogleClassifier.grpc: ${message}`
    )
  })
})

describe("GoogleClassifier.aip194", () => {
  it("retries UNAVAILABLE and nothing else", () => {
    const retried = StatusCode.names.filter(
      (code) => judged(new Call({ code }), GoogleClassifier.aip194) === "Transient"
    )
    expect(retried).toEqual(["UNAVAILABLE"])
  })
})

describe("GoogleClassifier", () => {
  it("never throws, whatever it judges", () => {
    const classifiers = [
      GoogleClassifier.http,
      GoogleClassifier.grpc({ codes: ["UNAVAILABLE"], retryInfo: "retry", pushback: "retry" })
    ]
    FastCheck.assert(
      FastCheck.property(FastCheck.anything(), FastCheck.anything(), (code, metadata) => {
        for (const classifier of classifiers) {
          for (const error of [code, { code, metadata }, { cause: { code } }]) {
            expect(["Retryable", "Terminal", "NoOpinion"]).toContain(classifier(error, moment)._tag)
          }
        }
      })
    )
  })
})
