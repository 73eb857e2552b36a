import {
  HttpBody,
  HttpClient,
  HttpClientError,
  HttpClientRequest,
  HttpClientResponse,
  type HttpIncomingMessage
} from "@effect/platform"
import { AttemptTimeout, Backoff, Deadline, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { HttpClassifier, HttpRetry, Idempotency } from "@effect-retry/http"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Context, Data, Duration, Effect, Exit, Fiber, Stream } from "effect"
import * as Faults from "../support/Faults.ts"
import * as Scripted from "../support/ScriptedClient.ts"
import { broken, once, order, partial, whole } from "./Stories.ts"

const { make: scripted, world } = Scripted

const url = "http://api.test/orders/1"
const get = HttpClientRequest.get(url)
const policy = { ...HttpRetry.standard, backoff: Backoff.constant({ delay: "1 second" }) }

const text = (response: HttpIncomingMessage.HttpIncomingMessage<HttpClientError.ResponseError>) => response.text

type AnyClient = HttpClient.HttpClient.With<unknown>

const nowMillis = Effect.map(VirtualClock.now, Duration.toMillis)

describe("HttpRetry.execute", () => {
  it.effect("fails with what the last reading failed with", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(broken(), broken(), broken())
      const { observe, reasons } = Scripted.gaveUp()
      const error = yield* client.pipe(
        HttpRetry.withRetry({ ...policy, observe }),
        HttpRetry.execute(get, order),
        Effect.flip
      )
      expect(error).toMatchObject({ _tag: "ResponseError", reason: "Decode" })
      expect([calls.length, reasons.map(Retry.format)]).toEqual([3, ["all attempts spent"]])
    }).pipe(world)
  )

  it.effect("shows observers nothing of a body that does not fit its schema", () =>
    Effect.gen(function* () {
      const { client } = scripted({ status: 200, body: '{"id":"secret"}' })
      const { events, observe } = Scripted.gaveUp()
      yield* Effect.flip(HttpRetry.execute(HttpRetry.withRetry(client, { ...policy, observe }), get, order))
      const shown = events.map((event) => ("error" in event ? [String(event.error), (event.error as Error).stack] : []))
      expect(shown.length).toBeGreaterThan(0)
      expect(JSON.stringify(shown)).not.toContain("secret")
      expect(JSON.stringify(shown)).toContain("ParseError")
    }).pipe(world)
  )

  it.effect("asks the opinion about the error of the reader", () =>
    Effect.gen(function* () {
      class NotYet extends Data.TaggedError("NotYet") {}
      const { calls, client } = scripted({ status: 200, body: "pending" }, { status: 200, body: "done" })
      const retried = HttpRetry.withRetry(client, {
        ...policy,
        opinion: (outcome: unknown) => (outcome instanceof NotYet ? Verdict.retryable("Server") : Verdict.noOpinion)
      })
      const read = (response: HttpClientResponse.HttpClientResponse) =>
        Effect.filterOrFail(
          response.text,
          (text) => text !== "pending",
          () => new NotYet()
        )
      expect(yield* HttpRetry.execute(retried, get, read)).toBe("done")
      expect(calls).toHaveLength(2)
    }).pipe(world)
  )

  it.effect.each([
    ["null", null],
    ["a text", "gone"],
    ["undefined", undefined]
  ] as const)(
    "fails with the error of the reader even if that is not an object, and releases every response: %s",
    ([, failure]) =>
      Effect.gen(function* () {
        const { calls, client } = scripted({ status: 200, body: "a" })
        const opinion = (outcome: unknown) =>
          HttpClassifier.isResponse(outcome) ? Verdict.noOpinion : Verdict.transient
        const failing = HttpRetry.withRetry(client, { ...policy, opinion })
        expect(yield* Effect.flip(HttpRetry.execute(failing, get, () => Effect.fail(failure)))).toBe(failure)
        expect(calls.map(({ signal }) => signal.aborted).slice(0, 2)).toEqual([true, true])
      }).pipe(world)
  )

  it.effect("keeps the key of the request and its attempt headers", () =>
    Effect.gen(function* () {
      const post = HttpClientRequest.post(url, { body: Scripted.textBody })
      const { calls, client } = scripted(broken(), whole)
      const keyed = HttpRetry.withRetry(client, {
        ...policy,
        idempotency: { ...Idempotency.standard, createKeyFor: ["POST"] },
        attemptHeaders: HttpRetry.attemptNumber()
      })
      expect(yield* HttpRetry.execute(keyed, post, order)).toEqual({ id: 1 })
      expect(new Set(Scripted.sent(calls, "idempotency-key")).size).toBe(1)
      expect(Scripted.sent(calls, "x-retry-attempt")).toEqual(["1", "2"])
    }).pipe(world)
  )

  it.effect("does not take an error after the response for one of a request that was not sent", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(whole)
      const post = HttpClientRequest.post(url, { body: Scripted.textBody })
      const read = () =>
        Effect.fail(new HttpClientError.RequestError({ request: post, reason: "Transport", cause: Faults.refused }))
      yield* Effect.flip(HttpRetry.execute(HttpRetry.withRetry(client, policy), post, read))
      expect(calls).toHaveLength(1)
    }).pipe(world)
  )

  it.effect("reads a response that was kept when a retry is refused after the wait", () =>
    Effect.gen(function* () {
      const { client } = scripted({ status: 429, body: "slow down" })
      const retried = HttpRetry.withRetry(client, { ...policy, rateLimiter: once })
      expect(yield* HttpRetry.execute(retried, get, text)).toBe("slow down")
      const failing = HttpRetry.withRetry(scripted(broken()).client, { ...policy, rateLimiter: once })
      expect(yield* Effect.flip(HttpRetry.execute(failing, get, text))).toMatchObject({ reason: "Decode" })
    }).pipe(world)
  )

  it.effect("does not send a response again that is not retryable, whatever becomes of its body", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted({ ...broken(), status: 501 }, whole)
      const { observe, reasons } = Scripted.gaveUp()
      const error = yield* Effect.flip(
        HttpRetry.execute(HttpRetry.withRetry(client, { ...policy, observe }), get, text)
      )
      expect([error._tag, calls.length, reasons.map(Retry.format)]).toEqual([
        "ResponseError",
        1,
        ["not retryable: status 501"]
      ])
    }).pipe(world)
  )

  it.effect("nor when its body stalls until the timeout of the attempt", () =>
    Effect.gen(function* () {
      const { body } = partial("half", "silence")
      const { calls, client } = scripted({ status: 501, body }, whole)
      const { observe, reasons } = Scripted.gaveUp()
      const attemptTimeout = AttemptTimeout.constant("5 seconds")
      const bounded = HttpRetry.withRetry(client, { ...policy, attemptTimeout, observe })
      const error = yield* Effect.flip(HttpRetry.execute(bounded, get, text))
      expect(error).toMatchObject({ _tag: "RequestError", cause: { _tag: "AttemptTimedOut" } })
      expect([calls.length, reasons.map(Retry.format)]).toEqual([1, ["not retryable: status 501"]])
    }).pipe(world)
  )

  it.effect.each([
    { status: 200, seen: ["read", "Succeeded"] },
    { status: 501, seen: ["read", "AttemptFailed", "GaveUp"] },
    { status: 503, seen: ["AttemptFailed", "GaveUp", "read"] }
  ])("reads inside the attempt what is not sent again by its status alone: $status", ({ seen, status }) =>
    Effect.gen(function* () {
      const order: Array<string> = []
      const { client } = scripted(status)
      const observe = [({ _tag }: { readonly _tag: string }) => Effect.sync(() => void order.push(_tag))]
      const once = HttpRetry.withRetry(client, { ...policy, maxAttempts: 1, observe })
      yield* HttpRetry.execute(once, get, () => Effect.sync(() => order.push("read")))
      expect(order).toEqual(seen)
    }).pipe(world)
  )

  it.effect("shows observers no response of an attempt before", () =>
    Effect.gen(function* () {
      const { client } = scripted(broken(), Faults.reset)
      const { events, observe } = Scripted.gaveUp()
      yield* Effect.flip(
        HttpRetry.execute(HttpRetry.withRetry(client, { ...policy, maxAttempts: 2, observe }), get, order)
      )
      const failed = events.filter(({ _tag }) => _tag === "AttemptFailed")
      expect(failed.map((event) => event.details().outcome)).toEqual(["200, ECONNRESET", "ECONNRESET"])
    }).pipe(world)
  )

  it.effect("sends and reads once with a client that does not retry", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503, whole)
      expect(yield* HttpRetry.execute(client, get, ({ status }) => Effect.succeed(status))).toBe(503)
      expect(yield* client.pipe(HttpRetry.execute(get, order))).toEqual({ id: 1 })
      expect(calls).toHaveLength(2)
    }).pipe(world)
  )

  it.effect("begins anew whenever its effect is run", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(whole)
      const executed = HttpRetry.execute(HttpRetry.withRetry(client, policy), get, order)
      expect(yield* Effect.replicateEffect(executed, 3)).toEqual([{ id: 1 }, { id: 1 }, { id: 1 }])
      expect(calls).toHaveLength(3)
    }).pipe(world)
  )

  it.effect("lets defects of the reader through, and releases the response", () =>
    Effect.gen(function* () {
      const { body, seen } = partial("half", "silence")
      const { calls, client } = scripted({ status: 200, body })
      const retried = HttpRetry.withRetry(client, policy)
      expect(yield* Effect.exit(HttpRetry.execute(retried, get, () => Effect.die("broken")))).toEqual(
        Exit.die("broken")
      )
      const thrown = HttpRetry.execute(retried, get, (): Effect.Effect<never> => {
        throw new Error("a bug")
      })
      expect(Exit.isFailure(yield* Effect.exit(thrown))).toBe(true)
      expect([calls.length, calls[0]?.signal.aborted, seen.cancelled]).toEqual([2, true, true])
    }).pipe(world)
  )

  it.effect.each([
    { given: "the last attempt", of: HttpRetry.withRetry(policy) },
    { given: "a response that is not retryable", of: HttpRetry.withRetry(policy), status: 501 },
    { given: "a response that was given up on", of: HttpRetry.withRetry({ ...policy, maxAttempts: 1 }), status: 503 },
    {
      given: "a client that says why it gave up",
      of: (client: AnyClient): AnyClient => HttpRetry.orStopped(client, policy)
    },
    { given: "a client without retries", of: <C>(client: C): C => client }
  ])("releases a body that the reader has left unread when it failed: $given", ({ of, status = 200 }) =>
    Effect.gen(function* () {
      const { body, seen } = partial("half", "silence")
      const { calls, client } = scripted({ status, body })
      const reading = HttpRetry.execute(of(client), get, () => Effect.fail("unwanted"))
      expect(yield* Effect.flip(reading)).toBe("unwanted")
      expect([calls.length, calls[0]?.signal.aborted, seen.cancelled]).toEqual([1, true, true])
    }).pipe(world)
  )

  it.effect("leaves a body open that the reader has left unread when it succeeded", () =>
    Effect.gen(function* () {
      for (const withRetry of [HttpRetry.withRetry(policy), <C>(client: C): C => client]) {
        const { calls, client } = scripted(whole)
        const { stream } = yield* HttpRetry.execute(withRetry(client), get, Effect.succeed)
        expect(calls[0]?.signal.aborted).toBe(false)
        expect(yield* Stream.mkString(Stream.decodeText(stream))).toBe('{"id":1}')
      }
    }).pipe(world)
  )

  it.effect("refuses a reader that answers no effect, and shows nothing of its answer", () =>
    Effect.gen(function* () {
      const { body, seen } = partial("half", "silence")
      const { calls, client } = scripted({ status: 200, body })
      const reading = HttpRetry.execute(HttpRetry.withRetry(client, policy), get, (() => "secret") as never)
      expect(Cause.squash(yield* Effect.sandbox(reading).pipe(Effect.flip))).toMatchObject({
        _tag: "InvalidArgument",
        message: expect.stringContaining(
          'HttpRetry.execute: read must be a function that returns an effect, got "string"'
        ) as unknown
      })
      expect([calls.length, seen.cancelled]).toEqual([1, true])
    }).pipe(world)
  )

  it.effect.each([
    ["a deadline", new Deadline.DeadlineExceeded({ within: Duration.seconds(7), attempts: 7, cause: undefined })],
    ["a refusal", new Retry.AttemptRefused({ attempt: 7, cause: new Error("of the client") })]
  ])("leaves alone an error that the client itself fails with, even of the policy's class: %s", ([, own]) =>
    Effect.gen(function* () {
      const failing = HttpClient.transformResponse(scripted(200).client, () => Effect.fail(own))
      const read = () => Effect.dieMessage("read")
      expect(yield* Effect.flip(HttpRetry.execute(HttpRetry.withRetry(failing, policy), get, read))).toBe(own)
      const reading = HttpRetry.execute(HttpRetry.withRetry(scripted(200).client, policy), get, () => Effect.fail(own))
      expect(yield* Effect.flip(reading)).toBe(own)
    }).pipe(world)
  )

  it("refuses a client that the platform has not made, and a reader that is not one", () => {
    expect(() => HttpRetry.execute({} as HttpClient.HttpClient, get, text)).toThrow("HttpRetry.execute: client must be")
    const { client } = scripted(whole)
    expect(() => HttpRetry.execute(client, get, "text" as unknown as typeof text)).toThrow(
      'HttpRetry.execute: read must be a function, got "text"'
    )
  })
})

