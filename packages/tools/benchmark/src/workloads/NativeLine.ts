/**
 * What Effect itself offers for the same work. This is the file of Effect 3; Effect 4 has schedules of another shape, a
 * timeout that costs less, and a client with a rate limiter.
 */
import { HttpClient } from "@effect/platform"
import { Duration, Effect, Schedule } from "effect"
import type { Call } from "./Calls.ts"
import { isUnavailable, policy } from "./Calls.ts"

/** The delays of `policy` as a native schedule. */
export const nativeDelays = Schedule.exponential(0).pipe(
  Schedule.delayed(Duration.min("20 seconds")),
  Schedule.jitteredWith({ min: 0, max: 1 })
)

/** The whole of `policy` as a native schedule. */
export const nativeSchedule = nativeDelays.pipe(
  Schedule.intersect(Schedule.recurs(policy.maxAttempts - 1)),
  Schedule.whileInput(isUnavailable)
)

export const native = (self: Call): Call => Effect.retry(self, nativeSchedule)

/** What a policy for production is compared with. */
export const production = {
  baseline: "`Effect.timeout`",
  about:
    "The baseline is `Effect.timeout` alone, which does not retry; the rows below the first two have one of those parts each.",
  targets: { atOnce: 0.4, afterYield: 0.5 },
  ways: { "`Effect.timeout`": (self: Call) => Effect.timeout(self, "5 seconds") }
}

const clientSchedule = Schedule.intersect(nativeDelays, Schedule.recurs(policy.maxAttempts - 1))

/** Clients that retry. */
export const retrying = {
  "`HttpClient.retryTransient`": (client: HttpClient.HttpClient) => HttpClient.retryTransient(client, clientSchedule)
}

/** Clients that keep to the limit of their server. */
export const pacing = {}
