import { Backoff } from "@effect-retry/core"
import { describe, expect, it } from "@effect/vitest"
import * as Paths from "../../src/bounds/Paths.ts"

const start = Paths.start(Backoff.constant({ delay: 1 }).tree)
const other = Paths.start(Backoff.constant({ delay: 2 }).tree)

describe("Paths.merger", () => {
  it("makes one path of those that have come to the same back-off, as wide as all of them", () => {
    const merge = Paths.merger()
    const early = { ...start, earliest: 1, latest: 5, ranLeast: 3, waitedMost: 2 }
    const late = { ...start, earliest: 2, latest: 6, ranLeast: 1, waitedMost: 4 }
    const both = { ...start, earliest: 1, latest: 6, ranLeast: 1, waitedMost: 4 }
    expect(merge([early, late])).toEqual([both])
    expect(merge([late, early])).toEqual([both])
    expect(merge([early])).toEqual([early])
  })

  it("keeps paths with other back-offs apart, and those with other failures", () => {
    const failed = [{ Timeout: 1 }, { Timeout: 2 }, { Server: 1 }].map((failures) => ({ ...start, failures }))
    const paths = [start, other, ...failed]
    expect(Paths.merger()(paths)).toEqual(paths)
  })
})
