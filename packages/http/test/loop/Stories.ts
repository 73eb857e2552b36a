/**
 * What clients do with requests, as data: how a server answers, when requests are sent, and how the operation ends.
 *
 * The tests of the package run them, and so do those of its page.
 */
import { HttpBody, HttpClient, HttpClientError, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import {
  AttemptTimeout,
  Backoff,
  Classifier,
  Deadline,
  Hint,
  type Observe,
  Retry,
  TokenBucket,
  Verdict
} from "@effect-retry/core"
import { Download, HttpClassifier, HttpRetry, Idempotency, IdempotencyKey, Unauthorized } from "@effect-retry/http"
import { VirtualClock } from "@effect-retry/testing"
import { expect } from "@effect/vitest"
import { Clock, Duration, Effect, Either, Exit, Fiber, Schema, Stream } from "effect"
import * as ClientLine from "../../src/classify/ClientLine.ts"
import * as Faults from "../support/Faults.ts"
import * as RangeServer from "../support/RangeServer.ts"
import * as Scripted from "../support/ScriptedClient.ts"

export const url = "http://api.example.com/things"
const elsewhere = "http://other.example.com/things"

export const post = HttpClientRequest.post(url, { body: Scripted.textBody })

/** The default, with waits that can be read. */
export const policy = { ...HttpRetry.standard, backoff: Backoff.constant({ delay: "1 second" }) }

type Policy = HttpRetry.Policy<unknown, unknown>

export interface Story {
  readonly name: string
  /** What it has in place of three attempts, a second apart. */
  readonly policy?: Policy
  readonly request?: HttpClientRequest.HttpClientRequest
  /** Takes one step per request, the last one again and again. */
  readonly steps?: readonly [Scripted.Step, ...ReadonlyArray<Scripted.Step>]
  /** A server in place of the steps. */
  readonly server?: () => Scripted.Scripted
  /** What is done with the client, in place of sending the request. */
  readonly use?: (
    client: HttpClient.HttpClient,
    policy: Policy,
    calls: ReadonlyArray<Scripted.Call>
  ) => Effect.Effect<unknown, unknown, VirtualClock.VirtualClock>
  /** When requests are sent, in milliseconds. */
  readonly sent: ReadonlyArray<number>
  /** A status, an error, or what the use of the client answers. */
  readonly end: unknown
  /** When that is, in milliseconds. */
  readonly at?: number
  /** Why the last operation gave up, if one did. */
  readonly reason?: Partial<Retry.StopReason>
}

/** Runs a story with more observers. */
export const run = (
  { at, end, policy: own, reason, request = HttpClientRequest.get(url), sent, server, steps = [200], use }: Story,
  observe: ReadonlyArray<Observe.Observer> = []
) =>
  Effect.gen(function* () {
    const { calls, client } = server?.() ?? Scripted.make(...steps)
    const heard = Scripted.gaveUp()
    const of: Policy = { ...policy, ...own, observe: [...heard.observe, ...observe] }
    const ended = yield* Effect.merge(use?.(client, of, calls) ?? HttpRetry.withRetry(client, of).execute(request))
    expect(Scripted.times(calls)).toEqual(sent)
    expect({ end: HttpClassifier.isResponse(ended) ? ended.status : ended }).toMatchObject({ end })
    expect(heard.reasons.at(-1)).toEqual(reason === undefined ? undefined : expect.objectContaining(reason))
    if (at !== undefined) expect(yield* Clock.currentTimeMillis).toBe(at)
  }).pipe(Scripted.world)

const terminal = (why: string) => ({ _tag: "Terminal", why }) as const
const unsafe = terminal("POST without Idempotency-Key")
const spent = { _tag: "AttemptsSpent", maxAttempts: 3 } as const
const refused = { _tag: "RateLimiterRefused" } as const

const refusedFault = Faults.fetchFailed(Faults.refused)
const resetFault = Faults.fetchFailed(Faults.reset)

const requestError = (cause: unknown) => ({ _tag: "RequestError", cause })

const slow = { status: 200, after: "1 hour" } as const
const busy = { status: 503, body: "busy" } as const
const asking = (seconds: string, status = 429) => ({ status, headers: { "retry-after": seconds } })

/** A rate limiter that grants first attempts alone. */
export const once: TokenBucket.TokenBucket = {
  ...TokenBucket.unlimited,
  acquire: (request) => (request.attempt === 1 ? TokenBucket.unlimited : TokenBucket.empty).acquire(request)
}

const reading: Story["use"] = (client, policy) =>
  Effect.flatMap(HttpRetry.withRetry(client, policy).get(url), ({ text }) => text)

/** A body that gives a part of what it should, and then fails, or never gives anything again. */
export const partial = (part: string, then: Error | "silence") => {
  const seen = { cancelled: false }
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        if (part !== "") {
          controller.enqueue(new TextEncoder().encode(part))
          part = ""
        } else if (then !== "silence") controller.error(then)
      },
      cancel: () => {
        seen.cancelled = true
      }
    },
    { highWaterMark: 0 }
  )
  return { body, seen }
}

