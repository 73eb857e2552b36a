/**
 * Bounds how long all buckets of a store together wait when they close: no longer than one call of the store.
 *
 * The finalizers of a scope run one after the other. If each bucket waited for a store that does not answer, a program
 * with a dozen buckets would take a dozen timeouts to end.
 */
import * as FiberLine from "@effect-retry/core/unstable/FiberLine"
import * as MonotonicTime from "@effect-retry/core/unstable/MonotonicTime"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Background from "../store/Background.ts"
import * as Bounded from "../store/Bounded.ts"
import type { Store } from "../store/Store.ts"

/** How long the buckets of a store have waited. It shrinks while none is closing. */
interface Waited {
  readonly nowMillis: MonotonicTime.Reader
  millis: number
  atMillis: number
}

/** Kept by store, because the store is the only thing that its buckets share. */
const waitedFor: WeakMap<Store<unknown>, Waited> = /*#__PURE__*/ new WeakMap()

const waitedOf = (store: Store<unknown>): Waited => {
  const known = waitedFor.get(store)
  if (known !== undefined) return known
  const waited: Waited = { nowMillis: MonotonicTime.makeReader(), millis: 0, atMillis: -Infinity }
  waitedFor.set(store, waited)
  return waited
}

/**
 * Closes a bucket, and waits for that within the common bound. After that, closing continues in the background, for as
 * long as the store takes calls.
 */
export const inTime = (store: Store<unknown>, close: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.clockWith((clock) =>
    Effect.suspend(() => {
      const waited = waitedOf(store)
      const mostMillis = store.withinMillis ?? Bounded.defaultMillis
      const fromMillis = waited.nowMillis(clock)
      const before = Math.max(0, waited.millis - (fromMillis - waited.atMillis))
      const ended = FiberLine.deferred<void>()
      const end = Deferred.succeed(ended, undefined)
      return Effect.gen(function* () {
        yield* Effect.forkDaemon(Effect.ensuring(close, end))
        const late = yield* Background.begin(Effect.delay(end, Math.max(0, mostMillis - before)))
        yield* Deferred.await(ended)
        yield* FiberLine.interrupt(late)
        waited.atMillis = waited.nowMillis(clock)
        waited.millis = Math.min(mostMillis, before + (waited.atMillis - fromMillis))
      })
    })
  )
