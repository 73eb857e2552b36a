import {
  Cookies,
  FetchHttpClient,
  HttpBody,
  HttpClient,
  HttpClientError,
  HttpClientRequest,
  HttpClientResponse
} from "@effect/platform"
import {
  AttemptTimeout,
  Classifier,
  Deadline,
  Hint,
  InvalidArgument,
  RateLimiter,
  Retry,
  TokenBucket,
  Verdict
} from "@effect-retry/core"
import { HttpClassifier, HttpRetry, Idempotency, IdempotencyKey, RequestBody } from "@effect-retry/http"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Clock, Context, Data, Duration, Effect, Exit, Fiber, Option, Ref, Scope, Stream } from "effect"
import * as Faults from "../support/Faults.ts"
import * as Scripted from "../support/ScriptedClient.ts"
import * as Stories from "./Stories.ts"
import { once, policy, post, url } from "./Stories.ts"

const { make: scripted, world } = Scripted

/** What the server asks for, and not a moment more. */
const asAsked = Hint.floor({ atMost: "1 minute", otherwise: "giveUp" })

const patient = { ...policy, maxAttempts: 5 }

const streamed = (stream: Stream.Stream<Uint8Array>) => HttpClientRequest.put(url, { body: HttpBody.stream(stream) })

/** Why the last attempt was not followed by another, in words. */
const reason = (reasons: ReadonlyArray<Retry.StopReason>) => reasons.map(Retry.format)

const refusedFault = Faults.fetchFailed(Faults.refused)
const resetFault = Faults.fetchFailed(Faults.reset)

class Busy extends Data.TaggedError("Busy")<{ readonly status: number }> {}

describe("HttpRetry.withRetry", () => {
  it.effect.each(Stories.stories.map((story) => [story.name, story] as const))("%s", ([, story]) => Stories.run(story))

  it.effect("begins anew with every operation", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503)
      const retried = HttpRetry.withRetry(client, policy)
      yield* retried.get(url)
      yield* retried.get(url)
      expect(calls.length).toBe(6)
    }).pipe(world)
  )

  it.effect("has a data-first and a data-last form", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503)
      const clients = [
        HttpRetry.withRetry(client, HttpRetry.standard),
        client.pipe(HttpRetry.withRetry(HttpRetry.standard)),
        HttpRetry.withRetry(client, patient),
        client.pipe(HttpRetry.withRetry(patient))
      ]
      const counts: Array<number> = []
      for (const retried of clients) {
        yield* retried.get(url)
        counts.push(calls.splice(0).length)
      }
      expect(counts).toEqual([3, 3, 5, 5])
    }).pipe(world)
  )

  it.effect.each([
    { redirect: "follow", calls: 1 },
    { redirect: "manual", calls: 2 }
  ] as const)(
    "takes a refused connection of fetch for that of a redirect that it may $redirect",
    ({ calls, redirect }) =>
      Effect.gen(function* () {
        const fake = scripted(refusedFault, 503)
        yield* Effect.exit(HttpRetry.withRetry(fake.client, policy).execute(post))
        expect(fake.calls).toHaveLength(calls)
      }).pipe(Effect.provideService(FetchHttpClient.RequestInit, { redirect }), world)
  )

  it.effect("trusts no refused connection when the caller has set a fetch", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(Faults.refused, 200)
      yield* Effect.exit(HttpRetry.withRetry(client, policy).execute(post))
      expect(calls).toHaveLength(1)
    }).pipe(Effect.provideService(FetchHttpClient.Fetch, globalThis.fetch), world)
  )

  it.effect("lets defects and interruption through", () =>
    Effect.gen(function* () {
      let sends = 0
      const broken = HttpClient.make(() =>
        Effect.zipRight(
          Effect.sync(() => void sends++),
          Effect.die("broken")
        )
      )
      const exit = yield* Effect.exit(HttpRetry.withRetry(broken, policy).get(url))
      expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toBe("broken")
      const gone = HttpClient.make(() =>
        Effect.zipRight(
          Effect.sync(() => void sends++),
          Effect.interrupt
        )
      )
      expect(Exit.isInterrupted(yield* Effect.exit(HttpRetry.withRetry(gone, policy).get(url)))).toBe(true)
      expect(sends).toBe(2)
    }).pipe(world)
  )
})

describe("HttpRetry.withRetry with a policy that leaves something out", () => {
  it.effect.each([
    ["nothing", HttpRetry.standard, 3],
    ["everything", {}, 3],
    ["all but the attempts", { maxAttempts: 5 }, 5],
    ["what is undefined", { maxAttempts: undefined, backoff: undefined, classifier: undefined, hint: undefined }, 3],
    ["the attempts", { ...HttpRetry.standard, maxAttempts: undefined }, 3]
  ] as const)("does what the standard does there: %s", ([, partial, count]) =>
    world(
      Effect.gen(function* () {
        // The bound and the jitter of the standard's hint, and the back-off behind them.
        const { calls, client } = scripted({ status: 429, headers: { "retry-after": "10" } }, 503)
        expect((yield* HttpRetry.withRetry(client, partial).get(url)).status).toBe(503)
        expect(Scripted.times(calls)).toEqual([0, 10_500, 10_600, 10_800, 11_200].slice(0, count))
        const posted = scripted(503)
        expect((yield* posted.client.pipe(HttpRetry.withRetry(partial)).execute(post)).status).toBe(503)
        expect(posted.calls).toHaveLength(1)
      })
    )
  )

  it("refuses a bad value of it", () => {
    const { client } = scripted(200)
    expect(() => client.pipe(HttpRetry.withRetry({ maxAttempts: 0 }))).toThrow(
      "HttpRetry.withRetry: maxAttempts must be"
    )
    expect(() => HttpRetry.make({ maxAttempts: 0 })).toThrow("HttpRetry.make: maxAttempts must be")
  })
})

