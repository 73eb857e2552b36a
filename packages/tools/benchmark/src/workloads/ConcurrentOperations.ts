import { RetryBucket } from "@effect-retry/core"
import { Effect } from "effect"
import type { Row, Workload } from "../Workload.ts"
import { timed } from "../Workload.ts"
import { crowd, funded, unfunded } from "./Crowd.ts"

const size = 10_000

/** Nanoseconds per operation of a crowd that shares so many buckets. */
const sharing = (buckets: number, operation = funded): Row["sample"] => {
  const quota = RetryBucket.quota({ capacity: 1e6 })
  const run = crowd(
    operation,
    size,
    Array.from({ length: buckets }, () => Effect.runSync(quota))
  )
  const sample = timed(async (times) => {
    for (let i = 0; i < times; i++) await run()
  })
  return async () => (await sample()) / size
}

export const concurrentOperations: Workload = {
  title: "Concurrent operations on one quota",
  about: [
    "The time per operation, of ten thousand that run at once, each in a root fiber of its own.",
    "Every operation fails once, and the bucket grants every retry before the first success returns tokens.",
    "Rows differ only in how many operations share a bucket: a crowd of fibers has its price, with or without buckets."
  ],
  unit: "ns",
  rounds: 15,
  baseline: "100 on each bucket",
  rows: [
    { name: "no bucket", sample: sharing(1, unfunded) },
    { name: "100 on each bucket", sample: sharing(size / 100) },
    { name: "10 000 on one bucket", sample: sharing(1), target: { of: "ratio", atMost: 1.1 } }
  ]
}
