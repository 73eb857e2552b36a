/**
 * Downloads that resume: when a body breaks, they request the rest of the same bytes.
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Argument from "@effect-retry/core/unstable/Argument"
import { dual, type Given } from "@effect-retry/core/unstable/Dual"
import { scopedAs } from "../classify/ClientLine.ts"
import * as BodyLine from "./client/BodyLine.ts"
import { isClient } from "./client/MadeClient.ts"
import type { DownloadFailed } from "./client/DownloadFailed.ts"
import type { Request } from "./exchange/Exchange.ts"
import { executed } from "./Execute.ts"
import * as Progress from "./Progress.ts"
import { entityTag, lastModified, type Validator } from "./Version.ts"

export { DownloadFailed } from "./client/DownloadFailed.ts"
export { entityTag, lastModified, type Validator, type Version } from "./Version.ts"

/**
 * The options of a download.
 *
 * @category models
 */
export interface Options {
  /**
   * Identify the version of the first answer; the first validator that succeeds counts. Without a version, the download
   * cannot be resumed.
   * When a download starts over, all of them are asked again, even about an answer that cannot be resumed.
   *
   * @default [Download.entityTag, Download.lastModified]
   */
  readonly validators?: ReadonlyArray<Validator> | undefined
}

/**
 * Streams the body of a response, and resumes it where it broke; for a client that retries.
 *
 * The whole download is one operation of the client: all its requests share the attempts, the back-off, the bucket, the
 * deadline and the observers of the policy, and the attempt timeout bounds the reading of its body, including the time
 * that the consumer of the stream takes. Bytes are read only when the ones before them have been taken.
 *
 * After the first byte, a later attempt requests the rest with `Range` and the validator of the first answer. This
 * needs a GET that was answered with 200 or 206, a strong `ETag` or `Last-Modified`, no `Accept-Ranges: none` and no
 * coding of the body; `Accept-Encoding: identity` is sent unless the request has its own. Two versions are never mixed:
 * anything that is not certainly the rest of the same bytes ends the stream with a `DownloadFailed`. While nothing has
 * been received, a download starts over. A status outside 2xx is a `ResponseError`.
 *
 * The caller's own `Range` is kept, and resumed within it; one with several parts is refused, and so is an `If-Range`.
 *
 * Source: RFC 9110, sections 13.1 and 14, https://www.rfc-editor.org/rfc/rfc9110#section-14.
 *
 * @category running
 */
export function stream(
  request: HttpClientRequest.HttpClientRequest,
  options?: Options
): <E, R>(client: HttpClient.HttpClient.With<E, R>) => Stream.Stream<Uint8Array, E | Failed, R>
export function stream<E, R>(
  client: HttpClient.HttpClient.With<E, R>,
  request: HttpClientRequest.HttpClientRequest,
  options?: Options
): Stream.Stream<Uint8Array, E | Failed, R>
export function stream(...given: Given): any {
  return dual(
    given,
    <E, R>(
      client: HttpClient.HttpClient.With<E, R>,
      request: Request,
      options?: Options
    ): Stream.Stream<Uint8Array, E | Failed, R> => {
      const validators = checked(options)
      Progress.checkRequest(owner, request)
      return Stream.unwrapScoped(
        started(client as HttpClient.HttpClient.With<unknown, unknown>, request, validators)
      ) as Stream.Stream<Uint8Array, E | Failed, R>
    },
    isClient(given[0])
  )
}

type Failed = HttpClientError.ResponseError | DownloadFailed

const owner = "Download.stream"

const checked = (options: Options = {}): ReadonlyArray<Validator> => {
  if (!Predicate.isRecord(options)) return Argument.refuse(owner, "options", "a record of options", options)
  const { validators = [entityTag, lastModified] }: Options = options
  const isList = Array.isArray(validators) && validators.every((validator) => Predicate.isFunction(validator))
  return isList ? [...validators] : Argument.refuse(owner, "validators", "an array of validators", validators)
}

/** The next bytes for the consumer of the stream. */
type Pull = Effect.Effect<ReadonlyArray<Uint8Array>, Option.Option<unknown>>

/** Starts the operation in its own fiber, where it waits until the bytes before have been taken. */
const started = (
  client: HttpClient.HttpClient.With<unknown, unknown>,
  request: Request,
  validators: ReadonlyArray<Validator>
): Effect.Effect<Stream.Stream<Uint8Array, unknown>, never, Scope.Scope | unknown> =>
  Effect.gen(function* () {
    const pulls = yield* Queue.unbounded<Pull>()
    const taken = yield* Effect.makeLatch(true)
    const emit = (pieces: ReadonlyArray<Uint8Array>) => {
      taken.unsafeClose()
      Queue.unsafeOffer(pulls, Effect.succeed(pieces))
      return taken.await
    }
    const progress = Progress.make({ owner, validators, emit })
    const operation = executed(
      owner,
      client,
      request,
      (response) => Effect.zipRight(taken.await, Progress.read(progress, response)),
      (request) => scopedAs(request, Progress.ask(progress, request))
    )
    const ended = Effect.onExit(
      Effect.catchAll(operation, (error) => Progress.failed(progress, error)),
      (exit) => Queue.offer(pulls, lastPull(exit))
    )
    yield* Effect.forkScoped(Effect.interruptible(ended))
    return BodyLine.repeated(
      Effect.flatMap(Queue.take(pulls), (pull) => {
        taken.unsafeOpen()
        return pull
      })
    )
  })

const lastPull = (exit: Exit.Exit<unknown, unknown>): Pull =>
  Exit.isSuccess(exit) ? Effect.fail(Option.none()) : Effect.failCause(Cause.map(exit.cause, Option.some))
