/**
 * JSON bodies of failed responses: parsed, and attached to their responses.
 */
import * as Property from "@effect-retry/core/unstable/Property"
import * as Option from "effect/Option"

/** The key under which a response carries its parsed error body. */
const key: unique symbol = /*#__PURE__*/ Symbol.for("@effect-retry/google/GoogleStatus/body")

/** Attaches a parsed body to a response, for `GoogleStatus.read`. Changes and returns the response. */
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
