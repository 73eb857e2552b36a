/** No error of a client, event or log line shows a secret of a request or of an error, however it is printed. */
import { HttpClient, HttpClientError, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { AttemptTimeout, Backoff, Deadline, type Observe, TokenBucket } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import * as Printed from "../../../core/test/support/Printed.ts"
import * as Secrets from "../../../core/test/support/Secrets.ts"
import { DownloadFailed } from "../../src/loop/client/DownloadFailed.ts"
import { world } from "../support/ScriptedClient.ts"

const policy = { ...HttpRetry.standard, backoff: Backoff.constant({ delay: "1 second" }) }

const secret = "tok-4711-abcdef"

/** With secrets in the URL and in the headers. */
const request = HttpClientRequest.get(`http://user:${secret}@api.test/orders?upload_id=${secret}#${secret}`, {
  headers: { authorization: `Bearer ${secret}`, cookie: `sid=${secret}`, "x-api-key": secret }
})

/** An observer, and the events it is sent. */
const listening = () => {
  const events: Array<Observe.RetryEvent> = []
  const observe = [(event: Observe.RetryEvent) => Effect.sync(() => void events.push(event))]
  return { events, observe }
}

const details = (events: ReadonlyArray<Observe.RetryEvent>) => events.map((event) => event.details())

const failing = (error: unknown) =>
  HttpClient.make((request) =>
    Effect.fail(new HttpClientError.RequestError({ request, reason: "Transport", cause: error }))
  )

const answering = (status: number, body: string) =>
  HttpClient.make((request) => Effect.succeed(HttpClientResponse.fromWeb(request, new Response(body, { status }))))

describe("HttpRetry.orStopped", () => {
  it.effect.each(Secrets.leaves)("shows no secret in $place, nor do the events", ({ error, secret: theirs }) =>
    Effect.gen(function* () {
      const { events, observe } = listening()
      const stopped = yield* Effect.flip(HttpRetry.orStopped(failing(error), { ...policy, observe }).execute(request))
      expect(Printed.showing(stopped, secret, theirs)).toEqual([])
      expect(Printed.showing([...events, ...details(events)], secret, theirs)).toEqual([])
      const original = { _tag: "RequestError", cause: error, request }
      expect(stopped).toMatchObject({ error: original })
      expect(events.at(-1)).toMatchObject({ _tag: "GaveUp", error: { original } })
    }).pipe(world)
  )
})

describe("HttpRetry.execute", () => {
  it.effect.each<
    readonly [string, (response: HttpClientResponse.HttpClientResponse) => Effect.Effect<unknown, unknown>]
  >([
    ["does not parse", (response) => response.json],
    ["does not fit its schema", HttpClientResponse.schemaBodyJson(Schema.Struct({ id: Schema.Number }))],
    ["an error quotes", (response) => Effect.flatMap(response.text, (text) => Effect.fail(new Error(`bad ${text}`)))],
    [
      "the cause of an error quotes",
      (response) =>
        Effect.flatMap(response.text, (text) => {
          const cause = new Error(`bad ${text}`)
          return Effect.fail(
            new HttpClientError.ResponseError({ request: response.request, response, reason: "Decode", cause })
          )
        })
    ],
    ["is an error", (response) => Effect.flatMap(response.text, (text) => Effect.fail(text))]
  ])("shows no body that %s in its events", ([, read]) =>
    Effect.gen(function* () {
      const { events, observe } = listening()
      const client = HttpRetry.withRetry(answering(200, "card-4111 is not JSON"), { ...policy, observe })
      yield* Effect.flip(HttpRetry.execute(client, request, read))
      expect(events.map(({ _tag }) => _tag)).toContain("GaveUp")
      expect(Printed.showing([...events, ...details(events)], secret, "card-4111")).toEqual([])
    }).pipe(world)
  )
})

describe("an error that the policy makes", () => {
  it.effect.each([
    ["a timeout", { attemptTimeout: AttemptTimeout.constant("1 second") }],
    ["a deadline", { deadline: Deadline.cut("1 second") }],
    ["a rate limiter", { rateLimiter: TokenBucket.empty }]
  ] as const)("shows no secret of its request: %s", ([, fields]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        HttpRetry.withRetry(
          HttpClient.make(() => Effect.never),
          { ...policy, ...fields }
        ).execute(request)
      )
      expect(Printed.showing(error, secret)).toEqual([])
      expect(error.request).toBe(request)
    }).pipe(world)
  )

  it.effect.each(Secrets.leaves)("shows no secret in $place, of the error of a timeout", ({ error, secret }) =>
    Effect.gen(function* () {
      const outcomes: Array<unknown> = []
      const attemptHeaders = ({ previous }: HttpRetry.Attempt) => {
        outcomes.push(Option.getOrUndefined(previous)?.outcome)
        return {}
      }
      const attemptTimeout = AttemptTimeout.constant("1 second", { onTimeout: () => error })
      yield* Effect.exit(
        HttpRetry.withRetry(
          HttpClient.make(() => Effect.never),
          { ...policy, attemptHeaders, attemptTimeout }
        ).execute(request)
      )
      expect(outcomes[1]).toMatchObject({ _tag: "RequestError", cause: { original: error }, request })
      expect(Printed.showing(outcomes, secret)).toEqual([])
    }).pipe(world)
  )
})

describe("DownloadFailed", () => {
  it.each(Secrets.leaves)("shows no secret in $place, and has the error itself", ({ error, secret }) => {
    const failed = new DownloadFailed({ reason: { _tag: "NotResumable", why: "no ETag" }, received: 7, cause: error })
    expect(Printed.showing(failed, secret)).toEqual([])
    expect(failed.error).toBe(error)
  })
})
