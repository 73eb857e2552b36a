import {
  AttemptTimeout,
  Backoff,
  Classifier,
  Deadline,
  Hint,
  InvalidArgument,
  type Observe,
  type Retry,
  TokenBucket,
  Verdict
} from "@effect-retry/core"
import {
  Connections,
  Discard,
  Download,
  HttpClassifier,
  HttpRetry,
  Idempotency,
  Presets,
  Unauthorized
} from "@effect-retry/http"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { HttpBody, HttpClient, type HttpClientError, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Clock, Context, Data, Duration, Effect, Fiber, Option, Schedule, Schema, Stream } from "effect"
import { expectTypeOf } from "vitest"
import { answer, broken, exchange, ok, reset, unavailable } from "../src/http-scripted.ts"
import type { Answer } from "../src/http-scripted.ts"
import { hear, hearing } from "./heard.ts"
import { read, rowsOf, tableOf } from "./rows.ts"

const path = "packages/http/README.md"

const virtually = (name: string, body: () => Effect.Effect<void, unknown>) =>
  it.effect(name, () => VirtualClock.run(body()).pipe(Effect.provide(SeededRandom.layerConstant(0.5))))

const url = "https://api.example/"

/** The reason of the last operation that gave up. */
let reason: Retry.StopReason | undefined
const listen: Observe.Observer = (event) =>
  Effect.sync(() => {
    if (event._tag === "GaveUp") reason = event.reason
  })

const policy = { ...HttpRetry.standard, backoff: Backoff.constant({ delay: "1 second" }), observe: [listen, hear] }

const get = (...answers: readonly [Answer, ...ReadonlyArray<Answer>]) => got(policy, ...answers)

const got = <P extends HttpRetry.Fields<HttpClientError.HttpClientError>>(
  of: HttpRetry.Checked<P>,
  ...answers: readonly [Answer, ...ReadonlyArray<Answer>]
) => exchange(answers, (client) => HttpRetry.withRetry(client, of).get(url))

const posted = (...answers: readonly [Answer, ...ReadonlyArray<Answer>]) =>
  exchange(answers, (client) => HttpRetry.withRetry(client, policy).post(url))

const hanging: Answer = () => Effect.never

const namesOf = (directives: HttpClassifier.Tables["directives"]): string =>
  directives.map((directive) => (typeof directive === "string" ? directive : directive.name)).join(", ")

/** Answers with a body that is made by hand. */
const bodied =
  (
    start: (controller: ReadableStreamDefaultController<Uint8Array>) => void,
    status = 200,
    headers: Readonly<Record<string, string>> = {}
  ): Answer =>
  (request) =>
    Effect.sync(() =>
      HttpClientResponse.fromWeb(request, new Response(new ReadableStream({ start }), { status, headers }))
    )

const breaking = bodied((controller) => controller.error(Object.assign(new Error(), { code: "ECONNRESET" })))

const executed = (
  answers: readonly [Answer, ...ReadonlyArray<Answer>],
  request = HttpClientRequest.get(url),
  of: HttpRetry.Preset<AttemptTimeout.AttemptTimedOut> = policy
) =>
  exchange(answers, (client) =>
    HttpRetry.execute(HttpRetry.withRetry(client, of), request, HttpClientResponse.schemaBodyJson(Schema.Number))
  )

const refusedByProxy = (status: number): Answer =>
  broken({ code: "UND_ERR_ABORTED", message: `Proxy response (${status}) !== 200 when HTTP Tunneling` })

/** The first two of four bytes, and no more. */
const begun = (headers: Readonly<Record<string, string>>): Answer => {
  let isFirst = true
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    if (isFirst) controller.enqueue(new TextEncoder().encode("01"))
    else controller.error(Object.assign(new Error(), { code: "ECONNRESET" }))
    isFirst = false
  }
  return (request) =>
    Effect.sync(() => HttpClientResponse.fromWeb(request, new Response(new ReadableStream({ pull }), { headers })))
}

const rest = (etag: string) => answer(206, { etag, "content-range": "bytes 2-3/4" }, "23")

const downloaded = (...answers: readonly [Answer, ...ReadonlyArray<Answer>]) =>
  exchange(answers, (client) =>
    Stream.mkString(Stream.decodeText(Download.stream(HttpRetry.withRetry(client, policy), HttpClientRequest.get(url))))
  )

const at = (value: unknown, ...fields: ReadonlyArray<string>): unknown =>
  fields.reduce<unknown>(
    (record, field) =>
      typeof record === "object" && record !== null
        ? Object.entries(record).find(([name]) => name === field)?.[1]
        : undefined,
    value
  )

const shown = (value: unknown): string => {
  if (value === undefined) return "absent"
  return Array.isArray(value) ? (value.length === 0 ? "none" : value.join(", ")) : String(value)
}

