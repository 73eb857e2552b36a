/**
 * Events of a bucket of each kind.
 */
import type { FleetEvent } from "@effect-retry/fleet"
import * as RedisError from "@effect-retry/fleet/RedisError"
import * as Untrusted from "@effect-retry/core/unstable/Untrusted"
import { Duration } from "effect"

const common = { name: "orders", key: "tenant-7", level: 40.00004, held: 3, grants: 2 }

export const asked = (granted: number, changed: Partial<FleetEvent.Asked> = {}): FleetEvent.Asked => ({
  ...common,
  _tag: "Asked",
  want: 5,
  granted,
  retryAfter: Duration.zero,
  leaseSize: 4,
  ...changed
})

export const returned: FleetEvent.Returned = { ...common, _tag: "Returned", tokens: 3 }

export const error = new RedisError.RedisError({
  reason: "Unavailable",
  bucket: "orders",
  code: "ECONNREFUSED",
  cause: "password"
})

export const away = (changed: Partial<FleetEvent.StoreAway> = {}): FleetEvent.StoreAway => ({
  ...common,
  _tag: "StoreAway",
  error: Untrusted.shown(error),
  ...changed
})

export const back = (changed: Partial<FleetEvent.StoreBack> = {}): FleetEvent.StoreBack => ({
  ...common,
  _tag: "StoreBack",
  after: Duration.seconds(1),
  ...changed
})
