import { Backoff, Verdict } from "@effect-retry/core"
import { Connections, Discard, HintHeader, HttpClassifier, HttpRetry, Presets } from "@effect-retry/http"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { FetchHttpClient, Headers, HttpBody, HttpClient, HttpClientRequest } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Schedule } from "effect"
import * as Http from "node:http"
import * as Undici from "undici"
import { answer, exchange, ok, reset, unavailable } from "../src/http-scripted.ts"
import type { Answer } from "../src/http-scripted.ts"
import { rowsOf, tableOf } from "./rows.ts"

const path = "docs/http.md"

const url = "https://api.example/"
const date = "Fri, 20 Nov 2026 11:00:00 GMT"

const codesIn = (cell = "") => Array.from(cell.matchAll(/`([^`]+)`/g), ([, code = ""]) => code)

describe(`${path} ## Headers`, () => {
  const rows = rowsOf(path, "## Headers")
  const readers = new Map<string, HintHeader.HintHeader>(
    Object.entries(HintHeader).flatMap(([name, reader]) =>
      "read" in reader && "name" in reader ? [[`\`HintHeader.${name}\``, reader as HintHeader.HintHeader]] : []
    )
  )

  it("the readers are those of the standard tables, in their order", () => {
    const named = [...new Set(rows.map(([name = ""]) => name))].map((name) => readers.get(name))
    expect(named).toEqual(HintHeader.standard)
    expect(HttpClassifier.standardTables.hints).toBe(HintHeader.standard)
  })

  it.each(rows)("%s, %s: %s is %s", (reader = "", _form = "", example = "", millis = "") => {
    const pairs = codesIn(example).map((header) => header.split(/: (.*)/s, 2))
    const headers = Headers.fromInput({ date, ...Object.fromEntries(pairs) })
    expect(HintHeader.read(HintHeader.standard, headers, NaN)).toEqual({
      header: readers.get(reader)?.name,
      millis: Number(millis)
    })
  })

  it("an earlier row wins over a later one", () => {
    const headers = Headers.fromInput({ date, "retry-after-ms": "7", "retry-after": "1", "x-ratelimit-reset": "2" })
    expect(HintHeader.read(HintHeader.standard, headers, NaN)?.millis).toBe(7)
    expect(HintHeader.read(HintHeader.standard, Headers.remove(headers, "retry-after-ms"), NaN)?.millis).toBe(1000)
  })

  it("a reset beside a quota that remains, or of a response that is not retryable, means nothing", () => {
    const headers = Headers.fromInput({ "x-ratelimit-reset": "30", "x-ratelimit-remaining": "1" })
    expect(HintHeader.read(HintHeader.standard, headers, 0)).toBe(undefined)
  })
})

describe(`${path} ### Dates and clocks`, () => {
  const at = Date.UTC(2026, 10, 20, 11, 1)
  const hint = { "retry-after": new Date(at).toUTCString() }

  it("an instant is compared with the Date of its response, and with the clock if there is none", () => {
    const off = at - 3_600_000
    expect(HintHeader.read(HintHeader.standard, Headers.fromInput({ date, ...hint }), off)?.millis).toBe(60_000)
    expect(HintHeader.read(HintHeader.standard, Headers.fromInput(hint), off)?.millis).toBe(3_600_000)
  })
})

describe(`${path} ### Hostile values`, () => {
  const words: Readonly<Record<string, string>> = {
    NUL: "\u0000",
    "10240 digits": "1".repeat(10_240),
    "400 digits": "9".repeat(400)
  }

  it.each(rowsOf(path, "### Hostile values"))("%s: %s", (value = "", millis = "") => {
    const header = words[value] ?? codesIn(value)[0] ?? ""
    const found = HintHeader.read(HintHeader.standard, Headers.fromInput({ date, "retry-after": header }), NaN)
    expect(String(found?.millis ?? "absent")).toBe(millis)
  })

  it("none reads more than so many characters", () => {
    const read = (length: number) =>
      HintHeader.read(HintHeader.standard, Headers.fromInput({ "retry-after": "0".repeat(length) }), NaN)?.millis
    expect([read(1024), read(1025)]).toEqual([0, undefined])
  })
})