describe("HttpRetry.execute bounds of time", () => {
  it.effect.each([
    ["refuses", Deadline.refuse("5 seconds"), "AttemptTimedOut"],
    ["cuts", Deadline.cut("5 seconds"), "DeadlineExceeded"]
  ] as const)("ends with a deadline that passes during the reading: one that %s", ([, deadline, tag]) =>
    Effect.gen(function* () {
      const { body } = partial("half", "silence")
      const { calls, client } = scripted(503, { status: 200, body })
      const bounded = HttpRetry.withRetry(client, { ...policy, deadline })
      const error = yield* Effect.flip(HttpRetry.execute(bounded, get, text))
      expect(error).toMatchObject({ _tag: "RequestError", cause: { _tag: tag } })
      expect([yield* nowMillis, calls[1]?.signal.aborted]).toEqual([5000, true])
    }).pipe(world)
  )

  it.effect("ends with a deadline that cuts the wait after a body that broke", () =>
    Effect.gen(function* () {
      const { client } = scripted(broken())
      const cut = HttpRetry.withRetry(client, { ...policy, deadline: Deadline.cut("500 millis") })
      const error = yield* Effect.flip(HttpRetry.execute(cut, get, text))
      expect(error).toMatchObject({ _tag: "RequestError", cause: { _tag: "DeadlineExceeded" } })
    }).pipe(world)
  )

  it.effect.each([
    ["the timeout of an attempt", { attemptTimeout: AttemptTimeout.constant("2 seconds") }, 4000, "AttemptTimedOut"],
    ["a deadline that refuses", { deadline: Deadline.refuse("5 seconds") }, 5000, "AttemptTimedOut"],
    ["a deadline that cuts", { deadline: Deadline.cut("5 seconds") }, 5000, "DeadlineExceeded"]
  ] as const)("bounds the reading of the last response by %s", ([, bounds, millis, tag]) =>
    Effect.gen(function* () {
      const { body } = partial("half", "silence")
      const { calls, client } = scripted(503, 503, { status: 503, body })
      const error = yield* Effect.flip(
        HttpRetry.execute(HttpRetry.withRetry(client, { ...policy, ...bounds }), get, text)
      )
      expect(error).toMatchObject({ _tag: "RequestError", cause: { _tag: tag } })
      expect([yield* nowMillis, calls[2]?.signal.aborted]).toEqual([millis, true])
    }).pipe(world)
  )

  it.effect.each([
    { given: "a client with retries", of: HttpRetry.withRetry(policy) },
    { given: "a response that was given up on", of: HttpRetry.withRetry({ ...policy, maxAttempts: 1 }), status: 503 },
    { given: "a client without retries", of: <C>(client: C): C => client }
  ])("releases the connection when it is interrupted in the middle of a read: $given", ({ of, status = 200 }) =>
    Effect.gen(function* () {
      const { body, seen } = partial("half", "silence")
      const { calls, client } = scripted({ status, body })
      const fiber = yield* Effect.fork(HttpRetry.execute(of(client), get, ({ stream }) => Stream.runDrain(stream)))
      yield* Effect.sleep("1 second")
      expect(seen.cancelled).toBe(false)
      yield* Fiber.interrupt(fiber)
      expect([calls[0]?.signal.aborted, seen.cancelled, yield* VirtualClock.sleepers]).toEqual([true, true, 0])
    }).pipe(world)
  )

  it.effect("releases it as well if the reader has not begun with the body", () =>
    Effect.gen(function* () {
      const { body, seen } = partial("half", "silence")
      const { client } = scripted({ status: 200, body })
      const bounded = HttpRetry.withRetry(client, {
        ...policy,
        maxAttempts: 1,
        attemptTimeout: AttemptTimeout.constant("1 second")
      })
      yield* Effect.flip(HttpRetry.execute(bounded, get, () => Effect.never))
      expect(seen.cancelled).toBe(true)
      const plain = partial("half", "silence")
      const unretried = scripted({ status: 200, body: plain.body }).client
      const fiber = yield* Effect.fork(HttpRetry.execute(unretried, get, () => Effect.never))
      yield* Effect.sleep("1 second")
      yield* Fiber.interrupt(fiber)
      expect(plain.seen.cancelled).toBe(true)
    }).pipe(world)
  )
})

