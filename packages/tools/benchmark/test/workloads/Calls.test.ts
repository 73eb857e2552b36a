import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Call } from "../../src/workloads/Calls.ts"
import { down, flaky, handWritten, ours, ready, unavailable, yielding } from "../../src/workloads/Calls.ts"
import { ways } from "../../src/workloads/ForeignSchedule.ts"
import { handWrittenDelays } from "../../src/workloads/TwoFailures.ts"
import { outcome } from "./Outcome.ts"

const all: { readonly [name: string]: (self: Call) => Call } = {
  "hand-written": handWritten,
  "hand-written, with delays": handWrittenDelays,
  "`Retry.retry`": ours,
  ...ways
}

describe("Calls", () => {
  it.live.each(Object.entries(all))("%s has the result of the others, after as many calls", ([, way]) =>
    Effect.gen(function* () {
      expect(yield* outcome(way, ready)).toEqual({ answer: 1, calls: 1 })
      expect(yield* outcome(way, yielding)).toEqual({ answer: 1, calls: 1 })
      expect(yield* outcome(way, flaky())).toEqual({ answer: 1, calls: 3 })
      expect(yield* outcome(way, down)).toEqual({ answer: unavailable, calls: 3 })
    })
  )
})
