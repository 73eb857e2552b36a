/**
 * Reads a policy's configuration strictly: every value, or why it is refused.
 *
 * Values may come from a store of secrets by mistake, so a refusal never shows one.
 */
import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Range } from "../../accept/Argument.ts"
import * as Argument from "../../accept/Argument.ts"
import * as Bounds from "../../decide/Bounds.ts"
import * as ConfigText from "./ConfigText.ts"

/** A key: its name as the configuration spells it, and its value, `None` if absent, or what would have been allowed. */
export interface Setting<A> {
  readonly name: string
  readonly held: Either.Either<Option.Option<A>, string>
}

/** The value of a setting; `undefined` if it is absent or refused. */
export const valueOf = <A>({ held }: Setting<A>): A | undefined =>
  Option.getOrUndefined(Either.getOrElse(held, () => Option.none()))

export const isAbsent = ({ held }: Setting<unknown>): boolean => Either.isRight(held) && Option.isNone(held.right)

const owner = "Policy.config"

/** Parses the text of a key; throws for a text that it cannot read. */
type Parse<A> = (key: string, text: string) => A

const number =
  (range: Range): Parse<number> =>
  (key, text) =>
    Argument.number(owner, key, ConfigText.asNumber(text), range)

const count: Parse<number> = (key, text) => {
  if (text.trim() === "Infinity") return Infinity
  const read = ConfigText.refusalOf(() => Argument.number(owner, key, ConfigText.asNumber(text), Bounds.attempts))
  return Either.getOrElse(read, ({ allowed }) => Argument.refuse(owner, key, `${allowed} or Infinity`, text))
}

const duration =
  (range: Range): Parse<Duration.Duration> =>
  (key, text) =>
    Duration.millis(Argument.millis(owner, key, text as Duration.DurationInput, range))

const oneOf =
  <const A extends string>(names: ReadonlyArray<A>): Parse<A> =>
  (key, text) =>
    Argument.oneOf(owner, key, text, names)

const parsers = {
  maxAttempts: count,
  curve: oneOf(["constant", "linear", "polynomial", "exponential", "fibonacci", "decorrelated", "decorrelatedSmooth"]),
  base: duration(Bounds.delay),
  step: duration(Bounds.delay),
  degree: number(Bounds.degree),
  factor: number(Bounds.factor),
  cap: duration(Bounds.cap),
  jitter: oneOf(["none", "full", "equal", "proportional", "additive"]),
  jitterRatio: number(Bounds.jitterRatio),
  jitterMax: duration(Bounds.width),
  attemptTimeout: duration(Bounds.timeout),
  deadline: duration(Bounds.deadline),
  deadlineReserve: duration(Bounds.delay),
  hintAtMost: duration(Bounds.delay),
  hintOtherwise: oneOf(["clamp", "giveUp", "ignore"])
}

export type Key = keyof typeof parsers

/** The keys of a policy's configuration. */
export const keys = Object.keys(parsers) as ReadonlyArray<Key>

/** The allowed values of a key, in words. An empty text is never allowed. */
export const allowedFor = (key: Key): string => {
  const refused = ConfigText.refusalOf(() => parsers[key](key, ""))
  return Either.isLeft(refused) ? refused.left.allowed : ""
}

/** The type of the key `K`. */
export type Value<K extends Key> = ReturnType<(typeof parsers)[K]>

/** All keys of a policy's configuration. */
export type Settings = { readonly [K in Key]: Setting<Value<K>> }

/** The variable of a key: `PAYMENTS_MAX_ATTEMPTS`. */
export const variableOf = (policy: string, key: Key): string => ConfigText.variableOf(policy, key)

/** Reads all keys; a variable takes precedence over a file. Fails only if the source of configuration does. */
export const settings = (policy: string): Config.Config<Settings> =>
  Config.map(Config.all(keys.map((key) => ConfigText.texts(policy, key))), (found) => {
    const hasVariables = found.some(({ variable }) => Option.isSome(variable))
    const setting = (key: Key, texts: ConfigText.Texts): Setting<unknown> => ({
      // An absent key is named in the style of the keys that are present.
      name:
        Option.isSome(texts.variable) || (hasVariables && Option.isNone(texts.path))
          ? variableOf(policy, key)
          : ConfigText.pathOf(policy, key),
      held: Either.mapLeft(
        ConfigText.refusalOf(() => Option.map(ConfigText.textOf(texts), (text) => parsers[key](key, text))),
        ({ allowed }) => allowed
      )
    })
    return Object.fromEntries(keys.map((key, i) => [key, setting(key, found[i] as ConfigText.Texts)])) as Settings
  })
