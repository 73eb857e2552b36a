/**
 * Load amplification: attempts per request against a server that fails with a fixed probability, whatever its load.
 *
 * One client, thousands of requests one after the other. The formula beside each row says what to expect.
 */
import { Backoff, Classifier, Retry, RetryBucket, TokenBucket } from "@effect-retry/core"
import * as SeededRandom from "../SeededRandom.ts"
import * as VirtualClock from "../VirtualClock.ts"
import { Context, Effect, Random } from "effect"

/**
 * A client's retries, and the amplification that theory gives them for a failure probability `p`.
 *
 * @category models
 */
export interface Row {
  readonly name: string
  readonly maxAttempts: number
  readonly bucket: Effect.Effect<TokenBucket.TokenBucket>
  readonly formula: (p: number) => number
}

/**
 * @category models
 */
export interface Outcome {
  /** Attempts per request. */
  readonly amplification: number
  /** Share of the requests that succeeded. */
  readonly success: number
}

/** Requests that come at once: a clock that moves less often takes less time to simulate. */
const burst = 10

class Bucket extends Context.Tag("storms/AmplificationBucket")<Bucket, TokenBucket.TokenBucket>() {}

/**
 * One run of `requests` requests, `perSecond` of them in a second.
 *
 * @category running
 */
export const run = (
  { bucket, maxAttempts }: Row,
  options: { readonly p: number; readonly requests: number; readonly perSecond: number; readonly seed: number }
): Effect.Effect<Outcome> =>
  Effect.gen(function* () {
    const counts = { attempts: 0, succeeded: 0 }
    const attempt = Effect.flatMap(Random.next, (u) => {
      counts.attempts += 1
      return u < options.p ? Effect.fail("failed" as const) : Effect.void
    })
    const policy = {
      maxAttempts,
      backoff: Backoff.constant({ delay: 0 }),
      classifier: Classifier.always,
      bucket: Bucket
    }
    const succeeded = () => {
      counts.succeeded += 1
    }
    const request = Effect.match(Retry.retry(attempt, policy), { onFailure: () => undefined, onSuccess: succeeded })
    const pause = Effect.sleep(`${Math.round((burst * 1000) / options.perSecond)} millis`)
    const requests = Effect.zipRight(pause, Effect.repeatN(request, burst - 1))
    yield* Effect.provideServiceEffect(Effect.repeatN(requests, options.requests / burst - 1), Bucket, bucket)
    return { amplification: counts.attempts / options.requests, success: counts.succeeded / options.requests }
  }).pipe(VirtualClock.run, Effect.provide(SeededRandom.layer(options.seed)))

const sumOfPowers = (p: number, retries: number): number =>
  Array.from({ length: retries }, (_, i) => p ** (i + 1)).reduce((sum, term) => sum + term, 0)

/**
 * The rows of the table, in its order.
 *
 * @category constructors
 */
export const rows: ReadonlyArray<Row> = [
  {
    name: "3 retries",
    maxAttempts: 4,
    bucket: Effect.succeed(TokenBucket.unlimited),
    formula: (p) => 1 + sumOfPowers(p, 3)
  },
  {
    name: "success ratio 0.1",
    maxAttempts: 4,
    bucket: RetryBucket.successRatio({ ratio: 0.1, capacity: 10 }),
    // A success credits the bucket also when a retry brought it about.
    formula: (p) => 1 + Math.min(sumOfPowers(p, 3), (0.1 * (1 - p)) / (1 - 0.1 * (1 - p)))
  },
  {
    name: "request ratio 0.1",
    maxAttempts: 4,
    bucket: RetryBucket.requestRatio({ ratio: 0.1, floorPerSecond: 0 }),
    formula: (p) => 1 + Math.min(sumOfPowers(p, 3), 0.1)
  },
  {
    name: "request ratio 0.2 and 10 per second",
    maxAttempts: 4,
    bucket: RetryBucket.requestRatio({ ratio: 0.2, floorPerSecond: 10 }),
    formula: (p) => 1 + Math.min(sumOfPowers(p, 3), 0.2 + 10 / perSecond)
  },
  {
    name: "quota 500, cost 5, increment 1",
    maxAttempts: 3,
    bucket: RetryBucket.quota({ cost: { orElse: 5 } }),
    // Without a retry a success returns 1 token, a fifth of a retry; a retry's own cost comes back when it succeeds.
    formula: (p) => 1 + Math.min(p + p * p, (0.2 * (1 - p)) / p)
  },
  {
    name: "gRPC throttle (10, 0.1)",
    maxAttempts: 4,
    bucket: RetryBucket.grpcThrottle({ maxTokens: 10, tokenRatio: 0.1 }),
    formula: (p) => (p / (1 - p) < 0.1 ? 1 + sumOfPowers(p, 3) : 1)
  },
  { name: "no retries", maxAttempts: 1, bucket: Effect.succeed(TokenBucket.empty), formula: () => 1 }
]

/** Requests per second of the table's client. */
export const perSecond = 100