describe("HttpRetry.withRetry in a pipeline", () => {
  it.effect("stops at a status of the caller's fault, even if that is an error", () =>
    Effect.gen(function* () {
      const heard = Scripted.gaveUp()
      const { calls, client } = scripted(404)
      const filtered = HttpClient.filterStatusOk(client)
      yield* Effect.flip(HttpRetry.withRetry(filtered, { ...policy, observe: heard.observe }).get(url))
      expect([calls.length, ...reason(heard.reasons)]).toEqual([1, "not retryable: status 404"])
    }).pipe(world)
  )

  it.effect("gives filterStatusOk after it the last response", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503, resetFault, 503)
      const error = yield* Effect.flip(client.pipe(HttpRetry.withRetry(policy), HttpClient.filterStatusOk).get(url))
      expect([error._tag, calls.length]).toEqual(["ResponseError", 3])
    }).pipe(world)
  )

  it.effect("releases the response inside an error", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503, 503, 200)
      yield* client.pipe(HttpClient.filterStatusOk, HttpRetry.withRetry(policy)).get(url)
      expect(calls.map(({ signal }) => signal.aborted)).toEqual([true, true, false])
    }).pipe(world)
  )

  it.effect.each(["before", "after"] as const)("prepares the request once per operation: %s", (place) =>
    Effect.gen(function* () {
      let mapped = 0
      const { calls, client } = scripted(503)
      const prepare = <E, R>(self: HttpClient.HttpClient.With<E, R>) =>
        self.pipe(
          HttpClient.mapRequest(HttpClientRequest.setHeader("x-mapped", "yes")),
          HttpClient.mapRequestInput(HttpClientRequest.setHeader("x-input", "yes")),
          HttpClient.mapRequestEffect((request) =>
            Effect.sync(() => HttpClientRequest.setHeader(request, "x-token", `token-${++mapped}`))
          )
        )
      const retried =
        place === "before"
          ? HttpRetry.withRetry(prepare(client), policy)
          : client.pipe(HttpRetry.withRetry(policy), prepare)
      yield* retried.get(url)
      yield* retried.get(url)
      for (const header of ["x-mapped", "x-input"]) {
        expect(Scripted.sent(calls, header)).toEqual(["yes", "yes", "yes", "yes", "yes", "yes"])
      }
      expect(Scripted.sent(calls, "x-token")).toEqual([
        "token-1",
        "token-1",
        "token-1",
        "token-2",
        "token-2",
        "token-2"
      ])
    }).pipe(world)
  )

  it.effect("does not retry what fails before the request is ready", () =>
    Effect.gen(function* () {
      let asked = 0
      const { calls, client } = scripted(200)
      const locked = HttpClient.mapRequestEffect(client, () =>
        Effect.zipRight(
          Effect.sync(() => asked++),
          Effect.fail(new Busy({ status: 0 }))
        )
      )
      expect(yield* Effect.flip(HttpRetry.withRetry(locked, policy).get(url))).toEqual(new Busy({ status: 0 }))
      expect([asked, calls.length]).toEqual([1, 0])
    }).pipe(world)
  )

  it.effect("runs a transformation before it for every attempt, and one after it once", () =>
    Effect.gen(function* () {
      const { client } = scripted(503, 503, 200)
      const counts = { before: 0, after: 0 }
      const counting = (place: keyof typeof counts) =>
        HttpClient.transformResponse(<A, E, R>(sent: Effect.Effect<A, E, R>) =>
          Effect.zipRight(
            Effect.sync(() => counts[place]++),
            sent
          )
        )
      yield* client.pipe(counting("before"), HttpRetry.withRetry(policy), counting("after")).get(url)
      expect(counts).toEqual({ before: 3, after: 1 })
    }).pipe(world)
  )

  it.effect("leaves only the last response to the scope of withScope after it", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503, 200)
      const aborted = () => calls.map(({ signal }) => signal.aborted)
      const scoped = client.pipe(HttpRetry.withRetry(policy), HttpClient.withScope)
      const keyed = client.pipe(
        HttpRetry.withRetry({ ...policy, idempotency: { ...Idempotency.standard, createKeyFor: ["GET"] } }),
        HttpClient.withScope
      )
      const numbered = client.pipe(
        HttpRetry.withRetry({ ...policy, attemptHeaders: HttpRetry.attemptNumber() }),
        HttpClient.withScope
      )
      for (const retried of [scoped, keyed, numbered]) {
        calls.length = 0
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* retried.get(url)
            expect(aborted()).not.toContain(true)
          })
        )
        expect(aborted()).not.toContain(false)
      }
    }).pipe(world)
  )

  it.effect("gives every attempt the scope of withScope before it", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503, 200)
      const scope = yield* Scope.make()
      const retried = client.pipe(HttpClient.withScope, HttpRetry.withRetry(policy))
      const response = yield* Scope.extend(retried.get(url), scope)
      expect([response.status, ...calls.map(({ signal }) => signal.aborted)]).toEqual([200, false, false])
      yield* Scope.close(scope, Exit.void)
      expect(calls.map(({ signal }) => signal.aborted)).toEqual([true, true])
    }).pipe(world)
  )

  it.effect("cancels a body that a scope is in charge of", () =>
    Effect.gen(function* () {
      const { body, seen } = Scripted.watchedBody(2_000_000)
      const { client } = scripted({ status: 503, body }, 200)
      yield* Effect.scoped(client.pipe(HttpRetry.withRetry(policy), HttpClient.withScope).get(url))
      expect([seen.cancelled, seen.pulled < 100_000]).toEqual([true, true])
    }).pipe(world)
  )

  it.effect("retries every hop of followRedirects after it, and the whole way of one before it", () =>
    Effect.gen(function* () {
      const moved = { status: 302, headers: { location: "/elsewhere" } }
      const steps = [503, moved, 503, 200] as const
      const hops = scripted(...steps)
      const paths = ({ calls }: Scripted.Scripted) => calls.map(({ request }) => new URL(request.url).pathname)
      yield* hops.client.pipe(HttpRetry.withRetry(policy), HttpClient.followRedirects()).get(url)
      expect(paths(hops)).toEqual(["/things", "/things", "/elsewhere", "/elsewhere"])
      const ways = scripted(503, moved, 503, moved, 200)
      yield* ways.client.pipe(HttpClient.followRedirects(), HttpRetry.withRetry(policy)).get(url)
      expect(paths(ways)).toEqual(["/things", "/things", "/elsewhere", "/things", "/elsewhere"])
    }).pipe(world)
  )

  it.effect("lets withCookiesRef before it keep the cookies of every attempt, and after it those of the last", () =>
    Effect.gen(function* () {
      const cookie = (name: string) => ({ "set-cookie": `${name}=1` })
      const kept = (place: "before" | "after") =>
        Effect.gen(function* () {
          const ref = yield* Ref.make(Cookies.empty)
          const { client } = scripted(
            { status: 503, headers: cookie("first") },
            { status: 200, headers: cookie("last") }
          )
          yield* place === "before"
            ? client.pipe(HttpClient.withCookiesRef(ref), HttpRetry.withRetry(policy)).get(url)
            : client.pipe(HttpRetry.withRetry(policy), HttpClient.withCookiesRef(ref)).get(url)
          return Object.keys((yield* Ref.get(ref)).cookies)
        })
      expect(yield* kept("before")).toEqual(["first", "last"])
      expect(yield* kept("after")).toEqual(["last"])
    }).pipe(world)
  )

  it.effect("asks the opinion about an error of the client's own", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(418, 418, 200)
      const strict = HttpClient.filterOrFail(
        client,
        ({ status }) => status === 200,
        ({ status }) => new Busy({ status })
      )
      expect(yield* Effect.flip(HttpRetry.withRetry(strict, policy).get(url))).toEqual(new Busy({ status: 418 }))
      expect(calls.length).toBe(1)
      const opinionated = HttpRetry.withRetry(strict, {
        ...policy,
        opinion: (outcome) => ("_tag" in outcome && outcome._tag === "Busy" ? Verdict.throttling : Verdict.noOpinion)
      })
      expect((yield* opinionated.get(url)).status).toBe(200)
      expect(calls.length).toBe(3)
    }).pipe(world)
  )

  it.effect("keeps what the client requires", () =>
    Effect.gen(function* () {
      class Token extends Context.Tag("test/Token")<Token, string>() {}
      const { calls, client } = scripted(503, 200)
      const authorised = HttpClient.mapRequestEffect(client, (request) =>
        Effect.map(Token, (token) => HttpClientRequest.bearerToken(request, token))
      )
      const perAttempt = HttpClient.transformResponse(authorised, (sent) => Effect.zipRight(Token, sent))
      yield* Effect.provideService(HttpRetry.withRetry(perAttempt, policy).get(url), Token, "secret")
      expect(Scripted.sent(calls, "authorization")).toEqual(["Bearer secret", "Bearer secret"])
    }).pipe(world)
  )

  it.effect("works with a client of makeWith", () =>
    Effect.gen(function* () {
      const sent: Array<string> = []
      const own = HttpClient.makeWith<never, never, Busy, never>(
        Effect.flatMap((request) =>
          Effect.suspend(() => {
            sent.push(request.url)
            return sent.length < 3
              ? Effect.fail(new Busy({ status: sent.length }))
              : Effect.succeed(HttpClientResponse.fromWeb(request, new Response(null, { status: 200 })))
          })
        ),
        (request) => Effect.succeed(HttpClientRequest.prependUrl(request, "http://own"))
      )
      const always = { ...policy, opinion: () => Verdict.transient }
      const error = yield* Effect.flip(HttpRetry.withRetry(own, { ...always, maxAttempts: 2 }).get("/x"))
      expect(error).toMatchObject({ _tag: "Busy", status: 2 })
      expect(sent).toEqual(["http://own/x", "http://own/x"])
    }).pipe(world)
  )

  it("refuses a tag in place of a client, and loses no policy to it", () => {
    const withRetry = HttpRetry.withRetry as (...args: ReadonlyArray<unknown>) => unknown
    const message = "HttpRetry.withRetry: client must be made by HttpClient.make or HttpClient.makeWith"
    expect(() => withRetry(HttpClient.HttpClient, policy)).toThrow(
      `${message}; yield* the tag first, got "${HttpClient.HttpClient.key}"`
    )
    expect(() => withRetry(undefined, policy)).toThrow(`${message}, got undefined`)
    expect(() => withRetry(HttpClient.HttpClient, { classifier: null })).toThrow(
      "HttpRetry.withRetry: classifier must be"
    )
  })

  it("refuses a client that the platform has not made", () => {
    const { client } = scripted(200)
    const fake = { [HttpClient.TypeId]: HttpClient.TypeId, execute: client.execute }
    for (const own of [fake, { ...fake, preprocess: Effect.succeed }] as unknown as ReadonlyArray<typeof client>) {
      expect(() => HttpRetry.withRetry(own, policy)).toThrow(
        "HttpRetry.withRetry: client must be made by HttpClient.make or HttpClient.makeWith"
      )
    }
  })
})

