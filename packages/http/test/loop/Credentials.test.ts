/**
 * What observers and errors show of credentials, over real connections.
 */
import { HttpClient } from "@effect/platform"
import { AttemptTimeout, Backoff, Deadline, Observe } from "@effect-retry/core"
import { HttpRetry } from "@effect-retry/http"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Logger, LogLevel, Tracer } from "effect"
import { NodeHttpClient } from "@effect/platform-node"
import * as LogLines from "../../../core/test/support/LogLines.ts"
import * as HttpServer from "../support/HttpServer.ts"

const { responding, serve } = HttpServer

const silent = { ...HttpRetry.standard, backoff: Backoff.constant({ delay: 1 }) }

const policy = {
  ...silent,
  observe: [Observe.logs({ AttemptFailed: LogLevel.Warning }), Observe.spanEvents]
}

/** The text of all log lines and span events. */
const shownBy = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<string, never, R> => {
  const lines: Array<string> = []
  const logger = Logger.make((options) => {
    const { annotations, message } = LogLines.of(options)
    lines.push(JSON.stringify([message, annotations]))
  })
  return Effect.makeSpan("test").pipe(
    Effect.tap((span) => {
      span.event = (name, _, attributes) => void lines.push(JSON.stringify([name, attributes]))
      return Effect.provideService(Effect.exit(self), Tracer.ParentSpan, span)
    }),
    Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
    Effect.map(() => lines.join("\n"))
  )
}

/** `http://user:password@127.0.0.1:port/path?api_key=secret` */
const secretive = (url: string) => `${url.replace("//", "//user:password@")}path?api_key=secret`

const secrets = /user|password|=secret/

describe("HttpRetry.withRetry with credentials in the URL", () => {
  const cases = [
    [
      "transport errors",
      ({ request }: HttpServer.Exchange) => void request.socket.resetAndDestroy(),
      "Transport error"
    ],
    ["errors of a status", responding({ status: 503 }), "503 GET"]
  ] as const

  it.scopedLive.each(cases)("shows none of them in log lines and span events of %s", ([, answer, message]) =>
    Effect.gen(function* () {
      const server = yield* serve(answer)
      const client = HttpRetry.withRetry(HttpClient.filterStatusOk(yield* HttpClient.HttpClient), policy)
      const shown = yield* shownBy(client.get(secretive(server.url)))
      expect(server.methods).toHaveLength(3)
      expect(shown.split("\n")).toHaveLength(12)
      expect(shown).toContain(message)
      expect(shown).toContain("127.0.0.1")
      expect(shown).toContain("/path?api_key=REDACTED")
      expect(shown).not.toMatch(secrets)
    }).pipe(Effect.provide(NodeHttpClient.layer))
  )

  it.scopedLive("shows none of them in errors that the policy makes", () =>
    Effect.gen(function* () {
      const server = yield* serve(() => undefined)
      const client = yield* HttpClient.HttpClient
      const bounds = [
        { ...silent, maxAttempts: 1, attemptTimeout: AttemptTimeout.constant("20 millis") },
        { ...silent, deadline: Deadline.cut("20 millis") }
      ]
      for (const bounded of bounds) {
        const url = secretive(server.url)
        const error = yield* Effect.flip(HttpRetry.withRetry(client, bounded).get(url))
        expect(error).toMatchObject({ _tag: "RequestError", request: { url } })
        expect(error.message).toContain("127.0.0.1")
        for (const text of [error.message, String(error), Cause.pretty(Cause.fail(error)), JSON.stringify(error)]) {
          expect(text).not.toMatch(secrets)
        }
      }
    }).pipe(Effect.provide(NodeHttpClient.layer))
  )
})