describe(`${path} ### Directives`, () => {
  it.each(rowsOf(path, "### Directives"))("%s is that of %s: %s", (header = "", _vendor = "", presets = "") => {
    const named = Object.entries(Presets).flatMap(([name, { classifier }]) =>
      classifier.tables.directives.some((of) => (typeof of === "string" ? of : of.name) === codesIn(header)[0])
        ? [`Presets.${name}`]
        : []
    )
    expect(codesIn(presets).toSorted()).toEqual(named.toSorted())
  })

  it.effect("false makes every status terminal, true every one from 400 on retryable", () =>
    Effect.gen(function* () {
      const seen = (status: number, says: string) =>
        Effect.map(
          exchange([answer(status, { "x-should-retry": says }), ok], (client) =>
            HttpRetry.withRetry(client, HttpRetry.standard).get(url)
          ),
          ({ sent }) => sent.length
        )
      for (const status of [408, 429, 503]) expect(yield* seen(status, "false")).toBe(1)
      for (const status of [400, 404, 501]) expect(yield* seen(status, "true")).toBe(2)
      expect(yield* seen(200, "true")).toBe(1)
    }).pipe(VirtualClock.run, Effect.provide(SeededRandom.layerConstant(0)))
  )
})

describe(`${path} ## Transport errors`, () => {
  const words = { NotSent: "not sent", NotProcessed: "not processed", Unknown: "unknown" } as const
  const { codes } = HttpClassifier.standardTables

  it("every retryable code of the standard table has its place", () => {
    const listed = rowsOf(path, "## Transport errors")
      .slice(0, -1)
      .flatMap(([kind, processed, cell]) => codesIn(cell).map((code) => [code, kind, processed].join(" ")))
    const expected = Object.entries(codes).flatMap(([code, row]) =>
      row === undefined ? [] : [[code, row.kind, words[row.processing ?? "Unknown"]].join(" ")]
    )
    expect(listed.toSorted()).toEqual(expected.toSorted())
  })

  it.each(["CERT_HAS_EXPIRED", "EPROTO", "ERR_INVALID_URL", "UND_ERR_HEADERS_OVERFLOW", "ABORT_ERR"])(
    "%s is not retryable",
    (code) => {
      expect(HttpClassifier.judge(HttpClassifier.standard, abortedBy(code), NaN).verdict._tag).toBe("Terminal")
    }
  )

  const abortedBy = (code: string) => Object.assign(new Error(), { code })
})

/** Over which connection a second request comes, when the first one is answered in this way. */
const connectionsOf = (client: Layer.Layer<HttpClient.HttpClient>, status: number, bytes: number) =>
  Effect.gen(function* () {
    const sockets = new Set<unknown>()
    const statuses = [status, 200]
    const server = yield* Effect.acquireRelease(
      Effect.async<Http.Server>((resume) => {
        const listening = Http.createServer((request, response) => {
          sockets.add(request.socket)
          const now = statuses.shift() ?? 200
          response.writeHead(now)
          response.end("a".repeat(now === 200 ? 1 : bytes))
        }).listen(0, "127.0.0.1", () => resume(Effect.succeed(listening)))
      }),
      (server) =>
        Effect.sync(() => {
          server.close()
          server.closeAllConnections()
        })
    )
    const address = server.address()
    // Long enough for a short body to be in, and for its connection to be free.
    const backoff = Backoff.constant({ delay: "30 millis" })
    // And this for one that is read, on a machine that stalls too.
    const drain = { ...Discard.standard, within: "1 minute" } as const
    const retried = HttpRetry.withRetry(yield* HttpClient.HttpClient, { ...HttpRetry.standard, backoff, drain })
    const response = yield* retried.get(`http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/`)
    yield* response.text
    return sockets.size === 1 ? "used again" : "closed"
  }).pipe(Effect.provide(client), Effect.scoped)

