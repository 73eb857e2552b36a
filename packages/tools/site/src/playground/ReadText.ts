/**
 * Settings from a text that a reader of the page pastes: the code of a policy, or the JSON of the page. Pure.
 */
import { type Control, controls, policyControls, presetControls } from "./Controls.ts"
import { outside, read as readDescription } from "./Description.ts"
import type { Expression } from "./Expression.ts"
import { read as readCode, Unreadable } from "./Reader.ts"
import { fitting, fromValues, type Key, keys, relevant, type Settings } from "./Settings.ts"

/** Throws an `Unreadable` that says what it does not understand. Server and wish stay as they are where the text is of a policy. */
export const read = (text: string, now: Settings): Settings => {
  const values = text.trimStart().startsWith("{") && isJson(text) ? settingsOf(JSON.parse(text)) : codeOf(text)
  const given = (key: Key) => (Object.hasOwn(values, key) ? values[key] : undefined)
  for (const key of keys) {
    const value = given(key)
    if (value !== undefined && fitting(controls[key], value) === undefined) throw refused(controls[key], value)
  }
  const ofPolicy = { ...presetControls, ...policyControls }
  return relevant(fromValues((key) => given(key) ?? (Object.hasOwn(ofPolicy, key) ? undefined : now[key])))
}

type Values = Readonly<Record<string, unknown>>

const refused = (control: Control, value: unknown): Unreadable =>
  new Unreadable(`${control.label} must be ${expected(control)}, got ${JSON.stringify(value)}`)

const expected = (control: Control): string => {
  if (control._tag === "Choice") return `one of ${Object.keys(control.choices).join(", ")}`
  const { isWhole, least, most, unit } = control
  const limit = (value: number) => (unit === "ms" ? `${value} ms` : String(value))
  return `${isWhole ? "a whole number " : ""}from ${limit(least)} to ${limit(most)}`
}

const settingsOf = (values: Values): Values => {
  const names = Object.keys(values)
  const unknown = names.find((name) => !Object.hasOwn(controls, name))
  if (unknown !== undefined) throw new Unreadable(`${unknown} is no setting of this page`)
  if (names.length === 0) throw new Unreadable("there is no setting of this page")
  return values
}

const isJson = (text: string): boolean => {
  try {
    return typeof JSON.parse(text) === "object"
  } catch {
    return false
  }
}

const codeOf = (text: string): Values => {
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
