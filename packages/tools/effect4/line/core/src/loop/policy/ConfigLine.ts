/**
 * Configuration, whose errors and sources Effect 3 and Effect 4 have in another shape. This is the file of Effect 4.
 */
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"

/** The error of a value that is refused. */
export const refusal = (_path: ReadonlyArray<string>, message: string): Config.ConfigError =>
  new Config.ConfigError(new ConfigProvider.SourceError({ message }))

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

/** The names below a path, of at most so many words, which a source divides at its delimiter. None where it cannot list them. */
export const names = (_words: number): Config.Config<ReadonlyArray<string>> => Config.succeed([])