describe(`${path} ## Connections`, () => {
  const agent = (compose: (agent: Undici.Agent) => Undici.Dispatcher) =>
    Layer.provide(
      NodeHttpClient.layerUndiciWithoutDispatcher,
      Layer.scoped(
        NodeHttpClient.Dispatcher,
        Effect.acquireRelease(
          Effect.sync(() => compose(new Undici.Agent({ connections: 1 }))),
          (dispatcher) => Effect.promise(() => dispatcher.destroy())
        )
      )
    )
  const clients: Readonly<Record<string, Layer.Layer<HttpClient.HttpClient>>> = {
    "`NodeHttpClient.layer`": NodeHttpClient.layer,
    "`NodeHttpClient.layerWithoutAgent` with `keepAlive`": Layer.provide(
      NodeHttpClient.layerWithoutAgent,
      NodeHttpClient.makeAgentLayer({ keepAlive: true, maxSockets: 1 })
    ),
    "`NodeHttpClient.layerUndici`": agent((agent) => agent),
    "the same with `Connections.undiciInterceptor`": agent((agent) => agent.compose(Connections.undiciInterceptor())),
    "`FetchHttpClient.layer`": FetchHttpClient.layer,
    "the same over undici's `fetch` with that interceptor": Layer.provide(
      FetchHttpClient.layer,
      Layer.unwrapScoped(
        Effect.map(
          Effect.acquireRelease(
            Effect.sync(() => new Undici.Agent({ connections: 1 }).compose(Connections.undiciInterceptor())),
            (dispatcher) => Effect.promise(() => dispatcher.destroy())
          ),
          (dispatcher) =>
            Layer.succeed(FetchHttpClient.Fetch, ((input: string, init: Undici.RequestInit) =>
              Undici.fetch(input, { ...init, dispatcher })) as unknown as typeof fetch)
        )
      )
    )
  }
  const rows = rowsOf(path, "## Connections")
  const cases = [
    { status: 429, bytes: 1000 },
    { status: 429, bytes: 2_000_000 },
    { status: 503, bytes: 1000 },
    { status: 503, bytes: 2_000_000 }
  ]

  it("has a row for each of these clients", () => {
    expect(rows.map(([name]) => name)).toEqual(Object.keys(clients))
  })

  // Real sockets and the real clock.
  it.live.each(rows)("%s leaves its connections as the table says", ([name = "", ...cells]) =>
    Effect.gen(function* () {
      const client = clients[name]
      if (client === undefined) return yield* Effect.dieMessage(`no client ${name}`)
      const seen = yield* Effect.forEach(cases, ({ bytes, status }) => connectionsOf(client, status, bytes), {
        concurrency: "unbounded"
      })
      expect(seen).toEqual(cells)
    })
  )
})

/** Requests under `retryTransient` of these options, and under a policy. */
const counts = (
  answers: readonly [Answer, ...ReadonlyArray<Answer>],
  native: (client: HttpClient.HttpClient) => HttpClient.HttpClient,
  ours: (client: HttpClient.HttpClient) => HttpClient.HttpClient,
  request = HttpClientRequest.get(url)
) =>
  Effect.map(
    Effect.all([native, ours].map((retried) => exchange(answers, (client) => retried(client).execute(request)))),
    (both) => both.map(({ sent }) => sent)
  )

const transient =
  (options: Parameters<typeof HttpClient.retryTransient>[1] & object) => (client: HttpClient.HttpClient) =>
    HttpClient.retryTransient(client, options as { readonly times: number })

const { standard } = HttpRetry
const policy = { ...standard, backoff: Backoff.constant({ delay: "1 second" }) }

const virtually = (name: string, body: () => Effect.Effect<void, unknown>) =>
  it.effect(name, () => VirtualClock.run(body()).pipe(Effect.provide(SeededRandom.layerConstant(0))))

const alternating: readonly [Answer, ...ReadonlyArray<Answer>] = [
  unavailable,
  ...Array.from({ length: 99 }, (_, i) => ((i + 2) % 4 === 0 ? reset : unavailable))
]