describe("HttpRetry.standard", () => {
  it.effect.each([
    ["GET", 3],
    ["HEAD", 3],
    ["OPTIONS", 3],
    ["PUT", 3],
    ["DELETE", 3],
    ["POST", 1],
    ["PATCH", 1]
  ] as const)("sends what HTTP calls safe to repeat again: %s", ([method, count]) =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503)
      yield* HttpRetry.withRetry(client, HttpRetry.standard).execute(HttpClientRequest.make(method)(url))
      expect(calls.length).toBe(count)
      expect(calls[0]?.request.headers["idempotency-key"]).toBe(undefined)
      expect(Object.keys(calls[1]?.request.headers ?? {}).filter((name) => name.startsWith("x-"))).toEqual([])
    }).pipe(world)
  )

  it.effect("waits half of 100 and of 200 milliseconds when the draw is the middle", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503)
      yield* HttpRetry.withRetry(client, HttpRetry.standard).get(url)
      expect(Scripted.times(calls)).toEqual([0, 50, 150])
    }).pipe(world)
  )
})

describe("Policy.idempotency", () => {
  const told = (
    steps: readonly [Scripted.Step, ...ReadonlyArray<Scripted.Step>],
    idempotency: Idempotency.Idempotency = Idempotency.standard
  ) => {
    const heard = Scripted.gaveUp()
    const { calls, client } = scripted(...steps)
    return { calls, heard, client: HttpRetry.withRetry(client, { ...policy, idempotency, observe: heard.observe }) }
  }

  it.effect("names the header that was asked for", () =>
    Effect.gen(function* () {
      const { client, heard } = told([503], { ...Idempotency.standard, keyHeader: "x-request-id" })
      yield* client.execute(HttpClientRequest.setHeader(post, "idempotency-key", "k"))
      expect(reason(heard.reasons)).toEqual(["not retryable: POST without X-Request-Id"])
    }).pipe(world)
  )

  it.effect.each([
    ["idempotency-key", "k"],
    ["if-match", '"tag"'],
    ["if-none-match", "*"]
  ] as const)("sends POST again that carries %s", ([header, value]) =>
    Effect.gen(function* () {
      const { calls, client } = told([503])
      yield* client.execute(HttpClientRequest.setHeader(post, header, value))
      expect(Scripted.sent(calls, header)).toEqual([value, value, value])
    }).pipe(world)
  )

  it.effect("sends again what the caller declares to be repeatable", () =>
    Effect.gen(function* () {
      const { calls, client } = told([503])
      yield* client.execute(post).pipe(Idempotency.declared("replaces the whole thing"))
      expect(calls.splice(0).length).toBe(3)
      yield* HttpClient.transformResponse(client, Idempotency.declared("all of it")).execute(post)
      expect(calls.length).toBe(3)
    }).pipe(world)
  )

  it.effect("creates one key per operation, the same on all attempts", () =>
    Effect.gen(function* () {
      const { calls, client } = told([503], { ...Idempotency.standard, createKeyFor: ["POST"] })
      yield* client.execute(post)
      yield* client.execute(post)
      yield* client.get(url)
      expect(Scripted.sent(calls, "idempotency-key")).toEqual([
        "key-1",
        "key-1",
        "key-1",
        "key-2",
        "key-2",
        "key-2",
        undefined,
        undefined,
        undefined
      ])
    }).pipe(Effect.provide(IdempotencyKey.layerSequence), world)
  )

  it.effect("leaves a key of the caller's alone", () =>
    Effect.gen(function* () {
      const { calls, client } = told([503], { ...Idempotency.standard, createKeyFor: ["POST"] })
      yield* client.execute(HttpClientRequest.setHeader(post, "idempotency-key", "mine"))
      expect(Scripted.sent(calls, "idempotency-key")).toEqual(["mine", "mine", "mine"])
    }).pipe(Effect.provide(IdempotencyKey.layerSequence), world)
  )

  it.effect("puts the key into a header of the caller's choice", () =>
    Effect.gen(function* () {
      const rules = { ...Idempotency.standard, createKeyFor: ["POST"], keyHeader: "x-request-id" }
      const { calls, client } = told([503], rules)
      yield* client.execute(post)
      expect(Scripted.sent(calls, "x-request-id")).toEqual(["key-1", "key-1", "key-1"])
      expect(Scripted.sent(calls, "idempotency-key")).toEqual([undefined, undefined, undefined])
    }).pipe(Effect.provide(IdempotencyKey.layerSequence), world)
  )

  it.effect("makes a random key by default, another for each operation", () =>
    Effect.gen(function* () {
      const { calls, client } = told([503], { ...Idempotency.standard, createKeyFor: ["POST"] })
      yield* client.execute(post)
      yield* client.execute(post)
      const keys = new Set(Scripted.sent(calls, "idempotency-key"))
      expect(keys.size).toBe(2)
      for (const key of keys)
        expect(key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    }).pipe(world)
  )
})

describe("Policy of bodies that can be sent once", () => {
  const bytes = new TextEncoder().encode("a body")

  it.effect("leaves the body of the failure of the first attempt to the caller", () =>
    Effect.gen(function* () {
      const { client } = scripted({ status: 503, body: "why" })
      const response = yield* HttpRetry.withRetry(client, policy).execute(streamed(Stream.make(bytes)))
      expect(yield* response.text).toBe("why")
    }).pipe(world)
  )

  it.effect("sends a Stream again that is declared replayable", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503)
      yield* RequestBody.replayable(HttpRetry.withRetry(client, policy).execute(streamed(Stream.make(bytes))))
      expect(calls.length).toBe(3)
    }).pipe(world)
  )
})

