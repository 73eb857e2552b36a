import { FetchHttpClient, HttpBody, HttpClient, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { type HttpClassifier, Idempotency } from "@effect-retry/http"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { Effect, Stream } from "effect"

const { standard } = Idempotency

const request = (method: string, headers: Record<string, string> = {}, body: HttpBody.HttpBody = HttpBody.empty) =>
  // The platform's type knows seven methods; its clients send any.
  HttpClientRequest.setBody(HttpClientRequest.make(method as "POST")("http://localhost/", { headers }), body)

const judged = (
  of: HttpClientRequest.HttpClientRequest,
  processing: HttpClassifier.Processing = "Unknown",
  declared?: string,
  rules = standard
): string => {
  const result = Idempotency.judge(rules, of, processing, declared)
  return result._tag === "Repeatable" ? `yes: ${result.because}` : `no: ${result.why}`
}

const idempotent = ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY"]
const others = ["POST", "PATCH", "CONNECT", "LOCK", "get"]

const tag = '"33a64df5"'
const date = "Sun, 06 Nov 1994 08:49:37 GMT"

/** Headers, and what makes a request with them repeatable; `undefined` if nothing does. */
const headers: ReadonlyArray<readonly [headers: Record<string, string>, because: string | undefined]> = [
  [{}, undefined],
  [{ "idempotency-key": "k" }, "it carries Idempotency-Key"],
  [{ "Idempotency-Key": '"8e03978e-40d5"' }, "it carries Idempotency-Key"],
  [{ "idempotency-key": "" }, undefined],
  [{ "idempotency-key": " \t " }, undefined],
  [{ "x-idempotency-key": "k" }, undefined],
  [{ "if-match": tag }, "If-Match lets it be carried out only once"],
  [{ "if-match": `W/${tag}` }, "If-Match lets it be carried out only once"],
  [{ "if-match": '""' }, "If-Match lets it be carried out only once"],
  [{ "if-match": "*" }, undefined],
  [{ "if-match": `${tag}, "other"` }, undefined],
  [{ "if-match": "33a64df5" }, undefined],
  [{ "if-match": `w/${tag}` }, undefined],
  [{ "if-match": "" }, undefined],
  [{ "if-unmodified-since": date }, "If-Unmodified-Since lets it be carried out only once"],
  [{ "if-unmodified-since": date, "if-match": "*" }, undefined],
  [{ "if-unmodified-since": date, "if-match": tag }, "If-Match lets it be carried out only once"],
  [{ "if-unmodified-since": "Sunday, 06-Nov-94 08:49:37 GMT" }, undefined],
  [{ "if-unmodified-since": "Sun Nov  6 08:49:37 1994" }, undefined],
  [{ "if-unmodified-since": "yesterday" }, undefined],
  [{ "if-unmodified-since": "Sun, 06 Nov 1994 08:49:60 GMT" }, undefined],
  [{ "if-unmodified-since": "Sat, 31 Dec 2016 23:59:60 GMT" }, undefined],
  [{ "if-unmodified-since": "Sat, 31 Dec 2016 24:00:00 GMT" }, undefined],
  [{ "if-unmodified-since": "Wed, 31 Feb 2016 08:49:37 GMT" }, undefined],
  [{ "if-unmodified-since": "Xxx, 06 Nov 1994 08:49:37 GMT" }, undefined],
  [{ "if-unmodified-since": `${date}, ${date}` }, undefined],
  [{ "if-none-match": "*" }, "If-None-Match lets it be carried out only once"],
  [{ "if-none-match": " * " }, "If-None-Match lets it be carried out only once"],
  [{ "if-none-match": tag }, undefined],
  [{ "if-none-match": `${tag}, *` }, undefined],
  [{ "if-none-match": "" }, undefined],
  [{ "if-modified-since": date }, undefined],
  [{ "if-range": tag }, undefined],
  [{ "idempotency-key": "", "if-match": tag }, "If-Match lets it be carried out only once"]
]

const bodies = [HttpBody.empty, HttpBody.text("text"), HttpBody.stream(Stream.empty)]

describe("Idempotency.judge", () => {
  it.each(idempotent)("repeats what is idempotent, with or without anything else: %s", (method) => {
    for (const [head] of headers)
      for (const body of bodies) expect(judged(request(method, head, body))).toBe(`yes: ${method} is idempotent`)
  })

  it.each(headers)(
    "repeats another method only with a key, or with a condition that is met only once: %j",
    (head, because) => {
      for (const method of others) {
        for (const body of bodies) {
          expect(judged(request(method, head, body))).toBe(
            because === undefined ? `no: ${method} without Idempotency-Key` : `yes: ${because}`
          )
        }
      }
    }
  )

  it("repeats whatever was not sent or not processed", () => {
    for (const method of [...idempotent, ...others]) {
      expect(judged(request(method), "NotSent")).toBe("yes: it was not sent")
      expect(judged(request(method), "NotProcessed")).toBe("yes: the server did not process it")
    }
  })

  it("takes the caller's word", () => {
    expect(judged(request("POST"), "Unknown", "replaces the whole order")).toBe("yes: replaces the whole order")
    expect(judged(request("POST"), "NotSent", "replaces the whole order")).toBe("yes: it was not sent")
  })

  it("answers in the same form, whether or not the request may be sent again", () => {
    const of = (method: string) => Idempotency.judge(standard, request(method), "Unknown", undefined)
    expect([of("GET"), of("POST")]).toEqual([
      { _tag: "Repeatable", because: "GET is idempotent" },
      { _tag: "NotRepeatable", why: "POST without Idempotency-Key" }
    ])
  })

  it("follows the rules it is given", () => {
    const rules = {
      ...standard,
      methods: ["POST"],
      keyHeader: "x-request-id",
      preconditions: ["x-goog-if-generation-match"]
    }
    const of = (method: string, head: Record<string, string> = {}) =>
      judged(request(method, head), "Unknown", undefined, rules)
    expect(of("POST")).toBe("yes: POST is idempotent")
    expect(of("PUT")).toBe("no: PUT without X-Request-Id")
    expect(of("PUT", { "idempotency-key": "k", "if-match": tag })).toBe("no: PUT without X-Request-Id")
    expect(of("PUT", { "x-request-id": "7" })).toBe("yes: it carries X-Request-Id")
    expect(of("PUT", { "x-goog-if-generation-match": "0" })).toBe(
      "yes: X-Goog-If-Generation-Match lets it be carried out only once"
    )
    expect(of("PUT", { "x-goog-if-generation-match": " " })).toBe("no: PUT without X-Request-Id")
  })

  it("asks a custom rule first, and tells it what is known", () => {
    const asked: Array<Idempotency.Known> = []
    const rule: Idempotency.Rule = ({ url }, known) => {
      asked.push(known)
      if (url.endsWith("/search")) return { _tag: "Repeatable", because: "a search reads" }
      return url.endsWith("/draw") ? { _tag: "NotRepeatable", why: "each draw costs" } : undefined
    }
    const of = (method: string, path: string, processing: HttpClassifier.Processing, declared?: string) =>
      judged(HttpClientRequest.setUrl(request(method), `http://localhost/${path}`), processing, declared, {
        ...standard,
        rule
      })
    expect(of("POST", "search", "Unknown")).toBe("yes: a search reads")
    expect(of("GET", "draw", "Unknown")).toBe("no: each draw costs")
    expect(of("GET", "draw", "NotSent")).toBe("no: each draw costs")
    expect(of("GET", "draw", "NotProcessed", "paid for")).toBe("no: each draw costs")
    expect(of("POST", "other", "Unknown")).toBe("no: POST without Idempotency-Key")
    expect(of("POST", "other", "NotSent")).toBe("yes: it was not sent")
    expect(of("POST", "other", "Unknown", "paid for")).toBe("yes: paid for")
    expect(asked).toContainEqual({ processing: "NotProcessed", declared: "paid for" })
    expect(asked).toContainEqual({ processing: "Unknown", declared: undefined })
  })

  it.each([true, {}, { _tag: "Repeatable" }, { _tag: "NotRepeatable", because: "it reads" }])(
    "refuses the answer of a rule without a reason: %j",
    (answer) => {
      const rule = () => answer as Idempotency.Repeatable
      expect(() => judged(request("GET"), "Unknown", undefined, { ...standard, rule })).toThrow(
        "HttpRetry.Policy: idempotency.rule must be a function that answers with a reason, got"
      )
    }
  )

  it("finds no header when none was given, whatever its name", () => {
    for (const keyHeader of ["constructor", "tostring", "__proto__"]) {
      expect(judged(request("POST"), "Unknown", undefined, { ...standard, keyHeader })).toContain("no: POST without")
    }
  })
})

describe("Idempotency.wantsKey", () => {
  const rules = { ...standard, createKeyFor: ["POST", "PATCH"] }
  const wants = (method: string, head: Record<string, string> = {}, of = rules) =>
    Idempotency.wantsKey(of, request(method, head))

  it("holds for the methods named, unless they carry one", () => {
    expect(["POST", "PATCH", "PUT", "GET"].map((method) => wants(method))).toEqual([true, true, false, false])
    expect(wants("POST", { "idempotency-key": "k" })).toBe(false)
    expect([wants("POST", { "idempotency-key": "" }), wants("POST", { "idempotency-key": "  " })]).toEqual([true, true])
    expect(wants("POST", { "idempotency-key": "k" }, { ...rules, keyHeader: "x-key" })).toBe(true)
  })

  it("never holds by default", () => {
    expect(
      [...idempotent, ...others].filter((method) =>
        wants(method, {}, { ...standard, createKeyFor: [...standard.createKeyFor] })
      )
    ).toEqual([])
  })
})

describe("Idempotency.declared", () => {
  const seen = Effect.map(Idempotency.Declared, (because) => because)

  it.effect("holds for the effect alone, on both sides of a pipe", () =>
    Effect.gen(function* () {
      expect(yield* seen).toBe(undefined)
      expect(yield* Idempotency.declared(seen, "replaces it")).toBe("replaces it")
      expect(yield* seen.pipe(Idempotency.declared("inner"), Idempotency.declared("outer"))).toBe("inner")
      expect(yield* seen).toBe(undefined)
    })
  )

  it.effect("holds for all requests of a client", () =>
    Effect.gen(function* () {
      const reasons: Array<string | undefined> = []
      const client = HttpClient.make((of) =>
        Effect.map(seen, (because) => {
          reasons.push(because)
          return HttpClientResponse.fromWeb(of, new Response())
        })
      ).pipe(HttpClient.transformResponse(Idempotency.declared("a test server")))
      yield* client.get("http://localhost/")
      yield* client.post("http://localhost/")
      expect(reasons).toEqual(["a test server", "a test server"])
    })
  )

  it("keeps the types of the effect", () => {
    const call = Effect.flatMap(HttpClient.HttpClient, (client) => client.post("/"))
    expectTypeOf(Idempotency.declared(call, "why")).toEqualTypeOf<typeof call>()
    expectTypeOf(call.pipe(Idempotency.declared("why"))).toEqualTypeOf<typeof call>()
    expectTypeOf(call.pipe(Idempotency.declared("why"), Effect.provide(FetchHttpClient.layer))).toExtend<
      Effect.Effect<unknown, unknown>
    >()
  })

  it.each(["", " ", undefined, null, true])("wants a reason: %j", (because) => {
    expect(() => Idempotency.declared(seen, because as string)).toThrow(
      "Idempotency.declared: because must be a reason in words, got"
    )
    expect(() => seen.pipe(Idempotency.declared(because as string))).toThrow(
      "Idempotency.declared: because must be a reason in words, got"
    )
  })
})

describe("Idempotency.make", () => {
  it("answers the rules it was given", () => {
    const rules = { ...standard, createKeyFor: ["POST"], methods: [] }
    expect(Idempotency.make(rules)).toBe(rules)
    expect(Idempotency.make(standard)).toBe(standard)
  })

  it.each([
    [{ methods: ["GET", "post"] }, 'methods[1] must be the name of a method in upper case, got "post"'],
    [{ methods: "GET" }, 'methods must be a list of names, got "GET"'],
    [{ keyHeader: "Idempotency-Key" }, 'keyHeader must be the name of a header in lower case, got "Idempotency-Key"'],
    [{ keyHeader: "" }, 'keyHeader must be the name of a header in lower case, got ""'],
    [{ createKeyFor: true }, "createKeyFor must be a list of names, got true"],
    [{ createKeyFor: [""] }, 'createKeyFor[0] must be the name of a method in upper case, got ""'],
    [
      { preconditions: ["if-match", "If-None-Match"] },
      'preconditions[1] must be the name of a header in lower case, got "If-None-Match"'
    ],
    [{ preconditions: undefined }, "preconditions must be a list of names, got undefined"],
    [{ rule: true }, "rule must be a function of a request, got true"]
  ])("refuses what can never match: %o", (change, message) => {
    expect(() => Idempotency.make({ ...standard, ...change } as Idempotency.Idempotency)).toThrow(
      `Idempotency.make: ${message}`
    )
    expect(() => Idempotency.check("HttpRetry.make", { ...standard, ...change } as Idempotency.Idempotency)).toThrow(
      `HttpRetry.make: ${message}`
    )
  })

  it("refuses what is not a record", () => {
    // @ts-expect-error - rules are wanted
    expect(() => Idempotency.make(null)).toThrow(
      "Idempotency.make: idempotency must be a record of rules, such as Idempotency.standard, got null"
    )
  })

  it("accepts the names that HTTP accepts, in their usual case", () => {
    const header = (keyHeader: string) => () => Idempotency.make({ ...standard, keyHeader })
    const method = (name: string) => () => Idempotency.make({ ...standard, createKeyFor: [name] })
    for (const name of ["x_1", "a", "!#$%&'*+-.^_`|~0a"]) expect(header(name)().keyHeader).toBe(name)
    for (const name of [" ", "a b", "a:", "ä", "a\n", "a\u0000", "a,b"])
      expect(header(name)).toThrow("in lower case, got")
    for (const name of ["QUERY", "M-SEARCH"]) expect(method(name)().createKeyFor).toEqual([name])
    for (const name of ["Post", "POST ", "POST\n", "POST,PUT"]) expect(method(name)).toThrow("in upper case, got")
  })
})
