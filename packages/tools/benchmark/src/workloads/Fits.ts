import { Fit } from "@effect-retry/plan"
import { Effect } from "effect"
import type { Row, Workload } from "../Workload.ts"
import { timed } from "../Workload.ts"

const server = { failureProbability: 0.1, latency: { p50: "80 millis", p99: "400 millis" } } as const

const wish = { succeeded: 0.99, within: "3 seconds" } as const

const outage = { lasts: "10 seconds", every: "10 minutes" } as const

/** Nanoseconds of a fit. */
const fitted = (options: Omit<Fit.Options, "seed">): Row["sample"] =>
  timed(
    async (times) => {
      for (let i = 0; i < times; i++) await Effect.runPromise(Fit.fit({ ...options, seed: 1 }))
    },
    { warmUpMillis: 1_000, sampleMillis: 8, times: 1 }
  )

export const fits: Workload = {
  title: "A policy for a server",
  about: [
    "`Fit.fit` for a server that fails a tenth of the attempts: the time of a whole search, of up to 90 simulations.",
    "The work grows with the operations of a simulation, and an outage adds those that begin around it."
  ],
  unit: "ns",
  rounds: 5,
  baseline: "1 000 operations",
  rows: [
    { name: "1 000 operations", sample: fitted({ server, wish }), target: { of: "value", atMost: 100e6 } },
    {
      name: "10 000 operations",
      sample: fitted({ server, wish, operations: 10_000 }),
      target: { of: "ratio", atMost: 20 }
    },
    {
      name: "1 000 operations and an outage",
      sample: fitted({ server: { ...server, outage }, wish: { ...wish, succeeded: 0.9, outageLoad: 1.5 } }),
      target: { of: "value", atMost: 3e9 }
    },
    {
      name: "a wish that nothing meets",
      sample: fitted({ server: { ...server, outage }, wish: { ...wish, succeeded: 1, outageLoad: 1 } }),
      target: { of: "value", atMost: 3e9 }
    }
  ]
}
