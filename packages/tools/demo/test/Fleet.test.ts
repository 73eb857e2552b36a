import { TokenBucket } from "@effect-retry/core"
import * as Redis from "@effect-retry/servers/Redis"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import * as Fleet from "../src/Fleet.ts"
import * as Server from "../src/Server.ts"

const played = (options: Parameters<typeof Fleet.scene>[0]) =>
  Effect.scoped(
    Effect.flatMap(Server.make, (server) => Fleet.scene(options).play({ server, seed: "5", path: "/fleet" }))
  )

describe.concurrent("Fleet.scene", () => {
  it.live("says in one line how to get a server when there is none, and then promises nothing", () =>
    Effect.gen(function* () {
      const { why, promises } = yield* played({ find: Effect.succeed(Option.none()) })
      expect(why).toContain("apt-get install redis-server")
      expect(why?.length).toBeLessThan(78)
      expect(promises).toEqual([])
    })
  )

  it.live("breaks its promise when each client has its own bucket", () =>
    Effect.gen(function* () {
      yield* Redis.ensure
      const own = Layer.effect(TokenBucket.RetryBucket, TokenBucket.successRatio({ ratio: 0.1, capacity: 50 }))
      const { promises } = yield* played({ buckets: () => own })
      expect(promises.map(({ broken }) => broken)).toEqual([expect.stringMatching(/^expected 1 to [\d.]+, got \d+$/)])
    })
  )
})
