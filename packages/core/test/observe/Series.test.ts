import { describe, expect, it } from "vitest"
import * as Series from "../../src/observe/Series.ts"
import { noLabels, series, withLabel } from "../../src/observe/TelemetryLine.ts"

const ofFiber = withLabel(noLabels, "region", "eu")

describe("Series.make", () => {
  it("answers the same array for the same labels of the same fiber", () => {
    const find = Series.make(100)
    const labelled = (outcome: string) => find(ofFiber).and("operation", "fetch").and("outcome", outcome).labels
    expect(labelled("failed")).toBe(labelled("failed"))
    expect(labelled("failed")).not.toEqual(labelled("succeeded"))
    expect(find(ofFiber).and("operation", "fetch").and("kind", "failed").labels).not.toEqual(labelled("failed"))
    expect(find(noLabels).and("operation", "fetch").and("outcome", "failed").labels).not.toEqual(labelled("failed"))
  })

  it("has labels in the order in which they were added, then those of the fiber, each once", () => {
    const twice = Series.make(100)(ofFiber).and("operation", "fetch").and("region", "eu").and("outcome", "failed")
    const first = withLabel(noLabels, "operation", "fetch")
    const expected = withLabel(withLabel(first, "region", "eu"), "outcome", "failed")
    expect(twice.labels).toEqual(series(expected, noLabels))
    expect(Series.make(100)(ofFiber).labels).toEqual(series(ofFiber, noLabels))
  })

  it("forgets everything once it is full, and answers the same labels again", () => {
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
