/**
 * What may be shown of errors and texts from outside.
 *
 * First stage of the flow. The one place that decides which parts of a foreign error get into a log line, a span, an
 * event or an error of ours. Reading never throws and is bounded in depth, length and time; `Property` reads values for
 * other ends.
 */
export { cut, message, name, url } from "./SafeText.ts"
export { asCause, type Known, outcome, shown, ShownError, typeOf } from "./ShownError.ts"
