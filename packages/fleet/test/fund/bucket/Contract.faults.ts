import * as PostgresBucket from "@effect-retry/fleet/PostgresBucket"
import * as RedisBucket from "@effect-retry/fleet/RedisBucket"
import { TokenBucketContract } from "@effect-retry/testing"
import * as vitest from "@effect/vitest"
import * as VirtualStores from "../../VirtualStores.ts"
import { infallible, ofProcesses, orDie, store } from "./Contracts.ts"

const redis = store(VirtualStores.redis)

const postgres = store(VirtualStores.postgres)

const fixed = { rate: 1, burst: 5, leaseShare: 0, whenShort: "refuse" } as const

TokenBucketContract.suite(
  vitest,
  "RedisBucket.fixed of three processes",
  infallible((shared) => ofProcesses(RedisBucket.fixed({ ...shared, ...fixed })), redis, orDie),
  { refills: true }
)

TokenBucketContract.suite(
  vitest,
  "PostgresBucket.fixed of three processes",
  infallible((shared) => ofProcesses(PostgresBucket.fixed({ ...shared, ...fixed })), postgres, orDie),
  { refills: true }
)
