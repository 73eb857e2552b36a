/**
 * Load amplification: attempts per request against a server that fails with a fixed probability, whatever its load.
 */
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as SeededRandom from "../chance/SeededRandom.ts"
import { runScoped } from "../clock/Timekeeper.ts"
import * as Client from "./Client.ts"

/**
 * @category models
 */
export interface AmplificationOptions {
  /** The probability that an attempt fails, independently of all others: 0..1. */
  readonly failureProbability: number
  /** The number of requests, one after the other. */
  readonly requests: number
  /** Requests per second, in bursts of ten. @default 100 */
  readonly requestsPerSecond?: number
  readonly seed: number | string
}

/**
 * @category models
 */
export interface Amplification {
  /** Mean calls per request. */
  readonly loadFactor: number
  /** The ratio of requests that succeeded in the end. */
  readonly succeeded: number
}

/** How many requests come at once: a clock that moves less often is faster to simulate. */
const burst = 10

/**
 * Counts the calls of one client. Every failure is retryable, and calls take no time. The same seed gives the same
 * outcome.
 *
 * @category running
 */
export const amplification = (client: Client.Client, options: AmplificationOptions): Effect.Effect<Amplification> => {
  const owner = "Load.amplification"
  Client.check(owner, client)
  const p = Argument.number(owner, "failureProbability", options.failureProbability, { min: 0, max: 1 })
  const requests = Argument.number(owner, "requests", options.requests, { min: 1, integer: true })
  const perSecond = Argument.number(owner, "requestsPerSecond", options.requestsPerSecond ?? 100, {
    min: 0,
    exclusive: true
  })
  return Effect.gen(function* () {
    const retried = yield* Client.make(client)
    let attempts = 0
    let succeeded = 0
    const attempt = Effect.flatMap(Random.next, (u) => {
      attempts += 1
      return u < p ? Effect.fail("failed" as const) : Effect.void
    })
    for (let request = 0; request < requests; request++) {
      if (request % burst === 0) yield* Effect.sleep(`${Math.round((burst * 1000) / perSecond)} millis`)
      if (yield* retried(attempt)) succeeded += 1
    }
    return { loadFactor: attempts / requests, succeeded: succeeded / requests }
  }).pipe(runScoped, Effect.provide(SeededRandom.layer(options.seed)))
}