describe("Policy.attemptHeaders", () => {
  it.effect("adds the number of the attempt if asked to", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503)
      const numbered = { ...policy, attemptHeaders: HttpRetry.attemptNumber() }
      yield* HttpRetry.withRetry(client, numbered).get(url)
      yield* HttpRetry.withRetry(client, policy).get(url)
      expect(Scripted.sent(calls, "x-retry-attempt")).toEqual(["1", "2", "3", undefined, undefined, undefined])
    }).pipe(world)
  )

  it.effect("adds headers of the caller's, and leaves the request's others", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503)
      const own = {
        ...policy,
        attemptHeaders: ({ number }: HttpRetry.Attempt) => ({
          "x-try": `${number}/3`,
          ...(number > 1 && { "x-again": "1" })
        })
      }
      yield* HttpRetry.withRetry(client, own).get(url, { headers: { "x-mine": "m" } })
      expect(Scripted.sent(calls, "x-try")).toEqual(["1/3", "2/3", "3/3"])
      expect(Scripted.sent(calls, "x-again")).toEqual([undefined, "1", "1"])
      expect(Scripted.sent(calls, "x-mine")).toEqual(["m", "m", "m"])
      yield* HttpRetry.withRetry(client, { ...policy, attemptHeaders: HttpRetry.attemptNumber("x-n") }).get(url)
      expect(Scripted.sent(calls.slice(3), "x-n")).toEqual(["1", "2", "3"])
    }).pipe(world)
  )
})

describe("Policy.classifier", () => {
  it.effect("is asked about every response if it has no tables", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(200)
      yield* HttpRetry.withRetry(client, { ...policy, classifier: Stories.anyResponse }).get(url)
      expect(calls.length).toBe(3)
    }).pipe(world)
  )

  it.effect("counts as it is, without a hint of the server's if it has no tables", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted({ status: 503, headers: { "retry-after": "7" } }, resetFault, 200)
      const own = { ...policy, classifier: Classifier.firstOf(Stories.anyResponse, HttpClassifier.standard) }
      yield* HttpRetry.withRetry(client, own).get(url)
      expect(Scripted.times(calls)).toEqual([0, 1_000, 2_000])
    }).pipe(world)
  )

  it.effect("is refused if it answers no verdict", () =>
    Effect.gen(function* () {
      const { client } = scripted(503)
      const bad = { ...policy, classifier: (() => true) as unknown as Classifier.Classifier }
      const exit = yield* Effect.exit(HttpRetry.withRetry(client, bad).get(url))
      expect(Exit.isFailure(exit) && Cause.pretty(exit.cause)).toContain(
        "HttpRetry.Policy: classifier must be a function that returns a verdict made by Verdict"
      )
    }).pipe(world)
  )
})

describe("Policy.opinion", () => {
  it.effect("leaves to the classifier what it has no opinion about", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503, 200)
      const none = { ...policy, opinion: () => Verdict.noOpinion }
      expect((yield* HttpRetry.withRetry(client, none).get(url)).status).toBe(200)
      expect(calls.length).toBe(2)
    }).pipe(world)
  )

  it.effect("takes the server's hint if it names none itself", () =>
    Effect.gen(function* () {
      const delays = (verdict: Verdict.Verdict) =>
        Effect.gen(function* () {
          const { calls, client } = scripted({ status: 503, headers: { "retry-after": "7" } }, 200)
          const started = yield* Clock.currentTimeMillis
          yield* HttpRetry.withRetry(client, { ...policy, hint: asAsked, opinion: () => verdict })
            .get(url)
            .pipe(Effect.exit)
          return Scripted.times(calls).map((millis) => millis - started)
        })
      expect((yield* delays(Verdict.transient)).slice(0, 2)).toEqual([0, 7_000])
      expect((yield* delays(Verdict.retryable("Transient", { hint: "3 seconds" }))).slice(0, 2)).toEqual([0, 3_000])
    }).pipe(world)
  )

  it.effect("does not make a request repeatable", () =>
    Effect.gen(function* () {
      const heard = Scripted.gaveUp()
      const { calls, client } = scripted(409)
      const bold = { ...policy, opinion: () => Verdict.client, observe: heard.observe }
      yield* HttpRetry.withRetry(client, bold).execute(post)
      expect([calls.length, ...reason(heard.reasons)]).toEqual([1, "not retryable: POST without Idempotency-Key"])
    }).pipe(world)
  )
})

