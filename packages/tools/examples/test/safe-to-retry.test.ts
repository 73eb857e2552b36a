import { Backoff, type Observe } from "@effect-retry/core"
import { HttpClassifier, HttpRetry, Idempotency, RequestBody } from "@effect-retry/http"
import { FetchHttpClient, HttpBody, HttpClientError, HttpClientRequest } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { Readable } from "node:stream"
import { answer, broken, exchange, ok } from "../src/http-scripted.ts"
import { rowsOf } from "./rows.ts"

const path = "docs/safe-to-retry.md"

const codesIn = (cell = "") => Array.from(cell.matchAll(/`([^`]+)`/g), ([, code = ""]) => code)

/** What a retried client makes of a failure: whether it sent the request again, and the reason where it did not. */
const sendingOf = (request: HttpClientRequest.HttpClientRequest, failure: ReturnType<typeof answer>) => {
  let why = ""
  const observer: Observe.Observer = (event) =>
    Effect.sync(() => {
      if (event._tag === "GaveUp" && event.reason._tag === "Terminal") why = event.reason.why
    })
  const backoff = Backoff.constant({ delay: 0 })
  return Effect.map(
    exchange([failure, ok], (client) =>
      HttpRetry.withRetry(client, { ...HttpRetry.standard, backoff, observe: [observer] }).execute(request)
    ),
    ({ sent }) => ({ decision: sent.length === 2 ? "sent again" : "stops", why })
  )
}

describe(`${path} ## The decision`, () => {
  const columns = {
    body: ["replayable", "one-shot"],
    happened: ["not sent", "not processed", "unknown"],
    declared: ["no", "yes"],
    method: ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY", "POST", "PATCH", "LOCK"],
    key: ["absent", "present"],
    precondition: ["none", "`If-Match`", "`If-Unmodified-Since`", "`If-None-Match: *`"]
  } as const
  type Column = keyof typeof columns
  type Combination = { readonly [C in Column]: (typeof columns)[C][number] }
  const names = Object.keys(columns) as ReadonlyArray<Column>
  const combinations = names.reduce<ReadonlyArray<Readonly<Record<string, string>>>>(
    (all, name) => all.flatMap((one) => columns[name].map((value) => ({ ...one, [name]: value }))),
    [{}]
  ) as ReadonlyArray<Combination>

  const rows = rowsOf(path, "## The decision")

  const fits = (cell: string, column: Column, value: string): boolean =>
    cell === "any" || cell === value || (column === "method" && codesIn(cell).includes(value))

  const rowOf = (combination: Combination) =>
    rows.findIndex((row) => names.every((name, i) => fits(row[i] ?? "", name, combination[name])))

  const preconditions: Readonly<Record<Combination["precondition"], Record<string, string>>> = {
    none: {},
    "`If-Match`": { "if-match": '"v1"' },
    "`If-Unmodified-Since`": { "if-unmodified-since": "Sun, 06 Nov 1994 08:49:37 GMT" },
    "`If-None-Match: *`": { "if-none-match": "*" }
  }

  const requestOf = ({ body, key, method, precondition }: Combination) =>
    HttpClientRequest.make(method as "POST")("https://api.example/", {
      headers: { ...preconditions[precondition], ...(key === "present" && { "idempotency-key": "k" }) },
      body: body === "one-shot" ? HttpBody.raw(new ReadableStream()) : HttpBody.text("a")
    })

  const failures = {
    "not sent": broken({ code: "ECONNREFUSED", syscall: "connect" }),
    "not processed": broken({ code: "NGHTTP2_REFUSED_STREAM" }),
    unknown: broken({ code: "ECONNRESET", syscall: "read" })
  } as const
  const processings = { "not sent": "NotSent", "not processed": "NotProcessed", unknown: "Unknown" } as const

  const words = "the caller's own words"

  it("every row is the one for some combination", () => {
    expect(new Set(combinations.map(rowOf))).toEqual(new Set(rows.keys()))
  })

  it.each(columns.method)("every combination with %s is decided as its row says, and for its reason", (method) => {
    const ofMethod = combinations.filter((combination) => combination.method === method)
    expect(ofMethod.length).toBeGreaterThan(0)
    const wrong = ofMethod.flatMap((combination) => {
      const [decision, reason] = rows[rowOf(combination)]?.slice(-2) ?? []
      const request = requestOf(combination)
      const expected = reason?.replace("`<method>`", combination.method)
      const sending = sendingOf(request, failures[combination.happened])
      const declared = combination.declared === "yes" ? words : undefined
      const seen = Effect.runSync(declared === undefined ? sending : Idempotency.declared(sending, declared))
      const judged = Idempotency.judge(Idempotency.standard, request, processings[combination.happened], declared)
      const why =
        seen.decision === "stops" ? seen.why : judged._tag === "Repeatable" ? judged.because : `not repeatable`
      return seen.decision === decision && why === expected ? [] : [{ combination, seen, why }]
    })
    expect(wrong).toEqual([])
  })
})

