import * as Aws from "@effect-retry/aws"
import * as Core from "@effect-retry/core"
import * as Metrics from "@effect-retry/core/Metrics"
import * as Google from "@effect-retry/google"
import * as Grpc from "@effect-retry/grpc"
import * as Interceptor from "@effect-retry/grpc/Interceptor"
import * as Http from "@effect-retry/http"
import * as Planned from "@effect-retry/plan"
import * as Shared from "@effect-retry/fleet"
import * as IoRedis from "@effect-retry/fleet/IoRedis"
import * as NodeRedis from "@effect-retry/fleet/NodeRedis"
import * as PostgresBucket from "@effect-retry/fleet/PostgresBucket"
import * as PostgresClient from "@effect-retry/fleet/PostgresClient"
import * as PostgresError from "@effect-retry/fleet/PostgresError"
import * as PostgresStore from "@effect-retry/fleet/PostgresStore"
import * as RedisBucket from "@effect-retry/fleet/RedisBucket"
import * as RedisClient from "@effect-retry/fleet/RedisClient"
import * as RedisError from "@effect-retry/fleet/RedisError"
import * as RedisStore from "@effect-retry/fleet/RedisStore"
import * as Testing from "@effect-retry/testing"
import * as FaultyHttpClient from "@effect-retry/testing/FaultyHttpClient"
import * as Platform from "@effect/platform"
import { HttpApi, HttpApiClient, HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import * as OpenTelemetry from "@effect/opentelemetry"
import * as PlatformNode from "@effect/platform-node"
import * as Rpc from "@effect/rpc"
import { describe, expect, it } from "@effect/vitest"
import * as GrpcJs from "@grpc/grpc-js"
import * as Effect from "effect"
import { FastCheck, TestClock } from "effect"
import { pages, read } from "./rows.ts"

/** By their names, which two packages may share. */
const modules = new Map<string, ReadonlyArray<object>>()
for (const ours of [
  Aws,
  Core,
  { Metrics },
  Google,
  Grpc,
  { Interceptor },
  Http,
  Planned,
  Shared,
  { IoRedis, NodeRedis, RedisBucket, RedisClient, RedisError, RedisStore },
  { PostgresBucket, PostgresClient, PostgresError, PostgresStore },
  Testing,
  { FaultyHttpClient }
]) {
  for (const [name, module] of Object.entries(ours)) modules.set(name, [...(modules.get(name) ?? []), module])
}

/** Modules that Effect 4 has in other places than its index. */
const elsewhere = { FastCheck, HttpApi, HttpApiClient, HttpApiEndpoint, HttpApiGroup, TestClock }

/**
 * Names of modules of Effect and its packages, of grpc-js, of one that is no export of ours, of a service of a page, and
 * of an SDK.
 */
const others = new Set([
  ...[Effect, GrpcJs, OpenTelemetry, Platform, PlatformNode, Rpc, elsewhere, globalThis].flatMap((object) =>
    Object.getOwnPropertyNames(object)
  ),
  "Decision",
  "NodeSdk",
  "Orders",
  "Stripe"
])

/** What follows a dot in the name of a file. */
const extensions = new Set(["ts", "js", "md", "kt", "html"])

describe("names", () => {
  it.each(pages)("of values in %s exist", (page) => {
    // Lines of Effect 4 are derived and compiled where it is installed.
    const text = read(page).replaceAll(/^\+.*$/gm, "")
    const named = Array.from(text.matchAll(/\b([A-Z]\w+)\.([a-z]\w*)\b(?!\.ts)/g), ([name, module, member]) => ({
      name,
      found: modules.get(module ?? ""),
      member: member ?? ""
    }))
    const missing = named.filter(
      ({ found, member, name }) =>
        !extensions.has(member) &&
        (found === undefined ? !others.has(name.split(".")[0] ?? "") : !found.some((module) => member in module))
    )
    expect(missing.map(({ name }) => name)).toEqual([])
  })
})
