import { Backoff, Jitter } from "@effect-retry/core"
import { Plan } from "@effect-retry/plan"
import type { Row, Target, Workload } from "../Workload.ts"
import { timed } from "../Workload.ts"

const backoff = Backoff.exponential({ base: "100 millis" }).pipe(
  Backoff.capped("20 seconds"),
  Backoff.jittered(Jitter.full)
)

/** Nanoseconds per attempt of a plan. */
const explained = (maxAttempts: number): Row["sample"] => {
  const sample = timed((times) => {
    for (let i = 0; i < times; i++) Plan.explain({ maxAttempts, backoff }, { rows: 1_000 })
  })
  return async () => (await sample()) / maxAttempts
}

const flat: Target = { of: "ratio", atMost: 1.5 }

export const plans: Workload = {
  title: "Plans of many attempts",
  about: [
    "`Plan.explain` of an exponential back-off with a cap and full jitter: the time per attempt.",
    "A plan shows a thousand attempts here and follows two thousand at most, so beyond that an attempt costs less."
  ],
  unit: "ns",
  rounds: 9,
  baseline: "10 attempts",
  rows: [
    { name: "10 attempts", sample: explained(10) },
    { name: "100 attempts", sample: explained(100), target: flat },
    { name: "1 000 attempts", sample: explained(1_000), target: flat },
    { name: "5 000 attempts", sample: explained(5_000), target: flat }
  ]
}
