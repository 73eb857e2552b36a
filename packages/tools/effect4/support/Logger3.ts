/** What tests use of Effect 3's `Logger` that Effect 4 has in another shape. */
import * as Logger from "effect/Logger"

export const add = (logger: Logger.Logger<any, any>) => Logger.layer([logger], { mergeWithExisting: true })

export const replace = (_: Logger.Logger<any, any>, logger: Logger.Logger<any, any>) => Logger.layer([logger])

export const remove = () => Logger.layer([])

export {
  formatJson as jsonLogger,
  formatLogFmt as logfmtLogger,
  formatSimple as stringLogger,
  formatStructured as structuredLogger
} from "effect/Logger"

export const prettyLogger: typeof Logger.consolePretty = Logger.consolePretty
