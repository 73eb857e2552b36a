import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Cluster as Client } from "ioredis"
import * as Cluster from "@effect-retry/servers/Cluster"

describe("Cluster.start", () => {
  it.scoped("starts a cluster in which each key has a master, and what it writes a replica", () =>
    Effect.gen(function* () {
      const { masterOf, nodes } = yield* Cluster.start()
      const client = yield* Effect.acquireRelease(
        Effect.sync(() => new Client(nodes.map(({ host, port }) => ({ host, port })))),
        (client) => Effect.sync(() => client.disconnect())
      )
      const masters = new Set<number>()
      for (const key of ["a", "b", "c"]) {
        yield* Effect.promise(() => client.set(key, "value"))
        const { admin, port } = yield* masterOf(key)
        masters.add(port)
        assert.strictEqual(yield* Effect.promise(() => admin.get(key)), "value")
        assert.strictEqual(yield* Effect.promise(() => admin.wait(1, 0)), 1)
      }
      // The slots of the three keys, by CLUSTER KEYSLOT, are 15495, 3300 and 7365: one of each master.
      assert.strictEqual(masters.size, 3)
    })
  )
})
