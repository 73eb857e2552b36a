/**
 * What other packages need from fibers and clocks.
 */
export {
  type AnyFiber,
  context,
  deferred,
  exitOf,
  interrupt,
  nanos,
  onEnd,
  runningFiber,
  services,
  wallMillis,
  withFiber
} from "./Line.ts"
export { send as interruptNow } from "./Interruption.ts"
