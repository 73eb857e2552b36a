/**
 * What may be shown of errors and texts from outside.
 *
 * First stage of the flow. The one place that decides which parts of a foreign error get into a log line, a span, an
 * event or an error of ours. Reading never throws and is bounded in depth, length and time. To read values for other
 * purposes, use `Property`.
 */
export { name } from "./SafeName.ts"
export { cut, message, url } from "./SafeText.ts"
export { asCause, ShownError, typeOf, inBrief } from "./ShownError.ts"
export { code, inFull, type Known, outcome, shown } from "./ShownMessage.ts"
