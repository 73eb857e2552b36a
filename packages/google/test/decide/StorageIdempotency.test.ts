import { HttpBody, HttpClientRequest } from "@effect/platform"
import { StorageIdempotency, StorageOperation } from "@effect-retry/google"
import { Idempotency } from "@effect-retry/http"
import { describe, expect, it } from "@effect/vitest"

const { always, decide, format, judge, make, never, standard } = StorageIdempotency

const base = "https://storage.googleapis.com"
const get = HttpClientRequest.get(`${base}/storage/v1/b/photos/o/cat`)
const insert = HttpClientRequest.post(`${base}/upload/storage/v1/b/photos/o?uploadType=media&name=cat`)
const acl = HttpClientRequest.post(`${base}/storage/v1/b/photos/acl`)
const unknown = HttpClientRequest.post(`${base}/storage/v1/b/photos/folders`)
const withParams = (request: HttpClientRequest.HttpClientRequest, params: Record<string, string>) =>
  HttpClientRequest.setUrlParams(request, params)

describe("StorageIdempotency.decide", () => {
  it.each(StorageOperation.names)("follows the row of %s, for every precondition", (operation) => {
    const { repetition } = StorageOperation.table[operation]
    for (const precondition of StorageOperation.preconditions) {
      const decision = decide(standard, { operation, preconditions: [precondition] })
      const expected =
        repetition === "always"
          ? `retried: ${operation} may always be repeated`
          : repetition === "never"
            ? `not retried: ${operation} may never be repeated`
            : repetition.some((one) => one === precondition)
              ? `retried: ${operation} with ${precondition}`
              : `not retried: ${operation} without ${repetition.join(" or ")}`
      expect(format(decision)).toBe(expected)
      expect(format(decide(always, { operation, preconditions: [precondition] }))).toBe(
        "retried: the strategy is to retry always"
      )
      expect(format(decide(never, { operation, preconditions: [precondition] }))).toBe(
        "not retried: the strategy is to retry never"
      )
    }
  })

  it("says what is missing, in the words of the API", () => {
    const why = (operation: StorageOperation.StorageOperation) => format(decide(standard, { operation }))
    expect([
      why("objects.insert"),
      why("objects.delete"),
      why("buckets.setIamPolicy"),
      why("buckets.patch"),
      why("hmacKey.create")
    ]).toEqual([
      "not retried: objects.insert without ifGenerationMatch",
      "not retried: objects.delete without ifGenerationMatch or generation",
      "not retried: buckets.setIamPolicy without etag or If-Match",
      "not retried: buckets.patch without ifMetagenerationMatch or If-Match",
      "not retried: hmacKey.create may never be repeated"
    ])
  })

  it.each([
    [null, "call must be a record, got null"],
    [{ operation: "objects.isnert" }, "operation must be one of buckets.list, "],
    [
      { operation: "objects.insert", preconditions: "ifGenerationMatch" },
      "preconditions must be a list of preconditions"
    ],
    [{ operation: "objects.insert", preconditions: ["ifMatch"] }, "preconditions must be one of "]
  ])("refuses invalid names: %#", (call, message) => {
    expect(() => decide(standard, call as never)).toThrow(`StorageIdempotency.decide: ${message}`)
  })

  it("names the first precondition that counts", () => {
    const preconditions = ["generation", "ifMetagenerationMatch", "ifGenerationMatch"] as const
    expect(format(decide(standard, { operation: "objects.delete", preconditions }))).toBe(
      "retried: objects.delete with ifGenerationMatch"
    )
  })
})

describe("StorageIdempotency.judge", () => {
  it.each([
    [get, "retried: objects.get may always be repeated"],
    [insert, "not retried: objects.insert without ifGenerationMatch"],
    [withParams(insert, { ifGenerationMatch: "0" }), "retried: objects.insert with ifGenerationMatch"],
    [withParams(insert, { ifGenerationMatch: "" }), "not retried: objects.insert without ifGenerationMatch"],
    [acl, "not retried: bucket_acl.insert may never be repeated"],
    [unknown, "not retried: POST calls no known operation of Cloud Storage"],
    [HttpClientRequest.put(`${base}/photos/cat`), "not retried: objects.insert without ifGenerationMatch"],
    [
      HttpClientRequest.put(`${base}/photos/cat`, { headers: { "x-goog-if-generation-match": "0" } }),
      "retried: objects.insert with ifGenerationMatch"
    ],
    [
      HttpClientRequest.del(`${base}/photos/cat`),
      "not retried: objects.delete without ifGenerationMatch or generation"
    ],
    [HttpClientRequest.get(`${base}/photos/cat`), "retried: objects.get may always be repeated"],
    [HttpClientRequest.put(`${base}/photos/cat?acl`), "not retried: PUT calls no known operation of Cloud Storage"],
    [HttpClientRequest.get(`${base}/photos/cat?acl`), "retried: GET only reads"],
    [HttpClientRequest.head(`${base}/photos/cat?acl`), "retried: HEAD only reads"]
  ])("decides for a request: %#", (request, decision) => {
    expect(format(judge(standard, request))).toBe(decision)
  })

  it("goes by the strategy alone if that is not conditional", () => {
    for (const request of [get, insert, acl, unknown]) {
      expect(judge(always, request)._tag).toBe("Repeatable")
      expect(judge(never, request)._tag).toBe("NotRepeatable")
    }
  })
})

