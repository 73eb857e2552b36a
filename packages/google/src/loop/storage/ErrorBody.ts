/**
 * Reads error bodies inside the attempt, because only the body says what a 403 means.
 *
 * The response stays readable: its body is replaced by the bytes that were read, followed by the rest, if there is more.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Discard, HttpClassifier } from "@effect-retry/http"
import * as FiberLine from "@effect-retry/core/unstable/FiberLine"
import * as ClientLine from "@effect-retry/http/unstable/ClientLine"
import * as BodyBytes from "@effect-retry/http/unstable/BodyBytes"
import * as ErrorBody from "../../classify/ErrorBody.ts"

type With = HttpClient.HttpClient.With<unknown, unknown>
type Response = HttpClientResponse.HttpClientResponse

/** Bounds of this package's choice: an error body has a few hundred bytes, and arrives with its headers. */
const bounds = { atMostBytes: 65_536, within: "1 second" } as const

/** A client whose failed responses carry their JSON bodies for `GoogleStatus.read`. */
export const reading = (self: With): With =>
  HttpClient.transformResponse(self, (sent) =>
    Effect.matchEffect(sent, {
      onSuccess: (response) => (isWanted(response) ? read(response) : Effect.succeed(response)),
      onFailure: (error) => {
        const response = HttpClassifier.responseOf(error)
        return response !== undefined && ClientLine.isResponseError(error) && isWanted(response)
          ? Effect.flatMap(read(response), (response) => Effect.fail(ClientLine.withResponse(error, response)))
          : Effect.fail(error)
      }
    })
  )

const isWanted = ({ headers, request, status }: Response): boolean =>
  status >= 400 && request.method !== "HEAD" && json.test(headers["content-type"] ?? "")

const json = /^application\/(?:[\w.-]+\+)?json\b/i

const read = (response: Response): Effect.Effect<Response> => {
  const bytes = BodyBytes.announced(response)
  if (bytes === undefined) return streamed(response)
  return bytes > bounds.atMostBytes ? Effect.succeed(response) : whole(response)
}

/** Reads a body of announced length completely, which keeps the connection open; a slow body is left to the caller. */
const whole = (response: Response): Effect.Effect<Response> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDaemon(Effect.interruptible(response.arrayBuffer)), (reading) => {
      const stopped = Effect.zipRight(FiberLine.interrupt(reading), Discard.cancelled(response))
      return restore(Effect.timeoutOption(Fiber.await(reading), bounds.within)).pipe(
        Effect.flatMap((read) => {
          const body = Option.flatMap(
            read,
            Exit.match({ onFailure: () => Option.none(), onSuccess: (buffer) => Option.some(bytesOf(buffer)) })
          )
          if (Option.isSome(body)) return Effect.succeed(carrying(Discard.replaced(response, body), body))
          const rest = Effect.onInterrupt(Effect.map(Fiber.join(reading), bytesOf), () => stopped)
          return Effect.map(restore(Stream.toReadableStreamEffect(Stream.fromEffect(rest))), (rest) =>
            Discard.replaced(response, Option.some(rest))
          )
        }),
        Effect.onInterrupt(() => stopped)
      )
    })
  )

const bytesOf = (buffer: ArrayBuffer): Uint8Array => new Uint8Array(buffer)

const carrying = (response: Response, body: Option.Option<Uint8Array>): Response =>
  Option.match(body, {
    onNone: () => response,
    onSome: (bytes) => ErrorBody.withBody(response, Option.getOrUndefined(ErrorBody.parsed(bytes)))
  })

/** Reads the beginning, and leaves the rest of a long or slow body to the caller. */
const streamed = (response: Response): Effect.Effect<Response> =>
  Effect.flatMap(Stream.toReadableStreamEffect(response.stream, { strategy: { highWaterMark: 0 } }), (stream) => {
    const opened = open(stream.getReader())
    return beginning(opened).pipe(
      Effect.timeoutOption(bounds.within),
      Effect.onInterrupt(() => Effect.sync(opened.cancel)),
      Effect.map(() => {
        const whole = opened.isOver ? Option.some(BodyBytes.joined(opened.chunks)) : Option.none()
        const body = Option.orElse(whole, () => Option.some(continued(opened)))
        return carrying(Discard.replaced(response, body), whole)
      })
    )
  })

type Chunk = Awaited<ReturnType<ReadableStreamDefaultReader<Uint8Array>["read"]>>

/** A body that is being read. Mutable, and used by one reader at a time. */
interface Opened {
  readonly chunks: Array<Uint8Array>
  isOver: boolean
  readonly next: () => Promise<Chunk>
  readonly arrived: () => void
  readonly cancel: () => void
}

const open = (reader: ReadableStreamDefaultReader<Uint8Array>): Opened => {
  let pending: Promise<Chunk> | undefined
  return {
    chunks: [],
    isOver: false,
    // A chunk that is already on its way is the next one.
    next: () => (pending ??= reader.read()),
    arrived: () => {
      pending = undefined
    },
    cancel: () => {
      reader.cancel().catch(() => {})
    }
  }
}

/** Also ends if the body breaks: the reader of the rest gets the same error. */
const beginning = (opened: Opened, bytes = 0): Effect.Effect<void> =>
  opened.isOver || bytes > bounds.atMostBytes
    ? Effect.void
    : Effect.matchEffect(Effect.tryPromise(opened.next), {
        onFailure: () => Effect.void,
        onSuccess: ({ done, value }) => {
          opened.arrived()
          if (value !== undefined) opened.chunks.push(value)
          opened.isOver = done
          return beginning(opened, bytes + (value?.length ?? 0))
        }
      })

const continued = (opened: Opened): ReadableStream<Uint8Array> => {
  // Removing many small chunks one by one would take quadratic time.
  const read = opened.chunks.values()
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { value: chunk } = read.next()
        if (chunk !== undefined) return controller.enqueue(chunk)
        const { done, value } = await opened.next()
        opened.arrived()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: opened.cancel
    },
    { highWaterMark: 0 }
  )
}
