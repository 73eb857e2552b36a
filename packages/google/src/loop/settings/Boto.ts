/**
 * gsutil's settings in boto files, which are read with the platform's `FileSystem` and parsed with `ini`.
 *
 * Such a file also holds keys and secrets, so an error names section, key and allowed range, but never a value.
 */
import * as ConfigLine from "@effect-retry/core/unstable/ConfigLine"
import type * as Platform from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Cause from "effect/Cause"
import * as Config from "effect/Config"
import type * as ConfigError from "effect/ConfigError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ini from "ini"

/**
 * The settings of gsutil's retries, by their names in the file, where `max_retry_delay` is in seconds.
 *
 * @category models
 */
export interface Boto {
  /** The number of retries (for single requests, of attempts): a whole number from 0. */
  readonly num_retries?: number | undefined
  /** At least 1 second. */
  readonly max_retry_delay?: Duration.DurationInput | undefined
}

/** The longest text that is parsed, in characters: this package's own bound, far above any real file. */
const longest = 1_048_576

/** The upper bound of both settings: 2^31 - 1, this package's own bound. */
const most = 2_147_483_647

const section = "Boto"

/**
 * The settings in a text in `.boto` format; settings that are absent from the text are left out.
 *
 * Keys are found in upper or lower case, with `=` or `:`, in the section `Boto` and, if there is one, in `DEFAULT`.
 * Departure: gsutil fails when it uses a value that is not a number; here all bad values are named at once.
 * Source: https://github.com/boto/boto, 70c65b4f, boto/pyami/config.py, and Python's `configparser`.
 */
export const parse = (owner: string, name: string, text: string): Effect.Effect<Boto, ConfigError.ConfigError> =>
  Effect.suspend(() => {
    if (text.length > longest) return refuse(owner, name, `must be at most ${longest} characters long`)
    const keys = keysOf(text)
    if (keys === undefined) return refuse(owner, name, "cannot be parsed")
    const retries = whole(owner, name, keys, "num_retries", 0)
    const seconds = whole(owner, name, keys, "max_retry_delay", 1)
    const refused = ConfigLine.all([retries, seconds].filter((read) => ConfigLine.isError(read)))
    if (refused !== undefined) return Effect.fail(refused)
    return Effect.succeed({
      ...(typeof retries === "number" && { num_retries: retries }),
      ...(typeof seconds === "number" && { max_retry_delay: Duration.seconds(seconds) })
    })
  })

const refuse = (owner: string, name: string, why: string, cause: Cause.Cause<unknown> = Cause.empty) =>
  Effect.fail(ConfigLine.unavailable(`${owner}: the file ${JSON.stringify(name)} ${why}`, cause))

type Keys = ReadonlyMap<string, unknown>

/** The keys; `undefined` if the library cannot parse the text, for example because a key has the name of a section. */
const keysOf = (text: string): Keys | undefined => {
  try {
    const sections: Record<string, unknown> = ini.parse(text)
    const own = entriesOf(sections[section])
    return new Map(own.length === 0 ? [] : [...entriesOf(sections["DEFAULT"]), ...own])
  } catch {
    return undefined
  }
}

const entriesOf = (keys: unknown): ReadonlyArray<readonly [key: string, value: unknown]> =>
  typeof keys === "object" && keys !== null ? Object.entries(keys).map(([key, value]) => entryOf(key, value)) : []

/** The library does not know `:`, and reads `key: value` as a key without a value. */
const entryOf = (key: string, value: unknown): readonly [key: string, value: unknown] => {
  const [, name, rest] = /^([^:]*):(.*)$/s.exec(value === true ? key : "") ?? []
  return name === undefined ? [key.toLowerCase(), value] : [name.trim().toLowerCase(), rest?.trim()]
}

const whole = (
  owner: string,
  file: string,
  keys: Keys,
  key: keyof Boto,
  least: number
): number | ConfigError.ConfigError | undefined => {
  const value = keys.get(key)
  if (value === undefined) return undefined
  const text = typeof value === "string" || typeof value === "number" ? String(value) : ""
  const number = /^\d{1,10}$/.test(text) ? Number(text) : NaN
  if (number >= least && number <= most) return number
  const where = `${key} of section "${section}" in ${JSON.stringify(file)}`
  const allowed = `a whole number >= ${least} and <= ${most}`
  return ConfigLine.refusal([section, key], `${owner}: ${where} must be ${allowed}`)
}

/**
 * The settings from all files that gsutil reads; if several have a setting, the last file wins.
 *
 * These are the file in `BOTO_CONFIG`, or else those in `BOTO_PATH`, or else `/etc/boto.cfg` and `~/.boto`. A file that
 * does not exist has no settings. Fails with a `ConfigError` if a file exists but cannot be read.
 */
export const read = (owner: string): Effect.Effect<Boto, ConfigError.ConfigError, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const all = yield* Effect.forEach(yield* paths, (path) =>
      Effect.catchAll(
        Effect.flatMap(files.readFileString(path), (text) => parse(owner, path, text)),
        (error) => (ConfigLine.isError(error) ? Effect.fail(error) : missing(owner, path, error))
      )
    )
    return all.reduce((settings, own) => ({ ...settings, ...own }), {})
  })

const missing = (owner: string, path: string, error: Platform.PlatformError) => {
  const why = error._tag === "SystemError" ? error.reason : error._tag
  return why === "NotFound" ? Effect.succeed({}) : refuse(owner, path, `cannot be read: ${why}`, Cause.fail(error))
}

const paths = /*#__PURE__*/ Effect.gen(function* () {
  const path = yield* Path.Path
  const own = yield* textOf("BOTO_CONFIG")
  const list = own === undefined ? yield* textOf("BOTO_PATH") : undefined
  const home = (yield* textOf("HOME")) ?? (yield* textOf("USERPROFILE"))
  const found = own === undefined ? (list?.split(path.sep === "\\" ? ";" : ":") ?? ["/etc/boto.cfg", "~/.boto"]) : [own]
  return found.flatMap((name) => {
    if (name === "") return []
    if (!name.startsWith("~/")) return [name]
    return home === undefined ? [] : [path.join(home, name.slice(2))]
  })
})

const textOf = (name: string) =>
  Effect.map(Config.option(Config.string(name)), (text) =>
    Option.getOrUndefined(Option.filter(text, (one) => one !== ""))
  )