describe(`${path} ## Defaults`, () => {
  const { standard } = HttpRetry
  const { tree } = standard.backoff
  /** The bound before a retry. */
  const bound = (n: number): number =>
    tree._tag === "Leaf" ? (tree.curve.delayMillis(n, tree.state, Infinity, 1) ?? NaN) : NaN
  const values: Readonly<Record<string, unknown>> = {
    "`HttpRetry.standard` `maxAttempts`": standard.maxAttempts,
    "`HttpRetry.standard` base": bound(1),
    "`HttpRetry.standard` factor": bound(2) / bound(1),
    "`HttpRetry.standard` cap": at(standard.backoff.tree, "capMillis"),
    "`HttpRetry.standard` jitter": at(standard.backoff.tree, "jitter", "name"),
    "`HttpRetry.standard` `hint`": standard.hint?._tag,
    "`HttpRetry.standard` `hint` `atMost`": at(standard.hint, "atMostMillis"),
    "`HttpRetry.standard` `hint` `otherwise`": at(standard.hint, "otherwise"),
    "`HttpRetry.standard` `hint` `jitterRatio`": at(standard.hint, "jitterRatio"),
    "`HttpRetry.standard` `attemptTimeout`": standard.attemptTimeout,
    "`HttpRetry.standard` `deadline`": standard.deadline,
    "`HttpRetry.standard` `bucket`": at(standard, "bucket"),
    "`HttpRetry.standard` `rateLimiter`": at(standard, "rateLimiter"),
    "`HttpRetry.standard` `observe`": standard.observe,
    "`HttpRetry.standard` `opinion`": standard.opinion,
    "`HttpRetry.standard` `attemptHeaders`": standard.attemptHeaders,
    "`HttpRetry.standard` `beforeRetry`": at(standard, "beforeRetry"),
    "`HttpRetry.attemptNumber` `header`": Object.keys(
      HttpRetry.attemptNumber()({ number: 1, timeLeft: Option.none(), previous: Option.none() })
    ),
    "`Discard.standard` `atMostBytes`": Discard.standard.atMostBytes,
    "`Discard.standard` `within`": Duration.toMillis(Discard.standard.within),
    "`Connections.transientStatuses`": [...Connections.transientStatuses],
    "`Idempotency.standard` `methods`": Idempotency.standard.methods,
    "`Idempotency.standard` `keyHeader`": Idempotency.standard.keyHeader,
    "`Idempotency.standard` `createKeyFor`": Idempotency.standard.createKeyFor,
    "`Idempotency.standard` `preconditions`": Idempotency.standard.preconditions,
    "`Idempotency.standard` `rule`": Idempotency.standard.rule
  }
  const cells = new Map(rowsOf(path, "## Defaults").map(([option = "", value]) => [option, value]))

  it("has a row for each of these values", () => {
    expect([...cells.keys()]).toEqual(Object.keys(values))
  })

  it.each(Object.entries(values))("%s is what the table says", (option, value) => {
    expect(shown(value)).toBe(cells.get(option))
  })

  it("a client without a policy follows the standard one", () => {
    expect(HttpRetry.standard.drain).toBe(Discard.standard)
    expect(Presets.standard).toBe(HttpRetry.standard)
  })
})

describe(`${path} ### Of the classifier`, () => {
  const { directives, statuses, transport } = HttpClassifier.standardTables
  const processed = { NotSent: "no", NotProcessed: "no", Unknown: "unknown" } as const
  const expected = [
    ...Object.entries(statuses).map(([status, row]) => [
      `\`HttpClassifier.standardTables\` \`statuses\` ${status}`,
      row?.kind ?? "not retryable",
      row?.hinted ?? row?.kind ?? "not retryable",
      processed[row?.processing ?? "Unknown"]
    ]),
    ["`HttpClassifier.standardTables` `transport`", transport?.kind, "", processed[transport?.processing ?? "Unknown"]],
    ["`HttpClassifier.standardTables` `directives`", namesOf(directives), "", ""]
  ]

  it("has a row for each status and each option, as the code has it", () => {
    const elsewhere = ["`HttpClassifier.standardTables` `codes`", "`HttpClassifier.standardTables` `hints`"]
    const rows = rowsOf(path, "### Of the classifier")
    expect(rows.map(([option]) => option).filter((option = "") => elsewhere.includes(option))).toEqual(elsewhere)
    expect(rows.filter(([option = ""]) => !elsewhere.includes(option)).map((row) => row.slice(0, 4))).toEqual(expected)
  })
})

