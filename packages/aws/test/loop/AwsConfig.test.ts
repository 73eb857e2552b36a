import { Error as Platform, FileSystem, Path } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { AwsConfig, AwsDefaults } from "@effect-retry/aws"
import { externalDataInterceptor } from "@smithy/shared-ini-file-loader"
import { describe, expect, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import * as FastCheck from "effect/FastCheck"
import * as Sources from "../../../core/test/support/Sources.ts"

const kotlin =
  "aws-sdk-kotlin 05ea93b, aws-runtime/aws-config/common/test/aws/sdk/kotlin/runtime/config/retries/ResolveRetryStrategyTest.kt"
const rust = "smithy-rs 56ee88c, aws/rust-runtime/aws-config/src/default_provider/retry_config.rs"
const javascript = "smithy-typescript 6815d3e, middleware-retry/configurations.spec.ts"
const botocore = "botocore 1.43.107, configprovider.py, args.py, tests/functional/test_retry.py"

/** What a program finds around it. */
interface World {
  readonly code?: AwsConfig.Options
  readonly properties?: Readonly<Record<string, string>>
  readonly environment?: Readonly<Record<string, string>>
  /** The keys of the profile `default`. */
  readonly profile?: Readonly<Record<string, string>>
  /** Files by path, in the place of one with the profile. */
  readonly files?: Readonly<Record<string, string>>
}

const missing = (path: string) =>
  new Platform.SystemError({
    reason: "NotFound",
    module: "FileSystem",
    method: "readFileString",
    pathOrDescriptor: path
  })

interface Disk {
  readonly layer: Layer.Layer<FileSystem.FileSystem | Path.Path>
  readonly read: ReadonlyArray<string>
}

const disk = (files: Readonly<Record<string, string>>): Disk => {
  const read: Array<string> = []
  const layer = FileSystem.layerNoop({
    readFileString: (path) =>
      Effect.suspend(() => {
        read.push(path)
        const text = files[path]
        return text === undefined ? Effect.fail(missing(path)) : Effect.succeed(text)
      })
  })
  return { layer: Layer.merge(layer, Path.layer), read }
}

const home = "/home/ada"
const file = `${home}/.aws/config`

const filesOf = ({ files, profile }: World): Readonly<Record<string, string>> =>
  files ??
  (profile === undefined
    ? {}
    : {
        [file]: ["[default]", ...Object.entries(profile).map(([key, value]) => `${key} = ${value}`)].join("\n")
      })

const providerOf = ({ environment = {}, properties = {} }: World) =>
  ConfigProvider.fromMap(new Map(Object.entries({ HOME: home, ...environment, ...properties })))

const resolve = (world: World) =>
  AwsConfig.resolve(world.code).pipe(
    Effect.provide(disk(filesOf(world)).layer),
    Effect.withConfigProvider(providerOf(world))
  )

const values = ({ behaviour, maxAttempts, mode }: AwsConfig.Resolved) => ({
  mode: mode.value,
  maxAttempts: maxAttempts.value,
  behaviour: behaviour.value
})

/** What a refusal says, one line for each setting. */
const lines = Sources.messagesOf

describe("AwsConfig.resolve", () => {
  it.effect.each<World & { expected: Partial<ReturnType<typeof values>>; source: string }>([
    { source: `${rust}; ${kotlin}`, expected: { mode: "standard", maxAttempts: 3 } },
    {
      source: kotlin,
      environment: { AWS_MAX_ATTEMPTS: "50" },
      expected: { mode: "standard", maxAttempts: 50 }
    },
    { source: kotlin, properties: { "aws.maxAttempts": "10" }, expected: { maxAttempts: 10 } },
    { source: kotlin, profile: { max_attempts: "30" }, expected: { maxAttempts: 30 } },
    {
      source: rust,
      environment: { AWS_MAX_ATTEMPTS: "42", AWS_RETRY_MODE: "standard" },
      profile: { max_attempts: "88", retry_mode: "standard" },
      expected: { mode: "standard", maxAttempts: 42 }
    },
    // What a higher source has is not even looked at in a lower one.
    {
      source: kotlin,
      environment: { AWS_RETRY_MODE: "standard" },
      profile: { max_attempts: "33", retry_mode: "invalid-retry-mode-should-be-ignored" },
      expected: { mode: "standard", maxAttempts: 33 }
    },
    {
      source: kotlin,
      environment: { AWS_RETRY_MODE: "standard", AWS_MAX_ATTEMPTS: "40" },
      profile: { max_attempts: "55", retry_mode: "invalid-retry-mode-should-be-ignored" },
      expected: { mode: "standard", maxAttempts: 40 }
    },
    { source: kotlin, environment: { AWS_RETRY_MODE: "adaptive" }, expected: { mode: "adaptive", maxAttempts: 3 } },
    {
      source: kotlin,
      environment: { AWS_MAX_ATTEMPTS: "16", AWS_RETRY_MODE: "lEgACY" },
      expected: { mode: "legacy", maxAttempts: 16 }
    },
    {
      source: kotlin,
      profile: { max_attempts: "19", retry_mode: "aDAPtive" },
      expected: { mode: "adaptive", maxAttempts: 19 }
    },
    {
      source: kotlin,
      environment: { AWS_MAX_ATTEMPTS: "1", AWS_RETRY_MODE: "legacy" },
      expected: { mode: "legacy", maxAttempts: 1 }
    },
    { source: javascript, environment: { AWS_MAX_ATTEMPTS: "" }, expected: { maxAttempts: 3 } },
    { source: javascript, code: { service: { maxAttempts: 5 } }, expected: { maxAttempts: 5 } },
    {
      source: javascript,
      code: { service: { maxAttempts: 5 }, maxAttempts: 2 },
      expected: { maxAttempts: 2 }
    },
    {
      source: `${botocore}; ${rust}`,
      code: { sdk: AwsDefaults.botocore },
      environment: { AWS_NEW_RETRIES_2026: "true" },
      expected: { behaviour: "2.1", mode: "standard", maxAttempts: 3 }
    },
    {
      source: rust,
      code: { sdk: AwsDefaults.rust },
      environment: { AWS_NEW_RETRIES_2026: "True" },
      expected: { behaviour: "2.1" }
    },
    { source: botocore, environment: { AWS_NEW_RETRIES_2026: "false" }, expected: { behaviour: "2.0" } },
    {
      source: `${botocore}; ${rust}`,
      code: { sdk: AwsDefaults.botocore },
      expected: { behaviour: "2.0", mode: "legacy", maxAttempts: 5 }
    },
    { source: "@smithy/core 3.40.0, CHANGELOG.md", expected: { behaviour: "2.1" } },
    {
      source: botocore,
      code: { sdk: AwsDefaults.botocore, service: AwsDefaults.botocore.dynamodb },
      expected: { mode: "legacy", maxAttempts: 10 }
    }
  ])("follows the SDKs: $source, $environment $properties $profile", ({ expected, ...world }) =>
    Effect.gen(function* () {
      expect(values(yield* resolve(world))).toMatchObject(expected)
    })
  )

  it.effect.each(["standard", "STANDARD", "StAnDaRd", "  standard ", "   STANDARD  "])(
    "reads a mode in any case, with white space around it: %j",
    (text) =>
      // Source: smithy-rs 56ee88c, rust-runtime/aws-smithy-types/src/retry.rs.
      Effect.gen(function* () {
        const world = { code: { sdk: AwsDefaults.rust }, environment: { AWS_RETRY_MODE: text } }
        expect((yield* resolve(world)).mode).toEqual({
          value: "standard",
          source: { _tag: "Environment", name: "AWS_RETRY_MODE" }
        })
      })
  )

  const everywhere = {
    code: { mode: "standard", maxAttempts: 2, behaviour: "2.0", service: { mode: "adaptive", maxAttempts: 9 } },
    properties: {
      "aws.retryMode": "adaptive",
      "aws.maxAttempts": "3",
      "com.amazonaws.sdk.retryMode": "legacy",
      "com.amazonaws.sdk.maxAttempts": "4",
      "smithy.newRetries2026": "true"
    },
    environment: {
      AWS_RETRY_MODE: "standard",
      AWS_MAX_ATTEMPTS: "5",
      AWS_NEW_RETRIES_2026: "false",
      SMITHY_NEW_RETRIES_2026: "true"
    },
    profile: { retry_mode: "adaptive", max_attempts: "6" }
  } satisfies World

  const property = (name: string) => ({ _tag: "Property", name }) as const
  const variable = (name: string) => ({ _tag: "Environment", name }) as const
  const key = (name: string) => ({ _tag: "Profile", name, profile: "default", file }) as const
  const code = { _tag: "Code" } as const
  const service = { _tag: "Service" } as const
  const sdk = { _tag: "Default" } as const

  const without = <A extends object>(record: A, ...names: ReadonlyArray<string>) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)))

  const { mode: _mode, maxAttempts: _maxAttempts, behaviour: _behaviour, ...onlyService } = everywhere.code
  const inProperties = { ...everywhere, code: onlyService }
  const inOlder = { ...inProperties, properties: without(inProperties.properties, "aws.retryMode", "aws.maxAttempts") }
  const inEnvironment = { ...inProperties, properties: {} }
  const inProfile = { ...inEnvironment, environment: { SMITHY_NEW_RETRIES_2026: "true" } }

  it.effect.each<{ at: string; world: World; expected: AwsConfig.Resolved }>([
    {
      at: "the code",
      world: everywhere,
      expected: {
        mode: { value: "standard", source: code },
        maxAttempts: { value: 2, source: code },
        behaviour: { value: "2.0", source: code }
      }
    },
    {
      at: "the properties",
      world: inProperties,
      expected: {
        mode: { value: "adaptive", source: property("aws.retryMode") },
        maxAttempts: { value: 3, source: property("aws.maxAttempts") },
        behaviour: { value: "2.1", source: property("smithy.newRetries2026") }
      }
    },
    {
      at: "the properties of the first SDK for Java",
      world: inOlder,
      expected: {
        mode: { value: "legacy", source: property("com.amazonaws.sdk.retryMode") },
        maxAttempts: { value: 4, source: property("com.amazonaws.sdk.maxAttempts") },
        behaviour: { value: "2.1", source: property("smithy.newRetries2026") }
      }
    },
    {
      at: "the environment",
      world: inEnvironment,
      expected: {
        mode: { value: "standard", source: variable("AWS_RETRY_MODE") },
        maxAttempts: { value: 5, source: variable("AWS_MAX_ATTEMPTS") },
        behaviour: { value: "2.0", source: variable("AWS_NEW_RETRIES_2026") }
      }
    },
    {
      at: "the profile",
      world: inProfile,
      expected: {
        mode: { value: "adaptive", source: key("retry_mode") },
        maxAttempts: { value: 6, source: key("max_attempts") },
        behaviour: { value: "2.1", source: variable("SMITHY_NEW_RETRIES_2026") }
      }
    },
    {
      at: "the defaults of the service",
      world: { code: onlyService },
      expected: {
        mode: { value: "adaptive", source: service },
        maxAttempts: { value: 9, source: service },
        behaviour: { value: "2.1", source: sdk }
      }
    },
    {
      at: "the defaults of the SDK",
      world: {},
      expected: {
        mode: { value: "standard", source: sdk },
        maxAttempts: { value: 3, source: sdk },
        behaviour: { value: "2.1", source: sdk }
      }
    },
    {
      at: "a source of its own for each",
      world: {
        code: { mode: "adaptive" },
        environment: { AWS_NEW_RETRIES_2026: "false" },
        profile: { max_attempts: "7" }
      },
      expected: {
        mode: { value: "adaptive", source: code },
        maxAttempts: { value: 7, source: key("max_attempts") },
        behaviour: { value: "2.0", source: variable("AWS_NEW_RETRIES_2026") }
      }
    }
  ])("names the source: $at", ({ expected, world }) =>
    Effect.gen(function* () {
      expect(yield* resolve(world)).toEqual(expected)
    })
  )

  const modes = "one of standard, adaptive, legacy"
  const attempts = "a whole number >= 1 and <= 2147483647"
  const ofProfile = (name: string) => `${name} of profile "default" in "${file}"`

  it.effect.each<{ world: World; expected: ReadonlyArray<string> }>([
    ...[
      "-91",
      "-5",
      "0",
      "not an integer",
      "3abc",
      "1.5",
      "3.0",
      "1e2",
      "0x10",
      "+3",
      "NaN",
      "Infinity",
      "2147483648",
      " ",
      "٣"
    ].map((text) => ({
      world: { environment: { AWS_MAX_ATTEMPTS: text } },
      expected: [`AWS_MAX_ATTEMPTS must be ${attempts}`]
    })),
    ...["unsupported-retry-mode", "std", "aws", "s t a n d a r d", "a d a p t i v e", "constructor", " "].map(
      (text) => ({
        world: { environment: { AWS_RETRY_MODE: text } },
        expected: [`AWS_RETRY_MODE must be ${modes}`]
      })
    ),
    ...["1", "yes", "truee", " ", "2.1"].map((text) => ({
      world: { environment: { AWS_NEW_RETRIES_2026: text } },
      expected: ["AWS_NEW_RETRIES_2026 must be true or false"]
    })),
    {
      world: { environment: { SMITHY_NEW_RETRIES_2026: "on" } },
      expected: ["SMITHY_NEW_RETRIES_2026 must be true or false"]
    },
    {
      world: { code: { sdk: AwsDefaults.rust }, environment: { AWS_RETRY_MODE: "legacy" } },
      expected: ["AWS_RETRY_MODE must be one of standard, adaptive"]
    },
    { world: { properties: { "aws.maxAttempts": "0" } }, expected: [`aws.maxAttempts must be ${attempts}`] },
    { world: { properties: { "aws.retryMode": "fast" } }, expected: [`aws.retryMode must be ${modes}`] },
    {
      world: { properties: { "com.amazonaws.sdk.maxAttempts": "none" } },
      expected: [`com.amazonaws.sdk.maxAttempts must be ${attempts}`]
    },
    {
      world: { properties: { "com.amazonaws.sdk.retryMode": "fast" } },
      expected: [`com.amazonaws.sdk.retryMode must be ${modes}`]
    },
    {
      world: { properties: { "smithy.newRetries2026": "2026" } },
      expected: ["smithy.newRetries2026 must be true or false"]
    },
    { world: { profile: { max_attempts: "potato" } }, expected: [`${ofProfile("max_attempts")} must be ${attempts}`] },
    {
      world: { profile: { max_attempts: "30", retry_mode: "unsupported-retry-mode" } },
      expected: [`${ofProfile("retry_mode")} must be ${modes}`]
    },
    {
      world: {
        environment: { AWS_RETRY_MODE: "fast", AWS_NEW_RETRIES_2026: "maybe" },
        profile: { max_attempts: "potato" }
      },
      expected: [
        `AWS_RETRY_MODE must be ${modes}`,
        `${ofProfile("max_attempts")} must be ${attempts}`,
        "AWS_NEW_RETRIES_2026 must be true or false"
      ]
    }
  ])("names every bad setting and its source: $world", ({ expected, world }) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(resolve(world))
      expect(lines(error)).toEqual(expected.map((line) => `AwsConfig.resolve: ${line}`))
    })
  )

  it.effect("shows no text that it refuses", () =>
    Effect.gen(function* () {
      const secret = "wJalrXUtnFEMI/K7MDENG"
      const world = {
        environment: { AWS_RETRY_MODE: secret, AWS_NEW_RETRIES_2026: secret },
        profile: { max_attempts: secret }
      }
      const error = yield* Effect.flip(resolve(world))
      expect(String(error)).not.toContain(secret)
      expect(JSON.stringify(error)).not.toContain(secret)
    })
  )

  it.each<[string, unknown, string]>([
    ["options that are no record", 3, "options must be a record, got 3"],
    ["an option that there is not", { maxAttempt: 3 }, "maxAttempt must be absent (did you mean maxAttempts?), got 3"],
    ["no attempt", { maxAttempts: 0 }, `maxAttempts must be ${attempts}, got 0`],
    ["half an attempt", { maxAttempts: 1.5 }, `maxAttempts must be ${attempts}, got 1.5`],
    ["a mode in capitals", { mode: "STANDARD" }, `mode must be ${modes}, got "STANDARD"`],
    [
      "a mode that the SDK does not have",
      { mode: "legacy", sdk: AwsDefaults.go },
      'mode must be one of standard, adaptive, got "legacy"'
    ],
    ["a profile without a name", { profile: "" }, 'profile must be a text that is not empty, got ""'],
    ["a file that is no path", { configFile: 3 }, "configFile must be a text that is not empty, got 3"],
    ["another behaviour", { behaviour: "3.0" }, 'behaviour must be one of 2.0, 2.1, got "3.0"'],
    ["a service's bad mode", { service: { mode: "fast" } }, `service.mode must be ${modes}, got "fast"`],
    ["a service's bad attempts", { service: { maxAttempts: 0 } }, `service.maxAttempts must be ${attempts}, got 0`],
    ["a service that is no record", { service: 3 }, "service must be a record of defaults, got 3"],
    ["no service", { service: null }, "service must be a record of defaults, got null"],
    [
      "attempts of a service in a text",
      { service: { maxAttempts: "9" } },
      'service.maxAttempts must be a number, or a record of numbers by behaviour and mode, got "9"'
    ],
    [
      "a service's bad attempts in one mode",
      { service: { maxAttempts: { "2.1": { standard: -4 } } } },
      `service.maxAttempts.2.1.standard must be ${attempts}, got -4`
    ],
    [
      "attempts of a service without modes",
      { service: { maxAttempts: { "2.0": 3 } } },
      "service.maxAttempts.2.0 must be a record of numbers by mode, got 3"
    ],
    ["no SDK", { sdk: null }, "sdk must be one of AwsDefaults, or a record like those, got null"],
    [
      "an SDK without its defaults",
      { sdk: {} },
      "sdk must be one of AwsDefaults, or a record like those, got an object"
    ],
    [
      "an SDK of another behaviour",
      { sdk: { ...AwsDefaults.go, behaviour: "3.0" } },
      'sdk.behaviour must be one of 2.0, 2.1, got "3.0"'
    ],
    [
      "an SDK with a default mode that it does not have",
      { sdk: { ...AwsDefaults.go, mode: AwsDefaults.java.mode } },
      'sdk.mode.2.0 must be one of standard, adaptive, got "legacy"'
    ],
    [
      "an SDK with bad attempts",
      { sdk: { ...AwsDefaults.go, maxAttempts: { standard: 3, adaptive: 0 } } },
      `sdk.maxAttempts.adaptive must be ${attempts}, got 0`
    ]
  ])("refuses %s in the code", (_, options, message) => {
    expect(() => AwsConfig.resolve(options as AwsConfig.Options)).toThrow(`AwsConfig.resolve: ${message}`)
  })

  it.effect("reads properties as paths of the provider", () =>
    Effect.gen(function* () {
      const provider = ConfigProvider.fromJson({
        aws: { retryMode: "adaptive", maxAttempts: 7 },
        smithy: { newRetries2026: false }
      })
      const resolved = yield* AwsConfig.resolve().pipe(
        Effect.provide(disk({}).layer),
        Effect.withConfigProvider(provider)
      )
      expect(values(resolved)).toEqual({ mode: "adaptive", maxAttempts: 7, behaviour: "2.0" })
    })
  )
})

