/**
 * The states of a circuit as a stream.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { CircuitBreaker } from "./CircuitBreaker.ts"
import type { State } from "./CircuitSettings.ts"

/**
 * The state of a circuit at this moment, and every state after that, in order. Never ends.
 *
 * A circuit whose open time is over becomes half open with its first probe.
 *
 * @category destructors
 */
export const changes = ({ state, subscribe }: CircuitBreaker): Stream.Stream<State> =>
  Stream.unwrap(
    Effect.map(Effect.all([subscribe, state]), ([later, now]) =>
      // What changed between the two is in both.
      Stream.changesWith(
        Stream.concat(Stream.succeed(now), Stream.fromSubscription(later)),
        (one, next) => one._tag === next._tag
      )
    )
  )
