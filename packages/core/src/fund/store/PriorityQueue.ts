/**
 * The waiting attempts as data: one queue per priority level.
 *
 * The next waiter is the one with the highest sum of level and whole steps waited; among equals, the one that arrived first.
 * So an attempt that arrives more than two steps later is never served before an earlier one.
 */
import * as Priority from "../port/Priority.ts"
import type { Waiter } from "./WaitQueue.ts"
import * as WaitQueue from "./WaitQueue.ts"

export interface PriorityQueue {
  /** The queues, the lowest level first. */
  readonly levels: ReadonlyArray<WaitQueue.WaitQueue>
  /** How many waiters have ever entered. */
  readonly arrivals: number
  readonly size: number
}

export const empty: PriorityQueue = {
  levels: /*#__PURE__*/ Priority.levels.map(() => WaitQueue.empty),
  arrivals: 0,
  size: 0
}

export const isEmpty = ({ size }: PriorityQueue): boolean => size === 0

export const size = ({ size }: PriorityQueue): number => size

/** Whether waiters have different levels, so that time can change which is first. */
export const isMixed = ({ levels, size }: PriorityQueue): boolean =>
  size > 1 && levels.filter((queue) => !WaitQueue.isEmpty(queue)).length > 1

/** What all waiters of a level and the levels above it want together. */
export const demand = ({ levels }: PriorityQueue, from = 0): number =>
  levels.reduce((sum, queue, level) => (level < from ? sum : sum + queue.demand), 0)

/** The next waiter to be served. */
export const first = ({ levels, size }: PriorityQueue, nowMillis: number): Waiter | undefined => {
  if (size === 0) return undefined
  let best: Waiter | undefined
  for (const queue of levels) {
    const one = WaitQueue.first(queue)
    if (one !== undefined && (best === undefined || isBefore(one, best, nowMillis))) best = one
  }
  return best
}

const isBefore = (one: Waiter, other: Waiter, nowMillis: number): boolean => {
  const ahead = urgency(one, nowMillis) - urgency(other, nowMillis)
  return ahead === 0 ? one.arrival < other.arrival : ahead > 0
}

const urgency = ({ level, sinceMillis }: Waiter, nowMillis: number): number =>
  level + Math.floor(Math.max(0, nowMillis - sinceMillis) / Priority.stepMillis)

/** Whether a waiter is the next one to be served. */
export const isFirst = (self: PriorityQueue, waiter: Waiter, nowMillis: number): boolean =>
  isMixed(self)
    ? first(self, nowMillis) === waiter
    : has(self, waiter) && WaitQueue.isFirst(queueOf(self, waiter), waiter)

export const has = (self: PriorityQueue, waiter: Waiter): boolean => WaitQueue.has(queueOf(self, waiter), waiter)

const queueOf = ({ levels }: PriorityQueue, { level }: Waiter): WaitQueue.WaitQueue => levels[level] ?? WaitQueue.empty

/** A waiter before it has its place. */
export type Arriving = Omit<Waiter, "ticket" | "arrival">

/** The queue after an attempt has entered, and the attempt's place. */
export const entered = (
  self: PriorityQueue,
  arriving: Arriving
): { readonly waiter: Waiter; readonly queue: PriorityQueue } => {
  const queue = self.levels[arriving.level] ?? WaitQueue.empty
  const waiter = { ...arriving, ticket: queue.next, arrival: self.arrivals }
  return {
    waiter,
    queue: {
      levels: self.levels.with(waiter.level, WaitQueue.entered(queue, waiter)),
      arrivals: self.arrivals + 1,
      size: self.size + 1
    }
  }
}

/** The queue without a waiter. */
export const left = (self: PriorityQueue, waiter: Waiter): PriorityQueue =>
  has(self, waiter)
    ? {
        levels: self.levels.with(waiter.level, WaitQueue.left(queueOf(self, waiter), waiter)),
        arrivals: self.arrivals,
        size: self.size - 1
      }
    : self

/** The newest waiter of the lowest level that has waiters, if that level is below `level`. */
export const lowestBelow = ({ levels }: PriorityQueue, level: number): Waiter | undefined => {
  const lowest = levels.findIndex((queue) => !WaitQueue.isEmpty(queue))
  return lowest === -1 || lowest >= level ? undefined : WaitQueue.newest(levels[lowest]!)
}
