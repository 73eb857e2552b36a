import { Retry, TokenBucket } from "@effect-retry/core"
import { Layer, ManagedRuntime } from "effect"
import type { Row, Workload } from "../Workload.ts"
import { awaitedOneByOne, insideFiberOf } from "../Workload.ts"
import { flakyPromise, policy, readyPromise } from "./Calls.ts"
import { asEffect, type Call, handWritten, smithy, withoutTimers } from "./Promises.ts"

const edge = ManagedRuntime.make(Layer.effect(TokenBucket.RetryBucket, TokenBucket.quota()))

const retried = (call: Call) => Retry.retry(asEffect(call), { ...policy, bucket: TokenBucket.RetryBucket })

const ways: { readonly [name: string]: (call: Call) => Row["sample"] } = {
  "hand-written, no quota": (call) => awaitedOneByOne(() => handWritten(call)),
  "@smithy/util-retry": (call) => awaitedOneByOne(smithy(call)),
  "`Retry.retry`, `ManagedRuntime.runPromise`": (call) => {
    const effect = retried(call)
    return awaitedOneByOne(() => edge.runPromise(effect))
  },
  "`Retry.retry`, inside one fiber": (call) => insideFiberOf(edge, retried(call))
}

const rows = (call: () => Call, around: (sample: Row["sample"]) => Row["sample"]): ReadonlyArray<Row> =>
  Object.entries(ways).map(([name, way]) => ({ name, sample: around(way(call())) }))

export const promisesQuotaSucceed: Workload = {
  title: "Promises with a retry quota: succeeds at once",
  about: [
    "The `StandardRetryStrategy` of @smithy/util-retry hands out a token for each operation and is told of its success.",
    "Ours does the same work with a quota: both have 500 tokens, and a success at the first attempt adds one.",
    "The last row awaits the same promises from one fiber, as an Effect program does."
  ],
  unit: "ns",
  rounds: 41,
  baseline: "@smithy/util-retry",
  rows: rows(
    () => readyPromise,
    (sample) => sample
  )
}

export const promisesQuotaOneFailure: Workload = {
  title: "Promises with a retry quota: one failure, then success",
  about: [
    "The retry costs 14 tokens, which the success returns; the token of @smithy/util-retry is refreshed for it.",
    "Delays have base zero; timers are replaced by microtasks, for all rows alike."
  ],
  unit: "ns",
  rounds: 41,
  baseline: "@smithy/util-retry",
  rows: rows(() => flakyPromise(1), withoutTimers)
}
