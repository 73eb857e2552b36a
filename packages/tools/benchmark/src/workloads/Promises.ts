import { Backoff, Classifier, Promises, Retry, Verdict } from "@effect-retry/core"
import { StandardRetryStrategy } from "@smithy/util-retry"
import asyncRetry from "async-retry"
import * as cockatiel from "cockatiel"
import { Effect } from "effect"
import { backOff } from "exponential-backoff"
import { setTimeout as sleep } from "node:timers/promises"
import pRetry from "p-retry"
import type { Row, Workload } from "../Workload.ts"
import { allAtOnce, awaitedOneByOne, manyAtOnce } from "../Workload.ts"
import { flakyPromise, isUnavailable, policy, readyPromise, Unavailable, unavailable } from "./Calls.ts"

export type Call = () => Promise<number>

export const handWritten = async (call: Call): Promise<number> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call()
    } catch (error) {
      if (!isUnavailable(error) || attempt >= policy.maxAttempts) throw error
    }
  }
}

export const smithy = (call: Call): (() => Promise<number>) => {
  const full = () => new StandardRetryStrategy({ maxAttempts: policy.maxAttempts, baseDelay: 0 })
  let strategy = full()
  return async () => {
    // Two failures cost more tokens than the success returns, and an empty bucket would refuse to retry.
    if (strategy.getCapacity() < 100) strategy = full()
    let token = await strategy.acquireInitialRetryToken("benchmark")
    while (true) {
      try {
        const result = await call()
        strategy.recordSuccess(token)
        return result
      } catch (error) {
        if (!isUnavailable(error)) throw error
        token = await strategy.refreshRetryTokenForRetry(token, { errorType: "TRANSIENT" })
      }
    }
  }
}

export const asEffect = (call: Call) =>
  Effect.tryPromise({ try: call, catch: (error) => (isUnavailable(error) ? error : unavailable) })

const ours = (call: Call): (() => Promise<number>) => {
  const retried = Retry.retry(asEffect(call), policy)
  return () => Effect.runPromise(retried)
}

const promisePolicy = { ...policy, classifier: Classifier.fromClass(Unavailable, Verdict.transient) }

const retries = policy.maxAttempts - 1

const cockatielPolicy = cockatiel.retry(cockatiel.handleWhen(isUnavailable), {
  maxAttempts: retries,
  backoff: new cockatiel.ExponentialBackoff({ initialDelay: 0, maxDelay: 20_000 })
})

const door = "`Promises.retry`"

const ways: { readonly [name: string]: (call: Call) => () => Promise<number> } = {
  "hand-written": (call) => () => handWritten(call),
  cockatiel: (call) => () => cockatielPolicy.execute(call),
  "@smithy/util-retry": smithy,
  "async-retry": (call) => () => asyncRetry(call, { retries, minTimeout: 0, maxTimeout: 20_000 }),
  "exponential-backoff": (call) => () =>
    backOff(call, { numOfAttempts: policy.maxAttempts, startingDelay: 0, maxDelay: 20_000, jitter: "full" }),
  "p-retry": (call) => () => pRetry(call, { retries, minTimeout: 0, maxTimeout: 20_000, randomize: true }),
  [door]: (call) => () => Promises.retry(call, promisePolicy),
  "`Retry.retry`, `Effect.runPromise`": ours
}

const rows = (
  call: () => Call,
  atMost: number,
  around: (sample: Row["sample"]) => Row["sample"] = (sample) => sample
): ReadonlyArray<Row> =>
  Object.entries(ways).map(([name, way]) => ({
    name,
    sample: around(awaitedOneByOne(way(call()))),
    ...(name === door && { target: { of: "ratio", atMost } as const })
  }))

export const promisesSucceed: Workload = {
  title: "Promises: succeeds at once",
  about: [
    "An `async` function that returns a number, retried by libraries for promises; each operation is awaited alone.",
    "`Promises.retry` starts no fiber, the last row one for every operation."
  ],
  unit: "ns",
  rounds: 41,
  baseline: "cockatiel",
  rows: rows(() => readyPromise, 0.7)
}

/** Libraries that set a timer of zero milliseconds would be measured by the timer, not by their work. */
export const withoutTimers =
  (sample: Row["sample"]): Row["sample"] =>
  async () => {
    const { setTimeout } = globalThis
    const soon = (callback: () => void) => queueMicrotask(callback)
    Object.assign(globalThis, { setTimeout: soon })
    try {
      return await sample()
    } finally {
      Object.assign(globalThis, { setTimeout })
    }
  }

export const promisesTwoFailures: Workload = {
  title: "Promises: two failures, then success",
  about: [
    "An `async` function that throws twice, always the same error, and then returns.",
    "Three attempts, delays with base zero; timers are replaced by microtasks, for all rows alike.",
    "`Promises.retry` starts no fiber."
  ],
  unit: "ns",
  rounds: 41,
  baseline: "cockatiel",
  rows: rows(flakyPromise, 1.2, withoutTimers)
}

const millisecond = { ...promisePolicy, backoff: Backoff.constant({ delay: "1 millis" }) }

const cockatielMillisecond = cockatiel.retry(cockatiel.handleWhen(isUnavailable), {
  maxAttempts: retries,
  backoff: new cockatiel.ConstantBackoff(1)
})

/** Each operation has a call of its own: of those that run at once, every one is to fail twice. */
const waits: { readonly [name: string]: () => Promise<number> } = {
  "hand-written": () => {
    const call = flakyPromise()
    return handWritten(() => call().catch((error) => sleep(1).then(() => Promise.reject(error))))
  },
  cockatiel: () => cockatielMillisecond.execute(flakyPromise()),
  "exponential-backoff": () =>
    backOff(flakyPromise(), { numOfAttempts: policy.maxAttempts, startingDelay: 1, maxDelay: 1 }),
  "p-retry": () => pRetry(flakyPromise(), { retries, minTimeout: 1, maxTimeout: 1 }),
  [door]: () => Promises.retry(flakyPromise(), millisecond)
}

export const promisesWait: Workload = {
  title: "Promises: two failures, each followed by a wait",
  about: [
    "A thousand operations or more at once, each of which waits for a millisecond after each of two failures.",
    "Processor time leaves out the wait and counts the timer; `Promises.retry` starts no fiber to wait."
  ],
  unit: "ns",
  rounds: 41,
  baseline: "cockatiel",
  rows: Object.entries(waits).map(([name, operation]) => ({
    name,
    sample: allAtOnce(operation, manyAtOnce),
    ...(name === door && { target: { of: "ratio", atMost: 2 } as const })
  }))
}