describe("Policy with functions that answer invalid values", () => {
  const diedWith = (partial: object) =>
    Effect.map(Effect.exit(HttpRetry.withRetry(scripted(503).client, partial).get(url)), (exit) =>
      Exit.isFailure(exit) && Cause.isDie(exit.cause) ? Cause.squash(exit.cause) : exit
    )

  it.effect.each([
    undefined,
    "Retryable",
    { _tag: "Retryable", kind: "Server" },
    { _tag: "Retryable", kind: "Odd", hint: Option.none() },
    { _tag: "Terminal", why: "no" },
    { _tag: "Terminal", why: "no", kind: Option.none() },
    { _tag: "Terminal", why: "no", hint: Option.none() },
    { _tag: "Terminal", why: 5, kind: Option.none(), hint: Option.none() },
    { _tag: "Again" }
  ])("dies of an opinion that is not a verdict: %j", (verdict) =>
    Effect.gen(function* () {
      const died = yield* diedWith({ opinion: () => verdict })
      expect(died).toBeInstanceOf(InvalidArgument.InvalidArgument)
      expect(String(died)).toContain(
        "HttpRetry.Policy: opinion must be a function that returns a verdict made by Verdict"
      )
    }).pipe(world)
  )

  it.effect.each(["opinion", "classifier"])("keeps the error of the client when it dies of an answer: %s", (field) =>
    Effect.gen(function* () {
      const raise = () => {
        throw new Error("bug")
      }
      for (const answers of [() => true, raise]) {
        const { client } = scripted(Faults.refused)
        const exit = yield* Effect.exit(HttpRetry.withRetry(client, { [field]: answers } as object).get(url))
        const died = Option.flatMap(Exit.causeOption(exit), Cause.dieOption)
        expect(died).toMatchObject({
          value: { owner: "HttpRetry.Policy", field, cause: { original: { _tag: "RequestError" } } }
        })
      }
    }).pipe(world)
  )

  it.effect.each(["secret", undefined, null, 7])("dies of invalid attempt headers, and shows none: %j", (headers) =>
    Effect.gen(function* () {
      const died = yield* diedWith({ attemptHeaders: () => headers })
      expect(died).toBeInstanceOf(InvalidArgument.InvalidArgument)
      expect(String(died)).toContain("HttpRetry.Policy: attemptHeaders must be a function that returns headers")
      expect(String(died)).not.toContain("secret")
    }).pipe(world)
  )
})

describe("Policy.hint", () => {
  const hinted = (headers: Scripted.Pairs) => scripted({ status: 503, headers }, { status: 503, headers }, 200)

  it.effect.each([
    [{ "retry-after": "5" }, [0, 5_000, 10_000]],
    [{ "retry-after": "0" }, [0, 1_000, 2_000]],
    [{ "retry-after-ms": "2500", "retry-after": "5" }, [0, 2_500, 5_000]],
    [{ "retry-after": "Thu, 01 Jan 1970 00:10:30 GMT", date: "Thu, 01 Jan 1970 00:10:00 GMT" }, [0, 30_000, 60_000]],
    [{ "retry-after": "Thu, 01 Jan 1970 00:00:30 GMT" }, [0, 30_000, 31_000]]
  ] as const)("is a floor under the back-off: %j", ([headers, times]) =>
    Effect.gen(function* () {
      const { calls, client } = hinted(headers)
      yield* HttpRetry.withRetry(client, { ...policy, hint: asAsked }).get(url)
      expect(Scripted.times(calls)).toEqual(times)
    }).pipe(world)
  )

  it.effect.each(["61", "86400", "99999999999999999999", `${"9".repeat(400)}`])(
    "stops when the wait is too long, and says how long it is: %s seconds",
    (seconds) =>
      Effect.gen(function* () {
        const heard = Scripted.gaveUp()
        const { calls, client } = hinted({ "retry-after": seconds })
        const response = yield* HttpRetry.withRetry(client, { ...policy, observe: heard.observe }).get(url)
        expect([response.status, ...Scripted.times(calls)]).toEqual([503, 0])
        const [stop] = heard.reasons
        expect(stop?._tag).toBe("HintTooLong")
        const asked = stop?._tag === "HintTooLong" ? Duration.toSeconds(stop.hint) : 0
        expect(asked).toBe(Number(seconds) > 1e9 ? Infinity : Number(seconds))
      }).pipe(world)
  )

  it.effect("shows in the event as the source of the delay", () =>
    Effect.gen(function* () {
      const heard = Scripted.gaveUp()
      const { client } = hinted({ "retry-after": "5" })
      yield* HttpRetry.withRetry(client, { ...policy, observe: heard.observe }).get(url)
      const scheduled = heard.events.filter((event) => event._tag === "RetryScheduled")
      expect(scheduled.map(({ source }) => source)).toEqual(["Hint", "Hint"])
      expect(scheduled.map(({ verdict }) => verdict._tag === "Retryable" && verdict.kind)).toEqual([
        "Throttling",
        "Throttling"
      ])
    }).pipe(world)
  )
})

describe("Policy.attemptTimeout and Policy.deadline", () => {
  const slow = { status: 200, after: "1 hour" } as const
  const timeout = AttemptTimeout.constant("2 seconds")
  const timed = { ...policy, attemptTimeout: timeout }

  it.effect("keeps what a timeout is judged to mean", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(slow)
      const final = { ...timed, attemptTimeout: AttemptTimeout.judged(timeout, Verdict.terminal("late")) }
      yield* Effect.flip(HttpRetry.withRetry(client, final).get(url))
      expect(calls.length).toBe(1)
    }).pipe(world)
  )

  it.effect("fails with the caller's error for a timeout instead", () =>
    Effect.gen(function* () {
      const { client } = scripted(slow)
      const own = AttemptTimeout.constant("2 seconds", { onTimeout: () => new Busy({ status: 0 }) })
      const error = yield* Effect.flip(HttpRetry.withRetry(client, { ...policy, attemptTimeout: own }).get(url))
      expect(error).toEqual(new Busy({ status: 0 }))
    }).pipe(world)
  )

  it.effect("leaves a timeout of the client's own alone", () =>
    Effect.gen(function* () {
      const own = new AttemptTimeout.AttemptTimedOut({ attempt: 7, after: Duration.seconds(7) })
      const { client } = scripted(200)
      const failing = HttpClient.transformResponse(client, () => Effect.fail(own))
      expect(yield* Effect.flip(HttpRetry.withRetry(failing, policy).get(url))).toBe(own)
    }).pipe(world)
  )

  it.effect("stops without a wait when the next attempt could not start in time", () =>
    Effect.gen(function* () {
      const heard = Scripted.gaveUp()
      const { client } = scripted(503)
      const short = { ...policy, deadline: Deadline.refuse("1500 millis"), observe: heard.observe }
      expect((yield* HttpRetry.withRetry(client, short).get(url)).status).toBe(503)
      expect(yield* Clock.currentTimeMillis).toBe(1_000)
      expect(heard.reasons.map(({ _tag }) => _tag)).toEqual(["DeadlinePassed"])
    }).pipe(world)
  )

  it.effect("makes a cut deadline the cause of a RequestError, whatever the method", () =>
    Effect.gen(function* () {
      const cut = { ...policy, deadline: Deadline.cut("5 seconds") }
      for (const request of [HttpClientRequest.get(url), post]) {
        const { client } = scripted(slow)
        const error = yield* Effect.flip(HttpRetry.withRetry(client, cut).execute(request))
        expect(error).toBeInstanceOf(HttpClientError.RequestError)
        expect(error.cause).toEqual(
          new Deadline.DeadlineExceeded({ within: Duration.seconds(5), attempts: 1, cause: undefined })
        )
      }
    }).pipe(world)
  )

  it.effect("leaves the cut to the deadline when the clock is set forward, whatever the method", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(425, slow)
      const cut = { ...policy, deadline: Deadline.cut("10 seconds") }
      const fiber = yield* Effect.fork(Effect.flip(HttpRetry.withRetry(client, cut).execute(post)))
      yield* Effect.sleep("500 millis")
      yield* VirtualClock.setWallTime("4500 millis")
      const error = yield* Fiber.join(fiber)
      expect([error.cause instanceof Deadline.DeadlineExceeded, calls.length]).toEqual([true, 2])
      expect(Duration.toMillis(yield* VirtualClock.now)).toBe(10_000)
    }).pipe(world)
  )

  it.effect("fails with the caller's error for a cut deadline instead", () =>
    Effect.gen(function* () {
      const { client } = scripted(503, slow)
      const cut = Deadline.cut("5 seconds", { onExceeded: ({ attempts }) => new Busy({ status: attempts }) })
      const error = yield* Effect.flip(HttpRetry.withRetry(client, { ...policy, deadline: cut }).get(url))
      expect(error).toEqual(new Busy({ status: 2 }))
    }).pipe(world)
  )

  it.effect("is a success once the headers are in, however long the body streams", () =>
    Effect.gen(function* () {
      const streaming = HttpClient.make((request) =>
        Effect.sync(() => {
          const response = HttpClientResponse.fromWeb(request, new Response(null, { status: 200 }))
          const stream = Stream.fromEffect(Effect.delay(Effect.succeed(new Uint8Array([1])), "1 hour"))
          return Object.create(response, { stream: { value: stream } }) as HttpClientResponse.HttpClientResponse
        })
      )
      const bounded = { ...timed, deadline: Deadline.cut("5 seconds") }
      const response = yield* HttpRetry.withRetry(streaming, bounded).get(url)
      expect(yield* Stream.runCount(response.stream)).toBe(1)
      expect(yield* Clock.currentTimeMillis).toBe(3_600_000)
    }).pipe(world)
  )
})

