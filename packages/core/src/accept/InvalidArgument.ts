/**
 * Bad arguments: refused at construction, with one error that names owner, field, allowed range and value.
 */
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Predicate from "effect/Predicate"
import type { ShownError } from "./Untrusted.ts"

/** The fields of an `InvalidArgument`. */
interface Invalid {
  readonly owner: string
  readonly field: string
  readonly allowed: string
  readonly value: unknown
  readonly cause?: ShownError
}

/**
 * Thrown by a function for an argument that it does not accept.
 *
 * @category models
 */
export class InvalidArgument extends Data.TaggedError("InvalidArgument")<{
  /** Module and function, such as `Backoff.exponential`. */
  readonly owner: string
  /** The option, such as `factor`. */
  readonly field: string
  /** What would have been accepted, such as `>= 1`. */
  readonly allowed: string
  /** What may be shown of the error that was being judged, if the mistake is in a function that judges errors. */
  readonly cause?: ShownError
}> {
  readonly #value: unknown

  constructor(invalid: Invalid) {
    const { value, ...shown } = invalid
    super(shown)
    this.#value = value
  }

  /** The value that was given. Printing shows the first 80 characters of its text, and reads none of its properties. */
  get value(): unknown {
    return this.#value
  }

  override get message(): string {
    return `${this.owner}: ${this.field} must be ${this.allowed}, got ${show(this.value)}`
  }
}

const show = (value: unknown): string => {
  const text = attempted(() => (Array.isArray(value) ? `[${value.map(word).join(", ")}]` : word(value)))
  return text.length > 80 ? `${text.slice(0, 80)}...` : text
}

/** Even a look at a proxy may throw. */
const attempted = (show: () => string): string => {
  try {
    return show()
  } catch {
    return "an object that cannot be read"
  }
}

const word = (value: unknown): string => {
  if (typeof value === "string") return JSON.stringify(value)
  if (Predicate.isFunction(value)) return value.name === "" ? "a function" : `the function ${value.name}`
  try {
    const text = Duration.isDuration(value) ? Duration.format(value) : String(value)
    return text === "[object Object]" ? "an object" : text
  } catch {
    return Duration.isDuration(value) ? "more time than can be written" : "an object without a text"
  }
}
