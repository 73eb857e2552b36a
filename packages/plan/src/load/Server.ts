/**
 * A server with one queue, as arithmetic: the time until a request that arrives now is answered.
 *
 * It serves first come, first served, and stalls during an outage. Requests are served even if their client has gone,
 * unless the server drops requests that have waited longer than their clients wait.
 */

export interface Server {
  /**
   * Milliseconds until the answer to a request that arrives now and takes `serviceMillis`; `Infinity` if it is dropped.
   */
  readonly arrive: (nowMillis: number, serviceMillis: number) => number
}

export interface Options {
  readonly outage: { readonly fromMillis: number; readonly toMillis: number }
  /** Requests that have waited longer than this are dropped unserved; `Infinity` for never. */
  readonly dropAfterMillis: number
}

export const make = ({ dropAfterMillis, outage }: Options): Server => {
  let freeAtMillis = 0
  const afterOutage = (millis: number, serviceMillis: number) =>
    millis + serviceMillis > outage.fromMillis && millis < outage.toMillis ? outage.toMillis : millis
  return {
    arrive: (nowMillis, serviceMillis) => {
      const startMillis = afterOutage(Math.max(nowMillis, freeAtMillis), serviceMillis)
      if (startMillis - nowMillis > dropAfterMillis) return Infinity
      freeAtMillis = startMillis + serviceMillis
      return freeAtMillis - nowMillis
    }
  }
}
