import { HttpClient, HttpClientError, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { AttemptTimeout, Backoff, Retry } from "@effect-retry/core"
import { HttpRetry, RequestBody, Unauthorized } from "@effect-retry/http"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Data, Effect, Exit, Option, Stream } from "effect"
import * as Faults from "../../support/Faults.ts"
import * as Scripted from "../../support/ScriptedClient.ts"

const { make: scripted, world } = Scripted

const url = "http://api.example.com/things"

const policy = { ...HttpRetry.standard, backoff: Backoff.constant({ delay: "1 second" }) }

class Expired extends Data.TaggedError("Expired") {}

/** Tokens by their number, and a client that begins with the first. */
const withTokens = (client: HttpClient.HttpClient, own: HttpRetry.Policy = policy) => {
  let renewed = 0
  const renew = (request: HttpClientRequest.HttpClientRequest) =>
    Effect.sync(() => HttpClientRequest.bearerToken(request, `token-${++renewed + 1}`))
  return client.pipe(
    HttpClient.mapRequest(HttpClientRequest.bearerToken("token-1")),
    HttpRetry.withRetry({ ...own, ...Unauthorized.renewing(renew) })
  )
}

const tokens = (calls: ReadonlyArray<Scripted.Call>) =>
  Scripted.sent(calls, "authorization").map((sent) => sent?.slice(7))

