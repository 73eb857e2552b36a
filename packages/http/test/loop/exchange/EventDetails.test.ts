/**
 * What observers of a client's policy are shown.
 */
import { HttpClient, HttpClientError, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { AttemptTimeout, Backoff, Deadline, Observe, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { describe, expect, it } from "@effect/vitest"
import { Data, Effect, FastCheck, Logger, LogLevel, Tracer } from "effect"
import * as LogLines from "../../../../core/test/support/LogLines.ts"
import * as Snapshots from "../../../../core/test/support/Snapshots.ts"
import * as ScriptedClient from "../../support/ScriptedClient.ts"

type Observers = ReadonlyArray<Observe.Observer>

interface Line {
  readonly text: string
  readonly annotations: Readonly<Record<string, unknown>>
}

/** The log lines of an operation, with their annotations. */
const logged = <A, E>(operation: (observe: Observers) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const lines: Array<Line> = []
    const logger = Logger.make<unknown, void>((options) => {
      const { annotations, message } = LogLines.of(options)
      lines.push({ text: String(message), annotations })
    })
    yield* Effect.exit(operation([Observe.logs({ Succeeded: LogLevel.Info })])).pipe(
      LogLines.seenBy(logger),
      Logger.withMinimumLogLevel(LogLevel.All)
    )
    return lines.filter(({ annotations }) => "retry.attempt" in annotations)
  }).pipe(ScriptedClient.world)

const policy = { ...HttpRetry.standard, backoff: Backoff.constant({ delay: "400 millis" }), maxAttempts: 2 }

/** Of the attributes of a line, those that are not core's. */
const ofProtocol = ({ annotations }: Line): Record<string, unknown> =>
  Object.fromEntries(Object.entries(annotations).filter(([name]) => !/^(retry|exception)\./.test(name)))

class Unreadable extends Data.TaggedError("Unreadable")<{ readonly message: string }> {}

const scripted = (...steps: Parameters<typeof ScriptedClient.make>) => ScriptedClient.make(...steps).client
const url = "https://api.example/orders?key=secret"
const down = scripted(503)
const reset = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" })
const custom = HttpClientRequest.make("PURGE" as "GET")("https://api.example/")

/** A client that is sent elsewhere, as those of the platform report it, and as `fetch` does. */
const movedTo = (elsewhere: string) =>
  HttpClient.make((request) =>
    Effect.succeed(
      HttpClientResponse.fromWeb(HttpClientRequest.setUrl(request, elsewhere), new Response(null, { status: 502 }))
    )
  )
const movedByFetch = (elsewhere: string) =>
  HttpClient.make((request) => {
    const response = Object.defineProperties(new Response(null, { status: 502 }), {
      redirected: { value: true },
      url: { value: elsewhere }
    })
    return Effect.succeed(HttpClientResponse.fromWeb(request, response))
  })

const get = { "http.request.method": "GET", "server.address": "api.example", "url.scheme": "https" }

const withStatus = (status: number) => (observe: Observers) => {
  const odd = HttpClient.make((request) => {
    const response = HttpClientResponse.fromWeb(request, new Response(null))
    return Effect.succeed(Object.defineProperty(response, "status", { value: status }))
  })
  return HttpRetry.withRetry(odd, { ...policy, maxAttempts: 1, observe, opinion: () => Verdict.transient }).get(url)
}

/** The last line of each operation, and the protocol's attributes in it. */
const endings: ReadonlyArray<{
  readonly of: string
  readonly run: (observe: Observers) => Effect.Effect<unknown, unknown>
  readonly line: string
  readonly attributes: Record<string, string | number>
}> = [
  {
    of: "a status",
    run: (observe) => HttpRetry.withRetry(down, { ...policy, observe }).get(url),
    line: "gave up: GET api.example → 503 after 2 attempts, 400 ms (all attempts spent)",
    attributes: { ...get, "http.response.status_code": 503, "error.type": "503", "http.request.resend_count": 1 }
  },
  {
    of: "an error of a status",
    run: (observe) => HttpRetry.withRetry(HttpClient.filterStatusOk(down), { ...policy, observe }).get(url),
    line: "gave up: GET api.example → 503 after 2 attempts, 400 ms (all attempts spent)",
    attributes: { ...get, "http.response.status_code": 503, "error.type": "503", "http.request.resend_count": 1 }
  },
  {
    of: "a status that is no failure, for an opinion",
    run: (observe) =>
      HttpRetry.withRetry(scripted(202), { ...policy, maxAttempts: 1, observe, opinion: () => Verdict.transient }).get(
        url
      ),
    line: "gave up: GET api.example → 202 after 1 attempt, 0 ms (the only attempt spent)",
    attributes: { ...get, "http.response.status_code": 202 }
  },
  {
    of: "a success",
    run: (observe) => HttpRetry.withRetry(scripted(503, 204), { ...policy, observe }).get(url),
    line: "succeeded: GET api.example → 204 after 2 attempts, 400 ms",
    attributes: { ...get, "http.response.status_code": 204, "http.request.resend_count": 1 }
  },
  {
    of: "an answer that is no success",
    run: (observe) => HttpRetry.withRetry(scripted(404), { ...policy, observe }).get(url),
    line: "answered: GET api.example → 404 after 1 attempt, 0 ms",
    attributes: { ...get, "http.response.status_code": 404, "error.type": "404" }
  },
  {
    of: "a request whose route the program names",
    run: (observe) =>
      HttpRetry.withRetry(down, { ...policy, observe })
        .get("https://api.example/orders/17?token=secret")
        .pipe(HttpRetry.withOptions({ route: "/orders/{id}" })),
    line: "gave up: GET api.example/orders/{id} → 503 after 2 attempts, 400 ms (all attempts spent)",
    attributes: {
      ...get,
      "url.template": "/orders/{id}",
      "http.response.status_code": 503,
      "error.type": "503",
      "http.request.resend_count": 1
    }
  },
  {
    of: "a request that may not be repeated",
    run: (observe) => HttpRetry.withRetry(down, { ...policy, observe }).post("http://127.0.0.1:8080/"),
    line: "gave up: POST 127.0.0.1:8080 → 503 after 1 attempt, 0 ms (not retryable: POST without Idempotency-Key)",
    attributes: {
      "http.request.method": "POST",
      "server.address": "127.0.0.1",
      "server.port": 8080,
      "url.scheme": "http",
      "http.response.status_code": 503,
      "error.type": "503"
    }
  },
  {
    of: "an error of the transport",
    run: (observe) => HttpRetry.withRetry(scripted(reset), { ...policy, observe }).get("http://[::1]:8080/"),
    line: "gave up: GET [::1]:8080 → ECONNRESET after 2 attempts, 400 ms (all attempts spent)",
    attributes: {
      "http.request.method": "GET",
      "server.address": "::1",
      "server.port": 8080,
      "url.scheme": "http",
      "error.type": "ECONNRESET",
      "http.request.resend_count": 1
    }
  },
  {
    of: "an error of the transport without a code",
    run: (observe) => HttpRetry.withRetry(scripted(new Error("secret")), { ...policy, observe }).get(url),
    line: "gave up: GET api.example → transport error after 2 attempts, 400 ms (all attempts spent)",
    attributes: { ...get, "error.type": "RequestError", "http.request.resend_count": 1 }
  },
  {
    of: "a URL that is none",
    run: (observe) => HttpRetry.withRetry(down, { ...policy, observe }).get("http://"),
    line: "gave up: GET → the URL is not valid after 1 attempt, 0 ms (not retryable: the URL is not valid)",
    attributes: { "http.request.method": "GET", "error.type": "ERR_INVALID_URL" }
  },
  {
    of: "a body that could not be decoded inside the attempt",
    run: (observe) => {
      const decoding = HttpClient.transformResponse(
        scripted({ status: 200, body: "{" }),
        Effect.tap(({ json }) => json)
      )
      return HttpRetry.withRetry(decoding, { ...policy, observe }).get(url)
    },
    line: "gave up: GET api.example → 200, could not be decoded after 1 attempt, 0 ms (not retryable: the response could not be decoded)",
    attributes: { ...get, "http.response.status_code": 200, "error.type": "ResponseError" }
  },
  {
    of: "an error of the client's own",
    run: (observe) => {
      const failing = HttpClient.transformResponse(
        down,
        Effect.flatMap(() => Effect.fail(new Unreadable({ message: "from https://u:p@other/?k=secret" })))
      )
      return HttpRetry.withRetry(failing, { ...policy, observe }).get(url)
    },
    line: 'gave up: GET api.example → Unreadable "from https://REDACTED@other/?k=REDACTED" after 1 attempt, 0 ms (not retryable: no classifier has an opinion)',
    attributes: { ...get, "error.type": "Unreadable" }
  },
  {
    of: "an attempt timeout",
    run: (observe) =>
      HttpRetry.withRetry(scripted({ status: 200, after: "1 hour" }), {
        ...policy,
        attemptTimeout: AttemptTimeout.constant("2 seconds"),
        observe
      }).get(url),
    line: "gave up: GET api.example → timeout of 2 s after 2 attempts, 4.4 s (all attempts spent)",
    attributes: { ...get, "error.type": "timeout", "http.request.resend_count": 1 }
  },
  {
    of: "a deadline that cuts",
    run: (observe) =>
      HttpRetry.withRetry(scripted({ status: 200, after: "1 hour" }), {
        ...policy,
        deadline: Deadline.cut("1500 millis"),
        observe
      }).get(url),
    line: "gave up: GET api.example → not done within 1.5 s after 1 attempt, 1.5 s (the deadline of 1.5 s has passed)",
    attributes: { ...get, "error.type": "timeout" }
  },
  {
    of: "a first attempt that is refused",
    run: (observe) => HttpRetry.withRetry(down, { ...policy, rateLimiter: TokenBucket.empty, observe }).get(url),
    line: 'gave up: GET api.example → AttemptRefused "the rate limiter did not grant attempt 1" after 0 attempts, 0 ms (the rate limiter refused the attempt)',
    attributes: { ...get, "error.type": "AttemptRefused" }
  },
  {
    of: "another host that a hook has chosen",
    run: (observe) => {
      const beforeRetry = (request: HttpClientRequest.HttpClientRequest) =>
        Effect.succeed(HttpClientRequest.setUrl(request, "https://replica.example/orders"))
      return HttpRetry.withRetry(down, { ...policy, beforeRetry, observe }).get(url)
    },
    line: "gave up: GET api.example → 503 after 2 attempts, 400 ms (all attempts spent)",
    attributes: {
      ...get,
      "server.address": "replica.example",
      "http.response.status_code": 503,
      "error.type": "503",
      "http.request.resend_count": 1
    }
  },
  {
    of: "a hook that fails",
    run: (observe) => {
      const beforeRetry = () => Effect.fail(new Unreadable({ message: "no token" }))
      return HttpRetry.withRetry(down, { ...policy, beforeRetry, observe }).get(url)
    },
    line: 'gave up: GET api.example → Unreadable "no token" after 2 attempts, 400 ms (not retryable: no classifier has an opinion)',
    attributes: { ...get, "error.type": "Unreadable" }
  },
  {
    of: "a reading that fails inside the attempt",
    run: (observe) => {
      const client = HttpRetry.withRetry(scripted({ status: 200, body: "{" }), { ...policy, observe })
      return HttpRetry.execute(client, HttpClientRequest.get(url), () =>
        Effect.fail(new Unreadable({ message: "no order" }))
      )
    },
    line: "gave up: GET api.example → 200, Unreadable after 1 attempt, 0 ms (not retryable: the response could not be read)",
    attributes: { ...get, "http.response.status_code": 200, "error.type": "Unreadable" }
  },
  ...[100, 399].map((status) => ({
    of: `a status at the bounds of what is one and no failure: ${status}`,
    run: withStatus(status),
    line: `gave up: GET api.example → ${status} after 1 attempt, 0 ms (the only attempt spent)`,
    attributes: { ...get, "http.response.status_code": status }
  })),
  ...[999, 600, 99, 450.5].map((status) => ({
    of: `a status that is none: ${status}`,
    run: withStatus(status),
    line: "gave up: GET api.example → an unknown status after 1 attempt, 0 ms (the only attempt spent)",
    attributes: { ...get, "error.type": "_OTHER" }
  })),
  {
    of: "a status of the caller's fault",
    run: (observe) => HttpRetry.withRetry(scripted(400), { ...policy, observe }).get(url),
    line: "answered: GET api.example → 400 after 1 attempt, 0 ms",
    attributes: { ...get, "http.response.status_code": 400, "error.type": "400" }
  },
  {
    of: "an error of a status without a response of the platform",
    run: (observe) => {
      const foreign = { status: 503 } as HttpClientResponse.HttpClientResponse
      const failing = HttpClient.make((request) =>
        Effect.fail(new HttpClientError.ResponseError({ request, reason: "StatusCode", response: foreign }))
      )
      return HttpRetry.withRetry(failing, { ...policy, observe }).get(url)
    },
    line: "gave up: GET api.example → an unknown status after 2 attempts, 400 ms (all attempts spent)",
    attributes: { ...get, "error.type": "ResponseError", "http.request.resend_count": 1 }
  },
  ...(["Encode", "EmptyBody"] as const).map((reason) => ({
    of: `an error of the client: ${reason}`,
    run: (observe: Observers) => {
      const failing = HttpClient.make((request) =>
        Effect.fail(
          reason === "Encode"
            ? new HttpClientError.RequestError({ request, reason })
            : new HttpClientError.ResponseError({
                request,
                reason,
                response: HttpClientResponse.fromWeb(request, new Response(null, { status: 204 }))
              })
        )
      )
      return HttpRetry.withRetry(failing, { ...policy, observe }).get(url)
    },
    line:
      reason === "Encode"
        ? "gave up: GET api.example → the body could not be encoded after 1 attempt, 0 ms (not retryable: the body could not be encoded)"
        : "gave up: GET api.example → 204, has no body after 1 attempt, 0 ms (not retryable: the response has no body)",
    attributes:
      reason === "Encode"
        ? { ...get, "error.type": "RequestError" }
        : { ...get, "http.response.status_code": 204, "error.type": "ResponseError" }
  })),
  {
    of: "a method that does not look like one",
    run: (observe) =>
      HttpRetry.withRetry(down, { ...policy, observe }).execute(
        HttpClientRequest.make("ODD\nMETHOD" as "GET")("https://api.example/")
      ),
    line: "gave up: HTTP api.example → 503 after 1 attempt, 0 ms (not retryable: ODD METHOD without Idempotency-Key)",
    attributes: {
      ...get,
      "http.request.method": "_OTHER",
      "http.request.method_original": "HTTP",
      "http.response.status_code": 503,
      "error.type": "503"
    }
  },
  {
    of: "a method that the conventions do not know",
    run: (observe) => HttpRetry.withRetry(down, { ...policy, observe }).execute(custom),
    line: "gave up: PURGE api.example → 503 after 1 attempt, 0 ms (not retryable: PURGE without Idempotency-Key)",
    attributes: {
      ...get,
      "http.request.method": "_OTHER",
      "http.request.method_original": "PURGE",
      "http.response.status_code": 503,
      "error.type": "503"
    }
  },
  ...[movedTo, movedByFetch].map((moved) => ({
    of: "another host that the request was redirected to",
    run: (observe: Observers) =>
      HttpRetry.withRetry(moved("http://other.example:81/"), { ...policy, maxAttempts: 1, observe }).get(url),
    line: "gave up: GET api.example → 502 after 1 attempt, 0 ms (the only attempt spent)",
    attributes: {
      "http.request.method": "GET",
      "server.address": "other.example",
      "server.port": 81,
      "url.scheme": "http",
      "http.response.status_code": 502,
      "error.type": "502"
    }
  }))
]

describe("HttpRetry.withRetry events", () => {
  it.effect.each(endings.map((ending) => ({ ...ending })))(
    "show what an operator looks for, of $of",
    ({ attributes, line, run }) =>
      Effect.gen(function* () {
        const last = (yield* logged(run)).at(-1)
        expect(last && [last.text, ofProtocol(last)]).toStrictEqual([line, attributes])
      })
  )

  it.effect("tell the story of an operation", () =>
    Effect.gen(function* () {
      const client = scripted({ status: 429, headers: { "retry-after": "1" }, after: "120 millis" }, reset, 200)
      const lines = yield* logged((observe) =>
        HttpRetry.withRetry(client, { ...policy, name: "orders", maxAttempts: 3, observe }).get(url)
      )
      expect(lines.map(({ text }) => text)).toEqual([
        "attempt 1 failed: GET api.example → 429 in 120 ms (Throttling, asked to wait 1 s)",
        "retry 1 of 2 in 1.1 s: GET api.example → 429 (Throttling, asked to wait 1 s)",
        "attempt 2 failed: GET api.example → ECONNRESET in 0 ms (Transient)",
        "retry 2 of 2 in 400 ms: GET api.example → ECONNRESET (Transient)",
        "succeeded: GET api.example → 200 after 3 attempts, 1.6 s"
      ])
      expect(lines.map(({ annotations }) => annotations["retry.operation"])).toEqual(lines.map(() => "orders"))
      expect(lines.map((line) => ofProtocol(line)["http.request.resend_count"])).toEqual([
        undefined,
        undefined,
        1,
        1,
        2
      ])
    })
  )
})

describe("HttpRetry.withRetry events in metrics", () => {
  it.effect("have the host as key, unless the caller has one, and the class of the status if there is one", () =>
    Effect.gen(function* () {
      const shown: Array<unknown> = []
      const observe: Observers = [
        (event) =>
          Effect.sync(() => {
            const { key, tags } = event.details()
            if (event._tag !== "RetryScheduled") shown.push([key, tags])
          })
      ]
      const client = HttpRetry.withRetry(scripted(503, 200, reset), { ...policy, observe })
      yield* client.get(url)
      yield* Effect.provideService(Effect.exit(client.post(url)), TokenBucket.Key, "tenant")
      expect(shown).toStrictEqual([
        ["api.example", { "http.request.method": "GET", "http.response.status_class": "5xx", "url.template": "none" }],
        ["api.example", { "http.request.method": "GET", "http.response.status_class": "2xx", "url.template": "none" }],
        ["tenant", { "http.request.method": "POST", "http.response.status_class": "none", "url.template": "none" }],
        ["tenant", { "http.request.method": "POST", "http.response.status_class": "none", "url.template": "none" }]
      ])
    }).pipe(ScriptedClient.world)
  )
})

describe("HttpRetry.withRetry events of a method", () => {
  const known = ["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"]

  it.effect.each([
    ...known.map((method) => [method, method] as const),
    ["PURGE", "_OTHER"],
    ["get", "_OTHER"]
  ] as const)("name it only if the conventions list it: %s as %s", ([method, shown]) =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const observe: Observers = [
        (event) =>
          Effect.sync(() => {
            const { attributes, tags } = event.details()
            seen.push([attributes["http.request.method"], tags?.["http.request.method"]])
          })
      ]
      const client = HttpRetry.withRetry(scripted(200), { ...policy, observe })
      yield* client.execute(HttpClientRequest.make(method as "GET")(url))
      expect(seen).toEqual([[shown, shown]])
    }).pipe(ScriptedClient.world)
  )
})

