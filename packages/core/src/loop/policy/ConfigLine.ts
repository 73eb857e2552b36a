/**
 * Configuration, whose errors and sources Effect 3 and Effect 4 have in another shape. This is the file of Effect 3.
 */
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Either from "effect/Either"
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"

/** The error of a value that is refused. */
export const refusal: (path: Array<string>, message: string) => ConfigError.ConfigError = ConfigError.InvalidData

/** One error of all, so that all of them are told at once; `undefined` where there is none. */
export const all = ([first, ...others]: ReadonlyArray<ConfigError.ConfigError>): ConfigError.ConfigError | undefined =>
  first && others.reduce((found, other) => ConfigError.And(found, other), first)

/** Makes something of a configuration, unless `refused` finds errors in it. */
export const checked = <A, B>(
  self: Config.Config<A>,
  refused: (found: A) => ReadonlyArray<ConfigError.ConfigError>,
  make: (found: A) => B
): Config.Config<B> =>
  Config.mapOrFail(self, (found) => {
    const error = all(refused(found))
    return error === undefined ? Either.right(make(found)) : Either.left(error)
  })

/** Whether a value is there. The value itself is not kept. */
const isThere = Config.map(Config.option(Config.primitive("a property", () => Either.void)), Option.isSome)

/** The names below a path, of at most so many words, which a source divides at its delimiter. None where it cannot list them. */
export const names = (words: number): Config.Config<ReadonlyArray<string>> =>
  words === 0
    ? Config.succeed([])
    : Config.hashMap(Config.all({ below: Config.suspend(() => names(words - 1)), here: isThere })).pipe(
        Config.map((found) =>
          Array.from(HashMap.entries(found)).flatMap(([word, { below, here }]) => [
            ...(here ? [word] : []),
            ...below.map((rest) => `${word}_${rest}`)
          ])
        ),
        Config.orElse(() => Config.succeed<ReadonlyArray<string>>([]))
      )
