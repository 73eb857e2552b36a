/**
 * Settings from a text that a reader of the page pastes: the code of a policy, or the JSON of the page. Pure.
 */
import { policyControls } from "./Controls.ts"
import { outside, read as readDescription } from "./Description.ts"
import type { Expression } from "./Expression.ts"
import { read as readCode, Unreadable } from "./Reader.ts"
import { fromValues, type Key, relevant, type Settings } from "./Settings.ts"

/** Throws an `Unreadable` that says what it does not understand. Server and wish stay as they are where the text is of a policy. */
export const read = (text: string, now: Settings): Settings => {
  const values = text.trimStart().startsWith("{") && isJson(text) ? (JSON.parse(text) as object) : codeOf(text)
  const given = (key: Key) =>
    Object.hasOwn(values, key)
      ? (values as Readonly<Record<string, unknown>>)[key]
      : Object.hasOwn(policyControls, key)
        ? undefined
        : now[key]
  return relevant(fromValues(given))
}

const isJson = (text: string): boolean => {
  try {
    return typeof JSON.parse(text) === "object"
  } catch {
    return false
  }
}

const codeOf = (text: string): object => {
  const { calls, policy } = readCode(text, outside)
  const made = (module: string): Expression | undefined =>
    calls.find((call) => call._tag === "Call" && call.module === module)
  return readDescription({
    policy,
    bucket: made("TokenBucket"),
    rateLimiter: made("RateLimiter") ?? made("CircuitBreaker"),
    hedge: made("Hedge")
  })
}

export { Unreadable }
