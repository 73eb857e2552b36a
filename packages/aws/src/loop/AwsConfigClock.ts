/**
 * Reads the switch of the clock-skew correction from every place where an AWS SDK looks for it.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import type * as ConfigError from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Settings from "../accept/AwsSettings.ts"
import * as ConfigFile from "./AwsConfigFile.ts"
import type { Setting } from "./AwsConfigSearch.ts"
import { search } from "./AwsConfigSearch.ts"

const owner = "AwsConfig.clockSkewCorrection"

/**
 * Whether a signer corrects its clock: `false` if `AWS_DISABLE_CLOCK_SKEW_CORRECTION`, or else the key
 * `disable_clock_skew_correction` of the profile, is `true`; by default `true`.
 *
 * For the choice between `CorrectedTime.make()` and `CorrectedTime.uncorrected`.
 * Fails with a `ConfigError` that names the source of a bad value without showing its text. The SDK for JavaScript refuses
 * bad values as well; the one for Rust ignores them with a warning.
 *
 * Source: `@aws-sdk/core` 3.981.0, clock-skew-node-config · https://github.com/smithy-lang/smithy-rs,
 * default_provider/disable_clock_skew_correction.rs · https://github.com/aws/aws-sdk-go-v2, config; read 2026-11-22.
 *
 * @category constructors
 */
export const clockSkewCorrection = (
  options: ConfigFile.Options = {}
): Effect.Effect<Setting<boolean>, ConfigError.ConfigError, FileSystem.FileSystem | Path.Path> => {
  ConfigFile.check(owner, options)
  const profile = ConfigFile.profile(owner, options)
  const found = search(owner, Settings.clockSkewCorrection, names, profile)
  return Effect.map(
    found,
    Option.getOrElse((): Setting<boolean> => ({ value: true, source: { _tag: "Default" } }))
  )
}

const names = {
  properties: [],
  environment: ["AWS_DISABLE_CLOCK_SKEW_CORRECTION"],
  key: "disable_clock_skew_correction"
}
