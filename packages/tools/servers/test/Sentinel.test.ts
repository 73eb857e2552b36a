import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Redis } from "ioredis"
import * as Sentinel from "@effect-retry/servers/Sentinel"
import { until } from "@effect-retry/servers/Until"

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

  it.scoped("names the primary when all sentinels have heard of a failover, and not before", () =>
    Effect.gen(function* () {
      const { name, primary, sentinels, servers } = yield* Sentinel.start()
      const [first] = sentinels
      assert.isDefined(first)
      const before = yield* primary
      // The others hear of it a second later, where they would in a tenth of one.
      yield* Effect.forEach(sentinels, ({ admin }) =>
        Effect.promise(() => admin.call("SENTINEL", "DEBUG", "publish-period", "1000"))
      )
      // Refused as long as it knows too little of the replicas.
      yield* until("the failover begins", async () => (await first.admin.call("SENTINEL", "FAILOVER", name)) === "OK")
      yield* until("the first sentinel names another server", async () => {
        const [, port] = (await first.admin.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", name)) as Array<string>
        return port !== `${before.port}`
      })
      const after = yield* primary
      assert.include(servers, after)
      assert.notStrictEqual(after, before)
    })
  )
})