describe("Unauthorized.renewing", () => {
  it.effect.each([
    { steps: [200], sent: ["token-1"], status: 200 },
    { steps: [401, 200], sent: ["token-1", "token-2"], status: 200 },
    { steps: [503, 401, 200], sent: ["token-1", "token-1", "token-2"], status: 200 },
    { steps: [401, 503, 200], sent: ["token-1", "token-2", "token-2"], status: 200 },
    { steps: [Faults.reset, 401, 200], sent: ["token-1", "token-1", "token-2"], status: 200 },
    { steps: [401, 503, 503, 200], sent: ["token-1", "token-2", "token-2", "token-2"], status: 200 },
    { steps: [503, 401, 503, 401, 200], sent: ["token-1", "token-1", "token-2", "token-2"], status: 401 },
    { steps: [403, 200], sent: ["token-1"], status: 403 }
  ] as const)("renews once per operation: $steps", ({ sent, status, steps }) =>
    Effect.gen(function* () {
      const { calls, client } = scripted(steps[0], ...steps.slice(1))
      const response = yield* withTokens(client).get(url)
      expect([response.status, tokens(calls)]).toEqual([status, sent])
    }).pipe(world)
  )

  it.effect("renews for every operation anew", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(401, 200, 401, 200)
      const retried = withTokens(client)
      yield* retried.get(url)
      yield* retried.get(url)
      expect(tokens(calls)).toEqual(["token-1", "token-2", "token-1", "token-3"])
    }).pipe(world)
  )

  it.effect("is told what was refused: many operations renew a credential once", () =>
    Effect.gen(function* () {
      let token = 1
      const sent: Array<string | undefined> = []
      const server = HttpClient.make((request) => {
        sent.push(request.headers["authorization"])
        const status = request.headers["authorization"] === "Bearer token-1" ? 401 : 200
        return Effect.succeed(HttpClientResponse.fromWeb(request, new Response(null, { status })))
      })
      const authorized = (request: HttpClientRequest.HttpClientRequest) =>
        HttpClientRequest.bearerToken(request, `token-${token}`)
      const renewed = Unauthorized.renewing((request, refused) =>
        Effect.sync(() => {
          if (refused.headers["authorization"] === `Bearer token-${token}`) token++
          return authorized(request)
        })
      )
      const retried = server.pipe(HttpClient.mapRequest(authorized), HttpRetry.withRetry({ ...policy, ...renewed }))
      const posts = Array.from({ length: 20 }, () => retried.post(url))
      const answers = yield* Effect.all(posts, { concurrency: "unbounded" })
      expect([new Set(answers.map(({ status }) => status)), token]).toEqual([new Set([200]), 2])
      expect(new Set(sent)).toEqual(new Set(["Bearer token-1", "Bearer token-2"]))
    }).pipe(world)
  )

  it.effect("sends a POST again that was refused, and not one that failed otherwise", () =>
    Effect.gen(function* () {
      const posted = (...steps: readonly [Scripted.Step, ...ReadonlyArray<Scripted.Step>]) => {
        const { calls, client } = scripted(...steps)
        return Effect.map(withTokens(client).post(url, { body: Scripted.textBody }), ({ status }) => [
          status,
          calls.length
        ])
      }
      expect(yield* posted(401, 200)).toEqual([200, 2])
      expect(yield* posted(401, 503)).toEqual([503, 2])
      expect(yield* posted(503)).toEqual([503, 1])
    }).pipe(world)
  )

  it.effect("sends no POST again that was redirected before it was refused", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted({ status: 307, headers: { location: "http://other.example/" } }, 401, 200)
      const { status } = yield* withTokens(HttpClient.followRedirects(client)).post(url)
      expect([status, calls.length]).toEqual([401, 2])
    }).pipe(world)
  )

  it.effect("sends no body again that can be read only once", () =>
    Effect.gen(function* () {
      const stream = Stream.make(new Uint8Array(1))
      const put = HttpClientRequest.bodyStream(HttpClientRequest.put(url), stream)
      const { calls, client } = scripted(401, 200)
      expect((yield* withTokens(client).execute(put)).status).toBe(401)
      expect((yield* RequestBody.replayable(withTokens(client).execute(put))).status).toBe(200)
      expect(calls.length).toBe(2)
    }).pipe(world)
  )

  it.effect("knows a 401 that is an error", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(401, 200)
      expect((yield* withTokens(HttpClient.filterStatusOk(client)).post(url)).status).toBe(200)
      expect(calls.length).toBe(2)
      const error = yield* Effect.flip(withTokens(HttpClient.filterStatusOk(scripted(401).client)).get(url))
      expect(error).toMatchObject({ _tag: "ResponseError", response: { status: 401 } })
    }).pipe(world)
  )

  it.effect(
    "ends the operation with the error of the renewal, and renews again if the tables call that retryable",
    () =>
      Effect.gen(function* () {
        const error = new Expired()
        const refused = HttpRetry.withRetry(scripted(401).client, {
          ...policy,
          ...Unauthorized.renewing(() => Effect.fail(error))
        })
        expect(yield* Effect.exit(refused.get(url))).toEqual(Exit.fail(error))

        const unreachable = new HttpClientError.RequestError({
          request: HttpClientRequest.get("http://tokens.example/"),
          reason: "Transport",
          cause: Faults.reset
        })
        let runs = 0
        const { observe, reasons } = Scripted.gaveUp()
        const flaky = HttpRetry.withRetry(scripted(401, 200).client, {
          ...policy,
          observe,
          ...Unauthorized.renewing(() => {
            runs += 1
            return Effect.fail(unreachable)
          })
        })
        const exit = yield* Effect.exit(flaky.get(url))
        expect([exit, runs, reasons.map(Retry.format)]).toEqual([Exit.fail(unreachable), 3, ["all attempts spent"]])
      }).pipe(world)
  )

  it.effect("leaves a request as it is when no failure has come before", () =>
    Effect.gen(function* () {
      const { beforeRetry } = Unauthorized.renewing(() => Effect.dieMessage("renewed"))
      const request = HttpClientRequest.get(url)
      expect(yield* beforeRetry(request, { number: 1, timeLeft: Option.none(), previous: Option.none() })).toBe(request)
    })
  )

  /** Sends what a client sends, and no more than a few requests: an endless renewal ends here. */
  const counting = (client: HttpClient.HttpClient) => {
    const sent: Array<string> = []
    const counted = HttpClient.transform(client, (effect, request) =>
      sent.push(request.url) > 9 ? Effect.dieMessage("endless") : effect
    )
    return { client: counted, sent }
  }

  const tokenUrl = "http://tokens.example.com/"

  it.effect.each([
    ["no timeout", {}],
    ["a timeout", { attemptTimeout: AttemptTimeout.constant("1 minute") }]
  ] as const)("answers a 401 that it meets itself, through the very client, under %s", ([, field]) =>
    Effect.gen(function* () {
      const { client, sent } = counting(scripted(401).client)
      const retried: HttpClient.HttpClient.With<HttpClientError.HttpClientError | Expired> = HttpRetry.withRetry(
        client,
        {
          ...policy,
          ...field,
          ...Unauthorized.renewing((request) =>
            Effect.flatMap(retried.post(tokenUrl), ({ status }) =>
              status === 401 ? Effect.fail(new Expired()) : Effect.succeed(request)
            )
          )
        }
      )
      expect(yield* Effect.exit(retried.get(url))).toEqual(Exit.fail(new Expired()))
      expect(sent).toEqual([url, tokenUrl])
      // What comes after it renews again.
      expect(yield* Effect.exit(retried.get(url))).toEqual(Exit.fail(new Expired()))
      expect(sent).toEqual([url, tokenUrl, url, tokenUrl])
    }).pipe(world)
  )

  it.effect("retries what else it meets itself, through the very client", () =>
    Effect.gen(function* () {
      const { client, sent } = counting(scripted(401, 503, 200, 200).client)
      const retried: HttpClient.HttpClient = HttpRetry.withRetry(client, {
        ...policy,
        ...Unauthorized.renewing((request) => Effect.as(retried.get(tokenUrl), request))
      })
      expect((yield* retried.get(url)).status).toBe(200)
      expect(sent).toEqual([url, tokenUrl, tokenUrl, url])
    }).pipe(world)
  )

  it.effect("ends when two clients renew through each other", () =>
    Effect.gen(function* () {
      const { client, sent } = counting(scripted(401).client)
      const one: HttpClient.HttpClient = HttpRetry.withRetry(client, {
        ...policy,
        ...Unauthorized.renewing((request) => Effect.as(other.get("http://other.example.com/"), request))
      })
      const other: HttpClient.HttpClient = HttpRetry.withRetry(client, {
        ...policy,
        ...Unauthorized.renewing((request) => Effect.as(one.get("http://one.example.com/"), request))
      })
      expect((yield* one.get(url)).status).toBe(401)
      const [ofOne, ofOther] = ["http://one.example.com/", "http://other.example.com/"]
      expect(sent).toEqual([url, ofOther, ofOne, ofOther, url])
    }).pipe(world)
  )

  it.effect("dies of an answer that is not an effect, and names what was answered", () =>
    Effect.gen(function* () {
      const renewing = Unauthorized.renewing(
        (() => "token") as unknown as () => Effect.Effect<HttpClientRequest.HttpClientRequest>
      )
      const exit = yield* Effect.exit(HttpRetry.withRetry(scripted(401).client, { ...policy, ...renewing }).get(url))
      expect(Exit.isFailure(exit) && String(Cause.squash(exit.cause))).toContain(
        'Unauthorized.renewing: renew must be a function that returns an effect of a request, got "string"'
      )
    }).pipe(world)
  )

  it("refuses what is not a function", () => {
    expect(() => Unauthorized.renewing("token" as never)).toThrow("Unauthorized.renewing: renew must be a function")
  })
})
