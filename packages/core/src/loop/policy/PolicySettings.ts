/**
 * What a configuration says about a policy, read strictly: every value, or why it is refused.
 *
 * Values may come from a store of secrets by mistake, so a refusal never shows one.
 */
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Range } from "../../accept/Argument.ts"
import * as Argument from "../../accept/Argument.ts"
import type { InvalidArgument } from "../../accept/InvalidArgument.ts"
import * as Bounds from "../../decide/Bounds.ts"

/**
 * A key: its name as the provider spells it, and its value, none where it is absent, or what would have been allowed.
 */
export interface Setting<A> {
  readonly name: string
  readonly held: Either.Either<Option.Option<A>, string>
}

/** The value of a setting; `undefined` where it is absent or refused. */
export const valueOf = <A>({ held }: Setting<A>): A | undefined =>
  Option.getOrUndefined(Either.getOrElse(held, () => Option.none()))

export const isAbsent = ({ held }: Setting<unknown>): boolean => Either.isRight(held) && Option.isNone(held.right)

/** Runs a constructor; answers what it would have allowed where it refuses its argument. */
export const refusalOf = <A>(make: () => A): Either.Either<A, InvalidArgument> =>
  Either.try({ try: make, catch: (error) => error as InvalidArgument })

const setting = <A>(key: string, parse: (text: string) => A): Config.Config<Setting<A>> =>
  Config.map(entry(key), ({ name, text }) => ({
    name,
    held: Either.mapLeft(
      refusalOf(() => Option.map(text, parse)),
      ({ allowed }) => allowed
    )
  }))

interface Entry {
  readonly name: string
  readonly text: Option.Option<string>
}

/**
 * The text of a key and the name that the provider gives it. Only errors have that name, so a text that is there is read
 * as an error, too.
 */
const entry = (key: string): Config.Config<Entry> =>
  Config.suspend(() => {
    let found: Entry
    const read = Config.primitive("a text property", (text) => Either.left(ConfigError.InvalidData([], text)))
    return Config.orElseIf(Config.nested(read, key), {
      if: (error) => {
        if (error._op !== "InvalidData" && error._op !== "MissingData") return false
        const text = error._op === "InvalidData" ? Option.some(error.message) : Option.none()
        found = { name: error.path.at(-1) ?? key, text }
        return true
      },
      orElse: () => Config.succeed(found)
    })
  })

const owner = "Policy.config"

/** No hexadecimal, no binary, no blank: what `Number` reads beside decimals. */
const decimal = /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

const asNumber = (text: string): unknown => (decimal.test(text.trim()) ? Number(text) : text)

const number = (key: string, range: Range) => setting(key, (text) => Argument.number(owner, key, asNumber(text), range))

const count = (key: string) =>
  setting(key, (text) =>
    text.trim() === "Infinity" ? Infinity : Argument.number(owner, key, asNumber(text), Bounds.attempts)
  )

const duration = (key: string, range: Range) =>
  setting(key, (text) => Duration.millis(Argument.millis(owner, key, text as Duration.DurationInput, range)))

const oneOf = <const A extends string>(key: string, names: ReadonlyArray<A>) =>
  setting(key, (text) => Argument.oneOf(owner, key, text, names))

const keys = {
  maxAttempts: count("maxAttempts"),
  curve: oneOf("curve", [
    "constant",
    "linear",
    "polynomial",
    "exponential",
    "fibonacci",
    "decorrelated",
    "decorrelatedSmooth"
  ]),
  base: duration("base", Bounds.delay),
  step: duration("step", Bounds.delay),
  degree: number("degree", Bounds.degree),
  factor: number("factor", Bounds.factor),
  cap: duration("cap", Bounds.cap),
  jitter: oneOf("jitter", ["none", "full", "equal", "proportional", "additive"]),
  jitterRatio: number("jitterRatio", Bounds.jitterRatio),
  jitterMax: duration("jitterMax", Bounds.width),
  attemptTimeout: duration("attemptTimeout", Bounds.timeout),
  deadline: duration("deadline", Bounds.deadline),
  deadlineReserve: duration("deadlineReserve", Bounds.delay),
  hintAtMost: duration("hintAtMost", Bounds.delay),
  hintOtherwise: oneOf("hintOtherwise", ["clamp", "giveUp"])
}

/** All keys of a policy's configuration. */
export type Settings = { readonly [K in keyof typeof keys]: Config.Config.Success<(typeof keys)[K]> }

/** What the key `K` may hold. */
export type Value<K extends keyof Settings> = Settings[K] extends Setting<infer A> ? A : never

/** Reads all keys. Fails only where the source of configuration does. */
export const settings: Config.Config<Settings> = /*#__PURE__*/ Config.all(keys)
