/**
 * The search for one setting: in properties, in the environment, and in a profile of the shared config file.
 */
import type * as ConfigError from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ConfigLine from "@effect-retry/core/unstable/ConfigLine"
import type { Reading } from "../accept/AwsSettings.ts"
import type { Profile } from "./AwsConfigFile.ts"
import type { Source } from "./AwsConfigSource.ts"
import { firstText, format } from "./AwsConfigSource.ts"

/**
 * A value, and where it comes from.
 *
 * @category models
 */
export interface Setting<out A> {
  readonly value: A
  readonly source: Source
}

/** Where a setting is looked up, in order of precedence. */
export interface Names {
  readonly properties: ReadonlyArray<string>
  readonly environment: ReadonlyArray<string>
  readonly key?: string
}

interface Text {
  readonly text: string
  readonly source: Source
}

/**
 * Reads only the text of the first source that has one. Fails with a `ConfigError` that names the source of a bad text,
 * but not the text.
 */
export const search = <A, R>(
  owner: string,
  reading: Reading<A>,
  names: Names,
  profile: Effect.Effect<Option.Option<Profile>, ConfigError.ConfigError, R>
): Effect.Effect<Option.Option<Setting<A>>, ConfigError.ConfigError, R> =>
  Effect.flatMap(textOf(names, profile), (found) =>
    Option.isNone(found) ? Effect.succeedNone : Effect.asSome(read(owner, found.value, reading))
  )

const textOf = <R>(
  { environment, key, properties }: Names,
  profile: Effect.Effect<Option.Option<Profile>, ConfigError.ConfigError, R>
): Effect.Effect<Option.Option<Text>, ConfigError.ConfigError, R> =>
  Effect.gen(function* () {
    for (const [_tag, places] of [["Property", properties] as const, ["Environment", environment] as const]) {
      const found = yield* firstText(places)
      if (Option.isSome(found)) return Option.some({ text: found.value.text, source: { _tag, name: found.value.name } })
    }
    return key === undefined ? Option.none() : Option.flatMap(yield* profile, (profile) => keyOf(profile, key))
  })

const keyOf = ({ file, keys, profile }: Profile, name: string): Option.Option<Text> =>
  Option.map(Option.fromNullable(keys.get(name)), (text) => ({
    text,
    source: { _tag: "Profile", name, profile, file }
  }))

const read = <A>(owner: string, { source, text }: Text, { allowed, read }: Reading<A>) =>
  Option.match(read(text), {
    onNone: () => Effect.fail(ConfigLine.refusal([nameOf(source)], `${owner}: ${format(source)} must be ${allowed}`)),
    onSome: (value) => Effect.succeed({ value, source })
  })

const nameOf = (source: Source): string => ("name" in source ? source.name : source._tag)
