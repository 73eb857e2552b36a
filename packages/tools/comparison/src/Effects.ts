/**
 * Clients for effects, each configured to three attempts and a delay of a millisecond.
 */
import { FetchHttpClient, HttpBody, HttpClient, HttpClientRequest } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { AttemptTimeout, Backoff } from "@effect-retry/core"
import { Download, Fetch, HttpRetry } from "@effect-retry/http"
import { Effect, type Layer, Schedule, Stream } from "effect"
import * as Effect4 from "effect-4/Effect"
import * as Clock4 from "effect-4/Clock"
import * as Schedule4 from "effect-4/Schedule"
import * as Stream4 from "effect-4/Stream"
import * as Fetch4 from "effect-4/http/FetchHttpClient"
import * as Body4 from "effect-4/http/HttpBody"
import * as Client4 from "effect-4/http/HttpClient"
import * as Request4 from "effect-4/http/HttpClientRequest"
import { type Call, type Client, maxAttempts } from "./Client.ts"
import { init } from "./Promises.ts"
import * as Waits from "./Waits.ts"

/** Sends one request and reads its response to the end. */
type Sending = (client: HttpClient.HttpClient, call: Call) => Effect.Effect<unknown, unknown>

const sent = (layer: Layer.Layer<HttpClient.HttpClient>, sending: Sending) => (call: Call) =>
  Effect.flatMap(HttpClient.HttpClient, (client) => sending(client, call)).pipe(
    Effect.provide(layer),
    Effect.withClock(Waits.clock(call.listener)),
    (program) => Effect.runPromise(program, { signal: call.signal })
  )

const requestOf = (call: Call): HttpClientRequest.HttpClientRequest =>
  HttpClientRequest.make(call.method as "GET")(call.url, { headers: call.headers }).pipe(
    HttpClientRequest.setBody(bodyOf(call))
  )

const bodyOf = ({ body }: Call): HttpBody.HttpBody => {
  switch (body?._tag) {
    case "Text":
      return HttpBody.text(body.text)
    case "Form":
      return HttpBody.formData(body.form)
    case "Stream": {
      const stream = new Blob([body.text]).stream()
      return HttpBody.stream(Stream.fromReadableStream({ evaluate: () => stream, onError: (error) => error }))
    }
    default:
      return HttpBody.empty
  }
}

const policyOf = ({ delayMillis, timeoutMillis }: Call) => ({
  maxAttempts,
  backoff: Backoff.constant({ delay: delayMillis }),
  ...(timeoutMillis !== undefined && { attemptTimeout: AttemptTimeout.constant(timeoutMillis) })
})

const withRetry: Sending = (client, call) => {
  const retrying = HttpRetry.withRetry(client, policyOf(call))
  return call.isDownload
    ? Stream.runDrain(Download.stream(retrying, requestOf(call)))
    : HttpRetry.execute(retrying, requestOf(call), (response) => response.text)
}

const settings = '`{ maxAttempts: 3, backoff: Backoff.constant({ delay: "1 milli" }) }`'

export const overFetch: Client = {
  name: "`withRetry`, fetch",
  from: "@effect-retry/http",
  settings,
  send: sent(FetchHttpClient.layer, withRetry)
}

export const overUndici: Client = {
  name: "`withRetry`, undici",
  from: "@effect-retry/http",
  settings,
  send: sent(NodeHttpClient.layerUndici, withRetry)
}

export const retryingFetch: Client = {
  name: "`Fetch.make`",
  from: "@effect-retry/http",
  settings,
  send: (call) =>
    Effect.runPromise(
      Fetch.makeEffect(policyOf(call)).pipe(
        Effect.flatMap((fetch) => Effect.tryPromise(() => fetch(call.url, init(call)).then((one) => one.text()))),
        Effect.withClock(Waits.clock(call.listener))
      )
    )
}

export const effect3: Client = {
  name: "Effect 3",
  from: "@effect/platform",
  settings: '`retryTransient({ times: 2, schedule: Schedule.spaced("1 milli") })`',
  send: sent(FetchHttpClient.layer, (client, call) => {
    const { delayMillis, timeoutMillis } = call
    const timed =
      timeoutMillis === undefined
        ? client
        : (HttpClient.transform(client, Effect.timeout(timeoutMillis)) as typeof client)
    const schedule = Schedule.spaced(delayMillis)
    return HttpClient.retryTransient(timed, { times: maxAttempts - 1, schedule })
      .execute(requestOf(call))
      .pipe(Effect.flatMap((response) => response.text))
  })
}

const body4Of = ({ body }: Call): Body4.HttpBody => {
  switch (body?._tag) {
    case "Text":
      return Body4.text(body.text)
    case "Form":
      return Body4.formData(body.form)
    case "Stream": {
      const stream = new Blob([body.text]).stream()
      return Body4.stream(Stream4.fromReadableStream({ evaluate: () => stream, onError: (error) => error }))
    }
    default:
      return Body4.empty
  }
}

export const effect4: Client = {
  name: "Effect 4",
  from: "effect-4",
  settings: '`retryTransient({ times: 2, schedule: Schedule.spaced("1 millis") })`',
  send: (call) => {
    const { delayMillis, timeoutMillis } = call
    const request = Request4.make(call.method as "GET")(call.url, { headers: call.headers, body: body4Of(call) })
    return Effect4.gen(function* () {
      const client = yield* Client4.HttpClient
      const timed =
        timeoutMillis === undefined
          ? client
          : (Client4.transform(client, Effect4.timeout(timeoutMillis)) as typeof client)
      const retrying = Client4.retryTransient(timed, {
        times: maxAttempts - 1,
        schedule: Schedule4.spaced(delayMillis)
      })
      const response = yield* retrying.execute(request)
      return yield* response.text
    }).pipe(
      Effect4.provide(Fetch4.layer),
      Effect4.provideServiceEffect(Clock4.Clock, Waits.clock4(call.listener)),
      (program) => Effect4.runPromise(program, { signal: call.signal })
    )
  }
}
