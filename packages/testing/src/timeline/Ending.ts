/**
 * How an effect ended, in one line.
 */
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Inspectable from "effect/Inspectable"
import * as Option from "effect/Option"

export interface Ending {
  readonly outcome: "succeeded" | "failed" | "died" | "interrupted"
  /** The value, the error or the defect, in short. */
  readonly detail: string
}

export const fromExit = (exit: Exit.Exit<unknown, unknown>): Ending => {
  if (Exit.isSuccess(exit)) return { outcome: "succeeded", detail: inShort(exit.value) }
  const error = Cause.failureOption(exit.cause)
  if (Option.isSome(error)) return { outcome: "failed", detail: inShort(error.value) }
  if (Cause.isInterruptedOnly(exit.cause)) return { outcome: "interrupted", detail: "" }
  return { outcome: "died", detail: inShort(Cause.squash(exit.cause)) }
}

/** Such as `failed: Busy`. */
export const toText = ({ detail, outcome }: Ending): string => (detail === "" ? outcome : `${outcome}: ${detail}`)

const longest = 100

/** The tag or the name of an error with its message; other values as text. */
const inShort = (value: unknown): string => {
  const words = wordsOf(value)
    .filter((word) => word !== "")
    .join(": ")
    .replaceAll(/\s+/g, " ")
  return words.length > longest ? `${words.slice(0, longest - 1)}…` : words
}

const wordsOf = (value: unknown): ReadonlyArray<string> => {
  if (value instanceof Error) return [tagOf(value) ?? value.name, value.message]
  return value === undefined ? [] : [tagOf(value) ?? Inspectable.toStringUnknown(value, 0)]
}

const tagOf = (value: unknown): string | undefined =>
  typeof value === "object" && value !== null && "_tag" in value ? String(value._tag) : undefined
