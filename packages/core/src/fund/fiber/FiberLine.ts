/**
 * What other packages ask of fibers and clocks.
 */
export { exitOf, interrupt, nanos } from "./Line.ts"
