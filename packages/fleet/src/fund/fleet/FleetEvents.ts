/**
 * Sends events to the observers of a bucket.
 */
import * as ShownCause from "@effect-retry/core/unstable/ShownCause"
import * as Untrusted from "@effect-retry/core/unstable/Untrusted"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { Common, FleetEvent, FleetObserver } from "./FleetEvent.ts"
import type { Settings } from "./FleetBucket.ts"

/** An event without the fields of all events. */
type Told = FleetEvent extends infer Event ? (Event extends FleetEvent ? Omit<Event, keyof Common> : never) : never

export interface FleetEvents {
  /** Counts an attempt that was granted. */
  readonly granted: () => void
  /** Calls the observers in fibers of their own. */
  readonly tell: (event: () => Told) => Effect.Effect<void>
}

export const make = (
  { name, observers }: Settings,
  key: string,
  tokens: () => Pick<Common, "level" | "held">
): FleetEvents => {
  let grants = 0
  const told = observers.map((observer) => bounded(name, observer))
  return {
    granted: () => {
      grants += 1
    },
    tell: (event) =>
      told.length === 0
        ? Effect.void
        : Effect.suspend(() => {
            const happened = withKey({ name, ...tokens(), grants, ...event() }, key)
            grants = 0
            return Effect.forEach(told, (tell) => tell(happened), { discard: true })
          })
  }
}

/** The key may be secret, so it is kept where printing does not look: not even printing of hidden properties shows it. */
const withKey = (event: Omit<Common, "key"> & Told, key: string): FleetEvent =>
  Object.assign(
    Object.create({
      get key() {
        return key
      }
    }),
    event
  )

/** The limit on unfinished calls of one observer, so that one that hangs takes no more memory. */
const mostCalls = 16

const bounded = (name: string, observer: FleetObserver): ((event: FleetEvent) => Effect.Effect<void>) => {
  let calls = 0
  const ended = Effect.sync(() => {
    calls -= 1
  })
  const log = (cause: Cause.Cause<never>) =>
    Effect.logError(`an observer of the bucket ${JSON.stringify(name)} died`, ShownCause.of(cause, Untrusted.shown))
  return (event) =>
    Effect.suspend(() => {
      if (calls === mostCalls) return Effect.void
      calls += 1
      const told = Effect.catchAllCause(
        Effect.suspend(() => observer(event)),
        log
      )
      return Effect.asVoid(Effect.forkDaemon(Effect.interruptible(Effect.ensuring(told, ended))))
    })
}
