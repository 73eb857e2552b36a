/**
 * A server with one queue, as arithmetic: when will a request that arrives now be answered?
 *
 * It serves first come, first served, 10 milliseconds each, and stands still during the stall. Requests whose client has
 * gone are served all the same, unless the server drops what has waited longer than its clients do.
 */

/**
 * @category models
 */
export interface Server {
  /** Milliseconds until the answer to a request that arrives now; `Infinity` for one that is dropped. */
  readonly arrive: (nowMillis: number) => number
}

/**
 * @category models
 */
export interface Options {
  readonly serviceMillis: number
  readonly stall: { readonly fromMillis: number; readonly toMillis: number }
  /** Requests that waited longer are thrown away unserved; `Infinity` where the server does not look. */
  readonly dropAfterMillis: number
}

/**
 * @category constructors
 */
export const make = ({ dropAfterMillis, serviceMillis, stall }: Options): Server => {
  let freeAtMillis = 0
  const afterStall = (millis: number) =>
    millis + serviceMillis > stall.fromMillis && millis < stall.toMillis ? stall.toMillis : millis
  return {
    arrive: (nowMillis) => {
      const startMillis = afterStall(Math.max(nowMillis, freeAtMillis))
      if (startMillis - nowMillis > dropAfterMillis) return Infinity
      freeAtMillis = startMillis + serviceMillis
      return freeAtMillis - nowMillis
    }
  }
}