describe("Policy.bucket and Policy.rateLimiter", () => {
  /** Grants everything, and writes down the key under which it is asked. */
  const noting = () => {
    const keys: Array<string> = []
    const bucket: TokenBucket.TokenBucket = {
      ...TokenBucket.unlimited,
      acquire: (request) =>
        Effect.flatMap(TokenBucket.Key, (key) => {
          keys.push(key)
          return TokenBucket.unlimited.acquire(request)
        })
    }
    return { keys, bucket }
  }

  const urls = [
    "http://a.example/x?y=1",
    "http://A.example:80/z",
    "https://a.example:8443/",
    "http://user:secret@b.example/"
  ]
  const hosts = ["a.example", "a.example", "a.example:8443", "b.example"]

  it.effect("are told the host as the key", () =>
    Effect.gen(function* () {
      const { bucket, keys } = noting()
      const { client } = scripted(503)
      const withBucket = HttpRetry.withRetry(client, { ...policy, maxAttempts: 2, bucket })
      yield* Effect.forEach(urls, (each) => withBucket.get(each))
      expect(keys.splice(0)).toEqual(hosts)
      const withLimiter = HttpRetry.withRetry(client, { ...policy, maxAttempts: 1, rateLimiter: bucket })
      yield* Effect.forEach(urls, (each) => withLimiter.get(each))
      expect(keys.splice(0)).toEqual(hosts)
    }).pipe(world)
  )

  it.effect("are told no key when the request goes to no host of its own", () =>
    Effect.gen(function* () {
      const { bucket, keys } = noting()
      const { client } = scripted(503)
      // What makes the URL whole stands below the retries.
      const based = HttpClient.makeWith<never, never, HttpClientError.HttpClientError, never>(
        Effect.flatMap((request) => client.execute(HttpClientRequest.prependUrl(request, "http://a.example"))),
        Effect.succeed
      )
      yield* HttpRetry.withRetry(based, { ...policy, maxAttempts: 2, bucket }).get("/relative")
      expect(keys).toEqual([""])
    }).pipe(world)
  )

  it.effect("are not told apart by a key of the client when a policy has neither", () =>
    Effect.gen(function* () {
      const keys: Array<string> = []
      const noted = HttpClient.transformResponse(scripted(503).client, (sent) =>
        Effect.flatMap(TokenBucket.Key, (key) => {
          keys.push(key)
          return sent
        })
      )
      yield* HttpRetry.withRetry(noted, { ...policy, maxAttempts: 2 }).get(url)
      expect(keys).toEqual(["", ""])
    }).pipe(world)
  )

  it.effect("are found by a tag as well", () =>
    Effect.gen(function* () {
      class MyLimiter extends Context.Tag("test/MyLimiter")<MyLimiter, TokenBucket.TokenBucket>() {}
      const [paying, limiting] = [noting(), noting()]
      const { client } = scripted(503)
      const tagged = { ...policy, maxAttempts: 2, bucket: TokenBucket.RetryBucket, rateLimiter: MyLimiter }
      yield* HttpRetry.withRetry(client, tagged)
        .get("http://a.example/")
        .pipe(
          Effect.provideService(TokenBucket.RetryBucket, paying.bucket),
          Effect.provideService(MyLimiter, limiting.bucket)
        )
      expect([paying.keys, limiting.keys]).toEqual([["a.example"], ["a.example", "a.example"]])
    }).pipe(world)
  )

  it.effect("are told the caller's own key if there is one", () =>
    Effect.gen(function* () {
      const { bucket, keys } = noting()
      const { client } = scripted(503)
      const funded = HttpRetry.withRetry(client, { ...policy, bucket })
      yield* Effect.provideService(funded.get(url), TokenBucket.Key, "tenant-1")
      expect(keys).toEqual(["tenant-1", "tenant-1"])
    }).pipe(world)
  )

  const keyed = (bucket: Effect.Effect<TokenBucket.TokenBucket>) =>
    TokenBucket.keyed({ bucket, maxKeys: 100, idleTimeToLive: "1 hour" })

  it.effect("are one per host if the bucket is keyed", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503)
      const bucket = yield* keyed(TokenBucket.quota({ capacity: 28 }))
      const heard = Scripted.gaveUp()
      const funded = HttpRetry.withRetry(client, { ...policy, bucket, observe: heard.observe })
      for (const host of ["a", "a", "b", "b"]) yield* funded.get(`http://${host}.example/`)
      expect(calls.map(({ request }) => new URL(request.url).hostname[0]).join("")).toBe("aaaabbbb")
      expect(heard.reasons.map(({ _tag }) => _tag)).toEqual([
        "AttemptsSpent",
        "BucketEmpty",
        "AttemptsSpent",
        "BucketEmpty"
      ])
    }).pipe(world)
  )

  it.effect("are one per host if the rate limiter is keyed", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(200)
      const rateLimiter = yield* keyed(RateLimiter.fixed({ rate: 1, burst: 1 }))
      const limited = HttpRetry.withRetry(client, { ...policy, rateLimiter })
      for (const host of ["a", "a", "b", "b"]) yield* limited.get(`http://${host}.example/`)
      expect(Scripted.times(calls)).toEqual([0, 1_000, 1_000, 2_000])
    }).pipe(world)
  )

  it.effect("hear of a throttle that must not be repeated", () =>
    Effect.gen(function* () {
      const verdicts: Array<Verdict.Verdict> = []
      const rateLimiter: TokenBucket.TokenBucket = {
        ...TokenBucket.unlimited,
        record: (outcome) => Effect.sync(() => outcome._tag === "Failed" && verdicts.push(outcome.verdict))
      }
      const { client } = scripted({ status: 429, headers: { "retry-after": "5" } })
      yield* HttpRetry.withRetry(client, { ...policy, rateLimiter }).execute(post)
      expect(verdicts).toEqual([
        Verdict.terminal("POST without Idempotency-Key", { kind: "Throttling", hint: "5 seconds" })
      ])
    }).pipe(world)
  )

  it.effect("hear of a throttle that an opinion ends, and what the classifier knows of it", () =>
    Effect.gen(function* () {
      const verdicts: Array<Verdict.Verdict> = []
      const rateLimiter: TokenBucket.TokenBucket = {
        ...TokenBucket.unlimited,
        record: (outcome) => Effect.sync(() => outcome._tag === "Failed" && verdicts.push(outcome.verdict))
      }
      const { calls, client } = scripted({ status: 429, headers: { "retry-after": "5" } })
      const opinion = () => Verdict.terminal("enough")
      yield* HttpRetry.withRetry(client, { ...policy, rateLimiter, opinion }).get(url)
      expect(verdicts).toEqual([Verdict.terminal("enough", { kind: "Throttling", hint: "5 seconds" })])
      expect(calls).toHaveLength(1)
    }).pipe(world)
  )

  it.effect("answer with that body under a deadline as well, as far as it has been read by then", () =>
    Effect.gen(function* () {
      const { client } = scripted({ status: 429, body: "slow down" })
      const bounded = { ...policy, rateLimiter: once, deadline: Deadline.refuse("1 minute") }
      const response = yield* HttpRetry.withRetry(client, bounded).get(url)
      expect([response.status, yield* response.text]).toEqual([429, "slow down"])
    }).pipe(world)
  )

  it.effect("fail with the error of the last attempt if a refusal leaves that", () =>
    Effect.gen(function* () {
      const heard = Scripted.gaveUp()
      const { client } = scripted({ status: 429, body: "slow down" })
      const filtered = HttpClient.filterStatusOk(client)
      const error = yield* Effect.flip(
        HttpRetry.withRetry(filtered, { ...policy, rateLimiter: once, observe: heard.observe }).get(url)
      )
      expect(heard.reasons.map(({ _tag }) => _tag)).toEqual(["RateLimiterRefused"])
      expect(error).toBeInstanceOf(HttpClientError.ResponseError)
      expect(error).toMatchObject({ reason: "StatusCode" })
      expect(String(error)).toMatch(/StatusCode: non 2xx status code .*429/)
      const { status, text } = yield* responseOf(error)
      expect([status, yield* text]).toEqual([429, "slow down"])
    }).pipe(world)
  )

  it.effect("fail with an error that holds no response as it is", () =>
    Effect.gen(function* () {
      const { client } = scripted(refusedFault)
      const error = yield* Effect.flip(HttpRetry.withRetry(client, { ...policy, rateLimiter: once }).get(url))
      expect([error._tag, error.cause]).toEqual(["RequestError", refusedFault])
    }).pipe(world)
  )

  it.effect("leave an AttemptRefused of the client's own alone", () =>
    Effect.gen(function* () {
      const own = new Retry.AttemptRefused({ attempt: 7, cause: new Busy({ status: 7 }) })
      const failing = HttpClient.transformResponse(scripted(200).client, () => Effect.fail(own))
      const limited = HttpRetry.withRetry(failing, { ...policy, rateLimiter: TokenBucket.unlimited })
      expect(yield* Effect.flip(limited.get(url))).toBe(own)
    }).pipe(world)
  )
})

