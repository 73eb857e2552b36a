/**
 * The sleepers on a virtual clock in the order of waking: the earliest first, and among equals the first to fall asleep.
 */
export interface Sleepers {
  /** Adds a sleeper that is due at `at` nanoseconds; returns a function that removes it. */
  readonly add: (at: bigint, wake: () => void) => () => void
  /** Removes and returns the one that is due first. */
  readonly takeFirst: () => Sleeper | undefined
  readonly size: () => number
  readonly clear: () => void
}

interface Sleeper {
  readonly at: bigint
  readonly wake: () => void
}

export const make = (): Sleepers => {
  /** Sorted, with the one that is due first at the end. */
  let asleep: Array<Sleeper> = []
  /** The index at which to add a sleeper due at `at`: before all that are due at the same time. */
  const placeOf = (at: bigint): number => {
    let [from, to] = [0, asleep.length]
    while (from < to) {
      const middle = (from + to) >>> 1
      if (asleep[middle]!.at > at) from = middle + 1
      else to = middle
    }
    return from
  }
  return {
    add: (at, wake) => {
      const sleeper = { at, wake }
      asleep.splice(placeOf(at), 0, sleeper)
      return () => {
        const place = asleep.indexOf(sleeper, placeOf(at))
        if (place !== -1) asleep.splice(place, 1)
      }
    },
    takeFirst: () => asleep.pop(),
    size: () => asleep.length,
    clear: () => {
      asleep = []
    }
  }
}
