import { HttpBody, HttpClient, HttpClientError, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { AttemptTimeout, Backoff, Classifier, Deadline, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { HttpClassifier, HttpRetry, Idempotency, IdempotencyKey } from "@effect-retry/http"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Duration, Effect, Exit, Option, Ref, Stream } from "effect"
import * as Faults from "../../support/Faults.ts"
import * as Scripted from "../../support/ScriptedClient.ts"

const { make: scripted, world } = Scripted

const url = "http://api.example.com/things"
const elsewhere = "http://other.example.com/things"

const policy = { ...HttpRetry.standard, backoff: Backoff.constant({ delay: "1 second" }) }

/** A request with everything that is for one server alone. */
const credentials = { authorization: "Bearer old", cookie: "id=1", host: "virtual.example", "proxy-authorization": "p" }
const carrying = HttpClientRequest.get(url, { headers: { ...credentials, "x-own": "1" } })

/** A client that looks at no URL and adds no header, as those of the platform do. */
const plain = (...statuses: ReadonlyArray<number>) => {
  const requests: Array<HttpClientRequest.HttpClientRequest> = []
  const client = HttpClient.makeWith<never, never, HttpClientError.HttpClientError, never>(
    Effect.map((request) => {
      requests.push(request)
      const status = statuses[requests.length - 1] ?? 200
      return HttpClientResponse.fromWeb(request, new Response(null, { status }))
    }),
    Effect.succeed
  )
  return { client, sent: () => requests.map(({ headers }) => ({ ...headers })) }
}

const urlsSent = (calls: ReadonlyArray<Scripted.Call>) => calls.map(({ request }) => request.url)

describe("Policy.beforeRetry", () => {
  it.effect("changes the request of every attempt but the first, each from the one before", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503)
      const numbers: Array<number> = []
      const longer: HttpRetry.Policy = {
        ...policy,
        beforeRetry: (request, { number }) => {
          numbers.push(number)
          return Effect.succeed(HttpClientRequest.appendUrl(request, `/${number}`))
        }
      }
      yield* HttpRetry.withRetry(client, longer).get(url)
      expect(urlsSent(calls)).toEqual([url, `${url}/2`, `${url}/2/3`])
      expect(numbers).toEqual([2, 3])
    }).pipe(world)
  )

  it.effect("is not run for a success, nor after the last failure", () =>
    Effect.gen(function* () {
      let runs = 0
      const counting: HttpRetry.Policy = {
        ...policy,
        beforeRetry: (request) => Effect.sync(() => (runs++, request))
      }
      yield* HttpRetry.withRetry(scripted(200).client, counting).get(url)
      yield* HttpRetry.withRetry(scripted(404).client, counting).get(url)
      yield* HttpRetry.withRetry(scripted(503).client, { ...counting, maxAttempts: 1 }).get(url)
      expect(runs).toBe(0)
    }).pipe(world)
  )

  it.effect("sends the very request again that it leaves as it is", () =>
    Effect.gen(function* () {
      const sent: Array<HttpClientRequest.HttpClientRequest> = []
      const client = HttpClient.makeWith<never, never, HttpClientError.HttpClientError, never>(
        Effect.map((request) =>
          HttpClientResponse.fromWeb(request, new Response(null, { status: sent.push(request) < 2 ? 503 : 200 }))
        ),
        Effect.succeed
      )
      yield* HttpRetry.withRetry(client, { ...policy, beforeRetry: Effect.succeed }).execute(carrying)
      expect(sent).toHaveLength(2)
      expect(sent[1]).toBe(sent[0])
    }).pipe(world)
  )

  it.effect("keeps what is for one server only on another path of it", () =>
    Effect.gen(function* () {
      const { client, sent } = plain(503)
      const beforeRetry = (request: HttpClientRequest.HttpClientRequest) =>
        Effect.succeed(HttpClientRequest.appendUrl(request, "/other"))
      yield* HttpRetry.withRetry(client, { ...policy, beforeRetry }).execute(carrying)
      expect(sent()).toEqual([sent()[0], { ...credentials, "x-own": "1" }])
    }).pipe(world)
  )

  it.effect("begins anew with every operation", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503, 200, 503, 200)
      const moved: HttpRetry.Policy = {
        ...policy,
        beforeRetry: (request) => Effect.succeed(HttpClientRequest.setUrl(request, elsewhere))
      }
      const retried = HttpRetry.withRetry(client, moved).get(url)
      yield* Effect.zipRight(retried, retried)
      expect(urlsSent(calls)).toEqual([url, elsewhere, url, elsewhere])
    }).pipe(world)
  )

  it.effect("changes method and body as well, and the rules judge the request that was sent", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503)
      const { observe, reasons } = Scripted.gaveUp()
      const posting: HttpRetry.Policy = {
        ...policy,
        observe,
        beforeRetry: (request) =>
          Effect.succeed(HttpClientRequest.setMethod(HttpClientRequest.bodyText(request, "x"), "POST"))
      }
      yield* HttpRetry.withRetry(client, posting).get(url)
      expect(calls.map(({ request }) => [request.method, request.body._tag])).toEqual([
        ["GET", "Empty"],
        ["POST", "Uint8Array"]
      ])
      expect(reasons.map(Retry.format)).toEqual(["not retryable: POST without Idempotency-Key"])
    }).pipe(world)
  )

  it.effect("can give a body that is sent once", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503)
      const body = HttpBody.stream(Stream.make(new Uint8Array(1)))
      const streaming: HttpRetry.Policy = {
        ...policy,
        beforeRetry: (request) => Effect.succeed(HttpClientRequest.setBody(request, body))
      }
      yield* HttpRetry.withRetry(client, streaming).put(url)
      expect(calls.length).toBe(2)
    }).pipe(world)
  )

  it.effect("is told what led to the attempt: a response, an error, a timeout", () =>
    Effect.gen(function* () {
      const seen: Array<Option.Option<readonly [unknown, unknown, unknown]>> = []
      const looking: HttpRetry.Policy<unknown, AttemptTimeout.AttemptTimedOut> = {
        ...policy,
        maxAttempts: 4,
        attemptTimeout: AttemptTimeout.constant("2 seconds"),
        attemptHeaders: ({ previous }) => {
          seen.push(
            Option.map(previous, ({ outcome, status, verdict }) => {
              const { cause } = outcome as { readonly cause?: unknown }
              return [HttpClassifier.isResponse(outcome) ? "response" : cause, status, verdict._tag] as const
            })
          )
          return {}
        }
      }
      const { client } = scripted(503, Faults.reset, { status: 200, after: "1 minute" }, 200)
      yield* HttpRetry.withRetry(client, looking).get(url)
      expect(seen).toEqual([
        Option.none(),
        Option.some(["response", 503, "Retryable"]),
        Option.some([Faults.reset, undefined, "Retryable"]),
        Option.some([
          new AttemptTimeout.AttemptTimedOut({ attempt: 3, after: Duration.seconds(2) }),
          undefined,
          "Retryable"
        ])
      ])
    }).pipe(world)
  )

  it.effect("is told the status of an error, too", () =>
    Effect.gen(function* () {
      const statuses: Array<number | undefined> = []
      const looking: HttpRetry.Policy = {
        ...policy,
        beforeRetry: (request, { previous }) => {
          statuses.push(Option.getOrUndefined(previous)?.status)
          return Effect.succeed(request)
        }
      }
      const { client } = scripted(503, 429, 200)
      yield* HttpRetry.withRetry(HttpClient.filterStatusOk(client), looking).get(url)
      expect(statuses).toEqual([503, 429])
    }).pipe(world)
  )

  it.effect.each([
    ["neither timeout nor deadline", {}, [Option.none(), Option.none()]],
    [
      "a timeout",
      { attemptTimeout: AttemptTimeout.constant("3 seconds") },
      [Option.some(Duration.seconds(3)), Option.some(Duration.seconds(3))]
    ],
    [
      "a deadline",
      { deadline: Deadline.refuse("10 seconds") },
      [Option.some(Duration.seconds(10)), Option.some(Duration.seconds(7))]
    ],
    [
      "a deadline that cuts",
      { deadline: Deadline.cut("10 seconds") },
      [Option.some(Duration.seconds(10)), Option.some(Duration.seconds(7))]
    ]
  ] as const)("is told the time that is left, under %s", ([, fields, left]) =>
    Effect.gen(function* () {
      const seen: Array<Option.Option<Duration.Duration>> = []
      const note = ({ timeLeft }: HttpRetry.Attempt) => {
        seen.push(timeLeft)
        return {}
      }
      const { client } = scripted({ status: 503, after: "2 seconds" }, 200)
      yield* HttpRetry.withRetry(client, { ...policy, ...fields, attemptHeaders: note }).get(url)
      expect(seen).toEqual(left)
    }).pipe(world)
  )

  it.effect("leaves the caller's own operation around the request as it is", () =>
    Effect.gen(function* () {
      const numbers: Array<number> = []
      const noting = HttpClient.makeWith<never, never, HttpClientError.HttpClientError, Retry.CurrentAttempt>(
        Effect.flatMap((request) =>
          Effect.map(Retry.CurrentAttempt, ({ number }) => {
            numbers.push(number)
            return HttpClientResponse.fromWeb(request, new Response(null, { status: 503 }))
          })
        ),
        Effect.succeed
      )
      const inner = HttpRetry.withRetry(noting, { ...policy, attemptHeaders: HttpRetry.attemptNumber() }).get(url)
      yield* Retry.retry(Effect.zipRight(inner, Effect.fail("again")), {
        classifier: Classifier.always,
        maxAttempts: 2,
        backoff: Backoff.constant({ delay: 0 }),
        attempt: Retry.CurrentAttempt
      }).pipe(Effect.ignore)
      expect(numbers).toEqual([1, 1, 1, 2, 2, 2])
    }).pipe(world)
  )
})

