/**
 * How many tokens a process asks for at a time. Pure.
 *
 * A lease is what the process spends in ten seconds, by what it spent since the question before, at most four times the
 * lease before it, and never above a share of the burst. So a busy process seldom asks, and one that makes a call a minute
 * takes no more than it needs.
 */

export interface LeaseSize {
  /** Zero or at least one. */
  readonly tokens: number
  /** When the latest question was asked, in milliseconds. */
  readonly askedMillis: number
}

/**
 * For how long a lease lasts. With a lease of 20, a process that makes two calls per second or more asks for all of it: at
 * 80 % load a grant then takes 0.05 store calls.
 */
const coveredSeconds = 10

/**
 * The most that a process ever leases: a share of the burst, in whole tokens, and at least one. None for a share of zero.
 */
export const most = (burst: number, share: number): number => (share === 0 ? 0 : Math.max(1, Math.floor(share * burst)))

export const first = (most: number, nowMillis: number): LeaseSize => ({
  tokens: Math.min(1, most),
  askedMillis: nowMillis
})

/** The lease for the question that is asked now, after `spent` tokens since the question before. */
export const next = (self: LeaseSize, most: number, nowMillis: number, spent: number): LeaseSize => {
  const seconds = (nowMillis - self.askedMillis) / 1000
  const wanted = spent === 0 ? 0 : Math.floor((spent / seconds) * coveredSeconds)
  return { tokens: Math.min(most, 4 * self.tokens, Math.max(1, wanted)), askedMillis: nowMillis }
}