export const broken = (cause: Error = Faults.terminated(Faults.reset)): Scripted.Answer => ({
  status: 200,
  body: partial('{"id":', cause).body
})

export const whole: Scripted.Answer = { status: 200, body: '{"id":1}' }

export const order = HttpClientResponse.schemaBodyJson(Schema.Struct({ id: Schema.Number }))

const ordering: Story["use"] = (client, policy) =>
  HttpRetry.execute(HttpRetry.withRetry(client, policy), HttpClientRequest.get(url), order)

/** What a download emits, and how it ends. */
export const collected = <E, R>(stream: Stream.Stream<Uint8Array, E, R>) =>
  Effect.suspend(() => {
    const bytes: Array<number> = []
    const reading = Stream.runForEach(stream, (chunk) => Effect.sync(() => void bytes.push(...chunk)))
    return Effect.map(Effect.either(reading), (ended) => ({
      bytes: Uint8Array.from(bytes),
      error: Either.isLeft(ended) ? ended.left : undefined
    }))
  })

const file: RangeServer.File = { length: 20, validator: "tag" }
const [whole20, first7] = [RangeServer.content(file, 0), RangeServer.content(file, 0).subarray(0, 7)]

const downloading: Story["use"] = (client, policy, calls) =>
  Effect.map(
    collected(Download.stream(HttpRetry.withRetry(client, policy), HttpClientRequest.get(url))),
    ({ bytes, error }) => ({
      bytes,
      error,
      asked: calls.map(({ request: { headers } }) => [
        headers["range"],
        headers["if-match"],
        headers["accept-encoding"]
      ])
    })
  )

/** Transient failures are responses of any status. */
export const anyResponse = Classifier.when(HttpClassifier.isResponse, Verdict.transient)

const unreachable = new HttpClientError.RequestError({
  request: HttpClientRequest.get("http://tokens.example/"),
  reason: "Transport",
  cause: Faults.reset
})

