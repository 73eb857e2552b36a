import { Classifier, Verdict } from "@effect-retry/core"
import { GrpcClassifier, StatusCode } from "@effect-retry/grpc"
import { describe, expect, it } from "@effect/vitest"
import { Metadata } from "@grpc/grpc-js"
import { Data, Duration, Option } from "effect"
import * as FastCheck from "effect/FastCheck"

const moment: Classifier.Moment = { nowMillis: Date.UTC(2026, 10, 22), attempt: 1, elapsed: Duration.zero }

const said = (verdict: Verdict.Verdict): string => {
  if (verdict._tag === "NoOpinion") return "no opinion"
  const hint = Option.match(verdict.hint, { onNone: () => "", onSome: (hint) => ` in ${Duration.toMillis(hint)}` })
  const kind = Option.getOrElse(Verdict.kindOf(verdict), () => "")
  return verdict._tag === "Retryable" ? `${kind}${hint}` : `no: ${verdict.why}${kind && ` (${kind})`}${hint}`
}

const unavailable = GrpcClassifier.make({ codes: ["UNAVAILABLE"] })

const judged = (error: unknown, classifier: Classifier.Classifier = unavailable): string =>
  said(classifier(error, moment))

class Call extends Data.TaggedError("Call")<{ code: unknown; metadata?: Metadata; cause?: unknown }> {}

const trailers = (pushback: string | ReadonlyArray<string>): Metadata => {
  const metadata = new Metadata()
  for (const value of [pushback].flat()) metadata.add("grpc-retry-pushback-ms", value)
  return metadata
}

/**
 * What each code means when it is not retried, and the kind it has when it is.
 *
 * Source: https://grpc.github.io/grpc/core/md_doc_statuscodes.html.
 */
const codes: Readonly<Record<StatusCode.StatusCode, readonly [refused: string, retried: string]>> = {
  OK: ["no: OK", "Client"],
  CANCELLED: ["no: CANCELLED", "Client"],
  UNKNOWN: ["no: UNKNOWN (Server)", "Server"],
  INVALID_ARGUMENT: ["no: INVALID_ARGUMENT", "Client"],
  DEADLINE_EXCEEDED: ["no: DEADLINE_EXCEEDED (Timeout)", "Timeout"],
  NOT_FOUND: ["no: NOT_FOUND", "Client"],
  ALREADY_EXISTS: ["no: ALREADY_EXISTS", "Client"],
  PERMISSION_DENIED: ["no: PERMISSION_DENIED", "Client"],
  RESOURCE_EXHAUSTED: ["no: RESOURCE_EXHAUSTED (Throttling)", "Throttling"],
  FAILED_PRECONDITION: ["no: FAILED_PRECONDITION", "Client"],
  ABORTED: ["no: ABORTED (Client)", "Client"],
  OUT_OF_RANGE: ["no: OUT_OF_RANGE", "Client"],
  UNIMPLEMENTED: ["no: UNIMPLEMENTED", "Client"],
  INTERNAL: ["no: INTERNAL (Server)", "Server"],
  UNAVAILABLE: ["no: UNAVAILABLE (Transient)", "Transient"],
  DATA_LOSS: ["no: DATA_LOSS (Server)", "Server"],
  UNAUTHENTICATED: ["no: UNAUTHENTICATED", "Client"]
}

const all = Object.entries(codes) as ReadonlyArray<[StatusCode.StatusCode, readonly [string, string]]>

