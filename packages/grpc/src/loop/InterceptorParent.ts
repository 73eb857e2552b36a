/**
 * The parent of a call: the server call on whose behalf it is made. Cancellation and deadline of the parent apply to it too.
 *
 * Source: https://github.com/grpc/grpc-node/blob/master/packages/grpc-js/src/resolving-call.ts, `parentCall`.
 */
import type { InterceptorOptions } from "@grpc/grpc-js"
import { propagate } from "@grpc/grpc-js"

/** What is read from a parent call. */
interface Parent {
  readonly cancelled: boolean
  readonly on: (event: "cancelled", listener: () => void) => unknown
  readonly off: (event: "cancelled", listener: () => void) => unknown
}

const follows = ({ propagate_flags: flags = propagate.DEFAULTS }: InterceptorOptions, flag: propagate): boolean =>
  (flags & flag) !== 0

/** Calls `onCancelled` when the parent is cancelled, or at once if it already was, until the returned function is called. */
export const follow = (options: InterceptorOptions, onCancelled: () => void): (() => void) => {
  const parent: Parent | undefined = options.parent
  if (parent === undefined || !follows(options, propagate.CANCELLATION)) return () => undefined
  if (parent.cancelled) onCancelled()
  parent.on("cancelled", onCancelled)
  return () => void parent.off("cancelled", onCancelled)
}

/**
 * The options of an attempt without its parent's cancellation: an attempt would leave a listener there and miss a
 * cancellation during a wait, so the call listens instead.
 */
export const withoutCancellation = (options: InterceptorOptions): InterceptorOptions =>
  options.parent === undefined
    ? options
    : { ...options, propagate_flags: (options.propagate_flags ?? propagate.DEFAULTS) & ~propagate.CANCELLATION }

/** The deadline of a call or of its parent, whichever comes first, in milliseconds since 1970; `Infinity` without one. */
export const deadlineMillis = (options: InterceptorOptions): number => {
  const { deadline = Infinity, parent } = options
  const ofParent = parent !== undefined && follows(options, propagate.DEADLINE) ? parent.getDeadline() : Infinity
  return Math.min(Number(deadline), Number(ofParent))
}
