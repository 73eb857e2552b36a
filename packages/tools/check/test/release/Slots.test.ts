import { slots } from "@effect-retry/check/release/Slots"
import { describe, expect, it } from "vitest"

/** A task that ends when it is told to. */
const task = () => {
  let end: (error?: Error) => void = () => undefined
  const ended = new Promise<void>((resolve, reject) => {
    end = (error) => (error === undefined ? resolve() : reject(error))
  })
  return { end: (error?: Error) => end(error), run: () => ended }
}

describe("Slots.slots", () => {
  it("runs as many as there are slots, in their order, and the next one when one ends", async () => {
    const inSlot = slots(2)
    const tasks = Array.from({ length: 4 }, task)
    const begun: Array<number> = []
    const all = tasks.map(({ run }, i) => inSlot(0, () => (begun.push(i), run())))
    expect(begun).toEqual([0, 1])
    tasks[1]?.end()
    await all[1]
    await Promise.resolve()
    expect(begun).toEqual([0, 1, 2])
    for (const { end } of tasks) end()
    await Promise.all(all)
    expect(begun).toEqual([0, 1, 2, 3])
  })

  it("runs what has the least turn first of those that wait", async () => {
    const inSlot = slots(1)
    const begun: Array<number> = []
    const first = task()
    const running = inSlot(9, first.run)
    const all = [2, 1, 2, 0].map((turn) => inSlot(turn, async () => void begun.push(turn)))
    first.end()
    await Promise.all([running, ...all])
    expect(begun).toEqual([0, 1, 2, 2])
  })

  it("goes on after one that fails", async () => {
    const inSlot = slots(1)
    const first = task()
    const failed = inSlot(0, first.run)
    const next = inSlot(0, async () => "ran")
    first.end(new Error("away"))
    await expect(failed).rejects.toThrow("away")
    expect(await next).toBe("ran")
  })
})