tableOf("docs/from-http-clients.md", "## From `retryTransient`", {
  "`times: 3`": () =>
    virtually("up to sixteen requests against four", () =>
      Effect.gen(function* () {
        const both = yield* counts(
          alternating,
          transient({ times: 3 }),
          HttpRetry.withRetry({ ...policy, maxAttempts: 4 })
        )
        expect(both.map((sent) => sent.length)).toEqual([16, 4])
      })
    ),

  "`times: 0`": () =>
    virtually("without an end against one", () =>
      Effect.gen(function* () {
        let requests = 0
        const impatient: Answer = (request) => (++requests > 1000 ? Effect.interrupt : unavailable(request))
        const once = HttpRetry.withRetry({ ...policy, maxAttempts: 1 })
        yield* Effect.exit(exchange([impatient], (client) => transient({ times: 0 })(client).get(url)))
        expect(requests).toBe(1001)
        expect((yield* exchange([unavailable], (client) => once(client).get(url))).sent).toEqual([0])
      })
    ),

  "A POST answered with 500": () =>
    virtually("three requests against one", () =>
      Effect.gen(function* () {
        const answers = [answer(500), answer(500), ok] as const
        const post = HttpClientRequest.post(url)
        const both = yield* counts(answers, transient({ times: 3 }), HttpRetry.withRetry(policy), post)
        expect(both.map((sent) => sent.length)).toEqual([3, 1])
      })
    ),

  "`Retry-After: 30`": () =>
    virtually("ignored against waited for", () =>
      Effect.gen(function* () {
        const answers = [answer(503, { "retry-after": "30" }), ok] as const
        const both = yield* counts(
          answers,
          transient({ times: 3, schedule: Schedule.spaced("1 second") }),
          HttpRetry.withRetry(policy)
        )
        expect(both).toEqual([
          [0, 1000],
          [0, 30_000]
        ])
      })
    ),

  "no `schedule`": () =>
    virtually("no delay against the standard one", () =>
      Effect.gen(function* () {
        const both = yield* counts(
          [unavailable, unavailable, ok],
          transient({ times: 3 }),
          HttpRetry.withRetry(HttpRetry.standard)
        )
        expect(both[0]).toEqual([0, 0, 0])
        const drawn = counts([unavailable, ok], transient({ times: 3 }), HttpRetry.withRetry(HttpRetry.standard))
        expect((yield* Effect.provide(drawn, SeededRandom.layerConstant(0.5)))[1]).toEqual([0, 50])
      })
    ),

  "`schedule`": () =>
    virtually("the same delays", () =>
      Effect.gen(function* () {
        const schedule = Schedule.exponential("1 second")
        const both = yield* counts(
          [unavailable, unavailable, ok],
          transient({ times: 3, schedule }),
          HttpRetry.withRetry({ ...policy, backoff: schedule })
        )
        expect(both).toEqual([
          [0, 1000, 3000],
          [0, 1000, 3000]
        ])
      })
    ),

  "`while`": () =>
    virtually("ignored for responses against heard", () =>
      Effect.gen(function* () {
        const both = yield* counts(
          [unavailable],
          (client) => HttpClient.retryTransient(client, { times: 2, while: () => false }),
          HttpRetry.withRetry({ ...policy, opinion: () => Verdict.terminal("no more") })
        )
        expect(both.map((sent) => sent.length)).toEqual([3, 1])
      })
    ),

  '`mode: "errors-only"`': () =>
    virtually("statuses are answers in both", () =>
      Effect.gen(function* () {
        const both = yield* counts(
          [reset, unavailable],
          (client) => HttpClient.retryTransient(client, { times: 3, mode: "errors-only" }),
          HttpRetry.withRetry({
            ...policy,
            classifier: HttpClassifier.make({ ...HttpClassifier.standardTables, statuses: {} })
          })
        )
        expect(both.map((sent) => sent.length)).toEqual([2, 2])
      })
    ),

  '`mode: "response-only"`': () =>
    virtually("errors are failures in both", () =>
      Effect.gen(function* () {
        const both = yield* counts(
          [unavailable, reset],
          (client) => HttpClient.retryTransient(client, { times: 3, mode: "response-only" }),
          HttpRetry.withRetry({
            ...policy,
            classifier: HttpClassifier.make({ ...HttpClassifier.standardTables, codes: {}, transport: undefined })
          })
        )
        expect(both.map((sent) => sent.length)).toEqual([2, 2])
      })
    ),

  "A status of 425": () =>
    virtually("not retried against retried, whatever the method", () =>
      Effect.gen(function* () {
        const post = HttpClientRequest.post(url)
        const both = yield* counts([answer(425), ok], transient({ times: 3 }), HttpRetry.withRetry(policy), post)
        expect(both.map((sent) => sent.length)).toEqual([1, 2])
      })
    ),

  "A body that can be read only once": () =>
    virtually("sent again against sent once", () =>
      Effect.gen(function* () {
        const put = HttpClientRequest.put(url, { body: HttpBody.raw(new ReadableStream()) })
        const both = yield* counts([unavailable, ok], transient({ times: 3 }), HttpRetry.withRetry(policy), put)
        expect(both.map((sent) => sent.length)).toEqual([2, 1])
      })
    ),

  "The response of a discarded attempt": () =>
    virtually("left alone against aborted", () =>
      Effect.gen(function* () {
        const abortedBy = (retried: (client: HttpClient.HttpClient) => HttpClient.HttpClient) => {
          const signals: Array<AbortSignal> = []
          const client = HttpClient.make((request, _, signal) => {
            signals.push(signal)
            return signals.length === 1 ? unavailable(request) : ok(request)
          })
          return Effect.map(retried(client).get(url), () => signals.map(({ aborted }) => aborted))
        }
        expect(yield* abortedBy(transient({ times: 3 }))).toEqual([false, false])
        expect(yield* abortedBy(HttpRetry.withRetry(policy))).toEqual([true, false])
      })
    ),

  "`mapRequestEffect`": () =>
    virtually("runs for each attempt against once", () =>
      Effect.gen(function* () {
        const prepared = (retried: (client: HttpClient.HttpClient) => HttpClient.HttpClient) => {
          let count = 0
          const preparing = HttpClient.mapRequestEffect((request: HttpClientRequest.HttpClientRequest) =>
            Effect.sync(() => {
              count++
              return request
            })
          )
          return Effect.map(
            exchange([unavailable, ok], (client) => retried(preparing(client)).get(url)),
            () => count
          )
        }
        expect(yield* prepared(transient({ times: 3 }))).toBe(2)
        expect(yield* prepared(HttpRetry.withRetry(policy))).toBe(1)
      })
    )
})
