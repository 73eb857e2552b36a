/**
 * How many tokens a process asks for at a time. Pure.
 *
 * A lease is what the process spends in ten seconds, judged by its spending since the last request, at most four times
 * the previous lease, and never above a share of the burst. So a busy process asks rarely, and one that makes a call a
 * minute takes no more than it needs.
 */

export interface LeaseSize {
  /** Zero or at least one. */
  readonly tokens: number
  /** The time of the latest request, in milliseconds. */
  readonly askedMillis: number
}

/**
 * How long a lease should last. With a lease of at most 20, a process that makes two calls per second or more asks for
 * all of it; at 80 % load a grant then costs 0.05 store calls.
 */
const coveredSeconds = 10

/**
 * The largest lease of a process: a share of the burst, in whole tokens, at least one; zero for a share of zero.
 */
export const most = (burst: number, share: number): number => (share === 0 ? 0 : Math.max(1, Math.floor(share * burst)))

export const first = (most: number, nowMillis: number): LeaseSize => ({
  tokens: Math.min(1, most),
  askedMillis: nowMillis
})

/** The lease for the present request, after `spent` tokens since the last one. */
export const next = (self: LeaseSize, most: number, nowMillis: number, spent: number): LeaseSize => {
  const seconds = (nowMillis - self.askedMillis) / 1000
  const wanted = spent === 0 ? 0 : Math.floor((spent / seconds) * coveredSeconds)
  return { tokens: Math.min(most, 4 * self.tokens, Math.max(1, wanted)), askedMillis: nowMillis }
}
