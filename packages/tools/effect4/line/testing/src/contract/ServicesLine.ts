/**
 * The services that a layer provides, to which Effect adds some of its own. This is the file of Effect 4.
 */
import type * as Context from "effect/Context"

/** The keys of the services that a program has put into a context. */
export const keysOf = (context: Context.Context<never>): ReadonlyArray<string> =>
  [...context.mapUnsafe.keys()].filter((key) => !key.startsWith("effect/"))
