/**
 * Processes that share a bucket, each with attempts of its own cost, and always want more than there is.
 */
import type { TokenBucket, Verdict } from "@effect-retry/core"
import { Effect, Option, type Scope } from "effect"
import { ask } from "./Shared.ts"

/** A process whose attempts cost what a failure of that kind does, and so many of which wait at a time. */
export interface Process {
  readonly kind: Verdict.Kind
  readonly waiting: number
}

const nowMillis = Effect.clockWith((clock) => clock.currentTimeMillis)

/** What the burst is gone in. */
const burstSeconds = 10

/** How many tokens each process was granted in so many seconds after the burst was gone. */
export const shares = <E, R>(
  make: Effect.Effect<TokenBucket.TokenBucket<E>, never, R>,
  processes: ReadonlyArray<Process>,
  seconds: number
): Effect.Effect<ReadonlyArray<number>, never, R | Scope.Scope> =>
  Effect.gen(function* () {
    const tokens = processes.map(() => 0)
    const from = (yield* nowMillis) + burstSeconds * 1000
    for (const [index, { kind, waiting }] of processes.entries()) {
      const bucket = yield* make
      const asking = Effect.gen(function* () {
        const grant = Option.getOrThrow(yield* Effect.orDie(ask(bucket, { kind })))
        if ((yield* nowMillis) > from) tokens[index]! += grant.tokens
      })
      yield* Effect.replicateEffect(Effect.forkScoped(Effect.forever(asking)), waiting)
    }
    yield* Effect.sleep((burstSeconds + seconds) * 1000)
    return tokens
  })