const judged = (
  rules: StorageIdempotency.StorageIdempotency,
  request: HttpClientRequest.HttpClientRequest,
  processing: "NotProcessed" | "NotSent" | "Unknown" = "Unknown",
  declared?: string
) => format(Idempotency.judge(rules, request, processing, declared))

describe("StorageIdempotency as the idempotency of a policy", () => {
  it("decides in place of the methods, keys and preconditions of HTTP", () => {
    const put = HttpClientRequest.put(`${base}/storage/v1/b/photos/o/cat`)
    expect(judged(standard, get)).toBe("retried: objects.get may always be repeated")
    expect(judged(standard, put)).toBe("not retried: objects.update without ifMetagenerationMatch or If-Match")
    for (const header of [standard.keyHeader, "idempotency-key", "if-none-match"]) {
      expect(judged(standard, HttpClientRequest.setHeader(insert, header, "*"))).toBe(
        "not retried: objects.insert without ifGenerationMatch"
      )
    }
  })

  it("repeats what was not sent, not processed or declared repeatable, unless the strategy is never", () => {
    for (const request of [insert, acl, unknown]) {
      expect(judged(standard, request, "NotSent")).toBe("retried: it was not sent")
      expect(judged(standard, request, "NotProcessed")).toBe("retried: the server did not process it")
      expect(judged(standard, request, "Unknown", "names are unique")).toBe("retried: names are unique")
      for (const processing of ["NotSent", "NotProcessed", "Unknown"] as const) {
        expect(judged(never, request, processing, "names are unique")).toBe(
          "not retried: the strategy is to retry never"
        )
      }
    }
  })

  it("creates no key, and keeps the token for the header of the operation", () => {
    expect(Idempotency.wantsKey(standard, insert)).toBe(false)
    expect(standard.keyHeader).toBe("x-goog-gcs-idempotency-token")
    expect(Idempotency.make(standard)).toBe(standard)
  })
})

describe("StorageIdempotency.make", () => {
  it("takes rows and a strategy by spread", () => {
    const own = make({
      ...standard.rules,
      operations: { ...standard.rules.operations, "objects.insert": "always", "buckets.get": "never" }
    })
    expect(format(judge(own, insert))).toBe("retried: objects.insert may always be repeated")
    expect(format(decide(own, { operation: "buckets.get" }))).toBe("not retried: buckets.get may never be repeated")
    expect(format(judge(make({ ...own.rules, strategy: "never" }), get))).toBe(
      "not retried: the strategy is to retry never"
    )
  })

  it("reads its data once", () => {
    const operations = { ...standard.rules.operations }
    const own = make({ strategy: "conditional", operations })
    operations["objects.insert"] = "always"
    expect(judge(own, insert)._tag).toBe("NotRepeatable")
  })

  const { operations } = standard.rules

  it.each([
    [null, "rules must be a record of rules, got null"],
    [{ operations }, "strategy must be one of conditional, always, never, got undefined"],
    [{ strategy: "Always", operations }, 'strategy must be one of conditional, always, never, got "Always"'],
    [{ strategy: "always" }, "operations must be a table"],
    [
      { strategy: "always", operations: {} },
      "operations[buckets.list] must be always, never, or a list of preconditions"
    ],
    [
      { strategy: "always", operations: { ...operations, "objects.insert": ["ifGenerationsMatch"] } },
      "operations[objects.insert] must be always, never, or a list of preconditions"
    ],
    [
      { strategy: "always", operations: { ...operations, "objects.isnert": "always" } },
      "operations must be one of buckets.list, "
    ],
    [
      { strategy: "always", operations: { ...operations, "objects.get": true } },
      "operations[objects.get] must be always, never, or a list of preconditions"
    ]
  ])("refuses what its type cannot exclude: %#", (rules, message) => {
    expect(() => make(rules as unknown as StorageIdempotency.Rules)).toThrow(`StorageIdempotency.make: ${message}`)
  })
})

describe("StorageIdempotency.judge of a policy", () => {
  it("reads an etag of the body, as updates of policies and keys carry it", () => {
    const set = (etag?: string) =>
      HttpClientRequest.setBody(
        HttpClientRequest.put(`${base}/storage/v1/b/photos/iam`),
        HttpBody.unsafeJson({ bindings: [], etag })
      )
    expect(format(judge(standard, set("CAE=")))).toBe("retried: buckets.setIamPolicy with etag")
    expect(format(judge(standard, set()))).toBe("not retried: buckets.setIamPolicy without etag or If-Match")
  })
})
