/**
 * The one server of a process: started by the first caller, and ended with the process.
 */
import type * as Effect from "effect/Effect"
import { attempt, type ServerError } from "./ServerError.ts"

/** A server that has been started, and what lets the process end before it. */
interface Started<A> {
  readonly server: A
  readonly unref: () => void
}

/** Kept beside the modules: a test runner loads these anew for each file. */
const started = globalThis as unknown as Record<symbol, Promise<unknown>>

/** The server of this name, which `start` starts where there is none yet. */
export const shared = <A>(name: string, start: () => Promise<Started<A>>): Effect.Effect<A, ServerError> =>
  attempt(() => {
    const key = Symbol.for(`@effect-retry/servers/${name}`)
    started[key] ??= start().then(({ server, unref }) => {
      unref()
      return server
    })
    return started[key] as Promise<A>
  })
