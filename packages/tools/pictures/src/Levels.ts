/**
 * The levels of buckets over time, each under the same operations through the same outage.
 */
import { Backoff, RateLimiter, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/plan"
import { Duration, Effect } from "effect"
import * as Panels from "./Panels.ts"

const until = 60
const outage = { from: 15, to: 35 }
const operationsPerSecond = 5

type Place = "bucket" | "rateLimiter"

const buckets: Readonly<Record<string, readonly [Place, Effect.Effect<TokenBucket.TokenBucket>]>> = {
  quota: ["bucket", TokenBucket.quota({ capacity: 500 })],
  successRatio: ["bucket", TokenBucket.successRatio({ ratio: 0.1, capacity: 10 })],
  requestRatio: ["bucket", TokenBucket.requestRatio({ ratio: 0.2, floorPerSecond: 0, window: "10 seconds" })],
  fixed: ["rateLimiter", RateLimiter.fixed({ rate: 8, burst: 20, whenShort: "refuse" })]
}

/** Levels, one for each half second. */
const levels = (place: Place, make: Effect.Effect<TokenBucket.TokenBucket>): Effect.Effect<ReadonlyArray<number>> =>
  Effect.gen(function* () {
    const bucket = yield* make
    const now = Effect.map(VirtualClock.now, Duration.toSeconds)
    const call = Effect.filterOrFail(
      Effect.zipRight(Effect.sleep("50 millis"), now),
      (at) => at < outage.from || at >= outage.to,
      () => "away" as const
    )
    const policy = {
      classifier: () => Verdict.server,
      maxAttempts: 3,
      backoff: Backoff.constant({ delay: "200 millis" }),
      ...(place === "bucket" ? { bucket } : { rateLimiter: bucket })
    }
    const operations = Effect.forEach(
      Array.from({ length: until * operationsPerSecond }, (_, i) => (i * 1000) / operationsPerSecond),
      (millis) => Effect.delay(Effect.exit(Retry.retry(call, policy)), millis),
      { concurrency: "unbounded", discard: true }
    )
    yield* Effect.fork(operations)
    return yield* Effect.forEach(Array.from({ length: 2 * until }), () =>
      Effect.zipRight(Effect.sleep("500 millis"), bucket.level)
    )
  }).pipe(VirtualClock.run)

const panel = (name: string, levels: ReadonlyArray<number>): Panels.Panel => {
  const most = Math.max(1, ...levels)
  const lowest = Math.min(...levels)
  return {
    name,
    description: `${name}: at most ${rounded(most)} tokens, at least ${rounded(lowest)}, and ${rounded(levels.at(-1) ?? 0)} in the end.`,
    most: `${rounded(most)} tokens`,
    bands: [],
    line: levels.map((level, i) => [(i + 1) / levels.length, level / most]),
    outage: { from: outage.from / until, to: outage.to / until }
  }
}

const rounded = (tokens: number): number => Math.round(tokens * 10) / 10

export const sheet: Effect.Effect<string> = Effect.map(
  Effect.forEach(Object.entries(buckets), ([name, [place, make]]) =>
    Effect.map(levels(place, make), (levels) => panel(name, levels))
  ),
  (panels) =>
    Panels.draw({
      title: "Buckets through an outage",
      intro: `The level of each: ${operationsPerSecond} operations a second of up to 3 attempts, and a server that fails for ${outage.to - outage.from} seconds.`,
      axis: ["0 s", `${until} s`],
      panels
    })
)
