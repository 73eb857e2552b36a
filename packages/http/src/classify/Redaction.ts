/**
 * Texts and errors without the credentials that URLs can carry: user, password, and the values of a query.
 *
 * First stage of the flow. Names of parameters, hosts and paths are shown as they are, and so is everything outside of
 * URLs. Reading an error never throws.
 *
 * Source: https://opentelemetry.io/docs/specs/semconv/registry/attributes/url/, `url.full`, which has REDACTED for user
 * and password, read 2026-11-20.
 */
import { property } from "./Transport.ts"

const redacted = "REDACTED"

/**
 * A URL, or a part of one such as `/path?key=value`, without credentials.
 *
 * @category conversions
 */
export const url = (given: string): string =>
  given.replace(
    // Every text as a whole.
    /([^?#]*)(\?[^#]*)?(#[^]*)?/,
    (_, address: string, query = "", fragment = "") =>
      `${withoutUser(address)}${query.replace(/[^?&]+/g, withoutValue)}${fragment === "" ? "" : `#${redacted}`}`
  )

/** Also `http:user@host`, `//user@host` and backslashes, which parsers of URLs accept. A path has no user. */
const withoutUser = (address: string): string =>
  address.replace(/^([^:/\\]*:[/\\]*|[/\\]{2,})[^/\\]*@/, (_, scheme: string) => `${scheme}${redacted}@`)

const withoutValue = (parameter: string): string => `${parameter.slice(0, parameter.indexOf("=") + 1)}${redacted}`

/**
 * A text, with every URL in it that has a scheme and two slashes without credentials.
 *
 * @category conversions
 */
export const text = (given: string): string =>
  given.replace(/:\/\/[^\s"'<>]+/g, (found) => {
    const end = found.search(/[).,;:!]*$/)
    return url(found.slice(0, end)) + found.slice(end)
  })

/**
 * What is known of the request that an error is about.
 *
 * @category models
 */
export interface Known {
  /** Whatever is in it is found in a text: blanks and quotes do not end it. */
  readonly url: string
  /** Texts that are credentials wherever they stand. */
  readonly secrets: ReadonlyArray<string>
}

const nothing = (): Known => ({ url: "", secrets: [] })

/**
 * An error for observers: itself, where its message has no credentials, and otherwise one that inherits from it, with
 * another message and stack. `known` is called where there is a message.
 *
 * @category conversions
 */
export const error = (given: unknown, known: () => Known = nothing): unknown => {
  const message = property(given, "message")
  if (!(given instanceof Error) || typeof message !== "string" || message === "") return given
  if (property(given, "_tag") === "ParseError") return unfit(given)
  const shown = without(given, known())
  const safe = shown(message)
  if (safe === message) return given
  const stack = property(given, "stack")
  return Object.create(given, {
    message: { value: safe },
    ...(typeof stack === "string" && { stack: { value: shown(stack) } })
  })
}

/** What a schema says of a value that does not fit shows the value: it can be one of a body. */
const unfit = (given: Error): Error => {
  const message = "a value does not fit its schema"
  return Object.create(given, {
    message: { value: message },
    stack: { value: message },
    toString: { value: () => message }
  })
}

const without = (given: Error, known: Known): ((shown: string) => string) => {
  const urls = [property(property(given, "request"), "url"), known.url]
  const own = urls.filter((own) => typeof own === "string")
  const secrets = known.secrets.filter((secret) => secret !== "").toSorted((a, b) => b.length - a.length)
  return (shown) => {
    const ofRequest = own.reduce((shown, own) => shown.replaceAll(own, () => url(own)), shown)
    return secrets.reduce((shown, secret) => shown.replaceAll(secret, redacted), text(ofRequest))
  }
}
