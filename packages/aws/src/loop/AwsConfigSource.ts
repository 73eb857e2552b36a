/**
 * Where a setting comes from.
 */
import * as Config from "effect/Config"
import type * as ConfigError from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/**
 * The source of a setting, in order of precedence.
 *
 * `Property` is a JVM system property, read as a path of the `ConfigProvider`; `Environment` is a variable, read as a path
 * of one part; `Profile` is a key of the shared config file.
 *
 * Source of the order: AWS SDKs and Tools reference guide,
 * https://docs.aws.amazon.com/sdkref/latest/guide/settings-reference.html, and `ResolveRetryStrategyTest` of
 * https://github.com/aws/aws-sdk-kotlin.
 *
 * @category models
 */
export type Source =
  | { readonly _tag: "Code" }
  | { readonly _tag: "Property"; readonly name: string }
  | { readonly _tag: "Environment"; readonly name: string }
  | { readonly _tag: "Profile"; readonly name: string; readonly profile: string; readonly file: string }
  | { readonly _tag: "Service" }
  | { readonly _tag: "Default" }

/**
 * A source in words: `aws.maxAttempts`, `AWS_MAX_ATTEMPTS`, `max_attempts of profile "default" in "/home/a/.aws/config"`.
 *
 * Profile and path come from outside and are quoted, so that their line breaks do not reach a log.
 *
 * @category destructors
 */
export const format = (source: Source): string => {
  switch (source._tag) {
    case "Code":
      return "the code"
    case "Property":
    case "Environment":
      return source.name
    case "Profile":
      return `${source.name} of profile ${JSON.stringify(source.profile)} in ${JSON.stringify(source.file)}`
    case "Service":
      return "the service's default"
    case "Default":
      return "the SDK's default"
  }
}

/**
 * The text of the first of these names that has one; an empty text counts as absent, as in the SDKs.
 *
 * The parts of a name with dots are a path. Fails if the provider fails, but not if a name is absent.
 */
export const firstText = (
  names: ReadonlyArray<string>
): Effect.Effect<Option.Option<{ readonly name: string; readonly text: string }>, ConfigError.ConfigError> =>
  Effect.gen(function* () {
    for (const name of names) {
      const text = yield* Config.option(atPath(name.split(".")))
      if (Option.isSome(text) && text.value !== "") return Option.some({ name, text: text.value })
    }
    return Option.none()
  })

const atPath = (path: ReadonlyArray<string>): Config.Config<string> =>
  path
    .slice(0, -1)
    .reduceRight<Config.Config<string>>((self, part) => Config.nested(self, part), Config.string(path.at(-1)))