describe("Policy.deadline that passes during the wait", () => {
  /** Every timer fires five seconds late. */
  const withLateTimers = <A, E, R>(self: Effect.Effect<A, E, R>) =>
    Effect.clockWith((clock) =>
      Effect.withClock(self, {
        ...clock,
        sleep: (duration) => clock.sleep(Duration.sum(duration, Duration.seconds(5)))
      })
    )
  const rateLimiter = TokenBucket.unlimited

  it.effect.each([
    ["refuses", { ...policy, deadline: Deadline.refuse("3 seconds") }],
    ["truncates", { ...policy, deadline: Deadline.truncate("3 seconds", { reserve: "1 second" }) }],
    ["refuses, beside a rate limiter", { ...policy, deadline: Deadline.refuse("3 seconds"), rateLimiter }]
  ] as const)("leaves the last response with the body that was kept, if it %s", ([, bounded]) =>
    Effect.gen(function* () {
      const heard = Scripted.gaveUp()
      const { calls, client } = scripted({ status: 429, body: "slow down" })
      const response = yield* HttpRetry.withRetry(client, { ...bounded, observe: heard.observe })
        .get(url)
        .pipe(withLateTimers)
      expect([response.status, yield* response.text, calls.length]).toEqual([429, "slow down", 1])
      expect(heard.reasons.map(({ _tag }) => _tag)).toEqual(["DeadlinePassed"])
    }).pipe(world)
  )

  it.effect("leaves the last error with that body if it refuses", () =>
    Effect.gen(function* () {
      const filtered = HttpClient.filterStatusOk(scripted({ status: 429, body: "slow down" }).client)
      const bounded = HttpRetry.withRetry(filtered, { ...policy, deadline: Deadline.refuse("3 seconds") })
      const error = yield* Effect.flip(withLateTimers(bounded.get(url)))
      expect(error).toMatchObject({ _tag: "ResponseError", reason: "StatusCode" })
      const { status, text } = yield* responseOf(error)
      expect([status, yield* text]).toEqual([429, "slow down"])
    }).pipe(world)
  )

  it.effect("is the cause of a RequestError if it cuts", () =>
    Effect.gen(function* () {
      const { client } = scripted({ status: 429, body: "slow down" })
      const cut = HttpRetry.withRetry(client, { ...policy, deadline: Deadline.cut("3 seconds") })
      const error = yield* Effect.flip(withLateTimers(cut.get(url)))
      expect(error).toBeInstanceOf(HttpClientError.RequestError)
      expect(error.cause).toMatchObject({ _tag: "DeadlineExceeded", attempts: 1 })
    }).pipe(world)
  )
})

const responseOf = (error: HttpClientError.HttpClientError) =>
  error._tag === "ResponseError" ? Effect.succeed(error.response) : Effect.dieMessage("no response")