describe(`${path} ## What happened`, () => {
  const { standard, standardTables } = HttpClassifier
  const named = [...Object.entries(standardTables.statuses), ...Object.entries(standardTables.codes)]

  it.each([
    ["not sent", "NotSent"],
    ["not processed", "NotProcessed"]
  ] as const)("%s is what the standard tables say of these", (happened, processing) => {
    const [, cell = ""] = rowsOf(path, "## What happened").find(([first]) => first === happened) ?? []
    const listed = cell.split(", ").map((code) => code.replaceAll("`", ""))
    const expected = named.flatMap(([code, row]) => (row?.processing === processing ? [code] : []))
    expect(listed.toSorted()).toEqual(expected.toSorted())
  })

  const request = HttpClientRequest.post("https://api.example/")
  const streamed = HttpClientRequest.bodyStream(request, Stream.make(new Uint8Array(1)))
  const processingOf = (of: HttpClientRequest.HttpClientRequest, cause: unknown) =>
    HttpClassifier.judge(standard, new HttpClientError.RequestError({ request: of, reason: "Transport", cause }), NaN)
      .processing

  const redirected = "it may come from the target of a redirect"
  const rows = rowsOf(path, "### Where the failure says more")

  it.each(rows.filter(([says]) => says !== redirected))("%s: %s", (says = "", happened = "") => {
    const processing = happened === "not sent" ? "NotSent" : "Unknown"
    const calls = codesIn(says)
    const seen = says.includes("Stream")
      ? [processingOf(streamed, { code: "ECONNREFUSED", syscall: "connect" })]
      : calls.flatMap((syscall) =>
          ["ECONNREFUSED", "ECONNRESET", "X"].map((code) => processingOf(request, { code, syscall }))
        )
    expect(seen.length).toBeGreaterThan(0)
    expect(new Set(seen)).toEqual(new Set([processing]))
  })

  it.effect(`${redirected}: unknown, and not when fetch is told not to follow`, () =>
    Effect.gen(function* () {
      expect(rows.at(-1)).toEqual([redirected, "unknown"])
      const cause = new TypeError("fetch failed", { cause: { code: "ECONNREFUSED", syscall: "connect" } })
      const failure = (of: HttpClientRequest.HttpClientRequest) =>
        new HttpClientError.RequestError({ request: of, reason: "Transport", cause })
      const seen = sendingOf(request, failure)
      expect(yield* seen).toMatchObject({ decision: "stops" })
      for (const redirect of ["manual", "error"] as const) {
        expect(yield* Effect.provideService(seen, FetchHttpClient.RequestInit, { redirect })).toMatchObject({
          decision: "sent again"
        })
      }
      const elsewhere = HttpClientRequest.get("https://elsewhere.example/")
      const refused = broken({ code: "ECONNREFUSED", syscall: "connect" })
      expect(yield* sendingOf(request, refused)).toMatchObject({ decision: "sent again" })
      expect(yield* sendingOf(request, () => refused(elsewhere))).toMatchObject({ decision: "stops" })
    })
  )

  it("a timeout, 429 and 503 leave it unknown", () => {
    expect([standardTables.statuses[429]?.processing, standardTables.statuses[503]?.processing]).toEqual([
      undefined,
      undefined
    ])
    expect(standardTables.codes["AttemptTimedOut"]?.processing).toBe(undefined)
  })
})

