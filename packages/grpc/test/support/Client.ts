/**
 * A client of `@grpc/grpc-js` whose calls of all four kinds are effects.
 */
import { StatusCode } from "@effect-retry/grpc"
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
import { deserialize, paths, serialize } from "./Server.ts"

type Kind = "unary" | "server stream" | "client stream" | "both streams"

export interface Call {
  /** @default "unary" */
  readonly kind?: Kind | undefined
  /** @default standardRequests */
  readonly requests?: ReadonlyArray<string> | undefined
  readonly path?: string | undefined
  readonly metadata?: Metadata | undefined
  /** Milliseconds from the start of the call. */
  readonly deadline?: number | undefined
  /** The requests after the first are sent when this has ended. */
  readonly afterFirst?: Effect.Effect<void> | undefined
  readonly serialize?: typeof serialize | undefined
  /** The caller cancels the call when this has ended. */
  readonly cancelWhen?: Effect.Effect<void> | undefined
  readonly options?: CallOptions | undefined
}

/** What is sent when the call does not say. */
export const standardRequests: ReadonlyArray<string> = ["request"]

/** What the caller was given, in the order of the wire. */
export interface Ended {
  readonly headers: ReadonlyArray<Metadata>
  readonly messages: ReadonlyArray<string>
  readonly code: StatusCode.StatusCode | undefined
  readonly details: string
  readonly trailers: Metadata
}

/** Is connected, so that no call has to wait for it. */
export const connect = (address: string, options: ClientOptions = {}): Effect.Effect<Client, never, Scope.Scope> => {
  const client = Effect.sync(
    () => new Client(address, credentials.createInsecure(), { "grpc.use_local_subchannel_pool": 1, ...options })
  )
  return Effect.tap(
    Effect.acquireRelease(client, (made) => Effect.sync(() => made.close())),
    (made) =>
      Effect.async<void>((resume) => {
        made.waitForReady(Infinity, (error) => resume(error === undefined ? Effect.void : Effect.die(error)))
      })
  )
}

/** Never fails: a status other than OK is an ending too. */
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
    if (wanted.cancelWhen !== undefined) Effect.runFork(Effect.map(wanted.cancelWhen, () => running.cancel()))
  })

type Running = EventEmitter & { readonly cancel: () => void }

const start = (client: Client, wanted: Call, onMessage: (message: string) => void): Running => {
  const { deadline, kind = "unary", metadata = new Metadata(), path = paths.call, requests = standardRequests } = wanted
  const encode = wanted.serialize ?? serialize
  const [request = ""] = requests
  const options = { ...wanted.options, ...(deadline === undefined ? {} : { deadline: Date.now() + deadline }) }
  const answered = (_: unknown, message?: string) => (message === undefined ? undefined : onMessage(message))
  switch (kind) {
    case "unary":
      return client.makeUnaryRequest(path, encode, deserialize, request, metadata, options, answered)
    case "server stream":
      return client.makeServerStreamRequest(path, encode, deserialize, request, metadata, options).on("data", onMessage)
    case "client stream":
      return written(client.makeClientStreamRequest(path, encode, deserialize, metadata, options, answered), wanted)
    case "both streams":
      return written(
        client.makeBidiStreamRequest(path, encode, deserialize, metadata, options).on("data", onMessage),
        wanted
      )
  }
}

const written = <S extends ClientWritableStream<string> | ClientDuplexStream<string, string>>(
  stream: S,
  { afterFirst, requests = standardRequests }: Call
): S => {
  const [first, ...others] = requests
  if (first !== undefined) stream.write(first)
  const finish = () => {
    for (const request of others) stream.write(request)
    stream.end()
  }
  if (afterFirst === undefined) finish()
  else Effect.runFork(Effect.map(afterFirst, finish))
  return stream
}
