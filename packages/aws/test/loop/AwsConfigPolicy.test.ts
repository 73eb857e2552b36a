import { AwsConfig, AwsQuota, AwsRetry, SdkRetryStrategy } from "@effect-retry/aws"
import { Retry } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

const configured = (
  behaviour: AwsConfig.Behaviour,
  mode: AwsConfig.Mode,
  maxAttempts: number = 3
): AwsConfig.Resolved => ({
  mode: { value: mode, source: { _tag: "Code" } },
  maxAttempts: { value: maxAttempts, source: { _tag: "Code" } },
  behaviour: { value: behaviour, source: { _tag: "Code" } }
})

describe("AwsConfig.policy", () => {
  it.each<[AwsConfig.Behaviour, AwsConfig.Mode, object]>([
    ["2.1", "standard", AwsRetry.standard],
    ["2.1", "adaptive", AwsRetry.adaptive],
    ["2.1", "legacy", AwsRetry.standard],
    ["2.0", "standard", AwsRetry.standard2020],
    ["2.0", "adaptive", { ...AwsRetry.standard2020, rateLimiter: AwsRetry.SendRate }],
    ["2.0", "legacy", AwsRetry.standard2020]
  ])("is the preset of %s %s, with the number of attempts", (behaviour, mode, expected) => {
    expect(AwsConfig.policy(configured(behaviour, mode, 7))).toEqual({ ...expected, maxAttempts: 7 })
  })

  it.each<[AwsConfig.Behaviour, AwsConfig.Mode, object]>([
    ["2.1", "standard", AwsRetry.javascript],
    ["2.1", "adaptive", { ...AwsRetry.javascript, rateLimiter: AwsRetry.SendRate }],
    ["2.1", "legacy", AwsRetry.javascript],
    ["2.0", "standard", AwsRetry.standard2020]
  ])("is what the SDK for JavaScript does: %s %s", (behaviour, mode, expected) => {
    expect(AwsConfig.policy(configured(behaviour, mode), AwsConfig.javascript)).toEqual({ ...expected, maxAttempts: 3 })
  })

  it.effect("makes a strategy for a client of the SDK", () =>
    Effect.gen(function* () {
      const resolved = configured("2.1", "adaptive", 5)
      const strategy = yield* SdkRetryStrategy.make(AwsConfig.policy(resolved, AwsConfig.javascript)).pipe(
        Effect.provide(AwsConfig.layer(resolved))
      )
      expect([strategy.mode, yield* Effect.promise(strategy.maxAttempts)]).toEqual(["adaptive", 5])
    })
  )

  it.each<[AwsConfig.Behaviour, AwsConfig.Mode, object]>([
    ["2.1", "standard", AwsRetry.dynamodb],
    ["2.1", "legacy", AwsRetry.legacyBotocore],
    ["2.0", "legacy", AwsRetry.legacyBotocore],
    ["2.1", "adaptive", AwsRetry.adaptive]
  ])("takes presets of the caller: %s %s", (behaviour, mode, expected) => {
    const presets = { ...AwsConfig.presets, standard: AwsRetry.dynamodb, legacy: AwsRetry.legacyBotocore }
    expect(AwsConfig.policy(configured(behaviour, mode), presets)).toEqual({ ...expected, maxAttempts: 3 })
  })

  it("requires what any of the presets requires, and fails with what any of them adds", () => {
    const call: Effect.Effect<number, "down"> = Effect.fail("down")
    const program = () => Retry.retry(call, AwsConfig.policy(configured("2.1", "standard")))
    expectTypeOf(program).returns.toEqualTypeOf<
      Effect.Effect<number, "down" | Retry.AttemptRefused, AwsRetry.Quota | AwsRetry.SendRate>
    >()
    const presets = { standard: AwsRetry.standard, adaptive: AwsRetry.standard, standard2020: AwsRetry.standard2020 }
    const standard = () =>
      Retry.retry(
        call,
        AwsConfig.policy(configured("2.1", "standard"), { ...presets, adaptive2020: AwsRetry.standard2020 })
      )
    expectTypeOf(standard).returns.toEqualTypeOf<Effect.Effect<number, "down", AwsRetry.Quota>>()
  })
})

describe("AwsConfig.layer", () => {
  const failure = { name: "InternalFailure", $metadata: { httpStatusCode: 500 } }

  it.effect.each([
    ["2.1", 500 - 14 * 2],
    ["2.0", 500 - 5 * 2]
  ] as const)("has the quota of the behaviour, and serves every preset: %s", ([behaviour, level]) =>
    Effect.gen(function* () {
      for (const mode of ["standard", "adaptive", "legacy"] as const) {
        const resolved = configured(behaviour, mode)
        const left = Effect.gen(function* () {
          yield* Effect.ignore(Retry.retry(Effect.fail(failure), AwsConfig.policy(resolved)))
          return yield* Effect.flatMap(AwsRetry.Quota, (quota) => quota.level)
        })
        expect(yield* VirtualClock.run(Effect.provide(left, AwsConfig.layer(resolved)))).toBe(level)
      }
    })
  )

  it.effect("makes a new quota for every build", () =>
    Effect.gen(function* () {
      const layer = AwsConfig.layer(configured("2.1", "standard"))
      const quota = Effect.provide(AwsRetry.Quota, layer)
      expect(yield* quota).not.toBe(yield* quota)
      const capacity = yield* Effect.flatMap(AwsQuota.standard, (quota) => quota.level)
      expect(
        yield* Effect.provide(
          Effect.flatMap(AwsRetry.Quota, (quota) => quota.level),
          Layer.fresh(layer)
        )
      ).toBe(capacity)
    })
  )
})
