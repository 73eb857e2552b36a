/**
 * Response headers with which a server says whether a request should be retried.
 *
 * None of them says that a request is safe to repeat.
 */
import type * as Headers from "@effect/platform/Headers"
import * as Predicate from "effect/Predicate"
import * as ResetDialects from "./ResetDialects.ts"

/**
 * A header that says whether to retry.
 *
 * @category models
 */
export interface Directive {
  /** The header, in lower case. */
  readonly name: string
  /** `undefined` if the header does not say. */
  readonly read: (value: string) => boolean | undefined
}

/**
 * A header with the value `true` or `false`, in any case and with blanks around it, such as `x-should-retry: false`.
 * Any other value says nothing.
 *
 * @category constructors
 */
export const trueOrFalse = (name: string): Directive => ({ name, read: said })

const said = (value: string): boolean | undefined => {
  const word = value.length <= 100 ? value.trim().toLowerCase() : ""
  return word === "true" ? true : word === "false" ? false : undefined
}

/**
 * `grpc-retry-pushback-ms`: a value that is negative, or not an integer, forbids a retry. Any other value is how long
 * to wait, which `HintHeader.grpcRetryPushback` reads; it permits no retry that the status does not permit.
 *
 * Source: https://github.com/grpc/proposal/blob/master/A6-client-retries.md, "Pushback".
 *
 * @category constructors
 */
export const grpcRetryPushback: Directive = {
  name: "grpc-retry-pushback-ms",
  read: (value) => (ResetDialects.int32Millis(value) === undefined ? false : undefined)
}

/**
 * The first header that says whether to retry, and what it says in words.
 *
 * @category destructors
 */
export const read = (
  directives: ReadonlyArray<string | Directive>,
  headers: Headers.Headers
): { readonly says: string; readonly retry: boolean } | undefined => {
  for (const given of directives) {
    const { name, read } = typeof given === "string" ? trueOrFalse(given) : given
    const value: unknown = Object.hasOwn(headers, name) ? headers[name] : undefined
    const retry = typeof value === "string" ? read(value) : undefined
    if (retry !== undefined) return { retry, says: wordsOf(given, name, retry) }
  }
  return undefined
}

const wordsOf = (given: string | Directive, name: string, retry: boolean): string =>
  typeof given === "string" ? `${name}: ${retry}` : `${name} ${retry ? "permits" : "forbids"} a retry`

/**
 * Whether a value looks like a directive: it has a name and a function `read`.
 *
 * @category guards
 */
export const isDirective = (given: unknown): given is Directive =>
  Predicate.hasProperty(given, "name") && Predicate.hasProperty(given, "read") && Predicate.isFunction(given.read)
