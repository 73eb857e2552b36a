import { AttemptTimeout, Deadline, Observe, Retry, TokenBucket } from "@effect-retry/core"
import type { Effect } from "effect"
import { Layer, ManagedRuntime } from "effect"
import type { Pace, Row, Workload } from "../Workload.ts"
import { insideFiberOf } from "../Workload.ts"
import type { Call } from "./Calls.ts"
import { policy, ready, yielding } from "./Calls.ts"
import { production } from "./NativeLine.ts"

const pace: Pace = { warmUpMillis: 500, sampleMillis: 16, times: 1 }

const parts = {
  bucket: { bucket: TokenBucket.RetryBucket },
  deadline: { deadline: Deadline.refuse("30 seconds") },
  "attempt timeout": { attemptTimeout: AttemptTimeout.constant("5 seconds") },
  metrics: { observe: [Observe.metrics] },
  name: { name: "benchmark" }
}

const whole = {
  ...policy,
  ...parts.bucket,
  ...parts.deadline,
  ...parts["attempt timeout"],
  ...parts.metrics,
  ...parts.name
}

type Way = (self: Call) => Effect.Effect<number, unknown, TokenBucket.RetryBucket>

const withOnePart = Object.entries(parts).map(([name, part]): readonly [string, Way] => [
  `only ${name}`,
  (self) => Retry.retry(self, { ...policy, ...part })
])

export const ways: { readonly [name: string]: Way } = {
  ...production.ways,
  "whole policy": (self) => Retry.retry(self, whole),
  "without any of it": (self) => Retry.retry(self, policy),
  ...Object.fromEntries(withOnePart)
}

export const quota = Layer.effect(TokenBucket.RetryBucket, TokenBucket.quota())

const rows = (call: Call, atMost: number): ReadonlyArray<Row> => {
  const edge = ManagedRuntime.make(quota)
  return Object.entries(ways).map(([name, way]) => ({
    name,
    sample: insideFiberOf(edge, way(call), pace),
    ...(name === "whole policy" && { target: { of: "ratio", atMost } as const })
  }))
}

const table = { unit: "ns", rounds: 31, baseline: production.baseline } as const

export const productionAtOnce: Workload = {
  ...table,
  title: "A policy for production: succeeds at once",
  about: [
    "The whole policy has a bucket, a deadline, an attempt timeout, metrics and a name, and the first attempt succeeds.",
    production.about
  ],
  rows: rows(ready, production.targets.atOnce)
}

export const productionAfterYield: Workload = {
  ...table,
  title: "A policy for production: succeeds after a yield",
  about: ["The same, but the attempt lets other fibers go first and then succeeds."],
  rows: rows(yielding, production.targets.afterYield)
}