describe("HttpRetry.execute in a pipeline", () => {
  it.effect("reads inside the attempts of a client with combinators above the retries", () =>
    Effect.gen(function* () {
      const seen: Array<number> = []
      const { calls, client } = scripted(broken(), whole)
      const stacked = client.pipe(
        HttpRetry.withRetry(policy),
        HttpClient.filterStatusOk,
        HttpClient.mapRequest(HttpClientRequest.prependUrl("http://api.test")),
        HttpClient.mapRequestEffect((request) => Effect.succeed(HttpClientRequest.setHeader(request, "x-token", "t"))),
        HttpClient.tap(({ status }) => Effect.sync(() => void seen.push(status)))
      )
      expect(yield* HttpRetry.execute(stacked, HttpClientRequest.get("/orders/1"), order)).toEqual({ id: 1 })
      expect([calls.length, seen, Scripted.sent(calls, "x-token")]).toEqual([2, [200], ["t", "t"]])
    }).pipe(world)
  )

  it.effect.each([
    ["spends its attempts", TokenBucket.unlimited],
    ["is refused one", undefined]
  ] as const)("shows combinators above the retries no error of a reader that %s", ([, given]) =>
    Effect.gen(function* () {
      let asked = 0
      const once: TokenBucket.TokenBucket = {
        ...TokenBucket.unlimited,
        acquire: (request) =>
          Effect.suspend(() => (++asked === 1 ? TokenBucket.unlimited : TokenBucket.empty).acquire(request))
      }
      const errors: Array<unknown> = []
      const { client } = scripted(broken(), broken(), broken())
      const tapped = client.pipe(
        HttpRetry.withRetry({ ...policy, rateLimiter: given ?? once }),
        HttpClient.tapError((error) => Effect.sync(() => void errors.push(error)))
      )
      expect(yield* Effect.flip(HttpRetry.execute(tapped, get, order))).toMatchObject({ reason: "Decode" })
      expect(errors).toEqual([])
    }).pipe(world)
  )

  it.effect("asks the opinion once about each response", () =>
    Effect.gen(function* () {
      const asked: Array<number> = []
      const { client } = scripted(503, { status: 501, body: "1" })
      const opinion = (outcome: HttpRetry.Outcome<HttpClientError.HttpClientError>) => {
        if (HttpClassifier.isResponse(outcome)) asked.push(outcome.status)
        return Verdict.noOpinion
      }
      yield* HttpRetry.execute(HttpRetry.withRetry(client, { ...policy, opinion }), get, text)
      expect(asked).toEqual([503, 501])
    }).pipe(world)
  )

  it.effect(
    "fails as filterStatusOk above the retries does, not with the error that the reader makes of the body",
    () =>
      Effect.gen(function* () {
        const { client } = scripted({ status: 404, body: '{"error":"none"}' })
        const filtered = client.pipe(HttpRetry.withRetry(policy), HttpClient.filterStatusOk)
        const error = yield* Effect.flip(HttpRetry.execute(filtered, get, order))
        expect(error).toMatchObject({ _tag: "ResponseError", reason: "StatusCode", response: { status: 404 } })
        expect(error._tag === "ResponseError" && (yield* error.response.json)).toEqual({ error: "none" })
      }).pipe(world)
  )

  it.effect("reads no response that filterStatusOk below the retries refuses", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(503, 404)
      const filtered = client.pipe(HttpClient.filterStatusOk, HttpRetry.withRetry(policy))
      let reads = 0
      const error = yield* Effect.flip(
        HttpRetry.execute(filtered, get, (response) => {
          reads += 1
          return order(response)
        })
      )
      expect(error).toMatchObject({ reason: "StatusCode", response: { status: 404 } })
      expect([reads, calls.length]).toEqual([0, 2])
    }).pipe(world)
  )

  it.effect("reads what a combinator above the retries answers instead", () =>
    Effect.gen(function* () {
      const { client } = scripted(Faults.noHttp)
      const other = scripted({ status: 200, body: '{"id":2}' })
      const falling = client.pipe(
        HttpRetry.withRetry({ maxAttempts: 1 }),
        HttpClient.catchAll(() => other.client.get(url))
      )
      expect(yield* HttpRetry.execute(falling, get, order)).toEqual({ id: 2 })
    }).pipe(world)
  )

  it.effect("reads the last response of redirects that are followed above the retries", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted({ status: 302, headers: { location: "/orders/2" } }, broken(), whole)
      const following = client.pipe(HttpRetry.withRetry(policy), HttpClient.followRedirects())
      expect(yield* HttpRetry.execute(following, get, order)).toEqual({ id: 1 })
      expect(calls.map(({ request }) => new URL(request.url).pathname)).toEqual(["/orders/1", "/orders/2", "/orders/2"])
    }).pipe(world)
  )

  it.effect("reads under the outermost of two clients that retry", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(broken(), broken(), whole)
      const { events, observe } = Scripted.gaveUp()
      const inner = HttpRetry.withRetry(client, { ...policy, observe })
      expect(yield* HttpRetry.execute(HttpRetry.withRetry(inner, policy), get, order)).toEqual({ id: 1 })
      expect([calls.length, events.map(({ _tag }) => _tag)]).toEqual([3, ["Succeeded", "Succeeded", "Succeeded"]])
    }).pipe(world)
  )

  it.effect.each(["above", "below"] as const)(
    "reads no response to other requests that combinators make: %s",
    (place) =>
      Effect.gen(function* () {
        const tokens = scripted({ status: 200, body: "token" })
        const fetching = HttpRetry.withRetry(tokens.client, policy)
        const { calls, client } = scripted(broken(), whole)
        const authorized = <E, R>(self: HttpClient.HttpClient.With<E, R>) =>
          HttpClient.transform(self, (sent) =>
            Effect.zipRight(
              Effect.flatMap(fetching.get("http://auth.test/"), ({ text }) => text),
              sent
            )
          )
        const stacked =
          place === "above"
            ? authorized(HttpRetry.withRetry(client, policy))
            : HttpRetry.withRetry(authorized(client), policy)
        const read: Array<string> = []
        yield* HttpRetry.execute(stacked, get, (response) => {
          read.push(response.request.url)
          return order(response)
        })
        expect([read, calls.length]).toEqual([[url, url], 2])
      }).pipe(world)
  )

  it.effect("reads no response to a HEAD of the same URL that a combinator sends ahead", () =>
    Effect.gen(function* () {
      const retried = HttpRetry.withRetry(scripted(whole).client, policy)
      const probing = HttpClient.transformResponse(retried, (sent) => Effect.zipRight(retried.head(url), sent))
      const read: Array<string> = []
      yield* HttpRetry.execute(probing, get, (response) => {
        read.push(response.request.method)
        return order(response)
      })
      expect(read).toEqual(["GET"])
    }).pipe(world)
  )

  it.effect("reads no response that a combinator also looks at, through the same client", () =>
    Effect.gen(function* () {
      const looked: Array<string> = []
      let read = 0
      const { calls, client } = scripted(whole, { status: 200, body: '{"id":2}' }, whole)
      const retried = HttpRetry.withRetry(client, policy)
      const looking = HttpClient.transformResponse(retried, (sent) =>
        Effect.tap(sent, () =>
          retried.get(url).pipe(
            Effect.flatMap(text),
            Effect.map((body) => looked.push(body)),
            HttpRetry.besides
          )
        )
      )
      const executed = HttpRetry.execute(looking, get, (response) => {
        read += 1
        return order(response)
      })
      expect(yield* executed).toEqual({ id: 1 })
      expect([looked, calls.length, read]).toEqual([['{"id":2}'], 2, 1])
    }).pipe(world)
  )

  it.effect("lets a reader use retrying clients of its own", () =>
    Effect.gen(function* () {
      const { client } = scripted({ status: 200, body: "1" }, { status: 200, body: "2" })
      const retried = HttpRetry.withRetry(client, policy)
      const both = HttpRetry.execute(retried, get, (response) =>
        Effect.zip(
          response.text,
          Effect.flatMap(retried.get(url), ({ text }) => text)
        )
      )
      expect(yield* both).toEqual(["1", "2"])
    }).pipe(world)
  )

  it.effect("gives a reader the caller's own key of buckets and services", () =>
    Effect.gen(function* () {
      class Store extends Context.Tag("test/Store")<Store, string>() {}
      const { client } = scripted(whole)
      const bucket = yield* TokenBucket.quota({ capacity: 100 })
      const retried = HttpRetry.withRetry(client, { ...policy, bucket })
      const seen = yield* HttpRetry.execute(retried, get, () => Effect.all([TokenBucket.Key, Store])).pipe(
        Effect.provideService(Store, "mine")
      )
      expect(seen).toEqual(["", "mine"])
    }).pipe(world)
  )

  it.effect("pays for broken reads from the same bucket", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(broken(), broken())
      const { observe, reasons } = Scripted.gaveUp()
      const bucket = yield* TokenBucket.quota({ capacity: 14 })
      const funded = HttpRetry.withRetry(client, { ...policy, bucket, observe })
      yield* Effect.flip(HttpRetry.execute(funded, get, order))
      expect([calls.length, reasons]).toEqual([2, [{ _tag: "BucketEmpty" }]])
    }).pipe(world)
  )

  it.effect("releases the response whose reading broke before it sends again", () =>
    Effect.gen(function* () {
      const first = partial("half", "silence")
      const { calls, client } = scripted({ status: 200, body: first.body }, whole)
      class Odd extends Data.TaggedError("Odd") {}
      const opinion = (outcome: unknown) => (outcome instanceof Odd ? Verdict.transient : Verdict.noOpinion)
      let reads = 0
      const retried = HttpRetry.withRetry(client, { ...policy, opinion })
      yield* HttpRetry.execute(retried, get, (response) => (++reads === 1 ? Effect.fail(new Odd()) : order(response)))
      expect([first.seen.cancelled, calls[0]?.signal.aborted, calls.length]).toEqual([true, true, 2])
    }).pipe(world)
  )

  it.effect("does not send again a body that is a stream", () =>
    Effect.gen(function* () {
      const { calls, client } = scripted(broken(), whole)
      const put = HttpClientRequest.put(url, { body: HttpBody.stream(Stream.make(new Uint8Array(3))) })
      expect(yield* Effect.flip(HttpRetry.execute(HttpRetry.withRetry(client, policy), put, order))).toMatchObject({
        reason: "Decode"
      })
      expect(calls).toHaveLength(1)
    }).pipe(world)
  )
})

