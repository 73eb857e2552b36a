import { Classifier, Retry } from "@effect-retry/core"
import { constant } from "effect/Function"
import type { Workload } from "../Workload.ts"
import { insideOneFiber } from "../Workload.ts"
import type { Call } from "./Calls.ts"
import { flaky, policy } from "./Calls.ts"
import { native, nativeDelays, nativeSchedule } from "./NativeLine.ts"

const whole = { classifier: Classifier.always, maxAttempts: Infinity, backoff: nativeSchedule }

export const ways: { readonly [name: string]: (self: Call) => Call } = {
  "`Effect.retry`": native,
  "`Retry.retry`, native delays": (self) => Retry.retry(self, { ...policy, backoff: nativeDelays }),
  "`Retry.retry`, the same schedule": (self) => Retry.retry(self, whole)
}

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
  rows: Object.entries(ways).map(([name, way]) => ({
    name,
    sample: insideOneFiber(constant(way(flaky()))),
    ...(way !== native && { target: { of: "ratio", atMost: 0.5 } as const })
  }))
}
