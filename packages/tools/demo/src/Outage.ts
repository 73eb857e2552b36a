/**
 * One hundred clients and one outage: the load of retries with a retry budget that all clients share, and without one.
 *
 * Without sockets: it runs on a virtual clock, so that the picture does not depend on how busy the machine is.
 */
import { Backoff, Classifier, Jitter, Retry, TokenBucket } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { Array, Clock, Effect } from "effect"
import * as Chance from "./Chance.ts"
import * as Load from "./Load.ts"
import * as Paint from "./Paint.ts"
import * as Promised from "./Promised.ts"
import type { Scene } from "./Scene.ts"

const clients = 100
const untilMillis = 12_000
const outage = { fromMillis: 4000, toMillis: 8000, name: "outage" }
const budget = { ratio: 0.1, capacity: 10 }

const policy = {
  classifier: Classifier.always,
  maxAttempts: 4,
  backoff: Backoff.exponential({ base: "100 millis" }).pipe(Backoff.capped("1 second"), Backoff.jittered(Jitter.full))
}

/**
 * @category constructors
 */
export const scene = (bucket = TokenBucket.successRatio(budget)): Scene => ({
  title: `${clients} clients in an outage, with one retry budget for all and without`,
  play: ({ seed }) =>
    Effect.gen(function* () {
      const ours = yield* crowd(seed, yield* bucket)
      const native = yield* crowd(seed, TokenBucket.unlimited)
      const tracks = [
        { name: "ours", tone: "good", atMillis: ours.requests },
        { name: "native", tone: "bad", atMillis: native.requests }
      ] as const
      const more = whileDown(native.requests) - whileDown(ours.requests)
      const saved = native.succeeded - ours.succeeded
      return {
        figure: (style) => Load.draw(style, tracks, untilMillis, outage),
        promises: promises(ours),
        why:
          saved > 0
            ? `Native saves ${saved} of ${Paint.count(ours.operations.length, "call")}, at the cost of ${Paint.grouped(more)} extra requests.`
            : `The budget keeps ${Paint.grouped(more)} requests away from the server in the outage.`,
        ours: { requests: whileDown(ours.requests) },
        native: { requests: whileDown(native.requests) }
      }
    })
})

/** When each operation began, and when each request came. */
interface Crowd {
  readonly operations: Array<number>
  readonly requests: Array<number>
  succeeded: number
}

const isDown = (millis: number): boolean => millis >= outage.fromMillis && millis < outage.toMillis

const whileDown = (atMillis: ReadonlyArray<number>): number => atMillis.filter(isDown).length

/** All clients at the same time, each with pauses of its own, which are the same in every crowd. */
const crowd = (seed: string, bucket: TokenBucket.TokenBucket): Effect.Effect<Crowd> =>
  Effect.gen(function* () {
    const crowd: Crowd = { operations: [], requests: [], succeeded: 0 }
    const request = Effect.flatMap(Clock.currentTimeMillis, (now) => {
      crowd.requests.push(now)
      return isDown(now) ? Effect.fail("down") : Effect.void
    })
    const operation = Effect.flatMap(Clock.currentTimeMillis, (now) => {
      crowd.operations.push(now)
      const retried = Retry.retry(request, { ...policy, bucket })
      return Effect.ignore(Effect.map(retried, () => void (crowd.succeeded += 1)))
    })
    const all = Array.makeBy(clients, (i) => client(`${seed}/${i}`, operation))
    yield* Effect.all(all, { concurrency: "unbounded", discard: true })
    return crowd
  }).pipe(VirtualClock.run)

const client = (seed: string, operation: Effect.Effect<void>): Effect.Effect<unknown> =>
  Effect.gen(function* () {
    const draw = yield* Chance.drawing(`${seed}/pauses`)
    const pause = Effect.flatMap(draw, (u) => Effect.sleep(500 + 1000 * u))
    const calling = Effect.forever(Effect.zipRight(pause, Effect.fork(operation)))
    yield* Effect.timeoutOption(calling, untilMillis)
  }).pipe(Chance.seeded(seed))

const promises = ({ operations, requests, succeeded }: Crowd): ReadonlyArray<Promised.Promised> => [
  Promised.some(
    `retries are at most ${budget.capacity}, and ${budget.ratio} more per success`,
    requests.length - operations.length,
    budget.capacity + budget.ratio * succeeded
  ),
  Promised.some(
    `the outage brings at most ${budget.capacity} requests more than without retries`,
    whileDown(requests) - whileDown(operations),
    budget.capacity
  )
]
