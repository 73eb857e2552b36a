/**
 * Sources of configuration, and what they refuse.
 *
 * This is the file of Effect 4: one error has all messages, and their keys are in these.
 */
import type * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"

/** What was refused, each with the place of its key below those of `name`. */
export const refusals = ({ cause }: Config.ConfigError, name: string): ReadonlyArray<string> =>
  cause.message
    .replaceAll(`${name}.`, "")
    .split("\n")
    .map((refusal) => refusal.replace(/^(?:[\w.]+: )(\S+)/, "$1: $&"))

/** What was refused, one message for each key or source. */
export const messagesOf = ({ cause }: Config.ConfigError): ReadonlyArray<string> => cause.message.split("\n")

/** Why a source cannot be read. */
export const causeOf = ({ cause }: Config.ConfigError): unknown => cause.cause

/** The same source, which cannot list its keys. */
export const withoutList = (source: ConfigProvider.ConfigProvider): ConfigProvider.ConfigProvider =>
  ConfigProvider.make((path) =>
    Effect.map(source.load(path), (node) =>
      node?.value === undefined ? undefined : ConfigProvider.makeValue(node.value)
    )
  )

/** A source that fails. */
export const broken = (message: string): ConfigProvider.ConfigProvider =>
  ConfigProvider.make(() => Effect.fail(new ConfigProvider.SourceError({ message })))
