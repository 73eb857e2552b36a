import { Deferred, Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as Instant from "../../src/clock/Instant.ts"

describe("Instant.make", () => {
  it("runs what is due in the order of time, and of adding among equals", () => {
    const instant = Instant.make()
    const seen: Array<string> = []
    const say = (word: string) => Effect.sync(() => void seen.push(`${word} at ${instant.nowMillis()}`))
    instant.startAt(30, () => say("last"))
    instant.startAt(10, () => Effect.zipRight(Effect.sleep(20), say("after last")))
    instant.startAt(10, () => say("second"))
    instant.startAt(2.5, () => say("first"))
    instant.pass()
    expect(seen).toEqual(["first at 2.5", "second at 10", "last at 30", "after last at 30"])
  })

  it("lets fibers wait for each other", () => {
    const instant = Instant.make()
    const door = instant.runSync(Deferred.make<number>())
    const seen: Array<number> = []
    instant.startAt(0, () => Effect.map(Deferred.await(door), (value) => void seen.push(value, instant.nowMillis())))
    instant.startAt(5, () => Effect.asVoid(Deferred.succeed(door, 1)))
    instant.pass()
    expect(seen).toEqual([1, 5])
  })

  it("does not wait for a sleep that was interrupted", () => {
    const instant = Instant.make()
    const ended: Array<number> = []
    instant.startAt(0, () =>
      Effect.sleep("1 hour").pipe(
        Effect.timeout("10 millis"),
        Effect.catchAll(() => Effect.sync(() => void ended.push(instant.nowMillis())))
      )
    )
    instant.pass()
    expect({ ended, at: instant.nowMillis() }).toEqual({ ended: [10], at: 10 })
  })

  it("never goes back", () => {
    const instant = Instant.make()
    const seen: Array<number> = []
    const say = Effect.sync(() => void seen.push(instant.nowMillis()))
    instant.startAt(10, () => Effect.zipRight(Effect.sleep(-5), say))
    instant.pass()
    expect(seen).toEqual([10])
  })

  it("stops before what is due later than asked for, and goes on from there", () => {
    const instant = Instant.make()
    const seen: Array<number> = []
    for (const at of [1, 2, 3]) instant.startAt(at, () => Effect.sync(() => void seen.push(instant.nowMillis())))
    instant.pass(2)
    expect(seen).toEqual([1, 2])
    instant.pass()
    expect(seen).toEqual([1, 2, 3])
  })

  it("wakes a thousand sleepers in order", () => {
    const instant = Instant.make()
    const seen: Array<number> = []
    for (let i = 0; i < 1000; i += 1) {
      const at = (i * 7919) % 1009
      instant.startAt(0, () =>
        Effect.zipRight(
          Effect.sleep(at),
          Effect.sync(() => void seen.push(at))
        )
      )
    }
    instant.pass()
    expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    expect(seen.length).toBe(1000)
  })
})
