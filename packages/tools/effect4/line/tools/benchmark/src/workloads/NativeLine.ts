/**
 * What Effect itself offers for the same work. This is the file of Effect 4.
 */
import { Duration, Effect, Random, Schedule } from "effect"
import { HttpClient } from "effect/http"
import { RateLimiter } from "effect/persistence"
import type { Call } from "./Calls.ts"
import { isUnavailable, policy } from "./Calls.ts"

const cap = Duration.seconds(20)
const times = policy.maxAttempts - 1

/** The delays of `policy` as a native schedule. */
export const nativeDelays = Schedule.exponential(0).pipe(
  Schedule.modifyDelay(({ duration }) =>
    Effect.map(Random.next, (u) => Duration.millis(u * Duration.toMillis(Duration.min(duration, cap))))
  )
)

/** The whole of `policy` as a native schedule. */
export const nativeSchedule = nativeDelays.pipe(
  Schedule.upTo({ times }),
  Schedule.while(({ input }) => Effect.succeed(isUnavailable(input)))
)

export const native = (self: Call): Call => Effect.retry(self, nativeSchedule)

const limited = Effect.timeout("5 seconds")

/** What a policy for production is compared with. */
export const production = {
  baseline: "`Effect.retry`, `Effect.timeout`",
  about:
    "The baseline is `Effect.retry` with the schedule of the tables above and `Effect.timeout`; the row below it has a number of retries instead, without delays.",
  targets: { atOnce: 0.8, afterYield: 0.8 },
  ways: {
    "`Effect.retry`, `Effect.timeout`": (self: Call) => Effect.retry(limited(self), nativeSchedule),
    "`Effect.retry` by `times`, `Effect.timeout`": (self: Call) => Effect.retry(limited(self), { times }),
    "`Effect.timeout`": (self: Call) => limited(self)
  }
}

/** Clients that retry. */
export const retrying = {
  "`HttpClient.retryTransient`": (client: HttpClient.HttpClient) =>
    HttpClient.retryTransient(client, { schedule: nativeDelays, times })
}

/** Clients that keep to the limit of their server. */
export const pacing = {
  "`HttpClient.withRateLimiter`": (client: HttpClient.HttpClient) => paced(client),
  "`HttpClient.withRateLimiter`, `HttpClient.retryTransient`": (client: HttpClient.HttpClient) =>
    HttpClient.retryTransient(paced(client), { schedule: nativeDelays, times })
}

/** Until the server has stated its limit, this one holds. */
const paced = (client: HttpClient.HttpClient) =>
  HttpClient.withRateLimiter(client, {
    limiter: Effect.runSync(Effect.provide(RateLimiter.make, RateLimiter.layerStoreMemory)),
    key: (request) => new URL(request.url).host,
    limit: 1_000_000,
    window: "1 minute",
    times
  })