describe("AwsConfig.resolve and the shared config file", () => {
  const text = [
    "# of the team",
    "[default]",
    "region = eu-central-1",
    "retry_mode = adaptive ; for the nightly job",
    "s3 =",
    "  max_attempts = 8",
    "[profile batch]",
    "max_attempts=6",
    "[profile 'with quotes']",
    "max_attempts=7",
    "[batch]",
    "max_attempts=99",
    "[services batch]",
    "max_attempts=98"
  ].join("\r\n")

  it.effect.each<{ name: string; world: World; expected: Partial<ReturnType<typeof values>> }>([
    {
      name: "of the profile default",
      world: { files: { [file]: text } },
      expected: { mode: "adaptive", maxAttempts: 3 }
    },
    {
      name: "of the profile that the code names",
      world: { code: { profile: "batch" }, environment: { AWS_PROFILE: "default" }, files: { [file]: text } },
      expected: { mode: "standard", maxAttempts: 6 }
    },
    {
      name: "of AWS_PROFILE",
      world: { environment: { AWS_PROFILE: "batch" }, files: { [file]: text } },
      expected: { maxAttempts: 6 }
    },
    {
      name: "of the property aws.profile",
      world: {
        properties: { "aws.profile": "batch" },
        environment: { AWS_PROFILE: "default" },
        files: { [file]: text }
      },
      expected: { maxAttempts: 6 }
    },
    {
      name: "of a profile that there is not",
      world: { environment: { AWS_PROFILE: "nightly" }, files: { [file]: text } },
      expected: { mode: "standard", maxAttempts: 3 }
    },
    {
      name: "in the file that the code names",
      world: {
        code: { configFile: "/etc/code" },
        environment: { AWS_CONFIG_FILE: "/etc/environment" },
        files: { "/etc/code": "[default]\nmax_attempts = 2", "/etc/environment": text }
      },
      expected: { mode: "standard", maxAttempts: 2 }
    },
    {
      name: "in the file of AWS_CONFIG_FILE",
      world: { environment: { AWS_CONFIG_FILE: "/etc/environment" }, files: { "/etc/environment": text } },
      expected: { mode: "adaptive" }
    },
    {
      name: "in the file of the property aws.configFile",
      world: {
        properties: { "aws.configFile": "/etc/property" },
        environment: { AWS_CONFIG_FILE: "/etc/environment" },
        files: { "/etc/property": "[default]\nmax_attempts = 2", "/etc/environment": text }
      },
      expected: { maxAttempts: 2 }
    },
    {
      name: "in a file below the home directory",
      world: { environment: { AWS_CONFIG_FILE: "~/aws" }, files: { [`${home}/aws`]: text } },
      expected: { mode: "adaptive" }
    },
    {
      name: "in the home directory of Windows",
      world: {
        environment: { HOME: "", USERPROFILE: "/users/ada" },
        files: { "/users/ada/.aws/config": text }
      },
      expected: { mode: "adaptive" }
    },
    {
      name: "in the home directory of a drive",
      world: {
        environment: { HOME: "", HOMEDRIVE: "/d", HOMEPATH: "/ada" },
        files: { "/d/ada/.aws/config": text }
      },
      expected: { mode: "adaptive" }
    },
    {
      name: "nowhere, without a home directory",
      world: { environment: { HOME: "" }, files: { [file]: text, "/.aws/config": text } },
      expected: { mode: "standard" }
    },
    {
      name: "in a file that does not exist",
      world: { environment: { AWS_CONFIG_FILE: "/no" } },
      expected: { mode: "standard" }
    },
    {
      name: "of a profile called default, before the default itself",
      world: { files: { [file]: "[profile default]\nmax_attempts = 2\n[default]\nmax_attempts = 4" } },
      expected: { maxAttempts: 2 }
    }
  ])("reads the keys $name", ({ expected, world }) =>
    Effect.gen(function* () {
      expect(values(yield* resolve(world))).toMatchObject(expected)
    })
  )

  it.effect("reads the file once, and not at all when no setting is left to look for", () =>
    Effect.gen(function* () {
      const { layer, read } = disk({ [file]: text })
      const run = (world: World) =>
        AwsConfig.resolve(world.code).pipe(Effect.provide(layer), Effect.withConfigProvider(providerOf(world)))
      yield* run({ code: { mode: "standard" }, environment: { AWS_MAX_ATTEMPTS: "3" } })
      expect(read).toEqual([])
      yield* run({})
      expect(read).toEqual([file])
    })
  )

  it.effect("sees what was written in between: the library's cache holds nothing of it", () =>
    Effect.gen(function* () {
      const files = { [file]: "[default]\nmax_attempts = 2" }
      const run = AwsConfig.resolve().pipe(Effect.provide(disk(files).layer), Effect.withConfigProvider(providerOf({})))
      expect((yield* run).maxAttempts.value).toBe(2)
      files[file] = "[default]\nmax_attempts = 9"
      expect((yield* run).maxAttempts.value).toBe(9)
    })
  )

  it.effect("leaves the library's record of texts as it found it", () =>
    Effect.gen(function* () {
      externalDataInterceptor.interceptFile(file, "[default]\nmax_attempts = 99")
      const before = externalDataInterceptor.getFileRecord()[file]
      expect(values(yield* resolve({ profile: { max_attempts: "4" } })).maxAttempts).toBe(4)
      expect(Object.entries(externalDataInterceptor.getFileRecord())).toEqual([[file, before]])
      delete externalDataInterceptor.getFileRecord()[file]
    })
  )

  it.effect("reads two files at once without mixing them", () =>
    Effect.gen(function* () {
      const worlds = Array.from({ length: 20 }, (_, index) => ({ profile: { max_attempts: String(index + 1) } }))
      const resolved = yield* Effect.forEach(worlds, resolve, { concurrency: "unbounded" })
      expect(resolved.map(({ maxAttempts }) => maxAttempts.value)).toEqual(worlds.map((_, index) => index + 1))
    })
  )

  const refused = (why: string) => `AwsConfig.resolve: the shared config file "${file}" ${why}`
  const sections = "must be without a section named after a member of every object"

  it.effect.each([
    ["constructor", "[constructor]\nkeys = 1", sections],
    ["a comment beside it", "[default]\n  [toString] # of mine\nmax_attempts = 2", sections],
    ["__proto__", "[__proto__]\nmax_attempts = 2", sections],
    ["a profile __proto__", "[profile __proto__]\nmax_attempts = 2", sections],
    ["a megabyte and more", `# ${"x".repeat(1_048_576)}`, "must be at most 1048576 characters long"]
  ] as const)("refuses a file, once for all settings: %s", ([, text, why]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(resolve({ files: { [file]: text } }))
      expect(lines(error)).toEqual([refused(why)])
      expect(typeof Object.keys).toBe("function")
    })
  )

  it.effect("reads a long file of blank lines", () =>
    Effect.gen(function* () {
      const text = `${"\n".repeat(1_000_000)}[default]\nmax_attempts = 2`
      expect((yield* resolve({ files: { [file]: text } })).maxAttempts.value).toBe(2)
    })
  )

  it.effect.each(["profile.__proto__", "__proto__", "constructor", "hasOwnProperty", "max_attempts"])(
    "finds no keys in a profile that is not one: %s",
    (profile) =>
      Effect.gen(function* () {
        const world = {
          code: { profile },
          files: { [file]: "[profile.__proto__]\nmax_attempts = 2\n[default]\nx = 1" }
        }
        expect((yield* resolve(world)).maxAttempts.source._tag).toBe("Default")
      })
  )

  const word = FastCheck.oneof(
    FastCheck.constantFrom(...Object.getOwnPropertyNames(Object.prototype), "profile", "default", "max_attempts"),
    FastCheck.string({ minLength: 1, maxLength: 8 })
  )
  const line = FastCheck.oneof(
    FastCheck.array(word, { minLength: 1, maxLength: 3 }).map((words) => `[${words.join(" ")}]`),
    FastCheck.tuple(word, word).map(([key, value]) => `${key} = ${value}`),
    FastCheck.tuple(word, word).map(([key, value]) => `  ${key} =\n    ${value} = 1`),
    FastCheck.string({ unit: FastCheck.constantFrom(..."[]=#; '\"\n\r\tprofile_") })
  )

  it.effect.prop(
    "leaves the objects of the language alone, whatever is in the file",
    [FastCheck.array(line, { maxLength: 12 }), word],
    ([written, profile]) =>
      Effect.gen(function* () {
        const members = () =>
          [Object, Object.prototype, Object.prototype.toString].map((each) => Object.getOwnPropertyNames(each).join())
        const before = members()
        const keys = Object.keys
        yield* Effect.either(resolve({ code: { profile }, files: { [file]: written.join("\n") } }))
        expect(members()).toEqual(before)
        expect(Object.keys).toBe(keys)
      }),
    { fastCheck: { numRuns: 60 } }
  )

  it.effect("fails when the file exists and cannot be read", () =>
    Effect.gen(function* () {
      const denied = new Platform.SystemError({
        reason: "PermissionDenied",
        module: "FileSystem",
        method: "readFileString",
        pathOrDescriptor: file
      })
      const files = FileSystem.layerNoop({ readFileString: () => Effect.fail(denied) })
      const error = yield* AwsConfig.resolve().pipe(
        Effect.provide(Layer.merge(files, Path.layer)),
        Effect.withConfigProvider(providerOf({})),
        Effect.flip
      )
      expect(lines(error)).toEqual([refused("cannot be read: PermissionDenied")])
      expect(Sources.causeOf(error)).toBe(denied)
    })
  )

  it.scopedLive("reads a file of Node's file system", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const directory = yield* files.makeTempDirectoryScoped()
      const path = `${directory}/config`
      yield* files.writeFileString(path, text)
      const resolved = yield* AwsConfig.resolve({ configFile: path, profile: "batch" })
      expect(resolved.maxAttempts).toEqual({
        value: 6,
        source: { _tag: "Profile", name: "max_attempts", profile: "batch", file: path }
      })
      const error = yield* Effect.flip(AwsConfig.resolve({ configFile: directory }))
      expect(String(error)).toContain(`the shared config file ${JSON.stringify(directory)} cannot be read:`)
    }).pipe(Effect.provide(NodeContext.layer), Effect.withConfigProvider(providerOf({})))
  )
})

