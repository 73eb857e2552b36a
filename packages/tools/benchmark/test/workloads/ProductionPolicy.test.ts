import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { flaky, ready, yielding } from "../../src/workloads/Calls.ts"
import { quota, ways } from "../../src/workloads/ProductionPolicy.ts"
import { outcome } from "./Outcome.ts"

const cases = Object.entries(ways)

describe("ProductionPolicy.ways", () => {
  it.live.each(cases)("%s makes one call that succeeds", ([, way]) =>
    Effect.gen(function* () {
      expect(yield* outcome(way, ready)).toEqual({ answer: 1, calls: 1 })
      expect(yield* outcome(way, yielding)).toEqual({ answer: 1, calls: 1 })
    }).pipe(Effect.provide(quota))
  )

  it.live.each(cases.filter(([name]) => name !== "`Effect.timeout`"))("%s retries twice", ([, way]) =>
    Effect.gen(function* () {
      expect(yield* outcome(way, flaky())).toEqual({ answer: 1, calls: 3 })
    }).pipe(Effect.provide(quota))
  )
})
