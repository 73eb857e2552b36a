import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { found, until } from "@effect-retry/servers/Until"

describe("Until.found", () => {
  it.live("answers with what a later look finds, even if an earlier one failed", () =>
    Effect.gen(function* () {
      const looks: Array<() => Promise<string | undefined>> = [
        () => Promise.resolve(undefined),
        () => Promise.reject(new Error("not yet")),
        () => Promise.resolve("found")
      ]
      assert.strictEqual(yield* found("it is there", () => looks.shift()?.() ?? Promise.resolve("too late")), "found")
    })
  )

  it.live("says after the bound what it waited for, and why the latest look failed", () =>
    Effect.gen(function* () {
      const failing = found("it is there", () => Promise.reject(new Error("no connection")), 20)
      assert.strictEqual((yield* Effect.flip(failing)).message, "not so after 20 ms: it is there (no connection)")
    })
  )

  it.live("waits no longer than the bound for a look that hangs", () =>
    Effect.gen(function* () {
      const hanging = found("it is there", () => new Promise<undefined>(() => {}), 20)
      assert.strictEqual((yield* Effect.flip(hanging)).message, "not so after 20 ms: it is there")
    })
  )
})

describe("Until.until", () => {
  it.live("looks again until it holds", () =>
    Effect.gen(function* () {
      let looks = 0
      yield* until("three looks", async () => ++looks === 3)
      assert.strictEqual(looks, 3)
    })
  )
})
