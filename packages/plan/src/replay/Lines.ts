/**
 * Reads the lines that `Observe.jsonLines` writes, and those of an exporter of OpenTelemetry. They come from outside,
 * so any other line is refused.
 */
import type { Kind, Verdict as AnyVerdict } from "@effect-retry/core/Verdict"
import * as Verdict from "@effect-retry/core/Verdict"
import * as Fields from "./Fields.ts"

interface Common {
  /** Identifies the operation of a line: its name, and its fiber or its span. */
  readonly key: string
  readonly timeMillis: number
  readonly attempt: number
  readonly elapsedMillis: number
}

/** One event of an operation. */
export type Line = Common &
  (
    | { readonly event: "failed"; readonly ranMillis: number; readonly verdict: AnyVerdict }
    | { readonly event: "scheduled"; readonly delayMillis: number }
    | { readonly event: "succeeded"; readonly waitedMillis: number }
    | { readonly event: "gave up" }
    | { readonly event: "nested" }
    | { readonly event: "hedged" }
  )

const events = {
  "retry.attempt_failed": "failed",
  "retry.scheduled": "scheduled",
  "retry.succeeded": "succeeded",
  "retry.answered": "succeeded",
  "retry.gave_up": "gave up",
  "retry.nested": "nested",
  "retry.hedge_started": "hedged",
  "retry.hedge_refused": "hedged"
} as const

export type Name = keyof typeof events

const names = Object.keys(events) as ReadonlyArray<Name>

export const isName = (name: string): name is Name => Object.hasOwn(events, name)

const mostCharacters = 20_000

/** The limit for a line of spans, which holds a whole batch. */
const mostCharactersOfSpans = 50_000_000

/** The longest time in milliseconds: about thirty thousand years. */
export const longest = 1e15

const mostAttempts = 1_000_000

/** Parses a line; its number is for the error. Throws an `UnreadableLine`. */
export const parse = (text: string, line: number): Fields.Fields => {
  const values = text.length > mostCharactersOfSpans ? undefined : recordOf(text)
  if (values === undefined || (text.length > mostCharacters && !Object.hasOwn(values, "resourceSpans"))) {
    return Fields.refused(line, "", `a JSON object of at most ${mostCharacters} characters`, text.slice(0, 100))
  }
  return Fields.make(values, line)
}

const recordOf = (text: string): Fields.Values | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return Fields.isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The event of a line of `Observe.jsonLines`. Throws an `UnreadableLine`. */
export const read = (fields: Fields.Fields): Line => {
  const key = keyOf(fields, () => fields.text("fiber"))
  const timeMillis = fields.number("time", longest)
  return eventOf(fields, { name: fields.oneOf("event", names), key, timeMillis })
}

/** The key of an operation: its name, and its place among operations with that name. */
export const keyOf = (attributes: Fields.Fields, place: () => string): string =>
  JSON.stringify([attributes.text("retry.operation", ""), place()])

interface Placed extends Pick<Common, "key" | "timeMillis"> {
  readonly name: Name
}

/** Makes an event from its attributes. Throws an `UnreadableLine`. */
export const eventOf = (attributes: Fields.Fields, { key, name, timeMillis }: Placed): Line => {
  const { number, refuse } = attributes
  const attempt = number("retry.attempt", mostAttempts)
  if (!Number.isInteger(attempt)) refuse("retry.attempt", "a whole number")
  const common: Common = { key, timeMillis, attempt, elapsedMillis: number("retry.elapsed_ms", longest) }
  const event = events[name]
  switch (event) {
    case "failed": {
      const ranMillis = number("retry.ran_ms", common.elapsedMillis)
      return { ...common, event, ranMillis, verdict: verdictOf(attributes) }
    }
    case "scheduled":
      return { ...common, event, delayMillis: number("retry.delay_ms", longest) }
    case "succeeded":
      return { ...common, event, waitedMillis: number("retry.rate_limiter_wait_ms", longest, 0) }
    default:
      return { ...common, event }
  }
}

const verdictOf = ({ has, number, oneOf, text }: Fields.Fields): AnyVerdict => {
  const tag = oneOf("retry.verdict", ["Retryable", "Terminal", "NoOpinion"])
  const hint = has("retry.hint_ms") ? number("retry.hint_ms", longest) : undefined
  const kind = (): Kind => oneOf("retry.kind", Verdict.kinds)
  if (tag === "Retryable") return Verdict.retryable(kind(), { hint })
  if (tag === "NoOpinion") return Verdict.noOpinion
  return Verdict.terminal(text("retry.why", ""), { kind: has("retry.kind") ? kind() : undefined, hint })
}
