/**
 * Tells the observers of a bucket what happens.
 */
import * as Effect from "effect/Effect"
import type { Common, FleetEvent } from "./FleetEvent.ts"
import type { Settings } from "./FleetBucket.ts"

/** An event without what all events tell. */
type Told = FleetEvent extends infer Event ? (Event extends FleetEvent ? Omit<Event, keyof Common> : never) : never

/**
 * @category models
 */
export interface FleetEvents {
  /** Counts an attempt that was granted. */
  readonly granted: () => void
  /** Calls the observers in fibers of their own. */
  readonly tell: (event: () => Told) => Effect.Effect<void>
}

/**
 * @category constructors
 */
export const make = (
  { name, observers }: Settings,
  key: string,
  tokens: () => Pick<Common, "level" | "held">
): FleetEvents => {
  let grants = 0
  return {
    granted: () => {
      grants += 1
    },
    tell: (event) =>
      observers.length === 0
        ? Effect.void
        : Effect.suspend(() => {
            const told: FleetEvent = { name, key, ...tokens(), grants, ...event() }
            grants = 0
            return Effect.forEach(
              observers,
              (observer) =>
                watched(
                  name,
                  Effect.suspend(() => observer(told))
                ),
              {
                discard: true
              }
            )
          })
  }
}

const watched = (name: string, told: Effect.Effect<void>): Effect.Effect<unknown> =>
  Effect.forkDaemon(
    Effect.interruptible(
      Effect.catchAllCause(told, (cause) =>
        Effect.logError(`an observer of the bucket ${JSON.stringify(name)} died`, cause)
      )
    )
  )
