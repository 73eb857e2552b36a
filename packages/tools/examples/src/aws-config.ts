// #region config
import { AwsConfig, AwsDefaults, AwsRetry } from "@effect-retry/aws"
import { Retry } from "@effect-retry/core"
import { Effect, Layer } from "effect"

/** DynamoDB has attempts and delays of its own in every mode of 2.1. */
const presets = {
  ...AwsConfig.javascript,
  standard: AwsRetry.javascriptDynamodb,
  adaptive: { ...AwsRetry.javascriptDynamodb, rateLimiter: AwsRetry.SendRate }
}

/** Retries as the environment says. Make one for each client: it has a quota and a limiter of its own. */
const makeRetry = Effect.gen(function* () {
  const resolved = yield* AwsConfig.resolve({ service: AwsDefaults.javascript.dynamodb })
  const owned = yield* Layer.build(AwsConfig.layer(resolved))
  const policy = AwsConfig.policy(resolved, presets)
  return <A, E>(call: Effect.Effect<A, E>) => Effect.provide(Retry.retry(call, policy), owned)
})
// #endregion

import { FileSystem, Path } from "@effect/platform"
import { ConfigProvider } from "effect"

const files: Readonly<Record<string, string>> = {
  "/etc/aws/config": "[default]\nretry_mode = adaptive\nmax_attempts = 9"
}
const disk = FileSystem.layerNoop({ readFileString: (path) => Effect.succeed(files[path] ?? "") })
const environment = ConfigProvider.fromMap(
  new Map([
    ["AWS_CONFIG_FILE", "/etc/aws/config"],
    ["AWS_MAX_ATTEMPTS", "2"]
  ])
)

let calls = 0
const failing = Effect.suspend(() => {
  calls++
  return Effect.fail({ name: "InternalError", status: 500 })
})

export const program = Effect.gen(function* () {
  const { maxAttempts, mode } = yield* AwsConfig.resolve()
  const retry = yield* makeRetry
  yield* Effect.ignore(retry(failing))
  return [`${mode.value}: ${AwsConfig.format(mode.source)}`, `${calls}: ${AwsConfig.format(maxAttempts.source)}`].join(
    "\n"
  )
}).pipe(Effect.scoped, Effect.provide(Layer.merge(disk, Path.layer)), Effect.withConfigProvider(environment))

export const expected = ['adaptive: retry_mode of profile "default" in "/etc/aws/config"', "2: AWS_MAX_ATTEMPTS"].join(
  "\n"
)
