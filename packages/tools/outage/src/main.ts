/**
 * Runs the fleet, draws its picture and writes its table into docs/fleet.md, between the markers there.
 */
import { Console, Effect } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as Redis from "@effect-retry/servers/Redis"
import * as Fleet from "./Fleet.ts"
import * as Page from "./Page.ts"
import * as Picture from "./Picture.ts"
import * as Processes from "./Processes.ts"
import * as Server from "./Server.ts"
import * as Table from "./Table.ts"

const docs = (file: string) => fileURLToPath(new URL(`../../../../docs/${file}`, import.meta.url))

const processes = 50

const main = Effect.gen(function* () {
  const redis = yield* Redis.start()
  const server = yield* Server.make
  const options: Fleet.Options = { ...Fleet.outage, redisPort: redis.port }
  yield* Console.log(`starts ${processes} processes`)
  const started = yield* Processes.make(processes)
  // The first requests and retries of a process are slow, which no kind should show.
  const short = { outage: { fromMillis: 1000, toMillis: 2500 }, untilMillis: 3000 }
  yield* Fleet.play("none", server, started, { ...options, ...short })
  const runs = yield* Effect.forEach(Fleet.kinds, (kind) =>
    Effect.tap(Fleet.play(kind, server, started, options), (run) =>
      Console.log(`${kind}: ${run.arrivals.length} requests, ${Table.retries(run)} retries`)
    )
  )
  const table = Table.draw(runs, processes, options)
  const calls = Table.storeCalls(yield* Effect.promise(() => redis.admin.info("commandstats")))
  const asked = `All processes with the shared bucket together called Redis ${calls} times.`
  yield* Console.log(`${table}\n\n${asked}`)
  if (!runs.every((run) => Table.isOnTime(run, options))) {
    yield* Console.error("The machine was too busy for fifty processes: nothing is written.")
    process.exitCode = 1
    return
  }
  const { description, title } = Picture.words(runs, processes, options)
  const text = `![${title}. ${description}](pictures/fleet.svg)\n\n${table}\n\n${asked}`
  writeFileSync(docs("pictures/fleet.svg"), Picture.draw(runs, processes, options))
  writeFileSync(docs("fleet.md"), Page.replaced(readFileSync(docs("fleet.md"), "utf8"), text))
}).pipe(Effect.scoped)

await Effect.runPromise(main)
