/**
 * Measures the buckets in Redis on a server of its own, prints the tables, writes them into `docs/performance.md`, and fails
 * when a target is missed.
 *
 * The server runs in the process of its own that it always is, and every table in another one; this one only waits.
 */
import { execFile } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import * as Redis from "@effect-retry/servers/Redis"
import { Effect } from "effect"
import { benchmarkOfRedis, replaced } from "../Page.ts"
import type { PerGrant } from "./CallsPerGrant.ts"

const run = promisify(execFile)

const one = (name: string, port: number): Effect.Effect<PerGrant> =>
  Effect.promise(async () => {
    const path = fileURLToPath(new URL("../../dist/src/fleet/one.js", import.meta.url))
    const { stdout } = await run(process.execPath, [path, name, `${port}`])
    return JSON.parse(stdout) as PerGrant
  })

const program = Effect.gen(function* () {
  const server = yield* Redis.start()
  const version = /redis_version:(\S+)/.exec(yield* Effect.promise(() => server.admin.info("server")))?.[1]
  const tables: Array<PerGrant> = []
  for (const name of ["machine", "calls", "lease", "grants"]) {
    const table = yield* one(name, server.port)
    console.log(`${table.section}\n`)
    tables.push(table)
  }
  const page = new URL("../../../../../docs/performance.md", import.meta.url)
  const [machine, ...rest] = tables.map(({ section }) => section)
  const content = [`${machine}\n- Server: Redis ${version} on loopback, without persistence`, ...rest].join("\n\n")
  writeFileSync(page, replaced(readFileSync(page, "utf8"), content, benchmarkOfRedis))
  return tables.flatMap(({ failures }) => failures)
})

const failures = await Effect.runPromise(Effect.scoped(program))
for (const failure of failures) console.error(`Missed: ${failure}`)
process.exitCode = failures.length === 0 ? 0 : 1
