import { existsSync } from "node:fs"
import { readdir, rm, writeFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Cache from "@effect-retry/servers/Cache"

const name = Effect.acquireRelease(
  Effect.sync(() => `test-${process.pid}-${process.hrtime.bigint()}`),
  (name) => Effect.promise(() => rm(join(Cache.directory, name), { recursive: true, force: true }))
)

const entries = (name: string) =>
  Effect.promise(async () => (await readdir(Cache.directory)).filter((entry) => entry.startsWith(name)))

describe("Cache.entry", () => {
  it.scoped("is made once when several make it at the same time, and not made again", () =>
    Effect.gen(function* () {
      const entry = yield* name
      const make = (content: string) =>
        Effect.promise(() => Cache.entry(entry, (directory) => writeFile(join(directory, "content"), content)))
      const paths = yield* Effect.all([make("a"), make("b"), make("c")], { concurrency: "unbounded" })
      paths.push(yield* Effect.promise(() => Cache.entry(entry, () => Promise.reject(new Error("made again")))))
      assert.deepStrictEqual(new Set(paths), new Set([join(Cache.directory, entry)]))
      assert.deepStrictEqual(yield* entries(entry), [entry])
    })
  )

  it.scoped("leaves nothing when it cannot be made", () =>
    Effect.gen(function* () {
      const entry = yield* name
      const made: Array<string> = []
      const fail = async (directory: string): Promise<void> => {
        made.push(directory)
        throw new Error("no network")
      }
      const error = yield* Effect.flip(Effect.tryPromise(() => Cache.entry(entry, fail)))
      assert.match(String(error.cause), /no network/)
      assert.strictEqual(made.length, 1)
      assert.strictEqual(basename(made[0] ?? "").startsWith(entry), true)
      assert.strictEqual(existsSync(made[0] ?? ""), false)
      assert.deepStrictEqual(yield* entries(entry), [])
    })
  )
})
