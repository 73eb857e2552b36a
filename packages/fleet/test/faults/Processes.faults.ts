import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { constants, setPriority } from "node:os"
import * as Program from "@effect-retry/servers/Program"
import * as Redis from "@effect-retry/servers/Redis"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as BucketKey from "../../src/accept/BucketKey.ts"
import { RedisStore } from "../../src/fund/redis/RedisStore.ts"
import * as Load from "./Load.ts"
import type { Report, Task } from "./process.ts"
import * as Stores from "./Stores.ts"

const marginMillis = 3000

const main = new URL("process.ts", import.meta.url)

const start = (program: string, task: Task) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = fork(program, [JSON.stringify(task)], { execArgv: [] })
      // Behind the faults that are measured at the same time.
      if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
      return child
    }),
    (child) => Effect.sync(() => void child.kill("SIGKILL"))
  )

const report = (child: ChildProcess) => Effect.promise(async () => (await once(child, "message"))[0] as Report)

/** The code with which a process ends or has ended. */
const exit = (child: ChildProcess) =>
  Effect.promise(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
    const [code] = (await once(child, "exit")) as [number | null]
    return code
  })

const task = { port: 0, name: "", burst: 40, perSecond: 0.001, withinMillis: 10_000, answers: 0, thenStay: false }
const lease = 0.1 * task.burst

describe("a process that is killed while it holds a lease", () => {
  it.scopedLive("takes with it the tokens of its lease, and no more", () =>
    Effect.gen(function* () {
      const { port } = yield* Redis.shared
      const program = yield* Program.bundled(main)
      const given = { ...task, port, name: "killed holder" }
      const killed = yield* start(program, { ...given, answers: 6, thenStay: true })
      const before = yield* report(killed)
      assert.deepStrictEqual(before, { grants: 6, refusals: 0, failures: [], longest: before.longest })
      killed.kill("SIGKILL")
      yield* exit(killed)
      const other = yield* start(program, { ...given, answers: task.burst })
      const ended = yield* Effect.fork(exit(other))
      const after = yield* report(other)
      const grants = before.grants + after.grants
      console.info(`| kill -9 of a holder | ${grants} of ${task.burst} | lease ${lease} |`)
      assert.isAtMost(grants, task.burst)
      assert.isAtLeast(grants, task.burst - lease)
      assert.strictEqual(yield* ended, 0)
    })
  )
})

describe("fifty processes that start at once", () => {
  it.scopedLive("take what the bucket has, lose nothing of it, and end with nothing left open", () =>
    Effect.gen(function* () {
      const server = yield* Redis.shared
      const program = yield* Program.bundled(main)
      const given = { ...task, port: server.port, name: "fifty", withinMillis: 1000, answers: 10 }
      const from = yield* Load.serverMicros(server)
      const one = Effect.gen(function* () {
        const child = yield* start(program, given)
        const ended = yield* Effect.fork(exit(child))
        return [yield* report(child), yield* ended] as const
      })
      const all = yield* Effect.all(
        Array.from({ length: 50 }, () => one),
        { concurrency: "unbounded" }
      )
      const store = yield* Layer.build(Stores.of(Stores.server(server)).ioredis)
      const level = yield* Effect.eventually(Context.get(store, RedisStore).level(BucketKey.make(given.name), given))
      const seconds = ((yield* Load.serverMicros(server)) - from) / 1_000_000
      const reports = all.map(([one]) => one)
      const grants = reports.reduce((sum, one) => sum + one.grants, 0)
      const most = given.burst + given.perSecond * seconds
      const longest = Math.max(...reports.map((one) => one.longest))
      console.info(`| fifty processes start | ${Math.round(longest)} ms | ${grants} of ${Math.floor(most)} |`)
      // Fifty processes on few cores: some get their connection, or their answer, later than a call may take.
      const failures = reports.flatMap((one) => one.failures)
      assert.includeMembers(["TimedOut", "Unavailable"], [...new Set(failures)])
      // What a late answer brought counts as spent; what a process did not need is back in the bucket.
      const lost = failures.length * (1 + lease)
      assert.isAtMost(grants + level, most)
      assert.isAtLeast(grants + level, given.burst - lost)
      assert.isAbove(grants, 0)
      assert.isBelow(longest, given.withinMillis + marginMillis)
      assert.deepStrictEqual(new Set(all.map(([, code]) => code)), new Set([0]))
    })
  )
})
