import * as Redis from "@effect-retry/servers/Redis"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Load from "./Load.ts"
import * as Outcome from "./Outcome.ts"
import * as Stores from "./Stores.ts"

const limits = { burst: 40, perSecond: 40 }

describe("SCRIPT FLUSH under load", () => {
  it.scopedLive("is noticed by no operation", () =>
    Effect.gen(function* () {
      const server = yield* Redis.shared
      const result = yield* Load.during(
        { name: "script flush", limits, holders: Stores.of(Stores.server(server)), server },
        (load) =>
          Effect.gen(function* () {
            let backMillis = 0
            for (let times = 0; times < 5; times++) {
              yield* Effect.promise(() => server.admin.script("FLUSH"))
              backMillis = Math.max(backMillis, yield* load.each(Outcome.isGrant))
            }
            return backMillis
          })
      )
      Outcome.show("SCRIPT FLUSH, five times", result)
      Outcome.assertReasons(result)
    })
  )
})

describe("FLUSHALL under load", () => {
  it.scopedLive("fills the bucket, and no more", () =>
    Effect.gen(function* () {
      const server = yield* Redis.start()
      const losses = 3
      const result = yield* Load.during(
        { name: "flushall", limits, holders: Stores.of(Stores.server(server)), server, losses },
        (load) =>
          Effect.gen(function* () {
            let backMillis = 0
            for (let times = 0; times < losses; times++) {
              yield* Effect.promise(() => server.admin.flushall())
              backMillis = Math.max(backMillis, yield* load.each(Outcome.isGrant))
              yield* load.drained
            }
            return backMillis
          })
      )
      Outcome.show("FLUSHALL, three times", result)
      Outcome.assertReasons(result)
    })
  )
})

describe("eviction", () => {
  it.scopedLive("fills the bucket, and no more", () =>
    Effect.gen(function* () {
      const { admin, ...server } = yield* Redis.start({
        config: { maxmemory: "3mb", "maxmemory-policy": "allkeys-lru" }
      })
      const slow = { burst: 40, perSecond: 0.001 }
      const options = {
        name: "eviction",
        limits: slow,
        holders: Stores.of(Stores.server(server)),
        server: { admin, ...server }
      }
      const drain = Load.during(options, () => Effect.succeed(0))
      const first = yield* drain
      const [key = ""] = yield* Effect.promise(() => admin.keys("effect-retry:*"))
      yield* Effect.promise(async () => {
        for (let other = 0; (await admin.exists(key)) === 1; other++) await admin.set(`${other}`, "x".repeat(10_000))
        // Else the bucket is evicted again now and then, and is full once more.
        await admin.config("SET", "maxmemory", "0")
      })
      const second = yield* drain
      Outcome.show("eviction, before", first)
      Outcome.show("eviction, after", second)
      assert.isAbove(second.grants, 0)
    })
  )
})

describe("a server without memory", () => {
  it.scopedLive("says so, loses nothing, and is asked again when it has memory", () =>
    Effect.gen(function* () {
      const server = yield* Redis.start()
      const memory = (most: string) => Effect.promise(() => server.admin.config("SET", "maxmemory", most))
      const result = yield* Load.during(
        { name: "full", limits, holders: Stores.of(Stores.server(server)), server },
        (load) =>
          Effect.gen(function* () {
            yield* memory("1")
            yield* load.each((end) => end === "Full")
            yield* load.during(500)
            yield* memory("0")
            return yield* load.each(Outcome.isGrant)
          })
      )
      Outcome.show("OOM", result)
      Outcome.assertReasons(result, "Full")
    })
  )
})
