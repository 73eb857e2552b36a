/**
 * A client of `@grpc/grpc-js` whose calls of all four kinds are effects.
 */
import { StatusCode } from "@effect-retry/google"
import {
  type CallOptions,
  Client,
  type ClientDuplexStream,
  type ClientOptions,
  type ClientWritableStream,
  credentials,
  Metadata,
  type StatusObject
} from "@grpc/grpc-js"
import { Effect, type Scope } from "effect"
import type { EventEmitter } from "node:events"
import { Readable } from "node:stream"
import { deserialize, paths, serialize } from "./GrpcServer.ts"

export type Kind = "unary" | "server stream" | "client stream" | "both streams"

export interface Call {
  /** @default "unary" */
  readonly kind?: Kind | undefined
  /** @default one, "request" */
  readonly requests?: ReadonlyArray<string> | undefined
  readonly path?: string | undefined
  readonly metadata?: Metadata | undefined
  /** Milliseconds from the start of the call. */
  readonly deadline?: number | undefined
  readonly options?: CallOptions | undefined
}

/** What the caller was given, in the order of the wire. */
export interface Ended {
  readonly headers: ReadonlyArray<Metadata>
  readonly messages: ReadonlyArray<string>
  readonly code: StatusCode.StatusCode | undefined
  readonly details: string
  readonly trailers: Metadata
}

export const connect = (address: string, options: ClientOptions = {}): Effect.Effect<Client, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(
      () => new Client(address, credentials.createInsecure(), { "grpc.use_local_subchannel_pool": 1, ...options })
    ),
    (client) => Effect.sync(() => client.close())
  )

/** Never fails: a status other than OK is an ending too. The interruption cancels the call. */
export const call = (client: Client, wanted: Call = {}): Effect.Effect<Ended> =>
  Effect.async((resume) => {
    const headers: Array<Metadata> = []
    const messages: Array<string> = []
    const running = start(client, wanted, (message) => messages.push(message))
    running.on("metadata", (metadata: Metadata) => headers.push(metadata))
    running.on("error", () => undefined)
    running.on("status", ({ code, details, metadata }: StatusObject) => {
      const ended = { headers, messages, code: StatusCode.fromNumber(code), details, trailers: metadata }
      // A stream hands out its messages later than its status.
      if (running instanceof Readable) running.on("end", () => resume(Effect.succeed(ended)))
      else resume(Effect.succeed(ended))
    })
    return Effect.sync(() => running.cancel())
  })

type Running = EventEmitter & { readonly cancel: () => void }

const start = (client: Client, wanted: Call, onMessage: (message: string) => void): Running => {
  const { deadline, kind = "unary", metadata = new Metadata(), path = paths.call, requests = ["request"] } = wanted
  const [request = ""] = requests
  const options = { ...wanted.options, ...(deadline === undefined ? {} : { deadline: Date.now() + deadline }) }
  const answered = (_: unknown, message?: string) => (message === undefined ? undefined : onMessage(message))
  switch (kind) {
    case "unary":
      return client.makeUnaryRequest(path, serialize, deserialize, request, metadata, options, answered)
    case "server stream":
      return client
        .makeServerStreamRequest(path, serialize, deserialize, request, metadata, options)
        .on("data", onMessage)
    case "client stream":
      return written(
        client.makeClientStreamRequest(path, serialize, deserialize, metadata, options, answered),
        requests
      )
    case "both streams":
      return written(
        client.makeBidiStreamRequest(path, serialize, deserialize, metadata, options).on("data", onMessage),
        requests
      )
  }
}

const written = <S extends ClientWritableStream<string> | ClientDuplexStream<string, string>>(
  stream: S,
  requests: ReadonlyArray<string>
): S => {
  for (const request of requests) stream.write(request)
  stream.end()
  return stream
}
