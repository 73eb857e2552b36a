/**
 * The states of a circuit as a stream.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { CircuitBreaker } from "./CircuitBreaker.ts"
import type { State } from "./CircuitSettings.ts"

/**
 * The current state of a circuit and every later one, in order. Never ends.
 *
 * A circuit whose open time is over becomes half open with its first probe.
 *
 * @category destructors
 */
export const changes = ({ state, subscribe }: CircuitBreaker): Stream.Stream<State> =>
  Stream.unwrapScoped(
    Effect.map(Effect.all([subscribe, state]), ([later, now]) =>
      // A change between subscribing and reading the state is in both.
      Stream.changesWith(
        Stream.concat(Stream.succeed(now), Stream.fromQueue(later)),
        (one, next) => one._tag === next._tag
      )
    )
  )
