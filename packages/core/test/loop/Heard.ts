/**
 * An observer that writes down what it hears, as plain values.
 */
import type { Observe } from "@effect-retry/core"
import * as Untrusted from "@effect-retry/core/unstable/Untrusted"
import { Duration, Effect, Option, Struct } from "effect"

/** An event with times in milliseconds, errors themselves, the level of the bucket, and `null` for an absent value. */
export type Plain = { readonly [field: string]: unknown }

const plainValue = (value: unknown): unknown =>
  Untrusted.ShownError.is(value)
    ? value.original
    : Duration.isDuration(value)
      ? Duration.toMillis(value)
      : Option.isOption(value)
        ? Option.getOrNull(value)
        : value

export const plain = (event: Observe.RetryEvent, level: Option.Option<number>): Plain =>
  Object.fromEntries(
    Object.entries({ ...Struct.omit(event, "details"), level }).map(([field, value]) => [field, plainValue(value)])
  )

/** A fresh observer, and the events it has heard. */
export const make = () => {
  const events: Array<Plain> = []
  const observer: Observe.Observer = (event) =>
    Effect.map(event.level, (level) => void events.push(plain(event, level)))
  return { events, observer, tags: () => events.map(({ _tag }) => _tag) }
}

/** A policy's name in all tests of events. */
export const name = "fetch"

/** What every event tells; without a bucket the level is `null`. */
export const common = (attempt: number, elapsed: number, level: number | null = null, maxAttempts = 3) => ({
  name,
  attempt,
  maxAttempts,
  elapsed,
  level
})