describe("Policy.beforeRetry and one server's headers", () => {
  it.effect("keeps them from the hook, and sends them again to the same origin", () =>
    Effect.gen(function* () {
      const { client, sent } = plain(503, 503, 200)
      const handed: Array<object> = []
      const touching: HttpRetry.Policy = {
        ...policy,
        beforeRetry: (request, { number }) => {
          handed.push({ ...request.headers })
          return Effect.succeed(number === 2 ? request : HttpClientRequest.setHeader(request, "x-third", "1"))
        }
      }
      yield* HttpRetry.withRetry(client, touching).execute(carrying)
      expect(handed).toEqual([{ "x-own": "1" }, { "x-own": "1" }])
      const first = { ...credentials, "x-own": "1" }
      expect(sent()).toEqual([first, first, { ...first, "x-third": "1" }])
    }).pipe(world)
  )

  it.effect.each([
    ["another host", elsewhere],
    ["another port", "http://api.example.com:8080/things"],
    ["another scheme", "https://api.example.com/things"],
    ["another subdomain", "http://www.api.example.com/things"],
    ["a URL that is none", "nowhere"]
  ] as const)("sends none of them to %s", ([, target]) =>
    Effect.gen(function* () {
      const { client, sent } = plain(503, 503, 200)
      const moved: HttpRetry.Policy = {
        ...policy,
        beforeRetry: (request, { number }) =>
          Effect.succeed(HttpClientRequest.setUrl(request, number === 2 ? target : url))
      }
      yield* HttpRetry.withRetry(client, moved).execute(carrying)
      // Once gone, they are gone: what was sent last had none.
      expect(sent().slice(1)).toEqual([{ "x-own": "1" }, { "x-own": "1" }])
    }).pipe(world)
  )

  it.effect("sends those that the hook sets, also of the same value", () =>
    Effect.gen(function* () {
      const { client, sent } = plain(503, 503, 200)
      const moved: HttpRetry.Policy = {
        ...policy,
        beforeRetry: (request, { number }) =>
          Effect.succeed(
            number === 2
              ? HttpClientRequest.bearerToken(HttpClientRequest.setUrl(request, elsewhere), "old")
              : HttpClientRequest.bearerToken(request, "new")
          )
      }
      yield* HttpRetry.withRetry(client, moved).execute(carrying)
      expect(sent().slice(1)).toEqual([
        { "x-own": "1", authorization: "Bearer old" },
        { "x-own": "1", authorization: "Bearer new" }
      ])
    }).pipe(world)
  )

  it.effect("goes by where a relative URL leads, as far as that is known", () =>
    Effect.gen(function* () {
      const { client, sent } = plain(503, 503, 200)
      const relative = HttpClientRequest.setUrl(carrying, "/things")
      const moved: HttpRetry.Policy = {
        ...policy,
        beforeRetry: (request, { number }) =>
          Effect.succeed(HttpClientRequest.setUrl(request, number === 2 ? "/things" : "//other.example/things"))
      }
      yield* HttpRetry.withRetry(client, moved).execute(relative)
      expect(sent().map(({ authorization }) => authorization)).toEqual(["Bearer old", "Bearer old", undefined])
    }).pipe(world)
  )

  it.effect("is asked anew for each hop when redirects are followed behind the retries", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503, { status: 307, headers: { location: elsewhere } }, 503, 200)
      const handed: Array<string> = []
      const fresh: HttpRetry.Policy = {
        ...policy,
        beforeRetry: (request) => {
          handed.push(request.url)
          const isOurs = request.url.startsWith("http://api.example.com/")
          return Effect.succeed(isOurs ? HttpClientRequest.bearerToken(request, "new") : request)
        }
      }
      const following = client.pipe(HttpRetry.withRetry(fresh), HttpClient.followRedirects())
      yield* following.get(url)
      expect(handed).toEqual([url, elsewhere])
      expect(urlsSent(calls)).toEqual([url, url, elsewhere, elsewhere])
      expect(Scripted.sent(calls, "authorization")).toEqual([undefined, "Bearer new", undefined, undefined])
    }).pipe(world)
  )

  it.effect("is asked for the first host alone when redirects are followed below the retries", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted({ status: 307, headers: { location: elsewhere } }, 503, 200)
      const handed: Array<string> = []
      const noting: HttpRetry.Policy = {
        ...policy,
        beforeRetry: (request) => {
          handed.push(request.url)
          return Effect.succeed(HttpClientRequest.bearerToken(request, "new"))
        }
      }
      yield* client.pipe(HttpClient.followRedirects(), HttpRetry.withRetry(noting)).get(url)
      expect(handed).toEqual([url])
      expect(urlsSent(calls)).toEqual([url, elsewhere, url])
      expect(Scripted.sent(calls, "authorization")).toEqual([undefined, undefined, "Bearer new"])
    }).pipe(world)
  )
})

