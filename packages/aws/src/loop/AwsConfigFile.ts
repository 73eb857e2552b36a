/**
 * The shared config file: read with the platform's `FileSystem`, parsed with the SDK's own library.
 *
 * No public function of `@smithy/shared-ini-file-loader` 4.7.2 parses a text. `loadSharedConfigFiles` takes paths,
 * reads them with `node:fs/promises`, keeps the text of every path for the life of the process (unless `ignoreCache` is
 * set), and treats a file that cannot be read or parsed as empty. Before it reads a path it checks the record of
 * `externalDataInterceptor`, which holds texts in place of files.
 *
 * So the text is put into that record, under a path that no file can have, and removed in the same step: the library
 * looks the path up before its first `await`. It reads no file and caches nothing, and the record is afterwards as
 * before.
 */
import type * as Platform from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Cause from "effect/Cause"
import type * as ConfigError from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { externalDataInterceptor, loadSharedConfigFiles } from "@smithy/shared-ini-file-loader"
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as ConfigLine from "@effect-retry/core/unstable/ConfigLine"
import * as ConfigText from "../accept/ConfigText.ts"
import { firstText } from "./AwsConfigSource.ts"

/** The keys of one profile, and where they come from. */
export interface Profile {
  readonly profile: string
  readonly file: string
  readonly keys: ReadonlyMap<string, string>
}

/** Options about the file itself. */
export interface Options {
  /** @default `aws.profile`, `AWS_PROFILE`, `default` */
  readonly profile?: string | undefined
  /** @default `aws.configFile`, `AWS_CONFIG_FILE`, `~/.aws/config` */
  readonly configFile?: string | undefined
}

/** Refuses options that are not a record, and a name or a path that is empty or not a text. */
export const check = (owner: string, options: Options): void => {
  if (!Predicate.isRecord(options)) return Argument.refuse(owner, "options", "a record", options)
  const { configFile, profile }: Options = options
  checkText(owner, "profile", profile)
  checkText(owner, "configFile", configFile)
}

const checkText = (owner: string, field: string, value: unknown): void => {
  if (value !== undefined && !(Predicate.isString(value) && value !== "")) {
    Argument.refuse(owner, field, "a text that is not empty", value)
  }
}

/**
 * The keys of a profile; none if there is no home directory in which to find the file.
 *
 * The home directory is `HOME`, `USERPROFILE`, or `HOMEDRIVE` with `HOMEPATH`, of the `ConfigProvider`.
 * A file or a profile that does not exist has no keys, as in the SDK.
 * Fails with a `ConfigError` if the file exists but cannot be read, or is refused by `ConfigText`.
 *
 * Source: `@smithy/core` 3.41.0, submodules/config/shared-ini-file-loader, `getConfigFilepath`, `getHomeDir`.
 */
export const profile = (
  owner: string,
  options: Options
): Effect.Effect<Option.Option<Profile>, ConfigError.ConfigError, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const file = yield* filePath(options.configFile ?? (yield* textOf("aws.configFile", "AWS_CONFIG_FILE")))
    if (file === undefined) return Option.none<Profile>()
    const profile = options.profile ?? (yield* textOf("aws.profile", "AWS_PROFILE")) ?? "default"
    const sections = yield* parsed(owner, file, yield* contents(owner, file))
    return Option.some({ profile, file, keys: keysOf(sections, profile) })
  })

const textOf = (...names: ReadonlyArray<string>) =>
  Effect.map(
    firstText(names),
    Option.match({ onNone: () => undefined, onSome: ({ text }): string | undefined => text })
  )

const filePath = (named = "~/.aws/config") =>
  Effect.gen(function* () {
    if (!named.startsWith("~/")) return named
    const path = yield* Path.Path
    const home = (yield* textOf("HOME", "USERPROFILE")) ?? (yield* onDrive)
    return home === undefined ? undefined : path.join(home, named.slice(2))
  })

const onDrive = /*#__PURE__*/ Effect.gen(function* () {
  const path = yield* textOf("HOMEPATH")
  return path === undefined ? undefined : `${(yield* textOf("HOMEDRIVE")) ?? "C:\\"}${path}`
})

const refused = (owner: string, file: string, why: string, cause: Cause.Cause<unknown> = Cause.empty) =>
  ConfigLine.unavailable(`${owner}: the shared config file ${JSON.stringify(file)} ${why}`, cause)

const contents = (owner: string, file: string): Effect.Effect<string, ConfigError.ConfigError, FileSystem.FileSystem> =>
  Effect.catchAll(
    Effect.flatMap(FileSystem.FileSystem, (files) => files.readFileString(file)),
    (error) =>
      whyNot(error) === "NotFound"
        ? Effect.succeed("")
        : Effect.fail(refused(owner, file, `cannot be read: ${whyNot(error)}`, Cause.fail(error)))
  )

const whyNot = (error: Platform.PlatformError): string => (error._tag === "SystemError" ? error.reason : error._tag)

type Sections = Readonly<Record<string, Readonly<Record<string, string | undefined>>>>

const parsed = (owner: string, file: string, text: string): Effect.Effect<Sections, ConfigError.ConfigError> => {
  const allowed = ConfigText.refusal(text)
  if (allowed !== undefined) return Effect.fail(refused(owner, file, `must be ${allowed}`))
  // The library also asks the platform for the home directory, which fails if the user has none.
  return Effect.tryPromise({
    try: () => load(text),
    catch: (error) => refused(owner, file, "cannot be parsed", Cause.fail(error))
  })
}

/** The keys of a section: the library makes a section called `profile.__proto__` the prototype of its record. */
const keysOf = (sections: Sections, profile: string): ReadonlyMap<string, string> => {
  const section = Object.hasOwn(sections, profile) ? sections[profile] : undefined
  return new Map(Object.entries(section ?? {}).flatMap(([key, text]) => (text === undefined ? [] : [[key, text]])))
}

/** No file path can contain this character, so the path collides with no file and no other text in the record. */
const configPath = "\0@effect-retry/aws/config"
const credentialsPath = "\0@effect-retry/aws/credentials"

const load = (text: string): Promise<Sections> => {
  externalDataInterceptor.interceptFile(configPath, text)
  externalDataInterceptor.interceptFile(credentialsPath, "")
  const loaded = loadSharedConfigFiles({ configFilepath: configPath, filepath: credentialsPath })
  const record = externalDataInterceptor.getFileRecord()
  delete record[configPath]
  delete record[credentialsPath]
  return loaded.then(({ configFile }) => configFile)
}
