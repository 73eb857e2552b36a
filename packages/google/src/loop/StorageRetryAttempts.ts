/**
 * What the attempts of an operation tell about the answer to the last one.
 */
import { HttpClassifier } from "@effect-retry/http"
import { Context, Option } from "effect"

/**
 * The attempts of one operation. Mutable, and seen by one fiber at a time.
 *
 * @category models
 */
export interface Attempts {
  /** The number of the latest one. */
  number: number
  /** Whether one before it can have been carried out. */
  mayBeCarriedOut: boolean
}

/**
 * The operation whose attempts are watched; `undefined` where they are not.
 *
 * @category models
 */
export class CurrentAttempts extends Context.Reference<CurrentAttempts>()("@effect-retry/google/StorageAttempts", {
  defaultValue: (): Attempts | undefined => undefined
}) {}

/**
 * Notes that another attempt begins.
 *
 * @category running
 */
export const note = (
  attempts: Attempts,
  number: number,
  previous: Option.Option<{ readonly outcome: unknown }>
): void => {
  attempts.number = number
  attempts.mayBeCarriedOut ||= Option.exists(
    previous,
    ({ outcome }) => HttpClassifier.judge(HttpClassifier.standard, outcome, NaN).processing === "Unknown"
  )
}
