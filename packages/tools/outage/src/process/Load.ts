/**
 * The operations of one process: they begin at random times, whether earlier ones have ended or not.
 */
import * as Backoff from "@effect-retry/core/Backoff"
import * as Classifier from "@effect-retry/core/Classifier"
import * as Jitter from "@effect-retry/core/Jitter"
import * as Retry from "@effect-retry/core/Retry"
import * as TokenBucket from "@effect-retry/core/TokenBucket"
import * as IoRedis from "@effect-retry/fleet/IoRedis"
import * as RedisBucket from "@effect-retry/fleet/RedisBucket"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Client from "./Client.ts"
import type { Play, Played } from "./Message.ts"

const policy = {
  classifier: Classifier.always,
  maxAttempts: 4,
  backoff: Backoff.exponential({ base: "100 millis" }).pipe(Backoff.capped("1 second"), Backoff.jittered(Jitter.full)),
  bucket: TokenBucket.RetryBucket
}

/** Most time of a call of the store: the machine has all the processes of the fleet to run. */
const within = "5 seconds"

const layerOf = (play: Play): Layer.Layer<TokenBucket.RetryBucket> => {
  const { budget, processes } = play
  const layer = Layer.scoped(TokenBucket.RetryBucket)
  switch (play.bucket) {
    case "none":
      return Layer.succeed(TokenBucket.RetryBucket, TokenBucket.unlimited)
    case "own":
      return layer(TokenBucket.successRatio(budget))
    case "part":
      return layer(
        TokenBucket.successRatio({
          ratio: budget.ratio,
          capacity: Math.max(1, budget.capacity / processes),
          floorPerSecond: budget.floorPerSecond / processes
        })
      )
    case "shared":
      return layer(
        RedisBucket.successRatio({ name: play.name, ...budget }).pipe(Effect.map(TokenBucket.failClosed({ within })))
      ).pipe(Layer.provide(IoRedis.layer({ host: "127.0.0.1", port: play.redisPort, within })))
  }
}

/**
 * Begins operations for as long as the message says, and waits for the last one to end.
 *
 * @category running
 */
export const play = (play: Play): Effect.Effect<Played> =>
  Effect.gen(function* () {
    const request = Client.make(play.port)
    let [operations, succeeded] = [0, 0]
    const operation = Effect.suspend(() => {
      operations += 1
      let attempt = 0
      const call = Effect.suspend(() => request((attempt += 1)))
      return Effect.ignore(Effect.map(Retry.retry(call, policy), () => void (succeeded += 1)))
    })
    const running = yield* FiberSet.make()
    const run = yield* FiberSet.runtime(running)<TokenBucket.RetryBucket>()
    const startMillis = yield* Clock.currentTimeMillis
    // The pauses of a Poisson process. A process that is late begins what is due: the load does not depend on the machine.
    const pauseMillis = Effect.map(Random.next, (u) => (-Math.log1p(-u) / play.operationsPerSecond) * 1000)
    for (let at = yield* pauseMillis; at < play.forMillis; at += yield* pauseMillis) {
      yield* Effect.sleep(Math.max(0, startMillis + at - (yield* Clock.currentTimeMillis)))
      run(operation)
    }
    yield* FiberSet.awaitEmpty(running)
    return { operations, succeeded }
  }).pipe(Effect.scoped, Effect.provide(layerOf(play)), Effect.withRandom(Random.make(play.seed)))
