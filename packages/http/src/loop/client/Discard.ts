/**
 * Releases the bodies of unread responses, so that they hold no connection.
 *
 * After a throttle the connection is sound: the body is read to its end, within the bounds of `Drain`, and the
 * connection is free for the next request. After any other failure the connection is no longer trusted: the body is
 * cancelled, which closes the connection if the body has not arrived completely. Over HTTP/2 this resets the stream,
 * and the connection stays.
 */
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as HttpClassifier from "../../classify/HttpClassifier.ts"
import * as BodyBytes from "./BodyBytes.ts"
import * as BodyLine from "./BodyLine.ts"

/**
 * How much of a body is read to keep its connection.
 *
 * @category models
 */
export interface Drain {
  readonly atMostBytes: number
  readonly within: Duration.DurationInput
}

/**
 * Reads at most 128 KiB within 1 second.
 *
 * Source of the bytes: `undici` 7.30.2, lib/api/readable.js, `dump`, read 2026-11-20.
 *
 * @category constructors
 */
export const standard: Drain = { atMostBytes: 131_072, within: "1 second" }

/**
 * Reads nothing: a discarded response closes its connection, unless it has arrived completely.
 *
 * @category constructors
 */
export const nothing: Drain = { atMostBytes: 0, within: 0 }

/**
 * Returns the given bounds. Throws an `InvalidArgument` that names `owner` if one is out of range.
 *
 * @category guards
 */
export const check = (owner: string, drain: Drain): Drain => {
  if (!Predicate.isRecord(drain)) return Argument.refuse(owner, "drain", "a record of bounds", drain)
  Argument.number(owner, "drain.atMostBytes", drain.atMostBytes, { min: 0, integer: true })
  Argument.millis(owner, "drain.within", drain.within, { min: 0 })
  return drain
}

/**
 * Reads a body to its end within the bounds, and returns it; a longer or slower body is cancelled.
 *
 * @category running
 */
export const drained = (
  response: HttpClientResponse.HttpClientResponse,
  { atMostBytes, within }: Drain
): Effect.Effect<Option.Option<Uint8Array>> => {
  const announced = BodyBytes.announced(response)
  if (atMostBytes === 0 || (announced ?? 0) > atMostBytes) {
    return Effect.as(cancelled(response), Option.none())
  }
  // The platform's clients abort the request at the end of `stream`, which closes some connections, but not after
  // `arrayBuffer`, which only an abort can stop.
  const body = Effect.suspend(() =>
    announced !== undefined && isAbortable(response)
      ? Effect.map(response.arrayBuffer, (buffer) => Option.some(new Uint8Array(buffer)))
      : streamed(response, atMostBytes)
  )
  // A body that is being read elsewhere dies, and one that never finishes cancelling is not awaited.
  const read = BodyLine.disconnected(Effect.option(Effect.sandbox(body)))
  return Effect.flatMap(Effect.timeoutOption(read, within), (read) => {
    const bytes = Option.flatten(Option.flatten(read))
    return Option.isSome(bytes) ? Effect.succeed(bytes) : Effect.as(cancelled(response), Option.none())
  })
}

const streamed = (
  response: HttpClientResponse.HttpClientResponse,
  atMostBytes: number
): Effect.Effect<Option.Option<Uint8Array>, HttpClientError.ResponseError> => {
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  const taken = Stream.runForEachWhile(response.stream, (chunk) =>
    Effect.sync(() => {
      bytes += chunk.length
      chunks.push(chunk)
      return bytes <= atMostBytes
    })
  )
  return Effect.map(
    Effect.catchIf(
      taken,
      (error) => error.reason === "EmptyBody",
      () => Effect.void
    ),
    () => (bytes <= atMostBytes ? Option.some(BodyBytes.joined(chunks)) : Option.none())
  )
}

/**
 * Cancels a body without waiting for it. Anything that the response itself throws is ignored.
 *
 * @category running
 */
