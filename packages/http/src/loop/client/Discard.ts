/**
 * Responses that are not read: their bodies are released, so that no connection is held by them.
 *
 * After throttling the connection is sound: the body is read to its end, as far as the bounds of
 * `Drain` allow, and the connection is free for the next request. After every other failure the connection is not
 * trusted any more: the body is cancelled, which closes the connection wherever the body is not in yet. Over HTTP/2 it
 * resets the stream, and the connection stays.
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

/**
 * How much of a body is read to save its connection.
 *
 * @category models
 */
export interface Drain {
  readonly atMostBytes: number
  readonly within: Duration.DurationInput
}

/**
 * 128 KiB within 1 second.
 *
 * Source of the bytes: `undici` 7.30.2, lib/api/readable.js, `dump`, read 2026-11-20.
 *
 * @category constructors
 */
export const standard: Drain = { atMostBytes: 131_072, within: "1 second" }

/**
 * Reads nothing: every discarded response closes its connection, if it is not in yet.
 *
 * @category constructors
 */
export const nothing: Drain = { atMostBytes: 0, within: 0 }

/**
 * Answers the bounds that it is given. Throws an `InvalidArgument` that names `owner` where one is out of its range.
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
 * Reads a body to its end within the bounds, and answers it; what is longer or slower is cancelled.
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
  // Platform's clients abort the request at the end of `stream`, which closes the connection of some; not of
  // `arrayBuffer`, which in turn nothing but an abort can stop.
  const body = Effect.suspend(() =>
    announced !== undefined && isAbortable(response)
      ? Effect.map(response.arrayBuffer, (buffer) => Option.some(new Uint8Array(buffer)))
      : streamed(response, atMostBytes)
  )
  // A body that is being read elsewhere dies; one whose cancelling never ends is not waited for.
  const read = Effect.disconnect(Effect.option(Effect.sandbox(body)))
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
 * Cancels a body without waiting for any of it. What the response itself throws is ignored.
 *
 * @category running
 */
export const cancelled = (response: HttpClientResponse.HttpClientResponse): Effect.Effect<void> =>
  Effect.suspend(() => {
    const isOver = cancelledInside(response)
    return isOver ? Effect.void : interruptedStream(response)
  }).pipe(Effect.catchAllDefect(() => Effect.void))

/**
 * Shared: the stack of one made for a response would keep the response from being collected.
 */
const discarded = new DOMException("the response was discarded", "AbortError")

/** A client around another one has a controller of its own, which does not reach the one that holds the connection. */
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

/** Platform's clients hold what aborts a request. Reading could first let in what is left of the body. */
const isAbortable = (
  response: HttpClientResponse.HttpClientResponse
): response is HttpClientResponse.HttpClientResponse & { readonly controller: AbortController } =>
  Predicate.hasProperty(response, "controller") && response.controller instanceof AbortController

/**
 * Whether a response made by `HttpClientResponse.fromWeb` has given its body up: to open its stream only to interrupt it
 * takes longer than the request, and a body of node-fetch is a stream of Node, which cannot be opened there.
 */
const abandoned = (response: HttpClientResponse.HttpClientResponse): boolean => {
  const source = Predicate.hasProperty(response, "source") ? response.source : undefined
  if (!Predicate.hasProperty(source, "body")) return false
  const { body } = source
  if (Predicate.hasProperty(body, "cancel") && Predicate.isFunction(body.cancel)) {
    // Rejects where the body is being read elsewhere.
    Promise.resolve(body.cancel()).catch(() => {})
  } else if (Predicate.hasProperty(body, "destroy") && Predicate.isFunction(body.destroy)) {
    // Of undici's client it emits an error, which has no other listener.
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
    yield* Fiber.interrupt(fiber)
  })

/**
 * A response with the body that was read of it, also in part and with the rest to come, or with one that fails to be read.
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
  // A web response cannot have every status, nor every header.
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
