/**
 * Errors of configuration, put together so that all of them are told at once.
 */
import * as ConfigError from "effect/ConfigError"

/** One error of all; `undefined` where there is none. */
export const all = ([first, ...others]: ReadonlyArray<ConfigError.ConfigError>): ConfigError.ConfigError | undefined =>
  first && others.reduce((found, other) => ConfigError.And(found, other), first)
