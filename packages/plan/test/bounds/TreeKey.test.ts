import { Backoff, Jitter } from "@effect-retry/core"
import type { Leaf, Tree } from "@effect-retry/core/unstable/BackoffTree"
import { describe, expect, it } from "@effect/vitest"
import * as TreeKey from "../../src/bounds/TreeKey.ts"

const one = Backoff.constant({ delay: 1 }).tree as Leaf
const two = Backoff.constant({ delay: 2 }).tree as Leaf
const exponential = Backoff.exponential({ base: 1 }).tree as Leaf

/** No two of them are the same back-off in the same state, whatever their curves. */
const shapes = (self: Leaf, other: Leaf): ReadonlyArray<Tree> => [
  self,
  { ...self, n: 2 },
  { _tag: "Max", left: self, right: other },
  { _tag: "Max", left: other, right: self },
  { _tag: "Min", left: self, right: other },
  { _tag: "Min", left: other, right: self },
  { _tag: "AndThen", first: self, second: other },
  { _tag: "AndThen", first: other, second: self },
  { _tag: "ByKind", cases: { Timeout: self }, orElse: other },
  { _tag: "ByKind", cases: { Timeout: other }, orElse: self },
  { _tag: "ResetAfter", self, initial: self, afterMillis: 1, sinceMillis: 0 },
  { _tag: "ResetAfter", self: other, initial: self, afterMillis: 1, sinceMillis: 0 },
  { _tag: "Within", self, withinMillis: 1 },
  { _tag: "Within", self, withinMillis: 2 },
  { _tag: "Within", self: other, withinMillis: 1 },
  { _tag: "Take", self, left: 1 },
  { _tag: "Take", self, left: 2 },
  { _tag: "Take", self: other, left: 1 }
]

describe("TreeKey.make", () => {
  const different: ReadonlyArray<Tree> = [
    ...shapes(one, two),
    two,
    { ...one, state: 1 },
    { ...one, state: 2 },
    { ...one, capMillis: 1 },
    { ...one, capMillis: 2 },
    { ...one, jitter: Jitter.full },
    { ...one, jitter: Jitter.equal },
    { _tag: "ResetAfter", self: one, initial: one, afterMillis: 1, sinceMillis: 1 }
  ]

  it("gives every back-off and every state of it its own key, and the same one again", () => {
    const keyOf = TreeKey.make()
    const keys = () => different.map((tree) => keyOf({ leasts: tree, greatests: tree, parted: false }))
    const first = keys()
    expect(new Set(first).size).toBe(different.length)
    expect(keys()).toEqual(first)
  })

  it("looks at both histories only if they may differ", () => {
    const keyOf = TreeKey.make()
    const keys = (parted: boolean) => [
      ...different.map((greatests) => keyOf({ leasts: one, greatests, parted })),
      ...different.map((leasts) => keyOf({ leasts, greatests: two, parted }))
    ]
    // One pair is in both lists.
    expect(new Set(keys(true)).size).toBe(2 * different.length - 1)
    expect(new Set(keys(false)).size).toBe(different.length)
  })
})

describe("TreeKey.shapeOf", () => {
  it("tells apart the parts of a back-off, and which parts have ended", () => {
    const different = [undefined, ...shapes(one, exponential), exponential]
    expect(new Set(different.map(TreeKey.shapeOf)).size).toBe(different.length)
  })

  it.each<readonly [string, Tree, Tree]>([
    ["the state of a curve", one, { ...one, state: 1 }],
    [
      "when a part has started over",
      { _tag: "ResetAfter", self: one, initial: one, afterMillis: 1, sinceMillis: 0 },
      { _tag: "ResetAfter", self: one, initial: one, afterMillis: 1, sinceMillis: 1 }
    ]
  ])("leaves out %s", (_, tree, same) => {
    expect(TreeKey.shapeOf(tree)).toBe(TreeKey.shapeOf(same))
  })
})
