/**
 * Reads the lines that `Observe.jsonLines` writes. They come from outside: what is not exactly such a line is refused.
 */
import type { Kind, Verdict as AnyVerdict } from "@effect-retry/core/Verdict"
import * as Verdict from "@effect-retry/core/Verdict"
import * as Readable from "@effect-retry/core/unstable/Readable"
import * as Data from "effect/Data"

/**
 * A line that `Plan.replay` does not understand.
 *
 * @category models
 */
export class UnreadableLine extends Data.TaggedError("UnreadableLine")<{
  /** Its number, from 1. */
  readonly line: number
  /** The field that is not as it should be; empty where the line is none. */
  readonly field: string
  readonly message: string
}> {}

interface Common {
  /** What tells lines of one operation from others: its name and its fiber. */
  readonly key: string
  readonly timeMillis: number
  readonly attempt: number
  readonly elapsedMillis: number
}

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

const mostCharacters = 20_000

/** Longest time in milliseconds: about thirty thousand years. */
const longest = 1e15

const mostAttempts = 1_000_000

/** Reads one line; its number is for the error. Throws an `UnreadableLine`. */
export const read = (text: string, line: number): Line => {
  const refuse = (field: string, expected: string, got: unknown): never => {
    const shown = got === undefined ? "nothing" : Readable.inLine(String(JSON.stringify(got)))
    const message = `Plan.replay: line ${line}: ${field === "" ? "it" : field} must be ${expected}, got ${shown}`
    throw new UnreadableLine({ line, field, message })
  }
  const fields = text.length > mostCharacters ? undefined : objectOf(text)
  if (fields === undefined) {
    return refuse("", `a JSON object of at most ${mostCharacters} characters`, text.slice(0, 100))
  }
  const number = (field: string, most: number, absent?: number): number => {
    const value = fields[field] ?? absent
    const fits = typeof value === "number" && value >= 0 && value <= most
    return fits ? value : refuse(field, `a number >= 0 and <= ${most}`, value)
  }
  const text200 = (field: string, absent?: string): string => {
    const value = fields[field] ?? absent
    return typeof value === "string" && value.length <= 200
      ? value
      : refuse(field, "a text of at most 200 characters", value)
  }
  const oneOf = <const A extends string>(field: string, names: ReadonlyArray<A>): A =>
    names.find((name) => name === fields[field]) ?? refuse(field, `one of ${names.join(", ")}`, fields[field])

  const verdict = (): AnyVerdict => {
    const tag = oneOf("retry.verdict", ["Retryable", "Terminal", "NoOpinion"])
    const hint = fields["retry.hint_ms"] === undefined ? undefined : number("retry.hint_ms", longest)
    const kind = (): Kind => oneOf("retry.kind", Verdict.kinds)
    if (tag === "Retryable") return Verdict.retryable(kind(), { hint })
    if (tag === "NoOpinion") return Verdict.noOpinion
    return Verdict.terminal(text200("retry.why", ""), {
      kind: fields["retry.kind"] === undefined ? undefined : kind(),
      hint
    })
  }

  const attempt = number("retry.attempt", mostAttempts)
  const common: Common = {
    key: JSON.stringify([text200("retry.operation", ""), text200("fiber")]),
    timeMillis: number("time", longest),
    attempt: Number.isInteger(attempt) ? attempt : refuse("retry.attempt", "a whole number", attempt),
    elapsedMillis: number("retry.elapsed_ms", longest)
  }
  const event = events[oneOf("event", Object.keys(events) as ReadonlyArray<keyof typeof events>)]
  switch (event) {
    case "failed":
      return { ...common, event, ranMillis: number("retry.ran_ms", common.elapsedMillis), verdict: verdict() }
    case "scheduled":
      return { ...common, event, delayMillis: number("retry.delay_ms", longest) }
    case "succeeded":
      return { ...common, event, waitedMillis: number("retry.rate_limiter_wait_ms", longest, 0) }
    default:
      return { ...common, event }
  }
}

const objectOf = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? { ...(value as Record<string, unknown>) }
      : undefined
  } catch {
    return undefined
  }
}