export const stories: ReadonlyArray<Story> = [
  ...[408, 421, 425, 429, 500, 502, 503, 504].map((status): Story => ({
    name: `sends again after ${status}`,
    steps: [status, 200],
    sent: [0, 1_000],
    end: 200
  })),
  ...[204, 301, 400, 403, 404, 409, 413].map((status): Story => ({
    name: `returns ${status}`,
    steps: [status],
    sent: [0],
    end: status
  })),
  ...[501, 505].map((status): Story => ({
    name: `returns ${status}`,
    steps: [status],
    sent: [0],
    end: status,
    reason: terminal(`status ${status}`)
  })),
  {
    name: "sends again after connections that broke or could not be made",
    steps: [resetFault, refusedFault, 200],
    sent: [0, 1_000, 2_000],
    end: 200
  },
  {
    name: "counts statuses and errors together, and returns the last response",
    steps: [503, resetFault, 503],
    sent: [0, 1_000, 2_000],
    end: 503,
    reason: spent
  },
  {
    name: "counts statuses and errors together, and fails with the last error",
    steps: [503, refusedFault, resetFault],
    sent: [0, 1_000, 2_000],
    end: requestError(resetFault),
    reason: spent
  },
  {
    name: "tells on spans how often a request was sent again",
    steps: [503],
    use: (client, policy) =>
      Effect.gen(function* () {
        const counts: Array<unknown> = []
        const noted = Effect.map(Effect.orDie(Effect.currentSpan), ({ attributes }) =>
          counts.push(attributes.get("http.request.resend_count"))
        )
        const noting = HttpClient.make((request) => Effect.zipRight(noted, client.execute(request)))
        yield* HttpRetry.withRetry(noting, policy).get(url)
        const numbered = { ...policy, name: "eager", maxAttempts: 2, attemptHeaders: HttpRetry.attemptNumber() }
        const eager = HttpRetry.withRetry(noting, numbered).get(url)
        yield* Effect.withSpan(Effect.zipRight(eager, noted), "around")
        return counts
      }),
    sent: [0, 1_000, 2_000, 2_000, 3_000],
    end: [undefined, 1, 2, undefined, 1, undefined],
    reason: { _tag: "AttemptsSpent", maxAttempts: 2 }
  },
  {
    name: "returns the last response, its body unread",
    steps: [busy],
    use: reading,
    sent: [0, 1_000, 2_000],
    end: "busy",
    reason: spent
  },
  ...(["POST", "PATCH"] as const).map((method): Story => ({
    name: `does not send ${method} again`,
    request: HttpClientRequest.make(method)(url),
    steps: [503],
    sent: [0],
    end: 503,
    reason: terminal(`${method} without Idempotency-Key`)
  })),
  {
    name: "does not send POST again after an error",
    request: post,
    steps: [resetFault],
    sent: [0],
    end: requestError(resetFault),
    reason: unsafe
  },
  {
    name: "sends POST again that was refused before it was sent, and nothing else",
    request: post,
    steps: [Faults.refused, 503],
    sent: [0, 1_000],
    end: 503,
    reason: unsafe
  },
  {
    name: "sends POST again after 421 and 425, which say that it was not processed",
    request: post,
    steps: [421, 425, 200],
    sent: [0, 1_000, 2_000],
    end: 200
  },
  {
    name: "sends POST again of which HTTP/2 refused the stream, or made none",
    request: post,
    steps: [Faults.refusedStream, Faults.fault("going away", { code: "ERR_HTTP2_GOAWAY_SESSION" }), 200],
    sent: [0, 1_000, 2_000],
    end: 200
  },
  {
    name: "sends POST again after a proxy was busy",
    request: post,
    steps: [Faults.tunnelRefused(429), Faults.tunnelRefused(503), 200],
    sent: [0, 1_000, 2_000],
    end: 200
  },
  ...(
    [
      ["a proxy's 407", Faults.proxyRefused(407), "PROXY_407"],
      ["a certificate that is not valid", Faults.fetchFailed(Faults.selfSigned), "DEPTH_ZERO_SELF_SIGNED_CERT"],
      ["a server that wants HTTP/1.1", Faults.newProtocolStream, "NGHTTP2_HTTP_1_1_REQUIRED"],
      [
        "a server that wants another TLS",
        Faults.fault("alert", { code: "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION" }),
        "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION"
      ]
    ] as const
  ).map(([of, fault, code]): Story => ({
    name: `fails with the error of ${of}`,
    steps: [fault],
    sent: [0],
    end: requestError(fault),
    reason: terminal(`transport error ${code}`)
  })),
  {
    name: "fails with the error of a URL that is not valid, and sends nothing",
    request: HttpClientRequest.get("http://"),
    sent: [],
    end: { _tag: "RequestError", reason: "InvalidUrl" },
    reason: terminal("the URL is not valid")
  },
  ...[503, resetFault].map((step): Story => ({
    name: `sends nothing again that a rule does not repeat, after ${typeof step === "number" ? step : "an error"}`,
    policy: {
      idempotency: { ...Idempotency.standard, rule: () => ({ _tag: "NotRepeatable", why: "each draw costs" }) }
    },
    steps: [step],
    sent: [0],
    end: typeof step === "number" ? step : requestError(step),
    reason: terminal("each draw costs")
  })),
  ...(
    [
      ["Stream", HttpBody.stream(Stream.make(new Uint8Array(1))), "that is not declared replayable"],
      ["ReadableStream", HttpBody.raw(new ReadableStream()), "which can be read only once"]
    ] as const
  ).flatMap(([kind, body, why]) =>
    [503, resetFault, refusedFault].map((step): Story => ({
      name: `sends no ${kind} again, after ${typeof step === "number" ? step : String(step.cause)}`,
      request: HttpClientRequest.put(url, { body }),
      steps: [step],
      sent: [0],
      end: typeof step === "number" ? step : requestError(step),
      reason: terminal(`the body is a ${kind}${kind === "Stream" ? " " : ", "}${why}`)
    }))
  ),
  ...(
    [
      ["60", [0, 60_000]],
      ["10", [0, 10_500]],
      ["0", [0, 1_000]],
      ["soon", [0, 1_000]]
    ] as const
  ).map(([seconds, sent]): Story => ({
    name: `waits at least what the server asks for, and up to a tenth longer: ${seconds}`,
    steps: [asking(seconds), 200],
    sent,
    end: 200
  })),
  {
    name: "does not wait longer than a minute",
    steps: [asking("61")],
    sent: [0],
    end: 429,
    at: 0,
    reason: { _tag: "HintTooLong", hint: Duration.seconds(61) }
  },
  {
    name: "waits as the back-off says where the policy ignores longer hints",
    policy: { hint: Hint.floor({ atMost: "1 minute", otherwise: "ignore" }) },
    steps: [asking("60"), asking("61"), 200],
    sent: [0, 60_000, 61_000],
    end: 200
  },
  {
    name: "does what a header says: not to retry",
    steps: [{ status: 503, headers: { "x-should-retry": "false" } }],
    sent: [0],
    end: 503,
    reason: terminal("x-should-retry: false")
  },
  {
    name: "does what a header says: to retry, if the request is safe to repeat",
    steps: [
      { status: 400, headers: { "x-should-retry": "true" } },
      { status: 400, headers: { "x-should-retry": "true" } },
      200
    ],
    use: (client, policy) => {
      const retried = HttpRetry.withRetry(client, policy)
      return Effect.zipRight(retried.execute(post), retried.get(url))
    },
    sent: [0, 0, 1_000],
    end: 200,
    reason: unsafe
  },
  {
    name: "judges the errors that filterStatusOk makes before it, and fails with the last one",
    steps: [503, 429, 503],
    use: (client, policy) => client.pipe(HttpClient.filterStatusOk, HttpRetry.withRetry(policy)).get(url),
    sent: [0, 1_000, 2_000],
    end: { _tag: "ResponseError", reason: "StatusCode", response: { status: 503 } },
    reason: spent
  },
  {
    name: "asks the opinion before the classifier, even about responses that would be fine",
    policy: {
      opinion: (outcome) =>
        HttpClassifier.isResponse(outcome) && outcome.status === 202 ? Verdict.transient : Verdict.terminal("no use")
    },
    steps: [202, 202, 503],
    sent: [0, 1_000, 2_000],
    end: 503,
    reason: terminal("no use")
  },
  {
    name: "takes the verdict of a classifier without tables",
    policy: { classifier: Classifier.never },
    steps: [503],
    sent: [0],
    end: 503,
    reason: terminal("nothing is retryable")
  },
  ...(
    [
      [421, anyResponse, [0, 1_000, 2_000]],
      [503, anyResponse, [0]],
      [Faults.refused, Classifier.always, [0, 1_000, 2_000]],
      [resetFault, Classifier.always, [0]]
    ] as const
  ).map(([step, classifier, sent]): Story => ({
    name: `leaves it to the standard tables whether a POST was processed: ${
      typeof step === "number" ? step : step.message
    }`,
    policy: { classifier },
    request: post,
    steps: [step],
    sent,
    end: typeof step === "number" ? step : requestError(step),
    reason: sent.length > 1 ? spent : unsafe
  })),
  {
    name: "pauses one host, and no other",
    steps: [asking("10"), 200, 200, 200, 200, 200, asking("10"), 200],
    use: (client, policy, calls) =>
      Effect.gen(function* () {
        const retried = HttpRetry.withRetry(client, { ...policy, ...(yield* HttpRetry.perHost()) })
        const [a, b, c] = ["a", "b", "c"].map((host) => retried.get(`http://${host}.example/`)) as [Send, Send, Send]
        yield* Effect.all([a, Effect.delay(Effect.all([a, b, a, b], unbounded), 1)], unbounded)
        yield* Effect.all([c, Effect.delay(Effect.all([c, a], unbounded), 1)], unbounded)
        return calls.map(({ request }) => request.url.slice(7, 8)).join("")
      }),
    sent: [0, 1, 1, 10_000, 10_000, 10_500, 10_500, 10_501, 20_500, 21_000],
    end: "abbaaacacc"
  },
  {
    name: "takes the fields of HttpRetry.withOptions in place of the client's",
    steps: [503],
    use: (client, policy) => HttpRetry.withOptions(HttpRetry.withRetry(client, policy).get(url), { maxAttempts: 1 }),
    sent: [0],
    end: 503,
    reason: { _tag: "AttemptsSpent", maxAttempts: 1 }
  },
  {
    name: "renews a credential once, whatever the method",
    policy: Unauthorized.renewing((request) => Effect.succeed(HttpClientRequest.bearerToken(request, "new"))),
    steps: [401],
    use: (client, policy, calls) =>
      Effect.map(HttpRetry.withRetry(client, policy).execute(post), ({ status }) => [
        status,
        Scripted.sent(calls, "authorization")
      ]),
    sent: [0, 1_000],
    end: [401, [undefined, "Bearer new"]],
    reason: { _tag: "AttemptsSpent", kind: "Client" }
  },
  {
    name: "leaves the key of the operation on a request that beforeRetry makes anew",
    policy: {
      idempotency: { ...Idempotency.standard, createKeyFor: ["POST"] },
      beforeRetry: () => Effect.succeed(HttpClientRequest.put(elsewhere))
    },
    steps: [503, 503, 200],
    use: (client, policy, calls) =>
      Effect.map(HttpRetry.withRetry(client, policy).execute(post), () =>
        calls.map(({ request: { headers, method, url } }) => [method, url, headers["idempotency-key"]])
      ).pipe(Effect.provide(IdempotencyKey.layerSequence)),
    sent: [0, 1_000, 2_000],
    end: [
      ["POST", url, "key-1"],
      ["PUT", elsewhere, "key-1"],
      ["PUT", elsewhere, "key-1"]
    ]
  },
  {
    name: "sends no credential to another origin that beforeRetry does not set",
    policy: {
      beforeRetry: (request, { number }) =>
        Effect.succeed(
          number === 2
            ? HttpClientRequest.bearerToken(HttpClientRequest.setUrl(request, elsewhere), "old")
            : HttpClientRequest.setHeader(HttpClientRequest.bearerToken(request, "new"), "cookie", "its")
        )
    },
    steps: [503, 503, 200],
    use: (client, policy, calls) =>
      Effect.map(
        HttpRetry.withRetry(client, policy).get(url, { headers: { authorization: "Bearer old", cookie: "id=1" } }),
        () => [Scripted.sent(calls, "authorization"), Scripted.sent(calls, "cookie")]
      ),
    sent: [0, 1_000, 2_000],
    end: [
      ["Bearer old", "Bearer old", "Bearer new"],
      ["id=1", undefined, "its"]
    ]
  },
  {
    name: "ends with an error of beforeRetry that the tables do not know",
    policy: { beforeRetry: () => Effect.fail("no token") },
    steps: [503],
    sent: [0],
    end: "no token",
    reason: { _tag: "Terminal" }
  },
  {
    name: "counts an error of beforeRetry that the tables know as an attempt that was not sent",
    policy: { beforeRetry: () => Effect.fail(unreachable) },
    steps: [503],
    sent: [0],
    end: unreachable,
    at: 2_000,
    reason: spent
  },
  {
    name: "sends again after a timeout, if the request is safe to repeat",
    policy: { attemptTimeout: AttemptTimeout.constant("2 seconds") },
    steps: [slow, slow, 200],
    use: (client, policy, calls) => {
      const retried = HttpRetry.withRetry(client, policy)
      return Effect.map(Effect.zip(Effect.flip(retried.execute(post)), retried.get(url)), ([error, { status }]) => [
        error,
        status,
        calls.map(({ signal }) => signal.aborted)
      ])
    },
    sent: [0, 2_000, 5_000],
    end: [requestError({ _tag: "AttemptTimedOut" }), 200, [true, true, false]],
    reason: unsafe
  },
  {
    name: "makes a timeout the cause of a RequestError",
    policy: { attemptTimeout: AttemptTimeout.constant("2 seconds") },
    steps: [slow],
    sent: [0, 3_000, 6_000],
    end: {
      ...requestError(new AttemptTimeout.AttemptTimedOut({ attempt: 3, after: Duration.seconds(2) })),
      reason: "Transport",
      request: { url },
      message: expect.stringContaining("attempt 3 took longer than 2s")
    },
    reason: spent
  },
  {
    name: "bounds an attempt by the time that is left",
    policy: { deadline: Deadline.refuse("5 seconds") },
    steps: [{ status: 503, after: "2 seconds" }, slow],
    sent: [0, 3_000],
    end: requestError(
      new AttemptTimeout.AttemptTimedOut({ attempt: 2, after: Duration.seconds(2), deadline: Duration.seconds(5) })
    ),
    at: 5_000,
    reason: { _tag: "DeadlinePassed" }
  },
  {
    name: "releases a response when the wait for another attempt begins",
    steps: [503],
    use: (client, policy, calls) =>
      Effect.gen(function* () {
        const aborted = Effect.sync(() => calls.map(({ signal }) => signal.aborted))
        const fiber = yield* Effect.fork(HttpRetry.withRetry(client, policy).get(url))
        const early = [yield* Effect.delay(aborted, 1), yield* Effect.delay(aborted, "1 second")]
        yield* Fiber.join(fiber)
        return [...early, yield* aborted]
      }),
    sent: [0, 1_000, 2_000],
    end: [[true], [true, true], [true, true, false]],
    reason: spent
  },
  {
    name: "leaves a body that breaks to its reader",
    server: () => Scripted.make(broken(), 200),
    use: reading,
    sent: [0],
    end: { _tag: "ResponseError", reason: "Decode" }
  },
  {
    name: "reads inside the attempt: sends again when the body breaks, if the request is safe to repeat",
    policy: { maxAttempts: 4 },
    server: () => Scripted.make(broken(), broken(), 503, broken(), whole),
    use: (client, policy) => {
      const retried = HttpRetry.withRetry(client, policy)
      return Effect.zip(
        Effect.flip(HttpRetry.execute(retried, post, order)),
        HttpRetry.execute(retried, HttpClientRequest.get(url), order)
      )
    },
    sent: [0, 0, 1_000, 2_000, 3_000],
    end: [{ reason: "Decode" }, { id: 1 }],
    reason: unsafe
  },
  ...(
    [
      ["a schema that does not fit", '{"id":"one"}', "ParseError"],
      ["a text that is no JSON", '{"id":', "ResponseError"]
    ] as const
  ).map(([of, body, tag]): Story => ({
    name: `reads inside the attempt: does not send again what cannot be decoded, ${of}`,
    steps: [{ status: 200, body }],
    use: ordering,
    sent: [0],
    end: { _tag: tag },
    reason: { _tag: "Terminal" }
  })),
  {
    name: "reads inside the attempt: sends again when a body stalls until the timeout of its attempt",
    policy: { attemptTimeout: AttemptTimeout.constant("5 seconds") },
    server: () => Scripted.make({ status: 200, body: partial("half", "silence").body }, whole),
    use: (client, policy, calls) =>
      Effect.map(ordering(client, policy, calls), (read) => [read, calls[0]?.signal.aborted]),
    sent: [0, 6_000],
    end: [{ id: 1 }, true]
  },
  ...(
    [
      ["a status that is no failure", { status: 404, body: "none" }, [0], undefined],
      ["a status that is not retryable", { status: 501, body: "never" }, [0], terminal("status 501")],
      ["the last of all attempts", busy, [0, 1_000, 2_000], spent],
      ["a hint that is too long", { ...asking("90"), body: "slow" }, [0], { _tag: "HintTooLong" }]
    ] as const
  ).map(([of, step, sent, reason]): Story => ({
    name: `reads inside the attempt: a response that is not sent again once, ${of}`,
    steps: [step],
    use: (client, policy) => {
      let reads = 0
      return HttpRetry.execute(HttpRetry.withRetry(client, policy), HttpClientRequest.get(url), ({ status, text }) => {
        reads += 1
        return Effect.map(text, (body) => ({ status, body, reads }))
      })
    },
    sent,
    end: { status: step.status, body: step.body, reads: 1 },
    ...(reason !== undefined && { reason })
  })),
  ...(
    [
      ["a response, its body unread", busy, { status: 503, text: "busy", reason: "AttemptsSpent" }],
      ["an error", resetFault, { error: requestError(resetFault), reason: "AttemptsSpent" }]
    ] as const
  ).map(([of, step, end]): Story => ({
    name: `gives the reason to one handler with ${of}`,
    steps: [step],
    use: (client, policy) =>
      HttpRetry.orStopped(client, policy)
        .get(url)
        .pipe(
          Effect.catchTag("RetryStopped", ({ error, reason }): Effect.Effect<unknown, unknown> =>
            HttpClassifier.isResponse(error)
              ? Effect.map(error.text, (text) => ({ status: error.status, text, reason: reason._tag }))
              : Effect.succeed({ error, reason: reason._tag })
          )
        ),
    sent: [0, 1_000, 2_000],
    end,
    reason: spent
  })),
  {
    name: "asks for the rest whenever the body of a download breaks",
    policy: { maxAttempts: 5 },
    server: () => RangeServer.make(file, [{ breaksAfter: 7 }, { status: 503 }, { breaksAfter: 6 }, {}]),
    use: downloading,
    sent: [0, 1_000, 2_000, 3_000],
    end: {
      bytes: whole20,
      error: undefined,
      asked: [
        [undefined, undefined, "identity"],
        ["bytes=7-", '"v0"', "identity"],
        ["bytes=7-", '"v0"', "identity"],
        ["bytes=13-", '"v0"', "identity"]
      ]
    }
  },
  {
    name: "does not go on with a download without a strong validator",
    server: () => RangeServer.make({ ...file, validator: "weak" }, [{ breaksAfter: 7 }]),
    use: downloading,
    sent: [0],
    end: {
      bytes: first7,
      error: {
        _tag: "DownloadFailed",
        reason: { _tag: "NotResumable", why: "the first answer has no strong validator" },
        received: 7,
        error: { _tag: "ResponseError" }
      }
    },
    reason: { _tag: "Terminal" }
  },
  ...(
    [
      ["412", { version: 1 }],
      ["a part", { version: 1, ignores: "conditions" }]
    ] as const
  ).map(([of, step]): Story => ({
    name: `emits nothing of another version of a download: ${of}`,
    server: () => RangeServer.make(file, [{ breaksAfter: 7 }, step]),
    use: (client, policy, calls) =>
      Effect.zip(
        downloading(client, policy, calls),
        Effect.sync(() => calls.map(({ signal }) => signal.aborted))
      ),
    sent: [0, 1_000],
    end: [
      { bytes: first7, error: { _tag: "DownloadFailed", reason: { _tag: "OtherVersion" }, received: 7 } },
      [true, true]
    ],
    reason: { _tag: "Terminal" }
  })),
  {
    name: "returns the response where the bucket refuses, its body unread",
    policy: { bucket: TokenBucket.empty },
    steps: [busy],
    use: reading,
    sent: [0],
    end: "busy",
    reason: { _tag: "BucketEmpty" }
  },
  {
    name: "makes a first attempt that is refused the cause of a RequestError",
    policy: { rateLimiter: TokenBucket.empty },
    sent: [],
    end: requestError(new Retry.AttemptRefused({ attempt: 1 })),
    reason: refused
  },
  {
    name: "returns the body that was kept when a retry is refused after the wait",
    policy: { rateLimiter: once },
    steps: [
      {
        status: 429,
        headers: [
          ["content-length", "9"],
          ["content-type", "text/plain"],
          ["set-cookie", "a=1"],
          ["set-cookie", "b=2"],
          ["retry-after", "5"]
        ],
        body: "slow down"
      }
    ],
    use: (client, policy) =>
      Effect.flatMap(HttpRetry.withRetry(client, policy).get(url), ({ cookies, headers, status, text }) =>
        Effect.map(Effect.all([text, text]), (texts) => [
          status,
          headers["retry-after"],
          Object.keys(cookies.cookies),
          texts
        ])
      ),
    sent: [0],
    end: [429, "5", ["a", "b"], ["slow down", "slow down"]],
    reason: refused
  },
  {
    name: "returns a body that says where it has gone when that was not kept",
    policy: { rateLimiter: once },
    steps: [busy],
    use: (client, policy) =>
      Effect.flatMap(HttpRetry.withRetry(client, policy).get(url), ({ status, text }) =>
        Effect.map(Effect.flip(text), (error) => [status, ClientLine.reasonOf(error), String(error.cause)])
      ),
    sent: [0],
    end: [503, "Decode", expect.stringContaining("released for a retry that was not sent in the end")],
    reason: refused
  },
  {
    name: "ends a wait that is interrupted, and leaves no sleeper behind",
    steps: [503],
    use: (client, policy, calls) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.fork(HttpRetry.withRetry(client, policy).get(url))
        yield* Effect.sleep("500 millis")
        const isInterrupted = Exit.isInterrupted(yield* Fiber.interrupt(fiber))
        return [isInterrupted, yield* VirtualClock.sleepers, calls[0]?.signal.aborted]
      }),
    sent: [0],
    end: [true, 0, true],
    at: 500
  },
  {
    name: "multiplies when it is wrapped twice",
    steps: [503],
    use: (client, policy) =>
      client.pipe(HttpRetry.withRetry(policy), HttpRetry.withRetry({ ...policy, name: "outer" })).get(url),
    sent: [0, 1_000, 2_000, 3_000, 4_000, 5_000, 6_000, 7_000, 8_000],
    end: 503,
    reason: spent
  }
]

type Send = ReturnType<HttpClient.HttpClient["get"]>
const unbounded = { concurrency: "unbounded" } as const