describe("AwsConfig.fromBotocore", () => {
  it.each<[AwsConfig.Botocore, Partial<AwsConfig.Options>]>([
    // Source: botocore 1.43.107, args.py.
    [{ max_attempts: 1 }, { maxAttempts: 2 }],
    [{ total_max_attempts: 3, max_attempts: 9 }, { maxAttempts: 3 }],
    [{ max_attempts: 0 }, { maxAttempts: 1 }],
    [{ mode: "adaptive" }, { mode: "adaptive" }],
    [{}, {}]
  ])("counts the first attempt, too: %j", (retries, expected) => {
    expect(AwsConfig.fromBotocore(retries)).toEqual(expected)
  })

  it.each<[AwsConfig.Botocore, string]>([
    [{ max_attempts: -1 }, "max_attempts must be a whole number >= 0 and <= 2147483646, got -1"],
    [{ total_max_attempts: 0 }, "total_max_attempts must be a whole number >= 1 and <= 2147483647, got 0"],
    [{ mode: "fast" as "standard" }, 'mode must be one of standard, adaptive, legacy, got "fast"']
  ])("refuses %j", (retries, message) => {
    expect(() => AwsConfig.fromBotocore(retries)).toThrow(`AwsConfig.fromBotocore: ${message}`)
  })

  it.effect("gives the attempts of a legacy mode of botocore, without and with DynamoDB", () =>
    Effect.gen(function* () {
      const { botocore } = AwsDefaults
      const retries = (service: AwsDefaults.Service) =>
        Effect.map(resolve({ code: { sdk: botocore, service } }), ({ maxAttempts }) => maxAttempts.value - 1)
      expect([yield* retries({}), yield* retries(botocore.dynamodb)]).toEqual([4, 9])
    })
  )
})

