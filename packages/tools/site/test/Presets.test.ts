import * as Aws from "@effect-retry/aws"
import * as Core from "@effect-retry/core"
import * as Google from "@effect-retry/google"
import * as Grpc from "@effect-retry/grpc"
import * as Http from "@effect-retry/http"
import { describe, expect, it } from "@effect/vitest"
import { Plan } from "@effect-retry/plan"
import { Effect } from "effect"
import * as Operations from "../src/playground/Operations.ts"
import { load } from "../src/playground/PresetClients.ts"
import { type Preset, type PresetKey, presets } from "../src/playground/Presets.ts"
import { initial } from "../src/playground/Settings.ts"

const packages: Readonly<Record<Preset["from"], object>> = {
  "@effect-retry/aws": Aws,
  "@effect-retry/core": Core,
  "@effect-retry/google": Google,
  "@effect-retry/grpc": Grpc,
  "@effect-retry/http": Http
}

const memberOf = ({ from, member }: Preset): unknown =>
  member.split(".").reduce<unknown>((found, name) => (found as Readonly<Record<string, unknown>>)[name], packages[from])

const keys = Object.keys(presets) as ReadonlyArray<PresetKey>

const planOf = (policy: unknown): string => Plan.toText(Plan.explain(policy as Plan.Explainable))

describe("Presets.presets", () => {
  it("are of every package that has policies of vendors", () => {
    expect([...new Set(Object.values(presets).map(({ from }) => from))].toSorted()).toEqual(Object.keys(packages))
  })

  const isMade = (key: PresetKey): boolean => typeof memberOf(presets[key]) === "function"

  it.each(keys.filter((key) => !isMade(key)))("%s is the value of its package", async (key) => {
    expect(planOf((await load(key)).policy)).toBe(planOf(memberOf(presets[key])))
  })

  // The page chooses the arguments, so the package has no value to compare with.
  it.each(keys.filter(isMade))("%s is made by a function of its package", async (key) => {
    expect(planOf((await load(key)).policy)).toContain("attempt")
  })

  it.each([
    ["awsStandard", Aws.AwsQuota.standard],
    ["awsStandard2020", Aws.AwsQuota.standard2020],
    ["awsLegacyJava", Aws.AwsQuota.legacyJava],
    ["awsLegacyBotocore", undefined],
    ["googleJava", undefined]
  ] as const)("%s has the bucket that belongs to it", async (key, bucket) => {
    expect((await load(key)).bucket).toBe(bucket)
  })

  it("has the service config of gRPC's proposal, with its throttle", async () => {
    const { bucket, policy } = await load("grpc")
    expect(policy.maxAttempts).toBe(4)
    expect(planOf(policy)).toContain("100ms")
    const level = bucket === undefined ? Effect.succeed(0) : Effect.flatMap(bucket, ({ level }) => level)
    expect(await Effect.runPromise(level)).toBe(10)
  })

  it.effect.each(keys)("%s ends where every attempt fails", (key) =>
    Effect.gen(function* () {
      const settings = { ...initial, failureRatio: 1, outage: 0 }
      const traffic = Operations.steady(settings, 2)
      const client = yield* Effect.promise(() => load(key))
      const operations = yield* Operations.run(client, settings, traffic)
      expect(operations.every(({ attempts, stopped }) => attempts.length > 0 && stopped !== undefined)).toBe(true)
    })
  )
})