tableOf(
  path,
  "## What it does when",
  {
    "The status is in the tables": () =>
      virtually("waits, and sends again", () =>
        Effect.gen(function* () {
          for (const status of [408, 421, 425, 429, 500, 502, 503, 504]) {
            expect(yield* get(answer(status), ok)).toMatchObject({ sent: [0, 1000], outcome: 200 })
          }
        })
      ),

    "The status is below 500 and not in the tables": () =>
      virtually("returns the response", () =>
        Effect.gen(function* () {
          for (const status of [204, 301, 400, 404, 413]) {
            expect(yield* get(answer(status))).toMatchObject({ sent: [0], outcome: status })
          }
        })
      ),

    "The status is from 500 on and not in the tables": () =>
      virtually("returns the response", () =>
        Effect.gen(function* () {
          expect(yield* get(answer(501))).toMatchObject({ sent: [0], outcome: 501 })
          expect(reason).toEqual({ _tag: "Terminal", why: "status 501" })
        })
      ),

    "The connection breaks, or cannot be made": () =>
      virtually("waits, and sends again", () =>
        Effect.gen(function* () {
          const refused = broken({ code: "ECONNREFUSED", syscall: "connect" })
          expect(yield* get(reset, refused, ok)).toMatchObject({ sent: [0, 1000, 2000], outcome: 200 })
        })
      ),

    "Statuses and broken connections alternate": () =>
      virtually("counts them together", () =>
        Effect.gen(function* () {
          expect((yield* get(unavailable, reset, unavailable, reset)).sent).toHaveLength(3)
          expect(reason?._tag).toBe("AttemptsSpent")
        })
      ),

    "A request is sent again under a tracer": () =>
      virtually("tells on its span how often it was sent again", () =>
        Effect.gen(function* () {
          const counts: Array<unknown> = []
          const client = HttpClient.make((request) =>
            Effect.flatMap(Effect.orDie(Effect.currentSpan), ({ attributes }) => {
              counts.push(attributes.get("http.request.resend_count"))
              return unavailable(request)
            })
          )
          yield* HttpRetry.withRetry(client, policy).get(url)
          expect(counts).toEqual([undefined, 1, 2])
        })
      ),

    "All attempts are spent on statuses": () =>
      virtually("returns the last response, its body unread", () =>
        Effect.gen(function* () {
          const busy = answer(503, {}, "busy")
          const { outcome } = yield* exchange([busy], (client) =>
            Effect.flatMap(HttpRetry.withRetry(client, policy).get(url), ({ text }) => text)
          )
          expect(outcome).toBe("busy")
          expect(reason?._tag).toBe("AttemptsSpent")
        })
      ),

    "A request that is not safe to repeat meets a failure": () => {
      const why = { _tag: "Terminal", why: "POST without Idempotency-Key" }

      virtually("returns the response", () =>
        Effect.gen(function* () {
          expect(yield* posted(unavailable, ok)).toMatchObject({ sent: [0], outcome: 503 })
          expect(reason).toEqual(why)
        })
      )

      virtually("fails with the error", () =>
        Effect.gen(function* () {
          expect(yield* posted(reset, ok)).toMatchObject({ sent: [0], outcome: { _tag: "RequestError" } })
          expect(reason).toEqual(why)
        })
      )
    },

    "The same, and it was certainly not processed": () =>
      virtually("waits, and sends again", () =>
        Effect.gen(function* () {
          const refused = broken({ code: "ECONNREFUSED", syscall: "connect" })
          expect(yield* posted(refused, answer(421), ok)).toMatchObject({ sent: [0, 1000, 2000], outcome: 200 })
        })
      ),

    "HTTP/2 refuses the stream of the request, or makes none": () =>
      virtually("waits, and sends again", () =>
        Effect.gen(function* () {
          const code = "ERR_HTTP2_STREAM_ERROR"
          const refused = broken({ code, message: "Stream closed with error code NGHTTP2_REFUSED_STREAM" })
          const goingAway = broken({ code: "ERR_HTTP2_GOAWAY_SESSION" })
          expect(yield* posted(refused, goingAway, ok)).toMatchObject({ sent: [0, 1000, 2000], outcome: 200 })
        })
      ),

    "A proxy answers CONNECT with 429, or with a status from 500 on": () =>
      virtually("waits, and sends again", () =>
        Effect.gen(function* () {
          expect(yield* posted(refusedByProxy(429), refusedByProxy(503), ok)).toMatchObject({
            sent: [0, 1000, 2000],
            outcome: 200
          })
        })
      ),

    "It answers with another status, such as 407": () =>
      virtually("fails with the error", () =>
        Effect.gen(function* () {
          expect(yield* get(refusedByProxy(407), ok)).toMatchObject({ sent: [0], outcome: { _tag: "RequestError" } })
          expect(reason).toMatchObject({ _tag: "Terminal", why: "transport error PROXY_407" })
        })
      ),

    "`idempotency` has a `rule` that says the request must not be repeated": () => {
      const rule = () => ({ _tag: "NotRepeatable", why: "each draw costs" }) as const
      const drawing = { ...policy, idempotency: { ...Idempotency.standard, rule } }

      virtually("returns the response", () =>
        Effect.gen(function* () {
          expect(yield* got(drawing, unavailable, ok)).toMatchObject({ sent: [0], outcome: 503 })
          expect(reason).toEqual({ _tag: "Terminal", why: "each draw costs" })
        })
      )

      virtually("fails with the error", () =>
        Effect.gen(function* () {
          expect(yield* got(drawing, reset, ok)).toMatchObject({ sent: [0], outcome: { _tag: "RequestError" } })
          expect(reason).toEqual({ _tag: "Terminal", why: "each draw costs" })
        })
      )
    },

    "The body can be read only once": () =>
      virtually("returns the response", () =>
        Effect.gen(function* () {
          const put = HttpClientRequest.put(url, { body: HttpBody.raw(new ReadableStream()) })
          const { outcome, sent } = yield* exchange([unavailable, ok], (client) =>
            HttpRetry.withRetry(client, policy).execute(put)
          )
          expect({ outcome, sent }).toEqual({ outcome: 503, sent: [0] })
          expect(reason).toMatchObject({ why: "the body is a ReadableStream, which can be read only once" })
        })
      ),

    "The response says how long to wait": () =>
      virtually("waits at least that long, and up to a tenth longer", () =>
        Effect.gen(function* () {
          expect(yield* get(answer(503, { "retry-after": "10" }), ok)).toMatchObject({ sent: [0, 10_500] })
        })
      ),

    "It says longer than a minute": () =>
      virtually("returns the response without a wait", () =>
        Effect.gen(function* () {
          expect(yield* get(answer(503, { "retry-after": "61" }), ok)).toMatchObject({ sent: [0], outcome: 503 })
          expect(reason).toEqual({ _tag: "HintTooLong", hint: Duration.seconds(61) })
          expect(yield* Clock.currentTimeMillis).toBe(0)
        })
      ),

    "The same, under a `hint` that ignores it beyond a minute": () =>
      virtually("waits as the back-off says, and sends again", () =>
        Effect.gen(function* () {
          const hint = Hint.floor({ atMost: "1 minute", otherwise: "ignore" })
          const asked = (seconds: string) => got({ ...policy, hint }, answer(503, { "retry-after": seconds }), ok)
          expect(yield* asked("60")).toMatchObject({ sent: [0, 60_000], outcome: 200 })
          expect(yield* asked("61")).toMatchObject({ sent: [0, 1000], outcome: 200 })
        })
      ),

    "It says `x-should-retry: false`": () =>
      virtually("returns the response", () =>
        Effect.gen(function* () {
          expect(yield* get(answer(503, { "x-should-retry": "false" }), ok)).toMatchObject({ outcome: 503 })
          expect(reason).toEqual({ _tag: "Terminal", why: "x-should-retry: false" })
        })
      ),

    "A status without a row comes with `x-should-retry: true`": () =>
      virtually("waits, and sends again, if it is safe to repeat", () =>
        Effect.gen(function* () {
          const again = answer(400, { "x-should-retry": "true" })
          expect((yield* posted(again, ok)).sent).toEqual([0])
          expect(yield* get(again, ok)).toMatchObject({ sent: [0, 1000], outcome: 200 })
        })
      ),

    "The client underneath fails with `filterStatusOk`": () =>
      virtually("judges the status of its error, and fails with the last error", () =>
        Effect.gen(function* () {
          const { outcome, sent } = yield* exchange([unavailable], (client) =>
            client.pipe(HttpClient.filterStatusOk, HttpRetry.withRetry(policy)).get(url)
          )
          expect(sent).toHaveLength(3)
          expect(outcome).toMatchObject({ _tag: "ResponseError", reason: "StatusCode" })
        })
      ),

    "`opinion` has a verdict on the outcome": () =>
      virtually("takes it before the classifier's verdict", () =>
        Effect.gen(function* () {
          const opinion = () => Verdict.terminal("no more")
          expect(yield* got({ ...policy, opinion }, unavailable, ok)).toMatchObject({ sent: [0], outcome: 503 })
          expect(reason).toEqual({ _tag: "Terminal", why: "no more" })
        })
      ),

    "`classifier` is not made from tables": () =>
      virtually("takes its verdict; the standard tables say whether the request was processed", () =>
        Effect.gen(function* () {
          const refusing = { ...policy, classifier: Classifier.never }
          expect((yield* got(refusing, unavailable, ok)).sent).toEqual([0])
          expect(reason).toEqual({ _tag: "Terminal", why: "nothing is retryable" })
          const willing = { ...policy, classifier: Classifier.when(HttpClassifier.isResponse, Verdict.transient) }
          const posting = (first: Answer) =>
            exchange([first, ok], (client) => HttpRetry.withRetry(client, { ...willing, maxAttempts: 2 }).post(url))
          expect([(yield* posting(answer(421))).sent, (yield* posting(unavailable)).sent]).toEqual([[0, 1000], [0]])
        })
      ),

    "One host asks for a pause, under `HttpRetry.perHost`": () =>
      virtually("holds back later requests to that host, and to no other", () =>
        Effect.gen(function* () {
          const busy = answer(429, { "retry-after": "10" })
          const of = { ...policy, ...(yield* HttpRetry.perHost()), backoff: policy.backoff, maxAttempts: 1 }
          const { requests, sent } = yield* exchange([busy, ok], (client) => {
            const retried = HttpRetry.withRetry(client, of)
            const both = Effect.zip(retried.get(url), retried.get("https://other.example/"), { concurrent: true })
            return Effect.zipRight(retried.get(url), both)
          })
          expect(requests.map(({ url }, i) => [url, sent[i]])).toEqual([
            [url, 0],
            ["https://other.example/", 0],
            [url, 10_000]
          ])
          yield* exchange([busy, ok], (client) => HttpRetry.withRetry(client, policy).get(url))
        })
      ),

    "A request is sent under `HttpRetry.withOptions`": () =>
      virtually("takes those fields in place of the client's", () =>
        Effect.gen(function* () {
          const { sent } = yield* exchange([unavailable], (client) =>
            HttpRetry.withRetry(client, policy)
              .get(url)
              .pipe(HttpRetry.withOptions({ maxAttempts: 1 }))
          )
          expect(sent).toEqual([0])
          expect(reason).toMatchObject({ _tag: "AttemptsSpent", maxAttempts: 1 })
        })
      ),

    "A 401 under `Unauthorized.renewing`": () =>
      virtually("renews the credential and sends again, once, whatever the method", () =>
        Effect.gen(function* () {
          const renewing = Unauthorized.renewing((request) =>
            Effect.succeed(HttpClientRequest.bearerToken(request, "new"))
          )
          const { outcome, requests } = yield* exchange([answer(401)], (client) =>
            HttpRetry.withRetry(client, { ...policy, ...renewing }).post(url)
          )
          expect(outcome).toBe(401)
          expect(requests.map(({ headers }) => headers["authorization"])).toEqual([undefined, "Bearer new"])
          expect(reason).toMatchObject({ _tag: "AttemptsSpent", kind: "Client" })
        })
      ),

    "`beforeRetry` returns another request": () =>
      virtually("sends that, with the key of the operation", () =>
        Effect.gen(function* () {
          const other = HttpClientRequest.put("https://other.example/")
          const { requests } = yield* exchange([unavailable, ok], (client) =>
            HttpRetry.withRetry(client, { ...policy, beforeRetry: () => Effect.succeed(other) }).post(url, {
              headers: { "idempotency-key": "mine" }
            })
          )
          expect(requests.map(({ headers, method, url }) => [method, url, headers["idempotency-key"]])).toEqual([
            ["POST", url, "mine"],
            ["PUT", "https://other.example/", "mine"]
          ])
        })
      ),

    "The same, for another origin": () =>
      virtually("sends no `authorization` and no `cookie` that it does not set", () =>
        Effect.gen(function* () {
          const moved: HttpRetry.Policy = {
            ...policy,
            beforeRetry: (request) =>
              Effect.succeed(
                HttpClientRequest.setHeader(
                  HttpClientRequest.setUrl(request, "https://other.example/"),
                  "cookie",
                  "its"
                )
              )
          }
          const { requests } = yield* exchange([unavailable, ok], (client) =>
            HttpRetry.withRetry(client, moved).get(url, { headers: { authorization: "a", cookie: "c" } })
          )
          expect(requests.map(({ headers }) => [headers["authorization"], headers["cookie"]])).toEqual([
            ["a", "c"],
            [undefined, "its"]
          ])
        })
      ),

    "`beforeRetry` fails": () =>
      virtually("takes it for an attempt that was not sent, and fails with the error", () =>
        Effect.gen(function* () {
          const failing = (error: unknown) => ({ ...policy, beforeRetry: () => Effect.fail(error) })
          const refused = broken({ code: "ECONNRESET" })(HttpClientRequest.get("https://tokens.example/"))
          const passing = yield* Effect.flip(refused)
          expect(yield* got(failing("no token"), unavailable)).toMatchObject({ sent: [0], outcome: "no token" })
          expect(reason?._tag).toBe("Terminal")
          expect(yield* got(failing(passing), unavailable)).toMatchObject({ sent: [0], outcome: passing })
          expect([reason?._tag, yield* Clock.currentTimeMillis]).toEqual(["AttemptsSpent", 3000])
        })
      ),

    "An attempt runs into its timeout": () =>
      virtually("interrupts it, and sends again, if it is safe to repeat", () =>
        Effect.gen(function* () {
          const timed = { ...policy, attemptTimeout: AttemptTimeout.constant("2 seconds") }
          const posting = exchange([hanging, ok], (client) => HttpRetry.withRetry(client, timed).post(url))
          expect((yield* posting).sent).toEqual([0])
          expect(yield* got(timed, hanging, ok)).toMatchObject({ sent: [0, 3000], outcome: 200 })
        })
      ),

    "The same on the last attempt": () =>
      virtually("fails with a `RequestError`", () =>
        Effect.gen(function* () {
          const timed = { ...policy, attemptTimeout: AttemptTimeout.constant("2 seconds") }
          const { outcome } = yield* got(timed, hanging)
          expect(outcome).toMatchObject({ _tag: "RequestError", cause: { _tag: "AttemptTimedOut", attempt: 3 } })
        })
      ),

    "A deadline passes during an attempt": () =>
      virtually("interrupts it", () =>
        Effect.gen(function* () {
          const { outcome, sent } = yield* got({ ...policy, deadline: Deadline.refuse("5 seconds") }, hanging)
          expect(sent).toEqual([0])
          expect(outcome).toMatchObject({ _tag: "RequestError", cause: { _tag: "AttemptTimedOut" } })
          expect(yield* Clock.currentTimeMillis).toBe(5000)
          expect(reason?._tag).toBe("DeadlinePassed")
        })
      ),

    "A response is followed by another attempt": () =>
      virtually("releases its body before the wait", () =>
        Effect.gen(function* () {
          const abortedAt: Array<number> = []
          const sentAt: Array<number> = []
          const client = HttpClient.make((request, _, signal) =>
            Effect.clockWith((clock) => {
              const now = () => clock.unsafeCurrentTimeMillis()
              signal.addEventListener("abort", () => abortedAt.push(now()))
              sentAt.push(now())
              return unavailable(request)
            })
          )
          yield* HttpRetry.withRetry(client, policy).get(url)
          expect({ sentAt, abortedAt }).toEqual({ sentAt: [0, 1000, 2000], abortedAt: [0, 1000] })
        })
      ),

    "The body breaks when the headers are in": () =>
      virtually("leaves that to the reader of the body", () =>
        Effect.gen(function* () {
          const { outcome, sent } = yield* exchange([breaking, ok], (client) =>
            Effect.flatMap(HttpRetry.withRetry(client, policy).get(url), ({ text }) => text)
          )
          expect(sent).toEqual([0])
          expect(outcome).toMatchObject({ _tag: "ResponseError", reason: "Decode" })
        })
      ),

    "The same, read by `HttpRetry.execute`": () =>
      virtually("waits, and sends again, if it is safe to repeat", () =>
        Effect.gen(function* () {
          const again = yield* executed([breaking, answer(200, {}, "1")])
          expect(again).toMatchObject({ sent: [0, 1000], outcome: 1 })
          expect(yield* executed([breaking, ok], HttpClientRequest.post(url))).toMatchObject({ sent: [0] })
          expect(reason).toEqual({ _tag: "Terminal", why: "POST without Idempotency-Key" })
        })
      ),

    "What `HttpRetry.execute` reads cannot be decoded": () =>
      virtually("fails with the reader's error", () =>
        Effect.gen(function* () {
          const { outcome, sent } = yield* executed([answer(200, {}, "{}"), ok])
          expect({ outcome, sent }).toMatchObject({ outcome: { _tag: "ParseError" }, sent: [0] })
          expect(reason?._tag).toBe("Terminal")
        })
      ),

    "The reading runs into the timeout of its attempt": () =>
      virtually("interrupts it, and sends again, if it is safe to repeat", () =>
        Effect.gen(function* () {
          const stalling = bodied(() => undefined)
          const bounded = { ...policy, attemptTimeout: AttemptTimeout.constant("5 seconds") }
          const again = yield* executed([stalling, answer(200, {}, "1")], undefined, bounded)
          expect(again).toMatchObject({ sent: [0, 6000], outcome: 1 })
        })
      ),

    "`HttpRetry.execute` gives up on a response": () =>
      virtually("gives it to the reader, after all attempts", () =>
        Effect.gen(function* () {
          expect(yield* executed([answer(503, {}, "7")])).toMatchObject({ sent: [0, 1000, 2000], outcome: 7 })
          expect(reason?._tag).toBe("AttemptsSpent")
        })
      ),

    "A client of `HttpRetry.orStopped` gives up": () =>
      virtually("fails with a `RetryStopped` that has the response, its body unread, or the error", () =>
        Effect.gen(function* () {
          const stopped = (...answers: readonly [Answer, ...ReadonlyArray<Answer>]) =>
            exchange(answers, (client) => HttpRetry.orStopped(client, policy).get(url))
          const { outcome } = yield* stopped(answer(503, {}, "busy"))
          const { error, reason } = outcome as Retry.RetryStopped<HttpClientResponse.HttpClientResponse>
          expect([reason._tag, error.status, yield* error.text]).toEqual(["AttemptsSpent", 503, "busy"])
          expect((yield* stopped(reset)).outcome).toMatchObject({
            _tag: "RetryStopped",
            error: { _tag: "RequestError" }
          })
        })
      ),

    "The body of a `Download.stream` breaks": () =>
      virtually("waits, and asks for the rest", () =>
        Effect.gen(function* () {
          const { outcome, requests } = yield* downloaded(begun({ etag: '"a"' }), rest('"a"'))
          expect(outcome).toBe("0123")
          expect(requests.map(({ headers }) => headers["range"])).toEqual([undefined, "bytes=2-"])
        })
      ),

    "The same, and the first answer has no strong validator": () =>
      virtually("fails with a `DownloadFailed`", () =>
        Effect.gen(function* () {
          const { outcome, sent } = yield* downloaded(begun({ etag: 'W/"a"' }), rest('W/"a"'))
          expect({ outcome, sent }).toMatchObject({ outcome: { reason: { _tag: "NotResumable" } }, sent: [0] })
          expect(reason?._tag).toBe("Terminal")
        })
      ),

    "The server has another version of what is downloaded": () =>
      virtually("fails with a `DownloadFailed`, and emits nothing of it", () =>
        Effect.gen(function* () {
          for (const other of [answer(412), rest('"b"')]) {
            const { outcome } = yield* downloaded(begun({ etag: '"a"' }), other)
            expect(outcome).toMatchObject({ reason: { _tag: "OtherVersion" }, received: 2 })
          }
          expect(reason?._tag).toBe("Terminal")
        })
      ),

    "The bucket refuses": () =>
      virtually("returns the response, its body unread", () =>
        Effect.gen(function* () {
          const funded = { ...policy, bucket: TokenBucket.empty }
          const { outcome } = yield* exchange([answer(503, {}, "busy")], (client) =>
            Effect.flatMap(HttpRetry.withRetry(client, funded).get(url), ({ text }) => text)
          )
          expect(outcome).toBe("busy")
          expect(reason?._tag).toBe("BucketEmpty")
        })
      ),

    "The rate limiter refuses the first attempt": () =>
      virtually("fails with a `RequestError`", () =>
        Effect.gen(function* () {
          const { outcome, sent } = yield* refusing(0, ok)
          expect(sent).toEqual([])
          expect(outcome).toMatchObject({ _tag: "RequestError", cause: { _tag: "AttemptRefused" } })
        })
      ),

    "The rate limiter refuses a later attempt": () => {
      virtually("returns the last response, with its body where that was read to its end", () =>
        Effect.gen(function* () {
          const { outcome } = yield* refusing(1, answer(429, {}, "busy"))
          expect(outcome).toEqual([429, "busy"])
          expect(reason?._tag).toBe("RateLimiterRefused")
        })
      )

      virtually("returns it without its body otherwise", () =>
        Effect.gen(function* () {
          const { outcome } = yield* refusing(1, answer(503, {}, "busy"))
          expect(outcome).toEqual([503, "ResponseError"])
        })
      )
    },

    "A certificate is not valid": () =>
      virtually("fails with the error", () =>
        Effect.gen(function* () {
          expect(yield* get(broken({ code: "CERT_HAS_EXPIRED" }), ok)).toMatchObject({ sent: [0] })
          expect(reason).toEqual({ _tag: "Terminal", why: "transport error CERT_HAS_EXPIRED" })
        })
      ),

    "The server asks for HTTP/1.1, or for another TLS": () =>
      virtually("fails with the error", () =>
        Effect.gen(function* () {
          const message = "Stream closed with error code NGHTTP2_HTTP_1_1_REQUIRED"
          expect(yield* get(broken({ code: "ERR_HTTP2_STREAM_ERROR", message }), ok)).toMatchObject({ sent: [0] })
          expect(reason).toEqual({ _tag: "Terminal", why: "transport error NGHTTP2_HTTP_1_1_REQUIRED" })
          const code = "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION"
          expect(yield* get(broken({ code }), ok)).toMatchObject({ sent: [0] })
          expect(reason).toEqual({ _tag: "Terminal", why: `transport error ${code}` })
        })
      ),

    "The URL is not valid": () =>
      virtually("fails with the error, and sends nothing", () =>
        Effect.gen(function* () {
          const { outcome, sent } = yield* exchange([ok], (client) =>
            HttpRetry.withRetry(client, policy).get("http://")
          )
          expect(sent).toEqual([])
          expect(outcome).toMatchObject({ _tag: "RequestError", reason: "InvalidUrl" })
          expect(reason).toEqual({ _tag: "Terminal", why: "the URL is not valid" })
        })
      ),

    "The operation is interrupted in a wait": () =>
      virtually("ends at once", () =>
        Effect.gen(function* () {
          const fiber = yield* Effect.fork(get(unavailable))
          yield* Effect.sleep("500 millis")
          yield* Fiber.interrupt(fiber)
          expect(yield* Clock.currentTimeMillis).toBe(500)
        })
      ),

    "The client is wrapped twice": () =>
      virtually("multiplies the numbers of requests", () =>
        Effect.gen(function* () {
          const { sent } = yield* exchange([unavailable], (client) =>
            client.pipe(HttpRetry.withRetry(policy), HttpRetry.withRetry({ ...policy, name: "outer" })).get(url)
          )
          expect(sent).toHaveLength(9)
        })
      ),

    "A policy has a bad value": () =>
      it("throws an `InvalidArgument` that names module, field, range and value", () => {
        const bad = { ...policy, idempotency: { ...Idempotency.standard, keyHeader: "Idempotency Key" } }
        expect(() => HttpRetry.make(bad)).toThrow(InvalidArgument.InvalidArgument)
        expect(() => HttpRetry.make(bad)).toThrow(
          'HttpRetry.make: keyHeader must be the name of a header in lower case, got "Idempotency Key"'
        )
      })
  },
  hearing
)

