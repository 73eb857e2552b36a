/**
 * What happens to a rate limiter in its laws, and when it grants attempts: as it does, and as a model does.
 */
import type { TokenBucket } from "@effect-retry/core"
import { VirtualClock } from "@effect-retry/testing"
import { Duration, Effect, FastCheck as fc, Fiber } from "effect"
import type { Asked } from "./Asking.ts"
import { isGranted } from "./Asking.ts"

export const settled = Effect.sleep(Duration.zero)

export const nowMillis = Effect.map(VirtualClock.now, Duration.toMillis)

export const first: Asked = { attempt: 1 }

/** A pause, and then requests, an interruption of one of all attempts so far, and a wall clock that is set back. */
export interface Move {
  readonly millis: number
  readonly ask: number
  readonly interrupt: number | undefined
  readonly stepBackMillis: number
}

/** Pauses up to `shortMillis` are as likely as those up to `longMillis`. */
export const moves = (most: { readonly shortMillis: number; readonly longMillis: number; readonly ask: number }) => ({
  millis: fc.oneof(
    fc.constant(0),
    fc.integer({ min: 1, max: most.shortMillis }),
    fc.integer({ min: 1, max: most.longMillis })
  ),
  ask: fc.integer({ min: 0, max: most.ask }),
  interrupt: fc.option(fc.nat(5 * most.ask), { nil: undefined, freq: 3 }),
  stepBackMillis: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 100_000 }))
})

/** When an attempt was granted. */
interface Grant {
  readonly name: number
  readonly millis: number
}

/** The grants of a rate limiter, which hears of each move before the requests of it. */
export const granted = <M extends Move>(
  make: Effect.Effect<TokenBucket.TokenBucket>,
  moves: ReadonlyArray<M>,
  hear: (rate: TokenBucket.TokenBucket, move: M) => Effect.Effect<void> = () => Effect.void
): Effect.Effect<ReadonlyArray<Grant>> =>
  Effect.gen(function* () {
    const rate = yield* make
    const grants: Array<Grant> = []
    const fibers: Array<Fiber.Fiber<void>> = []
    for (const move of moves) {
      yield* Effect.sleep(Duration.millis(move.millis))
      yield* settled
      yield* VirtualClock.stepBack(Duration.millis(move.stepBackMillis))
      yield* Effect.zipRight(hear(rate, move), settled)
      for (let i = 0; i < move.ask; i++) {
        const name = fibers.length
        const noted = Effect.map(nowMillis, (now) => void grants.push({ name, millis: now }))
        fibers.push(yield* Effect.fork(Effect.zipRight(isGranted(rate, first), noted)))
      }
      yield* settled
      const interrupted = move.interrupt === undefined ? undefined : fibers[move.interrupt]
      if (interrupted !== undefined) yield* Fiber.interrupt(interrupted)
    }
    yield* Effect.sleep("1 hour")
    yield* Fiber.interruptAll(fibers)
    return grants
  }).pipe(VirtualClock.run)

/** A rate limiter without its queue. */
export interface Model<M> {
  /** A millisecond passes, while attempts wait or none does. */
  pass(waiting: boolean): void
  /** Whether an attempt is granted. */
  take(nowMillis: number): boolean
  hear(move: M, nowMillis: number): void
}

/** The grants of a model with an array of waiters, which it serves every millisecond. */
export const modelled = <M extends Move>(model: Model<M>, moves: ReadonlyArray<M>): ReadonlyArray<Grant> => {
  let now = 0
  let asked = 0
  let line: Array<number> = []
  const grants: Array<Grant> = []
  const serve = () => {
    while (line.length > 0 && model.take(now)) grants.push({ name: line.shift()!, millis: now })
  }
  const pass = (millis: number) => {
    for (let i = 0; i < millis; i++) {
      now += 1
      model.pass(line.length > 0)
      serve()
    }
  }
  for (const move of moves) {
    pass(move.millis)
    model.hear(move, now)
    serve()
    for (let i = 0; i < move.ask; i++) line.push(asked++)
    serve()
    line = line.filter((name) => name !== move.interrupt)
  }
  while (line.length > 0) pass(1)
  return grants
}
