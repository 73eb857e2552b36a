import { existsSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as Redis from "@effect-retry/servers/Redis"
import * as Signal from "@effect-retry/servers/Signal"

describe("Redis.start", () => {
  it.effect("ends the server and removes its directory with the scope", () =>
    Effect.gen(function* () {
      const [pid, directory] = yield* Effect.scoped(
        Effect.gen(function* () {
          const { admin, pid } = yield* Redis.start()
          const [, directory = ""] = yield* Effect.promise(() => admin.config("GET", "dir") as Promise<Array<string>>)
          assert.strictEqual(Signal.send(pid(), 0), true)
          assert.strictEqual(existsSync(directory), true)
          return [pid(), directory] as const
        })
      )
      assert.strictEqual(Signal.send(pid, 0), false)
      assert.strictEqual(existsSync(directory), false)
    })
  )

  it.scoped("starts the server again on its port, empty", () =>
    Effect.gen(function* () {
      const { admin, kill, pid, port, restart } = yield* Redis.start()
      const before = pid()
      yield* Effect.promise(() => admin.set("key", "value"))
      yield* kill
      assert.strictEqual(Signal.send(before, 0), false)
      yield* restart
      assert.notStrictEqual(pid(), before)
      assert.strictEqual(yield* Effect.promise(() => admin.get("key")), null)
      assert.strictEqual(admin.options.port, port)
    })
  )

  it.scoped("answers nothing while it is frozen, and everything afterwards", () =>
    Effect.gen(function* () {
      const { admin, freeze, thaw } = yield* Redis.start()
      yield* Effect.promise(() => admin.ping())
      yield* freeze
      const order: Array<string> = []
      const answer = admin.ping().then(() => order.push("answered"))
      yield* Effect.promise(() => sleep(50))
      order.push("thawed")
      yield* thaw
      yield* Effect.promise(() => answer)
      assert.deepStrictEqual(order, ["thawed", "answered"])
    })
  )

  it.scoped("takes directives", () =>
    Effect.gen(function* () {
      const { admin } = yield* Redis.start({ config: { maxmemory: "2mb" } })
      assert.deepStrictEqual(yield* Effect.promise(() => admin.config("GET", "maxmemory")), ["maxmemory", "2097152"])
    })
  )

  it.scoped("shows the last words of a server that does not start", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(Redis.start({ config: { "no-such-directive": "1" } }))
      assert.match(message, /^redis-server does not start: .*$/)
      assert.match(message, /Bad directive/)
    })
  )
})

describe("Redis.shared", () => {
  it.effect("is the same server for all", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* Redis.shared, yield* Redis.shared)
    })
  )
})

const withVariable = <A, E>(name: string, value: string, effect: Effect.Effect<A, E>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const before = process.env[name]
      process.env[name] = value
      return before
    }),
    () => effect,
    (before) =>
      Effect.sync(() => {
        if (before === undefined) delete process.env[name]
        else process.env[name] = before
      })
  )

describe("Redis.find", () => {
  it.effect("finds what the tests have", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* Redis.find, Option.some(yield* Redis.ensure))
    })
  )

  it.effect("takes the path that is named, and no other", () =>
    Effect.gen(function* () {
      const { path } = yield* Redis.ensure
      const named = yield* withVariable("REDIS_SERVER", path, Redis.find)
      assert.strictEqual(Option.getOrThrow(named).path, path)
      assert.deepStrictEqual(yield* withVariable("REDIS_SERVER", `${path}-missing`, Redis.find), Option.none())
    })
  )

  it.effect("finds a Valkey on the path", () =>
    Effect.gen(function* () {
      const directory = yield* Effect.promise(() => mkdtemp(join(tmpdir(), "effect-retry-path-")))
      const path = join(directory, "valkey-server")
      yield* Effect.promise(() => writeFile(path, "", { mode: 0o755 }))
      const found = yield* withVariable("REDIS_SERVER", "", withVariable("PATH", directory, Redis.find))
      assert.deepStrictEqual(found, Option.some({ path, libraries: [] }))
      yield* Effect.promise(() => rm(directory, { recursive: true }))
    })
  )
})

describe("Redis.ensure", () => {
  it.effect("says in one line that a named server is missing, and what to do", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(withVariable("REDIS_SERVER", "/missing", Redis.ensure))
      assert.match(message, /^redis-server is missing at "\/missing": install it .*REDIS_SERVER$/)
    })
  )
})
