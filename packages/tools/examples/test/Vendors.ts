/**
 * Servers on loopback that fail the first call as a vendor's server does, and what an operator sees of it.
 */
import { Observe } from "@effect-retry/core"
import { Effect, Logger, type Scope, type Tracer } from "effect"
import { createServer as createHttpServer } from "node:http"
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import * as LogLines from "../../../core/test/support/LogLines.ts"

const listening = <S extends Server>(server: S): Effect.Effect<number, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<number>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
    }),
    () => Effect.sync(() => server.close())
  )

/** Answers every connection by a script that is given what came and a way to answer. */
export const socketServer = (answer: (received: Buffer, socket: Socket) => void) =>
  listening(createServer((socket) => void socket.on("data", (data) => answer(data, socket)).on("error", () => {})))

/** Answers every request in the same way. */
export const httpServer = (status: number, headers: Record<string, string>, body: string) =>
  listening(
    createHttpServer((request, response) => {
      request.resume()
      response.writeHead(status, headers).end(body)
    })
  )

/** A message of Postgres: a letter, a length, and texts. */
const message = (type: string, ...texts: ReadonlyArray<string>): Buffer => {
  const body = Buffer.from(texts.join(""), "latin1")
  const head = Buffer.alloc(5)
  head.write(type, 0, "latin1")
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

const ready = message("Z", "I")

/** Postgres's answers to the start of a session, and to every query an error with a code. */
export const postgres = (code: string, text: string) => {
  const started = Buffer.concat([message("R", "\0\0\0\0"), ready])
  const failed = message("E", "SERROR\0", "VERROR\0", `C${code}\0`, `M${text}\0`, "\0")
  return socketServer((received, socket) => {
    if (received[0] === 0) socket.write(started)
    else if (received[0] === 0x51) socket.write(Buffer.concat([failed, ready]))
  })
}

/** The lines and the events on the span that an operation under these observers leaves. */
export const shownBy = <A, E>(
  operation: (observe: ReadonlyArray<Observe.Observer>) => Effect.Effect<A, E, Scope.Scope>
) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const logger = Logger.make<unknown, void>((options) => {
      const { annotations, message } = LogLines.of(options)
      if ("retry.attempt" in annotations) lines.push(String(message))
    })
    const events = yield* Effect.zipRight(
      Effect.exit(Effect.scoped(operation([Observe.logs(), Observe.spanEvents]))),
      Effect.map(Effect.orDie(Effect.currentSpan), eventsOf)
    ).pipe(Effect.withSpan("request"), Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
    return { lines, events }
  })

/** Effect's own spans keep their events. */
const eventsOf = (span: Tracer.Span): ReadonlyArray<readonly [string, bigint, Record<string, unknown>]> =>
  "events" in span && Array.isArray(span.events) ? span.events : []
