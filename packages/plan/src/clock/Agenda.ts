/**
 * Tasks by time: a binary heap, the earliest first, and among equals in the order of adding.
 */

interface Entry {
  readonly atMillis: number
  readonly order: number
  task: () => void
}

export interface Agenda {
  /** Adds a task; returns a function that removes it. */
  readonly add: (atMillis: number, task: () => void) => () => void
  /** Takes the earliest task, unless it is due after `untilMillis`. */
  readonly next: (untilMillis: number) => Pick<Entry, "atMillis" | "task"> | undefined
}

export const make = (): Agenda => {
  const heap: Array<Entry> = []
  let order = 0
  return {
    add: (atMillis, task) => {
      const entry: Entry = { atMillis, order: order++, task }
      rise(heap, entry)
      return () => {
        entry.task = nothing
      }
    },
    next: (untilMillis) => {
      while (heap[0] !== undefined && heap[0].atMillis <= untilMillis) {
        const entry = heap[0]
        const last = heap.pop()
        if (last !== undefined && heap.length > 0) sink(heap, last)
        if (entry.task !== nothing) return entry
      }
      return undefined
    }
  }
}

/** The task of a removed entry. */
const nothing = (): void => undefined

const isBefore = (one: Entry, other: Entry): boolean =>
  one.atMillis < other.atMillis || (one.atMillis === other.atMillis && one.order < other.order)

const rise = (heap: Array<Entry>, entry: Entry): void => {
  let at = heap.length
  while (at > 0) {
    const above = (at - 1) >> 1
    const parent = heap[above]!
    if (isBefore(parent, entry)) break
    heap[at] = parent
    at = above
  }
  heap[at] = entry
}

const sink = (heap: Array<Entry>, entry: Entry): void => {
  let at = 0
  for (;;) {
    let below = 2 * at + 1
    if (below >= heap.length) break
    if (below + 1 < heap.length && isBefore(heap[below + 1]!, heap[below]!)) below += 1
    const child = heap[below]!
    if (isBefore(entry, child)) break
    heap[at] = child
    at = below
  }
  heap[at] = entry
}
