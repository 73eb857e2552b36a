/**
 * The call of a server for which another call is made: its cancellation and its deadline are those of the other one.
 *
 * Source: https://github.com/grpc/grpc-node/blob/master/packages/grpc-js/src/resolving-call.ts, `parentCall`.
 */
import type { InterceptorOptions } from "@grpc/grpc-js"
import { propagate } from "@grpc/grpc-js"

/** What is read of such a call. */
interface Parent {
  readonly cancelled: boolean
  readonly on: (event: "cancelled", listener: () => void) => unknown
  readonly off: (event: "cancelled", listener: () => void) => unknown
}

const follows = ({ propagate_flags: flags = propagate.DEFAULTS }: InterceptorOptions, flag: propagate): boolean =>
  (flags & flag) !== 0

/** Hears of the cancellation of the parent, also where it was cancelled before, until the result is called. */
export const follow = (options: InterceptorOptions, onCancelled: () => void): (() => void) => {
  const parent: Parent | undefined = options.parent
  if (parent === undefined || !follows(options, propagate.CANCELLATION)) return () => undefined
  if (parent.cancelled) onCancelled()
  parent.on("cancelled", onCancelled)
  return () => void parent.off("cancelled", onCancelled)
}

/**
 * The options of an attempt. It does not hear of its parent in a wait, and would leave a listener at it: the call hears of
 * it instead.
 */
export const withoutCancellation = (options: InterceptorOptions): InterceptorOptions =>
  options.parent === undefined
    ? options
    : { ...options, propagate_flags: (options.propagate_flags ?? propagate.DEFAULTS) & ~propagate.CANCELLATION }

/** The deadline of a call or of its parent, whichever is first, in milliseconds since 1970; `Infinity` where there is none. */
export const deadlineMillis = (options: InterceptorOptions): number => {
  const { deadline = Infinity, parent } = options
  const ofParent = parent !== undefined && follows(options, propagate.DEADLINE) ? parent.getDeadline() : Infinity
  return Math.min(Number(deadline), Number(ofParent))
}
