/**
 * Reads the fields of a record from outside one by one, strictly.
 */
import * as Readable from "@effect-retry/core/unstable/Readable"
import * as Data from "effect/Data"

/**
 * A line that `Replay.replay` does not understand.
 *
 * @category models
 */
export class UnreadableLine extends Data.TaggedError("UnreadableLine")<{
  /** Its number, from 1. */
  readonly line: number
  /** The invalid field; empty if the line itself is invalid. */
  readonly field: string
  readonly message: string
}> {}

export type Values = Readonly<Record<string, unknown>>

/** The fields of a record. Reading an invalid one throws an `UnreadableLine`. */
export interface Fields {
  readonly has: (field: string) => boolean
  /** A number; `absent` if there is none. */
  readonly number: (field: string, most: number, absent?: number) => number
  readonly text: (field: string, absent?: string) => string
  readonly oneOf: <A extends string>(field: string, names: ReadonlyArray<A>) => A
  /** The records of a list, each with its path in the line; empty if there is no list. */
  readonly list: (field: string) => ReadonlyArray<Fields>
  /** Other values at the same place. */
  readonly within: (values: Values) => Fields
  readonly refuse: (field: string, expected: string) => never
  /** The value as given. */
  readonly given: (field: string) => unknown
}

const mostCharacters = 200

/** The fields of a line; `path` is the path of the record in it. */
export const make = (values: Values, line: number, path = ""): Fields => {
  const given = (field: string): unknown => (Object.hasOwn(values, field) ? values[field] : undefined)
  const refuse = (field: string, expected: string): never => refused(line, path + field, expected, given(field))
  return {
    has: (field) => given(field) !== undefined,
    number: (field, most, absent) => {
      const value = given(field) ?? absent
      const fits = typeof value === "number" && value >= 0 && value <= most
      return fits ? value : refuse(field, `a number >= 0 and <= ${most}`)
    },
    text: (field, absent) => {
      const value = given(field) ?? absent
      const fits = typeof value === "string" && value.length <= mostCharacters
      return fits ? value : refuse(field, `a text of at most ${mostCharacters} characters`)
    },
    oneOf: (field, names) => names.find((name) => name === given(field)) ?? refuse(field, `one of ${names.join(", ")}`),
    list: (field) => {
      const value = given(field) ?? []
      if (!Array.isArray(value)) return refuse(field, "a list")
      return value.map((one: unknown, i) =>
        isRecord(one)
          ? make(one, line, `${path}${field}[${i}].`)
          : refused(line, `${path}${field}[${i}]`, "a JSON object", one)
      )
    },
    within: (values) => make(values, line, path),
    refuse,
    given
  }
}

export const refused = (line: number, field: string, expected: string, got: unknown): never => {
  const shown = got === undefined ? "nothing" : Readable.inLine(String(JSON.stringify(got)).slice(0, mostCharacters))
  const message = `Replay.replay: line ${line}: ${field === "" ? "it" : field} must be ${expected}, got ${shown}`
  throw new UnreadableLine({ line, field, message })
}

export const isRecord = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value)
