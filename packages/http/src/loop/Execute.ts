/**
 * A request whose response is read inside the attempt.
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Argument from "@effect-retry/core/unstable/Argument"
import { dual, type Given } from "@effect-retry/core/unstable/Dual"
import { identity } from "effect/Function"
import * as Discard from "./client/Discard.ts"
import type { Request, Response } from "./exchange/Exchange.ts"
import { made } from "./client/MadeClient.ts"
import * as Reading from "./exchange/Reading.ts"

/** Inferred as one type, so that a union of effects keeps all of its errors. */
type AnyEffect = Effect.Effect<any, any, any>

/**
 * Sends a request and reads its response. A retrying client does both in every attempt: a broken read is a failed attempt,
 * and the attempt timeout and the deadline bound the reading too.
 *
 * `opinion` and the classifier judge the reader's errors like any other: a broken connection is retried if the request
 * is safe to repeat, because the server may have processed it; a body that cannot be decoded is not retried. A response
 * is not read if its request is sent again. Every other response is read, including the last one after all attempts are
 * spent.
 *
 * If the reader fails, the body is released, so the reader must return everything the caller needs. If the reader succeeds,
 * the body is left as it is, because the reader may have returned the response or its stream.
 *
 * Combinators applied after the retries see the response after it has been read. If one of them refuses it, as
 * `HttpClient.filterStatusOk` does, the effect fails with that error; if one returns another response, that one is read
 * once. A client without retries also reads once.
 *
 * A client of `HttpRetry.orStopped` fails with the response that it gives up on, unread. `execute` fails with the reader's
 * own error there too.
 *
 * @category running
 */
export function execute<Read extends AnyEffect>(
  request: HttpClientRequest.HttpClientRequest,
  read: (response: HttpClientResponse.HttpClientResponse) => Read
): <E, R>(
  client: HttpClient.HttpClient.With<E, R>
) => Effect.Effect<Effect.Effect.Success<Read>, E | Effect.Effect.Error<Read>, R | Effect.Effect.Context<Read>>
export function execute<E, R, Read extends AnyEffect>(
  client: HttpClient.HttpClient.With<E, R>,
  request: HttpClientRequest.HttpClientRequest,
  read: (response: HttpClientResponse.HttpClientResponse) => Read
): Effect.Effect<Effect.Effect.Success<Read>, E | Effect.Effect.Error<Read>, R | Effect.Effect.Context<Read>>
export function execute(...given: Given): any {
  return dual(
    given,
    (client: HttpClient.HttpClient.With<unknown, unknown>, request: Request, read: Reading.Reading["read"]) =>
      Predicate.isFunction(read)
        ? executed(owner, client, request, (response) => checkedEffect(read(response)), identity)
        : Argument.refuse(owner, "read", "a function", read)
  )
}

const owner = "HttpRetry.execute"

/** A result may be secret, so only its type is shown. */
const checkedEffect = (given: Effect.Effect<unknown, unknown, unknown>) =>
  Effect.isEffect(given) ? given : Argument.refuse(owner, "read", "a function that returns an effect", typeof given)

/** The same without its types, for a reader that also changes the requests of attempts. */
export const executed = (
  owner: string,
  client: HttpClient.HttpClient.With<unknown, unknown>,
  request: Request,
  read: Reading.Reading["read"],
  ask: Reading.Reading["ask"]
): Effect.Effect<any, unknown, unknown> => {
  const { postprocess, preprocess } = made(owner, client)
  return Effect.flatMap(preprocess(request), (given) => {
    const prepared = ask(given)
    const reading = Reading.make(prepared, read, ask)
    return Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(
        restore(Reading.asked(postprocess(Effect.succeed(prepared)), reading)),
        (response) => reading.outcomes.get(response) ?? readOnce(reading, response, restore)
      )
    )
  })
}

/** Reads a response that no retrying client has read. */
const readOnce = (
  reading: Reading.Reading,
  response: Response,
  restore: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
): Effect.Effect<unknown, unknown, unknown> =>
  Effect.onError(restore(Reading.read(reading, response)), () => Discard.cancelled(response))
