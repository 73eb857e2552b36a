/**
 * Reads retry mode, number of attempts and version of the rules from every place where an AWS SDK looks for them.
 *
 * For a program that must follow its environment. Everything else comes from the preset: costs, delays, tables.
 *
 * @example
 * ```ts
 * import { AwsConfig } from "@effect-retry/aws"
 * import { FileSystem, Path } from "@effect/platform"
 * import { ConfigProvider, Effect, Layer } from "effect"
 * import * as assert from "node:assert"
 *
 * const environment = ConfigProvider.fromMap(new Map([["AWS_MAX_ATTEMPTS", "5"]]))
 * const withoutFiles = Layer.merge(FileSystem.layerNoop({}), Path.layer)
 * const resolved = AwsConfig.resolve().pipe(Effect.provide(withoutFiles), Effect.withConfigProvider(environment))
 *
 * Effect.runPromise(resolved).then(({ maxAttempts, mode }) => {
 *   assert.deepStrictEqual(maxAttempts, { value: 5, source: { _tag: "Environment", name: "AWS_MAX_ATTEMPTS" } })
 *   assert.deepStrictEqual(mode, { value: "standard", source: { _tag: "Default" } })
 * })
 * ```
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import type * as ConfigError from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as ConfigLine from "@effect-retry/core/unstable/ConfigLine"
import type { Behaviour, Mode } from "../accept/AwsSettings.ts"
import * as Settings from "../accept/AwsSettings.ts"
import type { Sdk, Service } from "../accept/AwsDefaults.ts"
import * as Defaults from "../accept/AwsDefaults.ts"
import { checkSdk, checkService } from "../accept/AwsDefaultsCheck.ts"
import * as ConfigFile from "./AwsConfigFile.ts"
import type { Names, Setting } from "./AwsConfigSearch.ts"
import { search } from "./AwsConfigSearch.ts"

export type { Behaviour, Mode } from "../accept/AwsSettings.ts"
export { clockSkewCorrection } from "./AwsConfigClock.ts"
export { javascript, layer, policy, presets } from "./AwsConfigPolicy.ts"
export type { Presets } from "./AwsConfigPolicy.ts"
export type { Setting } from "./AwsConfigSearch.ts"
export { format } from "./AwsConfigSource.ts"
export type { Source } from "./AwsConfigSource.ts"

/**
 * The settings that apply to a client.
 *
 * @category models
 */
export interface Resolved {
  readonly mode: Setting<Mode>
  /** Attempts in all, the first one included. */
  readonly maxAttempts: Setting<number>
  readonly behaviour: Setting<Behaviour>
}

/**
 * Settings given in code. Everything left out is looked up elsewhere.
 *
 * @category models
 */
export interface Options extends ConfigFile.Options {
  readonly mode?: Mode | undefined
  readonly maxAttempts?: number | undefined
  readonly behaviour?: Behaviour | undefined
  /** Defaults that take precedence over the SDK's, such as `AwsDefaults.javascript.dynamodb`. @default none */
  readonly service?: Service | undefined
  /** The SDK whose defaults are used last. @default AwsDefaults.javascript */
  readonly sdk?: Sdk | undefined
}

/**
 * Looks up each setting separately, in this order: code, JVM properties, environment, shared config file, defaults of
 * the service, defaults of the SDK.
 *
 * | setting | properties | environment | profile |
 * | --- | --- | --- | --- |
 * | `mode` | `aws.retryMode`, `com.amazonaws.sdk.retryMode` | `AWS_RETRY_MODE` | `retry_mode` |
 * | `maxAttempts` | `aws.maxAttempts`, `com.amazonaws.sdk.maxAttempts` | `AWS_MAX_ATTEMPTS` | `max_attempts` |
 * | `behaviour` | `smithy.newRetries2026` | `AWS_NEW_RETRIES_2026`, `SMITHY_NEW_RETRIES_2026` | |
 *
 * Properties are paths of the `ConfigProvider`. Once a source has a setting, the later ones are not asked for it, and
 * the file is read only if a setting is still missing.
 * Fails with a `ConfigError` that names every bad setting and its source, without showing its text. Throws an
 * `InvalidArgument` for bad options.
 *
 * Source: AWS SDKs and Tools reference guide,
 * https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html, read 2026-11-20.
 *
 * @category constructors
 */
export const resolve = (
  options: Options = {}
): Effect.Effect<Resolved, ConfigError.ConfigError, FileSystem.FileSystem | Path.Path> => {
  const { behaviour, configFile, maxAttempts, mode, profile: name, sdk, service } = checked(options)
  return Effect.gen(function* () {
    const profile = yield* Effect.cached(ConfigFile.profile(owner, { profile: name, configFile }))
    const found = yield* together({
      mode: given(mode) ?? search(owner, Settings.mode(sdk.modes), names.mode, profile),
      maxAttempts: given(maxAttempts) ?? search(owner, Settings.maxAttempts, names.maxAttempts, profile),
      behaviour: given(behaviour) ?? search(owner, Settings.gate, names.behaviour, profile)
    })
    return complete(found, sdk, service)
  })
}

