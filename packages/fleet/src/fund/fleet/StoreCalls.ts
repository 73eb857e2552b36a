/**
 * Calls a store and reports outages.
 */
import * as Untrusted from "@effect-retry/core/unstable/Untrusted"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { FleetStore, Settings } from "./FleetBucket.ts"
import type { FleetEvents } from "./FleetEvents.ts"
import * as Outages from "./Outages.ts"

/**
 * Calls the store and returns the exit of the call, a defect if the store throws. Uninterruptible, so that tokens taken
 * are also kept.
 */
export type StoreCall<out E> = <A, E2 extends E>(call: () => Effect.Effect<A, E2>) => Effect.Effect<Exit.Exit<A, E>>

export const make = <E>(
  { store, timedOut }: FleetStore<E>,
  { logsOutages, name }: Settings,
  { tell }: FleetEvents,
  nowMillis: () => number
): StoreCall<E> => {
  let awaySince: number | undefined
  const note = (exit: Exit.Exit<unknown, E>): Effect.Effect<void> => {
    if (logsOutages) return Outages.note(store, name, exit)
    const since = awaySince
    if (Exit.isSuccess(exit)) {
      if (since === undefined) return Effect.void
      awaySince = undefined
      return tell(() => ({ _tag: "StoreBack", after: Duration.millis(nowMillis() - since) }))
    }
    if (since !== undefined) return Effect.void
    awaySince = nowMillis()
    return tell(() => ({ _tag: "StoreAway", error: Untrusted.shown(Cause.squash(exit.cause)) }))
  }
  return (call) =>
    Effect.flatMap(Effect.uninterruptible(Effect.exit(Effect.suspend(call))), (ended) => {
      // A store that interrupts its own call has not answered; its cause would end the attempt without an error.
      const exit = Exit.isInterrupted(ended) ? Exit.fail(timedOut(name)) : ended
      return Effect.as(note(exit), exit)
    })
}
