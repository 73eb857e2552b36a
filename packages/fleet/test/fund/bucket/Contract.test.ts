import * as PostgresBucket from "@effect-retry/fleet/PostgresBucket"
import * as RedisBucket from "@effect-retry/fleet/RedisBucket"
import { TokenBucketContract } from "@effect-retry/testing"
import * as vitest from "@effect/vitest"
import * as VirtualStores from "../../VirtualStores.ts"
import { infallible, ofProcesses, orDie, store } from "./Contracts.ts"

const redis = store(VirtualStores.redis)

const postgres = store(VirtualStores.postgres)

/**
 * The burst, and what the process may hold beside a store that is full: the lease, and what the store is refilled by until
 * the process has been idle for long enough to return what it was granted.
 */
const most = (burst: number, lease: number, refilled: number): number => burst + lease + refilled

/** Fractions of tokens, and a lease of two. */
const quota = { capacity: 20, refillPerSecond: 2, cost: { Throttling: 3, orElse: 4.5 } }

TokenBucketContract.suite(
  vitest,
  "RedisBucket.quota",
  infallible((shared) => RedisBucket.quota({ ...shared, ...quota }), redis),
  { refills: true, capacity: most(20, 2, 2) }
)

TokenBucketContract.suite(
  vitest,
  "RedisBucket.fixed",
  infallible((shared) => RedisBucket.fixed({ ...shared, rate: 1, burst: 5 }), redis, orDie),
  { refills: true, waits: true, capacity: most(5, 1, 1) }
)

TokenBucketContract.suite(
  vitest,
  "RedisBucket.successRatio",
  infallible((shared) => RedisBucket.successRatio({ ...shared, ratio: 0.1, capacity: 10, floorPerSecond: 1 }), redis),
  // A lease of tokens that its own successes paid for is held beside that of the store.
  { refills: true, capacity: most(10, 1 + 1, 1) }
)

/** What the fleet earns comes late, and there is nothing of it here. */
const ofNoLease = { ...quota, leaseShare: 0, firstSuccessIncrement: 0 }

TokenBucketContract.suite(
  vitest,
  "RedisBucket.quota of three processes",
  infallible((shared) => ofProcesses(RedisBucket.quota({ ...shared, ...ofNoLease })), redis, orDie),
  { refills: true }
)

TokenBucketContract.suite(
  vitest,
  "PostgresBucket.quota of three processes",
  infallible((shared) => ofProcesses(PostgresBucket.quota({ ...shared, ...ofNoLease })), postgres, orDie),
  { refills: true }
)
