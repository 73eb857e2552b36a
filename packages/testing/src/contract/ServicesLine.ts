/**
 * The services that a layer provides, to which Effect 4 adds some of its own. This is the file for Effect 3.
 */
import type * as Context from "effect/Context"

/** The keys of the services that a program has put into a context. */
export const keysOf = (context: Context.Context<never>): ReadonlyArray<string> => [...context.unsafeMap.keys()]
