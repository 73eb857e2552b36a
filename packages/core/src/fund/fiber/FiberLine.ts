/**
 * What other packages need from fibers and clocks.
 */
export {
  type AnyFiber,
  context,
  contextOf,
  defaultRunner,
  exitOf,
  interrupt,
  nanos,
  onEnd,
  runPromiseExit,
  runner,
  runningFiber,
  services,
  wallMillis,
  withFiber
} from "./Line.ts"
export { send as interruptNow } from "./Interruption.ts"
