/** What tests use of Effect 3's `Logger` that Effect 4 has in another shape. */
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type * as LogLevel from "effect/LogLevel"
import * as References from "effect/References"

export const add = (logger: Logger.Logger<any, any>) => Logger.layer([logger], { mergeWithExisting: true })

export {
  formatJson as jsonLogger,
  formatLogFmt as logfmtLogger,
  formatSimple as stringLogger,
  formatStructured as structuredLogger
} from "effect/Logger"

export const prettyLogger: typeof Logger.consolePretty = Logger.consolePretty

export const minimumLogLevel = (level: LogLevel.LogLevel): Layer.Layer<never> =>
  Layer.succeed(References.MinimumLogLevel, level)