describe("AwsDefaults", () => {
  const { botocore, cpp, go, java, javascript, kotlin, php, ruby, rust } = AwsDefaults
  const sdks = { botocore, cpp, go, java, javascript, kotlin, php, ruby, rust }

  it.effect.each<[keyof typeof sdks, string, number, number, number]>([
    // Source: AWS SDKs and Tools reference guide, "Retry behavior"; the packages named at the table.
    ["javascript", "standard", 3, 3, 4],
    ["kotlin", "standard", 3, 3, 4],
    ["rust", "standard", 3, 3, 4],
    ["go", "standard", 3, 3, 4],
    ["botocore", "legacy", 5, 3, 4],
    ["java", "legacy", 4, 3, 4],
    ["ruby", "legacy", 4, 3, 4],
    ["php", "legacy", 4, 3, 4],
    ["cpp", "legacy", 11, 3, 4]
  ])("has the defaults of 2.0 and 2.1, and of DynamoDB in 2.1: %s", ([name, mode, before, now, dynamodb]) =>
    Effect.gen(function* () {
      const sdk = sdks[name]
      const old = yield* resolve({ code: { sdk, behaviour: "2.0" } })
      expect([old.mode.value, old.maxAttempts.value]).toEqual([mode, before])
      const current = yield* resolve({ code: { sdk, behaviour: "2.1" } })
      expect([current.mode.value, current.maxAttempts.value]).toEqual(["standard", now])
      const table = yield* resolve({ code: { sdk, behaviour: "2.1", service: sdk.dynamodb } })
      expect(table.maxAttempts).toEqual({ value: dynamodb, source: { _tag: "Service" } })
    })
  )
})

describe("AwsConfig.format", () => {
  it.each<[AwsConfig.Source, string]>([
    [{ _tag: "Code" }, "the code"],
    [{ _tag: "Property", name: "aws.retryMode" }, "aws.retryMode"],
    [{ _tag: "Environment", name: "AWS_RETRY_MODE" }, "AWS_RETRY_MODE"],
    [
      { _tag: "Profile", name: "retry_mode", profile: "a\nb", file: '/tmp/"x"' },
      String.raw`retry_mode of profile "a\nb" in "/tmp/\"x\""`
    ],
    [{ _tag: "Service" }, "the service's default"],
    [{ _tag: "Default" }, "the SDK's default"]
  ])("says where a setting is from: %j", (source, expected) => {
    expect(AwsConfig.format(source)).toBe(expected)
  })
})