export const cancelled = (response: HttpClientResponse.HttpClientResponse): Effect.Effect<void> =>
  Effect.suspend(() => {
    const isOver = cancelledInside(response)
    return isOver ? Effect.void : interruptedStream(response)
  }).pipe(Effect.catchAllDefect(() => Effect.void))

/**
 * Shared, because the stack of one made for a response would keep that response from being collected.
 */
const discarded = new DOMException("the response was discarded", "AbortError")

/**
 * Cancels at the innermost client: an outer client has its own controller, which does not reach the one that holds the
 * connection.
 */
const cancelledInside = (response: HttpClientResponse.HttpClientResponse): boolean => {
  const isAborted = isAbortable(response)
  if (isAborted) response.controller.abort(discarded)
  const isAbandoned = abandoned(response)
  const isInside =
    Predicate.hasProperty(response, "original") &&
    HttpClassifier.isResponse(response.original) &&
    cancelledInside(response.original)
  return isAborted || isAbandoned || isInside
}

/**
 * Whether a response can abort its request, as those of the platform's clients can. Reading might first receive the
 * rest of the body.
 */
const isAbortable = (
  response: HttpClientResponse.HttpClientResponse
): response is HttpClientResponse.HttpClientResponse & { readonly controller: AbortController } =>
  Predicate.hasProperty(response, "controller") && response.controller instanceof AbortController

/**
 * Cancels the body of a response of `HttpClientResponse.fromWeb` or of a client of Node, and says whether it could: opening
 * its stream only to interrupt it takes longer than the request, and a body of node-fetch is a Node stream, which cannot be
 * opened there.
 */
const abandoned = (response: HttpClientResponse.HttpClientResponse): boolean => {
  const source = Predicate.hasProperty(response, "source") ? response.source : undefined
  const isBody = Predicate.hasProperty(source, "destroy")
  if (!isBody && !Predicate.hasProperty(source, "body")) return false
  const body = isBody ? source : source.body
  if (Predicate.hasProperty(body, "cancel") && Predicate.isFunction(body.cancel)) {
    // Rejects if the body is being read elsewhere.
    Promise.resolve(body.cancel()).catch(() => {})
  } else if (Predicate.hasProperty(body, "destroy") && Predicate.isFunction(body.destroy)) {
    // A body of undici's client emits an error, which has no other listener.
    if (Predicate.hasProperty(body, "on") && Predicate.isFunction(body.on)) body.on("error", () => {})
    body.destroy()
  } else return body === null
  return true
}

const interruptedStream = (response: HttpClientResponse.HttpClientResponse): Effect.Effect<void> =>
  Effect.gen(function* () {
    const started = yield* Deferred.make<void>()
    const reading = Effect.zipRight(Deferred.succeed(started, undefined), Stream.runDrain(response.stream))
    const fiber = yield* Effect.fork(Effect.interruptible(reading))
    yield* Deferred.await(started)
    yield* Effect.yieldNow()
    yield* Fiber.interrupt(fiber)
  })

/**
 * A response with the body that was read from it, or a part of it and the rest to come, or a body that fails to be read.
 *
 * @category conversions
 */
export const replaced = (
  response: HttpClientResponse.HttpClientResponse,
  body: Option.Option<Uint8Array | ReadableStream<Uint8Array>>
): HttpClientResponse.HttpClientResponse => {
  const { cookies, headers, remoteAddress, request, status } = response
  const source = Option.getOrElse(
    body,
    () => new ReadableStream({ start: (controller) => controller.error(new Error(gone)) })
  )
  // A web response cannot have every status or every header.
  const type = headers["content-type"]
  const web = new Response(source, type !== undefined && isPlain(type) ? { headers: { "content-type": type } } : {})
  return Object.create(HttpClientResponse.fromWeb(request, web), {
    cookies: { value: cookies },
    headers: { value: headers },
    remoteAddress: { value: remoteAddress },
    status: { value: status }
  })
}

const isPlain = (value: string): boolean => /^[ -~]*$/.test(value)

const gone = "the body was released for a retry that was not sent in the end"
