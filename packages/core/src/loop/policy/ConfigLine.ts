/**
 * Configuration errors and sources, whose shape differs between Effect 3 and Effect 4. This is the file for Effect 3.
 */
import type * as Cause from "effect/Cause"
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Either from "effect/Either"
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"

/** The error for a refused value. */
export const refusal: (path: Array<string>, message: string) => ConfigError.ConfigError = ConfigError.InvalidData

/** The error for a source that cannot be read. */
export const unavailable = (message: string, cause: Cause.Cause<unknown>): ConfigError.ConfigError =>
  ConfigError.SourceUnavailable([], message, cause)

export const isError: (value: unknown) => value is ConfigError.ConfigError = ConfigError.isConfigError

/** Combines all errors into one, so that they are reported together; `undefined` if there are none. */
export const all = ([first, ...others]: ReadonlyArray<ConfigError.ConfigError>): ConfigError.ConfigError | undefined =>
  first && others.reduce((found, other) => ConfigError.And(found, other), first)

/** Maps a configuration, unless `refused` finds errors in it. */
export const checked = <A, B>(
  self: Config.Config<A>,
  refused: (found: A) => ReadonlyArray<ConfigError.ConfigError>,
  make: (found: A) => B
): Config.Config<B> =>
  Config.mapOrFail(self, (found) => {
    const error = all(refused(found))
    return error === undefined ? Either.right(make(found)) : Either.left(error)
  })

/** Whether a value is present. The value itself is not kept. */
const isThere = Config.map(Config.option(Config.primitive("a property", () => Either.void)), Option.isSome)

/**
 * The names below a path, with at most this many words, which a source splits at its delimiter. Empty if the source
 * cannot list them.
 */
export const names = (words: number): Config.Config<ReadonlyArray<string>> =>
  words === 0
    ? Config.succeed([])
    : Config.hashMap(Config.all({ below: Config.suspend(() => names(words - 1)), here: isThere })).pipe(
        Config.map((found) =>
          Array.from(HashMap.entries(found)).flatMap(([word, { below, here }]) => {
            const names = below.map((rest) => `${word}_${rest}`)
            return here ? [word, ...names] : names
          })
        ),
        Config.orElse(() => Config.succeed<ReadonlyArray<string>>([]))
      )
