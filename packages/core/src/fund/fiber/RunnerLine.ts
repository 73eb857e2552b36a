/**
 * What other packages need to run effects outside of a fiber.
 */
export { contextOf, defaultRunner, runFork, type Runner, runner, runPromiseExit } from "./Line.ts"
