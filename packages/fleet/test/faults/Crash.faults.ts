import * as Redis from "@effect-retry/servers/Redis"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Load from "./Load.ts"
import * as Outcome from "./Outcome.ts"
import * as Stores from "./Stores.ts"

const limits = { burst: 40, perSecond: 40 }

describe("a server that is killed under load", () => {
  it.scopedLive("loses what it knew, and is asked again when it is back", () =>
    Effect.gen(function* () {
      const server = yield* Redis.start()
      const result = yield* Load.during(
        { name: "killed", limits, holders: Stores.of(Stores.server(server)), server, losses: 1 },
        (load) =>
          Effect.gen(function* () {
            yield* server.kill
            yield* load.each(Outcome.isFailure)
            yield* load.during(500)
            yield* server.restart
            // The new process has no script: each holder sends it again.
            return yield* load.each(Outcome.isGrant)
          })
      )
      Outcome.show("kill -9 under load, restart", result)
      Outcome.assertReasons(result)
    })
  )
})

describe("a server that is frozen", () => {
  it.scopedLive("is not waited for, and is asked again when it goes on", () =>
    Effect.gen(function* () {
      const server = yield* Redis.start()
      const result = yield* Load.during(
        { name: "frozen", limits, holders: Stores.of(Stores.server(server)), server },
        (load) =>
          Effect.gen(function* () {
            yield* server.freeze
            yield* load.each(Outcome.isTimeOut)
            yield* load.during(5000)
            yield* server.thaw
            return yield* load.each(Outcome.isGrant)
          })
      )
      Outcome.show("SIGSTOP for 5 s", result)
      Outcome.assertReasons(result)
    })
  )
})
