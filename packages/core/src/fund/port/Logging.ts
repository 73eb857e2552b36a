/**
 * Logs what happens beside an operation, such as an observer that died.
 */
import * as Effect from "effect/Effect"

/** Logs, and drops what dies in the logger: no logger changes how an operation ends. */
export const safely = (logged: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.catchAllCause(logged, () => Effect.void)
