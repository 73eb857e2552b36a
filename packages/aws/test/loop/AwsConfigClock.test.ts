import { FileSystem, Path } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import * as AwsConfig from "../../src/loop/AwsConfig.ts"
import * as Sources from "../../../core/test/support/Sources.ts"

const variable = "AWS_DISABLE_CLOCK_SKEW_CORRECTION"
const key = "disable_clock_skew_correction"
const configFile = "/etc/aws/config"

interface World {
  readonly environment?: string
  readonly profile?: string
}

const ask = ({ environment, profile }: World) =>
  AwsConfig.clockSkewCorrection({ configFile }).pipe(
    Effect.provide(
      Layer.merge(
        FileSystem.layerNoop({
          readFileString: () => Effect.succeed(profile === undefined ? "" : `[default]\n${key} = ${profile}`)
        }),
        Path.layer
      )
    ),
    Effect.withConfigProvider(
      ConfigProvider.fromMap(new Map(environment === undefined ? [] : [[variable, environment]]))
    )
  )

const ofProfile = `${key} of profile "default" in "${configFile}"`

describe("AwsConfig.clockSkewCorrection", () => {
  // Source: smithy-rs, default_provider/disable_clock_skew_correction.rs; aws-sdk-go-v2, config, its tests.
  it.effect.each<World & { value: boolean; source: string }>([
    { value: true, source: "the SDK's default" },
    { environment: "", value: true, source: "the SDK's default" },
    { environment: "true", value: false, source: variable },
    { environment: "TRUE", profile: "false", value: false, source: variable },
    { environment: "false", profile: "true", value: true, source: variable },
    { environment: "false", profile: "not read", value: true, source: variable },
    { profile: "true", value: false, source: ofProfile },
    { profile: "false", value: true, source: ofProfile }
  ])("is $value for $environment in the environment and $profile in the profile", ({ source, value, ...world }) =>
    Effect.gen(function* () {
      const setting = yield* ask(world)
      expect([setting.value, AwsConfig.format(setting.source)]).toEqual([value, source])
    })
  )

  it.effect.each<World & { source: string }>([
    { environment: "not-a-boolean", source: variable },
    { environment: "1", source: variable },
    { profile: "yes", source: ofProfile }
  ])("refuses what is neither true nor false, and names $source", ({ source, ...world }) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(ask(world))
      expect(Sources.messagesOf(error)).toEqual([`AwsConfig.clockSkewCorrection: ${source} must be true or false`])
    })
  )

  it.effect("names itself when the file is refused", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(ask({ profile: "true\n[constructor]" }))
      expect(String(error)).toContain(`AwsConfig.clockSkewCorrection: the shared config file "${configFile}" must be`)
    })
  )

  it.each<[string, unknown, string]>([
    ["a file that is no path", { configFile: "" }, 'configFile must be a text that is not empty, got ""'],
    ["a profile that is no name", { profile: 3 }, "profile must be a text that is not empty, got 3"],
    ["options that are no record", null, "options must be a record, got null"]
  ])("refuses %s", (_, options, message) => {
    expect(() => AwsConfig.clockSkewCorrection(options as object)).toThrow(`AwsConfig.clockSkewCorrection: ${message}`)
  })
})
