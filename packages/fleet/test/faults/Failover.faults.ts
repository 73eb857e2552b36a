import * as Sentinel from "@effect-retry/servers/Sentinel"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Load from "./Load.ts"
import * as Outcome from "./Outcome.ts"
import * as Stores from "./Stores.ts"

const limits = { burst: 40, perSecond: 40 }

describe("the primary of a Sentinel set that is killed under load", () => {
  it.scopedLive("is replaced by a replica, which is asked, and knows all but the latest grants", () =>
    Effect.gen(function* () {
      const set = yield* Sentinel.start()
      const primary = yield* set.primary
      const server = set.servers.find((one) => one !== primary) ?? primary
      const result = yield* Load.during(
        {
          name: "failover",
          limits,
          holders: Stores.of(Stores.sentinel(set)),
          besides: Stores.sentinel(set),
          server,
          losses: 1
        },
        (load) =>
          Effect.gen(function* () {
            yield* primary.kill
            yield* load.each(Outcome.isFailure)
            return yield* load.each(Outcome.isGrant)
          })
      )
      Outcome.show("kill -9 of a primary, Sentinel", result)
      Outcome.assertReasons(result)
      assert.notStrictEqual(yield* set.primary, primary)
    })
  )
})

describe("the primary of a Sentinel set that is frozen under load", () => {
  it.scopedLive("is left for the replica that replaces it", () =>
    Effect.gen(function* () {
      const set = yield* Sentinel.start()
      const primary = yield* set.primary
      const server = set.servers.find((one) => one !== primary) ?? primary
      const result = yield* Load.during(
        { name: "frozen primary", limits, holders: Stores.of(Stores.sentinel(set)), server, losses: 1 },
        (load) =>
          Effect.gen(function* () {
            yield* primary.freeze
            yield* load.each(Outcome.isFailure)
            return yield* load.each(Outcome.isGrant)
          })
      )
      Outcome.show("SIGSTOP of a primary, Sentinel", result)
      Outcome.assertReasons(result)
      assert.notStrictEqual(yield* set.primary, primary)
    })
  )
})
