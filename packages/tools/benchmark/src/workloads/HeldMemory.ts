import { TokenBucket } from "@effect-retry/core"
import { Effect } from "effect"
import type { Row, Workload } from "../Workload.ts"
import { crowd, funded } from "./Crowd.ts"
import { full } from "./KeyedBuckets.ts"

const buckets = 2_000
const manyKeys = 100_000
const crowds = 5
const size = 10_000

/** Bytes that are held after `run`, over `count`, while what it answers is still in use. */
const held =
  (count: number, collect: () => void, run: () => unknown): Row["sample"] =>
  async () => {
    collect()
    const before = process.memoryUsage().heapUsed
    const kept = await run()
    collect()
    const bytes = (process.memoryUsage().heapUsed - before) / count
    return kept === undefined ? Number.NaN : bytes
  }

const quota = TokenBucket.quota()

const quotas = (): ReadonlyArray<TokenBucket.TokenBucket> =>
  Array.from({ length: buckets }, () => Effect.runSync(quota))

const ended = () => {
  const bucket = Effect.runSync(TokenBucket.quota({ capacity: 1e6 }))
  const run = crowd(funded, size, [bucket])
  return async () => {
    for (let i = 0; i < crowds; i++) await run()
    return bucket
  }
}

export const heldMemory = (collect: () => void): Workload => ({
  title: "Held by buckets",
  about: [
    "Heap memory after a full collection: of a quota, and of an idle key of a keyed quota.",
    "The last row is what each operation leaves behind on a quota, after five batches of ten thousand concurrent operations."
  ],
  unit: "bytes",
  rounds: 5,
  baseline: "quota",
  rows: [
    { name: "quota", sample: held(buckets, collect, quotas) },
    { name: "idle key of a keyed quota", sample: held(buckets, collect, () => full(buckets)) },
    {
      name: "idle key, one of 100 000",
      sample: held(manyKeys, collect, () => full(manyKeys)),
      target: { of: "value", atMost: 2_500 }
    },
    {
      name: "operation that has ended",
      sample: held(crowds * size, collect, ended()),
      target: { of: "value", atMost: 1 }
    }
  ]
})