describe("HttpRetry.withRetry events of an operation inside another one", () => {
  it.effect("show the request, and no outcome yet", () =>
    Effect.gen(function* () {
      const lines = yield* logged((observe) => {
        const client = HttpRetry.withRetry(down, { ...policy, observe })
        const outer = { maxAttempts: 2, backoff: policy.backoff, classifier: () => Verdict.noOpinion }
        return Retry.retry(client.get(url), { ...outer, name: "job" })
      })
      const nested = lines.filter(({ text }) => text.startsWith("nested"))
      expect(nested.map((line) => [line.text, ofProtocol(line)])).toStrictEqual([
        ["nested: GET api.example inside attempt 1 of job, which retries too", get]
      ])
    })
  )
})

describe("Observe.metricsByKey for a client", () => {
  it.effect("keeps series by host, method and class of status, and by the caller's key if there is one", () =>
    Effect.gen(function* () {
      const observe = [yield* Observe.metricsByKey({ maxKeys: 2 })]
      const client = HttpRetry.withRetry(scripted(503, 200, 200, reset), { ...policy, name: "by host", observe })
      yield* client.get(url)
      yield* Effect.provideService(client.post("https://api.example/"), TokenBucket.Key, "tenant")
      yield* Effect.exit(client.get("http://third.example/"))
      const series = (yield* Snapshots.all).flatMap(({ name, tags: pairs }) => {
        const tags = Object.fromEntries(pairs.map(({ key, value }) => [key, value]))
        return tags["retry.operation"] === "by host" && name === "retry.attempts" ? [tags] : []
      })
      const labels = ["retry.key", "http.request.method", "http.response.status_class", "retry.outcome", "retry.kind"]
      expect(series.map((tags) => labels.map((label) => tags[label]).join(" ")).toSorted()).toEqual([
        "api.example GET 2xx succeeded none",
        "api.example GET 5xx failed Server",
        "other GET none failed Transient",
        "tenant POST 2xx succeeded none"
      ])
      // Every series has every label.
      const names = [...labels, "retry.operation", "url.template"]
      for (const tags of series) expect(Object.keys(tags).toSorted()).toEqual(names.toSorted())
    }).pipe(ScriptedClient.world)
  )
})