describe(`${path} ## Bodies`, () => {
  const stream = HttpBody.stream(Stream.make(new Uint8Array(1)))
  const bodies: Readonly<Record<string, ReadonlyArray<HttpBody.HttpBody>>> = {
    none: [HttpBody.empty],
    "`HttpBody.text`, `HttpBody.unsafeJson`, `HttpBody.uint8Array`": [
      HttpBody.text("a"),
      HttpBody.unsafeJson({}),
      HttpBody.uint8Array(new Uint8Array(1))
    ],
    "`HttpBody.formData`": [HttpBody.formData(new FormData())],
    "`HttpBody.raw` of a string, bytes, `Blob`, `URLSearchParams` or `FormData`": [
      "a",
      new Uint8Array(1),
      new ArrayBuffer(1),
      new Blob(["a"]),
      new URLSearchParams(),
      new FormData()
    ].map((body) => HttpBody.raw(body)),
    "`HttpBody.stream`": [stream],
    "`HttpBody.stream`, inside `RequestBody.replayable`": [stream],
    "`HttpBody.raw` of a `ReadableStream`": [HttpBody.raw(new ReadableStream())],
    "`HttpBody.raw` of a Node stream": [HttpBody.raw(Readable.from(["a"]))],
    "`HttpBody.raw` of an iterator": [HttpBody.raw(["a"].values())],
    "`HttpBody.raw` of an iterable": [HttpBody.raw(new Set(["a"]))],
    "`HttpBody.raw` of anything else": [HttpBody.raw({ a: 1 }), HttpBody.raw(1)]
  }
  const rows = rowsOf(path, "## Bodies")

  it("has a row for each of these bodies", () => {
    expect(rows.map(([name]) => name)).toEqual(Object.keys(bodies))
  })

  it.effect.each(rows)("%s is what the table says", ([name = "", again, reason]) =>
    Effect.gen(function* () {
      const isDeclared = name.includes("RequestBody.replayable")
      for (const body of bodies[name] ?? []) {
        const put = HttpClientRequest.setBody(HttpClientRequest.put("https://api.example/"), body)
        const sending = sendingOf(put, answer(500))
        expect(yield* isDeclared ? RequestBody.replayable(sending) : sending).toEqual({
          decision: again === "yes" ? "sent again" : "stops",
          why: reason
        })
      }
    })
  )
})

describe(`${path} ## Preconditions`, () => {
  it.each(rowsOf(path, "## Preconditions"))("%s: %s", (header = "", counts = "") => {
    const [, name = "", value = ""] = /^`([^:]+): (.*)`$/.exec(header) ?? []
    const request = HttpClientRequest.patch("https://api.example/", { headers: { [name]: value } })
    const judged = Idempotency.judge(Idempotency.standard, request, "Unknown", undefined)
    expect(judged._tag === "Repeatable" ? "yes" : "no").toBe(counts)
  })

  it("of other headers every value counts that is not blank", () => {
    const rules = { ...Idempotency.standard, preconditions: ["x-if-version"] }
    const judged = ["7", " "].map((value) => {
      const request = HttpClientRequest.patch("https://api.example/", { headers: { "x-if-version": value } })
      return Idempotency.judge(rules, request, "Unknown", undefined)._tag
    })
    expect(judged).toEqual(["Repeatable", "NotRepeatable"])
  })
})

describe(`${path} ## What no rule knows`, () => {
  it.effect("a directive makes no POST repeatable", () =>
    Effect.gen(function* () {
      const post = HttpClientRequest.post("https://api.example/")
      expect(yield* sendingOf(post, answer(503, { "x-should-retry": "true" }))).toEqual({
        decision: "stops",
        why: "POST without Idempotency-Key"
      })
    })
  )
})
