import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import * as Redis from "@effect-retry/servers/Redis"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Report, Task } from "./process/main.ts"

// What `tsc -b` has made of it: fifty processes that compile sources take half a minute.
const program = fileURLToPath(new URL("process/dist/main.js", import.meta.url))

const marginMillis = 5000

const start = (task: Task) =>
  Effect.acquireRelease(
    Effect.sync(() => fork(program, [JSON.stringify(task)], { execArgv: [] })),
    (child) => Effect.sync(() => void child.kill("SIGKILL"))
  )

const report = (child: ChildProcess) => Effect.promise(async () => (await once(child, "message"))[0] as Report)
const exit = (child: ChildProcess) => Effect.promise(async () => (await once(child, "exit"))[0] as number | null)

const task = { port: 0, name: "", burst: 40, perSecond: 0.001, withinMillis: 10_000, attempts: 0, thenStay: false }

describe("a process that is killed while it holds a lease", () => {
  it.live("takes with it the tokens of its lease, and no more", () =>
    Effect.gen(function* () {
      const { port } = yield* Redis.shared
      const given = { ...task, port, name: "killed holder" }
      const killed = yield* start({ ...given, attempts: 6, thenStay: true })
      const before = yield* report(killed)
      assert.deepStrictEqual(before, { grants: 6, refusals: 0, failures: [], longest: before.longest })
      killed.kill("SIGKILL")
      yield* exit(killed)
      const other = yield* start({ ...given, attempts: task.burst })
      const ended = yield* Effect.fork(exit(other))
      const after = yield* report(other)
      const grants = before.grants + after.grants
      const lease = 0.1 * task.burst
      console.info(`| kill -9 of a holder | ${grants} of ${task.burst} | lease ${lease} |`)
      assert.isAtMost(grants, task.burst)
      assert.isAtLeast(grants, task.burst - lease)
      assert.strictEqual(yield* ended, 0)
    }).pipe(Effect.scoped)
  )
})

describe("fifty processes that start at once", () => {
  it.live("take what the bucket has, and end with nothing left open", () =>
    Effect.gen(function* () {
      const { admin, port } = yield* Redis.shared
      const given = { ...task, port, name: "fifty", perSecond: 5, attempts: 10 }
      const from = yield* Effect.promise(() => admin.time())
      const one = Effect.gen(function* () {
        const child = yield* start(given)
        const ended = yield* Effect.fork(exit(child))
        return [yield* report(child), yield* ended] as const
      })
      const all = yield* Effect.all(
        Array.from({ length: 50 }, () => one),
        { concurrency: "unbounded" }
      )
      const to = yield* Effect.promise(() => admin.time())
      const seconds = to[0] - from[0] + (to[1] - from[1]) / 1_000_000
      const reports = all.map(([one]) => one)
      const grants = reports.reduce((sum, one) => sum + one.grants, 0)
      const most = given.burst + given.perSecond * seconds
      const longest = Math.max(...reports.map((one) => one.longest))
      console.info(`| fifty processes start | ${Math.round(longest)} ms | ${grants} of ${Math.floor(most)} |`)
      assert.isAtMost(grants, most)
      assert.isAtLeast(grants, given.burst)
      assert.isBelow(longest, given.withinMillis + marginMillis)
      assert.deepStrictEqual(new Set(reports.flatMap(({ failures }) => failures)), new Set())
      assert.deepStrictEqual(new Set(all.map(([, code]) => code)), new Set([0]))
    }).pipe(Effect.scoped)
  )
})