/** An operation under a limiter that grants so many attempts: its status, and its body or what came of reading it. */
const refusing = (attempts: number, first: Answer) => {
  const rateLimiter: TokenBucket.TokenBucket = {
    ...TokenBucket.unlimited,
    acquire: (request) => (request.attempt <= attempts ? TokenBucket.unlimited : TokenBucket.empty).acquire(request)
  }
  return exchange([first], (client) =>
    Effect.flatMap(HttpRetry.withRetry(client, { ...policy, rateLimiter }).get(url), ({ status, text }) =>
      Effect.map(Effect.merge(text), (read) => [status, typeof read === "string" ? read : read._tag])
    )
  )
}

tableOf(path, "## How the types work", {
  "`attemptTimeout`": () =>
    it("adds what `onTimeout` makes, and nothing else", () => {
      class Slow extends Data.TaggedError("Slow") {}
      const timed = { ...policy, attemptTimeout: AttemptTimeout.constant("1 second") }
      const named = { ...policy, attemptTimeout: AttemptTimeout.constant("1 second", { onTimeout: () => new Slow() }) }
      expectTypeOf(withRetry(timed)).toEqualTypeOf<HttpClient.HttpClient>()
      expectTypeOf(withRetry(named)).toEqualTypeOf<HttpClient.HttpClient.With<HttpClientError.HttpClientError | Slow>>()
      expect(HttpRetry.make(named)).toBe(named)
    }),

  "`deadline: Deadline.cut`": () =>
    virtually("adds what `onExceeded` makes, and nothing else", () =>
      Effect.gen(function* () {
        class Late extends Data.TaggedError("Late") {}
        const cut = { ...policy, deadline: Deadline.cut("1 second") }
        const named = { ...policy, deadline: Deadline.cut("1 second", { onExceeded: () => new Late() }) }
        expectTypeOf(withRetry(cut)).toEqualTypeOf<HttpClient.HttpClient>()
        expectTypeOf(withRetry(named)).toEqualTypeOf<
          HttpClient.HttpClient.With<HttpClientError.HttpClientError | Late>
        >()
        const { outcome } = yield* got(cut, hanging)
        expect(outcome).toMatchObject({ _tag: "RequestError", cause: { _tag: "DeadlineExceeded" } })
      })
    ),

  "`rateLimiter: Tag`": () =>
    it("adds the tag", () => {
      class Mine extends Context.Tag("Mine")<Mine, TokenBucket.TokenBucket>() {}
      const limited = withRetry({ ...policy, rateLimiter: Mine })
      expectTypeOf(limited).toEqualTypeOf<HttpClient.HttpClient.With<HttpClientError.HttpClientError, Mine>>()
      expect(limited).toHaveProperty("execute")
    }),

  "`bucket: Tag`": () =>
    it("adds the tag", () => {
      class Mine extends Context.Tag("Mine")<Mine, TokenBucket.TokenBucket>() {}
      const funded = withRetry({ ...policy, bucket: Mine })
      expectTypeOf(funded).toEqualTypeOf<HttpClient.HttpClient.With<HttpClientError.HttpClientError, Mine>>()
      expect(funded).toHaveProperty("execute")
    }),

  "`bucket` or `rateLimiter` that is a `TokenBucket` itself": () =>
    virtually("adds nothing, and a refusal of the rate limiter is a `cause`", () =>
      Effect.gen(function* () {
        const given = { ...policy, bucket: TokenBucket.unlimited, rateLimiter: TokenBucket.empty }
        expectTypeOf(withRetry(given)).toEqualTypeOf<HttpClient.HttpClient>()
        const { outcome } = yield* got(given, ok)
        expect(outcome).toMatchObject({ _tag: "RequestError", cause: { _tag: "AttemptRefused" } })
      })
    ),

  "`backoff: Schedule<_, _, R>`": () =>
    it("adds its requirement", () => {
      class Limit extends Context.Tag("Limit")<Limit, number>() {}
      const backoff = Schedule.recurs(9).pipe(
        Schedule.whileOutputEffect((n) => Effect.map(Limit, (limit) => n < limit))
      )
      const scheduled = withRetry({ ...policy, backoff })
      expectTypeOf(scheduled).toEqualTypeOf<HttpClient.HttpClient.With<HttpClientError.HttpClientError, Limit>>()
      expect(scheduled).toHaveProperty("execute")
    })
})

