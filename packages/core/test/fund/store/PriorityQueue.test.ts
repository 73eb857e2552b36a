import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import * as PriorityQueue from "../../../src/fund/store/PriorityQueue.ts"
import type { Waiter } from "../../../src/fund/store/WaitQueue.ts"
import { law } from "../../support/Laws.ts"
import { request } from "../Asking.ts"

const arriving = (level: number, cost = 1, sinceMillis = 0): PriorityQueue.Arriving => ({
  cost,
  level,
  sinceMillis,
  request: request(),
  untilMillis: Infinity,
  wake: Effect.unsafeMakeLatch()
})

/** The queue after waiters of these levels, and the waiters. */
const queueOf = (waits: ReadonlyArray<PriorityQueue.Arriving>) => {
  let queue = PriorityQueue.empty
  const waiters = waits.map((one) => {
    const next = PriorityQueue.entered(queue, one)
    queue = next.queue
    return next.waiter
  })
  return { queue, waiters }
}

const sumOf = (waiters: ReadonlyArray<Waiter>): number => waiters.reduce((sum, { cost }) => sum + cost, 0)

/** A level and the whole seconds of the wait; a clock that has stepped back makes no wait. */
const urgency = ({ level, sinceMillis }: Waiter, nowMillis: number): number =>
  level + Math.max(0, Math.floor((nowMillis - sinceMillis) / 1000))

/** The next one of those that wait, which are in the order of arrival: no waiter passes another one of its level. */
const nextOf = (waiters: ReadonlyArray<Waiter>, nowMillis: number): Waiter | undefined => {
  const firsts = waiters.filter((one) => one === waiters.find(({ level }) => level === one.level))
  const highest = Math.max(...firsts.map((waiter) => urgency(waiter, nowMillis)))
  return firsts.find((waiter) => urgency(waiter, nowMillis) === highest)
}

const compare = (
  queue: PriorityQueue.PriorityQueue,
  waiters: ReadonlyArray<Waiter>,
  gone: ReadonlyArray<Waiter>,
  nowMillis: number
): void => {
  const next = nextOf(waiters, nowMillis)
  expect(PriorityQueue.first(queue, nowMillis)).toBe(next)
  expect([...waiters, ...gone].map((one) => PriorityQueue.isFirst(queue, one, nowMillis))).toEqual(
    [...waiters, ...gone].map((one) => one === next)
  )
  expect([...waiters, ...gone].map((one) => PriorityQueue.has(queue, one))).toEqual(
    [...waiters, ...gone].map((one) => waiters.includes(one))
  )
  expect([PriorityQueue.size(queue), PriorityQueue.isEmpty(queue), PriorityQueue.isMixed(queue)]).toEqual([
    waiters.length,
    waiters.length === 0,
    new Set(waiters.map(({ level }) => level)).size > 1
  ])
  const from = [0, 1, 2, 3]
  expect([PriorityQueue.demand(queue), ...from.map((level) => PriorityQueue.demand(queue, level))]).toEqual([
    sumOf(waiters),
    ...from.map((level) => sumOf(waiters.filter((one) => one.level >= level)))
  ])
  const lowest = Math.min(...waiters.map(({ level }) => level))
  const newest = waiters.findLast(({ level }) => level === lowest)
  expect(from.map((level) => PriorityQueue.lowestBelow(queue, level))).toEqual(
    from.map((level) => (lowest < level ? newest : undefined))
  )
}

describe("PriorityQueue", () => {
  it.prop(
    "has the waiters that an array has, and serves them by level, a second for a level, and then by arrival",
    [
      fc.array(
        fc.oneof(
          { weight: 2, arbitrary: fc.tuple(fc.constant("enter" as const), fc.nat(2), fc.integer({ min: 1, max: 4 })) },
          { weight: 1, arbitrary: fc.tuple(fc.constant("leave" as const), fc.nat(20), fc.constant(0)) },
          {
            weight: 1,
            arbitrary: fc.tuple(fc.constant("pass" as const), fc.constantFrom(1, 999, 1000, -500), fc.nat(0))
          }
        ),
        { maxLength: 30 }
      )
    ],
    ([moves]) => {
      let queue = PriorityQueue.empty
      let waiters: ReadonlyArray<Waiter> = []
      let gone: ReadonlyArray<Waiter> = []
      let now = 0
      for (const [move, value, cost] of moves) {
        if (move === "pass") now += value
        if (move === "enter") {
          const next = PriorityQueue.entered(queue, arriving(value, cost, now))
          queue = next.queue
          waiters = [...waiters, next.waiter]
        }
        if (move === "leave") {
          const left = waiters[value]
          if (left === undefined) continue
          queue = PriorityQueue.left(queue, left)
          waiters = waiters.filter((one) => one !== left)
          gone = [...gone, left]
        }
        compare(queue, waiters, gone, now)
      }
    },
    law()
  )

  it("is the same queue after a waiter that had left before", () => {
    const { queue, waiters } = queueOf([arriving(0), arriving(2)])
    const left = PriorityQueue.left(queue, waiters[0]!)
    expect(PriorityQueue.left(left, waiters[0]!)).toBe(left)
  })
})
