import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Blocking from "./Blocking.ts"

describe("Blocking.start", () => {
  it.scopedLive("goes on waiting for the answer after a notice that comes too early", () =>
    Effect.gen(function* () {
      const ask = yield* Blocking.start(
        "node:worker_threads",
        {},
        `const immediate = () => new Promise((resolve) => setImmediate(resolve))
        return async (question) => {
          while (Atomics.notify(module.workerData.signal, 0) === 0) await immediate()
          return question
        }`
      )
      expect([ask(1), ask(2), ask(3)]).toEqual([1, 2, 3])
    })
  )
})
