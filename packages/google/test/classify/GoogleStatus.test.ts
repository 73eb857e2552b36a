import { HttpClientError, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { GoogleStatus } from "@effect-retry/google"
import { describe, expect, it } from "@effect/vitest"
import { Metadata } from "@grpc/grpc-js"
import { Data } from "effect"
import * as FastCheck from "effect/FastCheck"
import * as Status from "../support/Status.ts"
import * as ErrorBody from "../../src/classify/ErrorBody.ts"

class Tagged extends Data.TaggedError("Tagged")<{ code?: unknown; status?: unknown; statusCode?: unknown }> {}

const body = {
  error: {
    code: 403,
    errors: [{ reason: "rateLimitExceeded" }, { domain: "global" }, { reason: "other" }],
    status: "PERMISSION_DENIED",
    details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "4s" }]
  }
}

const request = HttpClientRequest.get("http://localhost/")
const response = (status: number) => HttpClientResponse.fromWeb(request, new Response(null, { status }))

/** What was made, and what is read of it; the rest is as of nothing. */
const cases: ReadonlyArray<readonly [title: string, error: unknown, read: Partial<GoogleStatus.GoogleStatus>]> = [
  ["a number of gRPC", new Tagged({ code: 14 }), { code: "UNAVAILABLE" }],
  ["the number of success", new Tagged({ code: 0 }), { code: "OK" }],
  ["the last number of gRPC", new Tagged({ code: 16 }), { code: "UNAUTHENTICATED" }],
  ["a number between the two", new Tagged({ code: 17 }), {}],
  ["a number below them", new Tagged({ code: -1 }), {}],
  ["a fraction", new Tagged({ code: 14.5 }), {}],
  ["a number of HTTP", new Tagged({ code: 503 }), { status: 503 }],
  ["a number of HTTP as a text", new Tagged({ code: "503" }), { status: 503 }],
  ["a number above those of HTTP", new Tagged({ code: 600 }), {}],
  ["a name", new Tagged({ code: "UNAVAILABLE" }), { code: "UNAVAILABLE" }],
  ["a name in lower case", new Tagged({ code: "deadline_exceeded" }), { code: "DEADLINE_EXCEEDED" }],
  ["a name of Node", new Tagged({ code: "ECONNRESET" }), {}],
  ["a status", new Tagged({ status: 429 }), { status: 429 }],
  ["a status by its name", new Tagged({ status: "ABORTED" }), { code: "ABORTED" }],
  ["a statusCode", new Tagged({ statusCode: 500 }), { status: 500 }],
  ["a text that is too long", new Tagged({ code: " ".repeat(2000) }), {}],
  ["no object", "UNAVAILABLE", {}],
  ["a response", response(503), { status: 503 }],
  [
    "an error with a response",
    new HttpClientError.ResponseError({ request, response: response(429), reason: "StatusCode" }),
    { status: 429 }
  ],
  [
    "a response with its body",
    ErrorBody.withBody(response(403), body),
    { status: 403, code: "PERMISSION_DENIED", reasons: ["rateLimitExceeded", "other"], retryInfoMillis: 4000 }
  ],
  ["a response with a body that is no object", ErrorBody.withBody(response(403), "no"), { status: 403 }],
  [
    "a body",
    body,
    { status: 403, code: "PERMISSION_DENIED", reasons: ["rateLimitExceeded", "other"], retryInfoMillis: 4000 }
  ],
  [
    "an error of gaxios",
    Object.assign(new Error("Forbidden"), { code: "403", response: { status: 403, data: body } }),
    { status: 403, code: "PERMISSION_DENIED", reasons: ["rateLimitExceeded", "other"], retryInfoMillis: 4000 }
  ],
  [
    "an error of @google-cloud/storage",
    Object.assign(new Error("Too Many Requests"), { code: 429, errors: [{ reason: "rateLimitExceeded" }] }),
    { status: 429, reasons: ["rateLimitExceeded"] }
  ]
]

const nothing: GoogleStatus.GoogleStatus = {
  status: undefined,
  code: undefined,
  reasons: [],
  retryInfoMillis: undefined,
  pushback: undefined
}

describe("GoogleStatus.read", () => {
  it.each(cases)("reads a status by its shape: %s", (_, error, read) => {
    expect(GoogleStatus.read(error)).toEqual({ ...nothing, ...read })
  })

  it("reads the trailers of an error of grpc-js", () => {
    const metadata = new Metadata()
    metadata.set("grpc-status-details-bin", Buffer.from(Status.encoded([Status.retryInfo(2n)])))
    metadata.add("grpc-retry-pushback-ms", "100")
    expect(GoogleStatus.read(Object.assign(new Error("8"), { code: 8, metadata }))).toEqual({
      ...nothing,
      code: "RESOURCE_EXHAUSTED",
      retryInfoMillis: 2000,
      pushback: 100
    })
  })

  it("never throws, whatever an error does", () => {
    const fail = () => {
      throw new Error("no")
    }
    const hostile = [
      new Proxy({}, { get: fail }),
      {
        get code() {
          return fail()
        },
        metadata: { get: fail }
      },
      { metadata: { get: () => new Proxy([], { get: fail }) } },
      Proxy.revocable({}, {}).proxy
    ]
    for (const error of hostile) expect(GoogleStatus.read(error)).toEqual(nothing)
    const { proxy, revoke } = Proxy.revocable([], {})
    revoke()
    expect(GoogleStatus.read({ metadata: { get: () => proxy } })).toEqual(nothing)
    expect(GoogleStatus.read({ errors: proxy, error: { details: proxy } })).toEqual(nothing)
    FastCheck.assert(
      FastCheck.property(FastCheck.anything(), (error) => {
        GoogleStatus.read(error)
      })
    )
  })
})

describe("GoogleStatus.chain", () => {
  it("has the outermost first, and ten causes", () => {
    const deep = (depth: number): Error => new Error("", depth === 0 ? {} : { cause: deep(depth - 1) })
    expect(GoogleStatus.chain(deep(20)).length).toBe(11)
    const wrapped = new Tagged({ code: 14 })
    expect(GoogleStatus.chain(new Error("", { cause: wrapped })).map(({ code }) => code)).toEqual([
      undefined,
      "UNAVAILABLE"
    ])
    const circle: { cause?: unknown } = {}
    circle.cause = circle
    expect(GoogleStatus.chain(circle).length).toBe(11)
    expect(GoogleStatus.chain("no")).toEqual([])
  })
})