describe("HttpRetry.withRetry when it is interrupted", () => {
  it.effect("aborts the request", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted({ status: 200, after: "1 hour" })
      const bounded = { ...policy, attemptTimeout: AttemptTimeout.constant("2 hours"), deadline: Deadline.cut("1 day") }
      const fiber = yield* Effect.fork(HttpRetry.withRetry(client, bounded).get(url))
      yield* Effect.sleep("500 millis")
      yield* Fiber.interrupt(fiber)
      expect([calls[0]?.signal.aborted, yield* VirtualClock.sleepers]).toEqual([true, 0])
    }).pipe(world)
  )

  it.effect("releases a response while its bucket makes it wait", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted({ status: 429, headers: { "content-length": "4" }, body: "busy" })
      const bucket: TokenBucket.TokenBucket = {
        ...TokenBucket.unlimited,
        acquire: ({ restore }) => restore(Effect.never)
      }
      const fiber = yield* Effect.fork(HttpRetry.withRetry(client, { ...policy, bucket }).get(url))
      yield* Effect.sleep("500 millis")
      expect(calls[0]?.signal.aborted).toBe(false)
      yield* Fiber.interrupt(fiber)
      expect(calls[0]?.signal.aborted).toBe(true)
    }).pipe(world)
  )
})

describe("HttpRetry.make", () => {
  const bad: ReadonlyArray<readonly [field: string, message: string, value: object]> = [
    ["maxAttempts", "must be a whole number >= 1, got 0", { maxAttempts: 0 }],
    ["maxAttempts", "must be a whole number >= 1, got NaN", { maxAttempts: NaN }],
    ["backoff", "must be a Backoff, such as", { backoff: 100 }],
    ["hint", "must be made by Hint", { hint: "1 minute" }],
    ["hint", "must be made by Hint", { hint: { _tag: "Floor" } }],
    ["hint", "must be made by Hint", { hint: { _tag: "toString" } }],
    ["hint", "must be made by Hint", { hint: { ...asAsked, atMostMillis: NaN } }],
    ["hint", "must be made by Hint", { hint: { ...asAsked, atMostMillis: "5" } }],
    ["hint", "must be made by Hint", { hint: { _tag: "Override", atMostMillis: "1 minute", otherwise: "giveUp" } }],
    ["deadline", "must be made by Deadline, such as", { deadline: "1 minute" }],
    ["attemptTimeout", "must be made by AttemptTimeout, such as", { attemptTimeout: 1000 }],
    ["bucket", "must be a TokenBucket or a Context.Tag of one, got", { bucket: {} }],
    ["rateLimiter", "must be a TokenBucket or a Context.Tag of one, got", { rateLimiter: {} }],
    ["attemptsByKind", "must be", { attemptsByKind: { Throttled: 1 } }],
    ["name", "must be a string that is not empty, got", { name: "" }],
    ["observe", "must be an array of observers, such as [Observe.logs(), Observe.metrics], got", { observe: [1] }],
    ["opinion", "must be a function, got", { opinion: 1 }],
    ["attemptHeaders", "must be a function, got", { attemptHeaders: {} }],
    ["beforeRetry", "must be a function, got", { beforeRetry: 1 }],
    ["route", "must be a string that begins with /, got", { route: "orders/{id}" }],
    ["route", "must be a string that begins with /, got", { route: 1 }],
    ["drain", "must be", { drain: null }],
    ["maxAttempt", "must be absent", { maxAttempt: 8 }],
    ["result", "must be absent", { result: () => Verdict.noOpinion }],
    ["drain", "must be", { drain: 1 }],
    ["drain.atMostBytes", "must be a whole number >= 0, got -1", { drain: { atMostBytes: -1, within: 1 } }],
    ["drain.atMostBytes", "must be a whole number >= 0, got 0.5", { drain: { atMostBytes: 0.5, within: 1 } }],
    ["drain.within", "must be a finite duration", { drain: { atMostBytes: 1, within: Infinity } }],
    [
      "classifier",
      "must be a classifier, such as one of HttpClassifier.make, got",
      { classifier: HttpClassifier.standardTables }
    ],
    ["idempotency", "must be a record of rules, such as Idempotency.standard, got", { idempotency: null }],
    ["methods[0]", "must be", { idempotency: { ...Idempotency.standard, methods: ["get"] } }],
    ["keyHeader", "must be", { idempotency: { ...Idempotency.standard, keyHeader: "Idempotency-Key" } }]
  ]

  it.each(bad)("names the field and what it may be: %s %s", (field, message, value) => {
    const wrong = { ...policy, ...value } as unknown as HttpRetry.Policy
    const { client } = scripted(200)
    const refused = (owner: string) => (error: unknown) =>
      error instanceof InvalidArgument.InvalidArgument && error.message.startsWith(`${owner}: ${field} ${message}`)
    const thrown = (run: () => unknown): unknown => {
      try {
        return run()
      } catch (error) {
        return error
      }
    }
    expect(thrown(() => HttpRetry.make(wrong))).toSatisfy(refused("HttpRetry.make"))
    expect(thrown(() => HttpRetry.withRetry(client, wrong))).toSatisfy(refused("HttpRetry.withRetry"))
    expect(thrown(() => client.pipe(HttpRetry.withRetry(wrong)))).toSatisfy(refused("HttpRetry.withRetry"))
  })

  it("says where a client comes if it is given as the policy", () => {
    const { client } = scripted(200)
    const policy = client as unknown as HttpRetry.Policy
    const refused =
      "such as HttpRetry.standard; a client comes before it, as in HttpRetry.withRetry(client, HttpRetry.standard), got"
    expect(() => HttpRetry.withRetry(client, policy)).toThrow(refused)
    expect(() => HttpRetry.withRetry(policy)).toThrow(refused)
  })

  it.each([undefined, null, 1, "standard", []])("refuses at the call what is not a record: %j", (value) => {
    const { client } = scripted(200)
    const policy = value as unknown as HttpRetry.Policy
    const refused = "HttpRetry.withRetry: policy must be a record of fields, such as HttpRetry.standard, got"
    expect(() => HttpRetry.withRetry(client, policy)).toThrow(refused)
    expect(() => HttpRetry.withRetry(policy)).toThrow(refused)
  })

  it("answers the policy as it is", () => {
    expect(HttpRetry.make(policy)).toBe(policy)
  })

  it("throws what a field of the policy throws itself", () => {
    const error = new Error("from a getter")
    const attemptsByKind = {
      get Server(): number {
        throw error
      }
    }
    const thrown = (): unknown => {
      try {
        return HttpRetry.make({ ...policy, attemptsByKind })
      } catch (thrown) {
        return thrown
      }
    }
    expect(thrown()).toBe(error)
  })
})

describe("HttpRetry.attemptNumber", () => {
  it("takes the name of a header in any case", () => {
    expect(
      HttpRetry.attemptNumber("X-Attempt")({ number: 2, timeLeft: Option.none(), previous: Option.none() })
    ).toEqual({ "X-Attempt": "2" })
  })

  it.each(["bad header\n", "", "a:b", "é", 5, null])("refuses what is not a name of a header: %j", (header) => {
    expect(() => HttpRetry.attemptNumber(header as string)).toThrow(
      "HttpRetry.attemptNumber: header must be the name of a header, got"
    )
  })
})
