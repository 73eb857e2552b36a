/**
 * Refusals that may be the result of our own success.
 *
 * The first attempt of a write is carried out, its answer is lost, and the second attempt is refused: the precondition no
 * longer holds (412), the object is gone already (404), the bucket is there already (409). To the caller that looks
 * like the work of another client. These combinators wrap a client of `StorageRetry.withRetry` and distinguish the two
 * as far as possible: `suspected` fails with a typed error, and `verified` reads the resource and returns it, or the
 * refusal.
 *
 * A refusal is suspicious if an earlier attempt may have been carried out: not if all of them were refused connections,
 * and never on a first attempt.
 *
 * The clients of `StorageRetry.withRetry` and `StorageRetry.orStopped`, underneath the combinator, count the attempts.
 * Around any other client nothing is suspected, such as one of `HttpRetry.withRetry`, even with the policy
 * `StorageRetry.standard`; nor if the order is reversed: `StorageRetry.withRetry(LostAnswer.suspected(client))`.
 *
 * @example
 * ```ts
 * import { LostAnswer, StorageRetry } from "@effect-retry/google"
 * import { Backoff } from "@effect-retry/core"
 * import { HttpClient, HttpClientResponse } from "@effect/platform"
 * import { Effect } from "effect"
 * import * as assert from "node:assert"
 *
 * // The first POST is stored, but answered with 503; then the object exists.
 * const statuses = [503, 412]
 * const server = HttpClient.make((request) => {
 *   const status = (request.method === "GET" ? undefined : statuses.shift()) ?? 200
 *   const body = request.method === "GET" ? JSON.stringify({ md5Hash: "kAFQmDzST7DWlj99KOF/cg==" }) : null
 *   return Effect.succeed(HttpClientResponse.fromWeb(request, new Response(body, { status })))
 * })
 *
 * const storage = server.pipe(
 *   StorageRetry.withRetry({ backoff: Backoff.constant({ delay: "1 milli" }) }),
 *   LostAnswer.verified(({ md5Hash }) => md5Hash === "kAFQmDzST7DWlj99KOF/cg==")
 * )
 *
 * const upload = "https://storage.googleapis.com/upload/storage/v1/b/notes/o?uploadType=media&name=abc&ifGenerationMatch=0"
 * Effect.runPromise(storage.post(upload)).then(({ status }) => assert.strictEqual(status, 200))
 * ```
 */
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Argument from "@effect-retry/core/unstable/Argument"
import { dual, type Given } from "@effect-retry/core/unstable/Dual"
import { Discard, HttpClassifier, HttpRetry } from "@effect-retry/http"
import * as StorageOperation from "../../classify/StorageOperation.ts"
import * as ReadBack from "./LostAnswerReadBack.ts"
import { made } from "@effect-retry/http/unstable/MadeClient"
import * as Attempts from "./Attempts.ts"

/**
 * A write was refused, and an earlier attempt of the same operation may have been carried out.
 *
 * @category models
 */
export class MayBeOwnSuccess extends Data.TaggedError("MayBeOwnSuccess")<{
  readonly call: StorageOperation.Call
  /** The number of the attempt that was refused. */
  readonly attempt: number
}> {
  readonly #response: HttpClientResponse.HttpClientResponse

  constructor(lost: {
    readonly call: StorageOperation.Call
    readonly attempt: number
    readonly response: HttpClientResponse.HttpClientResponse
  }) {
    super({ call: lost.call, attempt: lost.attempt })
    this.#response = lost.response
  }

  /** The refusal, with its body still unread. Printing leaves it out. */
  get response(): HttpClientResponse.HttpClientResponse {
    return this.#response
  }

  override get message(): string {
    const { attempt, call, response } = this
    return `${call.operation} was refused with ${response.status} on attempt ${attempt}, and may have been carried out before`
  }
}

type With<E, R> = HttpClient.HttpClient.With<E, R>
type Request = HttpClientRequest.HttpClientRequest
type Response = HttpClientResponse.HttpClientResponse

/**
 * Fails with `MayBeOwnSuccess` if a refusal may be the result of our own success.
 *
 * @category combinators
 */
export const suspected = <E, R>(self: With<E, R>): With<E | MayBeOwnSuccess, R> => {
  made("LostAnswer.suspected", self)
  return HttpClient.transform(self, (sent, request) => watched(sent, request, (lost) => Effect.fail(lost)))
}

/**
 * The resource as Cloud Storage describes it: the parsed JSON of an object, a bucket or a policy.
 *
 * @category models
 */
export interface Resource {
  readonly [field: string]: unknown
}

/**
 * Says whether a resource is as the refused write would have left it: by its checksum, or by metadata that the write
 * set. Returns a boolean or an effect.
 *
 * @category models
 */
export interface IsOwn<out E = never, out R = never> {
  (resource: Resource, lost: MayBeOwnSuccess): boolean | Effect.Effect<boolean, E, R>
}

/**
 * If a refusal may be the result of our own success, reads the resource, and replaces the refusal if it was.
 *
 * A write is our own if `isOwn` says so about the existing resource, which is then the answer. A deletion is our own if the
 * resource, or the generation to be deleted, is gone; the answer is then a 204. If the resource cannot be read, or the
 * request does not name it or belongs to the XML API, the client fails with `MayBeOwnSuccess`. The read is a GET with
 * the headers of the request, sent by the same client, with its retries.
 *
 * @category combinators
 */
