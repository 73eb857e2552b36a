/**
 * The bounds of a bucket, held against the grants of a fleet over all windows of time.
 */

/** A grant, and when it was heard, in milliseconds of one clock that never goes back. */
export interface Stamp {
  readonly atMillis: number
  readonly tokens: number
}

/** What a bucket and its fleet may spend, as in "Bounds" of `docs/fleet.md`. */
export interface Bound {
  readonly burst: number
  readonly perSecond: number
  /** The time from a decision of the store to the spending of its tokens. */
  readonly delayMillis: number
  readonly processes: number
  /** Most tokens that a process holds. */
  readonly lease: number
  /** What a fault adds. @default 0 */
  readonly more?: number
}

/** Of all windows the one in which most is spent beyond what the rate brings in it. */
interface Window {
  readonly fromMillis: number
  readonly toMillis: number
  readonly tokens: number
  /** The tokens less those that the rate brings in the window. */
  readonly beyondRate: number
}

/** Most tokens beyond what the rate brings in a window: `B + r * D + N * L`, and what the fault adds. */
export const mostBeyondRate = ({ burst, delayMillis, lease, more = 0, perSecond, processes }: Bound): number =>
  burst + (perSecond * delayMillis) / 1000 + processes * lease + more

/**
 * The worst window of all that begin and end with a grant; no other window holds more beyond its rate. `undefined` if
 * there is no grant.
 */
export const worst = (stamps: ReadonlyArray<Stamp>, perSecond: number): Window | undefined => {
  const sorted = stamps.toSorted((one, other) => one.atMillis - other.atMillis)
  let found: Window | undefined
  let begin: Pick<Window, "beyondRate" | "fromMillis" | "tokens"> | undefined
  let latestMillis = 0
  for (const { atMillis, tokens } of sorted) {
    const brought = (perSecond * (atMillis - latestMillis)) / 1000
    latestMillis = atMillis
    // A window that holds no more than its rate brings is better begun anew.
    const isAhead = begin !== undefined && begin.beyondRate > brought
    begin =
      begin !== undefined && isAhead
        ? { ...begin, tokens: begin.tokens + tokens, beyondRate: begin.beyondRate - brought + tokens }
        : { fromMillis: atMillis, tokens, beyondRate: tokens }
    if (found === undefined || begin.beyondRate > found.beyondRate) found = { ...begin, toMillis: atMillis }
  }
  return found
}

/** The error of a floating-point sum. */
const epsilon = 1e-6

/** The worst window, if more is spent in it than the bound says. */
export const violation = (stamps: ReadonlyArray<Stamp>, bound: Bound): Window | undefined => {
  const window = worst(stamps, bound.perSecond)
  return window !== undefined && window.beyondRate > mostBeyondRate(bound) + epsilon ? window : undefined
}