/** All that logs, events on spans and metrics show of an operation. */
const shownBy = <A, E>(operation: (observe: Observers) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const shown: Array<string> = []
    const metrics: Observe.Observer = (event) => {
      const { attributes, key, tags } = event.details()
      return Effect.sync(() => void shown.push(JSON.stringify([key, tags, attributes])))
    }
    const span = yield* Effect.makeSpan("around")
    const event = (name: string, _: bigint, attributes?: Record<string, unknown>) =>
      void shown.push(JSON.stringify([name, attributes]))
    const lines = yield* logged((observe) =>
      Effect.provideService(operation([...observe, Observe.spanEvents, metrics]), Tracer.ParentSpan, { ...span, event })
    )
    return [...shown, ...lines.map((line) => JSON.stringify(line))].join("\n")
  })

describe("HttpRetry.withRetry with secrets", () => {
  it.effect.each([
    ["Basic abcdef", "abcdef is no Basic login", "REDACTED is no Basic login"],
    ["Basic abcde", "no login by abcde or Basic", "no login by abcde or Basic"],
    ["Basic abcde", "no login by Basic abcde", "no login by REDACTED"],
    ["first1;second2,third3=fourth4", "first1 second2 third3 fourth4", "REDACTED REDACTED REDACTED REDACTED"],
    ['realm="abcdef"', "abcdef of realm", "REDACTED of realm"]
  ] as const)("shows only what is not a credential of %j in %j", ([authorization, message, shown]) =>
    Effect.gen(function* () {
      const failing = HttpClient.transformResponse(
        down,
        Effect.flatMap(() => Effect.fail(new Unreadable({ message })))
      )
      const request = HttpClientRequest.get(url).pipe(HttpClientRequest.setHeader("authorization", authorization))
      const lines = yield* logged((observe) => HttpRetry.withRetry(failing, { ...policy, observe }).execute(request))
      expect(lines.map(({ text }) => text).join()).toContain(`Unreadable "${shown}"`)
    })
  )

  const secret = FastCheck.stringMatching(/^[A-Za-z0-9._~-]{0,12}$/).map((text) => `s3cret${text}`)
  const blanks = FastCheck.constantFrom("", " ", "\n", '"', "'", "@", "?", "/", "<", "\u2028")

  it.effect.prop(
    "shows none of user info, query, fragment, credentials in headers, key and bodies",
    [FastCheck.array(secret, { minLength: 9, maxLength: 9 }), blanks, FastCheck.integer({ min: 0, max: 4 })],
    ([secrets, blank, way]) =>
      Effect.gen(function* () {
        const [user, password, value, fragment, token, key, cookie, body, cause] = secrets
        const address = `https://${user}${blank === "@" ? "" : encodeURIComponent(blank)}:${password}@api.example/orders?q=${value}${blank}${value}#${fragment}`
        const message = `failed: ${address} with ${token}, Bearer ${token} and ${key}${blank}${cookie}`
        const error = Object.assign(new Error(message, { cause: new Error(cause) }), { code: cause, body })
        const responses: ReadonlyArray<ScriptedClient.Step> = [
          503,
          error,
          { status: 429, headers: { "retry-after": "1", "set-cookie": `a=${cookie}` }, body: body ?? "" },
          { status: 401, headers: { "www-authenticate": `Bearer realm=${token}` } }
        ]
        const client =
          way === 4
            ? HttpClient.transformResponse(
                down,
                Effect.flatMap(() => Effect.fail(error))
              )
            : HttpClient.filterStatusOk(scripted(responses[way] ?? 503))
        const request = HttpClientRequest.post(address).pipe(
          HttpClientRequest.setHeaders({ authorization: `Bearer ${token}`, cookie: `a=${cookie}` }),
          HttpClientRequest.setHeader("idempotency-key", `"${key}"`),
          HttpClientRequest.bodyText(body ?? "")
        )
        const shown = yield* shownBy((observe) => HttpRetry.withRetry(client, { ...policy, observe }).execute(request))
        expect(shown).toContain("POST api.example")
        expect(shown).not.toContain("s3cret")
      }),
    { fastCheck: { seed: 20_261_120, numRuns: 40 } }
  )
})
