/**
 * What the guard of a policy, the rate limiter, does over time: operations of one process through the outage of the settings.
 */
import type { TokenBucket } from "@effect-retry/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Client } from "./Client.ts"
import * as Operations from "./Operations.ts"
import type { Guarded } from "./Question.ts"
import type { Settings } from "./Settings.ts"

/** Parts into which the time is divided. */
const bins = 80

/** `undefined` for a client without a guard. */
export const guarded = (client: Client, settings: Settings): Effect.Effect<Guarded | undefined> => {
  const { rateLimiter } = client
  if (rateLimiter === undefined) return Effect.succeed(undefined)
  const traffic = Operations.busy(settings)
  const { from, until } = traffic.outage
  const endMillis = until + from
  const binMillis = endMillis / bins
  const binsOf = () => Array.from({ length: bins }, () => 0)
  const count = (counts: Array<number>, millis: number) => {
    const bin = Math.floor(millis / binMillis)
    if (bin < bins) counts[bin]! += 1
  }
  return Effect.gen(function* () {
    const refused = binsOf()
    const shut: Array<boolean> = []
    const watched = Effect.gen(function* () {
      const guard = yield* rateLimiter
      const startMillis = yield* Clock.currentTimeMillis
      const refuse = Effect.map(Clock.currentTimeMillis, (now) => count(refused, now - startMillis))
      yield* Effect.forkDaemon(sampled(guard, binMillis, shut))
      return watching(guard, refuse)
    })
    const operations = yield* Operations.run({ ...client, rateLimiter: watched }, settings, traffic)
    const made = binsOf()
    for (const { attempts } of operations) for (const { startMillis } of attempts) count(made, startMillis)
    return { rateLimiter: settings.rateLimiter, binMillis, made, refused, shut, outage: traffic.outage }
  })
}

/** The same guard, that says when it refuses. */
const watching = (guard: TokenBucket.TokenBucket, refuse: Effect.Effect<void>): TokenBucket.TokenBucket => {
  const { acquire, refusalAfter } = guard
  return {
    ...guard,
    acquire: (request) => Effect.tap(acquire(request), (grant) => (Option.isNone(grant) ? refuse : Effect.void)),
    ...(refusalAfter === undefined
      ? {}
      : {
          refusalAfter: (delay) =>
            Effect.tap(refusalAfter(delay), (refusal) => (Option.isSome(refusal) ? refuse : Effect.void))
        })
  }
}

/** Whether it would let no attempt through, at the end of each part of the time. */
const sampled = ({ level }: TokenBucket.TokenBucket, binMillis: number, shut: Array<boolean>): Effect.Effect<void> =>
  Effect.forEach(
    Array.from({ length: bins }),
    () =>
      Effect.zipRight(
        Effect.sleep(binMillis),
        Effect.map(level, (tokens) => void shut.push(tokens < 1))
      ),
    { discard: true }
  )
