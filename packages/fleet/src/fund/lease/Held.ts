/**
 * The tokens that a process holds: those granted by the store, and those credited by its own successes.
 *
 * Only synchronous steps read and change them. Fractions are kept, and neither part is ever below zero.
 */

export interface Held {
  /** Takes `cost` tokens, or takes nothing and returns false. */
  readonly take: (cost: number) => boolean
  /** How many tokens are missing for `cost`. */
  readonly missing: (cost: number) => number
  /** Adds tokens of the store. */
  readonly add: (tokens: number) => void
  /** Adds this process's own tokens, up to `most`. */
  readonly keep: (tokens: number, most: number) => void
  /** Removes tokens of the store. */
  readonly remove: (tokens: number) => void
  /** Tokens of the store. */
  readonly leased: () => number
  readonly all: () => number
}

/** The process's own tokens are spent first, because only those of the store are of use to others. */
export const make = (): Held => {
  let leased = 0
  let own = 0
  return {
    take: (cost) => {
      // A shortage of less than a millionth of a token, or of the cost, is a floating-point error.
      if (cost - leased - own > 1e-6 * Math.min(1, cost)) return false
      const fromOwn = Math.min(own, cost)
      own -= fromOwn
      leased = Math.max(0, leased - (cost - fromOwn))
      return true
    },
    missing: (cost) => Math.max(0, cost - leased - own),
    add: (tokens) => {
      leased += tokens
    },
    keep: (tokens, most) => {
      own = Math.max(own, Math.min(most, own + tokens))
    },
    remove: (tokens) => {
      leased = Math.max(0, leased - tokens)
    },
    leased: () => leased,
    all: () => leased + own
  }
}
