/**
 * Writers of one table that takes fewer writes than they have: AWS's adaptive mode, which finds the rate, beside a plain
 * retry.
 *
 * On a virtual clock, as the outage.
 */
import { AwsQuota, AwsRetry } from "@effect-retry/aws"
import { RateLimiter, Retry, type TokenBucket } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { Array, Clock, Data, Effect, Schedule } from "effect"
import * as Chance from "./Chance.ts"
import * as Load from "./Load.ts"
import * as Promised from "./Promised.ts"
import type { Scene } from "./Scene.ts"

const writers = 5
const perSecond = 20
const inStore = 5
const untilMillis = 16_000
const settled = { fromMillis: 8000, toMillis: untilMillis, name: "settled" }
const mostThrottled = 0.05
const leastUsed = 0.7

/**
 * @category constructors
 */
export const scene = (rateLimiter: Effect.Effect<TokenBucket.TokenBucket> = RateLimiter.adaptive()): Scene => ({
  title: `${writers} writers to a table that takes ${perSecond} writes per second: throttled writes`,
  play: ({ seed }) =>
    Effect.gen(function* () {
      const ours = yield* load(seed, adaptive(rateLimiter))
      const native = yield* load(seed, Effect.succeed(Effect.retry(plain)))
      const tracks = [
        { name: "ours", tone: "good", atMillis: ours.throttled },
        { name: "native", tone: "bad", atMillis: native.throttled }
      ] as const
      const more = storedOf(native) - storedOf(ours)
      return {
        figure: (style) => Load.draw(style, tracks, untilMillis, settled),
        promises: promises(ours),
        why: `Native stores ${more} more; ${refused(native)} of its requests are throttled, ${refused(ours)} of ours.`,
        ours: { requests: ours.requests.length },
        native: { requests: native.requests.length }
      }
    })
})

const storedOf = ({ requests, throttled }: Served): number => requests.length - throttled.length

const refused = ({ requests, throttled }: Served): string =>
  `${Math.round((100 * throttled.length) / Math.max(1, requests.length))} %`

const adaptive = (making: Effect.Effect<TokenBucket.TokenBucket>): Effect.Effect<Retrying> =>
  Effect.map(Effect.all([AwsQuota.standard, making]), ([bucket, rateLimiter]) =>
    Retry.retry({ ...AwsRetry.adaptive, bucket, rateLimiter })
  )

const plain = Schedule.exponential("50 millis").pipe(Schedule.jittered, Schedule.intersect(Schedule.recurs(2)))

class Throttled extends Data.TaggedError("ProvisionedThroughputExceededException") {}

/** When each request came, and when each that was refused. */
interface Served {
  readonly requests: Array<number>
  readonly throttled: Array<number>
}

type Retrying = (write: Effect.Effect<void, Throttled>) => Effect.Effect<void, unknown>

/**
 * All writers at the same time, each with pauses of its own, which are the same under every retry.
 *
 * What retries is made in virtual time too: a limiter that began on the real clock would have the fractions of its time.
 */
const load = (seed: string, making: Effect.Effect<Retrying>): Effect.Effect<Served> =>
  Effect.gen(function* () {
    const retrying = yield* making
    const served: Served = { requests: [], throttled: [] }
    const write = table(served)
    const writer = (i: number) =>
      Effect.gen(function* () {
        const draw = yield* Chance.drawing(`${seed}/${i}/pauses`)
        const pause = Effect.flatMap(draw, (u) => Effect.sleep(200 * u))
        const writing = Effect.forever(Effect.zipRight(pause, Effect.ignore(retrying(write))))
        yield* Effect.timeoutOption(writing, untilMillis)
      }).pipe(Chance.seeded(`${seed}/${i}`))
    yield* Effect.all(Array.makeBy(writers, writer), { concurrency: "unbounded", discard: true })
    return served
  }).pipe(VirtualClock.run)

/** A table that has some writes in store, and gets more with time. */
const table = ({ requests, throttled }: Served): Effect.Effect<void, Throttled> => {
  let stored = inStore
  let lastMillis = 0
  return Effect.flatMap(Clock.currentTimeMillis, (now) => {
    requests.push(now)
    stored = Math.min(inStore, stored + ((now - lastMillis) * perSecond) / 1000)
    lastMillis = now
    if (stored >= 1) {
      stored -= 1
      return Effect.void
    }
    throttled.push(now)
    return new Throttled()
  })
}

const promises = ({ requests, throttled }: Served): ReadonlyArray<Promised.Promised> => {
  const settledOf = (times: ReadonlyArray<number>) => times.filter((at) => at >= settled.fromMillis).length
  const capacity = (perSecond * (settled.toMillis - settled.fromMillis)) / 1000
  return [
    Promised.between(
      `once settled, at most ${mostThrottled * 100} % of the writes are throttled`,
      settledOf(throttled),
      [0, Math.floor(settledOf(requests) * mostThrottled)]
    ),
    Promised.between(
      `and the table stores at least ${leastUsed * 100} % of what it could`,
      settledOf(requests) - settledOf(throttled),
      [capacity * leastUsed, capacity + inStore]
    )
  ]
}
