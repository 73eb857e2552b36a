import { Classifier, Retry } from "@effect-retry/core"
import { Effect } from "effect"
import { constant } from "effect/Function"
import type { Workload } from "../Workload.ts"
import { insideOneFiber } from "../Workload.ts"
import { flaky, nativeDelays, nativeSchedule, policy } from "./Calls.ts"

const target = { of: "ratio", atMost: 0.5 } as const

export const foreignSchedule: Workload = {
  title: "Two failures, then success, with a native schedule",
  about: [
    "The same work with native schedules: exponential, cap, jitter, at most two recurrences, and a look at the error.",
    "In our first row the schedule has only the delays, and the policy has the attempts and the classifier.",
    "In our second row the policy has the same schedule as `Effect.retry`."
  ],
  unit: "ns",
  rounds: 41,
  baseline: "`Effect.retry`",
  rows: [
    { name: "`Effect.retry`", sample: insideOneFiber(constant(Effect.retry(flaky(), nativeSchedule))) },
    {
      name: "`Retry.retry`, native delays",
      sample: insideOneFiber(constant(Retry.retry(flaky(), { ...policy, backoff: nativeDelays }))),
      target
    },
    {
      name: "`Retry.retry`, the same schedule",
      sample: insideOneFiber(
        constant(
          Retry.retry(flaky(), { classifier: Classifier.always, maxAttempts: Infinity, backoff: nativeSchedule })
        )
      ),
      target
    }
  ]
}
