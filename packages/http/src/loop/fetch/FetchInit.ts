/**
 * The second argument of `fetch`, after the URL or the `Request`.
 */
import * as Predicate from "effect/Predicate"

export type Init = NonNullable<Parameters<typeof globalThis.fetch>[1]>

/**
 * The members that a `fetch` reads by their names: those of the standard, and undici's `dispatcher`.
 *
 * Sources: https://fetch.spec.whatwg.org/#requestinit; `undici` 7.30.2, lib/web/fetch/request.js,
 * `webidl.converters.RequestInit`; read 2026-11-24.
 */
const members: ReadonlySet<string> = new Set([
  "method",
  "headers",
  "body",
  "referrer",
  "referrerPolicy",
  "mode",
  "credentials",
  "cache",
  "redirect",
  "integrity",
  "keepalive",
  "signal",
  "duplex",
  "priority",
  "window",
  "dispatcher"
])

/**
 * Reads each member once, as `fetch` does, from a record, a `Request`, or an instance of a class with getters.
 * It also keeps the argument's other own properties, such as an `agent`.
 *
 * Throws a `TypeError` if the argument cannot have members, and whatever a getter throws.
 */
export const read = (given: unknown): Init => {
  if (given === undefined || given === null) return {}
  if (!Predicate.isObject(given)) throw new TypeError(`fetch takes a record of options, got ${typeof given}`)
  const init: Record<string, unknown> = {}
  for (const name of members) {
    const value: unknown = Reflect.get(given, name)
    // A method that is not a string is also converted only once.
    if (value !== undefined) init[name] = name === "method" ? `${value as string}` : value
  }
  const others = Object.keys(given).filter((name) => !members.has(name))
  return others.length === 0
    ? init
    : { ...init, ...Object.fromEntries(others.map((name) => [name, Reflect.get(given, name) as unknown])) }
}

/**
 * The referrer for a `Request` that is sent with a second argument which the caller did not give, because any member of
 * it removes the referrer of the `Request`. Empty if the caller has given a member.
 *
 * Source: https://fetch.spec.whatwg.org/#dom-request, "If init is not empty".
 */
export const referrer = (init: Init, { referrer, referrerPolicy }: Request): Init =>
  Object.keys(init).some((name) => members.has(name)) ? {} : { referrer, referrerPolicy }