const bare = HttpClient.make((request) => ok(request))
const withRetry = <P extends HttpRetry.Fields<HttpClientError.HttpClientError>>(of: HttpRetry.Checked<P>) =>
  HttpRetry.withRetry(bare, of)

describe(`${path} ## How the types work, of opinions`, () => {
  it("in a pipe the lambda needs no annotation, alone it does", () => {
    const inPipe = bare.pipe(
      HttpRetry.withRetry({
        ...policy,
        opinion: (outcome) => (HttpClassifier.isResponse(outcome) ? Verdict.noOpinion : Verdict.terminal(outcome._tag))
      })
    )
    expectTypeOf(inPipe).toEqualTypeOf<HttpClient.HttpClient>()
    const alone = HttpRetry.withRetry({
      ...policy,
      opinion: (outcome: HttpRetry.Outcome<HttpClientError.HttpClientError>) =>
        HttpClassifier.isResponse(outcome) ? Verdict.noOpinion : Verdict.terminal(outcome._tag)
    })
    expectTypeOf(alone(bare)).toEqualTypeOf<HttpClient.HttpClient>()
    expect(alone(bare)).toHaveProperty("execute")
  })
})

describe(`${path} ## What it does not do`, () => {
  virtually("runs what prepares a request once, wherever it stands in the pipe", () =>
    Effect.gen(function* () {
      for (const order of ["before", "after"]) {
        let prepared = 0
        const prepare = HttpClient.mapRequest((request) => {
          prepared++
          return request
        })
        const retry = HttpRetry.withRetry(policy)
        yield* exchange([unavailable], (client) =>
          (order === "before" ? retry(prepare(client)) : prepare(retry(client))).get(url)
        )
        expect(prepared).toBe(1)
      }
    })
  )

  virtually("sends for each attempt what a client underneath makes of it", () =>
    Effect.gen(function* () {
      let signatures = 0
      const { requests } = yield* exchange([unavailable, ok], (client) => {
        const signing = HttpClient.make((request) =>
          client.execute(HttpClientRequest.setHeader(request, "signature", String(++signatures)))
        )
        return HttpRetry.withRetry(signing, policy).get(url)
      })
      expect(requests.map(({ headers }) => headers["signature"])).toEqual(["1", "2"])
    })
  )

  virtually("adds no header to those of the platform's traces", () =>
    Effect.gen(function* () {
      const { requests } = yield* get(unavailable, ok)
      expect(requests.map(({ headers }) => Object.keys(headers).toSorted())).toEqual([
        ["b3", "traceparent"],
        ["b3", "traceparent"]
      ])
    })
  )
})

