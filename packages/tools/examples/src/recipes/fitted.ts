// #region fit
import { Fit } from "@effect-retry/plan"
import { Effect, Option } from "effect"

const fit = Fit.fit({
  server: {
    failureProbability: 0.02,
    latency: { p50: "20 millis", p99: "200 millis" },
    outage: { lasts: "30 seconds", every: "10 minutes" },
    operationsPerSecond: 5
  },
  wish: { succeeded: 0.945, within: "1 second", outageLoad: 1.2 },
  seed: 1
})

const summary = Effect.map(fit, (found) => {
  const { code, load, outageLoad, succeeded } = found._tag === "Met" ? found.best : found.nearest
  const rounded = ({ high, low }: typeof load) => [low, high].map((end) => Math.round(end * 1000) / 1000)
  return {
    answer: found._tag,
    code: code.split("\n"),
    succeeded: rounded(succeeded),
    load: rounded(load),
    outageLoad: Option.map(outageLoad, rounded)
  }
})
// #endregion

export const program = summary

// #region expected
export const expected = {
  answer: "Met",
  code: [
    "const policy = {",
    "  maxAttempts: 2,",
    '  backoff: Backoff.exponential({ base: "200 millis" }).pipe(Backoff.jittered(Jitter.full)),',
    '  deadline: Deadline.refuse("1 second")',
    "}",
    "",
    "const bucket = TokenBucket.successRatio({ ratio: 0.1, capacity: 10 })"
  ],
  succeeded: [0.946, 0.952],
  load: [1.009, 1.027],
  outageLoad: Option.some([1.058, 1.077])
}
// #endregion
