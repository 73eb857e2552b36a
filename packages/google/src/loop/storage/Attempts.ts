/**
 * What earlier attempts of an operation imply about the answer to the last one.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { HttpClassifier } from "@effect-retry/http"
import { made } from "@effect-retry/http/unstable/MadeClient"

/** The attempts of one operation. Mutable, and used by one fiber at a time. */
export interface Attempts {
  /** The number of the latest one. */
  number: number
  /** Whether an earlier attempt may have been carried out. */
  mayBeCarriedOut: boolean
}

/** The operation whose attempts are watched; `undefined` if none are. */
export class CurrentAttempts extends Context.Reference<CurrentAttempts>()("@effect-retry/google/StorageAttempts", {
  defaultValue: (): Attempts | undefined => undefined
}) {}

type With = HttpClient.HttpClient.With<unknown, unknown>
type Request = HttpClientRequest.HttpClientRequest

/** One operation of a client. Mutable, and used by one fiber at a time. */
interface Operation {
  /** How often it was sent. */
  count: number
  /** Whether one of these attempts may have been carried out. */
  mayBeCarriedOut: boolean
  readonly watched: Attempts
}

/** The operation that the running code is a part of. */
class CurrentOperation extends Context.Reference<CurrentOperation>()("@effect-retry/google/StorageOperation", {
  defaultValue: (): Operation | undefined => undefined
}) {}

/**
 * A client that counts the requests of each operation of `operations`, and records their outcomes for `CurrentAttempts`.
 */
export const counting = (self: With, changed: (request: Request, count: number) => Request): With => {
  const { postprocess, preprocess } = made("StorageRetry.withRetry", self)
  const send = (request: Request) =>
    Effect.flatMap(CurrentOperation, (operation) => {
      if (operation === undefined) return postprocess(Effect.succeed(request))
      begin(operation)
      const sent = postprocess(Effect.succeed(changed(request, operation.count)))
      return Effect.onExit(Effect.provideService(sent, CurrentAttempts, operation.watched), (exit) =>
        Effect.sync(() => {
          operation.mayBeCarriedOut ||= isUnknown(exit)
        })
      )
    })
  return HttpClient.makeWith(Effect.flatMap(send), preprocess)
}

const begin = (operation: Operation): void => {
  const { watched } = operation
  operation.count += 1
  watched.number = operation.count
  watched.mayBeCarriedOut ||= operation.mayBeCarriedOut
}

/** Whether the outcome is unknown: an interrupted attempt has no outcome, and may have been carried out. */
const isUnknown = (exit: Exit.Exit<unknown, unknown>): boolean => {
  const outcome = Exit.isSuccess(exit) ? Option.some(exit.value) : Cause.failureOption(exit.cause)
  return Option.match(outcome, {
    onNone: () => true,
    onSome: (outcome) => HttpClassifier.judge(HttpClassifier.standard, outcome, NaN).processing === "Unknown"
  })
}

/** A client in which every request is a separate operation, begun with the request that `first` makes. */
export const operations = (self: With, first: (request: Request) => Effect.Effect<Request>): With => {
  const { postprocess, preprocess } = made("StorageRetry.withRetry", self)
  return HttpClient.makeWith(
    Effect.flatMap((request: Request) =>
      Effect.flatMap(CurrentAttempts, (watched = { number: 1, mayBeCarriedOut: false }) =>
        postprocess(first(request)).pipe(
          Effect.provideService(CurrentOperation, { count: 0, mayBeCarriedOut: false, watched }),
          // Requests of the operation's hooks are not watched.
          Effect.provideService(CurrentAttempts, undefined)
        )
      )
    ),
    preprocess
  )
}