describe(`${path} ## Presets`, () => {
  const methodsOf = ({ createKeyFor, methods }: Idempotency.Idempotency): string => {
    const added = methods.filter((method) => !Idempotency.standard.methods.includes(method))
    return ["idempotent", ...added, ...createKeyFor.map((method) => `${method} by key`)].join(", ")
  }
  const statusesOf = ({ statuses }: HttpClassifier.Tables): string => {
    const retried = Object.entries(statuses).flatMap(([status, row]) => (row?.kind === undefined ? [] : [status]))
    const ofServer = retried.filter((status) => status.startsWith("5"))
    const others = retried.filter((status) => !status.startsWith("5"))
    return [...others, ...(ofServer.length === 100 ? ["5xx"] : ofServer)].join(", ")
  }
  const delaysOf = (backoff: Backoff.Backoff, u: number) =>
    Effect.map(Schedule.run(backoff, 0, [1, 2, 3]), (delays) =>
      Chunk.toReadonlyArray(delays).map(Duration.toMillis)
    ).pipe(Effect.provide(SeededRandom.layerConstant(u)))

  it("has a row for each preset", () => {
    expect(
      rowsOf(path, "## Presets")
        .map(([name]) => name)
        .toSorted()
    ).toEqual(
      Object.keys(Presets)
        .map((name) => `\`Presets.${name}\``)
        .toSorted()
    )
  })

  it.effect.each(rowsOf(path, "## Presets"))("%s is what the table says", ([name = "", ...cells]) =>
    Effect.gen(function* () {
      const preset: HttpRetry.Preset<unknown> | undefined = Object.entries(Presets).find(
        ([key]) => name === `\`Presets.${key}\``
      )?.[1]
      if (preset === undefined) return yield* Effect.dieMessage(`no preset ${name}`)
      const [ends, others] = [yield* delaysOf(preset.backoff, 0), yield* delaysOf(preset.backoff, 1 - 2 ** -53)]
      const waits = ends.map((end, i) => `${Math.min(end, others[i] ?? NaN)}-${Math.max(end, others[i] ?? NaN)}`)
      expect(cells.slice(0, -1)).toEqual([
        String(preset.maxAttempts),
        waits.join(", "),
        preset.attemptTimeout === undefined ? "absent" : String(preset.attemptTimeout.millisOf(1, 0)),
        statusesOf(preset.classifier.tables),
        methodsOf(preset.idempotency),
        namesOf(preset.classifier.tables.directives)
      ])
    })
  )

  virtually("of GitHub waits a minute, then two, and takes a hinted 403 for throttling", () =>
    Effect.gen(function* () {
      expect((yield* got(Presets.github, answer(429), answer(429), ok)).sent).toEqual([0, 60_000, 180_000])
      expect((yield* got(Presets.github, answer(403), ok)).sent).toEqual([0])
      expect((yield* got(Presets.github, answer(403, { "retry-after": "2" }), ok)).sent).toEqual([0, 2000])
    })
  )
})

describe(`${path} ## Modules`, () => {
  it("has a row for each export of the index", () => {
    const names = rowsOf(path, "## Modules").map(([name]) => name)
    const exported = Array.from(
      read("packages/http/src/index.ts").matchAll(/^export \* as (\w+)/gm),
      ([, name]) => name
    )
    expect(names).toEqual(exported.map((name) => `\`${name}\``))
  })
})
