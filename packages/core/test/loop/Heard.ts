/**
 * An observer that writes down what it hears, as plain values.
 */
import type { Retry } from "@effect-retry/core"
import { Duration, Effect, Option } from "effect"

/** An event with times in milliseconds, and `null` for what there is none of. */
export type Plain = { readonly [field: string]: unknown }

const plainValue = (value: unknown): unknown =>
  Duration.isDuration(value) ? Duration.toMillis(value) : Option.isOption(value) ? Option.getOrNull(value) : value

export const plain = (event: Retry.RetryEvent): Plain =>
  Object.fromEntries(Object.entries(event).map(([field, value]) => [field, plainValue(value)]))

/** A fresh observer, and the events it has heard. */
export const make = () => {
  const events: Array<Plain> = []
  const observer: Retry.Observer = (event) => Effect.sync(() => void events.push(plain(event)))
  return { events, observer, tags: () => events.map(({ _tag }) => _tag) }
}

/** A policy's name in all tests of events. */
export const name = "fetch"

/** What every event tells; without a bucket the level is `null`. */
export const common = (attempt: number, elapsed: number, level: number | null = null) => ({
  name,
  attempt,
  elapsed,
  level
})
