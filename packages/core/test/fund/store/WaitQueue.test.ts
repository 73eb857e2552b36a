import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc, HashMap } from "effect"
import * as WaitQueue from "../../../src/fund/store/WaitQueue.ts"
import { law } from "../../support/Laws.ts"
import { request } from "../Asking.ts"

const waiter = (ticket: number, cost = 1): WaitQueue.Waiter => ({
  ticket,
  cost,
  level: 1,
  arrival: ticket,
  sinceMillis: 0,
  request: request(),
  untilMillis: Infinity,
  wake: Effect.unsafeMakeLatch()
})

/** One waiter for each cost, in this order. */
const queueOf = (costs: ReadonlyArray<number>) => {
  const waiters = costs.map((cost, ticket) => waiter(ticket, cost))
  return { waiters, queue: waiters.reduce(WaitQueue.entered, WaitQueue.empty) }
}

describe("WaitQueue", () => {
  it("is empty before the first waiter and after the last one, without a rest of what they wanted", () => {
    const { queue, waiters } = queueOf([0.1, 0.2])
    expect([WaitQueue.isEmpty(WaitQueue.empty), WaitQueue.isEmpty(queue)]).toEqual([true, false])
    const left = waiters.reduce(WaitQueue.left, queue)
    expect([WaitQueue.isEmpty(left), HashMap.size(left.waiters), left.demand]).toEqual([true, 0, 0])
    expect(WaitQueue.first(left)).toBeUndefined()
  })

  it("is the same queue after a waiter that had left before", () => {
    const { queue, waiters } = queueOf([1, 1])
    const left = WaitQueue.left(queue, waiters[0]!)
    expect(WaitQueue.left(left, waiters[0]!)).toBe(left)
  })

  it.prop(
    "has the waiters that an array has, in its order",
    [fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 20 }), fc.array(fc.nat(19), { maxLength: 30 })],
    ([costs, leaving]) => {
      const { queue, waiters } = queueOf(costs)
      let line = waiters
      let left = queue
      for (const index of leaving) {
        const gone = waiters[index]
        if (gone === undefined) continue
        left = WaitQueue.left(left, gone)
        line = line.filter((waiter) => waiter !== gone)
        expect(WaitQueue.first(left)).toBe(line[0])
        expect([HashMap.size(left.waiters), left.demand]).toEqual([
          line.length,
          line.reduce((sum, { cost }) => sum + cost, 0)
        ])
      }
      // What was there before has not changed.
      expect([HashMap.size(queue.waiters), WaitQueue.first(queue)]).toEqual([waiters.length, waiters[0]])
    },
    law(100)
  )

  it("knows the next of two thousand waiters, of whom all between have left", () => {
    const { queue, waiters } = queueOf(Array.from({ length: 2000 }, () => 1))
    const [first, second] = waiters
    const inner = waiters.slice(2).reduce(WaitQueue.left, queue)
    expect(HashMap.size(inner.waiters)).toBe(2)
    expect(WaitQueue.first(WaitQueue.left(inner, first!))).toBe(second)
  })
})