describe("GrpcClassifier.make", () => {
  it.each(all)("retries %s if the method lists it, by number, by name, and as a cause", (code, [refused, retried]) => {
    const forms = [
      new Call({ code }),
      new Call({ code: code.toLowerCase() }),
      new Call({ code: StatusCode.toNumber(code) }),
      new Error("wrapped", { cause: new Call({ code }) })
    ]
    for (const error of forms) {
      expect(judged(error, GrpcClassifier.make({ codes: [] }))).toBe(refused)
      expect(judged(error, GrpcClassifier.make({ codes: ["NOT_FOUND", code] }))).toBe(retried)
    }
  })

  it("has no opinion on an error without a code of gRPC", () => {
    const classifier = GrpcClassifier.make({ codes: StatusCode.names })
    for (const error of [new Call({ code: 503 }), new Call({ code: "ECONNRESET" }), new Error("bug"), "UNAVAILABLE"]) {
      expect(judged(error, classifier)).toBe("no opinion")
    }
  })

  const busy = (pushback: string | ReadonlyArray<string>) => new Call({ code: 14, metadata: trailers(pushback) })
  const missing = (pushback: string) => new Call({ code: 5, metadata: trailers(pushback) })

  /**
   * Values of the trailer. Source: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Pushback".
   */
  const forbidden = "no: grpc-retry-pushback-ms forbids a retry"
  const pushbacks: ReadonlyArray<readonly [values: string | ReadonlyArray<string>, expected: string]> = [
    ["0", "Transient in 0"],
    ["123", "Transient in 123"],
    ["4567000", "Transient in 4567000"],
    ["-1", `${forbidden} (Transient)`],
    ["", `${forbidden} (Transient)`],
    ["soon", `${forbidden} (Transient)`],
    ["1.5", `${forbidden} (Transient)`],
    [" 5 ", `${forbidden} (Transient)`],
    ["1e3", `${forbidden} (Transient)`],
    ["9".repeat(400), `${forbidden} (Transient)`],
    [["1", "2"], `${forbidden} (Transient)`]
  ]

  it.each(pushbacks)("reads the pushback %j", (value, expected) => {
    expect(judged(busy(value))).toBe(expected)
  })

  it("reads a pushback of a cause under an outer code, and the code of a cause under an outer pushback", () => {
    const wrapped = (cause: unknown) => new Call({ code: "UNAVAILABLE", cause })
    expect(judged(wrapped(missing("100")))).toBe("Transient in 100")
    expect(judged(wrapped(busy("-1")))).toBe(`${forbidden} (Transient)`)
    expect(judged({ metadata: trailers("7"), cause: new Call({ code: 14 }) })).toBe("Transient in 7")
  })

  it.each([
    ["hint", "no: NOT_FOUND", "no: grpc-retry-pushback-ms forbids a retry"],
    ["retry", "Client in 100", "no: grpc-retry-pushback-ms forbids a retry"],
    ["ignore", "no: NOT_FOUND", "no: NOT_FOUND"]
  ] as const)("follows the rule for pushbacks of codes that are not listed: %s", (pushback, given, refused) => {
    const classifier = GrpcClassifier.make({ codes: ["UNAVAILABLE"], pushback })
    expect(judged(missing("100"), classifier)).toBe(given)
    expect(judged(missing("-1"), classifier)).toBe(refused)
  })

  it.each([
    [undefined, "options must be a record"],
    [{}, "codes must be a list of names"],
    [{ codes: "UNAVAILABLE" }, "codes must be a list of names"],
    [{ codes: ["UNAVAILABLE", "BUSY"] }, "codes[1] must be one of OK, CANCELLED"],
    [{ codes: [], pushback: true }, "pushback must be one of hint, retry, ignore, got true"]
  ])("refuses what its type cannot exclude: %j", (options, message) => {
    expect(() => GrpcClassifier.make(options as unknown as GrpcClassifier.Options)).toThrow(
      `GrpcClassifier.make: ${message}`
    )
  })

  it("never throws, whatever it judges", () => {
    const classifier = GrpcClassifier.make({ codes: ["UNAVAILABLE"], pushback: "retry" })
    FastCheck.assert(
      FastCheck.property(FastCheck.anything(), FastCheck.anything(), (code, metadata) => {
        for (const error of [code, { code, metadata }, { cause: { code } }]) {
          expect(["Retryable", "Terminal", "NoOpinion"]).toContain(classifier(error, moment)._tag)
        }
      })
    )
  })
})
