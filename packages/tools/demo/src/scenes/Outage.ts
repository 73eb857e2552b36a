/**
 * One hundred clients, one outage: what retries add to the load, with a bucket that all clients share and without one.
 *
 * The one scene without sockets: the crowd runs on a virtual clock, so that the picture does not depend on how busy the
 * machine is.
 */
import { Backoff, Classifier, Jitter, Retry, RetryBucket } from "@effect-retry/core"
import { SeededRandom, VirtualClock } from "@effect-retry/testing"
import { Clock, Effect, Random, Schedule } from "effect"
import * as Load from "../Load.ts"
import * as Promised from "../Promised.ts"
import * as Scene from "../Scene.ts"

const clients = 100
const everyMillis = 1000
const untilMillis = 12_000
const outage = { fromMillis: 4000, toMillis: 8000, name: "outage" }
const budget = { ratio: 0.1, capacity: 10 }
const attempts = 4

const policy = {
  classifier: Classifier.always,
  maxAttempts: attempts,
  backoff: Backoff.exponential({ base: "100 millis" }).pipe(Backoff.capped("1 second"), Backoff.jittered(Jitter.full)),
  bucket: RetryBucket.Default
}

const plain = Schedule.exponential("100 millis").pipe(Schedule.jittered, Schedule.intersect(Schedule.recurs(3)))

type Call = Effect.Effect<void, "down">

/**
 * @category constructors
 */
export const scene = (bucket = RetryBucket.makeSuccessRatio(budget)): Scene.Scene => ({
  title: `${clients} clients, one outage, in virtual time`,
  intro: [
    "requests per 240 ms; each client sends about one per second",
    "ours    4 attempts, full jitter, one bucket for all: 10, and 0.1 per success",
    "native  4 attempts: exponential, jittered, recurs(3)"
  ],
  play: ({ seed }) =>
    Effect.gen(function* () {
      const shared = yield* bucket
      const ours = yield* crowd(seed, (call) =>
        Effect.provideService(Retry.retry(call, policy), RetryBucket.Default, shared)
      )
      const native = yield* crowd(seed, Effect.retry(plain))
      return {
        figure: (style) =>
          Load.draw(
            style,
            [
              { name: "ours", tone: "good", atMillis: ours.arrivals },
              { name: "native", tone: "bad", atMillis: native.arrivals }
            ],
            { binMillis: 240, untilMillis, marked: outage }
          ),
        promises: promises(ours),
        notes: [
          `attempts per operation during the outage: ours ${amplification(ours)}, native ${amplification(native)}`
        ],
        ours: tally(ours),
        native: tally(native)
      }
    })
})

interface Crowd {
  operations: number
  succeeded: number
  /** Operations that began while the server was down. */
  operationsInOutage: number
  /** When each request came. */
  readonly arrivals: Array<number>
}

const isDown = (millis: number): boolean => millis >= outage.fromMillis && millis < outage.toMillis

/** All clients at the same time, each with pauses of its own. */
const crowd = (seed: string, retried: (call: Call) => Call): Effect.Effect<Crowd> =>
  Effect.gen(function* () {
    const seen: Crowd = { operations: 0, succeeded: 0, operationsInOutage: 0, arrivals: [] }
    const call: Call = Effect.flatMap(Clock.currentTimeMillis, (now) => {
      seen.arrivals.push(now)
      return isDown(now) ? Effect.fail("down") : Effect.void
    })
    const operation = Effect.flatMap(Clock.currentTimeMillis, (now) => {
      seen.operations += 1
      if (isDown(now)) seen.operationsInOutage += 1
      return Effect.match(retried(call), {
        onFailure: () => undefined,
        onSuccess: () => {
          seen.succeeded += 1
        }
      })
    })
    const pause = Effect.flatMap(Random.next, (u) => Effect.sleep((0.5 + u) * everyMillis))
    const client = Effect.zipRight(pause, Effect.fork(operation)).pipe(
      Effect.forever,
      Effect.timeoutOption(untilMillis)
    )
    yield* Effect.replicateEffect(client, clients, { concurrency: "unbounded", discard: true })
    return seen
  }).pipe(VirtualClock.run, Effect.provide(SeededRandom.layer(seed)))

const requestsInOutage = ({ arrivals }: Crowd): number => arrivals.filter(isDown).length

const amplification = (crowd: Crowd): string => (requestsInOutage(crowd) / crowd.operationsInOutage).toFixed(2)

const promises = (ours: Crowd): ReadonlyArray<Promised.Promised> => [
  Promised.counts(
    `retries are at most ${budget.capacity}, and ${budget.ratio} per success`,
    ours.arrivals.length - ours.operations,
    { least: 1, most: budget.capacity + budget.ratio * ours.succeeded }
  ),
  Promised.counts(
    `the outage costs at most ${budget.capacity} requests more than no retries at all`,
    requestsInOutage(ours) - ours.operationsInOutage,
    { least: 1, most: budget.capacity }
  )
]

/** None of it took real time. */
const tally = ({ arrivals, operations, succeeded }: Crowd): Scene.Tally => ({
  operations,
  succeeded,
  stopped: operations - succeeded,
  requests: arrivals.length,
  elapsedMillis: 0
})
