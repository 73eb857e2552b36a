/**
 * Configuration, whose errors and sources Effect 3 and Effect 4 have in another shape. This is the file of Effect 4.
 */
import * as Cause from "effect/Cause"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** The error of a value that is refused. */
export const refusal = (_path: ReadonlyArray<string>, message: string): Config.ConfigError =>
  new Config.ConfigError(new ConfigProvider.SourceError({ message }))

/** The error of a source that cannot be read. */
export const unavailable = (message: string, cause: Cause.Cause<unknown>): Config.ConfigError =>
  new Config.ConfigError(
    new ConfigProvider.SourceError({ message, ...(cause.reasons.length > 0 && { cause: Cause.squash(cause) }) })
  )

export const isError = (value: unknown): value is Config.ConfigError => value instanceof Config.ConfigError

/** One error of all, so that all of them are told at once; `undefined` where there is none. */
export const all = (errors: ReadonlyArray<Config.ConfigError>): Config.ConfigError | undefined =>
  errors.length < 2 ? errors[0] : refusal([], errors.map(messageOf).join("\n"))

const messageOf = ({ cause }: Config.ConfigError): string => cause.message

/** Makes something of a configuration, unless `refused` finds errors in it. */
export const checked = <A, B>(
  self: Config.Config<A>,
  refused: (found: A) => ReadonlyArray<Config.ConfigError>,
  make: (found: A) => B
): Config.Config<B> =>
  Config.mapEffect(self, (found) => {
    const error = all(refused(found))
    return error === undefined ? Effect.succeed(make(found)) : Effect.fail(error)
  })

/** What stands below a path, each with its value where it has one. */
const below: Config.Config<Readonly<Record<string, string | undefined>>> = /*#__PURE__*/ Config.schema(
  /*#__PURE__*/ Schema.Record(Schema.String, /*#__PURE__*/ Schema.UndefinedOr(Schema.String))
)

/** The names below a path, of at most so many words, which a source divides at its delimiter. None where it cannot list them. */
export const names = (words: number): Config.Config<ReadonlyArray<string>> =>
  words === 0
    ? Config.succeed([])
    : below.pipe(
        Config.flatMap((found) => Config.all(Object.entries(found).map(([word, value]) => named(word, value, words)))),
        Config.map((found) => found.flat()),
        Config.orElse(() => Config.succeed<ReadonlyArray<string>>([]))
      )

/** A word that is there, alone where it has a value, and with those below it. */
const named = (word: string, value: string | undefined, words: number): Config.Config<ReadonlyArray<string>> =>
  Config.map(Config.nested(names(words - 1), word), (rest) => [
    ...(value === undefined ? [] : [word]),
    ...rest.map((rest) => `${word}_${rest}`)
  ])
