import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import * as SlowClock from "@effect-retry/servers/SlowClock"

describe("SlowClock.run", () => {
  it.live("takes five times as long, and says that it took what was asked for", () =>
    Effect.gen(function* () {
      const [machine, [seen]] = yield* Effect.timed(SlowClock.run(Effect.timed(Effect.sleep("10 millis"))))
      assert.isAtLeast(Duration.toMillis(machine), 49)
      assert.isAtLeast(Duration.toMillis(seen), 9)
      assert.isBelow(Duration.toMillis(seen), Duration.toMillis(machine) / 4)
    })
  )
})
