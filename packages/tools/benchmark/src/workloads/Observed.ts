import { Observe, Retry } from "@effect-retry/core"
import { Effect } from "effect"
import { constant } from "effect/Function"
import type { Row, Workload } from "../Workload.ts"
import { insideOneFiber } from "../Workload.ts"
import type { Call } from "./Calls.ts"
import { flaky, handWritten, policy, ready } from "./Calls.ts"

const policies = {
  "no-op observer": { ...policy, observe: [() => Effect.void] },
  "`Observe.spanEvents`, no span": { ...policy, observe: [Observe.spanEvents] },
  "`Observe.metrics`": { ...policy, observe: [Observe.metrics] },
  "`name`": { ...policy, name: "benchmark" },
  "`attemptSpan`": { ...policy, attemptSpan: "benchmark" }
}

const rows = (call: () => Call): ReadonlyArray<Row> => [
  { name: "hand-written", sample: insideOneFiber(constant(handWritten(call()))) },
  { name: "no observer, no name, no span", sample: insideOneFiber(constant(Retry.retry(call(), policy))) },
  ...Object.entries(policies).map(([name, observed]) => ({
    name,
    sample: insideOneFiber(constant(Retry.retry(call(), observed)))
  }))
]

export const observedSuccess: Workload = {
  title: "Observed: succeeds at once",
  about: [
    "One event, the success, for a policy that has observers; none for the others.",
    "A `name` is a service provided to every attempt, an `attemptSpan` a span around it."
  ],
  unit: "ns",
  rounds: 31,
  baseline: "hand-written",
  rows: rows(() => ready)
}

export const observedTwoFailures: Workload = {
  title: "Observed: two failures, then success",
  about: [
    "Five events for a policy that has observers: each failure, the retry that follows it, and the success.",
    "An observed operation also looks at the clock, to tell how long everything took."
  ],
  unit: "ns",
  rounds: 31,
  baseline: "hand-written",
  rows: rows(flaky)
}
