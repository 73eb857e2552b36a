import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Redis } from "ioredis"
import * as Sentinel from "@effect-retry/servers/Sentinel"

describe("Sentinel.start", () => {
  it.scoped("starts a set whose primary a client finds, and whose replicas have what it writes", () =>
    Effect.gen(function* () {
      const { name, primary, sentinels, servers } = yield* Sentinel.start()
      assert.strictEqual(yield* primary, servers[0])
      const client = yield* Effect.acquireRelease(
        Effect.sync(() => new Redis({ name, sentinels: sentinels.map(({ host, port }) => ({ host, port })) })),
        (client) => Effect.sync(() => client.disconnect())
      )
      yield* Effect.promise(() => client.set("key", "value"))
      assert.strictEqual(yield* Effect.promise(() => client.wait(2, 0)), 2)
      const values = yield* Effect.forEach(servers, ({ admin }) => Effect.promise(() => admin.get("key")))
      assert.deepStrictEqual(values, ["value", "value", "value"])
    })
  )
})
