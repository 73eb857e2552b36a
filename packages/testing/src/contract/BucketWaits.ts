/**
 * The promises of a bucket that waits.
 */
import { noTokens } from "@effect-retry/core/unstable/Port"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Line from "@effect-retry/core/unstable/FiberLine"
import * as Option from "effect/Option"
import type { Bucket, Contract } from "./BucketTrial.ts"
import {
  acquire,
  acquireNow,
  atAnyTime,
  beginAcquire,
  drain,
  endAcquire,
  idle,
  nowMillis,
  atOnce
} from "./BucketTrial.ts"
import * as Interleaving from "../run/Interleaving.ts"

export const aboutWaiting = ({ expect, expectLevel, test }: Contract, refills: boolean): void => {
  const wait = (bucket: Bucket) => Effect.zipLeft(beginAcquire(bucket, atAnyTime), Interleaving.settled)

  test("serves waiting attempts in the order in which they came", (bucket) =>
    Effect.gen(function* () {
      const grants = yield* drain(bucket)
      const served: Array<number> = []
      const waiting = yield* Effect.forEach([0, 1, 2], (place) =>
        Effect.forkDaemon(acquire(bucket, atAnyTime, () => void served.push(place))).pipe(
          Effect.zipLeft(Interleaving.settled)
        )
      )
      yield* Effect.forEach(grants.slice(-3), ({ refund }) => Effect.zipRight(refund, Interleaving.settled))
      if (refills) yield* Effect.sleep("1 day")
      expect(served, "the order in which it served").toEqual([0, 1, 2].slice(0, refills ? 3 : grants.length))
      yield* Fiber.interruptAll(waiting)
    }))

  for (const [place, where] of ["in front of", "between"].entries()) {
    test(`delays no attempt for one that is interrupted ${where} others`, (bucket) =>
      Effect.gen(function* () {
        const granted = (yield* drain(bucket)).at(-1) ?? noTokens
        const before = yield* bucket.level
        const waiting = yield* Effect.replicateEffect(wait(bucket), 3)
        expect(yield* endAcquire(waiting[place] ?? idle)).toEqual(Option.none())
        yield* granted.refund
        yield* Interleaving.settled
        const areOver = yield* Effect.forEach(waiting, ({ isOver }) => isOver)
        expect(
          areOver.filter((isOver) => isOver),
          "attempts that wait no longer"
        ).toHaveLength(granted.tokens > 0 ? 2 : 1)
        yield* expectLevel(bucket, before)
        yield* Effect.forEach(waiting, endAcquire)
      }))
  }

  test("loses nothing to an attempt that is interrupted while it is served", (bucket) =>
    Effect.gen(function* () {
      const grants = yield* drain(bucket)
      const before = yield* bucket.level
      let granted = grants.at(-1) ?? noTokens
      for (const { early, turns } of Interleaving.moments) {
        const waiting = yield* beginAcquire(bucket, atAnyTime, early)
        yield* Interleaving.settled
        yield* granted.refund
        yield* Effect.replicateEffect(Effect.yieldNow(), turns)
        const answer = yield* endAcquire(waiting)
        granted = Option.getOrElse(Option.isSome(answer) ? answer : yield* acquireNow(bucket), () => noTokens)
        yield* expectLevel(bucket, before)
      }
      expect(granted.tokens, "the tokens of its last grant").toBeCloseTo(grants.at(-1)?.tokens ?? 0, 5)
    }))

  test("stops waiting as soon as it is interrupted", (bucket) =>
    Effect.gen(function* () {
      yield* drain(bucket)
      const fiber = yield* Effect.forkDaemon(acquire(bucket, atAnyTime))
      yield* Interleaving.settled
      yield* Line.interrupt(fiber)
      yield* Interleaving.settled
      expect(Line.exitOf(fiber) !== undefined, "whether the wait is over").toBe(true)
    }))
}

export const aboutWaitingForTime = ({ expect, fresh, it }: Contract): void => {
  it(
    "grants as soon as time has brought the tokens, and refuses at once where that is too late",
    Effect.gen(function* () {
      const asked = (atMostMillis: number, afterMillis = 0) =>
        fresh((bucket) =>
          Effect.gen(function* () {
            yield* drain(bucket)
            yield* Effect.sleep(afterMillis)
            const answer = yield* acquire(bucket, { ...atOnce, atMostMillis })
            return { isGranted: Option.isSome(answer), atMillis: yield* nowMillis }
          })
        )
      const { atMillis: dueMillis } = yield* asked(Infinity)
      expect(yield* asked(dueMillis)).toEqual({ isGranted: true, atMillis: dueMillis })
      expect(yield* asked(dueMillis / 2)).toEqual({ isGranted: false, atMillis: 0 })
      // The wait was no longer than necessary: after half of it there are no tokens yet.
      expect(yield* asked(0, dueMillis / 2)).toEqual({ isGranted: false, atMillis: dueMillis / 2 })
    })
  )
}
