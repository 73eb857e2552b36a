/**
 * Decides whether the body of a request can be sent twice.
 *
 * Nothing is read, opened or copied: a body that is not known to give its bytes again counts as used up by the first
 * attempt.
 */
import type * as HttpBody from "@effect/platform/HttpBody"
import * as Predicate from "effect/Predicate"

export { declaredReplayable as replayable, ReplayableStreams as Declared } from "./Declared.ts"

/**
 * Why a body cannot be sent again, in words; `undefined` if it can.
 *
 * `declared` says that the caller has declared that an Effect `Stream` gives the same bytes again.
 *
 * @category destructors
 */
export const whyNotReplayable = (body: HttpBody.HttpBody, declared: boolean): string | undefined => {
  switch (body._tag) {
    case "Empty":
    case "Uint8Array":
    case "FormData":
      return undefined
    case "Stream":
      return declared ? undefined : "the body is a Stream that is not declared replayable"
    case "Raw":
      return whyNotRaw(body.body)
  }
}

const whyNotRaw = (body: unknown): string | undefined => {
  if (body === undefined || body === null || typeof body === "string" || ArrayBuffer.isView(body)) return undefined
  if (isFunctionOf(body, "getReader")) return "the body is a ReadableStream, which can be read only once"
  if (isFunctionOf(body, "pipe")) return "the body is a Node stream, which can be read only once"
  if (isFunctionOf(body, "next")) return "the body is an iterator, which can be read only once"
  const tag = Object.prototype.toString.call(body).slice(8, -1)
  if (replayed.includes(tag)) return undefined
  if (isFunctionOf(body, Symbol.iterator) || isFunctionOf(body, Symbol.asyncIterator)) {
    return "the body is an iterable, which may be read only once"
  }
  return "the body is of a kind that is not known to be replayable"
}

/** By tag and not by constructor, because undici and the realms of a test runner have their own classes. */
const replayed = ["ArrayBuffer", "SharedArrayBuffer", "Blob", "File", "URLSearchParams", "FormData"]

const isFunctionOf = (body: unknown, key: PropertyKey): boolean =>
  Predicate.hasProperty(body, key) && Predicate.isFunction(body[key])
