/**
 * Sources of configuration, and what they refuse.
 *
 * This is the file of Effect 3, in whose place the line for Effect 4 has its own.
 */
import { Cause, ConfigError, ConfigProvider, Effect } from "effect"

/** What was refused, each with the place of its key below those of `name`. */
export const refusals = (error: ConfigError.ConfigError, name: string): ReadonlyArray<string> => {
  switch (error._op) {
    case "And":
    case "Or":
      return [...refusals(error.left, name), ...refusals(error.right, name)]
    default:
      return [`${error.path.join(".")}: ${error.message}`.replaceAll(`${name}.`, "")]
  }
}

/** What was refused, one message for each key or source. */
export const messagesOf = (error: ConfigError.ConfigError): ReadonlyArray<string> =>
  error._op === "And" || error._op === "Or" ? [...messagesOf(error.left), ...messagesOf(error.right)] : [error.message]

/** Why a source cannot be read. */
export const causeOf = (error: ConfigError.ConfigError): unknown =>
  ConfigError.isSourceUnavailable(error) ? Cause.squash(error.cause as Cause.Cause<unknown>) : undefined

/** The same source, which cannot list its keys. */
export const withoutList = ({ flattened }: ConfigProvider.ConfigProvider): ConfigProvider.ConfigProvider =>
  ConfigProvider.fromFlat({
    ...flattened,
    enumerateChildren: (path) => Effect.fail(ConfigError.Unsupported([...path], "no list"))
  })

/** A source that fails. */
export const broken = (message: string): ConfigProvider.ConfigProvider => {
  const unavailable = (path: ReadonlyArray<string>) =>
    Effect.fail(ConfigError.SourceUnavailable([...path], message, Cause.die("disk")))
  return ConfigProvider.fromFlat(
    ConfigProvider.makeFlat({ load: unavailable, enumerateChildren: unavailable, patch: { _tag: "Empty" } })
  )
}