export function verified<E2 = never, R2 = never>(
  isOwn: IsOwn<E2, R2>
): <E, R>(self: With<E, R>) => With<E | E2 | MayBeOwnSuccess, R | R2>
export function verified<E, R, E2 = never, R2 = never>(
  self: With<E, R>,
  isOwn: IsOwn<E2, R2>
): With<E | E2 | MayBeOwnSuccess, R | R2>
export function verified(...given: Given): any {
  return dual(given, (self: With<unknown, unknown>, isOwn: IsOwn<unknown, unknown>) => {
    if (!Predicate.isFunction(isOwn)) Argument.refuse("LostAnswer.verified", "isOwn", "a function", isOwn)
    const { postprocess, preprocess } = made("LostAnswer.verified", self)
    return HttpClient.makeWith(
      Effect.flatMap((request: Request) =>
        watched(postprocess(Effect.succeed(request)), request, (lost, refused) =>
          resolved(lost, refused, isOwn, (read) => HttpRetry.besides(postprocess(Effect.succeed(read))), request)
        )
      ),
      preprocess
    )
  })
}

/** Runs an operation, and checks further if its answer is suspicious. */
const watched = <E, R, E2, R2>(
  sent: Effect.Effect<Response, E, R>,
  request: Request,
  suspicious: (lost: MayBeOwnSuccess, refused: Effect.Effect<Response, E>) => Effect.Effect<Response, E2, R2>
): Effect.Effect<Response, E | E2, R | R2> =>
  Effect.suspend(() => {
    const attempts: Attempts.Attempts = { number: 1, mayBeCarriedOut: false }
    return Effect.matchEffect(Effect.provideService(sent, Attempts.CurrentAttempts, attempts), {
      onFailure: (error): Effect.Effect<Response, E | E2, R2> => {
        const lost = suspicionOf(request, attempts, HttpClassifier.responseOf(error))
        return lost === undefined ? Effect.fail(error) : suspicious(lost, Effect.fail(error))
      },
      onSuccess: (response): Effect.Effect<Response, E | E2, R2> => {
        const lost = suspicionOf(request, attempts, response)
        return lost === undefined ? Effect.succeed(response) : suspicious(lost, Effect.succeed(response))
      }
    })
  })

const suspicionOf = (
  request: Request,
  { mayBeCarriedOut, number }: Attempts.Attempts,
  response: Response | undefined
): MayBeOwnSuccess | undefined => {
  if (!mayBeCarriedOut || response === undefined) return undefined
  const call = StorageOperation.fromRequest(request)
  if (call === undefined) return undefined
  const { lost = [] }: StorageOperation.Row = StorageOperation.table[call.operation]
  return lost.some((status) => status === response.status)
    ? new MayBeOwnSuccess({ call, attempt: number, response })
    : undefined
}

const resolved = <E, E2, R2>(
  lost: MayBeOwnSuccess,
  refused: Effect.Effect<Response, E>,
  isOwn: IsOwn<E2, R2>,
  send: (read: Request) => Effect.Effect<Response, unknown, unknown>,
  request: Request
): Effect.Effect<Response, unknown, unknown> => {
  const read = ReadBack.requestOf(request, lost.call)
  if (read === undefined) return Effect.fail(lost)
  const instead = (answer: Response) => Effect.as(Discard.cancelled(lost.response), answer)
  return Effect.flatMap(Effect.option(send(read)), (sent): Effect.Effect<Response, unknown, unknown> => {
    const found = Option.getOrUndefined(sent)
    const isThere = found?.status === 200
    if (found === undefined || (!isThere && found.status !== 404)) return Effect.fail(lost)
    if (!ReadBack.isDeletion(lost.call)) {
      return isThere
        ? compared(lost, refused, isOwn, found, instead)
        : Effect.zipRight(Discard.cancelled(found), refused)
    }
    const carriedOut = instead(ReadBack.deleted(request))
    const generation = ReadBack.generationOf(request)
    if (isThere && generation !== undefined) return replaced(lost, refused, generation, found, carriedOut)
    // A resource that was absent when the deletion was refused and exists now is a new one.
    const isGone = !isThere || lost.response.status === 404
    return Effect.zipRight(Discard.cancelled(found), isGone ? carriedOut : refused)
  })
}

/** Whether another generation exists after a deletion. */
const replaced = <E>(
  lost: MayBeOwnSuccess,
  refused: Effect.Effect<Response, E>,
  generation: string,
  found: Response,
  carriedOut: Effect.Effect<Response>
): Effect.Effect<Response, E | MayBeOwnSuccess> =>
  Effect.flatMap(ReadBack.resourceOf(found), (body): Effect.Effect<Response, E | MayBeOwnSuccess> => {
    const there = Option.isNone(body) ? undefined : ReadBack.generationIn(body.value.resource)
    if (there === undefined) return Effect.fail(lost)
    return there === generation ? refused : carriedOut
  })

const compared = <E, E2, R2>(
  lost: MayBeOwnSuccess,
  refused: Effect.Effect<Response, E>,
  isOwn: IsOwn<E2, R2>,
  found: Response,
  instead: (answer: Response) => Effect.Effect<Response>
): Effect.Effect<Response, E | E2 | MayBeOwnSuccess, R2> =>
  Effect.flatMap(ReadBack.resourceOf(found), (body): Effect.Effect<Response, E | E2 | MayBeOwnSuccess, R2> => {
    if (Option.isNone(body)) return Effect.fail(lost)
    const { answer, resource } = body.value
    const own = isOwn(resource, lost)
    return Effect.flatMap(Effect.isEffect(own) ? own : Effect.succeed(own), (own) =>
      own ? instead(answer(lost.call)) : refused
    )
  })
