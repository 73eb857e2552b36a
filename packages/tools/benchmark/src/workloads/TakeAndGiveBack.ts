import { RetryBucket } from "@effect-retry/core"
import { Effect, Option } from "effect"
import { constant, identity } from "effect/Function"
import type { Row, Target, Workload } from "../Workload.ts"
import { insideOneFiber } from "../Workload.ts"

const target: Target = { of: "value", atMost: 1_000 }

const takeAndGiveBack = (make: Effect.Effect<RetryBucket.RetryBucket>): Row["sample"] => {
  const bucket = Effect.runSync(make)
  return insideOneFiber(() =>
    Effect.flatMap(bucket.take("Transient", identity), (taken) => bucket.giveBack(Option.getOrThrow(taken)))
  )
}

const keyed = RetryBucket.makeKeyed({ bucket: RetryBucket.makeQuota(), maxKeys: 10, idleTimeToLive: "1 hour" })

export const takeAndGiveBackTokens: Workload = {
  title: "Takes tokens and gives them back",
  about: ["A bucket alone, without a loop: the cost of a retry is taken, then given back as if it was never sent."],
  unit: "ns",
  rounds: 41,
  baseline: "two empty effects",
  rows: [
    {
      name: "two empty effects",
      sample: insideOneFiber(() => Effect.flatMap(Effect.sync(constant(1)), () => Effect.sync(constant(1))))
    },
    { name: "quota", sample: takeAndGiveBack(RetryBucket.makeQuota()), target },
    { name: "quota that refills", sample: takeAndGiveBack(RetryBucket.makeQuota({ refillPerSecond: 10 })), target },
    { name: "keyed quota", sample: takeAndGiveBack(keyed) }
  ]
}
