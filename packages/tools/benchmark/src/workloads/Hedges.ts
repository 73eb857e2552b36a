import { Classifier, Hedge, TokenBucket } from "@effect-retry/core"
import { Effect, Layer, ManagedRuntime } from "effect"
import type { Pace, Row, Workload } from "../Workload.ts"
import { insideFiberOf } from "../Workload.ts"
import type { Call } from "./Calls.ts"
import { ready, yielding } from "./Calls.ts"

const pace: Pace = { warmUpMillis: 500, sampleMillis: 16, times: 1 }

const hedge = { classifier: Classifier.always, maxAttempts: 2 } as const

const funded = Effect.runSync(
  Effect.all({
    delay: Hedge.percentile(),
    bucket: TokenBucket.requestRatio({ ratio: 0.1 })
  })
)

const rows = (call: Call): ReadonlyArray<Row> => {
  const edge = ManagedRuntime.make(Layer.empty)
  const target = { of: "ratio", atMost: 0.5 } as const
  return [
    { name: "bare effect", sample: insideFiberOf(edge, call, pace) },
    { name: "`Effect.timeout`", sample: insideFiberOf(edge, Effect.timeout(call, "5 seconds"), pace) },
    {
      name: "hedge after a duration",
      sample: insideFiberOf(edge, Hedge.hedge(call, { ...hedge, delay: "5 seconds" }), pace),
      target
    },
    {
      name: "hedge after a percentile, with a bucket",
      sample: insideFiberOf(edge, Hedge.hedge(call, { ...hedge, ...funded }), pace),
      target
    }
  ]
}

const table = { unit: "ns", rounds: 31, baseline: "`Effect.timeout`" } as const

export const hedgeAtOnce: Workload = {
  ...table,
  title: "A hedge that is not needed: succeeds at once",
  about: ["The first attempt succeeds in the step in which it starts."],
  rows: rows(ready)
}

export const hedgeAfterYield: Workload = {
  ...table,
  title: "A hedge that is not needed: succeeds after a yield",
  about: ["The attempt lets other fibers go first, and then succeeds: a timer is set, and removed again."],
  rows: rows(yielding)
}
