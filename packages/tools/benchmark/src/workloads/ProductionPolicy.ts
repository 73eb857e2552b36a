import { AttemptTimeout, Deadline, Observe, Retry, TokenBucket } from "@effect-retry/core"
import { Effect, Layer, ManagedRuntime } from "effect"
import type { Pace, Row, Target, Workload } from "../Workload.ts"
import { insideFiberOf } from "../Workload.ts"
import type { Call } from "./Calls.ts"
import { policy, ready, yielding } from "./Calls.ts"

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

const rows = (call: Call, target: Target): ReadonlyArray<Row> => {
  const edge = ManagedRuntime.make(Layer.effect(TokenBucket.RetryBucket, TokenBucket.quota()))
  return [
    { name: "`Effect.timeout`", sample: insideFiberOf(edge, Effect.timeout(call, "5 seconds"), pace) },
    { name: "whole policy", sample: insideFiberOf(edge, Retry.retry(call, whole), pace), target },
    { name: "without any of it", sample: insideFiberOf(edge, Retry.retry(call, policy), pace) },
    ...Object.entries(parts).map(([name, part]) => ({
      name: `only ${name}`,
      sample: insideFiberOf(edge, Retry.retry(call, { ...policy, ...part }), pace)
    }))
  ]
}

const table = { unit: "ns", rounds: 31, baseline: "`Effect.timeout`" } as const

export const productionAtOnce: Workload = {
  ...table,
  title: "A policy for production: succeeds at once",
  about: [
    "The whole policy has a bucket, a deadline, an attempt timeout, metrics and a name, and the first attempt succeeds.",
    "The baseline is `Effect.timeout` alone, which does not retry; the rows below the first two have one of those parts each."
  ],
  rows: rows(ready, { of: "ratio", atMost: 0.4 })
}

export const productionAfterYield: Workload = {
  ...table,
  title: "A policy for production: succeeds after a yield",
  about: ["The same, but the attempt lets other fibers go first and then succeeds."],
  rows: rows(yielding, { of: "ratio", atMost: 0.5 })
}
