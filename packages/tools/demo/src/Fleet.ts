/**
 * Three clients that share a bucket in Redis, each with a connection of its own, beside three with a bucket each.
 *
 * On the real clock, as a real Redis is. If there is none on the machine, the scene says how to get one.
 */
import { Backoff, Classifier, Jitter, Retry, TokenBucket } from "@effect-retry/core"
import * as RedisBucket from "@effect-retry/fleet/RedisBucket"
import * as IoRedis from "@effect-retry/fleet/IoRedis"
import * as Redis from "@effect-retry/servers/Redis"
import { Array, Clock, Effect, Fiber, Layer, Option } from "effect"
import * as Chance from "./Chance.ts"
import * as Load from "./Load.ts"
import * as Promised from "./Promised.ts"
import type { Report, Scene } from "./Scene.ts"

const clients = 3
/** Of each client, and of these the ones that meet the outage: it lasts that long on any machine. */
const operations = 18
const outage = { from: 3, to: 13 }
const budget = { ratio: 0.1, capacity: 5, floorPerSecond: 2 }

const policy = {
  classifier: Classifier.always,
  maxAttempts: 4,
  backoff: Backoff.exponential({ base: "50 millis" }).pipe(Backoff.capped("200 millis"), Backoff.jittered(Jitter.full)),
  bucket: TokenBucket.RetryBucket
}

/** Most time of a call of the store. */
const within = "5 seconds"

type Bucket = Layer.Layer<TokenBucket.RetryBucket>

/** Of one client; the name is that of the shared bucket. */
type Buckets = (port: number, name: string) => Bucket

const shared: Buckets = (port, name) =>
  Layer.scoped(
    TokenBucket.RetryBucket,
    RedisBucket.successRatio({ name, ...budget }).pipe(Effect.map(TokenBucket.failClosed({ within })))
  ).pipe(Layer.provide(IoRedis.layer({ host: "127.0.0.1", port, within })))

const local: Buckets = () => Layer.effect(TokenBucket.RetryBucket, TokenBucket.successRatio(budget))

/** What the scene is played with. */
interface Options {
  readonly buckets?: Buckets
  readonly find?: Effect.Effect<Option.Option<Redis.Program>>
}

/**
 * @category constructors
 */
export const scene = ({ buckets = shared, find = Redis.find }: Options = {}): Scene => ({
  title: `${clients} clients with one budget in Redis, and with one each: retries in an outage`,
  play: ({ seed }) =>
    Effect.flatMap(
      find,
      Option.match({
        onNone: () => Effect.succeed(absent),
        onSome: () =>
          Effect.catchAll(Effect.scoped(played(seed, buckets)), ({ message }) => Effect.succeed(failed(message)))
      })
    )
})

const failed = (why: string): Report => ({
  figure: () => [],
  promises: [],
  why,
  ours: { requests: 0 },
  native: { requests: 0 }
})

const absent = failed("this scene needs Redis, and found none: `apt-get install redis-server`")

const played = (seed: string, buckets: Buckets) =>
  Effect.gen(function* () {
    const { port } = yield* Redis.start()
    const layers = (buckets: Buckets, name: string) => Array.makeBy(clients, () => buckets(port, name))
    const [ours, native] = yield* Effect.all([crowd(seed, layers(buckets, "demo")), crowd(seed, layers(local, ""))], {
      concurrency: "unbounded"
    })
    const tracks = [
      { name: "ours", tone: "good", atMillis: ours.retries },
      { name: "native", tone: "bad", atMillis: native.retries }
    ] as const
    return {
      figure: (style) => Load.draw(style, tracks, latest([...ours.requests, ...native.requests]), marked(ours)),
      promises: promises(ours),
      why: `One budget for all: ${ours.retries.length} retries; one for each client: ${native.retries.length}.`,
      ours: { requests: ours.failed.length },
      native: { requests: native.failed.length }
    } satisfies Report
  })

interface Crowd {
  readonly requests: Array<number>
  readonly failed: Array<number>
  readonly retries: Array<number>
  succeeded: number
}

const latest = (atMillis: ReadonlyArray<number>): number => Math.max(0, ...atMillis)

const marked = ({ failed }: Crowd): Load.Marked => ({
  fromMillis: Math.min(...failed),
  toMillis: latest(failed),
  name: "outage"
})

/** All clients at the same time, each with its bucket, and with pauses that are the same in every crowd. */
const crowd = (seed: string, layers: ReadonlyArray<Bucket>): Effect.Effect<Crowd> =>
  Effect.gen(function* () {
    const crowd: Crowd = { requests: [], failed: [], retries: [], succeeded: 0 }
    const beganMillis = yield* Clock.currentTimeMillis
    const elapsedMillis = Effect.map(Clock.currentTimeMillis, (now) => now - beganMillis)
    const operation = (isDown: boolean) =>
      Effect.suspend(() => {
        let attempt = 0
        const request = Effect.flatMap(elapsedMillis, (at) => {
          crowd.requests.push(at)
          attempt += 1
          if (attempt > 1) crowd.retries.push(at)
          if (!isDown) return Effect.void
          crowd.failed.push(at)
          return Effect.fail("down")
        })
        return Effect.ignore(Effect.map(Retry.retry(request, policy), () => void (crowd.succeeded += 1)))
      })
    const client = (layer: Bucket, i: number) =>
      Effect.gen(function* () {
        const draw = yield* Chance.drawing(`${seed}/${i}/pauses`)
        const pause = Effect.flatMap(draw, (u) => Effect.sleep(100 + 100 * u))
        const begun = yield* Effect.forEach(Array.range(0, operations - 1), (number) =>
          Effect.zipRight(pause, Effect.fork(operation(number >= outage.from && number < outage.to)))
        )
        yield* Fiber.joinAll(begun)
      }).pipe(Effect.provide(layer), Chance.seeded(`${seed}/${i}`))
    yield* Effect.all(layers.map(client), { concurrency: "unbounded", discard: true })
    return crowd
  })

const promises = ({ retries, succeeded }: Crowd): ReadonlyArray<Promised.Promised> => {
  const seconds = latest(retries) / 1000
  const { capacity, floorPerSecond, ratio } = budget
  return [
    Promised.some(
      `retries of all clients are at most ${capacity}, ${floorPerSecond} more per second and ${ratio} per success`,
      retries.length,
      capacity + floorPerSecond * seconds + ratio * succeeded
    )
  ]
}
