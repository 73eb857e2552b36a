/**
 * The attempts waiting for a bucket's tokens, as data: first come, first served.
 *
 * A waiter can leave from any place in the queue, in a time that does not depend on the number of waiters.
 */
import type * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import type { Request } from "../port/Port.ts"

export interface Waiter {
  /** Its place in its queue's order of arrival. */
  readonly ticket: number
  readonly cost: number
  /** Its priority: an index into `Priority.levels`. */
  readonly level: number
  /** Its place in the order of arrival over all levels. */
  readonly arrival: number
  readonly sinceMillis: number
  readonly request: Request
  /** When it stops waiting, in milliseconds. */
  readonly untilMillis: number
  /** Opened when the waiter should check again. */
  readonly wake: Effect.Latch
}

export interface WaitQueue {
  /** The ticket of the first waiter; if none waits, the ticket of the next one to come. */
  readonly first: number
  /** The ticket of the next waiter to come. */
  readonly next: number
  readonly waiters: HashMap.HashMap<number, Waiter>
  /** What all waiters want together, in tokens. */
  readonly demand: number
}

export const empty: WaitQueue = { first: 0, next: 0, waiters: /*#__PURE__*/ HashMap.empty(), demand: 0 }

export const isEmpty = ({ first, next }: WaitQueue): boolean => first === next

/** Whether a waiter is the next one to be served. */
export const isFirst = ({ first }: WaitQueue, { ticket }: Waiter): boolean => ticket === first

export const has = ({ waiters }: WaitQueue, { ticket }: Waiter): boolean => HashMap.has(waiters, ticket)

/** The waiter that entered last. */
export const newest = (self: WaitQueue): Waiter | undefined => {
  let ticket = self.next - 1
  while (ticket > self.first && !HashMap.has(self.waiters, ticket)) ticket -= 1
  return Option.getOrUndefined(HashMap.get(self.waiters, ticket))
}

/** The next waiter to be served. */
export const first = (self: WaitQueue): Waiter | undefined =>
  isEmpty(self) ? undefined : Option.getOrUndefined(HashMap.get(self.waiters, self.first))

/** The queue after a waiter with the ticket `next` has entered it. */
export const entered = ({ demand, first, next, waiters }: WaitQueue, waiter: Waiter): WaitQueue => ({
  first,
  next: next + 1,
  waiters: HashMap.set(waiters, waiter.ticket, waiter),
  demand: demand + waiter.cost
})

/** The queue without a waiter; the same queue if the waiter has already left. */
export const left = (self: WaitQueue, { cost, ticket }: Waiter): WaitQueue => {
  if (!HashMap.has(self.waiters, ticket)) return self
  const { next } = self
  const waiters = HashMap.remove(self.waiters, ticket)
  // An empty queue resets the floating-point error of the sum.
  if (HashMap.size(waiters) === 0) return { first: next, next, waiters, demand: 0 }
  let { first } = self
  while (!HashMap.has(waiters, first)) first += 1
  return { first, next, waiters, demand: self.demand - cost }
}
