/**
 * Texts of a configuration: a key is an environment variable, or a path in a file.
 */
import * as Config from "effect/Config"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Argument from "../../accept/Argument.ts"
import type { InvalidArgument } from "../../accept/InvalidArgument.ts"

/** Checks the name of a configuration, which becomes part of its keys. */
export const named = (owner: string, name: string): string =>
  typeof name === "string" && /[A-Za-z]/.test(name)
    ? name
    : Argument.refuse(owner, "name", "a string with a letter", name)

/** A name as environment variables are written: `maxAttempts` is `MAX_ATTEMPTS`. */
const inCapitals = (name: string): string =>
  name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1_$2")
    .replaceAll(/[^A-Za-z\d]+/g, "_")
    .toUpperCase()

/** The prefix of environment variables. */
export const prefixOf = (name: string): string => `${inCapitals(name)}_`

/** The variable of a key: `PAYMENTS_MAX_ATTEMPTS`. */
export const variableOf = (name: string, key: string): string => prefixOf(name) + inCapitals(key)

/** The path of a key in a file: `payments.maxAttempts`. */
export const pathOf = (name: string, key: string): string => `${name}.${key}`

/** The texts of a key: from its variable, and from its path in a file. */
export interface Texts {
  readonly variable: Option.Option<string>
  readonly path: Option.Option<string>
}

const text = Config.option(Config.string())

/** Reads the texts of a key. Fails only if the source of configuration does. */
export const texts = (name: string, key: string): Config.Config<Texts> =>
  Config.all({
    variable: Config.nested(text, variableOf(name, key)),
    path: Config.nested(Config.nested(text, key), name)
  })

/** The text that counts: a variable takes precedence over a file. */
export const textOf = ({ path, variable }: Texts): Option.Option<string> => Option.orElse(variable, () => path)

/** Excludes what `Number` reads besides decimals: hexadecimal, binary, blank. */
const decimal = /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

/** The text as a number; the text itself if it is none. */
export const asNumber = (text: string): unknown => (decimal.test(text.trim()) ? Number(text) : text)

/** Runs a constructor; if it refuses its argument, returns the refusal. */
export const refusalOf = <A>(make: () => A): Either.Either<A, InvalidArgument> =>
  Either.try({ try: make, catch: (error) => error as InvalidArgument })
