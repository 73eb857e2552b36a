import { TokenBucket } from "@effect-retry/core"
import type { Duration } from "effect"
import { Context, Effect } from "effect"
import { constant } from "effect/Function"
import type { Row, Workload } from "../Workload.ts"
import { insideOneFiber, prepared, timed } from "../Workload.ts"
import { handWritten, ready } from "./Calls.ts"

/** Runs of a keyed bucket's `level`, each with the next key: asking for the level counts as a use of the key. */
const uses = (bucket: TokenBucket.TokenBucket, nextKey: () => string, times: number): void => {
  // Set in place: to provide a service to each run costs several times what is measured.
  const services = new Map<string, unknown>([[TokenBucket.Key.key, ""]])
  let left = times
  const runs = Effect.whileLoop({
    while: () => left-- > 0,
    body: () => {
      services.set(TokenBucket.Key.key, nextKey())
      return bucket.level
    },
    step: () => {}
  })
  Effect.runSync(Effect.mapInputContext(runs, () => Context.unsafeMake<never>(services)))
}

const keyFrom = (first: number): (() => string) => {
  let i = first
  return () => `tenant-${i++}`
}

/** A keyed quota that has a bucket for each of so many keys, and room for no other. */
export const full = (keys: number, idleTimeToLive: Duration.DurationInput = "1 hour"): TokenBucket.TokenBucket => {
  const bucket = Effect.runSync(TokenBucket.keyed({ bucket: TokenBucket.quota(), maxKeys: keys, idleTimeToLive }))
  uses(bucket, keyFrom(0), keys)
  return bucket
}

/** Uses each of so many keys in turn. */
const inTurn = (keys: number): Row["sample"] =>
  prepared(async () => {
    const bucket = full(keys)
    const names = Array.from({ length: keys }, keyFrom(0))
    let i = 0
    return timed((times) => uses(bucket, () => names[i++ % keys] ?? "", times))
  })

export const keyedBuckets: Workload = {
  title: "Keys of a keyed quota",
  about: [
    "The keys take turns: each bucket is looked up and asked for its level, so the next key is always the one that was used longest ago.",
    "Rows differ in the number of keys; only the buckets of the first row fit into the fast memory of a processor."
  ],
  unit: "ns",
  rounds: 15,
  baseline: "10 keys",
  rows: [
    { name: "10 keys", sample: inTurn(10) },
    { name: "1 000 keys", sample: inTurn(1_000), target: { of: "ratio", atMost: 3 } },
    { name: "100 000 keys", sample: inTurn(100_000), target: { of: "ratio", atMost: 3 } }
  ]
}

const keys = 10_000

/** Every key is new. */
const newKeys = (idleTimeToLive: Duration.DurationInput): Row["sample"] =>
  prepared(async () => {
    const bucket = full(keys, idleTimeToLive)
    const nextKey = keyFrom(keys)
    return timed((times) => uses(bucket, nextKey, times))
  })

export const newKey: Workload = {
  title: "A new key of a full keyed quota",
  about: [
    "Ten thousand keys have a bucket, and there is room for no more.",
    "A new key gets a bucket if another one is idle, and otherwise uses the bucket that keys without room share.",
    "The target is ten microseconds on a machine whose hand-written loop takes 221 nanoseconds."
  ],
  unit: "ns",
  rounds: 21,
  baseline: "hand-written",
  rows: [
    { name: "hand-written", sample: insideOneFiber(constant(handWritten(ready))) },
    { name: "a new bucket", sample: newKeys("1 millis"), target: { of: "ratio", atMost: 45 } },
    { name: "the shared bucket", sample: newKeys("1 hour"), target: { of: "ratio", atMost: 45 } }
  ]
}
