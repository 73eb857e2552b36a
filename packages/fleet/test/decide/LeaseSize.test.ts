import { describe, expect, it } from "@effect/vitest"
import * as LeaseSize from "../../src/decide/LeaseSize.ts"

describe("LeaseSize.most", () => {
  it.each([
    { burst: 200, share: 0.1, most: 20 },
    { burst: 29, share: 0.1, most: 2 },
    { burst: 9, share: 0.1, most: 1 },
    { burst: 0.5, share: 1, most: 1 },
    { burst: 200, share: 1, most: 200 },
    { burst: 200, share: 0, most: 0 }
  ])("is $most of $burst at a share of $share", ({ burst, most, share }) => {
    expect(LeaseSize.most(burst, share)).toBe(most)
  })
})

describe("LeaseSize.next", () => {
  it.each([
    { before: 1, seconds: 60, spent: 1, after: 1 },
    { before: 1, seconds: 60, spent: 0, after: 1 },
    { before: 1, seconds: 5, spent: 1, after: 2 },
    { before: 1, seconds: 1, spent: 1, after: 4 },
    { before: 1, seconds: 0, spent: 1, after: 4 },
    { before: 1, seconds: 0, spent: 0, after: 1 },
    { before: 4, seconds: 4, spent: 4, after: 10 },
    { before: 10, seconds: 4, spent: 10, after: 20 },
    { before: 20, seconds: 40, spent: 20, after: 5 },
    { before: 20, seconds: 3600, spent: 20, after: 1 }
  ])("is $after tokens after $before, of which $spent were spent in $seconds seconds", (row) => {
    const self: LeaseSize.LeaseSize = { tokens: row.before, askedMillis: 7 }
    const nowMillis = 7 + row.seconds * 1000
    expect(LeaseSize.next(self, 20, nowMillis, row.spent)).toEqual({ tokens: row.after, askedMillis: nowMillis })
  })

  it("is nothing when the most is nothing", () => {
    expect(LeaseSize.next(LeaseSize.first(0, 0), 0, 1, 10)).toEqual({ tokens: 0, askedMillis: 1 })
  })
})
