import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as RecentlyUsed from "../../../src/fund/store/RecentlyUsed.ts"
import { law } from "../../support/Laws.ts"

const idleMillis = 10

const free = () => false

describe("RecentlyUsed.make", () => {
  it("drops the value used longest ago, once it is idle", () => {
    const used = RecentlyUsed.make<string>(idleMillis)
    used.add("a", "A", 0)
    used.add("b", "B", 1)
    used.get("a", 2)
    used.dropIdle(10, free)
    expect(used.size()).toBe(2)
    used.dropIdle(11, free)
    expect([used.get("a", 11), used.get("b", 11), used.size()]).toEqual(["A", undefined, 1])
  })

  it("looks at two values at most", () => {
    const used = RecentlyUsed.make<number>(idleMillis)
    for (let key = 0; key < 5; key++) used.add(String(key), key, 0)
    const looked: Array<number> = []
    used.dropIdle(100, (key) => looked.push(key) > 0)
    expect(looked).toEqual([0, 1])
    used.dropIdle(100, free)
    expect([0, 1, 2, 3, 4].filter((key) => used.get(String(key), 100) !== undefined)).toEqual([0, 1, 4])
  })

  it("counts what is in use as used now", () => {
    const used = RecentlyUsed.make<string>(idleMillis)
    used.add("a", "A", 0)
    used.dropIdle(10, () => true)
    used.dropIdle(19, free)
    expect(used.size()).toBe(1)
    used.dropIdle(20, free)
    expect(used.size()).toBe(0)
  })

  it.prop(
    "holds what a list of all uses holds",
    [
      fc.array(fc.record({ key: fc.constantFrom("a", "b", "c", "d"), passes: fc.nat(6), drops: fc.boolean() }), {
        maxLength: 60,
        size: "max"
      })
    ],
    ([uses]) => {
      const used = RecentlyUsed.make<number>(idleMillis)
      // By key, the value and the time of its last use; the first one is the one used longest ago.
      const model = new Map<string, { readonly value: number; readonly atMillis: number }>()
      const [found, wanted]: [Array<number | undefined>, Array<number | undefined>] = [[], []]
      let now = 0
      for (const [value, { drops, key, passes }] of uses.entries()) {
        now += passes
        if (drops) {
          used.dropIdle(now, free)
          for (const [key, { atMillis }] of [...model].slice(0, 2)) if (now - atMillis >= idleMillis) model.delete(key)
        }
        const held = model.get(key)
        found.push(used.get(key, now))
        wanted.push(held?.value)
        if (held === undefined) used.add(key, value, now)
        model.delete(key)
        model.set(key, { value: held?.value ?? value, atMillis: now })
        found.push(used.size())
        wanted.push(model.size)
      }
      expect(found).toEqual(wanted)
    },
    law()
  )
})
