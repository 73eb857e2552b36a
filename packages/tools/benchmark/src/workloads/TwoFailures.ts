import { Effect, Random } from "effect"
import { constant } from "effect/Function"
import type { Workload } from "../Workload.ts"
import { insideOneFiber } from "../Workload.ts"
import type { Call } from "./Calls.ts"
import { flaky, handWritten, ours, policy } from "./Calls.ts"
import { native } from "./NativeLine.ts"

const baseMillis: number = 0

/** As `handWritten`, with the delays of the policy. */
export const handWrittenDelays = (self: Call, attempt = 1): Call =>
  Effect.catchAll(self, (error) =>
    error._tag === "Unavailable" && attempt < policy.maxAttempts
      ? Effect.flatMap(Random.next, (u) => {
          const millis = u * Math.min(baseMillis * 2 ** (attempt - 1), 20_000)
          const next = handWrittenDelays(self, attempt + 1)
          return millis > 0 ? Effect.delay(next, millis) : next
        })
      : Effect.fail(error)
  )

export const twoFailures: Workload = {
  title: "Two failures, then success",
  about: [
    "Three attempts under an exponential back-off with a cap, full jitter and base zero: all the arithmetic, no wait.",
    "The hand-written loop that is the baseline retries at once, without delays.",
    "The other one draws its delays as the policies do."
  ],
  unit: "ns",
  rounds: 61,
  baseline: "hand-written",
  rows: [
    { name: "hand-written", sample: insideOneFiber(constant(handWritten(flaky()))) },
    { name: "hand-written, with delays", sample: insideOneFiber(constant(handWrittenDelays(flaky()))) },
    {
      name: "`Retry.retry`",
      sample: insideOneFiber(constant(ours(flaky()))),
      target: { of: "ratio", atMost: 2 }
    },
    { name: "`Effect.retry`", sample: insideOneFiber(constant(native(flaky()))) }
  ]
}
