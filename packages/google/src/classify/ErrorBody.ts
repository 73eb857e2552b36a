/**
 * JSON bodies of responses, as bytes, and parsed on the response that they came with.
 */
import * as Property from "@effect-retry/core/unstable/Property"
import * as Option from "effect/Option"

/** Under which a response carries its parsed error body. */
const key: unique symbol = /*#__PURE__*/ Symbol.for("@effect-retry/google/GoogleStatus/body")

/** Gives a response the parsed body that `GoogleStatus.read` finds in it. Changes and answers the response. */
export const withBody = <Response extends object>(response: Response, body: unknown): Response =>
  Object.defineProperty(response, key, { value: body })

/** The `error` of the body that a response carries. */
export const errorOf = (response: unknown): unknown => Property.at(response, key, "error")

/** The value of a JSON text. */
export const parsed = (bytes: Uint8Array): Option.Option<unknown> => {
  try {
    return Option.some(JSON.parse(new TextDecoder().decode(bytes)))
  } catch {
    return Option.none()
  }
}
