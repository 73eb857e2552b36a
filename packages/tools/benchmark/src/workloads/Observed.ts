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

type Targets = { readonly [name in keyof typeof policies]?: number }

const rows = (call: () => Call, targets: Targets): ReadonlyArray<Row> => [
  { name: "hand-written", sample: insideOneFiber(constant(handWritten(call()))) },
  { name: "no observer, no name, no span", sample: insideOneFiber(constant(Retry.retry(call(), policy))) },
  ...Object.entries(policies).map(([name, observed]): Row => {
    const atMost = (targets as Readonly<Record<string, number>>)[name]
    return {
      name,
      sample: insideOneFiber(constant(Retry.retry(call(), observed))),
      ...(atMost !== undefined && { target: { of: "ratio", atMost } })
    }
  })
]

export const observedSuccess: Workload = {
  title: "Observed: succeeds at once",
  about: [
    "One event, the success, for a policy that has observers; none for the others.",
    "A `name` is a FiberRef written for every attempt, an `attemptSpan` is a span around it."
  ],
  unit: "ns",
  rounds: 31,
  baseline: "hand-written",
  // The row without observers, 0.7, and what an event, metrics or a name may add.
  rows: rows(() => ready, { "no-op observer": 3.4, "`Observe.metrics`": 6.1, "`name`": 6.6 })
}

export const observedTwoFailures: Workload = {
  title: "Observed: two failures, then success",
  about: [
    "Five events for a policy that has observers: each failure, the retry that follows it, and the success.",
    "An observed operation also reads the clock, to say how long everything took."
  ],
  unit: "ns",
  rounds: 31,
  baseline: "hand-written",
  // The same for each event, and for the name of each attempt: the baseline has three attempts.
  rows: rows(flaky, { "no-op observer": 4.8, "`Observe.metrics`": 7.8, "`name`": 7.4 })
}
