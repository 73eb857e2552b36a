/**
 * Texts of a configuration: a key is a variable of the environment, or a place in a file.
 */
import * as Config from "effect/Config"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Argument from "../../accept/Argument.ts"
import type { InvalidArgument } from "../../accept/InvalidArgument.ts"

/** What a configuration is about, as a part of the names of its keys. */
export const named = (owner: string, name: string): string =>
  typeof name === "string" && /[A-Za-z]/.test(name)
    ? name
    : Argument.refuse(owner, "name", "a string with a letter", name)

/** A name in capitals, as variables of the environment are written: `maxAttempts` is `MAX_ATTEMPTS`. */
const inCapitals = (name: string): string =>
  name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1_$2")
    .replaceAll(/[^A-Za-z\d]+/g, "_")
    .toUpperCase()

/** What the names of variables begin with. */
export const prefixOf = (name: string): string => `${inCapitals(name)}_`

/** The variable of a key: `PAYMENTS_MAX_ATTEMPTS`. */
export const variableOf = (name: string, key: string): string => prefixOf(name) + inCapitals(key)

/** The path of a key in a file: `payments.maxAttempts`. */
export const pathOf = (name: string, key: string): string => `${name}.${key}`

/** The texts of a key: of its variable, and of its place in a file. */
export interface Texts {
  readonly variable: Option.Option<string>
  readonly path: Option.Option<string>
}

const text = Config.option(Config.string())

/** Reads the texts of a key. Fails only where the source of configuration does. */
export const texts = (name: string, key: string): Config.Config<Texts> =>
  Config.all({
    variable: Config.nested(text, variableOf(name, key)),
    path: Config.nested(Config.nested(text, key), name)
  })

/** The text that counts: a variable comes before a file. */
export const textOf = ({ path, variable }: Texts): Option.Option<string> => Option.orElse(variable, () => path)

/** No hexadecimal, no binary, no blank: what `Number` reads beside decimals. */
const decimal = /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

/** The number that a text is; the text itself where it is none. */
export const asNumber = (text: string): unknown => (decimal.test(text.trim()) ? Number(text) : text)

/** Runs a constructor; answers what it would have allowed where it refuses its argument. */
export const refusalOf = <A>(make: () => A): Either.Either<A, InvalidArgument> =>
  Either.try({ try: make, catch: (error) => error as InvalidArgument })
