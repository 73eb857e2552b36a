import { TokenBucket } from "@effect-retry/core"
import { Effect } from "effect"
import type { Row, Target, Workload } from "../Workload.ts"
import { prepared, processorNanos } from "../Workload.ts"
import { crowd, funded } from "./Crowd.ts"

const size = 100_000

const quota = TokenBucket.quota({ capacity: 100 * size })

/** Nanoseconds per operation of a crowd in which so many operations share a bucket. */
const sharing = (onEach: number): Row["sample"] =>
  prepared(async () => {
    const buckets = Array.from({ length: size / onEach }, () => Effect.runSync(quota))
    const run = crowd(funded, size, buckets)
    return async () => (await processorNanos(run)) / size
  })

const flat: Target = { of: "ratio", atMost: 1.1 }

export const concurrentOperations: Workload = {
  title: "Concurrent operations on one quota",
  about: [
    "The time per operation when a hundred thousand run at once, each in its own root fiber.",
    "Every operation fails once, and the bucket grants every retry before the first success returns tokens.",
    "Rows differ only in how many operations share a bucket: so many fibers cost something by themselves, the same in all rows."
  ],
  unit: "ns",
  rounds: 2,
  baseline: "10 on each bucket",
  rows: [
    { name: "10 on each bucket", sample: sharing(10) },
    { name: "1 000 on each bucket", sample: sharing(1_000), target: flat },
    { name: "100 000 on one bucket", sample: sharing(size), target: flat }
  ]
}
