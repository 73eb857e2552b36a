/** What tests use of Effect 3's `ConfigError` that Effect 4 has in another shape. */
import * as Config from "effect/Config"

export const isConfigError = (error: unknown): error is Config.ConfigError => error instanceof Config.ConfigError
