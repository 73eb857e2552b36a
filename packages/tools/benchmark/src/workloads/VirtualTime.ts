import { Backoff, Classifier, Jitter, Retry } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/plan"
import { Effect } from "effect"
import type { Row, Target, Workload } from "../Workload.ts"
import { processorNanos } from "../Workload.ts"
import { down } from "./Calls.ts"

/** Nanoseconds per retry, for so many clients, each of which retries its operation so often. */
const clients = (count: number, retries: number): Row["sample"] => {
  const operation = Retry.retry(down, {
    classifier: Classifier.always,
    maxAttempts: retries + 1,
    backoff: Backoff.exponential({ base: "100 millis" }).pipe(Backoff.jittered(Jitter.full))
  })
  const all = Effect.replicateEffect(Effect.ignore(operation), count, { concurrency: "unbounded", discard: true })
  const run = () => Effect.runPromise(VirtualClock.run(all))
  return async () => (await processorNanos(run)) / (count * retries)
}

/** A second for a thousand clients of five retries. */
const second: Target = { of: "value", atMost: 1e9 / 5_000 }

export const virtualTime: Workload = {
  title: "Clients in virtual time",
  about: [
    "Clients that all start at once and fail until no attempt is left, on a `VirtualClock`: the time per retry.",
    "The target is a second for a thousand clients of five retries each; the garbage of many fibers is part of the figure."
  ],
  unit: "ns",
  rounds: 1,
  baseline: "1 000 clients, 5 retries",
  rows: [
    { name: "1 000 clients, 5 retries", sample: clients(1_000, 5), target: second },
    { name: "100 000 clients, 1 retry", sample: clients(100_000, 1), target: { of: "ratio", atMost: 3 } }
  ]
}
