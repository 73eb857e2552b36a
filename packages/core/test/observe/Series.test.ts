import { Equal, MetricLabel } from "effect"
import { describe, expect, it } from "vitest"
import * as Series from "../../src/observe/Series.ts"

const label = MetricLabel.make

const ofFiber = [label("region", "eu")]

describe("Series.make", () => {
  it("answers the same array for the same labels of the same fiber", () => {
    const find = Series.make(100)
    const labelled = (outcome: string) => find(ofFiber).and("operation", "fetch").and("outcome", outcome).labels
    expect(labelled("failed")).toBe(labelled("failed"))
    expect(labelled("failed")).not.toEqual(labelled("succeeded"))
    expect(find(ofFiber).and("operation", "fetch").and("kind", "failed").labels).not.toEqual(labelled("failed"))
    expect(find([]).and("operation", "fetch").and("outcome", "failed").labels).not.toEqual(labelled("failed"))
  })

  it("has labels in the order in which they were added, then those of the fiber, each once", () => {
    const twice = Series.make(100)(ofFiber).and("operation", "fetch").and("region", "eu").and("outcome", "failed")
    const expected = [label("operation", "fetch"), label("region", "eu"), label("outcome", "failed")]
    expect(twice.labels.length).toBe(expected.length)
    expect(twice.labels.every((each, i) => Equal.equals(each, expected[i]))).toBe(true)
    const none = Series.make(100)(ofFiber)
    expect(none.labels).toEqual(ofFiber)
  })

  it("forgets all when it remembers as many as it may, and answers the same labels again", () => {
    const find = Series.make(4)
    const first = find(ofFiber).and("operation", "first")
    find(ofFiber).and("operation", "second")
    expect(find(ofFiber).and("operation", "first")).toBe(first)
    find(ofFiber).and("operation", "third")
    const again = find(ofFiber).and("operation", "first")
    expect(again).not.toBe(first)
    expect(again.labels).toEqual(first.labels)
    expect(find(ofFiber).and("operation", "first")).toBe(again)
  })
})
