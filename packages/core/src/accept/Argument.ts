/**
 * Checks of arguments.
 *
 * First stage of the flow: everything that a caller passes to a constructor is checked here first. Nothing is clamped or
 * corrected.
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import { InvalidArgument } from "./InvalidArgument.ts"
import * as Nearest from "./Nearest.ts"
import { isObject, property } from "./Property.ts"
import * as Untrusted from "./Untrusted.ts"

/** Throws an `InvalidArgument`. */
export const refuse = (owner: string, field: string, allowed: string, value: unknown): never => {
  throw new InvalidArgument({ owner, field, allowed, value })
}

/**
 * Throws an `InvalidArgument` that shows only the type of a value that may hold secrets: an effect, a promise, an error. Its
 * cause is the error for which the value was returned, if there is one.
 */
export const refuseForeign = (
  owner: string,
  field: string,
  allowed: string,
  value: unknown,
  error: unknown = undefined
): never => {
  const isPlain = value === null || !["object", "function", "string"].includes(typeof value)
  const shown = isPlain ? value : Untrusted.inBrief(value)
  throw new InvalidArgument({ owner, field, allowed, value: shown, ...Untrusted.asCause(error) })
}

/** The bounds of a number; `integer` also asks for a whole one. */
export interface Range {
  readonly min: number
  readonly max?: number
  /** Whether the minimum itself is refused. */
  readonly exclusive?: boolean
  readonly integer?: boolean
}

/** A finite number within `range`. */
export const number = (owner: string, field: string, value: unknown, range: Range): number =>
  typeof value === "number" &&
  Number.isFinite(value) &&
  within(value, range) &&
  (range.integer !== true || Number.isInteger(value))
    ? value
    : refuse(owner, field, `${range.integer === true ? "a whole number " : ""}${describe(range, String)}`, value)

/** A finite duration within `range` (in milliseconds), as milliseconds. */
export const millis = (owner: string, field: string, value: Duration.DurationInput, range: Range): number => {
  const millis = Option.match(decode(value), { onNone: () => NaN, onSome: Duration.toMillis })
  return Number.isFinite(millis) && within(millis, range)
    ? millis
    : refuse(owner, field, `a finite duration ${describe(range, formatMillis)}${spelling(value)}`, value)
}

/** For a number without a unit or with an abbreviated one, in a text: examples of what Effect reads. */
const spelling = (value: unknown): string => {
  const number = typeof value === "string" ? /^(\d{1,9}) ?[a-z]{0,3}$/.exec(value)?.[1] : undefined
  return number === undefined ? "" : `, such as "${number} seconds" or "${number} millis"`
}

/** The names of options, and whether each must be given. */
export type Known<A> = { readonly [Name in keyof A]-?: boolean }

/** Checks a record of options: that it has those which must be given, and no others than the `known` ones. */
export const options = <A extends object>(owner: string, example: string, value: A, known: Known<A>): A => {
  const usage = `as in ${owner}(${example})`
  if (typeof value !== "object" || value === null || Duration.isDuration(value)) {
    return refuse(owner, "options", `a record, ${usage}`, value)
  }
  const names = Object.keys(known)
  fields(owner, value, names, "options")
  const missing = names.find((name) => Reflect.get(known, name) === true && Reflect.get(value, name) === undefined)
  return missing === undefined ? value : refuse(owner, missing, `given, ${usage}`, undefined)
}

/** Where draws begin. */
export const seed = (owner: string, value: unknown): unknown =>
  typeof value === "string" || Number.isFinite(value)
    ? value
    : refuse(owner, "seed", "a text or a finite number", value)

/** One of a list of names. */
export const oneOf = <const A extends string>(
  owner: string,
  field: string,
  value: unknown,
  names: ReadonlyArray<A>
): A => names.find((name) => name === value) ?? refuse(owner, field, `one of ${names.join(", ")}`, value)

/** The path of a record's fields, such as `retry.`, and what other libraries call them. */
interface Place {
  readonly path?: string
  readonly otherNames?: { readonly [name: string]: string }
}

/** Refuses a field that is not in `known`. `names` is the plural noun for the fields in the message. */
export const fields = (
  owner: string,
  given: object,
  known: ReadonlyArray<string>,
  names: string,
  { otherNames = {}, path = "" }: Place = {}
): void => {
  const unknown = Object.keys(given).find((field) => !known.includes(field))
  if (unknown === undefined) return
  const meant = meantBy(unknown, known, otherNames)
  const allowed = meant === undefined ? `: the ${names} are ${known.join(", ")}` : ` (did you mean ${meant}?)`
  refuse(owner, `${path}${unknown}`, `absent${allowed}`, Reflect.get(given, unknown))
}

/** Refuses a field that is not in `known` but probably means one of them. Others may belong to another package. */
export const misspelt = (
  owner: string,
  given: object,
  known: ReadonlyArray<string>,
  otherNames: NonNullable<Place["otherNames"]>
): void => {
  const isMeant = (field: string) => !known.includes(field) && meantBy(field, known, otherNames) !== undefined
  const wrong = Object.keys(given).find(isMeant)
  if (wrong !== undefined) fields(owner, { [wrong]: Reflect.get(given, wrong) }, known, "fields", { otherNames })
}

const meantBy = (
  field: string,
  known: ReadonlyArray<string>,
  otherNames: NonNullable<Place["otherNames"]>
): string | undefined => (Object.hasOwn(otherNames, field) ? otherNames[field] : Nearest.nearest(field, known))

/** Reads a duration without correcting it: what `Duration.decode` turns into zero (NaN, a negative number) is `None`. */
export const decode = (value: unknown): Option.Option<Duration.Duration> =>
  isCorrected(value)
    ? Option.none()
    : Option.filter(
        Duration.decodeUnknown(value as Duration.DurationInput),
        (duration) => !Duration.lessThan(duration, Duration.zero)
      )

const isCorrected = (value: unknown): boolean => {
  if (typeof value === "number") return Number.isNaN(value) || value < 0
  if (typeof value === "bigint") return value < 0n
  if (typeof value === "string") return value.startsWith("-")
  if (Array.isArray(value)) return value.some(isCorrected)
  return (
    isObject(value) && !Duration.isDuration(value) && !units.some((unit) => typeof property(value, unit) === "number")
  )
}

/** The fields by which an object can express a duration, if Effect takes objects; an object without any is no duration. */
const units = ["weeks", "days", "hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds"]

const within = (value: number, { exclusive, max = Infinity, min }: Range): boolean =>
  (exclusive === true ? value > min : value >= min) && value <= max

const describe = ({ exclusive, max, min }: Range, format: (bound: number) => string): string =>
  `${exclusive === true ? ">" : ">="} ${format(min)}${max === undefined ? "" : ` and <= ${format(max)}`}`

/** Formats whole milliseconds by way of exact nanoseconds, which a large number would round. */
const formatMillis = (bound: number): string =>
  Duration.format(Number.isInteger(bound) ? Duration.nanos(BigInt(bound) * 1_000_000n) : Duration.millis(bound))
