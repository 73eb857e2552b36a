/**
 * What other packages need from fibers and clocks.
 */
export { exitOf, interrupt, nanos } from "./Line.ts"