describe("HttpRetry.execute with a client that says why it gave up", () => {
  it.effect("leaves the last response to the caller when it gives up", () =>
    Effect.gen(function* () {
      for (const status of [503, 501]) {
        const { client } = scripted({ status, body: "busy" })
        let reads = 0
        const stopped = yield* client.pipe(
          HttpRetry.orStopped(policy),
          HttpRetry.execute(get, ({ text }) => {
            reads += 1
            return text
          }),
          Effect.flip
        )
        expect([reads, stopped._tag]).toEqual([0, "RetryStopped"])
        const { error } = stopped as Retry.RetryStopped<HttpClientResponse.HttpClientResponse>
        expect([error.status, yield* error.text]).toEqual([status, "busy"])
      }
    }).pipe(world)
  )

  it.effect("fails with the error of the last reading, and reports the broken ones by their responses", () =>
    Effect.gen(function* () {
      const { client } = scripted(broken(), broken(), broken())
      const stopping = HttpRetry.orStopped(client, policy)
      expect(yield* Effect.flip(HttpRetry.execute(stopping, get, order))).toMatchObject({ reason: "Decode" })
      const later = scripted(broken(), Faults.noHttp, Faults.noHttp)
      const stopped = yield* Effect.flip(HttpRetry.execute(HttpRetry.orStopped(later.client, policy), get, order))
      expect(stopped).toMatchObject({
        _tag: "RetryStopped",
        history: [{ error: { status: 200 } }, { error: { _tag: "RequestError" } }, { error: { _tag: "RequestError" } }]
      })
    }).pipe(world)
  )
})
