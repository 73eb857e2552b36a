/**
 * The levels of buckets and of rate limiters over time, those of a sheet under the same operations through the same outage.
 */
import { Backoff, RateLimiter, Retry, TokenBucket, Verdict } from "@effect-retry/core"
import { SeededRandom, VirtualClock } from "@effect-retry/plan"
import { Duration, Effect } from "effect"
import * as Panels from "./Panels.ts"

const until = 60
const outage = { from: 15, to: 35 }

type Place = "bucket" | "rateLimiter"

type Made = Effect.Effect<TokenBucket.TokenBucket>

/** The operations and the outage that all buckets of a sheet meet. */
interface Traffic {
  readonly operationsPerSecond: number
  /** How long an answer takes, and one in the outage. */
  readonly takes: Duration.DurationInput
  readonly takesInOutage: Duration.DurationInput
  readonly verdict: Verdict.Verdict
}

const short: Traffic = {
  operationsPerSecond: 5,
  takes: "50 millis",
  takesInOutage: "50 millis",
  verdict: Verdict.server
}

const buckets: Readonly<Record<string, readonly [Place, Made]>> = {
  quota: ["bucket", TokenBucket.quota({ capacity: 500 })],
  successRatio: ["bucket", TokenBucket.successRatio({ ratio: 0.1, capacity: 10 })],
  requestRatio: ["bucket", TokenBucket.requestRatio({ ratio: 0.2, floorPerSecond: 0, window: "10 seconds" })],
  fixed: ["rateLimiter", RateLimiter.fixed({ rate: 8, burst: 20, whenShort: "refuse" })]
}

/** Many in flight, and a server that throttles with a hint. */
const throttled: Traffic = {
  operationsPerSecond: 20,
  takes: "200 millis",
  takesInOutage: "400 millis",
  verdict: Verdict.retryable("Throttling", { hint: "3 seconds" })
}

const limiters: Readonly<Record<string, readonly [Place, Made]>> = {
  concurrencyLimit: ["rateLimiter", RateLimiter.concurrencyLimit({ limit: 10, whenShort: "refuse" })],
  adaptiveConcurrency: ["rateLimiter", RateLimiter.adaptiveConcurrency({ whenShort: "refuse" })],
  acceptRatio: ["rateLimiter", RateLimiter.acceptRatio()],
  adaptive: ["rateLimiter", RateLimiter.adaptive({ whenShort: "refuse" })],
  serverPause: ["rateLimiter", RateLimiter.serverPause({ atMost: "1 minute", whenShort: "refuse" })]
}

/** Levels, one for each half second. */
const levels = (traffic: Traffic, place: Place, make: Made): Effect.Effect<ReadonlyArray<number>> =>
  Effect.gen(function* () {
    const { operationsPerSecond, takes, takesInOutage, verdict } = traffic
    const bucket = yield* make
    const isOut = Effect.map(VirtualClock.now, (now) => {
      const seconds = Duration.toSeconds(now)
      return seconds >= outage.from && seconds < outage.to
    })
    const call = Effect.gen(function* () {
      yield* Effect.sleep((yield* isOut) ? takesInOutage : takes)
      if (yield* isOut) return yield* Effect.fail("away" as const)
    })
    const policy = {
      classifier: () => verdict,
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
  }).pipe(Effect.provide(SeededRandom.layer(1)), VirtualClock.run)

/** A level without a limit is drawn as the upper edge. */
const panel = (name: string, levels: ReadonlyArray<number>): Panels.Panel => {
  const finite = levels.filter((level) => level < Infinity)
  const top = Math.max(1, ...finite)
  const isLimited = finite.length === levels.length
  const end = levels.at(-1) ?? 0
  const most = isLimited ? `${rounded(top)} tokens` : "no limit"
  return {
    name,
    description: `${name}: ${isLimited ? `at most ${most}` : "no limit at most"}, at least ${rounded(Math.min(...levels))}, and ${end < Infinity ? rounded(end) : "no limit"} in the end.`,
    most,
    bands: [],
    line: levels.map((level, i) => [(i + 1) / levels.length, Math.min(1, level / top)]),
    outage: { from: outage.from / until, to: outage.to / until }
  }
}

const rounded = (tokens: number): number => Math.round(tokens * 10) / 10

const draw = (
  title: string,
  intro: string,
  traffic: Traffic,
  all: Readonly<Record<string, readonly [Place, Made]>>
): Effect.Effect<string> =>
  Effect.map(
    Effect.forEach(Object.entries(all), ([name, [place, make]]) =>
      Effect.map(levels(traffic, place, make), (levels) => panel(name, levels))
    ),
    (panels) => Panels.draw({ title, intro, axis: ["0 s", `${until} s`], panels })
  )

export const ofBuckets: Effect.Effect<string> = draw(
  "Buckets through an outage",
  `The level of each: ${short.operationsPerSecond} operations a second of up to 3 attempts, and a server that fails for ${outage.to - outage.from} seconds.`,
  short,
  buckets
)

export const ofLimiters: Effect.Effect<string> = draw(
  "Rate limiters through an outage",
  `The level of each: ${throttled.operationsPerSecond} operations a second of up to 3 attempts, and a server that throttles for ${outage.to - outage.from} seconds.`,
  throttled,
  limiters
)
