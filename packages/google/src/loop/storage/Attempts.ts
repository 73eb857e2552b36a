/**
 * What the attempts of an operation tell about the answer to the last one.
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

/** The attempts of one operation. Mutable, and seen by one fiber at a time. */
export interface Attempts {
  /** The number of the latest one. */
  number: number
  /** Whether one before it can have been carried out. */
  mayBeCarriedOut: boolean
}

/** The operation whose attempts are watched; `undefined` where they are not. */
export class CurrentAttempts extends Context.Reference<CurrentAttempts>()("@effect-retry/google/StorageAttempts", {
  defaultValue: (): Attempts | undefined => undefined
}) {}

type With = HttpClient.HttpClient.With<unknown, unknown>
type Request = HttpClientRequest.HttpClientRequest

/** One operation of a client. Mutable, and seen by one fiber at a time. */
interface Operation {
  /** How often it was sent. */
  count: number
  /** Whether one of these can have been carried out. */
  mayBeCarriedOut: boolean
  readonly watched: Attempts
}

/** The operation that the running code is a part of. */
class CurrentOperation extends Context.Reference<CurrentOperation>()("@effect-retry/google/StorageOperation", {
  defaultValue: (): Operation | undefined => undefined
}) {}

/**
 * A client that counts the requests of each operation of `operations`, and notes for `CurrentAttempts` what became of them.
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

/** An attempt that was interrupted has no outcome, and can have been carried out. */
const isUnknown = (exit: Exit.Exit<unknown, unknown>): boolean => {
  const outcome = Exit.isSuccess(exit) ? Option.some(exit.value) : Cause.failureOption(exit.cause)
  return Option.match(outcome, {
    onNone: () => true,
    onSome: (outcome) => HttpClassifier.judge(HttpClassifier.standard, outcome, NaN).processing === "Unknown"
  })
}

/** A client whose every request is an operation of its own, begun with the request that `first` makes. */
export const operations = (self: With, first: (request: Request) => Effect.Effect<Request>): With => {
  const { postprocess, preprocess } = made("StorageRetry.withRetry", self)
  return HttpClient.makeWith(
    Effect.flatMap((request: Request) =>
      Effect.flatMap(CurrentAttempts, (watched = { number: 1, mayBeCarriedOut: false }) =>
        postprocess(first(request)).pipe(
          Effect.provideService(CurrentOperation, { count: 0, mayBeCarriedOut: false, watched }),
          // What hooks of the operation send is not watched.
          Effect.provideService(CurrentAttempts, undefined)
        )
      )
    ),
    preprocess
  )
}