describe("Policy.beforeRetry and the key of the operation", () => {
  const keyed: HttpRetry.Policy = {
    ...policy,
    idempotency: { ...Idempotency.standard, createKeyFor: ["POST"] },
    beforeRetry: (request) =>
      Effect.succeed(HttpClientRequest.setHeader(HttpClientRequest.setUrl(request, elsewhere), "idempotency-key", "x"))
  }

  it.effect("leaves the key as it is, one that was created and the caller's", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503)
      const retried = HttpRetry.withRetry(client, keyed)
      yield* retried.post(url)
      yield* retried.post(url, { headers: { "idempotency-key": "mine" } })
      expect(Scripted.sent(calls, "idempotency-key")).toEqual(["key-1", "key-1", "key-1", "mine", "mine", "mine"])
    }).pipe(Effect.provide(IdempotencyKey.layerSequence), world)
  )
})

describe("Policy.beforeRetry that fails", () => {
  const failing = (...failures: ReadonlyArray<unknown>) => {
    let runs = 0
    return (
      request: HttpClientRequest.HttpClientRequest
    ): Effect.Effect<HttpClientRequest.HttpClientRequest, unknown> =>
      Effect.suspend(() => {
        const failure = failures[runs++]
        return failure === undefined ? Effect.succeed(request) : Effect.fail(failure)
      })
  }
  const unreachable = new HttpClientError.RequestError({
    request: HttpClientRequest.get("http://tokens.example/"),
    reason: "Transport",
    cause: Faults.reset
  })

  it.effect("counts as an attempt that was not sent if they do", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(421, 200)
      const patient = { ...policy, maxAttempts: 4, beforeRetry: failing(unreachable, unreachable) }
      const { status } = yield* HttpRetry.withRetry(client, patient).post(url)
      expect([status, ...Scripted.times(calls)]).toEqual([200, 0, 3_000])
    }).pipe(world)
  )

  it.effect("asks neither an opinion nor a classifier without tables, which do not know its error", () =>
    Effect.gen(function* () {
      const asked: Array<unknown> = []
      const judge = (outcome: unknown) => {
        asked.push(HttpClassifier.responseOf(outcome)?.status ?? outcome)
        return HttpClassifier.isResponse(outcome) && outcome.status === 503 ? Verdict.transient : Verdict.noOpinion
      }
      const run = (fields: object) =>
        HttpRetry.withRetry(scripted(503, 200).client, { ...policy, ...fields, beforeRetry: failing(unreachable) }).get(
          url
        )
      yield* run({ opinion: judge })
      yield* run({ classifier: judge })
      expect(asked).toEqual([503, 200, 503, 200])
    }).pipe(world)
  )

  it.effect("leaves what the next attempt is told: the failure of the last sent attempt", () =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const hook = failing(unreachable)
      const looking: HttpRetry.Policy<unknown, unknown> = {
        ...policy,
        beforeRetry: (request, { previous }) => {
          seen.push(Option.map(previous, ({ status }) => status))
          return hook(request)
        }
      }
      yield* Effect.exit(HttpRetry.withRetry(scripted(503).client, looking).get(url))
      expect(seen).toEqual([Option.some(503), Option.some(503)])
    }).pipe(world)
  )

  it.effect("is bounded by the attempt's timeout, and then was not sent either", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(421, 200)
      const interrupted = yield* Ref.make(0)
      let runs = 0
      const slow: HttpRetry.Policy<unknown, AttemptTimeout.AttemptTimedOut> = {
        ...policy,
        attemptTimeout: AttemptTimeout.constant("2 seconds"),
        beforeRetry: (request) =>
          runs++ === 0
            ? Effect.onInterrupt(Effect.never, () => Ref.update(interrupted, (n) => n + 1))
            : Effect.succeed(request)
      }
      const { status } = yield* HttpRetry.withRetry(client, slow).post(url)
      expect([status, ...Scripted.times(calls), yield* Ref.get(interrupted)]).toEqual([200, 0, 4_000, 1])
    }).pipe(world)
  )

  it.effect("dies when it answers no effect, or no request", () =>
    Effect.gen(function* () {
      const wrong = [undefined, Effect.succeed(undefined), Effect.succeed({ url })]
      for (const answer of wrong) {
        const bad = {
          ...policy,
          beforeRetry: (() => answer) as unknown as NonNullable<HttpRetry.Policy["beforeRetry"]>
        }
        const exit = yield* Effect.exit(HttpRetry.withRetry(scripted(503).client, bad).get(url))
        expect(Exit.isFailure(exit) && Cause.pretty(exit.cause)).toContain(
          "HttpRetry.Policy: beforeRetry must be a function that returns an effect of a request"
        )
      }
    }).pipe(world)
  )

  it.effect("keeps the key of buckets at the host that was asked first", () =>
    Effect.gen(function* () {
      const { client } = scripted(503)
      const keys: Array<string> = []
      const bucket: TokenBucket.TokenBucket = {
        ...TokenBucket.unlimited,
        acquire: (request) =>
          Effect.zipRight(
            Effect.map(TokenBucket.Key, (key) => keys.push(key)),
            TokenBucket.unlimited.acquire(request)
          )
      }
      const moved: HttpRetry.Policy = {
        ...policy,
        bucket,
        beforeRetry: (request) => Effect.succeed(HttpClientRequest.setUrl(request, elsewhere))
      }
      yield* HttpRetry.withRetry(client, moved).get(url)
      expect(keys).toEqual(["api.example.com", "api.example.com"])
    }).pipe(world)
  )
})

describe("Policy.beforeRetry under a scope", () => {
  it.effect("leaves the end of the response to the scope", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503, 200)
      const fresh: HttpRetry.Policy = {
        ...policy,
        beforeRetry: (request) => Effect.succeed(HttpClientRequest.bearerToken(request, "new"))
      }
      yield* Effect.scoped(client.pipe(HttpRetry.withRetry(fresh), HttpClient.withScope).get(url))
      expect(calls.map(({ signal }) => signal.aborted)).toEqual([true, true])
    }).pipe(world)
  )
})