const names = {
  mode: {
    properties: ["aws.retryMode", "com.amazonaws.sdk.retryMode"],
    environment: ["AWS_RETRY_MODE"],
    key: "retry_mode"
  },
  maxAttempts: {
    properties: ["aws.maxAttempts", "com.amazonaws.sdk.maxAttempts"],
    environment: ["AWS_MAX_ATTEMPTS"],
    key: "max_attempts"
  },
  behaviour: {
    properties: ["smithy.newRetries2026"],
    environment: ["AWS_NEW_RETRIES_2026", "SMITHY_NEW_RETRIES_2026"]
  }
} satisfies Record<keyof Resolved, Names>

const given = <A>(inCode: A | undefined): Effect.Effect<Option.Option<Setting<A>>> | undefined =>
  inCode === undefined ? undefined : Effect.succeedSome({ value: inCode, source: { _tag: "Code" } })

type Found = { readonly [K in keyof Resolved]: Option.Option<Resolved[K]> }

/** Runs every search, and fails with all of their errors. */
const together = <R>(searches: {
  readonly [K in keyof Found]: Effect.Effect<Found[K], ConfigError.ConfigError, R>
}): Effect.Effect<Found, ConfigError.ConfigError, R> =>
  Effect.gen(function* () {
    const mode = yield* Effect.either(searches.mode)
    const maxAttempts = yield* Effect.either(searches.maxAttempts)
    const behaviour = yield* Effect.either(searches.behaviour)
    const all: ReadonlyArray<Either.Either<unknown, ConfigError.ConfigError>> = [mode, maxAttempts, behaviour]
    // A failure of the file is one error, however many settings need it.
    const refused = ConfigLine.all([...new Set(all.flatMap((each) => (Either.isLeft(each) ? [each.left] : [])))])
    if (refused !== undefined) return yield* Effect.fail(refused)
    return {
      mode: Either.getOrElse(mode, Option.none),
      maxAttempts: Either.getOrElse(maxAttempts, Option.none),
      behaviour: Either.getOrElse(behaviour, Option.none)
    }
  })

const complete = (found: Found, sdk: Sdk, service: Service): Resolved => {
  const behaviour = Option.getOrElse(found.behaviour, () => byDefault(undefined, sdk.behaviour))
  const mode = Option.getOrElse(found.mode, () => byDefault(service.mode, sdk.mode[behaviour.value]))
  const maxAttempts = Option.getOrElse(found.maxAttempts, () =>
    byDefault(attemptsOf(service, behaviour.value, mode.value), sdk.maxAttempts[mode.value])
  )
  return { mode, maxAttempts, behaviour }
}

const attemptsOf = ({ maxAttempts }: Service, behaviour: Behaviour, mode: Mode): number | undefined =>
  typeof maxAttempts === "object" ? maxAttempts[behaviour]?.[mode] : maxAttempts

const byDefault = <A>(ofService: A | undefined, ofSdk: A): Setting<A> =>
  ofService === undefined
    ? { value: ofSdk, source: { _tag: "Default" } }
    : { value: ofService, source: { _tag: "Service" } }

/**
 * `retries` of a client's configuration in botocore: `max_attempts` counts retries there, `total_max_attempts` attempts.
 *
 * @category models
 */
export interface Botocore {
  readonly mode?: Mode | undefined
  readonly max_attempts?: number | undefined
  readonly total_max_attempts?: number | undefined
}

/**
 * Converts options from botocore's: `total_max_attempts` takes precedence over `max_attempts`, to which the first attempt is
 * added.
 *
 * Throws an `InvalidArgument` if a value is out of range.
 * Source: https://github.com/boto/botocore 1.43.107, args.py, `_compute_retry_max_attempts`.
 *
 * @category conversions
 */
export const fromBotocore = (retries: Botocore): Pick<Options, "maxAttempts" | "mode"> => {
  const { max_attempts, mode, total_max_attempts } = retries
  const from = "AwsConfig.fromBotocore"
  const { max, min } = Settings.attempts
  if (mode !== undefined) Argument.oneOf(from, "mode", mode, Defaults.botocore.modes)
  if (total_max_attempts !== undefined)
    Argument.number(from, "total_max_attempts", total_max_attempts, Settings.attempts)
  if (max_attempts !== undefined) {
    Argument.number(from, "max_attempts", max_attempts, { min: min - 1, max: max - 1, integer: true })
  }
  const maxAttempts = total_max_attempts ?? (max_attempts === undefined ? undefined : max_attempts + 1)
  return { ...(mode !== undefined && { mode }), ...(maxAttempts !== undefined && { maxAttempts }) }
}

const owner = "AwsConfig.resolve"

const fields: { readonly [K in keyof Options]-?: true } = {
  profile: true,
  configFile: true,
  mode: true,
  maxAttempts: true,
  behaviour: true,
  service: true,
  sdk: true
}

const checked = (options: Options) => {
  ConfigFile.check(owner, options)
  Argument.fields(owner, options, Object.keys(fields), "options")
  const { behaviour, configFile, maxAttempts, mode, profile, sdk = Defaults.javascript, service = {} } = options
  checkSdk(owner, sdk)
  checkService(owner, service, sdk.modes)
  if (mode !== undefined) Argument.oneOf(owner, "mode", mode, sdk.modes)
  if (maxAttempts !== undefined) Argument.number(owner, "maxAttempts", maxAttempts, Settings.attempts)
  if (behaviour !== undefined) Argument.oneOf(owner, "behaviour", behaviour, Settings.behaviours)
  return { behaviour, configFile, maxAttempts, mode, profile, sdk, service }
}
